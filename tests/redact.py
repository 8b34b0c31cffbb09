# SPDX-License-Identifier: MIT
"""Text that --redact=text lets through, for whole traces and with markers in every string.

    redact.py TRACE2TOP SRCDIR FOLDER MARKED

Every trace below FOLDER is exported as events, unchanged and redacted, and both are reported:
totals, timings, depths, states and all numbers must be equal. The redacted one must not contain
words of four bytes or more that are not part of a word of the vocabulary. Then each
string of the first MARKED events (0: of all, per file) is replaced by a marker, or gets one in
front, at the end or in the middle: no marker may appear. Prints cmocka's summary.
"""
import functools
import gc
import json
import os
import re
import subprocess
import sys
import tempfile

gc.disable()  # there are no cycles
# Parts of redacted strings besides words: pseudonyms, and times and pids in SIDs.
PSEUDONYM = re.compile(r"(?:w|p|url|text|sid)\d+|H\d{8}")
SID = re.compile(r"\d{8}T\d{6}\.\d{6}Z|-P[0-9A-Fa-f]{1,8}(?=/|\Z)|Localhost")
SPELLED = {"command": "cmd_name", "data-json": "data_json"}
NOT_TEXT = ("event", "time")
THREAD = re.compile(r"(?:main\Z)|(?:th\d{1,6}:)")

failures = []
checks = 0


def check(good, *why):
    global checks
    checks += 1
    if not good:
        failures.append(" ".join(str(w) for w in why))
        print("FAIL", failures[-1][:2000])


def run(top, *args, data=None):
    done = subprocess.run((top, "--no-config", *args), input=data, capture_output=True, check=False,
                          timeout=120)
    check(done.returncode in (0, 1), args, done.returncode, done.stderr[-300:])
    return done.stdout


def strings(value):
    """Every string in a value, including keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from strings(item)
    elif isinstance(value, dict):
        for key, item in value.items():
            yield key
            yield from strings(item)


class Vocabulary:
    def __init__(self, path):
        with open(path, encoding="utf-8") as f:
            self.words = [line for line in f.read().splitlines() if not line.startswith("#")]
        self.all = "\n".join(w.lower() for w in self.words)
        # An option that is disabled.
        self.all += "\n" + "\n".join("--no-" + w[2:] for w in self.words if w.startswith("--"))

    def has_part(self, word):
        return word in self.all


def wires(srcdir, file, macro):
    with open(os.path.join(srcdir, "engine", file), encoding="utf-8") as f:
        return set(re.findall(r'^%s(?:_ALIAS)?\(\w+, "([^"]+)"' % macro, f.read(), re.M))


def texts(event, keys):
    """Yield the redacted texts of an event, except those that are not user text."""
    for key, value in event.items():
        if key == "time":
            continue
        for text in ([] if key in keys or key == "event" else [key]) + list(strings(value)):
            if key == "sid":
                text = SID.sub(" ", text)
            elif key == "thread":
                text = THREAD.sub(" ", text)
            # A short option directly before its value.
            yield PSEUDONYM.sub(" ", re.sub(r"\A-[A-Za-z]", " ", text))


def words(event, keys):
    for text in texts(event, keys):
        for word in re.findall(r"[A-Za-z0-9_-]{4,}|[^\0-\x7f]+", text):
            if not word.isdigit():
                yield word.lower()


def compare(name, plain, redacted, top):
    """Totals, timings and the process tree of both."""
    args = ("--once", "--format=json", "-")
    ours, theirs = (json.loads(run(top, *args, data=d)) for d in (plain, redacted))
    check(ours["totals"] == theirs["totals"], name, "totals", ours["totals"], theirs["totals"])

    def timings(report):
        return sorted(json.dumps({k: v for k, v in t.items() if k not in ("category", "label")},
                                 sort_keys=True) for t in report["timings"])

    def processes(report):
        out = []
        for p in report["processes"]:
            out.append([p.get(k) for k in ("depth", "pid", "elapsed", "state", "code", "signo",
                                           "start", "end", "child_id")] +
                       [len(p.get(k) or []) for k in ("children", "threads", "execs", "errors",
                                                      "worktrees", "params", "counters")])
        return sorted(out, key=json.dumps)
    check(timings(ours) == timings(theirs), name, "timings")
    check(processes(ours) == processes(theirs), name, "processes")


def lines_of(data):
    return [json.loads(line) for line in data.decode("utf-8").splitlines()]


def one(top, vocabulary, keys, known_events, name, paths):
    plain = run(top, "--once", "--format=events", *paths)
    redacted = run(top, "--once", "--format=events", "--redact", "-", data=plain)
    if not plain:
        return None
    before, after = lines_of(plain), lines_of(redacted)
    check(len(before) == len(after), name, "lines", len(before), len(after))
    for was, now in zip(before, after):
        kind = SPELLED.get(was["event"], was["event"])
        if kind in known_events:
            check(kind == now["event"], name, was["event"], now["event"])
    compare(name, plain, redacted, top)
    stay = {word for event in after for word in words(event, keys)} - known_events
    check(not {w for w in stay if not vocabulary.has_part(w)}, name, "words missing in the vocabulary:",
          sorted(w for w in stay if not vocabulary.has_part(w))[:20])
    if has_zstd(top):
        record(top, name, plain, redacted)
    return before


@functools.lru_cache(maxsize=None)
def has_zstd(top):
    return b"zst: libzstd" in run(top, "--version")


def record(top, name, plain, redacted):
    """A recording has the same events, and no names in its headers."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "redacted.t2rec.zst")
        run(top, "--once", "-o", os.devnull, "--redact", "--record=" + path, "-", data=plain)
        with open(path, "rb") as f:
            head = f.read(1000)
        check(b'"redacted": true' in head, name, "head", head)
        check(b'"host": ""' in head, name, "host", head)
        check(run(top, "--once", "--format=events", path) == redacted, name, "recording")


MARKER = "Geheimnis"
WAYS = (
    lambda s: MARKER,
    lambda s: MARKER + s,
    lambda s: s + MARKER,
    lambda s: s[:len(s) // 2] + MARKER + s[len(s) // 2:],
    lambda s: s + "/" + MARKER,
    lambda s: MARKER + "/" + s,
    lambda s: s + "=" + MARKER,
    lambda s: s + "://u:" + MARKER + "@h/" + MARKER,
    lambda s: s + ":" + MARKER,
    lambda s: s + "." + MARKER + ".url",
    lambda s: s + " " + MARKER,
    lambda s: s + "\\" + MARKER,
    lambda s: "--" + s + "=" + MARKER,
    lambda s: "-c" + MARKER,
    lambda s: MARKER + "é\n\"\\" + MARKER,
)


def marked(value, way):
    if isinstance(value, str):
        return way(value)
    if isinstance(value, list):
        return [marked(v, way) for v in value]
    if isinstance(value, dict):
        return {way(k): marked(v, way) for k, v in value.items()}
    return value


def mutants(events):
    """Put a marker into each string of each event, and add unknown keys."""
    for number, event in enumerate(events):
        way = WAYS[number % len(WAYS)]
        out = {k: v if k in NOT_TEXT else marked(v, way) for k, v in event.items()}
        if number % 7 == 0:
            out["event"] = way(event["event"])
        if number % 5 == 0:
            out[MARKER] = MARKER
            out["x" + MARKER] = {MARKER: [MARKER, 1]}
        if number % 11 == 0:
            out["pid"] = MARKER       # of a wrong type
            out["label"] = [MARKER]
        yield out


def mark(top, name, events):
    data = "".join(json.dumps(e, ensure_ascii=number % 2 == 0) + "\n"
                   for number, e in enumerate(mutants(events))).encode()
    redacted = run(top, "--once", "--format=events", "--redact", "-", data=data)
    check(data.count(MARKER.encode()) >= len(events), name, "no markers")
    check(MARKER.lower().encode() not in redacted.lower(), name, "a marker is not redacted",
          [line for line in redacted.splitlines() if MARKER.encode() in line][:1])
    plain = run(top, "--once", "--format=events", "-", data=data)
    check(redacted.count(b"\n") == plain.count(b"\n"), name, "lines with markers")
    # Detected by its halves, too.
    check(b"heimni" not in redacted.lower(), name, "half of a marker")
    compare(name + " marked", plain, redacted, top)


def traces(folder, single):
    """Name and files: those of a case together, or each alone."""
    cases = {}
    for where, folders, names in os.walk(folder):
        folders.sort()
        for name in sorted(names):
            path = os.path.join(where, name)
            if not name.endswith((".json", ".txt", ".md", ".gz", ".xz", ".tar")):
                case = os.path.relpath(path, folder)
                cases.setdefault(case if single else case.split(os.sep)[0], []).append(path)
    return cases.items()


def main():
    top, srcdir, folder, most = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
    vocabulary = Vocabulary(os.path.join(srcdir, "monitor/redact/vocabulary.txt"))
    keys = wires(srcdir, "fields.def", "TR2_FIELD")
    known_events = wires(srcdir, "events.def", "TR2_EVENT")
    nr = 0
    for name, paths in traces(folder, most == 0):
        events = one(top, vocabulary, keys, known_events, name, paths)
        if events:
            nr += 1
            mark(top, name, events[:most] if most else events)
    check(nr > 10, "only", nr, "traces")
    print("[==========] %d test(s) run." % checks)
    print("[  PASSED  ] %d test(s)." % (checks - len(failures)))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
