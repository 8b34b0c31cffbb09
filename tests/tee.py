# SPDX-License-Identifier: MIT
"""Tees: for each kind of target, the received bytes equal the sent ones.

    tee.py TRACE2TOP WORK
"""
import json
import os
import random
import re
import select
import signal
import socket
import subprocess
import sys
import threading
import time

PROGRAM, WORK = sys.argv[1:3]
WRITERS, EVENTS = 8, 600
bad = 0


def expect(ok, *what):
    global bad
    if not ok:
        bad += 1
        print("tee:", *what)


def path(name):
    return os.path.join(WORK, name)


def fresh(name):
    if os.path.exists(path(name)):
        os.unlink(path(name))
    return path(name)


def wait_for(what, seconds=120):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if what():
            return True
        time.sleep(0.01)
    return False


def sid_of(writer):
    return "20261122T080000.%06dZ-H0badcafe-P%08x" % (writer, writer + 4096)


def line(sid, kind, number, **more):
    return (json.dumps({"event": kind, "sid": sid, "thread": "main", "time": "2026-11-22T08:00:00.%06dZ" % number,
                        "file": "x.c", "line": 1, **more}, separators=(",", ":")) + "\n").encode()


def trace_of(writer, events=EVENTS):
    sid = sid_of(writer)
    form = line(sid, "data", 0, t_abs=0.1, t_rel=0.1, nesting=1, category="c", key="k", value="%s")
    form = b".%06dZ".join(form.rsplit(b".000000Z", 1))
    data = [form % (n, b"v" * (n % 300)) for n in range(events)]
    return [line(sid, "version", 0, evt="4", exe="2.39")] + data + [line(sid, "atexit", 1, t_abs=1.0, code=0)]


def connected(address, kind=socket.SOCK_STREAM):
    s = socket.socket(socket.AF_UNIX, kind)

    def tried():
        try:
            s.connect(address)
        except OSError:
            return False
        return True
    expect(wait_for(tried), "no process listens at", address)
    return s


def send(address, lines, datagrams, last_lf=True):
    with connected(address, socket.SOCK_DGRAM if datagrams else socket.SOCK_STREAM) as s:
        if datagrams:
            for one in lines:
                s.send(one)
            return
        rest = b"".join(lines)
        rest = memoryview(rest if last_lf else rest[:-1])
        while rest:
            nr = random.randint(1, 9000)
            s.sendall(rest[:nr])
            rest = rest[nr:]


def send_all(address, traces, datagrams, last_lf=True):
    threads = [threading.Thread(target=send, args=(address, t, datagrams, last_lf)) for t in traces]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


class Collector(threading.Thread):
    """An existing collector: accepts connections or datagrams, each separately."""

    def __init__(self, address, kind, reads=True):
        super().__init__(daemon=True)
        self.kind, self.reads, self.over = kind, reads, False
        self.listener = socket.socket(socket.AF_UNIX, kind)
        self.listener.bind(address)
        if kind == socket.SOCK_STREAM:
            self.listener.listen(128)
        self.listener.settimeout(0.05)
        self.connections, self.datagrams, self.ended, self.open = [], [], 0, []
        self.lock = threading.Lock()
        self.start()

    def take(self, connection, at):
        while True:
            part = connection.recv(65536)
            with self.lock:
                if not part:
                    self.ended += 1
                    return
                self.connections[at] += part

    def run(self):
        while not self.over:
            try:
                if self.kind == socket.SOCK_DGRAM:
                    if not self.reads:
                        time.sleep(0.05)
                        continue
                    self.datagrams.append(self.listener.recv(300000))
                    continue
                connection, _ = self.listener.accept()
            except socket.timeout:
                continue
            connection.settimeout(None)
            self.open.append(connection)
            if self.reads:
                self.connections.append(bytearray())
                threading.Thread(target=self.take, args=(connection, len(self.connections) - 1),
                                 daemon=True).start()

    def all(self):
        with self.lock:
            return b"".join(self.connections) + b"".join(self.datagrams)

    def size(self):
        with self.lock:
            return sum(map(len, self.connections)) + sum(map(len, self.datagrams))

    def kill(self):
        self.over = True
        self.join()
        for connection in self.open:
            connection.close()
        self.listener.close()

    def leave(self):
        """Like kill(), after reading everything that was written to the collector."""
        os.unlink(self.listener.getsockname())
        while self.listener in select.select([self.listener], [], [], 0)[0]:
            time.sleep(0.01)
        expect(wait_for(lambda: self.ended == len(self.connections)), "a connection is not closed")
        self.kill()


class Teeing:
    def __init__(self, source, *targets):
        self.address = fresh(source)
        spec = "af_unix:%s:%s" % ("dgram" if "dgram" in source else "stream", self.address)
        self.process = subprocess.Popen([PROGRAM, *["--tee=" + t for t in targets], spec],
                                        stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        told = self.process.communicate(timeout=120)[1].decode()
        lost = sum(int(n) for n in re.findall(r": (\d+) lines of \d+ were lost", told))
        return self.process.returncode, lost, told


def by_sid(text):
    got = {}
    for one in text.splitlines(True):
        got.setdefault(re.match(rb'\{"event":"[a-z]+","sid":"([^"]+)"', one)[1].decode(), []).append(one)
    return got


def same_lines(got, traces, what):
    for trace in traces:
        sid = json.loads(trace[0])["sid"]
        expect(got.get(sid) == trace, what, sid, len(got.get(sid, [])), "lines of", len(trace))


# ---- each kind, byte for byte ----

def forwards_unchanged_to_all_kinds_of_targets(datagrams):
    traces = [trace_of(i) for i in range(WRITERS)]
    sizes = sum(len(one) for t in traces for one in t)
    kind = "dgram" if datagrams else "stream"
    streams = Collector(fresh("c.stream"), socket.SOCK_STREAM)
    dgrams = Collector(fresh("c.dgram"), socket.SOCK_DGRAM)
    directory, file = path("dir." + kind), fresh("file")
    os.makedirs(directory)
    t = Teeing("in." + kind, "af_unix:stream:" + path("c.stream"), "af_unix:dgram:" + path("c.dgram"), file, directory)
    send_all(t.address, traces, datagrams)

    def all_there():
        files = [os.path.join(directory, n) for n in os.listdir(directory)]
        return (streams.size() >= sizes and dgrams.size() >= sizes and os.path.exists(file)
                and os.path.getsize(file) >= sizes and sum(map(os.path.getsize, files)) >= sizes
                and streams.ended >= WRITERS)
    expect(wait_for(all_there), kind, "not everything arrived", sizes, streams.size(), dgrams.size(), streams.ended)
    status, lost, told = t.end()
    expect(status == 0 and lost == 0 and not told, kind, status, told)
    expect(sorted(streams.connections) == sorted(b"".join(trace) for trace in traces), kind, "connections differ")
    expect(all(d.count(b"\n") == 1 and d.endswith(b"\n") for d in dgrams.datagrams), kind, "not one line each")
    same_lines(by_sid(b"".join(dgrams.datagrams)), traces, kind + " to datagrams")
    with open(file, "rb") as f:
        same_lines(by_sid(f.read()), traces, kind + " to a file")
    expect(sorted(os.listdir(directory)) == sorted(sid_of(i) for i in range(WRITERS)), kind, os.listdir(directory))
    for i, trace in enumerate(traces):
        with open(os.path.join(directory, sid_of(i)), "rb") as f:
            expect(f.read() == b"".join(trace), kind, "a file of the directory differs")
    streams.kill()
    dgrams.kill()


def keeps_an_unterminated_last_line():
    traces = [trace_of(i, 5) for i in range(WRITERS)]
    streams = Collector(fresh("c.stream"), socket.SOCK_STREAM)
    file = fresh("file")
    t = Teeing("in.stream", "af_unix:" + path("c.stream"), file)
    send_all(t.address, traces, False, last_lf=False)
    expect(wait_for(lambda: streams.ended >= WRITERS), "connections were not closed")
    expect(t.end()[0] == 0, "the status")
    expect(sorted(streams.connections) == sorted(b"".join(trace)[:-1] for trace in traces), "the last lines differ")
    # In a file the next line belongs to another writer.
    with open(file, "rb") as f:
        same_lines(by_sid(f.read()), traces, "last lines in a file")
    streams.kill()


# ---- targets that do not read, are missing, or return ----

def never_waits_for_a_target(kind):
    """Writers are never delayed; drops + received = sent."""
    address = fresh("c.stuck")
    stuck = Collector(address, kind, reads=False)
    t = Teeing("in.stream", "af_unix:%s:%s" % ("dgram" if kind == socket.SOCK_DGRAM else "stream", address))
    traces = [trace_of(i, 12000) for i in range(WRITERS)]
    send_all(t.address, traces, False)
    sent = sum(len(trace) for trace in traces)
    status, lost, told = t.end()
    # Data that was sent and never read.
    arrived = b""
    if kind == socket.SOCK_DGRAM:
        stuck.reads = True
        wait_for(lambda: sum(d.count(b"\n") for d in stuck.datagrams) + lost >= sent)
        arrived = b"".join(stuck.datagrams)
    else:
        for connection in stuck.open:
            with connection.makefile("rb") as reads:
                arrived += reads.read()
            # A last line that was sent in part is lost.
            arrived = arrived[:arrived.rfind(b"\n") + 1]
    stuck.kill()
    expect(status == 0 and lost > 0, status, told)
    expect(arrived.count(b"\n") + lost == sent, "arrived", arrived.count(b"\n"), "lost", lost, "sent", sent)
    for sid, lines in by_sid(arrived).items():
        rest = iter(traces[int(sid[16:22])])
        expect(all(one in rest for one in lines), "received lines are out of order or changed")


def reconnects_to_a_target():
    address = fresh("c.back")
    t = Teeing("in.stream", "af_unix:stream:" + address)
    sent = arrived = 0

    def some(i):
        nonlocal sent
        trace = trace_of(i, 50)
        send(t.address, trace, False)
        sent += len(trace)
    some(0)
    for run in range(2):
        collector = Collector(address, socket.SOCK_STREAM)

        def reached():
            some(1 + run)
            return wait_for(collector.size, 0.2)
        expect(wait_for(reached), "it is not retried")
        collector.leave()
        arrived += collector.all().count(b"\n")
    some(9)
    status, lost, told = t.end()
    expect(status == 0 and arrived + lost == sent, "arrived", arrived, "lost", lost, "sent", sent)
    expect("No such file" in told or "refused" in told, told)


# ---- the same as Git itself ----

def shape(directory):
    """The lines of a trace without times and process ids."""
    shapes = []
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name), "rb") as f:
            rows = [json.loads(one) for one in f]
        for row in rows:
            for key in ("sid", "time", "t_abs", "t_rel", "pid", "value", "ancestry", "child_id"):
                row.pop(key, None)
        shapes.append([json.dumps(row, sort_keys=True) for row in rows])
    return sorted(shapes)


def writes_directories_like_git():
    repo, own, teed = path("repo"), path("own"), path("teed")
    for name in (own, teed):
        os.makedirs(name)
    subprocess.run(["git", "init", "-q", repo], check=True)
    subprocess.run(["git", "-C", repo, "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "--allow-empty",
                    "-m", "x"], check=True)

    def commands(target):
        for args in (["status"], ["log", "-1"], ["fsck"], ["rev-parse", "no-such-thing"]):
            subprocess.run(["git", "-C", repo, *args], env=dict(os.environ, GIT_TRACE2_EVENT=target),
                           capture_output=True)
    commands(own)
    t = Teeing("in.stream", teed)
    connected(t.address).close()
    commands("af_unix:stream:" + t.address)
    wanted = sum(os.path.getsize(os.path.join(own, n)) for n in os.listdir(own)) * 0.9

    def there():
        return sum(os.path.getsize(os.path.join(teed, n)) for n in os.listdir(teed)) > wanted
    wait_for(there)
    expect(t.end()[1] == 0, "lines were lost")
    expect(shape(own) == shape(teed), "a directory differs from Git's")


def respects_max_files():
    """trace2.maxFiles is respected, and its sentinel file is created."""
    directory = path("bounded")
    os.makedirs(directory)
    t = None
    try:
        # Git counts . and .., too.
        os.environ["GIT_TRACE2_MAX_FILES"] = "5"
        t = Teeing("in.stream", directory)
    finally:
        del os.environ["GIT_TRACE2_MAX_FILES"]
    for i in range(6):
        send(t.address, trace_of(i, 2), False)
    _, lost, told = t.end()
    names = sorted(os.listdir(directory))
    expect(len(names) == 4 and "git-trace2-discard" in names, names)
    expect(lost == 12 and "the directory is full" in told, told)


def rejects_hostile_names():
    directory = path("names")
    os.makedirs(directory)
    t = Teeing("in.stream", directory)
    for i, sid in enumerate(("../../up", "a/..", ".hidden", "x" * 300, "a\\u0000b", "")):
        send(t.address, [line(sid, "data", i)], False)
    send(t.address, [b"no trace at all\n"], False)
    expect(wait_for(lambda: len(os.listdir(directory)) >= 7), os.listdir(directory))
    t.end()
    expect(all(n.startswith("unnamed-") or n == "up" for n in os.listdir(directory)), os.listdir(directory))


def rejects_invalid_targets():
    source = path("x.sock")
    for target, words in (("af_unix:stream:" + source, "is one of the sources, or in one"),
                          ("relative", "is not a Git trace target"),
                          ("af_unix:stream:", "is not a Git trace target"),
                          ("af_unix:" + "/x" * 100, "too long")):
        done = subprocess.run([PROGRAM, "--tee=" + target, "af_unix:stream:" + source], capture_output=True, timeout=120,
                              stdin=subprocess.DEVNULL)
        told = done.stderr.decode()
        expect(done.returncode == 2 and words in told and told.count("\n") == 1, target, told)
    done = subprocess.run([PROGRAM, *["--tee=/tmp/x"] * 5, source], capture_output=True, stdin=subprocess.DEVNULL,
                          timeout=120)
    expect(done.returncode == 2 and b"at most 4" in done.stderr, done.stderr)


random.seed(1)
forwards_unchanged_to_all_kinds_of_targets(False)
forwards_unchanged_to_all_kinds_of_targets(True)
keeps_an_unterminated_last_line()
never_waits_for_a_target(socket.SOCK_STREAM)
never_waits_for_a_target(socket.SOCK_DGRAM)
reconnects_to_a_target()
writes_directories_like_git()
respects_max_files()
rejects_hostile_names()
rejects_invalid_targets()
sys.exit(bad)
