#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Mutated traces, random keys and random sizes: no crash, and only printable output.

usage: dump_mutated.py TRACE2TOP NR SEED FILE...

Each case depends on its seed only. A failing case prints its seed and keeps no other data.
"""
import os
import random
import subprocess
import sys
import tempfile

KEYS = ("Up Down Left Right PgUp PgDn Home End G Tab S-Tab Enter Enter Backspace 1 2 3 4 z s < > "
        "r + - d f a o O ? [ ] { } [ [ F5 F6 Space u y c v E 5").split()
INSERTS = [b"\\u001b[31m", b"\xc2\x9b31m", b"\xe2\x80\xae", b"9" * 30, b"-1", b"1e308",
           b'"nesting":2147483647,', b"\xf0\x9f\x98\x80\xcc\x81", b"\x00", b'"sid":"a/b/c",']


def mutate(rng, data):
    data = bytearray(data)
    for _ in range(rng.randint(0, 30)):
        if not data:
            break
        at, kind = rng.randrange(len(data)), rng.randint(0, 4)
        if kind == 0:
            data[at] = rng.randrange(256)
        elif kind == 1:
            del data[at:at + rng.randint(1, 40)]
        elif kind == 2:
            data[at:at] = bytes(rng.randrange(256) for _ in range(rng.randint(1, 10)))
        elif kind == 3:
            data[at:at] = rng.choice(INSERTS)
        else:
            other = rng.randrange(len(data))
            data[at:at] = data[other:other + rng.randint(1, 400)]
    return data


def script(rng):
    lines = []
    for _ in range(rng.randint(5, 40)):
        what = rng.random()
        if what < 0.1:
            lines.append("resize %dx%d" % (rng.randint(1, 250), rng.randint(1, 80)))
        elif what < 0.2:
            lines.append("dump")
        else:
            lines.append(" ".join(rng.choices(KEYS, k=rng.randint(1, 6))))
    return "\n".join(lines + ["dump"]) + "\n"


def options(rng):
    out = []
    if rng.random() < 0.3:
        out.append("--ascii")
    if rng.random() < 0.3:
        out.append("--max-processes=%d" % rng.randint(1, 10))
    if rng.random() < 0.3:
        out.append("--history=%d" % rng.choice([1000, 20000, 0]))
    if rng.random() < 0.2:
        out.append("-n%d" % rng.randint(0, 4))
    return out


def run(top, seed, files, folder):
    rng = random.Random(seed)
    with open(rng.choice(files), "rb") as source:
        data = mutate(rng, source.read())
    paths = [os.path.join(folder, name) for name in ("event", "keys", "screens")]
    with open(paths[0], "wb") as to:
        to.write(data)
    with open(paths[1], "w") as to:
        to.write(script(rng))
    done = subprocess.run([top, "--keys=" + paths[1], "--dump=" + paths[2], "--clock=EVENTS"] +
                          options(rng) + [paths[0]], capture_output=True, timeout=120)
    # If a trace is too damaged, or looks compressed, the exit status is 1; the screen is drawn.
    said = done.stderr.decode(errors="replace")
    unread = "nothing in it can be read" in said or "compressed data is damaged" in said
    if done.returncode != (1 if unread else 0):
        return "exit status %d: %s" % (done.returncode, done.stderr[-600:].decode(errors="replace"))
    with open(paths[2], "rb") as screens:
        text = screens.read().decode("utf-8")  # raises if it is not UTF-8
    wrong = [c for c in text if (c < " " and c != "\n") or "\x7f" <= c < "\xa0" or c == "\u202e"]
    return "not printable: %r" % wrong[:3] if wrong else None


def main():
    top, nr, first, files = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for seed in range(first, first + nr):
            why = run(top, seed, files, folder)
            if why:
                failed += 1
                print("seed %d: %s" % (seed, why))
    print("%d passed, %d failed" % (nr - failed, failed))
    return failed > 0


sys.exit(main())
