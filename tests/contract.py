# SPDX-License-Identifier: MIT
"""Compare trace2top's JSON report with tally.py's, field by field, over real traces.

    contract.py TRACE2TOP CORPUS [CASE...]    CORPUS is the unpacked tests/corpus.tar.xz

Prints cmocka's summary, so that tests/count.sh counts every comparison.
"""
import gc
import json
import math
import os
import subprocess
import sys

import tally

gc.disable()  # reports and tallies have no cycles
LIMITS_ALL = "LIMITS_ALL" in os.environ
PERCENTILES = ("p50", "p90", "p99")
NUMBER, TEXT, LIST, MAYBE = (int, float), (str,), (list,), type(None)
SHAPES = {
    "sources": dict.fromkeys("spec kind format".split(), TEXT) | dict.fromkeys(
        "bytes records events malformed unknown oversized foreign".split(), (int,)),
    "timings": dict.fromkeys("category label".split(), (str, MAYBE)) | dict.fromkeys(
        "count failed".split(), (int,)) | dict.fromkeys(
        "total self min mean max p50 p90 p99".split(), NUMBER),
    "commands": dict.fromkeys("name last".split(), (str, MAYBE)) | dict.fromkeys(
        "count running failed".split(), (int,)) | dict.fromkeys(
        "min mean max p50 p90 p99".split(), (int, float, MAYBE)) | dict(total=NUMBER),
    "over_time": dict(start=TEXT) | dict.fromkeys(
        "seconds began ended failed signaled lost errors running".split(), (int,))
    | dict.fromkeys("p50 p90 max".split(), (int, float, MAYBE)),
    "processes": dict.fromkeys("parent host name hierarchy path exe evt start end".split(),
                               (str, MAYBE)) | dict.fromkeys("argv ancestry".split(), (list, MAYBE))
    | dict.fromkeys("child_id pid code signo".split(), (int, MAYBE))
    | dict.fromkeys("modes aliases worktrees errors params data timers counters threads children "
                    "execs".split(), LIST)
    | dict(sid=TEXT, state=TEXT, depth=(int,), elapsed=(int, float, MAYBE)),
}


def order(rows):
    """Sort rows whose order the contract does not define."""
    return sorted(rows, key=lambda r: json.dumps(r, sort_keys=True, default=str))


def near(ours, theirs, tolerance):
    return math.isclose(ours, theirs, rel_tol=tolerance, abs_tol=2e-6)


def differ(where, want, got, key=None):
    """Yield differences. Keys that only the report has are allowed additions."""
    if isinstance(want, bool) or isinstance(got, bool) or want is None or got is None:
        if want is not got:
            yield "%s: %r, not %r" % (where, got, want)
    elif isinstance(want, dict) and isinstance(got, dict):
        for name in want:
            if name not in got:
                yield "%s.%s is missing" % (where, name)
            else:
                yield from differ("%s.%s" % (where, name), want[name], got[name], name)
        if key == "events" and set(got) - set(want):
            yield "%s: %r is too much" % (where, sorted(set(got) - set(want)))
    elif isinstance(want, list) and isinstance(got, list):
        if len(want) != len(got):
            yield "%s: %d rows, not %d" % (where, len(got), len(want))
            return
        if key == "children":
            want, got = (sorted(x, key=lambda c: (c["child_id"] is None, c["child_id"] or 0))
                         for x in (want, got))
        elif key == "threads":
            want, got = (sorted(x, key=lambda t: t["name"] or "") for x in (want, got))
        elif key in ("timers", "counters"):
            want, got = (sorted(x, key=lambda t: [str(t[k]) for k in ("category", "name", "thread")])
                         for x in (want, got))
        for i, (a, b) in enumerate(zip(want, got)):
            yield from differ("%s[%d]" % (where, i), a, b, key)
    elif isinstance(want, (int, float)) and isinstance(got, (int, float)):
        exact = isinstance(want, int) and isinstance(got, int)
        if want != got and (exact or not near(got, want, 0.0101 if key in PERCENTILES else 1e-9)):
            yield "%s: %r, not %r" % (where, got, want)
    elif want != got:
        yield "%s: %.200r, not %.200r" % (where, got, want)


def misshapen(report):
    """The keys and types that scripts rely on."""
    for name, shape in SHAPES.items():
        for row in report[name]:
            for key, types in shape.items():
                if key not in row:
                    yield "a row of %s lacks %s" % (name, key)
                elif not isinstance(row[key], types) or isinstance(row[key], bool):
                    yield "%s.%s is %.80r" % (name, key, row[key])
    for key in ("nesting", "depth", "filter", "totals", "events"):
        if key not in report:
            yield "no %s" % key
    for row in report["processes"]:
        if row["state"] not in ("running", "exited", "signaled", "replaced", "lost"):
            yield "state %r" % row["state"]


class Suite:
    def __init__(self, program, corpus, only):
        self.program, self.corpus, self.only = program, corpus, only
        self.passed, self.failed = 0, []

    def wants(self, name):
        return not self.only or any(part in name for part in self.only)

    def check(self, name, problems):
        problems = list(problems)
        if problems:
            self.failed.append(name)
            print("%s:" % name)
            for problem in problems[:8]:
                print("    " + problem)
            if len(problems) > 8:
                print("    and %d more" % (len(problems) - 8))
        else:
            self.passed += 1

    def run(self, *args, stdin=b""):
        return subprocess.run([self.program, *args], input=stdin, capture_output=True, timeout=300)

    def compare(self, name, specs, nesting=None, depth=None, stdin=b""):
        if not self.wants(name):
            return
        limits = [] if nesting is None else ["-n", str(nesting)]
        limits += [] if depth is None else ["-d", str(depth)]
        name = " ".join([name, *limits])
        ran = self.run("--once", "--format=json", *limits, *specs, stdin=stdin)
        self.check(name, self.problems(ran, specs, nesting, depth, stdin))

    def problems(self, ran, specs, nesting, depth, stdin):
        if ran.returncode not in (0, 1):
            yield "exit status %d: %r" % (ran.returncode, ran.stderr[-300:])
            return
        try:
            report = json.loads(ran.stdout.decode("utf-8", "strict"))
        except ValueError as error:
            yield "no JSON: %s" % error
            return
        yield from misshapen(report)
        want = json.loads(json.dumps(tally.tally(specs, nesting, depth, stdin)))
        if ran.returncode != any(map(is_unread, want["sources"])):
            yield "exit status %d: %r" % (ran.returncode, ran.stderr[-300:])
        for rows, keys in (("timings", ("category", "label")), ("commands", ("name",))):
            # Totals that differ only by rounding may come in either order.
            want[rows], report[rows] = (
                sorted(x, key=lambda t, keys=keys: [tally.null_first(t[k]) for k in keys])
                for x in (want[rows], self.in_order(report[rows])))
        yield from differ("report", want, report)

    @staticmethod
    def in_order(rows):
        for a, b in zip(rows, rows[1:]):
            assert a["total"] >= b["total"], "rows are not by total: %r" % a
        return rows


def is_unread(source):
    """True if it had bytes and none of them could be parsed."""
    return bool(source["bytes"] and not source["events"] and
                (source["malformed"] or source["oversized"] or source["foreign"]))


def cases(corpus):
    """(name, specs) of every folder."""
    for folder, folders, files in sorted(os.walk(corpus)):
        folders.sort()
        name = os.path.relpath(folder, corpus)
        if "dirtarget" in name or os.path.basename(folder).startswith("events-"):
            if files:
                yield name, [folder]
            continue
        for file in sorted(files):
            if file == "event" or file.endswith((".event", ".raw")):
                yield os.path.join(name, file), [os.path.join(folder, file)]


def text_form(suite, name, specs):
    if not suite.wants("text " + name):
        return
    ran = suite.run("--once", *specs)
    unread = b"nothing in it can be read" in ran.stderr
    problems = [] if ran.returncode == unread else ["exit status %d" % ran.returncode]
    if not ran.stdout:
        problems.append("nothing said")
    shown = ran.stdout.decode("utf-8", "replace")
    bad = {c for c in shown if (ord(c) < 32 and c != "\n") or 127 <= ord(c) < 160}
    if bad:
        problems.append("control characters %r" % bad)
    suite.check("text " + name, problems)


def statuses(suite, good):
    """Exit statuses; the report is printed in each case."""
    ran = suite.run("--once", "--format=json", good, "/nonexistent/trace")
    report = json.loads(ran.stdout or b"{}")
    problems = list(differ("report.totals", tally.tally([good])["totals"], report.get("totals")))
    if ran.returncode != 1:
        problems.append("exit status %d, not 1" % ran.returncode)
    suite.check("missing path exits 1 and reports the rest", problems)
    for args in (["--nosuch"], ["--once", "--format=xml"], ["-n", "-3"], ["-d", "x"],
                 ["--once", "--filter=name ="], ["--socket-mode=9"], ["--"]):
        ran = suite.run(*args)
        problems = [] if ran.returncode == 2 else ["exit status %d, not 2" % ran.returncode]
        said = ran.stderr.decode()
        if not said.startswith("trace2top: ") or said.count("\n") != 1 or ran.stdout:
            problems.append("said %r %r" % (said, ran.stdout[:100]))
        suite.check("usage error %s" % " ".join(args), problems)


def command(suite):
    """A command ends --once at once, and its status is the exit status."""
    for status in (0, 3):
        args = ["--once", "--format=json", "--", "sh", "-c", "git version; exit %d" % status]
        problems = []
        try:
            ran = subprocess.run([suite.program, *args], stdin=subprocess.DEVNULL,
                                 capture_output=True, timeout=120)
            report = json.loads(ran.stdout)
            if ran.returncode != status:
                problems.append("exit status %d" % ran.returncode)
            if [p["name"] for p in report["processes"]] != ["version"]:
                problems.append("processes %r" % report["processes"])
            if report["totals"]["exited"] != 1 or b"git version" not in ran.stderr:
                problems.append("totals %r, said %r" % (report["totals"], ran.stderr))
        except subprocess.TimeoutExpired:
            problems.append("does not end with its command")
        suite.check("command that exits %d" % status, problems)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def some(number, limits):
    """The `limits` that case `number` is compared with: all if LIMITS_ALL=1, else some in turn."""
    return limits if LIMITS_ALL else [
        limit for i, limit in enumerate(limits) if (number + i) % 7 == 0]


def main(program, corpus, *only):
    suite = Suite(program, corpus, only)
    plain = None
    found = list(cases(corpus))
    version = subprocess.run([program, "--version"], capture_output=True, check=True).stdout
    if b"gz: not supported" in version:
        found = [case for case in found if "gzip" not in case[0]]
    for number, (name, specs) in enumerate(found):
        suite.compare(name, specs)
        big = sum(os.path.getsize(s) for s in specs) > 4 << 20
        if big:
            text_form(suite, name, specs)
            continue
        for nesting, depth in some(number, ((0, None), (1, None), (2, None), (None, 0), (None, 1), (1, 0), (2, 1))):
            suite.compare(name, specs, nesting, depth)
        if LIMITS_ALL or number % 2:
            text_form(suite, name, specs)
        if os.path.isfile(specs[0]) and (LIMITS_ALL or number % 2 == 0):
            suite.compare("stdin " + name, ["-"], stdin=read(specs[0]))
            plain = plain or specs[0]
    several = [s[0] for n, s in found if n.startswith(("clone", "fetch", "dirtarget/"))]
    suite.compare("several sources", several)
    suite.compare("several sources", several, 1, 1)
    if suite.wants("status"):
        statuses(suite, plain)
    if suite.wants("command"):
        command(suite)
    print("[==========] %d tests ran." % (suite.passed + len(suite.failed)))
    print("[  PASSED  ] %d test(s)." % suite.passed)
    if suite.failed:
        print("[  FAILED  ] %d test(s), listed below:" % len(suite.failed))
        for name in suite.failed:
            print("[  FAILED  ] " + name)
    return 1 if suite.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
