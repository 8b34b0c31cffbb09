-- SPDX-License-Identifier: MIT
-- Commands and their time per worktree.
SELECT worktree, count(*) AS runs, sum(code <> 0 OR signo IS NOT NULL) AS failed,
       sum(elapsed) AS total, max(start) AS last
FROM processes
WHERE worktree IS NOT NULL
GROUP BY worktree
ORDER BY total DESC, worktree;
