#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""over_time.py TRACE2TOP DIR DATA: check "over_time" of the JSON report. DIR has the unpacked
over-time, corpus and formats archives."""
import datetime
import functools
import gc
import glob
import json
import math
import os
import random
import re
import subprocess
import sys

gc.disable()  # reports have no cycles, and the search for them takes a quarter of the time
top, base, data = sys.argv[1:4]
failures = 0
RECENT, SLOTS = 600, 1024
# OVER_TIME_ALL=1 checks all heat maps, boxes and traces, and more random boxes, orders and columns.
ALL = bool(os.environ.get("OVER_TIME_ALL"))
COUNTS = "began ended failed signaled lost errors".split()
EPOCH = datetime.datetime(1970, 1, 1)


def fail(*what):
    global failures
    failures += 1
    print(*what)


def report_text(*args):
    run = subprocess.run([top, "--no-config", "--once", "--format=json", *args],
                         capture_output=True, timeout=300)
    if run.returncode > 1:
        fail(args, run.returncode, run.stderr.decode(errors="replace"))
    return run.stdout.decode()


def report(*args):
    return json.loads(report_text(*args))


def heat_of_report(*args):
    """The member "heat" alone."""
    text = report_text(*args)
    return json.JSONDecoder().raw_decode(text, text.rindex('\n  "heat": ') + len('\n  "heat": '))[0]


@functools.lru_cache(maxsize=None)
def since_epoch(stamp):
    if not stamp.endswith("Z"):
        raise ValueError(stamp)
    return datetime.datetime.fromisoformat(stamp[:-1]) - EPOCH


def second(stamp):
    when = since_epoch(stamp)
    return when.days * 86400 + when.seconds


def equal(where, want, got):
    if len(want) != len(got):
        fail(where, "%d slots, not %d" % (len(got), len(want)))
    for ours, theirs in zip(got, want):
        for key in theirs:
            if key == "buckets":
                continue
            if key in ("p50", "p90", "max") and None not in (ours[key], theirs[key]):
                same = math.isclose(ours[key], theirs[key], rel_tol=1e-6, abs_tol=1e-12)
            else:
                same = ours[key] == theirs[key]
            if not same:
                fail(where, theirs["start"], key, ours[key], "not", theirs[key])
                return


def files(case):
    here = os.path.join(base, "over-time", case["case"])
    for source in case["source"]:
        if source == "event.xz":
            yield os.path.join(here, "event")
        elif "torture" in source:
            yield os.path.join(data, "torture", os.path.basename(source))
        else:
            yield os.path.join(base, source.replace("shared/corpus/", "", 1))


def near(ours, theirs):
    if None in (ours, theirs):
        return ours is theirs
    return math.isclose(ours, theirs, rel_tol=1e-6)


def equal_trends(where, want, got):
    """P90 OVER TIME and TREND of the commands."""
    rows = {row["name"]: row for row in got}
    for theirs in want:
        ours = rows[theirs["name"]]
        slices = [[s["first"], s["last"], s["count"], s["p90"]] for s in ours["p90_over_time"]]
        if [s[:3] for s in slices] != [s[:3] for s in theirs["slices"]] or not all(
                near(a[3], b[3]) for a, b in zip(slices, theirs["slices"])):
            fail(where, theirs["name"], "slices", slices[:3], "not", theirs["slices"][:3])
        trend = theirs["trend"]
        if (ours["trend"] is None) != (trend is None):
            fail(where, theirs["name"], "trend", ours["trend"], "not", trend)
        elif trend and not (
                all(ours["trend"][key] == trend[key] for key in ("newest", "others", "sign"))
                and all(near(ours["trend"][key], trend[key])
                        for key in ("p", "adjusted", "ratio"))):
            fail(where, theirs["name"], "trend", ours["trend"], "not", trend)


def check_heat(where, theirs, of_all, paths):
    """The heat map of all commands (`of_all`), of one name, or of a region."""
    of = theirs.get("name", "")
    if theirs["of"] == "region":
        of = "%s/%s" % (theirs["category"], theirs["label"])
    if of is None:
        return 0
    ours = heat_of_report("--heat=" + of, *paths) if of else of_all
    cells = [[row, column, nr, failures]
             for row, (counts, failed) in enumerate(zip(ours["counts"], ours["failures"]))
             for column, (nr, failures) in enumerate(zip(counts, failed)) if nr]
    for key in ("count", "untimed", "columns"):
        if key in theirs and ours[key] != theirs[key]:
            fail(where, "heat", of, key, ours[key], "not", theirs[key])
    if cells != theirs.get("cells", []) or not all(map(near, ours["rows"], theirs.get("rows", []))):
        fail(where, "heat", of, cells[:5], "not", theirs["cells"][:5])
    return 1


# ---- boxes of heat maps ----

def moment(ns):
    """A time for a filter. Columns begin at whole ns, events have whole us: round up."""
    us = -(-ns // 1000)
    return (EPOCH + datetime.timedelta(microseconds=us)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")


def instant(stamp):
    when = since_epoch(stamp)
    return ((when.days * 86400 + when.seconds) * 10**6 + when.microseconds) * 1000


def column_width(heat):
    """Width in ns: a power of two of a second, of which six digits are printed."""
    return round(1e9 * 2.0 ** round(math.log2(heat["columns"]["seconds"])))


def first_column(heat):
    """Number of the first column since the epoch. Six digits of its time are printed."""
    return (instant(heat["columns"]["start"]) + column_width(heat) // 2) // column_width(heat)


def runs_of_box(heat, box, paths, column):
    """The runs that the filter of a box lists, if `column` is the number of the first column."""
    width, rows = column_width(heat), heat["rows"]
    begin = column * width
    (first, last), (low, high) = box["columns"], box["rows"]
    text = "end >= %s and end < %s and elapsed >= %.9fs and elapsed < %.9fs" % (
        moment(begin + first * width), moment(begin + (last + 1) * width),
        rows[low], 2 * rows[high])
    return sorted(p["sid"] for p in report("--filter=" + text, *paths)["processes"])


def check_given_box(case, box):
    """The boxes of the second implementation begin at columns counted from the printed time."""
    heat = case["heat"][0]
    column = instant(heat["columns"]["start"]) // column_width(heat)
    got = runs_of_box(heat, box, files(case), column)
    if got != box["sids"]:
        fail(case["case"], "box", box["columns"], box["rows"], got[:3], "not", box["sids"][:3])


def check_random_box(case, box, processes):
    """The runs that the filter of a box lists are those of its cells."""
    heat = case["heat"][0]
    (first, last), (low, high) = box["columns"], box["rows"]
    want = sorted(p["sid"] for p in processes if is_in(heat, box, p))
    got = runs_of_box(heat, box, files(case), first_column(heat))
    count = sum(nr for row, column, nr, _ in heat["cells"]
                if first <= column <= last and low <= row <= high)
    if got != want or len(got) != count:
        fail(case["case"], "box", box, got[:3], "not", want[:3], count)


def random_box(rng, heat):
    columns = sorted(rng.randrange(heat["columns"]["count"]) for _ in range(2))
    rows = sorted(rng.randrange(len(heat["rows"])) for _ in range(2))
    return {"columns": columns, "rows": rows}


def is_in(heat, box, process):
    """The definition of a box, from the row of the process in the report."""
    cell = place(heat, process)
    return (cell is not None and box["columns"][0] <= cell[1] <= box["columns"][1]
            and box["rows"][0] <= cell[0] <= box["rows"][1])


def is_backwards(processes):
    """A process ended before its start: a box has it at its start, a filter at its end."""
    return any(p["end"] and p["end"] < p["start"] for p in processes)


def place(heat, p):
    """Row and column of a process in a heat map."""
    if p["state"] == "running" or None in (p["elapsed"], p["start"], p["end"]):
        return None
    width = column_width(heat)
    column = instant(max(p["start"], p["end"])) // width
    column -= first_column(heat)
    units = max(round(p["elapsed"] * 1e9) * 1024 // 10**6, 1)
    lowest = round(math.log2(heat["rows"][0] / .001)) + 10
    return min(units.bit_length() - 1, 39) - lowest, column


def check_cells(where, got):
    """The cells of all commands, counted from the processes of the same report."""
    heat, cells = got["heat"], {}
    known = [p for p in got["processes"] if p["state"] != "running" and p["elapsed"] is not None]
    for p in known:
        cell = place(heat, p) if heat["rows"] else None
        if cell:
            nr, failed = cells.get(cell, (0, 0))
            wrong = p["state"] == "signaled" or (p["state"] == "exited" and p["code"] not in (0, None))
            cells[cell] = (nr + 1, failed + wrong)
    ours = {(row, column): (nr, failed)
            for row, (counts, failures) in enumerate(zip(heat["counts"], heat["failures"]))
            for column, (nr, failed) in enumerate(zip(counts, failures)) if nr}
    if ours != cells:
        fail(where, "heat cells", set(ours.items()) ^ set(cells.items()))
    if sum(nr for nr, _ in ours.values()) + heat["untimed"] != len(known):
        fail(where, "heat counts", len(known), "runs")


# ---- the figures of the second implementation ----

def some(rows, step):
    """Every `step`-th row; the first one differs between cases. All rows if OVER_TIME_ALL=1."""
    return rows if ALL else rows[len(cases) % step::step]


cases, heats, boxes, rng = {}, 0, 0, random.Random(28)
for path in sorted(glob.glob(os.path.join(base, "over-time", "*", "expected.json"))):
    case = json.load(open(path))
    cases[case["case"]] = case
    got = report("--heat", *files(case))
    check_cells(case["case"], got)
    for box in some(case["boxes"], 2):
        boxes += 1
        if not is_backwards(got["processes"]):
            check_given_box(case, box)
    for _ in range((7 if ALL else 1) if len(got["processes"]) < 5000 and not is_backwards(got["processes"]) else 0):
        boxes += 1
        check_random_box(case, random_box(rng, case["heat"][0]), got["processes"])
    equal(case["case"], case["over_time"], got["over_time"])
    equal(case["case"] + " recent", case.get("over_time_recent", []),
          got.get("over_time_recent", []))
    equal_trends(case["case"], case["commands"], got["commands"])
    for heat in case["heat"][:1] + some(case["heat"][1:], 3):
        heats += check_heat(case["case"], heat, got["heat"], list(files(case)))
    if got["totals"]["untimed"] != case["totals"]["untimed"]:
        fail(case["case"], "untimed", got["totals"]["untimed"])
if len(cases) < 18 or heats < (100 if ALL else 45) or boxes < (170 if ALL else 50):
    fail("only", len(cases), "cases", heats, "heat maps", boxes, "boxes")


# ---- from the processes of the same report, for all formats ----

def bucket(elapsed):
    at = 0
    while at < 47 and elapsed >= .001 * 2 ** ((at + 1 - 8) / 2):
        at += 1
    return at


def quantile(elapsed, share):
    """Nearest rank. `elapsed` is in order."""
    if not elapsed:
        return None
    middle = .001 * 2 ** ((bucket(elapsed[math.ceil(share * len(elapsed)) - 1]) - 7.5) / 2)
    return min(round(middle, 9), elapsed[-1])


def strip(processes):
    """The slots of one second without errors, or None if there are more than 1,024."""
    sids, slots = {p["sid"] for p in processes}, {}

    def slot(at):
        return slots.setdefault(at, dict.fromkeys(COUNTS, 0) | dict(elapsed=[]))

    for p in processes:
        if p["start"] is None or p["parent"] in sids:
            continue
        slot(second(p["start"]))["began"] += 1
        if p["state"] == "running":
            continue
        end = slot(second(max(p["start"], p["end"])))
        end["ended"] += 1
        end["failed"] += p["state"] == "exited" and p["code"] not in (0, None)
        for state in ("signaled", "lost"):
            end[state] += p["state"] == state
        end["elapsed"] += [p["elapsed"]] * (p["elapsed"] is not None)
    running, rows = 0, []
    for at in sorted(slots):
        row, elapsed = slots[at], sorted(slots[at]["elapsed"])
        running += row["began"] - row["ended"]
        when = EPOCH + datetime.timedelta(seconds=at)
        rows.append(dict(row, start=when.strftime("%Y-%m-%dT%H:%M:%S.000000Z"), seconds=1,
                         running=max(running, 0), p50=quantile(elapsed, .5),
                         p90=quantile(elapsed, .9), max=elapsed[-1] if elapsed else None))
        del rows[-1]["elapsed"]
    return rows if len(rows) <= SLOTS else None


checked = compared = 0
for pattern in ("*/*/event", "formats/*/*", "go/*.trace", "perf/*", "*/perf*", "*/*/perf",
                "*/*/normal", "deviants/gcm/*/*", "tracelog/*"):
    found = sorted(glob.glob(os.path.join(base, pattern)))
    # If there are many traces of a format, most are alike.
    for path in found if ALL or len(found) < 30 else found[::3]:
        if not os.path.isfile(path) or "over-time" in path or "expected" in path:
            continue
        got = report("--heat", path)
        checked += 1
        check_cells(path[len(base) + 1:], got)
        want = strip(got["processes"])
        mine = got["over_time"]
        if not got["processes"] or want is None:
            continue
        compared += 1
        # Rows of processes have no time of errors: compare the slots with a command.
        for row in want:
            del row["errors"]
        with_command = [r for r in mine if r["began"] or r["ended"]]
        equal(path[len(base) + 1:], want, with_command)
        if sum(r["errors"] for r in mine) > got["totals"]["errors"]:
            fail(path, "too many errors")
if compared < (100 if ALL else 50):
    fail("only", compared, "traces compared, of", checked)


# ---- orders, limits, evictions ----

keys = ("over_time", "over_time_recent")
several = list(files(cases["together"]))
several += [os.path.join(base, "over-time", name, "event") for name in ("odd-3", "week-2")]
want = report("--heat", *several)
if want["over_time"][0]["seconds"] < 64:
    fail("r is", want["over_time"][0]["seconds"])
evicted = 0
for seed in range(6 if ALL else 1):
    random.Random(seed).shuffle(several)
    for args in ([], ["--max-processes=%d" % (40 + 37 * seed)], ["-n0", "-d0"],
                 ["--filter=name = nothing"]):
        got = report("--heat", *several, *args)
        lost = got["dropped"]
        if lost["silent_processes"] or lost["late_events"]:
            continue
        evicted += lost["finished_processes"]
        for key in keys:
            if want[key] != got[key]:
                equal("%s seed %d %s" % (key, seed, args), want[key], got[key])
        if not args and (got["commands"], got["heat"]) != (want["commands"], want["heat"]):
            fail("seed", seed, "the commands or heat maps differ")
        if got["totals"]["untimed"] != want["totals"]["untimed"]:
            fail(seed, args, "untimed", got["totals"]["untimed"])
if evicted < (10000 if ALL else 1500):
    fail("only", evicted, "evictions compared")

# ---- slots at r are sums of slots of a second ----

week = report(os.path.join(base, "over-time", "week-2", "event"))
r, recent = week["over_time"][0]["seconds"], week["over_time_recent"]
if len(recent) != RECENT:
    fail(len(recent), "recent slots")
sums = {}
for row in recent:
    total = sums.setdefault(second(row["start"]) // r * r, dict.fromkeys(COUNTS, 0))
    for key in COUNTS:
        total[key] += row[key]
for row in week["over_time"]:
    if second(row["start"]) <= min(sums):
        continue
    for key in COUNTS:
        if sums[second(row["start"])][key] != row[key]:
            fail("week", row["start"], key, sums[second(row["start"])][key], "not", row[key])

# ---- a column of the header's graph is the same state as its time ----

hour = os.path.join(base, "hour.event")
at = os.path.join(base, "keys")


def screen(*lines):
    """The screen after these lines of --keys."""
    with open(at, "w") as keys_file:
        keys_file.write("\n".join(lines) + "\ndump\n")
    run = subprocess.run([top, "--no-config", "--keys=" + at, "--dump=-", "--size=120x40", "--clock=events", hour],
                         capture_output=True, timeout=120, env=dict(os.environ, TZ="UTC", LC_ALL="C.UTF-8"))
    if run.returncode or run.stderr:
        fail("keys", lines, run.stderr)
    return run.stdout.decode()


columns, rng = 0, random.Random(28)
while columns < (50 if ALL else 6):
    back = [rng.choice((",", ",", ",", ".")) for _ in range(rng.randint(1, 40))]
    by_column = screen("z", " ".join(back))
    time = re.search(r"AGO ([0-9:]+\.[0-9]{3}) ", by_column)
    if not time:
        continue  # it went on to live again
    columns += 1
    by_time = screen("z", "@", "text 2026-01-02T%s999Z" % time.group(1), "Enter")
    if by_column != by_time:
        fail(" ".join(back), "and", time.group(1), "differ:\n", by_column, by_time)

print(len(cases), "cases,", boxes, "boxes,", columns, "columns,", heats, "heat maps,", compared, "traces,",
      evicted, "evictions")
sys.exit(1 if failures else 0)
