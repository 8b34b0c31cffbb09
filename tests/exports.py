# SPDX-License-Identifier: MIT
"""What --format exports, against the JSON report and a reckoning of its own, over real traces.

    exports.py TRACE2TOP CORPUS [CASE...]    CORPUS is the unpacked tests/corpus.tar.xz

A case is compared in every format; prints cmocka's summary, as contract.py.
"""
import collections
import datetime
import decimal
import json
import os
import re
import subprocess
import sys

import contract

EPOCH = datetime.datetime(1970, 1, 1)


def ns(seconds):
    """Of a number of seconds as it stood."""
    return None if seconds is None else int((decimal.Decimal(seconds) * 1000000000).to_integral_value(
        decimal.ROUND_HALF_UP))


def us(microseconds):
    """The nanoseconds of a time as chrome has it."""
    return int(decimal.Decimal(microseconds) * 1000)


def wall(text):
    """Nanoseconds since the epoch of a time as --format=events writes it."""
    if text is None:
        return None
    whole, fraction = text[:-1].split(".")
    seconds = (datetime.datetime.fromisoformat(whole) - EPOCH) // datetime.timedelta(seconds=1)
    return seconds * 1000000000 + int(fraction.ljust(9, "0"))


def word(value):
    """A text; what is of another type is as if it were not there."""
    return value if isinstance(value, str) else None


def parse(text):
    return json.loads(text.decode("utf-8", "strict"), parse_float=decimal.Decimal)


class Region:
    def __init__(self, event, outer):
        self.category, self.label = word(event.get("category")), word(event.get("label"))
        self.nesting, self.time = event.get("nesting", 0), wall(event.get("time"))
        self.msg = event.get("msg")
        self.outer, self.inner = outer, 0
        self.duration = self.own = None

    def path(self):
        return (self.outer.path() if self.outer else ()) + ((self.category, self.label),)


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
        if region and (region.category, region.label) != (left.category, left.label):
            left.path = lambda: (outer.path() if outer else ()) + ((left.category, left.label),)
        self.done.append(left)


def reckon(events):
    """{sid: {thread: Thread}} of events in their order."""
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

def frame(*texts):
    text = "/".join(t for t in texts if t is not None)
    text = re.sub("[\0-\x1f\x7f-\x9f\u2028\u2029]", "", text.encode("utf-8", "replace").decode())
    text = text.lstrip(" ").replace(";", ":")
    return text.rstrip(" ") or "(none)"


def folded(report, processes):
    """What the folded stacks ought to be: {stack: microseconds}."""
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
    """Those of one thread that overlap without one lying in the other."""
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
    # As many as the report says.
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
    """In an honest trace slices last as long as the report says, but for less than a hundredth."""
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


# ---- the comparison ----

def comparable(report):
    """A report of events that were read again: what is of the sources is of other ones."""
    report = dict(report, sources=[], totals=dict(report["totals"], malformed=0, oversized=0))
    return report


class Suite(contract.Suite):
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

    def compare_all(self, name, specs, *limits):
        if not self.wants(name):
            return
        name = " ".join([name, *limits])
        report = parse(self.export("json", specs, *limits))
        text = self.export("events", specs, *limits)
        events = [json.loads(line, parse_float=decimal.Decimal) for line in
                  text.decode("utf-8", "strict").split("\n")[:-1]]
        processes = reckon(events)
        if not limits:
            self.check("events " + name, self.read_again(report, text, limits))
        chrome = self.export("chrome", specs, *limits)
        self.check("chrome " + name, chrome_problems(chrome, report, processes, events))
        if not name.startswith(("deviants", "torture")):
            self.check("chrome's sums " + name, chrome_sums(chrome, report))
        self.check("folded " + name,
                   folded_problems(self.export("folded", specs, *limits), report, processes))


def chosen(suite, clone):
    """What a filter, or a time, leaves out is not exported."""
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


def refused(suite, folder):
    """A report is not written into what is being read."""
    ran = suite.run("--once", "--format=events", "-o", os.path.join(folder, "out"), folder)
    suite.check("-o in a directory that is read", [] if ran.returncode == 2 and not
                os.path.exists(os.path.join(folder, "out")) else ["it is not refused"])


def main(program, corpus, *only):
    suite = Suite(program, corpus, only)
    found = list(contract.cases(corpus))
    if suite.wants("chosen"):
        chosen(suite, os.path.join(corpus, "clone/v2.55/event"))
    if suite.wants("refused"):
        refused(suite, next(s[0] for n, s in found if n.startswith("dirtarget/")))
    for name, specs in found:
        suite.compare_all(name, specs)
        if sum(os.path.getsize(s) for s in specs) <= 4 << 20:
            suite.compare_all(name, specs, "-n", "1")
            suite.compare_all(name, specs, "-d", "1")
    print("[==========] %d tests ran." % (suite.passed + len(suite.failed)))
    print("[  PASSED  ] %d test(s)." % suite.passed)
    if suite.failed:
        print("[  FAILED  ] %d test(s), listed below:" % len(suite.failed))
        for name in suite.failed:
            print("[  FAILED  ] " + name)
    return 1 if suite.failed else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
