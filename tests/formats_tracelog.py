#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""formats_tracelog.py TRUTH.json <events: compare the events of a TraceLog (lines of read_events, times
in nanoseconds) with the activity of the simulated program."""
import collections, json, sys

truth = json.load(open(sys.argv[1]))
lines = [json.loads(line) for line in sys.stdin]
counts, abouts = lines[-1], [e for e in lines[:-1] if e["event"] == "about"]
events = [e for e in lines[:-1] if e["event"] != "about"]
figures = truth.get("figures", truth)
bad = []


def want(name, is_, ought):
    if is_ != ought:
        bad.append(f"{name}: {str(is_)[:300]}, ought to be {str(ought)[:300]}")


want("first and last", [lines[0]["event"], lines[-2]["event"]], ["about", "about"])
want("about", [(e["format"], e["about"] & 8) for e in abouts], [("tracelog", 0), ("tracelog", 8)])
stacks, self_, pushes = collections.defaultdict(list), collections.Counter(), collections.Counter()
gc, jit, paused, cpu, alloc, data = [], [], 0, {}, {}, {}
deepest = 0
for e in events:
    lane = e.get("thread")
    if e["event"] == "region_enter":
        stacks[lane].append([e["category"], e["label"], 0])
        want("nesting", e["nesting"], len(stacks[lane]))
        if e["category"] not in ("jit", "cached", "gc", "profiler"):
            pushes[e["category"], e["label"]] += 1
            deepest = max(deepest, len(stacks[lane]))
    elif e["event"] == "region_leave":
        category, label, inside = stacks[lane].pop()
        want("leave", (e["category"], e["label"]), (category, label))
        if stacks[lane]:
            stacks[lane][-1][2] += e["t_rel"]
        if category == "gc":
            gc.append((label, e["t_rel"]))
        elif category in ("jit", "cached"):
            jit.append((category, e["t_rel"]))
        elif category == "profiler":
            paused += e["t_rel"]
        else:
            self_[category, label] += e["t_rel"] - inside
    elif e["event"] in ("counter", "th_counter"):
        if e["category"] == "cpu":
            cpu[lane if e["event"] == "th_counter" else None] = e["count"]
        else:
            alloc[lane, e["name"]] = e["count"]
    elif e["event"] == "data" and e["category"] == "tracelog":
        data[e["key"]] = int(e["value"])

unit = "excl_samples" if figures["unit"] == "samples" else "excl_ms"
scale = 10_000_000 if unit == "excl_samples" else 1_000_000


def key_of(f):
    cls = f["cls"] if f["cls"] is not None else "?" if f["name"] is None else "?"
    name = f["name"] if f["name"] is not None else f"function {f['iid']}"
    if f["name"] is not None and name.startswith(f"{cls}.") and len(name) > len(cls) + 1:
        name = name[len(cls) + 1:]
    return cls, name


ought, ought_pushes = collections.Counter(), collections.Counter()
for f in figures["functions"]:
    ought[key_of(f)] += f[unit] * scale
    ought_pushes[key_of(f)] += f["pushes"]
unknown = figures["unknown_function"]
if unknown[unit]:
    ought["?", "function ?"] += unknown[unit] * scale
closed = {k: v for k, v in self_.items() if v}
for k in sorted(set(ought) | set(closed), key=str):
    want(f"self of {k}", closed.get(k, 0), ought.get(k, 0))
want("open", sum(map(len, stacks.values())), 0)
for k in ought_pushes:
        want(f"pushes of {k}", pushes[k], ought_pushes[k])
want("deepest", deepest, min(1024, figures["max_depth"]))
want("gc", (len(gc), sum(d for _, d in gc)), (figures["gc"]["count"], figures["gc"]["total_ms"] * 1_000_000))
for i in range(4):
    want(f"gc of generation {i}", sum(str(i) in l.split()[1] for l, _ in gc if len(l.split()) > 1), figures["gc"]["generations"][i])
want("jit", sum(c == "jit" for c, _ in jit), sum(t["jit_count"] or 0 for t in figures["threads"]))
want("jit ms", sum(d for c, d in jit if c == "jit"), sum(t["jit_ms"] or 0 for t in figures["threads"]) * 1_000_000)
want("cached", sum(c == "cached" for c, _ in jit), sum(t["cached_count"] or 0 for t in figures["threads"]))
want("pauses", paused, figures["pauses"]["total_ms"] * 1_000_000)
want("cpu", cpu.get(None, 0), figures["process_cpu_us"])
want("threads' cpu", sum(v for k, v in cpu.items() if k is not None), figures["thread_cpu_us"])
want("allocated", sum(alloc.values()), figures["allocated"]["bytes"])
for key in ("malformed", "unknown", "desync", "orphans"):
    if key in truth and key not in ("desync", "orphans"):
        want(key, counts[key], truth[key])
    elif key in truth:
        want(key, data.get(key, 0), truth[key])
for line in bad[:12]:
    print(line)
sys.exit(bool(bad))
