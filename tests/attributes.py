#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""attributes.py TRACE2TOP DIR: check --group-by and --difference against DIR/attributes.json, and
that groups add up to the whole. DIR also has the unpacked over-time, corpus and formats archives."""
import csv
import gc
import glob
import io
import json
import math
import os
import re
import subprocess
import sys

gc.disable()  # reports have no cycles
top, base = sys.argv[1:3]
failures = checks = 0
MOST_BY = 4
NO_GZ = b"gz: not supported" in subprocess.run([top, "--version"], capture_output=True).stdout
BIG = "big"  # a case of 16,995 processes: only a part of it is checked, and more if ATTRIBUTES_ALL=1
ALL = "ATTRIBUTES_ALL" in os.environ


def fail(*what):
    global failures
    failures += 1
    print(*what)


def run(*args):
    return subprocess.run([top, "--no-config", "--once", *args], capture_output=True, timeout=300,
                          env=dict(os.environ, TZ="UTC"))


def report_text(*args):
    ran = run("--format=json", *args)
    if ran.returncode > 1:
        fail(args, ran.returncode, ran.stderr.decode(errors="replace"))
    return ran.stdout.decode()


def report(*args):
    return json.loads(report_text(*args))


def difference_of_report(*args):
    """The member "difference" alone."""
    text = report_text(*args)
    return json.JSONDecoder().raw_decode(text, text.rindex('\n  "difference": ') + len('\n  "difference": '))[0]


def files(name, sources):
    """The files of a case; none if one of them is not in the archives."""
    found = [os.path.join(base, "over-time", name, "event") if source == "event.xz" else
             os.path.join(base, source.replace("shared/corpus/", "", 1)) for source in sources]
    if NO_GZ and any(path.endswith(".gz") for path in found):
        print("skipped:", name, "needs gz, which this trace2top is built without")
        return []
    return found if all(map(os.path.exists, found)) else []


def add_up(where, got, wholes):
    """The groups of a report, as [processes, ended, failed, total elapsed] per value of each
    attribute. They must add up to the commands, and their regions to the timings."""
    groups = {by: {} for by in got["groups"]["by"]}
    for row in got["groups"]["rows"]:
        figures = [row["count"] + row["running"], row["count"], row["failed"], row["total"] or 0]
        for by, value in zip(got["groups"]["by"], row["group"]):
            old = groups[by].setdefault(value, [0, 0, 0, 0])
            groups[by][value] = [a + b for a, b in zip(old, figures)]
    rows = got["groups"]["rows"]
    for key in ("count", "running", "failed", "total"):
        whole = sum(row[key] or 0 for row in got["commands"])
        parts = sum(row[key] or 0 for row in rows)
        if abs(whole - parts) > 1e-6 * max(1, whole):
            fail(where, key, parts, "not", whole)
    regions = {}
    for row in rows:
        for region in row["regions"]:
            key = region["category"], region["label"]
            old = regions.setdefault(key, [0, 0, 0])
            regions[key] = [old[0] + region["count"], old[1] + region["total"],
                            old[2] + region["self"]]
    if wholes and not got["dropped"]["list_items"]:
        timings = {(row["category"], row["label"]): [row["count"], row["total"], row["self"]]
                   for row in got["timings"]}
        for key in sorted(set(timings) | set(regions), key=str):
            whole, parts = timings.get(key, [0, 0, 0]), regions.get(key, [0, 0, 0])
            if any(abs(a - b) > 1e-6 * max(1, a) for a, b in zip(whole, parts)):
                fail(where, "regions", key, parts, "not", whole)
    return groups


def check_groups(name, case):
    global checks
    sources = files(name, case["source"])
    names = sorted(case["groups"]) if sources else []
    if name == BIG and sources:
        names = ["option", "hierarchy", "class", "nesting"]
    for at in range(0, len(names), MOST_BY):
        by = names[at:at + MOST_BY]
        got = report("--group-by=" + ",".join(by), *sources)
        # The report counts a negative duration, of a clock that was set back, as 0.
        set_back = -sum(min(p["elapsed"] or 0, 0) for p in got["processes"])
        got = add_up((name, by), got, not at)
        for word in by:
            checks += 1
            want = case["groups"][word]
            if set(want) != set(got[word]):
                fail(name, word, sorted(got[word]), "not", sorted(want))
            for value in set(want) & set(got[word]):
                more = got[word][value][3] - want[value][3]
                if want[value][:3] != got[word][value][:3] or \
                        min(abs(more), abs(more - set_back)) > 2e-6 * max(1, want[value][3]):
                    fail(name, word, value, got[word][value], "not", want[value])


def check_differences(name, case):
    global checks
    sources = files(name, case["source"])
    for want in case["differences"][::(4 if ALL else 12) if name == BIG else 1] if sources else []:
        checks += 1
        where = name, want["difference"]
        got = difference_of_report("--difference=" + want["difference"], *sources)
        if [got[key] for key in ("slow", "others", "tests")] != \
                [want[key] for key in ("slow", "others", "tests")]:
            fail(where, got["slow"], got["others"], got["tests"])
        rows = want.get("rows") or []
        if len(got["rows"][:40]) != len(rows):
            fail(where, len(got["rows"]), "rows, not", len(rows))
        for ours, theirs in zip(got["rows"], rows):
            ours["same"] = [[same["attribute"], same["value"]] for same in ours["same"]]
            for key in theirs:
                equal = math.isclose(ours[key], theirs[key], rel_tol=1e-6) \
                    if key in ("p", "adjusted", "higher") else ours[key] == theirs[key]
                if not equal:
                    fail(where, theirs["attribute"], theirs["value"], key, ours[key], "not",
                         theirs[key])


def check_forms():
    """Text and CSV have the rows of JSON."""
    source = os.path.join(base, "over-time", "hour-1", "event")
    args = ["--difference=name = status and elapsed >= 39787us", source]
    rows = report(*args)["difference"]["rows"]
    table = list(csv.DictReader(io.StringIO(run("--format=csv", *args).stdout.decode())))
    if [(row["attribute"], row["value"] or "") for row in rows] != \
            [(row["attribute"], row["value"]) for row in table] or \
            [row["p"] for row in rows] != [float(row["p"]) for row in table]:
        fail("CSV differs from JSON")
    text = run(*args).stdout.decode().split("\nWhat is different\n")[1]
    if "31 runs, others 278" not in text or "  6 of 18 tests differ" not in text:
        fail("the text report:", text)
    lines = text.split("\n")[2:2 + len(rows)]
    for row, line in zip(rows, lines):
        if not line.startswith("  %s" % row["attribute"]) or (" yes " in line) != row["significant"]:
            fail("a line of the text report:", line, row)
    text = run("--difference=name = gc", source).stdout.decode()
    if "  needs 8 runs in each set" not in text:
        fail("too few runs:", text)
    text = run("--group-by=hook", source).stdout.decode()
    if not re.search(r"\nGroups by hook\n.*\n  \(none\) +579 .*\n    status/untracked +258 ", text):
        fail("groups as text:", text)


def split(source, at):
    """Write the events of the processes that begin before `at`, and the others, to two files."""
    texts = ["", ""]
    with open(source, encoding="utf-8") as lines:
        events = [json.loads(line) for line in lines]
    begins = {}
    for event in events:
        begins[event["sid"]] = min(begins.get(event["sid"], "9"), event.get("time", "9"))
    for event in events:
        texts[begins[event["sid"]] >= at] += json.dumps(event) + "\n"
    for name, text in zip(("before", "after"), texts):
        with open(os.path.join(base, name), "w", encoding="utf-8") as file:
            file.write(text)
    return os.path.join(base, "before"), os.path.join(base, "after")


def check_base():
    """With --difference-base, the runs of another trace are the others."""
    source = os.path.join(base, "over-time", "hour-1", "event")
    at = "2026-01-04T09:25:00.000000Z"
    before, after = split(source, at)
    args = ["--difference=name = status and start >= " + at]
    want = report(*args, source)["difference"]
    got = report(*args, "--difference-base", "--compare=" + before, after)["difference"]
    if want.pop("base") or not got.pop("base") or want != got or want["tests"] < 8:
        fail("the base:", want, got)
    own = report(*args, "--compare=" + before, after)["difference"]
    if own["base"] or own["others"]:
        fail("without --difference-base:", own)
    text = run(*args, "--difference-base", "--compare=" + before, after).stdout.decode()
    if " runs, base %d\n" % want["others"] not in text or \
            not re.search(r"\n  ATTRIBUTE +NEW +BASE +SIGNIFICANT\n", text):
        fail("the base as text:", text)
    runs = os.path.join(base, "runs")
    run("--save-runs=" + runs, before)
    for args, message in (
            (["--difference=name"], "--difference-base needs a base; add --compare=TRACE"),
            (["--compare=" + before], "--difference-base needs the runs to compare"),
            (["--difference=name", "--compare=" + runs], "the base has no attributes, because")):
        ran = run("--difference-base", *args, after)
        if ran.returncode != 2 or message not in ran.stderr.decode() or \
                ran.stderr.count(b"\n") != 1:
            fail(args, ran.returncode, ran.stderr)
    keys = os.path.join(base, "keys")
    with open(keys, "w", encoding="utf-8") as file:
        file.write("5 A b")
    shown = subprocess.run([top, "--no-config", "--keys=" + keys, "--compare=" + before, after],
                           capture_output=True, timeout=300).stdout.decode()
    if "new runs against the base" not in shown or "the base has no attributes" in shown:
        fail("the base on the screen:", shown)


def check_errors():
    for args, message in (
            (["--group-by=nosuch"], "--group-by: 'nosuch' does not group; use up to 4 of name, "),
            (["--group-by=name,"], "--group-by: '' does not group"),
            (["--group-by=data"], "--group-by: 'data' does not group"),
            (["--group-by=data x"], "--group-by: 'data x' does not group"),
            (["--group-by=name,user,hook,exe,host"], "--group-by: 'host' does not group"),
            (["--group-by=sid"], "--group-by: 'sid' does not group"),
            (["--difference=name ="], "--difference: column 7 of 'name =': expected a value")):
        ran = run(*args, os.devnull)
        if ran.returncode != 2 or message not in ran.stderr.decode() or \
                ran.stderr.count(b"\n") != 1:
            fail(args, ran.returncode, ran.stderr)


with open(os.path.join(base, "attributes.json"), encoding="utf-8") as file:
    cases = json.load(file)
for case in cases:
    check_groups(case, cases[case])
    check_differences(case, cases[case])
for trace in sorted(glob.glob(os.path.join(base, "go", "*.trace")))[::None if ALL else 3]:
    got = report("--group-by=name,format,state,errors", trace)
    add_up(os.path.basename(trace), got, True)
    checks += 1
check_forms()
check_base()
check_errors()
if checks < (150 if NO_GZ else 200) - (0 if ALL else 26):
    fail("only", checks, "checks")
sys.exit(failures > 0)
