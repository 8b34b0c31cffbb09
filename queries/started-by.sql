-- SPDX-License-Identifier: MIT
-- Which command started which other one, how often, and how long those ran.
SELECT p.name AS parent, c.name AS started, count(*) AS runs, sum(c.elapsed) AS total,
       max(c.elapsed) AS longest
FROM processes AS c JOIN processes AS p ON p.sid = c.parent
GROUP BY p.name, c.name
ORDER BY total DESC, parent, started;
