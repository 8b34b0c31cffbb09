-- SPDX-License-Identifier: MIT
-- Failed processes, newest first, with the first error that each reported.
SELECT p.start, p.name, p.code, p.signo,
       (SELECT e.msg FROM errors AS e WHERE e.sid = p.sid LIMIT 1) AS error, p.worktree, p.sid
FROM processes AS p
WHERE p.code <> 0 OR p.signo IS NOT NULL
ORDER BY p.start DESC, p.sid
LIMIT 200;
