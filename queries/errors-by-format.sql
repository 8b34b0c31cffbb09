-- SPDX-License-Identifier: MIT
-- Errors with the same format string, and in how many processes.
SELECT fmt, count(*) AS errors, count(DISTINCT sid) AS processes, min(time) AS first,
       max(time) AS last, max(msg) AS example
FROM errors
GROUP BY fmt
ORDER BY errors DESC, fmt;
