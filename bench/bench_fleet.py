# SPDX-License-Identifier: MIT
"""What an agent and its server cost: bytes an event, CPU an event on top of reading, how long whoever is traced
waits, events a second, and a thousand connections, by the real nats-server on loopback.

    bench_fleet.py TRACE2TOP DATA [SECONDS]
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


def row(what, value, unit, more=""):
    print("%-58s %9.1f %-12s %s" % (what, value, unit, more), flush=True)


def cpu_of(pid):
    """Seconds of CPU of all its threads, ended ones included only where they are few ticks."""
    total = 0
    for name in glob.glob("/proc/%d/task/*/schedstat" % pid):
        try:
            with open(name) as f:
                total += int(f.read().split()[0])
        except OSError:
            pass
    return total / 1e9


def packed_bytes(lines):
    """As an agent packs them: a frame of zstd 1 a batch, that tells its size."""
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
        row("bytes an event, packed, batches of %d" % nr, size / (nr * len(chosen)), "bytes",
            "raw %.0f" % (sum(map(len, chosen)) / (nr * len(chosen))))


def connected(path):
    """To a socket that trace2top is about to make."""
    while True:
        try:
            s = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            s.connect(path)
            return s
        except OSError:
            s.close()
            time.sleep(0.02)


def agent_run(server, work, rate, lines, *more):
    """One writer at so many events a second; the agent's and the server's CPU an event, in us."""
    path = work + "/sock"
    agent = subprocess.Popen([TOP, "--forward=" + server.url(), "--as=bench.one", *more, "af_unix:stream:" + path],
                             stdin=subprocess.DEVNULL)
    s = connected(path)
    time.sleep(1)  # it is connected
    before, server_before = cpu_of(agent.pid), cpu_of(server.process.pid)
    begin, sent = time.monotonic(), 0
    while time.monotonic() < begin + SECONDS:
        due = int((time.monotonic() - begin) * rate)
        while sent < due:
            s.sendall(lines[sent % len(lines)])
            sent += 1
        time.sleep(0.001)
    time.sleep(1.5)
    used, server_used = cpu_of(agent.pid) - before, cpu_of(server.process.pid) - server_before
    s.close()
    with open("/proc/%d/status" % agent.pid) as f:
        status = dict(one.split(":", 1) for one in f.read().splitlines())
    agent.send_signal(signal.SIGTERM)
    agent.wait()
    return used / sent * 1e6, server_used / sent * 1e6, int(status["VmHWM"].split()[0]) / 1024, int(status["Threads"])


def agent_cpu(server, work, lines):
    for rate in (1000, 20000):
        for what, more in (("redacted", ["--redact=text"]), ("as it came", ["--redact=none"])):
            reads, forwards, servers = [], [], []
            for _ in range(3):
                reads.append(agent_run(server, work, rate, lines, "--sample=1000000000", *more)[0])
                got = agent_run(server, work, rate, lines, *more)
                forwards.append(got[0])
                servers.append(got[1])
            row("agent, %s, %d events/s: CPU an event on top of reading" % (what, rate),
                statistics.median(forwards) - statistics.median(reads), "us",
                "reading %.2f, all %.2f [%.2f .. %.2f]; server %.2f; %.1f MB, %d threads"
                % (statistics.median(reads), statistics.median(forwards), min(forwards), max(forwards),
                   statistics.median(servers), got[2], got[3]))


def writes(work, lines, state, rounds=20000):
    """How long each write(2) of a writer takes, in us, sorted: beside a server in this state, or none at all."""
    path = work + "/sock"
    server = Server(work + "/" + state.replace(" ", "-"), jetstream="max_file: 4G").start()
    Nats(server.port).stream()
    to = ["--forward=" + server.url(), "--as=bench.writes"] if state != "none" else ["--record=" + work + "/none.rec"]
    agent = subprocess.Popen([TOP, *to, "--redact=none", "af_unix:stream:" + path], stdin=subprocess.DEVNULL,
                             stderr=subprocess.DEVNULL)
    with connected(path) as s:
        for line in lines[:1000]:
            s.sendall(line)
        time.sleep(1)  # it is connected
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
    """Whoever is traced writes beside a server that is there, stopped or killed as beside none."""
    for state in ("none", "there", "stopped", "killed"):
        took = writes(work, lines, state)
        row("a writer's write(2), server: %s" % state, took[len(took) // 2], "us",
            "99 %%: %.1f, the longest %.0f" % (took[len(took) * 99 // 100], took[-1]))


def throughput(server, nr):
    """Agents that read a file each, from their start to the last event stored."""
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
    """The protocol by hand, one thread: a message a second each, one unacknowledged."""
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
        socks[s.fileno()] = [s, n, 0, 0.0, b""]  # socket, number, messages sent, when the last one was
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
    row("%d connections, a message of %d events a second each" % (nr, events), sent * events / seconds / 1e3, "thousand/s",
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
    packed_bytes(lines)
    with tempfile.TemporaryDirectory() as work:
        writer_waits(work, lines)
        server = Server(work + "/server", jetstream="max_file: 4G").start()
        Nats(server.port).stream()
        agent_cpu(server, work, lines)
        throughput(server, 1)
        throughput(server, 8)
        connections(server, lines)
        server.end()


main()
