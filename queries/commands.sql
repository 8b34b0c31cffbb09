-- SPDX-License-Identifier: MIT
-- Runs, failures and durations of each command.
SELECT name, count(*) AS runs, sum(code <> 0 OR signo IS NOT NULL) AS failed,
       sum(elapsed) AS total, avg(elapsed) AS mean, max(elapsed) AS longest
FROM processes
GROUP BY name
ORDER BY total DESC, name;
