# SPDX-License-Identifier: MIT
"""Memory of the screen under load: six writers and git on datagram, stream and directory sources, random keys on
all pages, on a terminal of 140x45 with default bounds.

    bench_load.py TRACE2TOP WRITER [MINUTES [REGIONS [EVENTS]]]    10 minutes; 1,000 regions per process; 9,000 events
                                                                   per second and writer
    bench_load.py TRACE2TOP WRITER directory PROCESSES [HISTORY]   a directory of finished processes; live, then 30 jumps back

The resident memory is sampled once per second. WRITER is bench/load_writer.
"""
import fcntl
import os
import pty
import random
import select
import shutil
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import time

TOP, WRITER = map(os.path.abspath, sys.argv[1:3])
# Not among them: keys that quit, suspend, write files, open editors, or change the configuration.
KEYS = [k.encode() for k in "SiEWHAtFeVDoO?12345+-zds<>ru{[{[{[]};,.bfmMapnNkjhlgG ab"] + [
    b"\r", b"\t", b"\x7f", b"\x1b[A", b"\x1b[B", b"\x1b[C", b"\x1b[D", b"\x1b[5~", b"\x1b[6~", b"\x1b[F", b"\x1b[H"]
BACK = [b"{", b"[", b"{", b"{", b"["]


class Screen:
    def __init__(self, folder, args):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            env = dict(os.environ, TERM="xterm-256color", LC_ALL="C.UTF-8", HOME=folder, XDG_CONFIG_HOME=folder,
                       XDG_RUNTIME_DIR=folder)
            os.chdir(folder)
            os.execve(TOP, [TOP] + args, env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 45, 140, 0, 0))
        self.last = b""

    def read_for(self, seconds):
        """Discard output for a time. False if the program has ended."""
        end = time.monotonic() + seconds
        while True:
            left = end - time.monotonic()
            if not select.select([self.fd], [], [], max(0, left))[0]:
                if left <= 0:
                    return True
                continue
            try:
                got = os.read(self.fd, 1 << 16)
            except OSError:
                return False
            if not got:
                return False
            self.last = (self.last + got)[-4000:]
            if time.monotonic() > end:
                return True

    def send(self, keys):
        os.write(self.fd, keys)

    def rss(self):
        with open("/proc/%d/status" % self.pid) as f:
            return next(int(line.split()[1]) / 1024 for line in f if line.startswith("VmRSS"))

    def close(self):
        os.kill(self.pid, signal.SIGTERM)
        self.read_for(5)
        os.close(self.fd)
        return os.waitpid(self.pid, 0)[1]


def row(what, value, unit):
    print("%-82s %9.1f %s" % (what, value, unit), flush=True)


def load(folder, minutes, regions, events):
    dgram, stream, traces, plan = (os.path.join(folder, name) for name in ("d.sock", "s.sock", "traces", "plan"))
    os.mkdir(traces)
    screen = Screen(folder, ["af_unix:dgram:" + dgram, "af_unix:stream:" + stream, traces])
    while not (os.path.exists(dgram) and os.path.exists(stream)):
        if not screen.read_for(0.1):
            sys.exit("bench_load: trace2top ended: " + screen.last.decode(errors="replace"))
    targets = ["af_unix:dgram:" + dgram, "af_unix:stream:" + stream, traces]
    writers = []
    for nr in range(6):
        env = dict(os.environ, GIT_TRACE2_EVENT=targets[nr % 3], GIT_TRACE2_EVENT_NESTING="10", HOME=folder)
        writers.append(subprocess.Popen([WRITER, "0", str(regions), str(events)], env=env, start_new_session=True))
    for target in targets:
        env = dict(os.environ, GIT_TRACE2_EVENT=target, HOME=folder)
        writers.append(subprocess.Popen(["sh", "-c", "while :; do git version; git config -l; sleep 0.05; done"],
                                        env=env, stdout=subprocess.DEVNULL, start_new_session=True))
    # Finished traces are removed, so that the directory does not fill the disk.
    writers.append(subprocess.Popen(["sh", "-c", "while sleep 20; do find '%s' -type f -mmin +0.5 -delete; done" % traces],
                                    start_new_session=True))
    rng, samples, start, at = random.Random(7), [], time.monotonic(), 1
    alive = True
    while alive and at <= minutes * 60:
        # Bursts of steps back between other keys; back to the present once in a while.
        keys = [rng.choice(BACK)] * rng.randint(1, 5) if rng.random() < 0.3 else [rng.choice(KEYS)]
        if rng.random() < 0.05:
            keys = [b"\x1b", b"\x1b", b"\x1b", b"\x1b[F"]
        for key in keys:
            screen.send(key)
            alive = screen.read_for(0.05 if key != b"\x1b" else 0.2)
        while alive and time.monotonic() - start > at:
            samples.append(screen.rss())
            if at % 60 == 0:
                row("minute %d: resident memory, median of its seconds" % (at // 60),
                    statistics.median(samples[-60:]), "MiB; worst %.1f" % max(samples[-60:]))
            at += 1
    for writer in writers:
        os.killpg(writer.pid, signal.SIGKILL)
        writer.wait()
    if not alive:
        sys.exit("bench_load: trace2top ended: " + screen.last.decode(errors="replace"))
    row("resident memory, worst second", max(samples), "MiB")
    row("the last third of the time, median; 99 %", statistics.median(samples[len(samples) * 2 // 3:]),
        "%.1f MiB" % sorted(samples[len(samples) * 2 // 3:])[-max(1, len(samples) // 300)])
    with open("bench_load.samples", "w") as f:
        f.writelines("%d %.1f\n" % (nr, rss) for nr, rss in enumerate(samples))
    print("status", screen.close())


def directory(folder, processes, history):
    traces = os.path.join(folder, "traces")
    os.mkdir(traces)
    env = dict(os.environ, GIT_TRACE2_EVENT=traces, GIT_TRACE2_EVENT_NESTING="10", HOME=folder)
    subprocess.run([WRITER, str(processes), "500", "0"], env=env, check=True)
    size = sum(entry.stat().st_size for entry in os.scandir(traces))
    row("the directory", size / 1048576, "MiB")
    screen = Screen(folder, ["--history=" + history, traces])
    level, most = -1, 0
    while True:
        screen.read_for(2)
        rss = screen.rss()
        most = max(most, rss)
        if abs(rss - level) < 0.1:
            break
        level = rss
    row("live: once all is read; worst", level, "MiB; %.1f" % most)
    most = 0
    for _ in range(30):
        screen.send(b"{[")
        screen.read_for(1)
        most = max(most, screen.rss())
    row("after 60 steps back; worst", screen.rss(), "MiB; %.1f" % most)
    print("status", screen.close())


def main():
    folder = tempfile.mkdtemp(prefix="bench_load.", dir=os.environ.get("BENCH_TMP"))
    try:
        if len(sys.argv) > 3 and sys.argv[3] == "directory":
            directory(folder, int(sys.argv[4]), sys.argv[5] if len(sys.argv) > 5 else "64M")
        else:
            numbers = [float(word) for word in sys.argv[3:]]
            load(folder, numbers[0] if numbers else 10, int(numbers[1]) if len(numbers) > 1 else 1000,
                 int(numbers[2]) if len(numbers) > 2 else 9000)
    finally:
        shutil.rmtree(folder)


main()
