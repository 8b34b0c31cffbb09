-- SPDX-License-Identifier: MIT
-- Command lines of children: how often they ran, and how long.
SELECT argv, class, count(*) AS runs, sum(elapsed) AS total, max(elapsed) AS longest,
       sum(code <> 0) AS failed
FROM children
GROUP BY argv, class
ORDER BY total DESC, argv
LIMIT 100;
