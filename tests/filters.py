# SPDX-License-Identifier: MIT
"""The filter's conformance table over one trace of six processes.

    filters.py TRACE2TOP TRACE DIRECTORY

Each row: an expression, the processes that match, and the matching events in the event log:
EVENTS_OF_THESE for all events of these processes, else the number of events by type. The expected
values were counted by hand. Each row is checked with --filter --once, the screen with --filter,
the screen's prompt and the log page's prompt.
"""
import json
import os
import re
import subprocess
import sys

FETCH, REV_LIST, STATUS, PUSH, REV_PARSE, GC = 14707, 14708, 14600, 14801, 14802, 14709
ALL = {FETCH, REV_LIST, STATUS, PUSH, REV_PARSE, GC}
EVENTS_OF_THESE = None

TABLE = [
    # texts
    ("name = fetch", {FETCH}, EVENTS_OF_THESE),
    ("name=fetch", {FETCH}, EVENTS_OF_THESE),
    ('name = "rev-list"', {REV_LIST}, EVENTS_OF_THESE),
    ("name != fetch", ALL - {FETCH}, EVENTS_OF_THESE),
    ("name ~ ^rev", {REV_LIST, REV_PARSE}, EVENTS_OF_THESE),
    ("name !~ ^rev", ALL - {REV_LIST, REV_PARSE}, EVENTS_OF_THESE),
    ('argv ~ "--auto"', {GC}, EVENTS_OF_THESE),
    ('argv = "git push origin main"', {PUSH}, EVENTS_OF_THESE),
    ("hierarchy = push/rev-parse", {REV_PARSE}, EVENTS_OF_THESE),
    ("hierarchy ~ /", {REV_LIST, REV_PARSE, GC}, EVENTS_OF_THESE),
    ("exe = nothing", set(), EVENTS_OF_THESE),
    ('worktree ~ "größe"', {FETCH}, EVENTS_OF_THESE),
    # numbers
    ("pid = 14600", {STATUS}, EVENTS_OF_THESE),
    ("pid >= 14707 and pid < 14709", {FETCH, REV_LIST}, EVENTS_OF_THESE),
    ("depth = 0", {FETCH, STATUS, PUSH}, EVENTS_OF_THESE),
    ("depth >= 1", {REV_LIST, REV_PARSE, GC}, EVENTS_OF_THESE),
    ("children > 1", {FETCH}, EVENTS_OF_THESE),
    ("threads >= 2", {GC}, EVENTS_OF_THESE),
    ("regions = 42", {STATUS}, EVENTS_OF_THESE),
    ("errors > 0", {PUSH}, EVENTS_OF_THESE),
    # durations and times
    ("elapsed > 100ms and not live", {REV_LIST}, EVENTS_OF_THESE),
    ("elapsed <= 0.006 and not live", {PUSH, REV_PARSE}, EVENTS_OF_THESE),
    ("start >= 2026-01-02T12:28:39Z", {PUSH, REV_PARSE, GC}, EVENTS_OF_THESE),
    ("start < 2026-01-02T12:28:36.5Z", {FETCH, REV_LIST}, EVENTS_OF_THESE),
    # states and flags
    ("state = failed", {PUSH}, EVENTS_OF_THESE),
    ("state = exited", {REV_LIST, STATUS, PUSH, REV_PARSE}, EVENTS_OF_THESE),
    ("state != exited", {FETCH, GC}, EVENTS_OF_THESE),
    ("live", {FETCH, GC}, EVENTS_OF_THESE),
    ("error", {PUSH}, EVENTS_OF_THESE),
    ("failed", {PUSH}, EVENTS_OF_THESE),
    # and, or, not, parentheses
    ("name = fetch or name = gc", {FETCH, GC}, EVENTS_OF_THESE),
    ("not (depth = 0 or live)", {REV_LIST, REV_PARSE}, EVENTS_OF_THESE),
    ("depth = 0 not live", {STATUS, PUSH}, EVENTS_OF_THESE),
    ("not not failed", {PUSH}, EVENTS_OF_THESE),
    ("name = gc or name = push and failed", {GC, PUSH}, EVENTS_OF_THESE),
    ("(name = gc or name = push) and failed", {PUSH}, EVENTS_OF_THESE),
    ("", ALL, EVENTS_OF_THESE),
    # in the log, an event's own fields take precedence
    ("category = pack", {REV_LIST}, (18, {REV_LIST})),
    ("category = dir or category = pack", {REV_LIST, STATUS}, (98, {REV_LIST, STATUS})),
    ("label = untracked", {STATUS}, (2, {STATUS})),
    ("key = nosuch", set(), (0, set())),
    ("thread ~ preload", {GC}, (2, {GC})),
    ('message ~ "failed to push"', {PUSH}, (1, {PUSH})),
    ("code = 128", {PUSH}, (2, {PUSH})),
    ("code = 0", {REV_LIST, STATUS, REV_PARSE}, (8, {FETCH, REV_LIST, STATUS, REV_PARSE})),
    # words: the command line of a process, the row of an event
    ("--short", {STATUS}, (1, {STATUS})),
    ("ORIGIN", set(), (0, set())),
    ('"push origin"', {PUSH}, (2, {PUSH})),
]

LOG = [
    ("event = error", (1, {PUSH})),
    ("event = region_leave and t_rel >= 50ms", (10, {REV_LIST, STATUS})),
    ("event ~ ^child_", (7, {FETCH, PUSH})),
    ("nesting = 2", None),
    ("t_abs > 4s", None),
    ("value ~ .", None),
    ("time >= 2026-01-02T12:28:41Z", None),
]


def predicate(text, event):
    """Rows of LOG without a count: what they mean, in Python."""
    if text == "nesting = 2":
        return event.get("nesting") == 2
    if text == "t_abs > 4s":
        return event.get("t_abs", 0) > 4
    if text == "value ~ .":
        return "value" in event or event["event"] in ("counter", "th_counter")
    return event["time"] >= "2026-01-02T12:28:41"


def run(*argv):
    done = subprocess.run(argv, stdout=subprocess.PIPE, check=True,
                          env={**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8"})
    return done.stdout.decode()


def once(program, trace, text):
    argv = [program, "--once", "--format=json", trace]
    if text:
        argv.insert(1, "--filter=" + text)
    return {p["pid"] for p in json.loads(run(*argv))["processes"]}


def screen(program, trace, directory, keys, *options):
    path = os.path.join(directory, "keys")
    with open(path, "w", encoding="utf-8") as file:
        file.write(keys)
    return run(program, "--keys=" + path, "--dump=-", "--size=200x200", "--clock=EVENTS", *options,
               trace)


def pane_pids(text):
    """Names in the lines of the process pane."""
    return {int(m) for m in re.findall(r"^│[ ▸].*?\b(\d{5}) (?:● run|stale|exit|lost|SIG|exec)", text, re.M)}


def log_pids(text):
    """Count the lines of the log, one per event."""
    return [int(m) for m in re.findall(r"^│[ ▸]\d\d:\d\d:\d\d\.\d{3} .*?(?<=\s)(\d{5}) ", text, re.M)]


def main():
    program, trace, directory = sys.argv[1:]
    with open(trace, encoding="utf-8") as file:
        events = [json.loads(line) for line in file if line.strip()]
    pid_of = [int(e["sid"].rsplit("-P", 1)[1], 16) for e in events]
    wrong = []

    def expect(text, where, got, wanted):
        if got != wanted:
            wrong.append("%s: %s: %s, not %s" % (text, where, got, wanted))

    def expect_log(text, dump, wanted):
        pids = log_pids(dump)
        hidden = re.search(r"\+(\d+) hidden", dump)
        expect(text, "log", (len(pids), set(pids)), wanted)
        expect(text, "hidden in the log", int(hidden.group(1)) if hidden else 0,
               len(events) - wanted[0])

    def screens(keys, texts):
        """The screens with each filter, typed at the prompt one after the other."""
        for number, text in enumerate(texts):
            keys += " \\ C-u\ntext %s\nEnter\ndump %d\n" % (text, number)
        shown = screen(program, trace, directory, keys).split("== ")[1:]
        if len(shown) != len(texts):
            wrong.append("%d screens, not %d" % (len(shown), len(texts)))
        return iter(shown)

    texts = [row[0] for row in TABLE]
    panes = screens("z", texts)
    logs = screens("e a a", texts + [row[0] for row in LOG])
    for text, chosen, log in TABLE:
        expect(text, "--once", once(program, trace, text), chosen)
        option = ["--filter=" + text] if text else []
        expect(text, "screen by --filter",
               pane_pids(screen(program, trace, directory, "z\ndump\n", *option)), chosen)
        expect(text, "screen by the prompt", pane_pids(next(panes)), chosen)
        if log is EVENTS_OF_THESE:
            log = (sum(pid in chosen for pid in pid_of), chosen)
        expect_log(text, next(logs), log)
    for text, log in LOG:
        if log is None:
            pids = [pid for pid, event in zip(pid_of, events) if predicate(text, event)]
            if not 0 < len(pids) < len(events):
                wrong.append("%s: chooses nothing or all, which shows nothing" % text)
            log = (len(pids), set(pids))
        expect_log(text, next(logs), log)
    print("\n".join(wrong) or "%d expressions agree" % (len(TABLE) + len(LOG)))
    return bool(wrong)


sys.exit(main())
