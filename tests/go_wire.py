#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Write Go execution traces byte by byte, for behaviour that no real program has shown, and for traces
that are too large to store.

    go_wire.py check TOOL           synthetic traces: compare the output of TOOL (tests/read_events)
    go_wire.py tasks N >F           a goroutine with N consecutive tasks, while main waits
    go_wire.py many N [EVENTS] >F   N goroutines at the same time, and EVENTS events of them"""
import json, os, subprocess, sys

NONE = 2 ** 64 - 1
START = 1_000_000  # clock of the trace, in its units
WALL = 1_795_230_000


def num(*values):
    out = bytearray()
    for v in values:
        while v > 127:
            out.append(v & 127 | 128)
            v >>= 7
        out.append(v)
    return bytes(out)


class Generation:
    """One generation: threads' events, stacks, strings, samples."""

    def __init__(self, number, version=26, frequency=15_625_000, start=START):
        self.number, self.version, self.frequency, self.start = number, version, frequency, start
        self.strings, self.stacks, self.threads, self.samples, self.late = {}, {}, {}, [], b""

    def string(self, text):
        return self.strings.setdefault(text, len(self.strings) + 1)

    def stack(self, *functions):
        """Add a stack, innermost frame first; returns its id."""
        frames = tuple(self.string(f) for f in functions)
        return self.stacks.setdefault(frames, len(self.stacks) + 1)

    def event(self, m, dt, kind, *args):
        self.threads.setdefault(m, bytearray()).extend(bytes([kind]) + num(dt, *args))

    def sample(self, at, m, p, g, stack):
        self.samples.append((at, m, p, g, stack))

    def batch(self, m, data, at=None):
        return b"\x01" + num(self.number, m, self.start if at is None else at, len(data)) + data

    def batches(self, m, data):
        """Split at events: the caller passes whole pieces."""
        return self.batch(m, bytes(data))

    def bytes(self):
        clock = b"\x08" + num(self.frequency)
        if self.version >= 25:
            clock = b"\x32" + clock + b"\x33" + num(0, 5, WALL, 0)
        out = self.batch(NONE, clock)
        for m, data in self.threads.items():
            if isinstance(data, list):
                for at, piece in data:
                    out += self.batch(m, bytes(piece), at)
            else:
                out += self.batches(m, data)
        out += self.late
        if self.samples:
            out += self.batch(NONE, b"\x06" + b"".join(b"\x07" + num(*s) for s in self.samples))
        stacks = b"".join(b"\x03" + num(i, len(f)) + b"".join(num(1, s, 0, 1) for s in f)
                          for f, i in self.stacks.items())
        out += self.batch(NONE, b"\x02" + stacks)
        piece = b""
        for text, i in self.strings.items():
            one = b"\x05" + num(i, len(text.encode())) + text.encode()
            if len(piece) + len(one) > 60000:
                out += self.batch(NONE, b"\x04" + piece)
                piece = b""
            piece += one
        out += self.batch(NONE, b"\x04" + piece)
        return out + (b"\x34" if self.version >= 26 else b"")


def header(version=26):
    return b"go 1.%d trace\0\0\0" % version


def begin(g, m=1, p=0, goroutine=1):
    """Thread m runs goroutine 1 on P 0."""
    g.event(m, 1, 13, p, 1)
    g.event(m, 1, 48, goroutine, m, 2, g.stack("main.work", "main.main"))


# ---- synthetic traces ----

def told(tool, trace):
    run = subprocess.run([tool], input=trace, capture_output=True, check=True)
    lines = [json.loads(l) for l in run.stdout.decode().splitlines()]
    return lines[:-1], lines[-1], run.stderr.decode()


def check(tool):
    bad = []

    def want(name, is_, ought):
        if is_ != ought:
            bad.append(f"{name}: {is_}, ought to be {ought}")

    def regions(events, kind="region_enter"):
        return [(e["thread"], e["category"], e["label"]) for e in events if e["event"] == kind]

    # Stacks of CPU samples are folded, outermost first, and counted by generation.
    trace = header()
    for n in (1, 2):
        g = Generation(n, start=START * n)
        begin(g)
        hot, cold = g.stack("a/b.inner", "a/b.outer;x", "main.main"), g.stack("main.main")
        for i in range(3 * n):
            g.sample(START * n + 3 + i, 1, 0, 1, hot)
        g.sample(START * n + 2, 1, 0, 1, cold)
        g.event(1, 500, 38, 4096)
        trace += g.bytes()
    events, counts, _ = told(tool, trace)
    want("samples", [(e["key"], e["value"]) for e in events if e.get("category") == "cpu samples"],
         [("main.main", "1"), ("main.main;b.outer:x;b.inner", "3"),
          ("main.main", "1"), ("main.main;b.outer:x;b.inner", "6")])
    want("samples: malformed", counts["malformed"], 0)

    # A unit that is a fraction of nanoseconds: each difference is truncated separately.
    k = 1.0 / (30_000_000 / 1e9)
    g = Generation(1, frequency=30_000_000)
    begin(g)
    at, times = int(START * k) + 2 * int(k), []
    for dt in (1, 2, 7, 10, 1000, 3):
        g.event(1, dt, 38, 4096)
        at += int(dt * k)
        times.append(at)
    events, counts, _ = told(tool, header() + g.bytes())
    is_ = [e["time"] for e in events if e.get("key") == "heap goal"]
    want("k", [t - is_[0] for t in is_], [t - times[0] for t in times])

    # A sequence number is missing, so the event is forced and counted.
    g = Generation(1)
    begin(g)
    g.event(1, 1, 14, 2, g.stack("main.other"), 0)
    g.event(1, 10, 16 + 3, g.string("preempted"), 0)
    g.event(1, 10, 16, 2, 7)
    g.event(1, 10, 17)
    events, counts, said = told(tool, header() + g.bytes())
    want("forced: lives", [e["thread"] for e in events if e["event"] == "thread_exit"], ["G2 main.other"])
    want("forced: latency", [(e["label"], e["t_rel"]) for e in events
                             if e["event"] == "region_leave" and e["category"] == "runnable"], [("new", 20 * 64)])
    want("forced: counted", counts["malformed"] > 0, True)

    # A batch of a generation already delivered is dropped and counted.
    g = Generation(1)
    begin(g)
    late = g.batch(1, b"\x26" + num(1, 4096))
    second = Generation(2, start=2 * START)
    begin(second)
    for version in (25, 26):
        g.version = second.version = version
        events, counts, _ = told(tool, header(version) + g.bytes() + late + second.bytes())
        want(f"late {version}: generations", [e["value"] for e in events if e.get("key") == "generation"], ["1", "2"])
        want(f"late {version}: ignored", (counts["ignored"], counts["lost_generations"]), (1, 0))
        # So is one inside the next generation, which stays whole.
        second.late = late
        events, counts, _ = told(tool, header(version) + g.bytes() + second.bytes())
        want(f"later {version}: generations", [e["value"] for e in events if e.get("key") == "generation"], ["1", "2"])
        want(f"later {version}: ignored", (counts["ignored"], counts["lost_generations"]), (1, 0))
        second.late = b""

    # A subtask whose parent has ended has no parent.
    g = Generation(1)
    begin(g)
    g.event(1, 1, 40, 5, 0, g.string("outer"), 0)
    g.event(1, 1, 40, 6, 5, g.string("inner"), 0)
    g.event(1, 1, 41, 5, 0)
    g.event(1, 1, 40, 7, 5, g.string("orphan"), 0)
    g.event(1, 4, 41, 7, 0)
    events, counts, _ = told(tool, header() + g.bytes())
    want("tasks", [(e["child_id"], e["argv"]) for e in events if e["event"] == "child_start"],
         [(5, ["outer"]), (6, ["inner", "in", "outer"]), (7, ["orphan"])])
    want("tasks end", [(e["child_id"], e["t_rel"]) for e in events if e["event"] == "child_exit"], [(5, 128), (7, 256)])

    # A thread that sweeps when it leaves a system call: time of the P; its goroutine does not run.
    g = Generation(1)
    begin(g)
    g.event(1, 1, 22, 1, 0)
    g.event(1, 1, 32, 0)
    g.event(1, 5, 33, 8192, 0)
    g.event(1, 1, 23)
    events, counts, _ = told(tool, header() + g.bytes())
    want("sweep in a system call", [r for r in regions(events) if r[1] == "gc"], [("P0", "gc", "sweep")])
    want("sweep: leaves", [e["category"] for e in events if e["event"] == "region_leave"], ["gc", "syscall"])

    # A P in a system call runs; an abandoned P does not.
    g = Generation(1)
    begin(g)
    g.event(2, 1, 13, 1, 3)
    g.event(2, 1, 48, 2, 2, 3, g.stack("syscall.read", "main.reader"))
    g.event(3, 1, 13, 2, 4)
    g.event(1, 9, 38, 4096)
    events, counts, _ = told(tool, header() + g.bytes())
    want("P", [r for r in regions(events) if r[1] == "proc"], [("P0", "proc", "running"), ("P1", "proc", "running")])
    want("P: malformed", counts["malformed"], 0)
    # The stack of a status names a goroutine that never ran, by its outermost function without
    # directories.
    want("status names", ("G2 main.reader", "syscall", "system call") in regions(events), True)
    g = Generation(1)
    begin(g)
    g.late = g.batch(NONE, b"\x30" + num(1, 9, NONE, 4, g.stack("sync.wait", "example.org/x/pool.(*Pool).run")))
    events, counts, _ = told(tool, header() + g.bytes())
    want("late status", [r for r in regions(events) if r[0].startswith("G9")],
         [("G9 pool.(*Pool).run", "goroutine", "pool.(*Pool).run"), ("G9 pool.(*Pool).run", "waiting", "before the trace")])

    # A future version is read as the last known one; an unknown event ends its batch.
    g = Generation(1)
    begin(g)
    g.event(1, 5, 38, 4096)
    g.event(1, 5, 77, 4096)
    events, counts, _ = told(tool, b"go 1.31 trace\0\0\0" + g.bytes())
    want("future", [e["value"] for e in events if e.get("key") == "heap goal"], ["4096"])
    want("future: counted", counts["malformed"], 1)

    # Concatenated traces are separate programs, whether or not the first one is complete.
    for version in (22, 25, 26):
        one, other = Generation(1, version), Generation(1, version, start=9 * START)
        begin(one)
        begin(other)
        for first in (one.bytes(), one.bytes()[:-9], b""):
            events, counts, _ = told(tool, header(version) + first + header(version) + other.bytes())
            whole = first == one.bytes()
            want(f"two traces {version}", [e["value"] for e in events if e.get("key") == "generation"],
                 ["1"] * (2 if whole else 1))
            want(f"two traces {version}: processes", len({e["sid"] for e in events}), 2 if whole else 1)
            want(f"two traces {version}: ignored", counts["ignored"], 0)

    # The second generation is truncated: the first is complete, the rest is lost and reported.
    g = Generation(1)
    begin(g)
    cut = header() + g.bytes() + second.bytes()[:-30]
    events, counts, said = told(tool, cut)
    want("cut: lost", (counts["lost_generations"], counts["malformed"]), (1, 1))
    want("cut: said", f"generation 2 is truncated: {len(second.bytes()) - 30:,} bytes" in said, True)

    print("\n".join(bad))
    return bool(bad)


# ---- many tasks ----

def tasks(nr):
    """main waits for a channel; another goroutine does a task of 1 ms nr times."""
    g = Generation(1)
    begin(g)
    g.event(1, 1, 14, 2, g.stack("main.worker"), 0)
    g.event(1, 1, 20, g.string("chan receive"), g.stack("main.main"))
    g.event(1, 1, 16, 2, 1)
    for i in range(nr):
        g.event(1, 1, 40, i + 1, 0, g.string("request"), 0)
        g.event(1, 15625, 41, i + 1, 0)
    g.event(1, 1, 21, 1, 1, 0)
    g.event(1, 1, 17)
    g.event(1, 1, 16, 1, 2)
    return header() + g.bytes()


# ---- many goroutines ----

def many(nr, nr_events):
    """nr waiting goroutines, created by main.main on four threads; then events of them, in turns."""
    out, nr_threads = sys.stdout.buffer, 4
    g = Generation(1)
    main = g.stack("main.work", "main.main")
    starts = [g.stack("sync.wait", f"example.org/app/pool.(*Pool{i}).run") for i in range(40)]
    reason = g.string("chan receive")
    for t in range(nr_threads):
        pieces, piece, at, last = [], bytearray(), START + t, START + t

        def put(kind, *args):
            nonlocal piece, last, at
            if len(piece) > 60000:
                pieces.append((last, piece))
                piece, last = bytearray(), at
            piece += bytes([kind]) + num(1, *args)
            at += 1

        put(13, t, 1)
        put(48, t + 1, t + 1, 2, main)
        mine = range(100 + t, 100 + nr, nr_threads)
        for i in mine:
            put(14, i, starts[i % 40], main)
        seq = dict.fromkeys(mine, 0)
        put(20, reason, main)  # main waits
        left = nr_events // nr_threads
        while left > 0:
            for i in mine:
                seq[i] += 1
                put(16, i, seq[i])
                put(20, reason, starts[i % 40])
                seq[i] += 1
                put(21, i, seq[i], 0)
                left -= 3
                if left <= 0:
                    break
        pieces.append((last, piece))
        g.threads[t + 1] = pieces
    out.write(header() + g.bytes())


if __name__ == "__main__":
    if sys.argv[1] == "check":
        sys.exit(check(sys.argv[2]))
    if sys.argv[1] == "tasks":
        sys.stdout.buffer.write(tasks(int(sys.argv[2])))
        sys.exit()
    many(int(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 0)
