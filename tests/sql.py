#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sql.py TRACE2TOP DIR SOURCE: see sql.sh. DIR has the unpacked corpus."""
import glob
import json
import os
import re
import subprocess
import sys

top, base, source = map(os.path.abspath, sys.argv[1:4])
failures = checks = 0
# A third of the traces; SQL_ALL=1: all.
TRACES = sorted(glob.glob(base + "/*/v2.55/event"))[::None if "SQL_ALL" in os.environ else 3]
STORED = sorted(glob.glob(source + "/queries/*.sql"))
QUERIES = [
    "SELECT * FROM processes",
    "SELECT * FROM regions",
    "SELECT * FROM children",
    "SELECT * FROM timings",
    "SELECT * FROM data",
    "SELECT * FROM errors",
    "SELECT * FROM threads",
    "SELECT * FROM key_values",
    "SELECT * FROM slowest LIMIT 20",
    "SELECT name, sum(elapsed), avg(elapsed) * 1e9, max(elapsed) / 3, 1e300 * 10, -0.0, 1e15, 1/3.0 "
    "FROM processes GROUP BY name",
    "SELECT NULL, '', ' ', 'a\"b', 'it''s', 'a,b', 'ü', x'6162', 9223372036854775807",
    "SELECT p.name, d.key, d.value FROM data AS d JOIN processes AS p USING (sid) ORDER BY d.rowid",
    "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 5000) SELECT x, x * 0.1 "
    "FROM c",
]
REFUSED = [
    "DROP TABLE data", "DELETE FROM data", "INSERT INTO data(sid) VALUES(1)", "UPDATE data SET key = 1",
    "CREATE TABLE t(x)", "CREATE TEMP TABLE t(x)", "ATTACH 'F' AS f", "DETACH main",
    "PRAGMA database_list", "PRAGMA temp_store_directory = '/'",
    "SELECT * FROM pragma_database_list", "SELECT load_extension('libm.so.6')",
    "SELECT 1; SELECT 2", "SELECT 1; DROP TABLE data", "WITH x AS (SELECT 1) DELETE FROM data",
    "VACUUM INTO 'F'", "REINDEX data", "ANALYZE data", "SELECT readfile('/etc/hosts')",
    "SELECT nosuch FROM data", "SELECT * FROM nosuch", "SELECT (", "nosuch", " ", "-- comment",
    "SELECT '" + "x" * 70000 + "'",
]
STOPPED = [
    "SELECT length(hex(zeroblob(1000000000)))",
    "SELECT hex(zeroblob(30000000)) || hex(zeroblob(30000000))",
    "WITH RECURSIVE c(x) AS (SELECT hex(zeroblob(10000000)) UNION ALL SELECT x || '1' FROM c) "
    "SELECT count(DISTINCT x) FROM c",
]


def fail(*what):
    global failures
    failures += 1
    print(*what)


def run(*args, **more):
    return subprocess.run([top, "--no-config", *args], capture_output=True, timeout=300, **more)


def check(name, condition, *what):
    global checks
    checks += 1
    if not condition:
        fail(name, *what)


def exported(path, *limits):
    ran = run("--once", "--format=sqlite", "-o", path, *limits, *TRACES)
    check("export", ran.returncode == 0, ran.stderr)


def expected(path, query, *modes):
    commands = [x for mode in modes for x in ("-cmd", mode)]
    return subprocess.run(["sqlite3", "-batch", "-readonly", *commands, path],
                          input=(query.rstrip().rstrip(";") + ";").encode(),
                          capture_output=True, timeout=300, check=True).stdout


def compare(path, query, *limits):
    """CSV byte for byte; JSON by value."""
    ran = run("--once", "--format=csv", "--sql=" + query, *limits, *TRACES)
    want = expected(path, query, ".mode csv", ".headers on")
    if not want:  # sqlite3(1) prints no headings without rows
        check(query, ran.returncode == 0 and ran.stdout.count(b"\r\n") == 1, ran.stdout)
        return 0
    check(query, ran.stdout == want, ran.returncode, ran.stderr, "\n", ran.stdout[:400], "\nnot\n",
          want[:400])
    return want.count(b"\n") - 1


def compare_json(path, query):
    ran = run("--once", "--format=json", "--sql=" + query, *TRACES)
    want = json.loads(expected(path, query, ".mode json") or b"[]")
    check("JSON " + query, json.loads(ran.stdout) == want, ran.stdout[:300])


def one_line(name, ran, status):
    check(name, ran.returncode == status and ran.stderr.count(b"\n") == 1 and
          ran.stderr.startswith(b"trace2top: --sql: ") and not ran.stdout, ran)


def oracle():
    path = os.path.join(base, "run.sqlite")
    exported(path)
    for query in QUERIES:
        check(query, compare(path, query) > 0, "no rows")
    for query in QUERIES[3:8] + QUERIES[-1:]:
        compare_json(path, query)
    limits = "--filter=name = status or name = fetch", "-d1", "-n2"
    filtered = os.path.join(base, "filtered.sqlite")
    exported(filtered, *limits)
    for query in QUERIES[:8:3]:
        compare(filtered, query, *limits)


def stored():
    path = os.path.join(base, "run.sqlite")
    check("stored queries", len(STORED) == 10, STORED)
    home = os.path.join(base, "home")
    os.makedirs(home + "/trace2top/queries")
    env = dict(os.environ, XDG_CONFIG_HOME=home)
    for name in STORED:
        with open(name, encoding="utf-8") as file:
            text = file.read()
        check(name, text.startswith("-- SPDX-License-Identifier: MIT\n-- "), "no description")
        check(name, compare(path, text) > 0, "no rows")
        os.symlink(os.path.abspath(name), home + "/trace2top/queries/" + os.path.basename(name))
    ran = run("--once", "--format=csv", "--sql=commands", *TRACES, env=env)
    with open(source + "/queries/commands.sql", encoding="utf-8") as file:
        check("by name", ran.stdout == expected(path, file.read(), ".mode csv", ".headers on"), ran)
    return env


def hostile():
    trace = TRACES[0]
    folder = os.path.join(base, "empty")
    os.mkdir(folder)
    for query in REFUSED:
        one_line(query[:60], run("--once", "--sql=" + query, trace, cwd=folder), 2)
    for query in STOPPED:
        one_line(query, run("--once", "--sql=" + query, trace, cwd=folder), 1)
    check("files", not os.listdir(folder), os.listdir(folder))
    for args in (["--lines", "--sql=SELECT 1"], ["--once", "--format=chrome", "--sql=SELECT 1"],
                 ["--once", "--format=csv", "--table=data", "--sql=SELECT 1"]):
        one_line(args, run(*args, trace), 2)
    # Rows without end are written until the reader has enough of them.
    endless = subprocess.Popen([top, "--no-config", "--once", "--format=csv", "--sql=WITH RECURSIVE "
                                "c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
                                trace], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    some = endless.stdout.read(100000)
    endless.stdout.close()
    check("endless", some.startswith(b"x\r\n1\r\n2\r\n") and endless.wait(120) in (0, 1),
          endless.returncode)


def text():
    ran = run("--once", "--sql=SELECT 'a' AS word, 1 AS n UNION ALL SELECT 'e\x1b[31m\nf', 200",
              TRACES[0])
    lines = ran.stdout.decode().split("\n")
    check("text", lines[0] == "word        n" or lines[0].split() == ["word", "n"], lines)
    check("text", len(lines) == 4 and "\x1b" not in lines[2] and lines[1].endswith("    1"), lines)
    ran = run("--once", "--sql=SELECT printf('%.5000c', 'x') AS long", TRACES[0])
    check("long text", len(ran.stdout) == len("long\n") + 5001, len(ran.stdout))


def screen(env):
    """Keys over one trace; the program waits for queries without a terminal."""
    keys = os.path.join(base, "keys")
    with open(keys, "w", encoding="utf-8") as file:
        file.write(":\ntext comm\nTab Enter\ndump 1\n"
                   ": C-u\ntext SELECT sid, na\nTab\ntext  FROM proc\nTab Enter\ndump 2\n"
                   "Enter\ndump 3\nBackspace : C-u\ntext SELECT * FROM regions\nEnter\ndump 4\n"
                   ": C-u\ntext WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM c) "
                   "SELECT count(*) FROM c\nEnter\ndump 5\n"
                   "\\\ntext name = status\nEnter : C-u\ntext SELECT DISTINCT name FROM processes\n"
                   "Enter\ndump 6\n")
    ran = subprocess.run([top, "--no-config", "--keys=" + keys, "--dump=-", "--size=100x20",
                          "--clock=events", *glob.glob(base + "/status/v2.55/event")],
                         capture_output=True, timeout=300, env=env)
    shown = ran.stdout.decode().split("== ")[1:]
    check("screens", len(shown) == 6, ran)
    for text, where in zip(("runs failed", "sid", "Process", "no such table: regions; it is in --once",
                            "stopped after 1s", "SELECT DISTINCT name"), shown):
        check("screen " + text, text in where, where)
    check("filtered", "SQL · filter: name = status · 1 row" in shown[5], shown[5])


def written(env):
    """w writes the result; looking back, a query sees the processes of that time."""
    folder = os.path.join(base, "written")
    os.mkdir(folder)
    keys = os.path.join(base, "keys")
    count = "\ntext SELECT count(*) AS n FROM processes\nEnter\n"
    with open(keys, "w", encoding="utf-8") as file:
        file.write(":" + count + "w\n" + "[ " * 150 + "\n: C-u" + count + "dump 1\nEnd\n: C-u" + count + "dump 2\n")
    trace, = glob.glob(base + "/fetch/v2.55/event")
    ran = subprocess.run([top, "--no-config", "--keys=" + keys, "--dump=-", "--size=100x20", trace],
                         capture_output=True, timeout=300, env=env, cwd=folder)
    names = glob.glob(folder + "/trace2top-*.csv")
    check("one file", len(names) == 1, names, ran)
    with open(names[0], "rb") as file:
        text = file.read()
    past, live = (int(re.search("│▸ *([0-9]+) *│", part).group(1))
                  for part in ran.stdout.decode().split("== ")[1:])
    check("written", text == b"n\r\n%d\r\n" % live, text)
    check("past", 0 < past < live, past, live)


def lines(env):
    ran = subprocess.run([top, "--no-config", "--lines", "--once", TRACES[0]],
                         input=b"sql SELECT count(*) AS n FROM processes\nsql DROP TABLE data\nsql\n",
                         capture_output=True, timeout=300, env=env)
    check("lines", b"SQL, 1 row" in ran.stdout and b"only SELECT is allowed" in ran.stdout and
          b"sql needs a SELECT" in ran.stdout, ran)


oracle()
environment = stored()
hostile()
text()
screen(environment)
written(environment)
lines(environment)
print("%d checks, %d failures" % (checks, failures))
sys.exit(failures > 0 or checks < 80)
