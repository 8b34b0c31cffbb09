#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rings from writer to reader: the same script with lines and with rings, programs that die, losses
at any speed, and the files left in PATH.rings."""
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

TOP, HOST, REPLAY, API = sys.argv[1:5]
KILLS = int(os.environ.get("RING_KILLS", "12"))
DEADLINE = 120
DIR = tempfile.mkdtemp(prefix="ring.")
failed = checked = 0


def check(ok, what, *more):
    global failed, checked
    checked += 1
    if not ok:
        failed += 1
        print("FAIL", what, *[str(m)[:2000] for m in more])


def fresh(name):
    path = os.path.join(DIR, name)
    shutil.rmtree(path, ignore_errors=True)
    os.mkdir(path)
    return path


def environment(**more):
    env = {"PATH": os.environ["PATH"], "HOME": DIR, "TZ": "UTC", "LANG": "C", "TMPDIR": DIR,
           "GIT_CONFIG_NOSYSTEM": "1", "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "")
           + ":handle_segv=0", "TSAN_OPTIONS": os.environ.get("TSAN_OPTIONS", "")}
    env.update(more)
    return env


def top(*args, **how):
    return subprocess.run((TOP, "--once") + args, env=environment(**how), stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, cwd=DIR, timeout=DEADLINE)


def report(*args):
    run = top("--format=json", *args)
    try:
        return json.loads(run.stdout)
    except ValueError:
        return {"error": run.stderr, "sources": [], "processes": []}


def wait(what, ready):
    until = time.monotonic() + DEADLINE
    while not ready():
        if time.monotonic() > until:
            check(False, what, "did not arrive")
            return False
        time.sleep(0.01)
    return True


# ---- the same script ----

def without(rep):
    rep = json.loads(json.dumps(rep))
    for key in ("sources", "written", "origin", "report"):
        rep.pop(key, None)
    return rep


RULES = (
    (rb'"sid":"[^"]*"', b'"sid":"SID"'),
    (rb'"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"', b'"time":"TIME"'),
    (rb'"(t_abs|t_rel|t_total|t_min|t_max)":\d+\.\d{6}([,}])', rb'"\1":T\2'),
    (rb'"ancestry":\[[^]]*\]', b'"ancestry":NAMES'),
)


def normal(line):
    # The exporter writes invalid UTF-8 and DEL so that every reader accepts it.
    line = line.decode("utf-8", "replace").replace("\x7f", "\\u007f").encode()
    for pattern, by in RULES:
        line = re.sub(pattern, by, line)
    return line


def play(script, target, **more):
    subprocess.run([REPLAY, script], cwd=API, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                   env=environment(GIT_TRACE2_EVENT=target, GIT_TRACE2_CONFIG_PARAMS="demo.*",
                                   GIT_TRACE2_ENV_VARS="TZ,LANG", **more))


def lines_report(traces, died):
    """Report on files of lines; if a program died, through a socket, which detects that."""
    if not died:
        return report(traces)
    listening = Listening()
    for name in os.listdir(traces):
        with socket.socket(socket.AF_UNIX) as s, open(os.path.join(traces, name), "rb") as f:
            s.connect(listening.sock)
            s.sendall(f.read())
    return listening.end()


def rings_give_the_events_of_lines():
    nr = 0
    for script in sorted(f for f in os.listdir(API) if f.endswith(".script")):
        lines, rings, again = fresh("lines"), fresh("rings"), fresh("again")
        play(script, lines)
        play(script, rings, GIT_TRACE2_EVENT_RING="1m")
        names = sorted(os.listdir(rings))
        nr += any(open(os.path.join(rings, n), "rb").read(8) == b"TR2RING1" for n in names)
        for name in names:
            run = top("--format=events", os.path.join(rings, name))
            check(run.returncode == 0, script, run.stderr)
            with open(os.path.join(again, name), "wb") as f:
                f.write(run.stdout)
        # The lines are equal, byte for byte, except for SIDs and clocks. The order of threads and
        # processes may differ.
        all_of = [sorted(normal(l) for n in os.listdir(d)
                         for l in open(os.path.join(d, n), "rb").read().splitlines())
                  for d in (lines, again)]
        missing = [l for l in all_of[0] if l not in all_of[1]]
        more = [l for l in all_of[1] if l not in all_of[0]]
        check(all_of[0] == all_of[1], script + " by lines and by rings", missing[:3], more[:3])
        rep = report(rings)
        check(without(rep) == without(lines_report(again, rep["totals"]["lost"])),
              script + ": reports differ")
    check(nr >= 5, "scripts played into rings", nr)


# ---- death ----

def a_crash_shows_open_regions():
    traces = fresh("crash")
    run = subprocess.run([HOST, "crash", "3"], stderr=subprocess.DEVNULL,
                         env=environment(GIT_TRACE2_EVENT=traces, GIT_TRACE2_EVENT_RING="64k"))
    check(run.returncode == -signal.SIGSEGV, "crash", run.returncode)
    rep = report(traces)
    procs = rep["processes"]
    check(len(procs) == 1 and procs[0]["state"] == "lost", "state of the dead process", procs)
    threads = procs[0]["threads"] if procs else []
    check([len(t.get("open_regions", t.get("open", []))) for t in threads] == [2] * 4,
          "open regions of the dead process", threads)
    text = top("--format=text", traces).stdout.decode()
    check("died in load/index > load/parse (main)" in text, "where main died", text)
    for i in range(1, 4):
        check("died in work/deflate > work/object (th%02d:worker)" % i in text, "where it died", text)


def events_before_any():
    traces = fresh("plain")
    subprocess.run([HOST], env=environment(GIT_TRACE2_EVENT=traces, GIT_TRACE2_EVENT_RING="64k"))
    return report(traces)["totals"]["events"] - len(("exit", "atexit"))


def events_survive_a_kill():
    before = events_before_any()
    rng = random.Random(17)
    for i in range(KILLS):
        traces = fresh("killed")
        host = subprocess.Popen([HOST, "until-killed"], stdout=subprocess.PIPE,
                                env=environment(GIT_TRACE2_EVENT=traces,
                                                GIT_TRACE2_EVENT_RING=rng.choice(("16k", "1m"))))
        host.stdout.read(1)
        time.sleep(rng.random() * 0.03)
        host.kill()
        host.wait()
        name, = os.listdir(traces)
        run = top("--format=events", os.path.join(traces, name))
        events = [json.loads(l) for l in run.stdout.splitlines()]
        numbers = [int(e["value"]) for e in events if e["event"] == "data"]
        # The beginning of the ring is kept, whatever was overwritten after it.
        kept = next((n for n, v in enumerate(numbers) if n != v), 0)
        numbers = numbers[kept:]
        check(numbers and numbers == list(range(numbers[0], numbers[-1] + 1)), "whole", numbers[:9])
        rep = report(traces)
        source = rep["sources"][0]
        lost = source.get("ring_lost", 0)
        check(source["malformed"] == 0, "malformed", source)
        # Unread events before the first number that was read are lost.
        check(not numbers or lost + len(events) - len(numbers) == before + numbers[0], "lost",
              lost, before, len(events), numbers[:1])
        check([e["argv"][1:] for e in events if e["event"] == "start"] == [["until-killed"]],
              "its command line", events[:3])
        check(rep["processes"][0]["state"] == "lost", "state of the killed process", rep["processes"][0])


# ---- with a socket ----

class Listening:
    def __init__(self, *args):
        self.sock = os.path.join(DIR, "s")
        self.out = os.path.join(DIR, "out")
        self.run = subprocess.Popen((TOP, "--once", "--format=json", "-o", self.out) + args +
                                    ("af_unix:stream:" + self.sock,), env=environment(),
                                    stderr=subprocess.PIPE, cwd=DIR)
        wait("socket", self.is_there)

    def is_there(self):
        """True if the socket listens; connecting would be an event."""
        with open("/proc/net/unix", encoding="utf-8", errors="replace") as f:
            return any(" 00010000 " in one and one.rstrip().endswith(" " + self.sock) for one in f)

    def end(self):
        self.run.send_signal(signal.SIGINT)
        self.err = self.run.communicate(timeout=DEADLINE)[1].decode()
        check(not os.path.exists(self.sock + ".rings"), "PATH.rings is left", self.err)
        return json.load(open(self.out))


def read_plus_lost_equals_written():
    for size, threads, nr in (("16k", 4, 100000), ("1m", 2, 3000)):
        listening = Listening()
        run = subprocess.run([HOST, "flat", str(threads), str(nr)], stdout=subprocess.PIPE,
                             env=environment(GIT_TRACE2_EVENT="af_unix:stream:" + listening.sock,
                                             GIT_TRACE2_EVENT_RING=size))
        written = int(run.stdout)
        rep = listening.end()
        source = rep["sources"][0]
        lost = source.get("ring_lost", 0)
        # Events of the main thread: version, start, ancestry, name, exit, atexit.
        others = source["events"] + lost - written
        check(5 <= others <= 7, "read and lost", source["events"], lost, written)
        check(source["malformed"] == 0, "malformed", source)
        check(len(rep["sources"]) == 1, "sources", rep["sources"])
        print(f"{size} {threads} threads: {written} written, {source['events']} read, {lost} lost")


def a_recording_of_a_ring_contains_lines():
    recording = os.path.join(DIR, "r.t2rec")
    listening = Listening("--record=" + recording)
    subprocess.run([HOST, "flat", "2", "500"], stdout=subprocess.DEVNULL,
                   env=environment(GIT_TRACE2_EVENT="af_unix:stream:" + listening.sock,
                                   GIT_TRACE2_EVENT_RING="1m"))
    live = listening.end()
    if "libzstd" in listening.err or not os.path.exists(recording):
        print("no recording:", listening.err)
        return
    again = report(recording)
    check(live["sources"][0]["events"] == again["sources"][0]["events"], "recorded",
          live["sources"], again["sources"])
    for key in ("timings", "events", "totals"):
        check(live.get(key) == again.get(key), "recorded " + key)
    check([p["state"] for p in again["processes"]] == ["exited"], "state in the recording",
          again["processes"])


def a_command_uses_rings():
    run = top("--format=json", "--", HOST, "flat", "2", "500", GIT_TRACE2_EVENT_RING="1m")
    rep = json.loads(run.stdout)
    check(rep["sources"][0]["events"] >= 1004, "a command's rings", rep["sources"], run.stderr)
    check(not [n for n in os.listdir(DIR) if n.startswith("trace2top-run")], "a directory is left",
          os.listdir(DIR))


def a_refused_ring_beside_readable_files_is_an_error():
    traces, lines = fresh("refused"), fresh("readable")
    play("all-events.script", lines)
    play("all-events.script", traces, GIT_TRACE2_EVENT_RING="1m")
    for name in os.listdir(lines):
        shutil.copy(os.path.join(lines, name), os.path.join(traces, "readable"))
    path = next(os.path.join(traces, n) for n in os.listdir(traces) if n != "readable")
    with open(path, "rb") as f:
        ring = f.read()
    good = top("--format=json", traces)
    check(good.returncode == 0 and not good.stderr, good.stderr)
    for version in (ring[8:12][::-1], bytes([ring[8] + 1]) + ring[9:12]):
        with open(path, "wb") as f:
            f.write(ring[:8] + version + ring[12:])
        run = top("--format=json", traces)
        check(run.returncode == 1, version, run.returncode, run.stderr)
        check(os.path.basename(path).encode() in run.stderr and b"another version" in run.stderr, run.stderr)
        check(json.loads(run.stdout)["totals"]["events"] > 0, "the readable file is reported")


TESTS = (a_refused_ring_beside_readable_files_is_an_error, rings_give_the_events_of_lines, a_crash_shows_open_regions, events_survive_a_kill,
         read_plus_lost_equals_written, a_recording_of_a_ring_contains_lines, a_command_uses_rings)
try:
    for test in TESTS:
        test()
finally:
    shutil.rmtree(DIR, ignore_errors=True)
print(f"{checked} checks, {failed} failed")
sys.exit(1 if failed or checked < 40 else 0)
