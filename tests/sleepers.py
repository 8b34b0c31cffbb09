#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""sleepers.py TRACE2TOP DIR MISSES: DIR/cases has a command per line that waited for a program with a built-in sleep, and how
long it slept in microseconds (sleepers.sh). The parts of the command must add up to its wall time, and those of the sleeping program
must have its time within 30 ms, in all commands except so many of 27."""
import json
import os
import re
import subprocess
import sys

WITHIN_US = 30000
top, out, misses = sys.argv[1], sys.argv[2], int(sys.argv[3])
bad = nr = named = 0


def us(seconds):
    return round(seconds * 1e6)


def report_of(name):
    """The findings, and the process of the trace that took longest: some commands are scripts that start several."""
    run = subprocess.run([top, "--no-config", "--once", "--parts", "--findings", "--format=json", os.path.join(out, name + ".event")],
                         capture_output=True, timeout=120, check=True)
    report = json.loads(run.stdout)
    roots = [process for process in report["processes"] if not process["parent"] and process.get("parts")]
    return report["findings"], max(roots, key=lambda process: us(process["elapsed"]))


def time_of(root, findings, pattern):
    """The time of the program, of one side of a connection, or of a finding."""
    if pattern.startswith("finding:"):
        id, evidence = pattern[8:].split(" ", 1)
        return sum(us(finding["held"]) for finding in findings if finding["id"] == id and evidence in finding["evidence"])
    if pattern.startswith("remote:"):
        return sum(us(time) for key, time in root.get("remote", {}).items() if re.fullmatch(pattern[7:], key))
    return sum(us(part["time"]) for part in root["parts"]
               if part["kind"] in ("untraced", "person") and pattern in (part["line"] or part["label"]))


def report_miss(name, command, slept, pattern, time, root):
    print("%s (%s): slept %.3fs, %s has %.3fs" % (name, command[:60], int(slept) / 1e6, pattern, time / 1e6))
    for part in root["parts"][:5]:
        print("   %8.3fs" % part["time"], part["kind"], part["line"] or part["label"])
    print("    remote:", root.get("remote"))


for line in open(os.path.join(out, "cases")):
    name, slept, pattern, command = line.rstrip("\n").split("\t")
    nr += 1
    findings, root = report_of(name)
    wall = root.get("wall", root["elapsed"])
    if sum(us(part["time"]) for part in root["parts"]) != us(wall):
        bad = 1
        print(name, "the parts do not add up to", wall)
    time = time_of(root, findings, pattern)
    if slept != "0" and abs(time - int(slept)) <= WITHIN_US:
        named += 1
    else:
        report_miss(name, command, slept, pattern, time, root)
print(nr, "commands that wait for a sleeping program: named within 30 ms in", named)
sys.exit(bad or nr < 27 or named * 27 < nr * (27 - misses))
