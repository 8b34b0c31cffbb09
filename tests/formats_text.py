#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""formats_text.py perf|normal EXPECTED.json <events: compare the events of a text trace
(lines of read_events) with the EVENT trace of the same run. The required processes must exist and be
equal, and so must all totals. It shares no code with the reader and the model."""
import collections, json, re, sys

format_ = sys.argv[1]
# Invalid UTF-8 is printed as U+FFFD.
expected = json.loads(re.sub(r"\\u(?:dc[89a-f][0-9a-f])", r"\\ufffd", open(sys.argv[2]).read()))
lines = [json.loads(line) for line in sys.stdin]
counts, events = lines[-1], lines[:-1]
bad = []


def want(name, is_, ought):
    if is_ != ought:
        bad.append(f"{name}: {str(is_)[:400]}, ought to be {str(ought)[:400]}")


processes, names = {}, collections.Counter()
for e in events:
    if e["event"] in ("?", "about"):
        continue
    names[e["event"]] += 1
    p = processes.setdefault(e["sid"], dict(
        depth=e["sid"].count("/"), sid=e["sid"], argv=None, name=None, hierarchy=None, code=None, elapsed_us=None,
        errors=0, params=0, worktrees=0, exe=None, data=0, threads=set(), children=[],
        regions=collections.Counter(), regions_total_us=0))
    if "thread" in e:
        p["threads"].add(e["thread"])
    kind = e["event"]
    if kind == "version":
        p["exe"] = e["exe"]
    elif kind == "start":
        p["argv"] = e["argv"]
    elif kind == "cmd_name":
        p["name"], p["hierarchy"] = e["name"], e.get("hierarchy")
    elif kind in ("exit", "atexit", "signal"):
        p["code"] = e.get("code", p["code"])
        p["elapsed_us"] = e["t_abs"] // 1000
    elif kind in ("error", "def_param", "def_repo", "data"):
        key = dict(error="errors", def_param="params", def_repo="worktrees", data="data")[kind]
        p[key] += e.get("nesting", 1) <= expected["nesting_limit"]
    elif kind == "child_start":
        p["children"].append([e["child_id"], e.get("child_class")])
    elif kind == "region_leave" and e["nesting"] <= expected["nesting_limit"]:
        p["regions"][(e.get("category", ""), e.get("label", ""))] += 1
        p["regions_total_us"] += e["t_rel"] // 1000
for sid, p in processes.items():
    parent = processes.get(sid.rpartition("/")[0])
    p["parent_argv"] = parent["argv"] if parent else None
    p["threads"] = sorted(p["threads"])
    p["regions"] = sorted([c, l, n] for (c, l), n in p["regions"].items())

fields = ["argv", "name", "hierarchy", "code", "elapsed_us", "errors", "params", "worktrees", "exe"]
sums = ["errors", "params", "worktrees"]
if format_ == "perf":
    fields += ["data", "threads", "children", "regions", "regions_total_us", "parent_argv", "depth"]
    sums += ["data", "regions_total_us"]
else:
    for p in list(processes.values()) + expected["processes"]:
        p["children"] = [c[0] for c in p["children"]]
    fields += ["children"]


def of(p):
    return json.dumps({f: sorted(p[f]) if f == "threads" else p[f] for f in fields}, sort_keys=True)


have = collections.Counter(of(p) for p in processes.values())
nr_equal = 0
for ought in expected["processes"]:
    found = have[of(ought)] > 0
    have[of(ought)] -= found
    nr_equal += found
    if not found and ought["demanded" if format_ == "perf" else "normal_demanded"]:
        near = [p for p in processes.values() if p["argv"] == ought["argv"]]
        bad.append(f"no process {of(ought)[:1200]}")
        bad += ["   but " + str({f: p[f] for f in fields if p[f] != ought[f]})[:300] for p in near[:3]]

section = expected[format_]
want("processes", len(processes), section["processes"])
want("continued", counts["continued"], section["continued"])
if format_ == "perf":
    want("malformed", counts["malformed"], section["malformed"])
    want("lines", sum(names.values()), section["lines"])
for key in sums:
    want(f"all {key}", sum(p[key] for p in processes.values()), sum(p[key] for p in expected["processes"]))
want("all children", sum(len(p["children"]) for p in processes.values()),
     sum(len(p["children"]) for p in expected["processes"]))
if format_ == "perf":
    totals = [collections.Counter(), collections.Counter()]
    for total, those in zip(totals, (processes.values(), expected["processes"])):
        for p in those:
            for category, label, n in p["regions"]:
                total[category, label] += n
    want("all regions", totals[0], totals[1])
if nr_equal < section["equal"]:
    bad.append(f"equal: {nr_equal}, ought to be {section['equal']}")
for line in bad[:16]:
    print(line)
sys.exit(bool(bad))
