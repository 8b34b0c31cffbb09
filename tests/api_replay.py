#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Play each script of tests/api and compare the three targets' lines, full and brief, with
Git's output. They must be identical except for session ids, times, durations, the player's own
command line, and the names of its ancestors."""
import os
import re
import subprocess
import sys
import tempfile

REPLAY = sys.argv[1]
API = sys.argv[2]
PORTABLE = "PORTABLE" in os.environ  # knows no ancestors

DURATION = rb"\b\d+\.\d{6}"
RULES = {
    "event": [
        (rb'"sid":"[^"]*"', b'"sid":"SID"'),
        (rb'"time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z"', b'"time":"TIME"'),
        (rb'"(t_abs|t_rel|t_total|t_min|t_max)":\d+\.\d{6}([,}])', rb'"\1":T\2'),
        (rb'("event":"start".*"argv":\[)"[^"]*(trace2_replay|tr2oracle)",', rb'\1"PLAYER",'),
        (rb'("procinfo.c","line":170|"cmd_ancestry"[^@]*"procinfo.c","line":170),"ancestry":.*', rb'\1,NAMES'),
    ],
    "perf": [
        (rb"(?m)^\d\d:\d\d:\d\d\.\d{6} ", b"TIME "),
        (rb"(?m)^((?:TIME .{28} \| )?d\d+ \| .{24} \| .{12} \| .{3} \|) ( *\d+\.\d{6})", rb"\1 ABS"),
        (rb"(?m)^((?:TIME .{28} \| )?d\d+ \| .{24} \| .{12} \| .{3} \| (?:ABS| {9}) \|) ( *\d+\.\d{6})", rb"\1 REL"),
        (rb"(total|min|max):\d+\.\d{6}", rb"\1:T"),
        (rb"(\| start .*\| )\S*(trace2_replay|tr2oracle)", rb"\1PLAYER"),
        (rb"(\| cmd_ancestry \|.*ancestry:\[)(?!sh 'tmux).*\]", rb"\1NAMES]"),
    ],
    "normal": [
        (rb"(?m)^\d\d:\d\d:\d\d\.\d{6} ", b"TIME "),
        (rb"(elapsed|total|min|max):\d+\.\d{6}", rb"\1:T"),
        (rb"(start )\S*(trace2_replay|tr2oracle)", rb"\1PLAYER"),
        (rb"cmd_ancestry (?!sh <- tmux).*", rb"cmd_ancestry NAMES"),
    ],
}


def normal(kind, data):
    for pattern, by in RULES[kind]:
        data = re.sub(pattern, by, data)
    if kind == "event":
        # In brief lines only the names distinguish the engine's own ancestry event from the
        # script's.
        data = re.sub(rb'("event":"cmd_ancestry".*"ancestry":)\[(?!"sh","tmux).*\]', rb"\1NAMES", data)
        data = data.replace(b'"ancestry":NAMES', b"NAMES")
    if PORTABLE:
        data = re.sub(rb"(?m)^.*cmd_ancestry.*NAMES.*\n", b"", data)
    return data


def play(script, brief, scratch, extra=None):
    env = {
        "PATH": os.environ["PATH"], "HOME": scratch, "TZ": "UTC", "LANG": "C",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_TRACE2_CONFIG_PARAMS": "demo.*", "GIT_TRACE2_ENV_VARS": "TZ,LANG",
    }
    env.update(extra or {})
    for kind, name in (("event", "_EVENT"), ("perf", "_PERF"), ("normal", "")):
        env["GIT_TRACE2" + name] = os.path.join(scratch, kind)
        if brief:
            env["GIT_TRACE2" + name + "_BRIEF"] = "1"
    run = subprocess.run([REPLAY, script], cwd=API, env=env, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL)
    code = run.returncode if run.returncode >= 0 else 128 - run.returncode
    return run.stdout + b"rc %d\n" % code


def compare(what, got, want):
    if got == want:
        return 0
    print("FAIL", what)
    a, b = want.split(b"\n"), got.split(b"\n")
    for i in range(max(len(a), len(b))):
        x, y = a[i] if i < len(a) else b"(end)", b[i] if i < len(b) else b"(end)"
        if x != y:
            print(" git :", x)
            print(" ours:", y)
            break
    return 1


def read(path):
    with open(path, "rb") as f:
        return f.read()


failed = checked = 0
for script in sorted(f for f in os.listdir(API) if f.endswith(".script")):
    base = script[:-len(".script")]
    for form in ("", ".brief"):
        with tempfile.TemporaryDirectory() as scratch:
            out = play(script, bool(form), scratch)
            failed += compare(base + form + ".out", out, read(f"{API}/{base}{form}.out"))
            for kind in ("event", "perf", "normal"):
                want = normal(kind, read(f"{API}/{base}{form}.{kind}"))
                failed += compare(base + form + "." + kind,
                                  normal(kind, read(os.path.join(scratch, kind))), want)
                checked += 1
with tempfile.TemporaryDirectory() as scratch:
    play("deep.script", False, scratch, {"GIT_TRACE2_EVENT_NESTING": "1000",
                                          "GIT_TRACE2_ENV_VARS": ""})
    # This output was recorded without visible ancestors.
    got = b"".join(l for l in read(scratch + "/event").splitlines(True) if b"cmd_ancestry" not in l)
    failed += compare("deep.nesting1000", normal("event", got),
                      normal("event", read(f"{API}/deep.nesting1000.event")))
print(f"{checked + 1} outputs compared, {failed} differ")
sys.exit(1 if failed or checked < 42 else 0)
