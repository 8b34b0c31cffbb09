# SPDX-License-Identifier: MIT
"""Compare the exports of --format with the JSON report and with independent calculations, over real traces.

    exports.py TRACE2TOP CORPUS [CASE...]    CORPUS is the unpacked tests/corpus.tar.xz

Each case is compared in every format if LIMITS_ALL=1, otherwise in two formats in turn; prints cmocka's
summary, like contract.py.
"""
import collections
import csv
import datetime
import decimal
import functools
import io
import json
import os
import re
import sqlite3
import subprocess
import sys

import contract

csv.field_size_limit(1 << 30)
EPOCH = datetime.datetime(1970, 1, 1)


def ns(seconds):
    """Nanoseconds of a number of seconds, from its digits."""
    return None if seconds is None else int((decimal.Decimal(seconds) * 1000000000).to_integral_value(
        decimal.ROUND_HALF_UP))


def us(microseconds):
    """Nanoseconds of a time in Chrome's format."""
    return int(decimal.Decimal(microseconds) * 1000)


def wall(text):
    """Nanoseconds since the epoch of a time as --format=events writes it."""
    if text is None:
        return None
    whole, fraction = text[:-1].split(".")
    seconds = (datetime.datetime.fromisoformat(whole) - EPOCH) // datetime.timedelta(seconds=1)
    return seconds * 1000000000 + int(fraction.ljust(9, "0"))


def word(value):
    """Return a string; a value of another type is ignored."""
    return value if isinstance(value, str) else None


def parse(text):
    return json.loads(text.decode("utf-8", "strict"), parse_float=decimal.Decimal)


class Region:
    def __init__(self, event, outer):
        self.category, self.label = word(event.get("category")), word(event.get("label"))
        self.nesting, self.time = event.get("nesting", 0), wall(event.get("time"))
        self.msg = event.get("msg")
        self.outer, self.inner = outer, 0
        self.duration = self.own = self.frames = None
        self.path()

    def path(self):
        """Category and label of the region and of those around it, the outermost 500."""
        if self.frames is None:
            above = self.outer.path() if self.outer else ()
            self.frames = above if len(above) == 500 else above + ((self.category, self.label),)
        return self.frames


class Thread:
    def __init__(self):
        self.open, self.done, self.first, self.last = [], [], None, None

    def leave(self, event):
        region = self.open.pop() if self.open else None
        outer = self.open[-1] if self.open else None
        left = Region(event, outer)
        time, duration = left.time, ns(event.get("t_rel"))
        if duration is None and region and region.time is not None and time is not None:
            duration = time - region.time
        left.duration = max(duration or 0, 0)
        left.own = max(left.duration - (region.inner if region else 0), 0)
        if outer:
            outer.inner += left.duration
        self.done.append(left)


def reckon(events):
    """Return {sid: {thread: Thread}} of events in their order."""
    processes = collections.OrderedDict()
    for event in events:
        threads = processes.setdefault(event["sid"], collections.OrderedDict())
        thread = threads.setdefault(word(event.get("thread")), Thread())
        time = wall(event.get("time"))
        if time is not None:
            thread.first = time if thread.first is None else thread.first
            thread.last = time
        if event["event"] == "region_enter":
            thread.open.append(Region(event, thread.open[-1] if thread.open else None))
        elif event["event"] == "region_leave":
            thread.leave(event)
    return processes


# ---- folded ----

@functools.lru_cache(maxsize=None)
def frame(*texts):
    text = "/".join(t[:1000] for t in texts if t is not None)
    text = re.sub("[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", "", text.encode("utf-8", "replace").decode())
    text = text.lstrip(" ").replace(";", ":")
    return text.rstrip(" ") or "(none)"


def folded(report, processes):
    """Return the expected folded stacks: {stack: microseconds}."""
    sums = collections.Counter()
    for process in report["processes"]:
        top = (frame(process["hierarchy"] or process["name"]),)
        known = processes[process["sid"]]
        for number, said in enumerate(process["threads"]):
            thread = known[said["name"]]
            base = top if number == 0 else top + (frame(said["name"]),)
            inner = sum(r.duration for r in thread.done if not r.outer)
            for region in thread.done:
                sums[base + tuple(frame(*p) for p in region.path())] += region.own
            lasts = [max(ns(o["elapsed"]) or 0, 0) for o in said["open"]]
            for i, region in enumerate(thread.open):
                deeper = lasts[i + 1] if i + 1 < len(lasts) else 0
                own = max(lasts[i] - region.inner - deeper, 0)
                sums[base + tuple(frame(*p) for p in region.path())] += own
            inner += next((t for t in lasts if t), 0)
            life = ns(process["elapsed"] if number == 0 else said["elapsed"])
            if number and life is None and thread.first is not None:
                life = thread.last - thread.first
            sums[base] += max((life or 0) - inner, 0)
    return {";".join(k): v // 1000 for k, v in sums.items() if v >= 1000}


def folded_problems(text, report, processes):
    lines = text.decode("utf-8", "strict").split("\n")
    if lines.pop():
        yield "the last line has no end"
    got = dict((line.rpartition(" ")[0], int(line.rpartition(" ")[2])) for line in lines)
    if len(got) != len(lines):
        yield "a stack stands twice"
    stacks = [line.rpartition(" ")[0].encode() for line in lines]
    if stacks != sorted(stacks):
        yield "they are not sorted"
    want = folded(report, processes)
    for stack in want.keys() | got.keys():
        if want.get(stack) != got.get(stack):
            yield "%r is %r, not %r" % (stack, got.get(stack), want.get(stack))


# ---- chrome ----

class Slice:
    def __init__(self, event):
        self.event = event
        self.start = us(event["ts"])
        self.end = self.start + us(event["dur"]) if event["ph"] == "X" else 1 << 80


def crossings(slices):
    """Pairs of slices of one thread that overlap without nesting."""
    around = []
    for one in sorted(slices, key=lambda s: (s.start, -s.end)):
        while around and around[-1].end <= one.start:
            around.pop()
        if around and one.end > around[-1].end:
            yield "%r crosses %r" % (one.event, around[-1].event)
        around.append(one)


def chrome_problems(text, report, processes, events):
    trace = parse(text)
    rows = trace["traceEvents"]
    for line in text.decode().split("\n")[1:-2]:
        json.loads(line.rstrip(","))
    by = collections.defaultdict(list)
    for row in rows:
        by[row["ph"]].append(row)
    names = [m for m in by["M"] if m["name"] == "process_name"]
    if len({m["pid"] for m in names}) != len(names) or len(names) != len(report["processes"]):
        yield "%d names of processes, not %d" % (len(names), len(report["processes"]))
    threads = [m for m in by["M"] if m["name"] == "thread_name"]
    if len({m["tid"] for m in threads}) != len(threads):
        yield "a tid stands twice"
    if len(threads) != sum(map(len, processes.values())):
        yield "%d threads" % len(threads)
    if any(row.get("ts", 0) < 0 or row.get("dur", 0) < 0 for row in rows):
        yield "a time is negative"
    first = min((wall(e["time"]) for e in events if word(e.get("time"))), default=None)
    if sum(len(str(e)) for e in events) < 100000 and first is not None and not any(
            t.first is None for p in processes.values() for t in p.values()):
        # The starts of processes that the model knows already; they are not earlier.
        starts = [wall(p["start"]) for p in report["processes"] if p["start"]]
        if wall(trace["otherData"]["start"]) // 1000 not in (first // 1000, min(starts) // 1000):
            yield "0 is %s" % trace["otherData"]["start"]
    slices = collections.defaultdict(list)
    for row in by["X"] + by["B"]:
        slices[row["pid"], row["tid"]].append(Slice(row))
    for of_thread in slices.values():
        yield from crossings(of_thread)
    for ends in zip(by["s"], by["f"]):
        for end in ends:
            at = us(end["ts"])
            if not any(s.start <= at <= s.end for s in slices[end["pid"], end["tid"]]):
                yield "a flow's end lies in no slice: %r" % end
        if ends[0]["id"] != ends[1]["id"] or ends[0]["ts"] > ends[1]["ts"]:
            yield "no pair of flow ends: %r" % (ends,)
    if len(by["s"]) != len(by["f"]) or len({f["id"] for f in by["f"]}) != len(by["f"]):
        yield "flow ends without the other one"
    begun = [(b["id"], b["name"]) for b in by["b"]]
    if len(set(begun)) != len(begun) or not {(e["id"], e["name"]) for e in by["e"]} <= set(begun):
        yield "children that do not begin once"
    # As many as in the report.
    lives = sum(any(t.first is not None for t in p.values()) for p in processes.values())
    lives += sum(t.first is not None for p in processes.values() for t in list(p.values())[1:])
    regions = sum(len(t.done) + len(t.open) for p in processes.values() for t in p.values())
    want = lives + regions - trace["otherData"].get("regionsWithoutTimes", 0)
    if len(by["X"]) + len(by["B"]) != want:
        yield "%d slices, not %d" % (len(by["X"]) + len(by["B"]), want)
    kinds = collections.Counter(e["event"] for e in events if wall(e.get("time")) is not None)
    want = sum(kinds[k] for k in ("data", "data_json", "data-json", "printf", "error"))
    if len(by["i"]) != want:
        yield "%d instants, not %d" % (len(by["i"]), want)
    if len(by["C"]) != sum(kinds[k] for k in ("timer", "th_timer", "counter", "th_counter")):
        yield "%d counters" % len(by["C"])


def chrome_sums(text, report):
    """In a consistent trace slices last as long as the report says, within one percent."""
    sums, counts = collections.Counter(), collections.Counter()
    trace = parse(text)
    if "regionsWithoutTimes" in trace["otherData"]:
        return
    for row in trace["traceEvents"]:
        if row["ph"] == "X" and "sid" not in row.get("args", {}):
            sums[row["cat"], row["name"]] += us(row["dur"])
            counts[row["cat"], row["name"]] += 1
    cut = whole = 0
    for timing in report["timings"]:
        key = timing["category"] or "(none)", timing["label"] or "(none)"
        whole += ns(timing["total"])
        cut += abs(sums[key] - ns(timing["total"]))
        if counts[key] != timing["count"]:
            yield "%r: %d slices, not %d" % (key, counts[key], timing["count"])
    if cut * 100 > whole + 5000000:
        yield "%d of %d ns are cut" % (cut, whole)


# ---- tables ----

def nine(value):
    """A duration in CSV format."""
    return "" if value is None else "%.9f" % decimal.Decimal(value)


def plain(value):
    """Any other value in CSV format."""
    if value is None:
        return ""
    if isinstance(value, (list, bool)):
        return json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return re.sub("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]", "\ufffd", str(value)
                  .encode("utf-8", "replace").decode())


def expected_tables(report, processes):
    """The expected rows of each table: {table: [{column: value}]}, only columns that are compared."""
    rows = collections.defaultdict(list)
    for process in report["processes"]:
        sid = process["sid"]
        row = {key: process[key] for key in (
            "sid", "parent", "child_id", "depth", "pid", "host", "name", "hierarchy", "path", "exe",
            "evt", "start", "end", "state", "code", "signo")}
        row.update(elapsed=ns(process["elapsed"]))
        rows["processes"].append(row)
        for thread in process["threads"]:
            rows["threads"].append({"sid": sid, "name": thread["name"], "state": thread["state"],
                                    "elapsed": ns(thread["elapsed"]), "regions": thread["regions"],
                                    "max_nesting": thread["max_nesting"]})
        for child in process["children"]:
            rows["children"].append({"sid": sid, "child_sid": child["sid"],
                                     "elapsed": ns(child["elapsed"])} | {
                key: child[key] for key in ("child_id", "class", "hook", "cd", "state", "pid", "code")})
        for error in process["errors"]:
            rows["errors"].append({"sid": sid, "msg": error["msg"], "fmt": error["fmt"]})
        for datum in process["data"]:
            rows["data"].append({"sid": sid} | {
                key: datum[key] for key in ("thread", "category", "key", "nesting")})
        for name, thread in processes[sid].items():
            for region in thread.done:
                rows["regions"].append({
                    "sid": sid, "pid": process["pid"], "thread": name, "nesting": region.nesting,
                    "category": region.category, "label": region.label,
                    "elapsed": region.duration, "self": region.own, "open": 0})
            for region in thread.open:
                rows["regions"].append({
                    "sid": sid, "pid": process["pid"], "thread": name, "nesting": region.nesting,
                    "category": region.category, "label": region.label, "open": 1})
    for timing in report["timings"]:
        rows["timings"].append({key: timing[key] for key in ("category", "label", "count", "failed")} | {
            key: ns(timing[key]) for key in ("total", "self", "min", "max", "p50", "p90", "p99")})
    return rows


DURATIONS = ("elapsed", "self", "total", "min", "max", "p50", "p90", "p99")
# Names of traces with durations below 0 or nested open regions; they are compared in every format.
ODD = "negative-times", "time-backwards", "killed-in-region"
FORMATS = "events", "chrome", "csv", "sqlite", "folded"
TABLES = ("regions", "processes", "threads", "children", "timings", "data", "errors")


def rows_problems(table, want, got):
    """`got`: dicts of all columns, in the form of `want`."""
    got = [{key: row[key] for key in keys} for row, keys in
           zip(sorted(got, key=lambda r: int(r.get("open") or 0)),
               sorted((w.keys() for w in want), key=lambda k: "self" not in k and "open" in k))]
    if len(got) != len(want):
        yield "%s: %d rows, not %d" % (table, len(got), len(want))
    order = lambda row: sorted((k, "" if v is None else str(v)) for k, v in row.items())
    for a, b in zip(sorted(want, key=order), sorted(got, key=order)):
        if a != b:
            yield "%s: %r, not %r" % (table, b, a)
            return


def csv_problems(texts, want):
    for table, text in texts.items():
        if text.replace(b"\r\n", b"").count(b"\n") and b'"' not in text:
            yield "%s: lines without CR" % table
        lines = list(csv.reader(io.StringIO(text.decode("utf-8", "strict"), newline="")))
        if any(len(line) != len(lines[0]) for line in lines):
            yield "%s: rows of different lengths" % table
        got = [dict(zip(lines[0], line)) for line in lines[1:]]
        if len(got) != len(want[table]):
            yield "%s: %d rows, not %d" % (table, len(got), len(want[table]))
            continue
        forms = [{k: nine(decimal.Decimal(v).scaleb(-9)) if k in DURATIONS and v is not None
                  else plain(v) for k, v in row.items()} for row in want[table]]
        yield from rows_problems(table, forms, got)


def sqlite_problems(path, want):
    database = sqlite3.connect(path)
    if database.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        yield "the database is damaged"
    database.row_factory = sqlite3.Row
    for table in TABLES:
        got = [dict(row) for row in database.execute('SELECT * FROM "%s"' % table)]
        for row in got:
            for key in DURATIONS:
                if row.get(key) is not None:
                    row[key] = round(row[key] * 1000000000)
        if len(got) != len(want[table]):
            yield "%s: %d rows, not %d" % (table, len(got), len(want[table]))
            continue
        if all(abs(v or 0) < 1 << 50 for row in want[table] for k, v in row.items() if k in DURATIONS):
            yield from rows_problems(table, want[table], got)
    slowest = [r[0] for r in database.execute("SELECT elapsed FROM slowest")]
    if slowest != sorted(slowest, reverse=True):
        yield "the slowest do not come first"
    database.close()


# ---- the comparison ----

def comparable(report):
    """Export and read the events again: the report is equal except for the sources and the users,
    whom the kernel reports."""
    processes = [dict(process, user=None, uid=None) for process in report["processes"]]
    report = dict(report, sources=[], processes=processes, totals=dict(report["totals"], malformed=0, oversized=0))
    return report


class Suite(contract.Suite):
    folder = "."
    has_sqlite = True
    turn = cases = 0

    def export(self, word, specs, *options, stdin=b""):
        ran = self.run("--once", "--format=" + word, *options, *specs, stdin=stdin)
        if ran.returncode not in (0, 1):
            raise AssertionError("--format=%s: exit status %d: %r" % (
                word, ran.returncode, ran.stderr[-300:]))
        return ran.stdout

    def read_again(self, report, text, limits):
        again = parse(self.export("json", ["-"], *limits, stdin=text))
        if comparable(report) != comparable(again):
            found = list(contract.differ("again", comparable(report), comparable(again)))
            yield from found or ["read again it is something else"]

    def tables(self, name):
        """The tables whose CSV is compared: all if LIMITS_ALL=1, else two in turn. SQLite has all."""
        self.turn += 1
        return [table for i, table in enumerate(TABLES[:2] if name.startswith("deviants") else TABLES)
                if contract.LIMITS_ALL or (self.turn + i) % 4 == 0]

    def formats(self, is_all):
        """The formats of the next case: all, or two of five in turn. Each format also takes turns with each
        other one, because the distance between the two changes."""
        if is_all or contract.LIMITS_ALL:
            return FORMATS
        self.cases += 1
        first, distance = self.cases % 5, 1 + self.cases // 5 % 4
        return FORMATS[first], FORMATS[(first + distance) % 5]

    def compare_all(self, name, specs, *limits, is_all=False):
        if not self.wants(name):
            return
        name = " ".join([name, *limits])
        formats = self.formats(is_all)
        report = parse(self.export("json", specs, *limits))
        text = self.export("events", specs, *limits)
        events = [json.loads(line, parse_float=decimal.Decimal) for line in
                  text.decode("utf-8", "strict").split("\n")[:-1]]
        processes = reckon(events)
        if "events" in formats and not limits:
            self.check("events " + name, self.read_again(report, text, limits))
        if "chrome" in formats:
            chrome = self.export("chrome", specs, *limits)
            self.check("chrome " + name, chrome_problems(chrome, report, processes, events))
            if not name.startswith(("deviants", "torture")):
                self.check("chrome's sums " + name, chrome_sums(chrome, report))
        want = expected_tables(report, processes)
        if "csv" in formats:
            self.check("csv " + name, csv_problems({
                table: self.export("csv", specs, "--table=" + table, *limits) for table in self.tables(name)}, want))
        if "sqlite" in formats and self.has_sqlite:
            path = os.path.join(self.folder, "run.sqlite")
            self.export("sqlite", specs, "-o", path, *limits)
            self.check("sqlite " + name, sqlite_problems(path, want))
        if "folded" in formats:
            self.check("folded " + name,
                       folded_problems(self.export("folded", specs, *limits), report, processes))


def exports_selected_events_only(suite, clone):
    """A filter and a time limit exclude events from exports."""
    for options in (["--filter=name = pack-objects"], ["--filter=name = pack-objects", "-n", "0"],
                    ["--since=2026-11-21T02:40:28Z"]):
        report = parse(suite.export("json", [clone], *options))
        text = suite.export("events", [clone], *options)
        again = parse(suite.export("json", ["-"], stdin=text))
        problems = []
        if {p["sid"] for p in again["processes"]} != {p["sid"] for p in report["processes"]}:
            problems.append("other processes")
        if not report["processes"] or again["timings"] != report["timings"]:
            problems.append("other timings")
        stacks = suite.export("folded", [clone], *options).decode()
        if "--filter" in options[0] and (not stacks or "index-pack" in stacks):
            problems.append("other stacks")
        suite.check("chosen by " + " ".join(options), problems)


def exports_evicted_processes(suite, clone):
    """An evicted process is exported with its name and lifetime."""
    def drawn(*options):
        rows = parse(suite.export("chrome", [clone], *options))["traceEvents"]
        slices = collections.defaultdict(list)
        for row in rows:
            if row["ph"] in "XB":
                slices[row["pid"], row["tid"]].append(Slice(row))
        return ({(r["pid"], r["args"]["name"]) for r in rows if r["name"] == "process_name"},
                {(r["args"]["sid"], r["name"], r["dur"]) for r in rows if r.get("cat") == "process"},
                [p for of_thread in slices.values() for p in crossings(of_thread)])
    names, lives, _ = drawn()
    few_names, few_lives, problems = drawn("--max-processes=2")
    if len(names) < 5:
        problems.append("too few processes to give one up")
    problems += ["no name %r" % (one,) for one in names - few_names]
    problems += ["no life %r" % (one,) for one in lives - few_lives]
    suite.check("evicted", problems)


def rejects_output_into_a_source(suite, folder):
    """An export must not overwrite a source."""
    ran = suite.run("--once", "--format=events", "-o", os.path.join(folder, "out"), folder)
    suite.check("-o in a directory that is read", [] if ran.returncode == 2 and not
                os.path.exists(os.path.join(folder, "out")) else ["it is accepted"])


# The size of folded stacks grows with the square of the depth.
DEPTH = int(os.environ.get("EXPORTS_DEPTH", "2000"))


def survives_hostile_traces(folder):
    """Create a trace that no program would write: deep, long, without times, with arbitrary bytes. Returns its path."""
    sid = "20260102T030405.678901Z-Habcdef01-P000004d2"
    lines = []

    def event(kind, second=None, thread="main", sid=sid, **more):
        row = {"event": kind, "sid": sid, "thread": thread}
        if second is not None:
            row["time"] = "2026-01-02T03:04:%09.6fZ" % second
        lines.append(json.dumps(row | more).encode())

    def leave(second, rel, nesting, label, **more):
        event("region_leave", second, t_rel=rel, nesting=nesting, category="c", label=label, **more)

    event("start", 5, t_abs=0.1, argv=["git", "\x1b]0;x\x07", ";", "a b", "\n\r\t\"'", "\ufeff\u202e"])
    for i in range(DEPTH):
        event("region_enter", 6 + i / 1e6, nesting=i + 1, category="c", label="deep")
    event("data", 6.5, nesting=1, t_abs=1, t_rel=1, category="c", key="long", value="x" * (1 << 20))
    event("data_json", 6.5, nesting=1, t_abs=1, t_rel=1, category="c", key="j", value=[1, {"a": [None]}])
    lines.append(b'{"event":"data_json","sid":"%s","thread":"main","time":"2026-01-02T03:04:06.500000Z",'
                 b'"category":"c","key":"n","value":[1e999,-0.0,"\\ud800\\u0000"]}' % sid.encode())
    for i in range(DEPTH):
        leave(7 + i / 1e6, 1.0, DEPTH - i, "deep")
    for label in ("", " ", ";", "=1+1", "\x1b[31m", "\0", "a,b\"c", "\r\n", "\u2028", "\x7f\x9b", "a\u202eb\u2067\u061c", "y" * 100000):
        event("region_enter", 8, nesting=1, category=label, label=label, msg=label)
        leave(8.001, 0.001, 1, label)
    lines.append(b'{"event":"region_enter","sid":"%s","thread":"\xff\xc3","time":"2026-01-02T03:04:08.100000Z",'
                 b'"nesting":1,"category":"\xed\xa0\x80","label":"\xc3(","msg":"\xfe"}' % sid.encode())
    event("region_enter", thread="timeless", nesting=1, category="c", label="no time")
    event("region_leave", thread="timeless", nesting=1, category="c", label="no time", t_rel=0.5)
    for child in range(3):  # equal pids, and one without a valid pid
        event("child_start", 9, child_id=0 if child < 2 else -1, child_class="?", use_shell=False, argv=[])
        event("start", 9.1 + child, sid=sid + "/%d-P000004d2" % child, t_abs=0, argv=["x"])
        event("atexit", 9, sid=sid + "/%d-P000004d2" % child, t_abs=1e9, code=-1)
    event("error", 9.5, msg="\x07", fmt="%s")
    event("counter", 9.5, category="c", name="n", count=(1 << 63) - 1)
    path = os.path.join(folder, "hostile.event")
    with open(path, "wb") as file:
        file.write(b"".join(line + b"\n" for line in lines))
    return path


def main(program, corpus, *only):
    suite = Suite(program, corpus, only)
    suite.has_sqlite = b"sqlite: not supported" not in suite.run("--version").stdout
    if not suite.has_sqlite:
        print("skipped: sqlite, which this trace2top is built without")
    suite.folder = corpus
    found = list(contract.cases(corpus))
    if suite.wants("chosen"):
        exports_selected_events_only(suite, os.path.join(corpus, "clone/v2.55/event"))
    if suite.wants("given up"):
        exports_evicted_processes(suite, os.path.join(corpus, "clone/v2.55/event"))
    if suite.wants("refused"):
        rejects_output_into_a_source(suite, next(s[0] for n, s in found if n.startswith("dirtarget/")))
    suite.compare_all("a hostile trace", [survives_hostile_traces(corpus)], is_all=True)
    for number, (name, specs) in enumerate(found):
        suite.compare_all(name, specs, is_all=any(word in name for word in ODD))
        if sum(os.path.getsize(s) for s in specs) <= 4 << 20 and "deviants" not in name:
            for limit in contract.some(number, ("-n", "-d")):
                suite.compare_all(name, specs, limit, "1")
    print("[==========] %d tests ran." % (suite.passed + len(suite.failed)))
    print("[  PASSED  ] %d test(s)." % suite.passed)
    if suite.failed:
        print("[  FAILED  ] %d test(s), listed below:" % len(suite.failed))
        for name in suite.failed:
            print("[  FAILED  ] " + name)
    return 1 if suite.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
