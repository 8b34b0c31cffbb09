-- SPDX-License-Identifier: MIT
-- Numbers that commands reported as data: smallest, mean and largest per command.
SELECT d.category, d.key, p.name AS command, count(*) AS count,
       min(CAST(d.value AS INTEGER)) AS least, avg(CAST(d.value AS INTEGER)) AS mean,
       max(CAST(d.value AS INTEGER)) AS most
FROM data AS d LEFT JOIN processes AS p ON p.sid = d.sid
WHERE d.value GLOB '[0-9]*' AND NOT d.value GLOB '*[^0-9]*'
GROUP BY d.category, d.key, p.name
ORDER BY d.category, d.key, p.name;
