#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""parts.py TRACE2TOP DIR: compare --parts with figures worked out by hand (DIR/parts, exact), and for traces of
Git (DIR/real, DIR/git) with parts to a microsecond of rounding, sums exact."""
import json
import os
import subprocess
import sys

LEAD = {"init": "start of ", "spawn": "spawn of ", "reap": "end of ", "lost": "after the last event of "}
top, base = sys.argv[1:3]
bad = 0


def fail(*what):
    global bad
    bad = 1
    print(*what)


def label(part):
    """The key of a part, without irrelevant hierarchies."""
    if part["kind"] == "region":
        return "%s/%s" % (part["category"] or "?", part["label"] or "?")
    if part["kind"] in LEAD:
        return LEAD[part["kind"]] + part["name"]
    return "in no region" if part["kind"] == "none" else part["label"]


def us(seconds):
    return round(seconds * 1e6)


def report(path):
    run = subprocess.run([top, "--no-config", "--once", "--parts", "--format=json", path],
                         capture_output=True, timeout=120)
    if run.returncode:
        fail(path, run.stderr.decode(errors="replace"))
    return json.loads(run.stdout)


def check(name, process, wanted, wall, rounding):
    got, sids = {}, set()
    for part in process["parts"]:
        sums = got.setdefault((part["kind"], label(part)), [0, 0])
        sums[0] += us(part["time"])
        sums[1] += part["count"]
        sids.add(part["process"])
    if sum(us(part["time"]) for part in process["parts"]) != wall:
        fail(name, "the parts do not add up to", wall, got)
    if process["parts"] != sorted(process["parts"], key=lambda part: -part["time"]):
        fail(name, "not the largest first")
    want = {(part["kind"], part["label"]): part for part in wanted}
    for key in sorted(set(got) | set(want)):
        part = want.get(key, {})
        time = part.get("us", part.get("time", 0))
        sums = got.get(key, (0, 0))
        if abs(sums[0] - time) > rounding or sums[1] != part.get("pieces", sums[1]):
            fail(name, key, "got", sums, "wanted", part)
    path(name, process, wall)


def path(name, process, wall):
    """Pieces are ordered by time, without overlap; without gaps if the list is complete."""
    at = 0
    for piece in process["path"]:
        begin = us(piece["begin"])
        if begin < at or (begin > at and not process["path_more"]):
            fail(name, "the path has", "an overlap" if begin < at else "a gap", "at", at, piece)
        at = begin + us(piece["time"])
    if not process["path_more"] and at != wall:
        fail(name, "the path ends at", at)


def total(name, whole):
    """The sum of all roots' parts equals the sum of their wall times."""
    roots = sum(us(part["time"]) for process in whole["processes"] for part in process.get("parts", ()))
    if sum(us(part["time"]) for part in whole["parts"]) != roots:
        fail(name, "the total is not the sum of the roots")


def check_remote(name, process, wanted, wall, rounding):
    """Waiting, transfer and local time: a partition of the wall time; absent without a transport."""
    got = {key: us(time) for key, time in process.get("remote", {}).items()}
    if got and sum(got.values()) != wall:
        fail(name, "the remote times do not add up to", wall, got)
    if sorted(got) != sorted(wanted or {}) or any(abs(got[key] - wanted[key]) > rounding for key in got):
        fail(name, "remote: got", got, "wanted", wanted)


def names(kind):
    found = sorted(os.listdir(os.path.join(base, kind)))
    if len(found) < 10:
        fail("too few cases in", kind)
    return found


def case(kind, name):
    where = os.path.join(base, kind, name)
    with open(os.path.join(where, "expected.json")) as file:
        expected = json.load(file)
    whole = report(os.path.join(where, "event"))
    total(name, whole)
    return expected, {process["sid"]: process for process in whole["processes"]}


for name in names("parts"):
    expected, processes = case("parts", name)
    root = [process for process in processes.values() if not process["parent"]]
    check(name, root[0], expected["parts"], expected["wall"], 0)
    if "remote" in expected:
        check_remote(name, root[0], expected["remote"], expected["wall"], 0)
for kind, name in [("real", name) for name in names("real")] + [("git", name) for name in names("git")]:
    expected, processes = case(kind, name)
    for root in expected["roots"]:
        check(name, processes[root["sid"]], root["parts"], root["wall_us"], 1)
        check_remote(name, processes[root["sid"]], root.get("remote"), root["wall_us"], 3)
    for limit in expected.get("nesting", ()):
        process = processes[limit["sid"]]
        if "parts" not in process:
            continue
        got = (process["writer_nesting"], us(process["at_limit"]))
        if got[0] != limit["limit"] or abs(got[1] - limit["at_limit_us"]) > 1:
            fail(name, "nesting limit: got", got, "wanted", limit)
sys.exit(bad)
