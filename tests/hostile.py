#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hostile traces: correct counts, bounded memory, and only printable text on a terminal.

usage: hostile.py TRACE2TOP ENGINE_DIRECTORY [NR]

NR: number of distinct SIDs, names ... in one trace, default 100,000;
the printed rows show the cost of each.
"""
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time

TOP, ENGINE = sys.argv[1], sys.argv[2]
NR = int(sys.argv[3]) if len(sys.argv) > 3 else 100000
SANITIZED = "SANITIZED" in os.environ
SECONDS = 120
BASE = '{"event":"%s","sid":"%s","thread":"%s"%s}\n'
failures = []


def say(ok, what, why):
    if not ok:
        failures.append(what)
        print("FAIL: %s: %s" % (what, why))


def record(event, sid="s", thread="main", rest=""):
    return BASE % (event, sid, thread, rest)


def run(what, options, data):
    """Return the exit status, the output and the peak memory in MiB."""
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "event"), os.path.join(folder, "out")
        with open(path, "wb") as to:
            for piece in data:
                to.write(piece if isinstance(piece, bytes) else piece.encode())
        begun = time.time()
        with open(out, "wb") as to:
            child = subprocess.Popen([TOP] + [o % folder if "%s" in o else o for o in options] +
                                     [path], stdout=to, stderr=subprocess.PIPE)
            try:
                _, err = child.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                child.kill()
                child.communicate()
                say(False, what, "it hangs")
                return -1, b"", b"", 0, SECONDS
        peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
        with open(out, "rb") as written:
            return child.returncode, written.read(), err, peak, time.time() - begun


def report(what, data, expect, options=(), limit=None):
    """Check the totals against `expect`; `limit` bounds the peak memory so far, in MiB."""
    status, out, err, peak, took = run(what, ["--once", "--format=json"] + list(options), data)
    print("%-44s %5.2f s %6.0f MiB" % (what, took, peak))
    say(status == 0 and not err, what, "status %d %r" % (status, err[:300]))
    if status:
        return {}
    got = json.loads(out)
    for key, value in expect.items():
        say(got["totals"][key] == value, what, "%s is %r, not %r" % (key, got["totals"][key], value))
    if limit and not SANITIZED:
        say(peak <= limit, what, "%.0f MiB, more than %d" % (peak, limit))
    return got


def bounded():
    """Distinct values of everything, in order of memory, because a peak only grows."""
    few = ["--max-processes=1000", "--history=4M"]
    report("a region never closed", (record("region_enter", rest=',"nesting":%d,"category":"c",'
                                            '"label":"l","t_rel":0.1' % i) for i in range(NR)),
           {"events": NR, "processes": 1}, few, 64)
    report("a region closed more than opened",
           (record("region_leave", rest=',"nesting":0,"category":"c","label":"l","t_rel":0.5')
            for _ in range(NR)), {"events": NR, "regions": NR}, few, 64)
    report("distinct threads", (record("thread_start", thread="th%d:x" % i, rest=',"t_abs":1')
                                for i in range(NR)), {"events": NR, "processes": 1}, few, 96)
    report("distinct categories and labels",
           (record("region_leave", rest=',"nesting":1,"category":"c%d","label":"l%d","t_rel":1' % (i, i))
            for i in range(NR)), {"events": NR, "regions": NR}, few, 96)
    report("distinct names of commands", (record("cmd_name", "s%d" % (i % 100),
                                                 rest=',"name":"n%d","hierarchy":"h/n%d"' % (i, i))
                                          for i in range(NR)), {"events": NR, "processes": 100}, few, 96)
    report("distinct names of events", (record("e%d" % i) for i in range(NR)), {"events": NR}, few, 96)
    report("distinct keys", (record("data", rest=',"category":"c","key":"k%d","value":"v","k%d":1' % (i, i))
                             for i in range(NR)), {"events": NR}, few, 96)
    got = report("distinct SIDs", (record("exit", "20260101T000000.%06dZ-H1-P%x" % (i % 1000000, i),
                                          rest=',"t_abs":1.5,"code":1') for i in range(NR)),
                 {"events": NR, "processes": NR, "failed": NR}, few, 96)
    say(len(got.get("processes", [])) <= 1000, "distinct SIDs", "too many rows")


def large():
    long_text = "x" * (2 << 20)
    report("lines of 2 MiB", (record("start", "s%d" % i, rest=',"argv":["%s"]' % long_text)
                              for i in range(8)), {"events": 8, "processes": 8})
    deep = ["[" * n + "]" * n for n in (510, 511, 10000)]
    report("JSON nested 10,000 deep",
           [record("data_json", rest=',"category":"c","key":"k","value":' + deep[0])] +
           [record("data_json", rest=',"value":' + deep[2]) for _ in range(50)] +
           [record("data_json", rest=',"value":' + "[" * 10000) + "\n" for _ in range(50)],
           {"events": 1, "malformed": 100})
    report("SIDs of 100 KB", (record("version", "%d-" % (i % 20) + "s" * 100000) for i in range(60)),
           {"events": 60, "processes": 20})
    slashes = "/".join("a" for _ in range(100001))
    got = report("SIDs with 100,000 slashes", (record("version", slashes + str(i % 10)) for i in range(30)),
                 {"events": 30, "processes": 10})
    say(all(p["depth"] == 100000 for p in got.get("processes", [])), "slashes", "another depth")
    report("NULs and bytes that are no text", [b'{"event":"version","sid":"a\xff\xfe\xc0\x80"}\n',
                                               b"\0" * 100000 + b"\n", b"\xff" * 100000 + b"\n",
                                               b'{"event":"version","sid":"\\ud800\\u0000"}\n'],
           {"events": 2, "processes": 2, "malformed": 2})
    report("a line without end", [record("version"), "y" * (17 << 20)], {"events": 1, "oversized": 1})


def clocks():
    times = ["2026-01-01T00:00:00.000000Z", "0001-01-01T00:00:00.000000Z", "9999-12-31T23:59:59.999999Z",
             "1969-12-31T23:59:59.000000Z", "2026-02-31T25:61:61.000000Z", "2262-04-12T00:00:00Z"]
    spans = ["-1e300", "1e300", "-0.5", "9223372036", "9223372037", "1e-300", "1e999", "-0"]
    lines = []
    for i, (at, span) in enumerate((a, b) for a in times for b in spans):
        rest = ',"time":"%s","t_abs":%s,"t_rel":%s,"nesting":1,"category":"c","label":"l"' % (at, span, span)
        lines += [record("region_enter", "p%d" % (i % 5), rest=rest),
                  record("data", "p%d" % (i % 5), rest=rest + ',"key":"k","value":"v"'),
                  record("region_leave", "p%d" % (i % 5), rest=rest),
                  record("atexit", "p%d" % (i % 5), rest=rest + ',"code":%s' % span)]
    got = report("clocks that jump both ways", lines, {"events": len(lines), "processes": 5})
    for row in got.get("timings", []):
        say(min(row["total"], row["self"], row["min"], row["max"], row["p50"]) >= 0, "clocks", row)


ESCAPES = ["\\u001b]0;title\\u0007\\u001b[2J\\u001b[31m", "\x9b31m\x84", "\\u009b2J", "\\u0000\\u0007\\b\\r\\n",
           "\u202ereversed", "\\u202e\\u2066", "\x7f", "\\u200b\\ufeff"]


def rows(name, macro):
    """The arguments of the rows of a .def file; at least three."""
    with open(os.path.join(ENGINE, name)) as source:
        return [[a.strip().strip('"') for a in row.split(",")] for row in
                re.findall(r"^%s\(([^\n]*)" % macro, source.read(), re.M)]


def escapes():
    """Put terminal control sequences into every text of every event."""
    events = [row[1] for row in rows("events.def", "TR2_EVENT")]
    fields = [row[1:3] for row in rows("fields.def", "TR2_FIELD")]
    say(len(events) > 20 and len(fields) > 30, "escapes", "the schema's rows are not understood")
    lines = []
    for n, bad in enumerate(ESCAPES):
        for event in events + ["unknown" + bad, bad]:
            values = []
            for name, kind in fields:
                if name == "sid":
                    values.append('"20260101T000000.00000%dZ-H1-P%x%s"' % (n, n, bad))
                elif kind in ("SYM", "TEXT"):
                    values.append('"%s%s"' % (name, bad))
                elif kind == "LIST":
                    values.append('["%s","%s"]' % (bad, name))
                elif kind == "CLOCK":
                    values.append('"2026-01-01T00:00:00.00000%dZ"' % n)
                else:
                    values.append("true" if kind == "BOOL" else "1")
            pairs = ['"%s":%s' % (f[0], v) for f, v in zip(fields, values)] + ['"value":"v%s"' % bad]
            lines.append('{"event":"%s",%s}\n' % (event, ",".join(pairs)))
        lines.append(bad + "\n")
    script = ("dump\n3 z\ndump\nz 1 Enter\ndump\nEnd\ndump\nBackspace 2\ndump\n4\ndump\n3 Enter\ndump\n"
              "Backspace e\ndump\nEnter\ndump\nEnd\nEnter\ndump\nBackspace Backspace 1 t\ndump\n"
              "Backspace F\ndump\nBackspace o\ndump\nEnd\ndump\nBackspace a\ndump\nd\ndump\n")
    with tempfile.NamedTemporaryFile("w", suffix=".keys") as keys:
        keys.write(script)
        keys.flush()
        for options in (["--once"], ["--once", "--filter=error or not error"],
                        ["--dump=-", "--keys=" + keys.name, "--size=160x50"],
                        ["--dump=-", "--keys=" + keys.name, "--size=60x20", "--ascii"]):
            status, out, err, _, _ = run("escapes", options, lines)
            what = "escapes, " + options[0] + " " + options[-1]
            say(status == 0 and len(out) > 2000, what, "status %d %r" % (status, err[:300]))
            wrong = sorted({c for c in (out + err).decode("utf-8")
                            if (c < " " and c != "\n") or "\x7f" <= c < "\xa0" or
                            c in "\u200b\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff"})
            say(not wrong, what, "%r" % wrong)


def paths():
    """Names of files and sockets are untrusted, too."""
    bad = "a\x1b[31m\u202e\x9bb\n"
    with tempfile.TemporaryDirectory() as folder:
        os.mkdir(os.path.join(folder, bad))
        for name in (bad, "x" + bad):
            with open(os.path.join(folder, bad, name), "w") as to:
                to.write(record("version"))
        for spec in (os.path.join(folder, bad), os.path.join(folder, bad, bad),
                     os.path.join(folder, bad, "missing" + bad),
                     "af_unix:stream:" + os.path.join(folder, bad, bad)):
            for options in (["--once"], ["--dump=-", "--size=200x50"]):
                done = subprocess.run([TOP] + options + [spec], capture_output=True, timeout=SECONDS)
                text = (done.stdout + done.stderr).decode("utf-8")
                wrong = [c for c in text if (c < " " and c != "\n") or "\x7f" <= c < "\xa0" or c == "\u202e"]
                say(done.returncode in (0, 1), "paths", "status %d" % done.returncode)
                say(not wrong, "paths, %s %r" % (options[0], spec), "%r" % wrong[:4])
                say(done.stderr.count(b"\n") <= 1, "paths, %s %r" % (options[0], spec), done.stderr)


bounded()
large()
clocks()
escapes()
paths()
print("%d failed" % len(failures))
sys.exit(bool(failures))
