-- SPDX-License-Identifier: MIT
-- Root commands per hour: runs, failures, mean and longest duration.
SELECT substr(start, 1, 13) AS hour, count(*) AS runs,
       sum(code <> 0 OR signo IS NOT NULL) AS failed, avg(elapsed) AS mean,
       max(elapsed) AS longest
FROM processes
WHERE depth = 0
GROUP BY hour
ORDER BY hour;
