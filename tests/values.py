#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""values.py TRACE2TOP DIR: compare "values" of the JSON report and --table=values with the processes
of tally.py, for every trace in DIR and for all of them together."""
import collections
import csv
import gc
import io
import json
import math
import os
import re
import subprocess
import sys

import tally

gc.disable()  # there are no cycles
top, base = sys.argv[1:3]
failures = checks = 0


def fail(*what):
    global failures
    failures += 1
    print(*what)


def run(*args):
    ran = subprocess.run([top, "--no-config", "--once", *args], capture_output=True, timeout=300)
    if ran.returncode > 1:
        fail(args, ran.returncode, ran.stderr.decode(errors="replace"))
    return ran.stdout.decode()


def as_text(value):
    """A value of data as the model keeps it: data_json is compact JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def whole(text):
    return bool(re.fullmatch("0|-?[1-9][0-9]{0,18}", text)) and abs(int(text)) < 1 << 63


def nearest(numbers, percent):
    return sorted(numbers)[math.ceil(len(numbers) * percent / 100) - 1]


def unit_of(kind, key):
    if kind == "timer":
        return "s"
    word = re.split(r"[/_\-. :]", key or "")[-1]
    return {"bytes": "bytes", "ns": "ns", "us": "us", "ms": "ms", "s": "s", "sec": "s", "secs": "s",
            "seconds": "s"}.get(word, "")


def occurrences(processes):
    """Yield (category, key, kind, value) of every occurrence."""
    for process in processes:
        for item in process["data"]:
            yield item["category"], item["key"], "data", as_text(item["value"])
        for item in process["counters"]:
            if item["thread"] is None:
                yield item["category"], item["name"], "counter", item["count"]
        for item in process["timers"]:
            if item["thread"] is None:
                yield item["category"], item["name"], "timer", item["total"]


def rows_of(processes):
    found = collections.defaultdict(list)
    for category, key, kind, value in occurrences(processes):
        found[category, key, kind].append(value)
    rows = {}
    for (category, key, kind), values in found.items():
        known = [v for v in values if v is not None]
        row = dict(count=len(values), unknown=len(values) - len(known), texts=0, top=[],
                   unit=unit_of(kind, key), sum=None, min=None, p50=None, p90=None, max=None)
        if kind == "data" and not all(map(whole, known)):
            counts = collections.Counter(v.encode()[:256] for v in known)
            order = sorted(counts.items(), key=lambda x: (-x[1], x[0]))
            row.update(unit="text", texts=len(counts), top=[
                dict(value=text.decode(errors="replace"), count=nr) for text, nr in order[:5]])
        elif known:
            numbers = [int(v) if kind == "data" else v for v in known]
            total = sum(numbers)
            if kind != "timer":
                total = max(min(total, (1 << 63) - 1), -(1 << 63) + 1)
            row.update(sum=total, min=min(numbers), max=max(numbers), p50=nearest(numbers, 50),
                       p90=nearest(numbers, 90))
        rows[category, key, kind] = row
    return rows


def unquoted(text):
    return json.loads(text) if text.startswith('"') else text


def equal(ours, theirs):
    if isinstance(theirs, float) and ours is not None:
        return math.isclose(ours, theirs, rel_tol=1e-6, abs_tol=2e-6)
    return ours == theirs


def compare(name, got, want):
    global checks
    checks += 1
    if {(r["category"], r["key"], r["kind"]) for r in got} != set(want) or len(got) != len(want):
        fail(name, "rows", len(got), "not", len(want))
        return
    order = [[tally.null_first(r["category"]), tally.null_first(r["key"])] for r in got]
    if order != sorted(order):
        fail(name, "the rows are not in order")
    for row in got:
        key = row["category"], row["key"], row["kind"]
        if name == "torture":  # the tally does not distinguish "x" of data_json from x of data
            row["top"] = [dict(t, value=unquoted(t["value"])) for t in row["top"]]
        for member, value in want[key].items():
            if not equal(row[member], value):
                fail(name, key, member, row[member], "not", value)


def csv_rows(text):
    for row in csv.DictReader(io.StringIO(text, newline="")):
        numbers = {k: None if row[k] == "" else float(row[k]) if row["kind"] == "timer" else int(row[k])
                   for k in ("sum", "min", "p50", "p90", "max")}
        yield dict(row, **numbers, count=int(row["count"]), unknown=int(row["unknown"]),
                   texts=int(row["texts"]), top=json.loads(row["top"] or "[]"))


def check(name, files, processes=None):
    global checks
    want = rows_of(processes or tally.tally(files)["processes"])
    report = json.loads(run("--format=json", "--values", *files))
    compare(name, report["values"], want)
    if checks % 8 or name == "torture":
        return  # CSV cannot distinguish absent from empty, and replaces control characters
    table = list(csv_rows(run("--format=csv", "--table=values", *files)))
    compare(name + " csv", table, want)
    text = run("--values", "--top=all", *files).split("\nValues\n")[1].split("\n\n")[0]
    checks += 1
    if len(text.strip().split("\n")) != max(len(want), 1) + 1:
        fail(name, "the text report has other rows")


everything = []
for folder, folders, files in sorted(os.walk(base)):
    folders.sort()
    paths = [os.path.join(folder, f) for f in sorted(files)
             if f == "event" or f.endswith((".event", ".raw")) or "dirtarget" in folder]
    if paths and not "torture" in folder:
        everything += paths
    if paths:
        check(os.path.relpath(folder, base), paths)
cases, checks = checks, 7
of_all = tally.tally(everything)["processes"]
check("all", everything, of_all)
without = json.loads(run("--format=json", everything[0]))
if "values" in without or "\nValues\n" in run(everything[0]):
    fail("values are in the report without --values")
limited = tally.tally(everything, nesting=1, depth=0)["processes"]
compare("limits", json.loads(run("--format=json", "--values", "-n1", "-d0", *everything))["values"],
        rows_of(limited))
statuses = [p for p in of_all if p["name"] == "status"]
compare("filter", json.loads(run("--format=json", "--values", "--filter=name = status",
                                 *everything))["values"], rows_of(statuses))
print("%d comparisons, %d failures" % (cases + checks - 7, failures))
sys.exit(failures > 0 or cases < 50)
