-- SPDX-License-Identifier: MIT
-- The processes that took longest.
SELECT elapsed, name, state, code, start, worktree, sid
FROM processes
WHERE elapsed IS NOT NULL
ORDER BY elapsed DESC, sid
LIMIT 100;
