# SPDX-License-Identifier: MIT
"""Tally Trace2 event streams, as a second opinion on trace2top's JSON report.

Written only from the report's contract and unlike the model: everything is kept in lists, a
process is computed from the list of all its records, and links are found by trying all.
Slow and simple on purpose.

    python3 tally.py [-n N] [-d N] SOURCE...     prints the report
"""
import datetime
import functools
import gzip
import json
import math
import os
import re
import sys

KNOWN = set("""version too_many_files start exit atexit signal error cmd_path cmd_ancestry cmd_name
cmd_mode alias child_start child_exit child_ready exec exec_result thread_start thread_exit def_param
def_repo region_enter region_leave data data_json printf timer th_timer counter th_counter""".split())
SPELLED = {"command": "cmd_name", "data-json": "data_json"}
MAX_RECORD = 16 << 20
INT64 = 1 << 63
WALL = re.compile(r"(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?"
                  r"(?:Z|\+00:00Z|([+-])(\d\d):(\d\d))\Z", re.ASCII)


class Number(str):
    """A JSON number as it was written."""


def number(text):
    raise ValueError(text)


def mend(value):
    """Lone surrogates become U+FFFD, everywhere."""
    if isinstance(value, Number):
        return value
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    if isinstance(value, list):
        return [mend(v) for v in value]
    if isinstance(value, dict):
        return {mend(k): mend(v) for k, v in value.items()}
    return value


def too_deep(text):
    if text.count("[") + text.count("{") <= 512:
        return False
    depth = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[\[\]{}]', text, re.S):
        if token[0] in ("[", "{"):
            depth += 1
            if depth > 512:
                return True
        elif token[0] in ("]", "}"):
            depth -= 1
    return False


@functools.lru_cache(maxsize=None)
def parse(line):
    """The record's object, or None if it is malformed. Callers do not change it: a trace is tallied
    several times, with other limits."""
    text = line.decode("utf-8", "replace")
    if too_deep(text):
        return None
    try:
        record = json.loads(text, parse_int=Number, parse_float=Number, parse_constant=number)
    except ValueError:
        return None
    if not isinstance(record, dict):
        return None
    if "\\u" in text:
        record = mend(record)
    for key in ("event", "sid"):
        if not isinstance(record.get(key), str) or isinstance(record[key], Number):
            return None
    return record


def text(record, key):
    value = record.get(key)
    return value if isinstance(value, str) and not isinstance(value, Number) else None


def integer(record, *keys):
    for key in keys:
        value = record.get(key)
        if not isinstance(value, Number):
            continue
        if re.fullmatch(r"-?\d+", value):
            whole = int(value) if len(value) < 30 else INT64
        else:
            real = float(value)
            if not math.isfinite(real) or real != int(real):
                continue
            whole = int(real)
        if -INT64 <= whole < INT64:
            return whole
    return None


def seconds(record, *keys):
    for key in keys:
        value = record.get(key)
        if isinstance(value, Number) and math.isfinite(float(value)):
            return float(value) / (1e6 if key.endswith("_us") else 1)
    return None


def texts(record, key):
    value = record.get(key)
    if not isinstance(value, list):
        return None
    if not all(isinstance(v, str) and not isinstance(v, Number) for v in value):
        return None
    return value


def plain(value):
    """A JSON value with its numbers as numbers again."""
    if isinstance(value, Number):
        return float(value) if re.search("[.eE]", value) else int(value)
    if isinstance(value, list):
        return [plain(v) for v in value]
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    return value


def wall(record):
    """Nanoseconds since the epoch, or None."""
    match = WALL.match(text(record, "time") or "")
    if not match:
        return None
    year, month, day, hour, minute, second = (int(match[i]) for i in range(1, 7))
    if hour > 23 or minute > 59 or second > 60:
        return None
    try:
        days = datetime.date(year, month, day).toordinal() - 719163
    except ValueError:
        return None
    ns = (((days * 24 + hour) * 60 + minute) * 60 + second) * 10**9
    ns += int(((match[7] or "") + "0" * 9)[:9])
    if match[8]:
        offset = (int(match[9]) * 60 + int(match[10])) * 60 * 10**9
        ns += -offset if match[8] == "+" else offset
    return ns if -INT64 <= ns < INT64 else None


def stamp(ns):
    if ns is None:
        return None
    whole, part = divmod(ns, 10**9)
    day = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=whole)
    return "%04d-%02d-%02dT%02d:%02d:%02d.%06dZ" % (
        day.year, day.month, day.day, day.hour, day.minute, day.second, part // 1000)


def records_of(data, source):
    """Feed one stream's bytes; returns its good records, counts the others."""
    good = []
    data = data[3:] if data.startswith(b"\xef\xbb\xbf") else data
    lines = data.split(b"\n")
    rest = lines.pop()
    for line in lines:
        if not line.strip(b" \t\r"):
            continue
        source["records"] += 1
        if len(line) > MAX_RECORD:
            source["oversized"] += 1
            continue
        record = parse(line)
        if record is None:
            source["malformed"] += 1
            continue
        source["events"] += 1
        if record["event"] not in KNOWN and record["event"] not in SPELLED:
            source["unknown"] += 1
        good.append(record)
    if rest.strip(b" \t\r"):
        source["records"] += 1
        source["oversized" if len(rest) > MAX_RECORD else "malformed"] += 1
    return good


def read_source(spec, stdin=b""):
    source = dict(spec=spec, bytes=0, records=0, events=0, malformed=0, unknown=0, oversized=0,
                  foreign=0)
    good = []
    if spec == "-":
        streams = [stdin]
    elif os.path.isdir(spec):
        streams = []
        raw = os.fsencode(spec)
        for name in sorted(os.listdir(raw)):
            path = os.path.join(raw, name)
            if os.path.isfile(path):
                with open(path, "rb") as file:
                    streams.append(file.read())
    else:
        with open(spec, "rb") as file:
            streams = [file.read()]
    for data in streams:
        if data.startswith(b"\x1f\x8b\x08"):
            data = gzip.decompress(data)
        source["bytes"] += len(data)
        first = data[3:4] if data.startswith(b"\xef\xbb\xbf") else data[:1]
        if os.path.isdir(spec) and data and first != b"{":
            source["foreign"] += 1
            continue
        good += records_of(data, source)
    return source, good


def sid_parts(sid):
    last = sid.rsplit("/", 1)[-1]
    pid = re.search(r"-P([0-9a-fA-F]{1,15})\Z", last, re.ASCII)
    host = re.search(r"(?:\A|-)(H[0-9a-fA-F]{8}|Localhost)(?:-|\Z)", last, re.ASCII)
    return dict(sid=sid, parent=sid.rsplit("/", 1)[0] if "/" in sid else None,
                depth=sid.count("/"), pid=int(pid[1], 16) if pid else None,
                host=host[1] if host else None)


def kind_of(record):
    return SPELLED.get(record["event"], record["event"])


def hidden(record, nesting):
    """True if a writer limited to `nesting` would not have written it."""
    if nesting is None or kind_of(record) not in ("region_enter", "region_leave", "data",
                                                  "data_json"):
        return False
    return (integer(record, "nesting", "nesting_level") or 0) > nesting


def fold_thread(name, records):
    """The thread's row and its closed regions as (category, label, duration, self)."""
    row = dict(name=name, state="running", elapsed=None, regions=0, max_nesting=0, open=[])
    stack, closed = [], []
    for record in records:
        kind = kind_of(record)
        level = integer(record, "nesting", "nesting_level") or 0
        if kind == "thread_exit":
            row.update(state="exited", elapsed=seconds(record, "t_rel"))
        if kind not in ("region_enter", "region_leave"):
            continue
        row["max_nesting"] = max(row["max_nesting"], level)
        if kind == "region_enter":
            stack.append([record, 0.0])
            continue
        enter, inside = stack.pop() if stack else (None, 0.0)
        took = seconds(record, "t_rel", "RelativeTime", "relative_time_us")
        if took is None and enter and wall(record) is not None and wall(enter) is not None:
            took = (wall(record) - wall(enter)) / 1e9
        took = max(took or 0.0, 0.0)
        closed.append((text(record, "category"), text(record, "label"), took,
                       max(took - inside, 0.0)))
        if stack:
            stack[-1][1] += took
        row["regions"] += 1
    row["open"] = [frame[0] for frame in stack]
    return row, closed


def fold_children(records):
    children = {}
    for record in records:
        kind = kind_of(record)
        if not kind.startswith("child_"):
            continue
        key = integer(record, "child_id")
        child = children.setdefault(key, {
            "child_id": key, "class": None, "hook": None, "argv": None, "cd": None,
            "use_shell": None, "pid": None, "code": None, "elapsed": None, "ready": None,
            "state": "running", "sid": None, "processes": 0, "from": None, "to": None})
        pid = integer(record, "pid")
        if pid is not None:
            child["pid"] = pid
        if kind == "child_start":
            shell = record.get("use_shell")
            child.update({"class": text(record, "child_class"), "hook": text(record, "hook_name"),
                          "argv": texts(record, "argv"), "cd": text(record, "cd"),
                          "use_shell": shell if isinstance(shell, bool) else None,
                          "from": wall(record)})
        elif kind == "child_ready":
            child["ready"] = dict(state=text(record, "ready"), elapsed=seconds(record, "t_rel"))
            if child["state"] == "running":
                child["state"] = "ready"
        else:
            child.update(state="exited", code=integer(record, "code"),
                         elapsed=seconds(record, "t_rel"), to=wall(record))
    return list(children.values())


def fold_state(process, records):
    ends = [r for r in records if kind_of(r) in ("exit", "atexit", "signal")]
    times = [t for t in map(wall, records) if t is not None]
    process["_first"] = times[0] if times else None
    process["_last"] = times[-1] if times else None
    process.update(code=None, signo=None)
    if ends:
        last = ends[-1]
        process["elapsed"] = seconds(last, "t_abs")
        process["state"] = "signaled" if kind_of(last) == "signal" else "exited"
        process["code"] = integer(last, "code")
        process["signo"] = integer(last, "signo")
    else:
        process["elapsed"] = (times[-1] - times[0]) / 1e9 if times else None
        process["state"] = "replaced" if records and kind_of(records[-1]) == "exec" else "running"


def fold_process(sid, records):
    process = sid_parts(sid)
    for key in "name hierarchy argv path exe evt ancestry".split():
        process[key] = None
    for key in ("modes aliases worktrees errors params data timers counters threads children "
                "execs").split():
        process[key] = []
    fold_state(process, records)
    for record in records:
        take(process, kind_of(record), record)
    process["children"] = fold_children(records)
    process["_closed"] = []
    by_thread = {}
    for record in records:
        by_thread.setdefault(text(record, "thread"), []).append(record)
    for name, own in by_thread.items():
        row, closed = fold_thread(name, own)
        process["threads"].append(row)
        process["_closed"] += closed
    return process


def keep(process, record, key, kind=text, name=None):
    value = kind(record, name or key)
    if value is not None:
        process[key] = value


def take(process, kind, record):
    level = integer(record, "nesting", "nesting_level")
    if kind == "version":
        keep(process, record, "evt")
        keep(process, record, "exe")
    elif kind == "start":
        keep(process, record, "argv", texts)
    elif kind == "cmd_path":
        keep(process, record, "path")
    elif kind == "cmd_ancestry":
        keep(process, record, "ancestry", texts)
    elif kind == "cmd_name":
        name = text(record, "name")
        words = texts(record, "subcommands") if record["event"] == "command" else None
        if name is not None:
            process["name"] = "-".join([name] + (words or []))
        keep(process, record, "hierarchy")
    elif kind == "cmd_mode":
        process["modes"].append(text(record, "name"))
    elif kind == "alias":
        process["aliases"].append(dict(alias=text(record, "alias"), argv=texts(record, "argv")))
    elif kind == "def_repo":
        process["worktrees"].append(dict(repo=integer(record, "repo"),
                                         worktree=text(record, "worktree")))
    elif kind == "error":
        process["errors"].append(dict(msg=text(record, "msg"), fmt=text(record, "fmt")))
    elif kind == "def_param":
        process["params"].append({k: text(record, k) for k in ("param", "value", "scope")})
    elif kind in ("data", "data_json"):
        value = text(record, "value") if kind == "data" else plain(record.get("value"))
        process["data"].append(dict(
            thread=text(record, "thread"), category=text(record, "category"),
            key=text(record, "key"), value=value, nesting=level, t_abs=seconds(record, "t_abs"),
            t_rel=seconds(record, "t_rel", "RelativeTime", "relative_time_us")))
    elif kind in ("timer", "th_timer"):
        process["timers"].append(dict(
            category=text(record, "category"), name=text(record, "name"),
            thread=text(record, "thread") if kind == "th_timer" else None,
            intervals=integer(record, "intervals"), total=seconds(record, "t_total"),
            min=seconds(record, "t_min"), max=seconds(record, "t_max")))
    elif kind in ("counter", "th_counter"):
        process["counters"].append(dict(
            category=text(record, "category"), name=text(record, "name"),
            thread=text(record, "thread") if kind == "th_counter" else None,
            count=integer(record, "count")))
    elif kind == "exec":
        process["execs"].append(dict(exec_id=integer(record, "exec_id"), exe=text(record, "exe"),
                                     argv=texts(record, "argv"), code=None))
    elif kind == "exec_result":
        for row in reversed(process["execs"]):
            if row["exec_id"] == integer(record, "exec_id"):
                row["code"] = integer(record, "code")
                break


def link(processes):
    """Try every child of the parent for every process."""
    by_sid = {p["sid"]: p for p in processes}
    for process in processes:
        process["child_id"] = None
        parent = by_sid.get(process["parent"])
        if not parent:
            continue
        same = [c for c in parent["children"] if c["pid"] is not None and c["pid"] == process["pid"]]
        begin = process["_first"]
        around = [c for c in parent["children"] if begin is not None and c["from"] is not None
                  and c["from"] <= begin and (c["to"] is None or begin <= c["to"])]
        if same:
            both = [c for c in same if c in around]
            child = (both or same)[-1]
            child["sid"] = process["sid"]
            if child["state"] == "exited" and process["state"] == "running":
                process["state"] = "lost"
        elif len(around) == 1:
            child = around[0]
        else:
            continue
        process["child_id"] = child["child_id"]
        child["processes"] += 1


def timing(key, rows):
    took = sorted(r[0] for r in rows)

    def rank(percent):
        return took[max(math.ceil(percent * len(took) / 100), 1) - 1]
    return dict(category=key[0], label=key[1], count=len(took), total=math.fsum(took),
                self=math.fsum(r[1] for r in rows), min=took[0], mean=math.fsum(took) / len(took),
                max=took[-1], p50=rank(50), p90=rank(90), p99=rank(99),
                failed=sum(r[2] for r in rows))


def command(name, group):
    ended = [p for p in group if p["state"] != "running"]
    took = sorted(max(p["elapsed"], 0.0) for p in ended if p["elapsed"] is not None)

    def rank(percent):
        return took[max(math.ceil(percent * len(took) / 100), 1) - 1] if took else None
    return dict(name=name, count=len(ended), running=len(group) - len(ended),
                failed=sum(p["state"] == "exited" and p["code"] not in (0, None) for p in ended),
                total=math.fsum(took), min=took[0] if took else None,
                mean=math.fsum(took) / len(took) if took else None,
                max=took[-1] if took else None, p50=rank(50), p90=rank(90), p99=rank(99),
                last=stamp(max((p["_last"] for p in ended if p["_last"] is not None),
                               default=None)))


def null_first(value):
    return (value is not None, value or "")


def tally(specs, nesting=None, depth=None, stdin=b""):
    sources, by_sid, events = [], {}, {}
    for spec in specs:
        try:
            source, good = read_source(spec, stdin)
        except FileNotFoundError:
            continue
        sources.append(source)
        for record in good:
            events[record["event"]] = events.get(record["event"], 0) + 1
            own = by_sid.setdefault(record["sid"], [])
            if not hidden(record, nesting):
                own.append(record)
    processes = [fold_process(sid, records) for sid, records in by_sid.items()]
    link(processes)
    totals = dict.fromkeys("""events malformed oversized processes running exited failed signaled
        replaced lost threads regions open_regions children errors""".split(), 0)
    for key in ("events", "malformed", "oversized"):
        totals[key] = sum(s[key] for s in sources)
    timings = {}
    for process in processes:
        finish(process, totals)
        if depth is None or process["depth"] <= depth:
            failed = process["state"] == "exited" and process["code"] not in (0, None)
            for category, label, took, own in process["_closed"]:
                timings.setdefault((category, label), []).append((took, own, failed))
    rows = [timing(key, rows) for key, rows in timings.items()]
    rows.sort(key=lambda r: (-r["total"], null_first(r["category"]), null_first(r["label"])))
    shown = [p for p in processes if depth is None or p["depth"] <= depth]
    groups = {}
    for process in shown:
        groups.setdefault(process["name"], []).append(process)
    commands = [command(name, group) for name, group in groups.items()]
    commands.sort(key=lambda r: (-r["total"], null_first(r["name"])))
    shown.sort(key=lambda p: (p["_first"] is None, p["_first"] or 0, p["sid"].encode()))
    for process in shown:
        for key in [k for k in process if k.startswith("_")]:
            del process[key]
        for child in process["children"]:
            child.pop("from")
            child.pop("to")
    return dict(schema="trace2top-report/1", nesting=nesting, depth=depth, filter=None,
                sources=sources, totals=totals, events=events, processes=shown, timings=rows,
                commands=commands)


def finish(process, totals):
    running = process["state"] == "running"
    process["start"] = stamp(process["_first"])
    process["end"] = None if running else stamp(process["_last"])
    totals["processes"] += 1
    totals[process["state"]] += 1
    totals["failed"] += process["state"] == "exited" and process["code"] not in (0, None)
    totals["threads"] += len(process["threads"])
    totals["children"] += len(process["children"])
    totals["errors"] += len(process["errors"])
    for child in process["children"]:
        if not running and child["state"] == "running":
            child["state"] = "lost"
    for thread in process["threads"]:
        totals["regions"] += thread["regions"]
        totals["open_regions"] += len(thread["open"]) if running else 0
        if not running:
            thread["state"] = "exited"
        thread["open"] = [dict(
            category=text(r, "category"), label=text(r, "label"), msg=text(r, "msg"),
            nesting=integer(r, "nesting", "nesting_level"),
            elapsed=None if wall(r) is None else max(process["_last"] - wall(r), 0) / 1e9)
            for r in thread["open"]]


def main(argv):
    limits = {"-n": None, "-d": None}
    while argv and argv[0] in limits:
        limits[argv[0]] = int(argv[1])
        argv = argv[2:]
    stdin = sys.stdin.buffer.read() if "-" in argv else b""
    json.dump(tally(argv, limits["-n"], limits["-d"], stdin), sys.stdout, indent=1)


if __name__ == "__main__":
    main(sys.argv[1:])
