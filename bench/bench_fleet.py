# SPDX-License-Identifier: MIT
"""Cost of an agent and its server: bytes per event, CPU per event on top of reading, delays of traced programs,
events per second, and a thousand connections, with the real nats-server on loopback.

    bench_fleet.py TRACE2TOP DATA [SECONDS [PART]...]      (of each run; all parts: see the end)
"""
import glob
import os
import select
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../tests"))
from nats_client import Nats, Server, messages  # noqa: E402

TOP, DATA = sys.argv[1:3]
SECONDS = float(sys.argv[3]) if len(sys.argv) > 3 else 5
PAIRS = 5


def row(what, value, unit, more=""):
    print("%-82s %9.2f %-12s %s" % (what, value, unit, more), flush=True)


def cpu_by_thread(pid):
    """CPU seconds of each existing thread."""
    used = {}
    for name in glob.glob("/proc/%d/task/*/schedstat" % pid):
        try:
            with open(name) as f:
                used[name] = int(f.read().split()[0]) / 1e9
        except OSError:
            pass
    return used


def cpu_of(pid):
    """CPU of all its threads; of ended ones only if they used few ticks."""
    return sum(cpu_by_thread(pid).values())


def packed_bytes(lines):
    """Compressed as by an agent: one zstd 1 frame per batch, with its size."""
    for nr in (1, 20, 50, 100, 1000):
        chosen = [b"".join(lines[at:at + nr]) for at in range(0, min(len(lines), 200 * nr) - nr + 1, nr)][:200]
        with tempfile.TemporaryDirectory() as folder:
            names = []
            for at, text in enumerate(chosen):
                names.append("%s/%d" % (folder, at))
                with open(names[-1], "wb") as f:
                    f.write(text)
            subprocess.run(["zstd", "-q", "-1", "--no-check", *names], check=True)
            size = sum(os.path.getsize(name + ".zst") for name in names)
        row("bytes per event, compressed, batches of %d" % nr, size / (nr * len(chosen)), "bytes",
            "raw %.0f" % (sum(map(len, chosen)) / (nr * len(chosen))))


def connected(path):
    """Connect to a socket that trace2top is about to create."""
    while True:
        try:
            s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            s.connect(path)
            return s
        except OSError:
            s.close()
            time.sleep(0.02)


class Run:
    """One writer at a given rate. CPU per event, in us: of the agent, of the agent without the two threads that read
    the socket (they use the most), and of the server."""

    def __init__(self, server, work, rate, lines, *more):
        path = work + "/sock"
        agent = subprocess.Popen([TOP, "--forward=" + server.url(), "--as=bench.one", *more, "af_unix:stream:" + path],
                                 stdin=subprocess.DEVNULL)
        s = connected(path)
        time.sleep(1)  # wait for the connection
        before, server_before = cpu_by_thread(agent.pid), cpu_of(server.process.pid)
        begin, sent = time.monotonic(), 0
        while time.monotonic() < begin + SECONDS:
            due = int((time.monotonic() - begin) * rate)
            while sent < due:
                s.sendall(lines[sent % len(lines)])
                sent += 1
            time.sleep(0.001)
        time.sleep(1.5)
        used = sorted(cpu - before.get(name, 0) for name, cpu in cpu_by_thread(agent.pid).items())
        self.all, self.beside = sum(used) / sent * 1e6, sum(used[:-2]) / sent * 1e6
        self.server = (cpu_of(server.process.pid) - server_before) / sent * 1e6
        s.close()
        with open("/proc/%d/status" % agent.pid) as f:
            status = dict(one.split(":", 1) for one in f.read().splitlines())
        self.memory, self.threads = int(status["VmHWM"].split()[0]) / 1024, int(status["Threads"])
        agent.send_signal(signal.SIGTERM)
        agent.wait()


def medians(runs, what):
    return statistics.median(getattr(run, what) for run in runs)


def agent_cpu(server, work, lines, rate):
    """Alternate reading and forwarding; the threads that read vary between runs by more than the cost of forwarding."""
    for what, more in (("redacted", ["--redact=text"]), ("as it came", ["--redact=none"])):
        reads, forwards = [], []
        for _ in range(PAIRS):
            reads.append(Run(server, work, rate, lines, "--sample=1000000000", *more))
            forwards.append(Run(server, work, rate, lines, *more))
        by_pair = sorted(f.all - r.all for r, f in zip(reads, forwards))
        besides = sorted(f.beside - r.beside for r, f in zip(reads, forwards))
        about = "agent, %s, %d events/s: " % (what, rate)
        row(about + "CPU per event on top of reading", medians(forwards, "all") - medians(reads, "all"), "us",
            "reading %.2f, all %.2f; by pair %.2f to %.2f; %.1f MB, %d threads"
            % (medians(reads, "all"), medians(forwards, "all"), by_pair[0], by_pair[-1],
               max(run.memory for run in forwards), forwards[0].threads))
        row(about + "the same, all threads except those that read", statistics.median(besides), "us",
            "%.2f to %.2f" % (besides[0], besides[-1]))
        row(about + "the server's CPU per event", medians(forwards, "server"), "us")


def writes(work, lines, state, rounds=20000):
    """Durations of each write(2) of a writer, in us, sorted: with a server in this state, or without one."""
    path = work + "/sock"
    server = Server(work + "/" + state.replace(" ", "-"), jetstream="max_file: 4G").start()
    Nats(server.port).stream()
    to = ["--forward=" + server.url(), "--as=bench.writes"] if state != "none" else ["--record=" + work + "/none.rec"]
    agent = subprocess.Popen([TOP, *to, "--redact=none", "af_unix:stream:" + path], stdin=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    with connected(path) as s:
        for line in lines[:1000]:
            s.sendall(line)
        time.sleep(1)  # wait for the connection
        if state == "stopped":
            server.signal(signal.SIGSTOP)
        elif state == "killed":
            server.end()
        took = []
        for n in range(rounds):
            line = lines[n % len(lines)]
            begin = time.perf_counter_ns()
            s.sendall(line)
            took.append((time.perf_counter_ns() - begin) / 1e3)
    agent.send_signal(signal.SIGTERM)
    agent.wait()
    server.end()
    return sorted(took)


def writer_waits(work, lines):
    """A traced program writes as fast with a running, stopped or killed server as without one."""
    for state in ("none", "there", "stopped", "killed"):
        took = writes(work, lines, state)
        row("a writer's write(2), server: %s" % state, took[len(took) // 2], "us",
            "99 %%: %.1f, the longest %.0f" % (took[len(took) * 99 // 100], took[-1]))


def throughput(server, nr):
    """Agents that each read a file, from their start to the last stored event."""
    client = Nats(server.port)
    client.purge()
    with open(DATA, "rb") as f:
        events = sum(block.count(b"\n") for block in iter(lambda: f.read(1 << 20), b""))
    server_before, begin = cpu_of(server.process.pid), time.monotonic()
    agents = [subprocess.Popen([TOP, "--once", "--max-processes=1000", "--redact=none", "--forward-rate=0",
                                "--forward=" + server.url(), "--as=bench.host-%d" % n, DATA],
                               stdout=subprocess.DEVNULL) for n in range(nr)]
    for agent in agents:
        agent.wait()
    seconds = time.monotonic() - begin
    found = messages(server)
    stored, lost = sum(m.events for m in found), sum(m.lost for m in found)
    row("events/s of %d agent%s that read%s files, to the server" % (nr, "s" * (nr > 1), "s" * (nr == 1)), stored / seconds / 1e3,
        "thousand/s", "%d of %d stored, %d lost; server %.2f us an event"
        % (stored, events * nr, lost, (cpu_of(server.process.pid) - server_before) / stored * 1e6))


def connections(server, lines, nr=1000, events=500):
    """The protocol by hand, one thread: one message per second per connection, one unacknowledged."""
    client = Nats(server.port)
    client.purge()
    with tempfile.NamedTemporaryFile() as f:
        f.write(b"".join(lines[:events]))
        f.flush()
        data = subprocess.run(["zstd", "-qc", "-1", "--no-check", f.name], capture_output=True, check=True).stdout
    poll, socks = select.epoll(), {}
    for n in range(nr):
        s = socket.create_connection(("127.0.0.1", server.port))
        s.sendall(b'CONNECT {"verbose":false,"pedantic":false,"headers":true,"lang":"b","version":"1"}\r\n'
                  b"SUB _INBOX.c%d 1\r\nPING\r\n" % n)
        s.setblocking(False)
        poll.register(s, select.EPOLLIN)
        socks[s.fileno()] = [s, n, 0, 0.0, b""]  # socket, number, messages sent, time of the last one
    time.sleep(1)
    run, took, sent, missed = time.time_ns(), [], 0, 0
    server_before, begin = cpu_of(server.process.pid), time.monotonic()
    due = sorted((begin + n / nr, fd) for n, fd in enumerate(socks))
    at, busy = 0, set()
    end = begin + 2 * SECONDS
    queue = [(when + k, fd) for k in range(int(2 * SECONDS)) for when, fd in due]
    while at < len(queue) or busy:
        now = time.monotonic()
        if now > end + 20:
            break
        while at < len(queue) and queue[at][0] <= now:
            one = socks[queue[at][1]]
            at += 1
            if one[0].fileno() in busy:
                missed += 1
                continue
            head = (b"NATS/1.0\r\nNats-Msg-Id: bench.c%d:%d:%d\r\nT2: 1 %d %d 0 0 zstd\r\n\r\n"
                    % (one[1], run, one[2], time.time_ns(), events))
            one[0].setblocking(True)
            one[0].sendall(b"HPUB trace2.v1.events.bench.c%d _INBOX.c%d %d %d\r\n" %
                           (one[1], one[1], len(head), len(head) + len(data)) + head + data + b"\r\n")
            one[0].setblocking(False)
            one[2], one[3], sent = one[2] + 1, time.monotonic(), sent + 1
            busy.add(one[0].fileno())
        for fd, _ in poll.poll(0.002):
            one = socks[fd]
            one[4] += one[0].recv(65536)
            while b"\r\n" in one[4]:
                first, _, rest = one[4].partition(b"\r\n")
                if first.startswith(b"MSG"):
                    size = int(first.split()[-1])
                    if len(rest) < size + 2:
                        break
                    assert b'"seq"' in rest[:size], rest[:size]
                    rest = rest[size + 2:]
                    took.append(time.monotonic() - one[3])
                    busy.discard(fd)
                elif first == b"PING":
                    one[0].sendall(b"PONG\r\n")
                one[4] = rest
    seconds = time.monotonic() - begin
    state = client.state()
    with open("/proc/%d/status" % server.process.pid) as f:
        memory = int([one for one in f if one.startswith("VmHWM")][0].split()[1]) / 1024
    took.sort()
    row("%d connections, each one message of %d events per second" % (nr, events), sent * events / seconds / 1e3, "thousand/s",
        "%d messages sent, %d stored, %d not sent in time; acknowledged in %.2f ms (median), %.1f ms (99 %%); "
        "server %.2f us an event, %.0f MB"
        % (sent, state["messages"], missed, took[len(took) // 2] * 1e3, took[len(took) * 99 // 100] * 1e3,
           (cpu_of(server.process.pid) - server_before) / (sent * events) * 1e6, memory))


def main():
    for tool in ("nats-server", "zstd"):
        if not shutil.which(tool):
            print("fleet: skipped: no %s" % tool)
            return
    if "built without" in subprocess.run([TOP, "--version"], capture_output=True, text=True).stdout.split("nats:")[1]:
        print("fleet: skipped: built without NATS")
        return
    with open(DATA, "rb") as f:
        lines = f.read(20 << 20).splitlines(keepends=True)[:-1]
    with tempfile.TemporaryDirectory() as work:
        server = Server(work + "/server", jetstream="max_file: 4G").start()
        Nats(server.port).stream()
        parts = {
            "bytes": lambda: packed_bytes(lines),
            "writes": lambda: writer_waits(work, lines),
            "agent-1000": lambda: agent_cpu(server, work, lines, 1000),
            "agent-20000": lambda: agent_cpu(server, work, lines, 20000),
            "files": lambda: (throughput(server, 1), throughput(server, 8)),
            "connections": lambda: connections(server, lines),
        }
        for part in sys.argv[4:] or parts:
            parts[part]()
        server.end()


main()
