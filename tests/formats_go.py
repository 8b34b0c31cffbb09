#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""formats_go.py DIR: compare the events of each Go trace TRACE.events in DIR (lines of read_events,
times in nanoseconds) with the figures of TRACE.expected.json. It shares no code with the reader:
lanes are summed from the events alone."""
import collections, gc, glob, json, sys

gc.disable()  # there are no cycles


def mismatches(path):
    """Lines that describe how the events differ from the figures of `path`."""
    expected = json.load(open(path))
    lines = json.loads("[" + ",".join(open(path.replace(".expected.json", ".events"))) + "]")
    counts, abouts = lines[-1], [e for e in lines[:-1] if e["event"] == "about"]
    events = [e for e in lines[:-1] if e["event"] != "about"]
    bad = []

    def want(name, is_, ought):
        if is_ != ought:
            bad.append(f"{name}: {str(is_)[:300]}, ought to be {str(ought)[:300]}")

    names = collections.Counter(e["event"] for e in events)
    first = events[0]["time"] if events else 0
    last = max((e["time"] for e in events), default=0)
    lanes, tasks, open_tasks, logs = {}, [], {}, []
    metrics = collections.defaultdict(list)
    timings = collections.defaultdict(lambda: dict(count=0, total=0, self=0, open=0, open_time=0))
    goes_back, time = 0, first

    def lane(name):
        if name not in lanes:
            lanes[name] = dict(running=0, runnable=0, syscall=0, waiting=collections.Counter(),
                               other=collections.defaultdict(lambda: [0, 0]), lives=0, ended=False, regions=0, stack=[])
        return lanes[name]

    def add(l, category, label, duration, self_):
        """Sum of a lane's regions, completed and open."""
        if category in ("goroutine", "region", "gc", "stw"):
            l["running"] += self_
        elif category == "runnable":
            l["runnable"] += duration
        elif category == "syscall":
            l["syscall"] += duration
        elif category == "waiting":
            l["waiting"][label] += duration
        if category not in ("goroutine", "runnable", "syscall", "waiting"):
            l["other"][f"{category}/{label}"][0] += 1
            l["other"][f"{category}/{label}"][1] += duration

    for e in events:
        l = lane(e["thread"])
        goes_back += e["time"] < time
        time = e["time"]
        at = e["time"] - first
        if e["event"] == "region_enter":
            want("nesting", e["nesting"], len(l["stack"]) + 1)
            l["stack"].append([e["category"], e["label"], at, 0])
            if e["category"] == "goroutine":
                l["lives"] += 1
                l["ended"] = False
        elif e["event"] == "region_leave":
            category, label, begin, inside = l["stack"].pop()
            duration = e["t_rel"]
            want("leave", (e["category"], e["label"], at - begin), (category, label, duration))
            add(l, category, label, duration, duration - inside)
            t = timings[f"{category}/{label}"]
            t["count"] += 1
            t["total"] += duration
            t["self"] += duration - inside
            l["regions"] += 1
            if l["stack"]:
                l["stack"][-1][3] += duration
        elif e["event"] == "thread_exit":
            l["ended"] = True
        elif e["event"] == "child_start":
            open_tasks[e["child_id"]] = task = dict(id=e["child_id"], argv=e["argv"], start=at, elapsed=None)
            tasks.append(task)
        elif e["event"] == "child_exit":
            open_tasks.pop(e["child_id"])["elapsed"] = e["t_rel"]
        elif e["event"] == "data" and e["category"] == "log":
            logs.append([e["key"], e["value"]])
        elif e["event"] == "data" and e["category"] == "go":
            metrics[e["key"]].append(int(e["value"]))
    nr_open = 0
    for l in lanes.values():
        inside = 0
        for category, label, begin, closed in reversed(l["stack"]):
            duration = last - first - begin
            add(l, category, label, duration, duration - closed - inside)
            inside = duration
            timings[f"{category}/{label}"]["open"] += 1
            timings[f"{category}/{label}"]["open_time"] += duration
            nr_open += 1

    # The ABOUT record of a process comes first, the one about the end of its trace last.
    if events:
        want("first and last", [lines[0]["event"], lines[-2]["event"]], ["about", "about"])
        clock = 0 if expected["header"] >= 25 else 1
        want("about", [(e["format"], e["about"]) for e in abouts], [("go", clock | 16), ("go", clock | 16 | 8)])
        mains = [name for name in expected["threads"] if name.split()[0] == "G1"]
        want("main", abouts[0].get("thread"), mains[0] if mains else None)
    else:
        want("about", abouts, [])
    if expected.get("ordered_events") is not None or events:
        want("events", {k: v for k, v in names.items()}, expected["events"])
        want("generations", [int(v) for v in metrics.get("generation", [])], [g[0] for g in expected["generations"]])
        want("time goes back", goes_back, 0)
        want("elapsed", last - first, expected["elapsed"])
        want("open regions", nr_open, expected["open_regions"])
        for name, l in lanes.items():
            l["waiting"] = {k: v for k, v in l["waiting"].items()}
            l["other"] = {k: v for k, v in l["other"].items()}
            del l["stack"]
        ought = expected["threads"]
        want("lanes", sorted(lanes), sorted(ought))
        for name in sorted(set(lanes) & set(ought)):
            for key in ought[name]:
                want(f"{name} {key}", lanes[name].get(key), ought[name][key])
        want("timing rows", sorted(timings), sorted(expected["timings"]))
        for name in sorted(set(timings) & set(expected["timings"])):
            want(f"timing {name}", timings[name], expected["timings"][name])
        want("tasks", sorted((t["id"], t["argv"], t["start"], t["elapsed"]) for t in tasks),
             sorted((t["id"], t["argv"], t["start"], t["elapsed"]) for t in expected["tasks"]))
        want("logs", logs, expected["logs"])
        want("metrics", {k: dict(count=len(v), first=v[0], last=v[-1]) for k, v in metrics.items()},
             {k: dict(count=v["count"], first=v["first"], last=v["last"]) for k, v in expected["metrics"].items()})
    else:
        want("no events", len(events), 0)
    cut = expected.get("cut_generation")
    dropped = expected.get("dropped_generations") or []
    want("lost generations", counts["lost_generations"], len(dropped) + (1 if cut else 0))
    return bad


failed = 0
paths = sorted(glob.glob(sys.argv[1] + "/**/*.expected.json", recursive=True))
for path in paths:
    bad = mismatches(path)
    failed += bool(bad)
    for line in bad[:12]:
        print(f"FAIL: {path}: {line}")
if len(paths) <= 60:
    print(f"FAIL: only {len(paths)} cases")
sys.exit(bool(failed) or len(paths) <= 60)
