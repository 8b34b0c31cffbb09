-- SPDX-License-Identifier: MIT
-- Hooks: how often each ran, how long it took, and for which commands.
SELECT c.hook, p.name AS command, count(*) AS runs, sum(c.elapsed) AS total,
       max(c.elapsed) AS longest, sum(c.code <> 0) AS failed
FROM children AS c LEFT JOIN processes AS p ON p.sid = c.sid
WHERE c.hook IS NOT NULL
GROUP BY c.hook, p.name
ORDER BY total DESC, c.hook, p.name;
