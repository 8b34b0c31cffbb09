# SPDX-License-Identifier: MIT
"""A viewer reads simulated agents through a real nats-server."""
import concurrent.futures
import glob
import json
import os
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

from nats_client import Agent, Nats, Server, packed

TOP, FOLDER, SOURCE = sys.argv[1:4]
DEADLINE_S = 120
ALL = "FLEET_ALL" in os.environ
MS = 1000000
bad = 0


def check(ok, *what):
    global bad
    if not ok:
        bad += 1
        print("fleet_view:", *what)
    return ok


def run(*args, status=0):
    done = subprocess.run([TOP, "--no-config", *args], stdin=subprocess.DEVNULL, capture_output=True,
                          timeout=DEADLINE_S)
    err = done.stderr.decode()
    check(done.returncode == status, args, "status", done.returncode, err)
    return done.stdout.decode(), err


def report(*args):
    return json.loads(run("--once", "--format=json", *args)[0])


def same(a, b):
    for r in (a, b):
        for key in ("sources", "written", "origin", "generated"):
            r.pop(key, None)
        for p in r["processes"]:
            p.pop("agent", None)
    return a == b


def until(what, *about):
    deadline = time.monotonic() + DEADLINE_S
    while not what():
        if time.monotonic() > deadline:
            check(False, *about)
            return False
        time.sleep(0.05)
    return True


def pieces(lines, nr):
    return [b"".join(lines[i:i + nr]) for i in range(0, len(lines), nr)]


with open(os.path.join(SOURCE, "tests/data/dump.event"), "rb") as of:
    DUMP = of.read().splitlines(True)


def corpus(url, nats):
    """Send traces of every version of Git as an agent: the report equals that of the file. FLEET_ALL=1: all of them,
    in messages of 97 lines."""
    paths = sorted(glob.glob(os.path.join(FOLDER, "*", "*", "event")))[::None if ALL else 3]
    nr = 0
    for i, path in enumerate(paths):
        if not os.path.isfile(path):
            continue
        with open(path, "rb") as trace:
            lines = trace.read().splitlines(True)
        # An agent sends whole lines only, so skip files without a final LF.
        if not lines or not lines[-1].endswith(b"\n"):
            continue
        name = "corpus.h%d" % i
        agent = Agent(nats, name, 1)
        for piece in pieces(lines, 97 if ALL else max(97, len(lines) // 4)):
            agent.send(piece)
        seen = report("--parts", url + "/" + name)
        check({p.get("agent") for p in seen["processes"]} <= {name}, path, "agents")
        check(same(seen, report("--parts", path)), path, "the report differs from the file's")
        nr += 1
    check(nr > 10, "only", nr, "traces")
    print(nr, "traces")


def wire(url, nats):
    """Errors in transit affect one agent only."""
    a = Agent(nats, "wire.one", 5)
    a.send(b"".join(DUMP[:10]))
    a.seq -= 1
    # The same message again under another id, which the server does not recognise as a repeat.
    headers = a.headers(10)
    headers[0] = ("Nats-Msg-Id", "wire.other:5:0")
    nats.stored(a.subject, packed(b"".join(DUMP[:10])), headers)
    a.seq = 4
    a.send(b"".join(DUMP[10:20]))
    a.send(b"".join(DUMP[20:]), lost=1234)
    quiet = Agent(nats, "wire.two", 5)
    quiet.send(b"".join(DUMP).replace(b"H89e495e7", b"H22222222"))
    seen = report(url + "/wire.one")
    source = seen["sources"][0]
    check(source["events"] == len(DUMP), "repeats are dropped:", source)
    check(source.get("remote_lost_messages") == 3 and source.get("remote_lost_events") == 1234, "lost:", source)
    seen = report(url + "/wire.two")
    check("remote_lost_events" not in seen["sources"][0], "losses of another agent")
    # An agent's claims are bounded, and count for that agent.
    liar = Agent(nats, "wire.liar", 5)
    liar.send(b"".join(DUMP[:5]).replace(b"H89e495e7", b"H33333333"), lost=10**15)
    seen = report(url + "/wire.liar")["sources"][0]
    check(seen.get("remote_lost_events", 0) <= 11000000, "a claim of lost events is bounded:", seen)
    check("wire.liar lost" in seen.get("agents", ""), "names the agent that lost events:", seen)
    # A new run: its missing messages are reported, too. Then the old run continues beside it.
    b = Agent(nats, "wire.twice", 7)
    b.send(b"".join(DUMP[:3]))
    c = Agent(nats, "wire.twice", 8, seq=2)
    c.send(b"".join(DUMP[3:6]))
    check(report(url + "/wire.twice")["sources"][0].get("remote_lost_messages") == 2, "a new run")
    b.send(b"".join(DUMP[6:9]))
    text = run("--once", url + "/wire.twice")
    check("two agents call themselves wire.twice" in text[0] + text[1], "two agents with one name", *text)


def contradicted(url, nats):
    """An agent cannot send events of a process that belongs to another agent."""
    owner = Agent(nats, "own.owner", 1)
    other = Agent(nats, "own.other", 1)
    owner.send(b"".join(DUMP[:10]))
    other.send(b"".join(DUMP[:1]) + b"".join(DUMP[10:]))
    owner.send(b"".join(DUMP[10:]))
    fresh = b"".join(DUMP).replace(b"H89e495e7", b"H44444444")
    other.send(fresh)
    seen = report(url + "/own.*")
    source = seen["sources"][0]
    alone = report(url + "/own.owner")
    nr = len(DUMP) - 9
    check(source.get("contradicted") == nr, "contradicted events are counted:", nr, source)
    check("own.other sent %d contradicted" % nr in source.get("agents", ""), "per agent:", source)
    check({p.get("agent") for p in alone["processes"]} == {"own.owner"}, "the owner alone")
    mine = [p for p in seen["processes"] if p.get("agent") == "own.owner"]
    check(mine == alone["processes"], "contradicted events are not applied")
    check(len(seen["processes"]) == 2 * len(mine), "its own processes are shown")
    # A recording of bytes contains everything that arrived. Reading it rejects the same events.
    record = os.path.join(FOLDER, "own.t2rec.zst")
    report("--record=" + record, url + "/own.*")
    back = report(record)
    check(back["processes"] == seen["processes"], "a recording of bytes shows the same processes")
    check(back["sources"][0].get("contradicted") == nr, "and counts the same events:", back["sources"][0])
    # A redacted recording contains applied events only.
    record = os.path.join(FOLDER, "own.redacted.zst")
    report("--redact=text", "--record=" + record, url + "/own.*")
    back = report(record)["sources"][0]
    check(not back.get("contradicted") and back["events"] == 2 * len(DUMP), "a redacted recording:", back)
    # Spans are made from applied events: those of both agents' own processes.
    spans = [len(re.findall('"spanId"', run("--once", "--format=otlp", url + name)[0])) for name in ("/own.*", "/own.owner")]
    check(spans[0] == 2 * spans[1] and spans[1], "spans:", spans)


def malformed(url, nats):
    """Arbitrary messages of an authorized sender: counted and shown, and all others are read."""
    a = Agent(nats, "bad.one", 1)
    subject = a.subject
    frame = packed(b"".join(DUMP[:5]))
    unsized = subprocess.run(["zstd", "-q", "-c"], input=b"".join(DUMP[:5]), stdout=subprocess.PIPE, check=True).stdout
    a.send(b"".join(DUMP[:5]))
    sent = [(b"no frame at all \x1b[31m", a.headers(1)), (b"", a.headers(1)), (unsized, a.headers(5)),
            (packed(b"x" * ((4 << 20) + 1)), a.headers(1)), (frame[:-4], a.headers(5)), (frame + b"more", a.headers(5)),
            (frame, None), (frame, [("T2", "1 0 1 0 0 zstd")]), (frame, a.headers(5)[:1]),
            (frame, [a.headers(5, seq=9)[0], ("T2", "one two")]),
            (frame, [a.headers(5, seq=9)[0], ("T2", "1 0 5 0 0 gzip")]),
            (frame, [("Nats-Msg-Id", "bad.one"), a.headers(5)[1]])]
    for i, (payload, headers) in enumerate(sent):
        if headers and headers[0][0] == "Nats-Msg-Id" and ":" in headers[0][1]:
            headers = [("Nats-Msg-Id", "bad.one:9%d:%d" % (i, i))] + headers[1:]
        nats.stored(subject, payload, headers)
    a.send(b"no JSON\n" + b"".join(DUMP[5:]))
    source = report(url + "/bad.one")["sources"][0]
    check(source["events"] == len(DUMP), "valid messages are read:", source)
    check(source["malformed"] == len(sent) + 1, "each of", len(sent) + 1, "is counted:", source)
    screen = run("--dump=-", "--size=120x40", "--page=sources", url + "/bad.one")[0]
    check("bad.one: no frame at all" in screen and "\x1b" not in screen, "a sample is kept:", screen)
    # The host of another version is named, and nothing is read.
    n = Agent(nats, "bad.newer", 1)
    n.send(b"".join(DUMP), version="2")
    text = "".join(run("--once", url + "/bad.newer"))
    check("bad.newer is newer than this trace2top" in text, "a newer version:", text)


def skew(url, nats):
    """A clock that is 2.3 s slow, and a correct one."""
    late, right = Agent(nats, "skew.late", 1), Agent(nats, "skew.right", 1)
    lates, rights = packed(b"".join(DUMP)), packed(b"".join(DUMP).replace(b"H89e495e7", b"H33333333"))
    # The minimum of the observed times counts: one fast message is enough.
    for tries in range(200):
        now = time.time_ns()
        for agent, data, wall in (late, lates, now - 2300 * MS), (right, rights, now):
            nats.stored(agent.subject, data, agent.headers(len(DUMP), wall=wall))
            agent.seq += 1
        if time.time_ns() - now < 40 * MS:
            break
    screen = run("--dump=-", "--size=120x40", url + "/skew.*")[0]
    check("skew.late: clock skew +2.3" in screen, "in the header:", tries, screen)
    check("skew.right: clock skew" not in screen, "for a correct clock:", screen)


def elapsed(url, nats):
    """A process on a host whose clock is two hours slow does not run for two hours; its times are unchanged."""
    agent = Agent(nats, "skew.much", 1)
    sid = "20261122T080000.000000Z-H77777777-P00000007"
    viewer = Spoken(url + "/skew.*")
    try:
        viewer.hear("following")
        wall = time.time_ns() - 7200 * 1000 * MS
        lines = b""
        for event, more in ("version", {"evt": "3", "exe": "2.39.5"}), ("start", {"t_abs": 0.0, "argv": ["git", "slow"]}):
            stamp = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(wall // (1000 * MS))) + ".000000Z"
            line = dict(event=event, sid=sid, thread="main", time=stamp, file="a.c", line=1, **more)
            lines += json.dumps(line).encode() + b"\n"
        agent.send(lines, wall=wall)
        said = viewer.hear("slow")
        check("hour" not in said, "how long it runs:", said)
        agent.send(lines.splitlines(True)[1].replace(b'"start"', b'"exit"').replace(b'"t_abs": 0.0', b'"t_abs": 0.5, "code": 3'),
                   wall=wall)
        said = viewer.hear("slow")
        check("500 m" in said, "how long it ran:", said)
    finally:
        viewer.end()


def mistakes(folder):
    """Each mistake is one line and exit status 1, or 2 if the command line is wrong."""
    out, err = run("--once", "nats://127.0.0.1:1/a.b", status=1)
    check("127.0.0.1:1 is unreachable" in err and err.count("\n") == 1, "no server:", err)
    out, err = run("--once", "nats://127.0.0.1:1/justone", status=1)
    check("SITE.HOST" in err, "no name:", err)
    server = Server(os.path.join(folder, "eve"), 'authorization { users: [ {user: eve, password: "se cret"} ] }').start()
    try:
        Nats(server.port, "eve", "se cret").socket.close()
        out, err = run("--once", "nats://eve:wrong@127.0.0.1:%d/a.b" % server.port, status=1)
        check("wrong user, password or key" in err and err.count("\n") == 1 and "eve:" not in err, "wrong password:", err)
        out, err = run("--once", "nats://eve:se%%20cret@127.0.0.1:%d/a.b" % server.port, status=1)
        check("no stream EVENTS" in err and err.count("\n") == 1 and "cret" not in err, "no stream:", err)
        Nats(server.port, "eve", "se cret").stream()
        seen = report("nats://eve:se%%20cret@127.0.0.1:%d/a.b" % server.port)
        check(seen["sources"][0]["events"] == 0, "nothing stored")
        check("cret" not in json.dumps(seen), "the password is in the report")
    finally:
        server.end()
    server = Server(os.path.join(folder, "account"), 'accounts { A { users: [ {user: a, password: a} ] } }').start()
    try:
        out, err = run("--once", "nats://a:a@127.0.0.1:%d/a.b" % server.port, status=1)
        check("JetStream is not on" in err and err.count("\n") == 1, "no JetStream:", err)
    finally:
        server.end()


reports = {}


def events_in(recording):
    """The report of a recording, which is made again only if the file has changed."""
    try:
        seen = os.stat(recording)
    except OSError:
        return {"sources": [{"events": 0}], "processes": []}
    state = seen.st_size, seen.st_mtime_ns
    if reports.get(recording, (None,))[0] != state:
        reports[recording] = state, report_of(recording)
    return reports[recording][1]


def report_of(recording):
    done = subprocess.run([TOP, "--no-config", "--once", "--format=json", recording], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=DEADLINE_S)
    try:
        return json.loads(done.stdout)
    except ValueError:
        return {"sources": [{"events": 0}], "processes": []}


def late(server, url, nats):
    """A viewer that starts late receives earlier events; one that loses its server reconnects."""
    a, b = Agent(nats, "late.one", 1), Agent(nats, "late.two", 1)
    other = [line.replace(b"H89e495e7", b"H44444444") for line in DUMP]
    a.send(b"".join(DUMP[:30]))
    b.send(b"".join(other[:30]))
    kept = os.path.join(FOLDER, "late.rec")
    viewer = subprocess.Popen([TOP, "--no-config", "--record=" + kept, url + "/late.*"], stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    new = os.path.join(FOLDER, "new.rec")
    only_new = subprocess.Popen([TOP, "--no-config", "--new", "--record=" + new, url + "/late.*"],
                                stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    try:
        until(lambda: os.path.exists(kept) and events_in(kept)["sources"][0]["events"] == 60, "what came before")
        until(lambda: nats.api("STREAM.INFO.EVENTS")["state"]["consumer_count"] >= 2, "both have joined")
        a.send(b"".join(DUMP[30:40]))
        until(lambda: events_in(kept)["sources"][0]["events"] == 70, "what comes now")
        server.end()
        server.start()
        again = Nats(server.port)
        a.nats = b.nats = again
        a.send(b"".join(DUMP[40:]))
        b.send(b"".join(other[30:]))
        until(lambda: events_in(kept)["sources"][0]["events"] == 2 * len(DUMP), "the server has gone and come")
        until(lambda: os.path.exists(new) and events_in(new)["sources"][0]["events"] == 2 * len(DUMP) - 60,
              "only what is new")
    finally:
        for process in (viewer, only_new):
            process.send_signal(signal.SIGTERM)
            process.wait(DEADLINE_S)
    seen = events_in(kept)
    check(seen["sources"][0]["events"] == 2 * len(DUMP), "each event once:", seen["sources"])
    check({p.get("agent") for p in seen["processes"]} == {"late.one", "late.two"}, "agents in a recording")
    check(same(report(url + "/late.*"), seen), "the recording's report is not the server's")
    # It does not request older messages, except for one minute.
    check(report("--since=1h", url + "/late.*")["sources"][0]["events"] == 2 * len(DUMP), "--since")


class Spoken:
    """A viewer without a screen, and its output."""

    def __init__(self, *args):
        self.process = subprocess.Popen([TOP, "--no-config", "--lines", *args], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.said = b""

    def hear(self, pattern):
        """Wait for `line`; return the rest of that line and forget earlier output."""
        deadline = time.monotonic() + DEADLINE_S
        while True:
            found = re.search(pattern.encode() + b".*\n", self.said)
            if found:
                self.said = self.said[found.end():]
                return found.group(0).decode()
            left = max(deadline - time.monotonic(), 0)
            more = b""
            if select.select([self.process.stdout], [], [], left)[0]:
                more = os.read(self.process.stdout.fileno(), 65536)
            if not more:
                check(False, pattern, "is not said, but", self.said[-1000:])
                return ""
            self.said += more

    def end(self):
        self.process.kill()
        self.process.communicate()


def behind(url, nats):
    """Events arrive faster than they are read: it reports its lag, and other viewers are not affected."""
    agent = Agent(nats, "much.one", 1)
    agent.send(b"".join(DUMP))
    viewer = Spoken("--history=0", url + "/much.*")
    try:
        viewer.hear("following")
        line = [one for one in DUMP if b'"event":"data"' in one][0]
        nr = (3 << 20) // len(line)
        much = packed(line * nr)
        # The lag is reported from two seconds on. A stopped viewer lags without reading for so long; then it
        # looks at its lag while it reads what waits, which takes longer than the half second between two looks.
        viewer.process.send_signal(signal.SIGSTOP)
        for _ in range(400):
            nats.publish(agent.subject, much, agent.headers(nr))
            agent.seq += 1
        sent = time.monotonic()
        until(lambda: time.monotonic() > sent + 2.5, "the clock stands still")
        viewer.process.send_signal(signal.SIGCONT)
        said = viewer.hear("lags its server by ")
        check(re.search(r"by [0-9.]+m?s?", said), "by how much:", said)
    finally:
        viewer.end()
    # Nothing is reported about a viewer without lag.
    Agent(nats, "much.two", 1).send(b"".join(DUMP).replace(b"H89e495e7", b"H55555555"))
    check(report(url + "/much.two")["sources"][0]["events"] == len(DUMP), "the lag of another viewer")


def silent(folder):
    """A stopped server closes no connection: its silence shows that it is unreachable."""
    server = Server(os.path.join(folder, "silent")).start()
    nats = Nats(server.port)
    nats.stream()
    agent = Agent(nats, "silent.one", 1)
    agent.send(b"".join(DUMP[:10]))
    viewer = Spoken("nats://127.0.0.1:%d/silent.*" % server.port)
    try:
        viewer.hear("following")
        server.signal(signal.SIGSTOP)
        viewer.hear("127.0.0.1:%d[^\n]*: connection lost: " % server.port)
        server.signal(signal.SIGCONT)
        viewer.hear("following")
        agent.send(b"".join(DUMP[10:]))
        viewer.hear("git ")
    finally:
        server.signal(signal.SIGCONT)
        viewer.end()
        server.end()


def anew(folder):
    """A stream or server that was created again starts below the last number that was read."""
    server = Server(os.path.join(folder, "anew")).start()
    url = server.url() + "/anew.*"
    nats = Nats(server.port)
    nats.stream()
    agent = Agent(nats, "anew.one", 1)
    for line in DUMP[:10]:
        agent.send(line)
    kept = [os.path.join(folder, name) for name in ("anew.rec", "anew-new.rec")]
    viewers = [subprocess.Popen([TOP, "--no-config", *more, "--record=" + path, url], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL) for path, more in zip(kept, ([], ["--new"]))]

    def have(*events):
        until(lambda: [os.path.exists(path) and events_in(path)["sources"][0]["events"] for path in kept] == list(events),
              "not", events, "events in", kept)

    try:
        have(10, 0)
        until(lambda: nats.api("STREAM.INFO.EVENTS")["state"]["consumer_count"] == 2, "both have joined")
        # A viewer with --new receives new events even if the server was unreachable before the first event.
        server.end()
        server.start()
        agent.nats = Nats(server.port)
        agent.send(b"".join(DUMP[10:12]))
        have(12, 2)
        server.end()
        shutil.rmtree(os.path.join(server.dir, "js"))
        server.start()
        agent.nats = nats = Nats(server.port)
        nats.stream()
        agent.send(b"".join(DUMP[12:14]))
        have(14, 4)
        nats.api("STREAM.DELETE.EVENTS")
        nats.stream()
        agent.send(b"".join(DUMP[14:16]))
        have(16, 6)
    finally:
        for viewer in viewers:
            viewer.send_signal(signal.SIGTERM)
            viewer.wait(DEADLINE_S)
        server.end()


class Forgetful(threading.Thread):
    """A fake server that reports three messages and has two: the stream has dropped the last one."""

    def __init__(self, letters):
        super().__init__(daemon=True)
        self.letters, self.subscribed = letters, {}
        self.listens = socket.create_server(("127.0.0.1", 0))
        self.port = self.listens.getsockname()[1]
        self.start()

    def tell(self, to, data, head=b"", reply=b"", subject=None):
        number = next(number for name, number in self.subscribed.items()
                      if name == to or (name.endswith(b"*") and to.startswith(name[:-1])))
        words = [b"HMSG" if head else b"MSG", subject or to, number, reply, b"%d" % len(head) if head else b"", b"%d" % len(head + data)]
        self.to.sendall(b" ".join(word for word in words if word) + b"\r\n" + head + data + b"\r\n")

    def answer(self, subject, reply, data):
        if b".STREAM.INFO." in subject:
            self.tell(reply, b'{"created": "2026-01-01T00:00:00Z", "state": {"last_seq": 3}, "config": {"name": "EVENTS"}}')
        if b".CONSUMER." not in subject:
            return
        config = json.loads(data or b"{}").get("config", {})
        said = {"stream_name": "EVENTS", "name": "one", "created": "2026-01-01T00:00:00Z", "num_pending": 0, "config": config}
        self.tell(reply, json.dumps(said).encode())
        if b".CREATE." not in subject:
            return
        for i, (head, payload) in enumerate(self.letters, 1):
            place = "$JS.ACK.EVENTS.one.1.%d.%d.%d.%d" % (i, i, time.time_ns(), 3 - i)
            head = b"NATS/1.0\r\n" + b"".join(b"%s: %s\r\n" % (k.encode(), v.encode()) for k, v in head) + b"\r\n"
            self.tell(config["deliver_subject"].encode(), payload, head, place.encode(), b"trace2.v1.events.gone.one")

    def run(self):
        self.to = self.listens.accept()[0]
        self.to.sendall(b'INFO {"server_id":"x","version":"2.9.10","headers":true,"max_payload":1048576,"jetstream":true}\r\n')
        reads = self.to.makefile("rb")
        while True:
            words = reads.readline().split()
            if not words:
                return
            if words[0] == b"PING":
                self.to.sendall(b"PONG\r\n")
            elif words[0] == b"SUB":
                self.subscribed[words[1]] = words[-1]
            elif words[0] in (b"PUB", b"HPUB"):
                data = reads.read(int(words[-1]) + 2)[:-2]
                self.answer(words[1], words[2], data[int(words[-2]) if words[0] == b"HPUB" else 0:])


def forgotten():
    """--once ends without waiting for counted messages that are not stored any more."""
    agent = Agent(None, "gone.one", 1)
    letters = []
    for part in (DUMP[:10], DUMP[10:]):
        letters.append((agent.headers(len(part)), packed(b"".join(part))))
        agent.seq += 1
    seen = report("nats://127.0.0.1:%d/gone.one" % Forgetful(letters).port)
    check(seen["sources"][0]["events"] == len(DUMP), "events of stored messages:", seen["sources"])


class Uncertain(Forgetful):
    """A server that cannot look up streams, and that creates only one."""

    def __init__(self):
        self.asked = []
        super().__init__([])

    def answer(self, subject, reply, data):
        self.asked.append(subject.rsplit(b".STREAM.", 1)[-1].split(b".")[0])
        if self.asked[-1] == b"CREATE" and self.asked.count(b"CREATE") == 1:
            self.tell(reply, b'{"created": "2026-01-01T00:00:00Z", "state": {}, "config": ' + data + b"}")
        else:
            self.tell(reply, b'{"error": {"code": 503, "err_code": 10008, "description": "temporarily unavailable"}}')


def unknown_streams():
    """--fleet-init deletes no stream of which it does not know if it existed."""
    server = Uncertain()
    ran = subprocess.run([TOP, "--fleet-init=nats://127.0.0.1:%d" % server.port, "lab.one"], capture_output=True,
                         timeout=120, check=False)
    check(ran.returncode != 0 and b"temporarily unavailable" in ran.stderr, "failed lookup:", ran)
    check(b"INFO" in server.asked and b"DELETE" not in server.asked, "failed lookup: requests", server.asked)


def one_server():
    server = Server(os.path.join(FOLDER, "server")).start()
    url = "nats://127.0.0.1:%d" % server.port
    try:
        nats = Nats(server.port)
        nats.stream()
        corpus(url, nats)
        wire(url, nats)
        contradicted(url, nats)
        malformed(url, nats)
        skew(url, nats)
        elapsed(url, nats)
        behind(url, nats)
        late(server, url, nats)
    finally:
        server.end()


def main():
    # Most cases wait for timeouts. Those with a server of their own run at the same time.
    with concurrent.futures.ThreadPoolExecutor() as pool:
        running = [pool.submit(one_server), pool.submit(mistakes, FOLDER), pool.submit(forgotten), pool.submit(unknown_streams),
                   pool.submit(silent, FOLDER), pool.submit(anew, FOLDER)]
    for one in running:
        one.result()
    sys.exit(1 if bad else 0)


main()
