# SPDX-License-Identifier: MIT
"""Agents with a real nats-server: stored + lost = written under all failures, and writers never wait.

    fleet.py TRACE2TOP SOURCES WORK [CASE...]
"""
import atexit
import concurrent.futures
import json
import os
import random
import re
import signal
import socket
import subprocess
import sys
import time
import traceback

from nats_client import Nats, Server, lines, messages

TOP, SOURCES, WORK = sys.argv[1:4]
CHOSEN = sys.argv[4:]
PATIENCE = 120  # s; working operations are faster on every machine
TIMES = int(os.environ.get("FLEET_TIMES", "1"))  # check-long writes five times as many events
bad = 0


def expect(ok, *what):
    global bad
    if not ok:
        bad += 1
        print("fleet:", *what)


def path(name):
    return os.path.join(WORK, name)


def wait_for(what):
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if what():
            return True
        time.sleep(0.02)
    return False


def sid_of(writer):
    return "20261122T080000.%06dZ-H0badcafe-P%08x" % (writer, writer + 4096)


def line(sid, kind, number, **more):
    return (json.dumps({"event": kind, "sid": sid, "thread": "main", "time": "2026-11-22T08:00:00.%06dZ" % number,
                        "file": "x.c", "line": 1, **more}, separators=(",", ":")) + "\n").encode()


def data_form(sid):
    """A data event with a place for its number and one for its value."""
    form = line(sid, "data", 0, t_abs=0.1, t_rel=0.1, nesting=1, category="c", key="k", value="%s")
    return b".%06dZ".join(form.rsplit(b".000000Z", 1))


def trace_of(writer, events, noise=False):
    """`noise` is incompressible, for messages of full size."""
    sid = sid_of(writer)
    yield line(sid, "start", 0, t_abs=0.1, argv=["git", "status"])
    form = data_form(sid)
    for n in range(1, events - 1):
        yield form % (n, random.randbytes(12).hex().encode() if noise else b"v" * (n % 50))
    yield line(sid, "atexit", events, t_abs=0.2, code=0)


class Agent:
    """trace2top --forward on its own socket, without a terminal."""

    def __init__(self, server, name, *more, **env):
        self.socket, self.notes = path(name + ".sock"), path(name + ".err")
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        notify = path(name + ".notify")
        for old in (self.socket, notify):
            if os.path.exists(old):
                os.unlink(old)
        self.notify.bind(notify)
        self.notify.settimeout(PATIENCE)
        url = server if isinstance(server, str) else server.url()
        self.process = subprocess.Popen(
            [TOP, "--forward=" + url, "--as=lab." + name, *more, "af_unix:stream:" + self.socket],
            stdin=subprocess.DEVNULL, stderr=open(self.notes, "wb"), env=dict(os.environ, NOTIFY_SOCKET=notify, **env))
        atexit.register(self.process.kill)
        if not self.told("READY=1"):
            raise RuntimeError("the agent is not ready: " + self.notes_so_far())

    def told(self, word):
        """Wait until the service manager received a message that contains `word`."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            try:
                text = self.notify.recv(65536).decode()
            except socket.timeout:
                return None
            if word in text:
                return text
        return None

    def write(self, events, writer=1, noise=False):
        self.write_all(trace_of(writer, events, noise))

    def write_all(self, trace):
        """Write like Git. Raises if a write(2) is refused or blocks."""
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
            s.settimeout(PATIENCE)
            s.connect(self.socket)
            for data in trace:
                s.sendall(data)

    def notes_so_far(self):
        with open(self.notes) as f:
            return f.read()

    def end(self, signo=signal.SIGTERM):
        """Number of events that it reported as lost."""
        self.process.send_signal(signo)
        status = self.process.wait(PATIENCE)
        notes = self.notes_so_far()
        if signo == signal.SIGTERM:
            expect(status == 0, "the agent ends with", status, notes)
        lost = re.search(r"--forward: (\d+) events of \d+ were lost", notes)
        return int(lost.group(1)) if lost else 0


def stored(server, **user):
    return sum(m.events for m in messages(server, **user))


def in_order(found):
    """Each agent's messages are stored once and in order, with gaps only after losses."""
    last = {}
    for m in found:
        before = last.get((m.name, m.run), -1)
        expect(m.seq > before, "order", m.id, "behind", before)
        expect(m.seq == before + 1 or m.lost, "a gap that is not reported", m.id)
        last[m.name, m.run] = m.seq


def adds_up(what, server, written, lost, **user):
    found = messages(server, **user)
    have = sum(m.events for m in found)
    lines(found)
    in_order(found)
    expect(have + lost == written, what + ":", have, "stored +", lost, "lost are not", written, "written")
    expect(sum(m.lost for m in found) <= lost, what + ": more reported as lost than was")
    return found


CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


# ---- received events ----

def git_traces():
    """Traces of four versions of Git from the corpus."""
    folder = path("corpus")
    if not os.path.exists(folder):
        os.mkdir(folder)
        subprocess.run([os.path.join(SOURCES, "tests/unpack.sh"), "corpus", folder], check=True)
    found = [os.path.join(where, name) for where, _, names in os.walk(folder) for name in names]
    return sorted(name for name in found if name.endswith(".event"))


def report(*arguments):
    out = subprocess.run([TOP, "--once", "--format=json", *arguments], capture_output=True, timeout=120)
    expect(out.returncode == 0, arguments, out.stderr.decode())
    return {key: value for key, value in json.loads(out.stdout).items() if key not in ("sources", "trace2top", "written")}


@case
def stores_the_input_unchanged():
    """--redact=none: the stored bytes equal the input, and give the same report."""
    server = Server(path("verbatim")).start()
    Nats(server.port).stream()
    whole = path("whole.event")
    for nr, trace in enumerate(t for t in git_traces() if os.path.getsize(t)):
        out = subprocess.run([TOP, "--once", "--format=events", trace], capture_output=True)
        if out.returncode or not out.stdout or nr % 6:
            continue
        with open(whole, "wb") as f:
            f.write(out.stdout)
        Nats(server.port).purge()
        ran = subprocess.run([TOP, "--once", "--redact=none", "--forward=" + server.url(), "--as=lab.a.b", whole],
                             capture_output=True)
        expect(ran.returncode == 0 and not ran.stderr, trace, ran.stderr)
        found = messages(server)
        expect(lines(found) == out.stdout, trace, "is changed")
        expect(all(m.subject == "trace2.v1.events.lab.a%2Eb" and m.name == "lab.a%2Eb" for m in found), "the subject")
    server.end()


@case
def sends_no_names():
    """By default no names are sent. Equal names stay equal, on all hosts with the same key."""
    server = Server(path("redacted")).start()
    Nats(server.port).stream()
    secrets = ["geheim", "Zugang", "projekt-x", "/home/alice", "alice@example.com"]
    trace, key = path("secret.event"), path("key")
    with open(trace, "wb") as f:
        for n, word in enumerate(secrets * 3):
            sid = sid_of(n)
            f.write(line(sid, "version", n, evt="4", exe="2.47.0"))
            f.write(line(sid, "start", n, t_abs=0.1, argv=["git", "fetch", "https://u:%s@host/%s" % (word, word), word]))
            f.write(line(sid, "def_param", n, param="remote.origin.url", value=word, scope="local"))
            f.write(line(sid, "error", n, msg="cannot open %s" % word, fmt="cannot open %s"))
            f.write(line(sid, "region_enter", n, nesting=1, category=word, label=word, msg=word))
            f.write(line(sid, "region_leave", n, nesting=1, category=word, label=word, msg=word, t_rel=0.1))
            f.write(line(sid, "atexit", n, t_abs=0.2, code=0))
        f.write(b'{"event":"nonsense geheim"\n')
    with open(key, "wb") as f:
        f.write(os.urandom(32))
    texts = {}
    for name, more in (("a", ["--redact-key=" + key]), ("b", ["--redact-key=" + key]), ("c", [])):
        Nats(server.port).purge()
        ran = subprocess.run([TOP, "--once", "--forward=" + server.url(), "--as=lab." + name, *more, trace],
                             capture_output=True)
        expect(ran.returncode == 0, ran.stderr)
        texts[name] = lines(messages(server))
        for word in secrets:
            expect(word.encode() not in texts[name], word, "leaves")
        with open(path("got.event"), "wb") as f:
            f.write(texts[name])
        ours, theirs = report(trace)["totals"], report(path("got.event"))["totals"]
        ours.pop("malformed"), theirs.pop("malformed")
        expect(ours == theirs, "totals", ours, theirs)
    expect(texts["a"] == texts["b"], "one key makes two pseudonyms")
    expect(texts["a"] != texts["c"], "without a key pseudonyms are equal")
    words = [json.loads(one)["argv"][3] for one in texts["a"].splitlines() if b'"event":"start"' in one]
    expect(len(set(words)) == len(secrets), "equal words are not equal", words)
    ran = subprocess.run([TOP, "--once", "--forward=" + server.url(), "--redact-key=/dev/null", trace], capture_output=True)
    expect(ran.returncode == 2 and b"at least 16 bytes" in ran.stderr, ran.stderr)
    server.end()


@case
def sends_matching_processes_and_samples():
    """--filter holds a process until it matches; --sample takes whole process trees. Both are reported."""
    server = Server(path("chosen")).start()
    Nats(server.port).stream()
    trace, total = path("chosen.event"), 0
    with open(trace, "wb") as f:
        for writer in range(200):
            for parent, sid in ((True, sid_of(writer)), (False, sid_of(writer) + "/" + sid_of(writer + 500))):
                f.write(line(sid, "start", 1, t_abs=0.1, argv=["git", "fetch" if parent else "gc"]))
                f.write(line(sid, "atexit", 2, t_abs=0.2, code=3 if writer % 10 == 0 and parent else 0))
                total += 2

    def forwarded(*more):
        Nats(server.port).purge()
        ran = subprocess.run([TOP, "--once", "--redact=none", "--forward=" + server.url(), *more, trace], capture_output=True)
        expect(ran.returncode == 0 and not ran.stderr, more, ran.stderr)
        found = messages(server)
        return [json.loads(one) for one in lines(found).splitlines()], sum(m.filtered for m in found)

    got, filtered = forwarded("--filter=failed")
    expect(sorted({e["sid"] for e in got}) == [sid_of(w) for w in range(0, 200, 10)], "the filter passes", len(got))
    expect(len(got) == 40 and filtered <= total - 40, "the filter passes", len(got), "and reports", filtered)
    got, filtered = forwarded("--sample=4")
    families = {}
    for e in got:
        families.setdefault(e["sid"].split("/")[0], []).append(e)
    expect(20 < len(families) < 80, "of 200 process trees one of four is", len(families))
    expect(all(len(f) == 4 for f in families.values()), "a process tree is incomplete")
    again, _ = forwarded("--sample=4")
    expect(again == got, "another run has a different sample")
    # The held events of one process may exceed the size of the forwarder's tap.
    events = list(trace_of(1, 40000))
    events[-1] = events[-1].replace(b'"code":0', b'"code":3')
    with open(trace, "wb") as f:
        f.writelines(events)
    got, _ = forwarded("--filter=failed")
    expect(len(got) == 40000, "of the held events", len(got), "of 40000 arrived")
    server.end()


def killed_trace(writer, events, bytes=1000):
    """The trace of a killed process, without an end."""
    yield line(sid_of(writer), "start", 0, t_abs=0.1, argv=["git", "status"])
    form = data_form(sid_of(writer))
    for n in range(1, events):
        yield form % (n, b"v" * bytes)


@case
def counts_held_events_as_left_out():
    """Events that --filter held for a process that never matched are left out, not lost. Events of a process that
    matched later, and for which there was no memory, are lost."""
    server = Server(path("held")).start()
    Nats(server.port).stream()
    trace = path("held.event")
    with open(trace, "wb") as f:
        for writer in range(40):
            f.writelines(killed_trace(writer, 600))
    def forwarded():
        Nats(server.port).purge()
        return subprocess.run([TOP, "--once", "--redact=none", "--filter=failed", "--forward=" + server.url(), "--as=lab.held",
                               trace], capture_output=True)
    ran = forwarded()
    expect(ran.returncode == 0 and not ran.stderr, "events of killed processes are reported as lost:", ran.stderr)
    with open(trace, "ab") as f:
        f.write(line(sid_of(0), "atexit", 9999, t_abs=0.2, code=3))
    ran = forwarded()
    found = messages(server)
    expect(lines(found).count(b"\n") == 1, "of the failed one arrives", lines(found))
    expect(sum(m.lost for m in found) == 600, "of it", sum(m.lost for m in found), "of 600 are reported as lost")
    expect(b"600 events of 601 were lost: --filter reached its limit of 16 MiB" in ran.stderr, ran.stderr)
    # The end of a connection shows the death of the process; the manager gets the number of skipped events.
    Nats(server.port).purge()
    agent = Agent(server, "held", "--redact=none", "--filter=state=lost")
    for writer in range(3):
        agent.write_all(killed_trace(writer, 600))
    expect(wait_for(lambda: stored(server) == 1800), "of killed processes", stored(server), "of 1800 arrive")
    agent.write(1000, 7)
    expect(agent.told("1800 events stored, 0 messages wait, 0 events lost, 1000 left out by --filter"), "left out events are not reported")
    # Malformed lines, too.
    agent.write_all([b"no event\n"])
    expect(agent.told("left out by --filter, 1 unreadable"), "what cannot be read is not told")
    expect(agent.end() == 0, agent.notes_so_far())
    expect("1 line could not be read and were not sent; the first: " in agent.notes_so_far(), agent.notes_so_far())
    server.end()


# ---- failures of servers ----

@case
def stores_events_from_before_the_server():
    """The server starts after the agent: events written before are stored."""
    server = Server(path("never"))
    agent = Agent(server, "never", "--redact=none")
    # On a slow machine it first reports that it is connecting.
    status = agent.told("connection refused")
    expect(status and "away since" in status, "status", status)
    agent.write(4000 * TIMES)
    server.start()
    Nats(server.port).stream()
    expect(wait_for(lambda: stored(server) == 4000 * TIMES), "not everything arrives", stored(server))
    expect(agent.told("forwards to 127.0.0.1"), "it does not report that it continues")
    adds_up("never there", server, 4000 * TIMES, agent.end())
    expect("stores events again" in agent.notes_so_far(), agent.notes_so_far())
    server.end()


@case
def writers_never_wait():
    """A writer finishes beside a server that runs, is stopped, or is killed. If it waited for the server, it would
    wait for ever. Durations of writes are measured in bench/."""
    events = 4000 * TIMES  # a socket has room for some hundred
    server = Server(path("waits")).start()
    Nats(server.port).stream()
    agent = Agent(server, "waits", "--redact=none")
    for writer, state in enumerate(("there", "stopped", "killed")):
        if state == "stopped":
            expect(wait_for(lambda: stored(server) == events), "not everything arrives while the server runs")
            server.signal(signal.SIGSTOP)
        elif state == "killed":
            server.end()
        try:
            agent.write(events, writer)
        except OSError as error:
            expect(False, "a writer with a server that is", state, repr(error))
    server.start()
    expect(wait_for(lambda: stored(server) == 3 * events), "not everything arrives", stored(server))
    adds_up("nobody waits", server, 3 * events, agent.end())
    server.end()


@case
def survives_a_killed_server():
    """kill -9 and a restart later, twice."""
    events = 1000 * TIMES
    server = Server(path("killed")).start()
    Nats(server.port).stream()
    agent = Agent(server, "killed", "--redact=none", "--forward-hold=100")
    for n in range(3):
        agent.write(events, n)
        if n == 2:
            break
        expect(wait_for(lambda: stored(server) > 0), "nothing arrives")
        server.end()
        agent.write(events, n + 10)
        server.start()
    expect(wait_for(lambda: stored(server) == 5 * events), "not everything arrives", stored(server))
    adds_up("killed", server, 5 * events, agent.end())
    server.end()


@case
def repeats_messages_under_their_ids():
    """SIGSTOP: messages are sent again with the same ids, and stored once."""
    server = Server(path("stopped")).start()
    Nats(server.port).stream()
    agent = Agent(server, "stopped", "--redact=none", "--forward-hold=100")
    agent.write(2000, 1)
    expect(wait_for(lambda: stored(server) == 2000), "nothing arrives")
    server.signal(signal.SIGSTOP)
    agent.write(2000, 2)
    expect(agent.told("away since"), "it does not report the missing answer")
    server.signal(signal.SIGCONT)
    agent.write(2000, 3)
    expect(wait_for(lambda: stored(server) == 6000), "not everything arrives", stored(server))
    adds_up("stopped", server, 6000, agent.end())
    server.end()


@case
def reports_a_full_stream():
    """A full stream rejects messages: the agent reports it, continues, and counts losses."""
    server = Server(path("full")).start()
    # Of 2.9 MB, one message is too much, and the first one is dropped.
    Nats(server.port).stream(max_msgs=3, discard="new")
    agent = Agent(server, "full", "--redact=none", "--forward-hold=50", "--forward-buffer=20K")
    writers = 20 if TIMES == 1 else 40
    for n in range(writers):
        agent.write(500, n)
        time.sleep(0.01)
    status = agent.told("maximum messages exceeded")
    expect(status, "a full stream is not reported")
    expect(wait_for(lambda: "maximum messages exceeded" in agent.notes_so_far()), "stderr", agent.notes_so_far())
    adds_up("full", server, 500 * writers, agent.end())
    server.end()


@case
def drops_the_oldest_messages():
    """A full queue drops its oldest message, and the next one contains the number of lost events."""
    writers = 24 * TIMES
    server = Server(path("bounded"))
    agent = Agent(server, "bounded", "--redact=none", "--forward-buffer=100K")
    for n in range(writers):
        agent.write(1000, n, noise=True)
    status = agent.told("events lost")
    while status and int(re.search("([0-9]+) events lost", status).group(1)) <= 10000:
        status = agent.told("events lost")
    expect(status, "the agent reports no dropped events")
    server.start()
    Nats(server.port).stream()
    newest = b'{"event":"atexit","sid":"' + sid_of(writers - 1).encode()
    expect(wait_for(lambda: stored(server) and newest in lines(messages(server))), "the newest are not kept")
    found = adds_up("bounded", server, 1000 * writers, agent.end())
    expect("connection lost" not in agent.notes_so_far(), "its own end is reported as a reason", agent.notes_so_far())
    expect(sum(m.lost for m in found) > 10000, "nothing was dropped")
    expect(lines(found).splitlines()[-1].startswith(newest), "the newest are not the last")
    server.end()


@case
def sends_the_spool_first():
    """Unsent messages are sent first at the next start, in order."""
    server, spool = Server(path("spooled")), path("spool")
    written = 0
    for run in range(2):
        agent = Agent(server, "spooled", "--redact=none", "--spool=" + spool, "--forward-buffer=60K")
        for n in range(5 * TIMES):
            agent.write(1000, 100 * run + n, noise=True)
        written += 5000 * TIMES
        expect(agent.end() == 0, "events are lost")
        files = sorted(os.listdir(spool))
        expect(files and all(re.fullmatch(r"\d{19}-\d{10}", name) for name in files), files)
        expect(all(os.stat(os.path.join(spool, name)).st_mode & 0o777 == 0o600 for name in files), "other users can read it")
    server.start()
    Nats(server.port).stream()
    agent = Agent(server, "spooled", "--redact=none", "--spool=" + spool)
    second = subprocess.run([TOP, "--once", "--forward=" + server.url(), "--spool=" + spool], capture_output=True)
    expect(second.returncode == 2 and b"another trace2top uses" in second.stderr, second.stderr)
    agent.write(1000, 999)
    expect(wait_for(lambda: stored(server) == written + 1000), "not everything arrives", stored(server))
    found = adds_up("spooled", server, written + 1000, agent.end())
    runs = [m.run for m in found]
    expect(runs == sorted(runs) and len(set(runs)) == 3, "the runs are not in order")
    expect(not os.listdir(spool), "the spool is not empty")
    server.end()


@case
def reports_losses_of_a_killed_agent():
    """Messages in the memory of a killed agent are lost, and the next run reports it. Spooled messages are not lost."""
    server = Server(path("agent")).start()
    Nats(server.port).stream()
    for n in range(2):
        agent = Agent(server, "agent", "--redact=none", "--spool=" + path("agentspool"))
        agent.write(1000, n)
        expect(wait_for(lambda: stored(server) == 1000 * (n + 1)), "nothing arrives")
        agent.end(signal.SIGKILL)
    found = messages(server)
    in_order(found)
    expect(len({m.run for m in found}) == 2, "no new run")
    server.end()


@case
def does_not_wait_for_a_silent_server():
    """A server that greets and then stays silent: the end does not wait for it."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        agent = Agent("nats://127.0.0.1:%d" % listener.getsockname()[1], "greets", "--redact=none",
                      "--spool=" + path("greetspool"))
        connection, _ = listener.accept()
        connection.sendall(b'INFO {"server_id":"x","version":"2.9.10","proto":1,"headers":true,"max_payload":1048576}\r\n')
        connection.recv(1)
        agent.write(1000)
        expect(agent.end() == 0, "events are lost", agent.notes_so_far())
        connection.close()
    expect(os.listdir(path("greetspool")), "no message is kept for the next start")


# ---- refused connections ----

@case
def reports_missing_permissions():
    """An agent may only publish under its own name; otherwise it reports an error."""
    server = Server(path("right"), """authorization { users: [
        { user: boss, password: b }
        { user: lab.right, password: a, permissions: { publish: ["trace2.v1.*.lab.right"], subscribe: ["_INBOX.>"] } } ] }""").start()
    Nats(server.port, "boss", "b").stream()
    creds = path("creds")
    with open(creds, "w") as f:
        f.write("lab.right:a\n")
    os.chmod(creds, 0o600)
    agent = Agent(server, "right", "--redact=none", "--nats-creds=" + creds)
    agent.write(1000)
    expect(wait_for(lambda: stored(server, user="boss", password="b") == 1000), "its own name is rejected")
    expect(agent.end() == 0, agent.notes_so_far())
    agent = Agent(server, "other", "--redact=none", "--nats-creds=" + creds)
    agent.write(1000)
    status = agent.told("no permission to publish as lab.other")
    expect(status, "a missing permission is not reported")
    adds_up("no right", server, 2000, agent.end(), user="boss", password="b")
    os.chmod(creds, 0o644)
    agent = Agent(server, "right", "--nats-creds=" + creds)
    agent.end()
    expect("other users can read" in agent.notes_so_far(), agent.notes_so_far())
    for wrong in ("lab.right:c", "nobody:a"):
        with open(creds, "w") as f:
            f.write(wrong)
        agent = Agent(server, "right", "--redact=none", "--nats-creds=" + creds)
        expect(agent.told("wrong user, password or key"), wrong)
        agent.end()
    with open(os.path.join(server.dir, "log")) as f:
        tries = f.read().count("authentication error")
    expect(tries == 2, "a refused agent tries", tries, "times")
    secret = Agent(server.url().replace("://", "://lab.right:geheim@"), "right")
    expect(secret.told("wrong user, password or key"), "a password of the URL")
    secret.end()
    expect("geheim" not in secret.notes_so_far(), "a password is shown", secret.notes_so_far())
    server.end()


@case
def reports_untrusted_certificates():
    """A certificate of another CA, of another name, or no client certificate: each is reported."""
    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True, cwd=WORK)
    new = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
    for ca in ("ca", "otherca"):
        openssl("req", "-x509", *new, "-keyout", ca + ".key", "-out", ca + ".pem", "-subj", "/CN=" + ca, "-days", "3")
    for name in ("server", "client"):
        openssl("req", *new, "-keyout", name + ".key", "-out", name + ".csr", "-subj", "/CN=" + name)
        with open(path("ext"), "w") as f:
            f.write("subjectAltName=DNS:localhost")
        openssl("x509", "-req", "-in", name + ".csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
                "-out", name + ".pem", "-days", "3", "-extfile", "ext")
    server = Server(path("tls"), """tls { cert_file: "%s", key_file: "%s", ca_file: "%s", verify: true }"""
                    % (path("server.pem"), path("server.key"), path("ca.pem"))).start()
    url = server.url("tls", "localhost")
    mine = ["--tls-cert=" + path("client.pem"), "--tls-key=" + path("client.key")]
    for args, where, says in ((["--tls-ca=" + path("otherca.pem"), *mine], url, "certificate not trusted"),
                              (["--tls-ca=" + path("ca.pem"), *mine], server.url("tls"), "certificate not trusted"),
                              (["--tls-ca=" + path("ca.pem")], url, "--tls-cert and --tls-key")):
        agent = Agent(where, "tls", *args)
        agent.write(10)
        expect(agent.told(says), args, "does not report", says)
        expect(agent.end() == 10, "a rejected agent lost the wrong number")
    agent = Agent(url, "tls", "--tls-ca=" + path("ca.pem"), *mine)
    agent.write(10)
    expect(agent.told("the server has no stream for"), "with the correct one it does not connect")
    agent.end()
    server.end()


@case
def reports_wrong_options_first():
    """Wrong options are reported before anything is read."""
    open(path("empty"), "w").close()
    for says, *args in (("--insecure", "--forward=nats://nats.example.com"),
                        ("--as=SITE.HOST", "--forward=nats://localhost/lab.x"),
                        ("is not a SITE.HOST", "--forward=nats://localhost", "--as=lab"),
                        ("not HOST or HOST:PORT", "--forward=nats://"),
                        ("need --forward=", "--as=lab.x"),
                        ("need --forward=", "--spool=/tmp"),
                        ("--spool: cannot", "--forward=nats://localhost", "--spool=/proc/x")):
        ran = subprocess.run([TOP, "--once", *args, path("empty")], capture_output=True, timeout=PATIENCE)
        expect(ran.returncode == 2 and says in ran.stderr.decode() and ran.stderr.count(b"\n") == 1, args, ran.stderr)


@case
def prints_a_valid_server_configuration():
    """--fleet-init prints a valid server configuration, whose users have the permissions they need."""
    server = Server(path("init")).start()
    hosts = ["lab.one", "lab.a.b *>"]
    for says in ("created stream", "exists; not changed"):
        ran = subprocess.run([TOP, "--fleet-init=" + server.url(), *hosts], capture_output=True, timeout=PATIENCE)
        expect(ran.returncode == 0 and ran.stderr.decode().count(says) == 3, ran.stderr)
    Nats(server.port).request("$JS.API.STREAM.DELETE.TENMIN", b"")
    ran = subprocess.run([TOP, "--fleet-init=" + server.url(), *hosts], capture_output=True, timeout=PATIENCE)
    expect(ran.stderr.decode().count("created stream") == 1, "existing streams count as created", ran.stderr)
    users = dict(re.findall(r"holds \(0600\): (.*):(.*)", ran.stdout.decode()))
    expect(sorted(users) == ["admin", "lab.a%2Eb%20%2A%3E", "lab.one", "viewer"], users)
    server.end()
    server.extra = re.search(r"^authorization .*", ran.stdout.decode(), re.M | re.S).group(0)
    server.start()
    creds = path("init.creds")
    for host in hosts:
        user = [name for name in users if name.startswith(host[:5])][0]
        with open(creds, "w") as f:
            f.write("%s:%s\n" % (user, users[user]))
        os.chmod(creds, 0o600)
        trace = path("one.event")
        with open(trace, "wb") as f:
            f.writelines(trace_of(1, 100))
        ran = subprocess.run([TOP, "--once", "--forward=" + server.url(), "--as=" + host, "--nats-creds=" + creds, trace],
                             capture_output=True)
        expect(ran.returncode == 0 and not ran.stderr, host, ran.stderr)
    found = messages(server, user="viewer", password=users["viewer"])
    expect([m.subject for m in found] == ["trace2.v1.events.lab.one", "trace2.v1.events.lab.a%2Eb%20%2A%3E"],
           [m.subject for m in found])
    viewer = Nats(server.port, "viewer", users["viewer"])
    viewer.socket.settimeout(PATIENCE)
    try:
        viewer.request("trace2.v1.events.lab.one", b"x")
        expect(False, "a viewer may publish")
    except OSError as error:
        expect("Permissions Violation" in str(error), error)
    server.end()
    for says, url in (("is unreachable", server.url()), ("--insecure", "nats://nats.example.com")):
        ran = subprocess.run([TOP, "--fleet-init=" + url], capture_output=True, timeout=PATIENCE)
        expect(ran.returncode != 0 and says in ran.stderr.decode(), url, ran.stderr)


@case
def notifies_the_service_manager():
    """The watchdog is notified repeatedly, within 0.4 s."""
    server = Server(path("service"))
    agent = Agent(server, "service", WATCHDOG_USEC="400000")
    begin = time.monotonic()
    for _ in range(5):
        expect(agent.told("WATCHDOG=1"), "the watchdog is not notified")
    expect(time.monotonic() - begin < PATIENCE / 2, "the watchdog is notified far too late")
    agent.end()
    expect(agent.told("STOPPING=1"), "its end is not notified")


def run(name):
    begin = time.monotonic()
    CASES[name]()
    if CHOSEN:
        print("fleet: %s: %.1f s" % (name, time.monotonic() - begin))


# Each case has its own server, and waits most of the time.
with concurrent.futures.ThreadPoolExecutor(4) as pool:
    for name, done in [(name, pool.submit(run, name)) for name in CASES if not CHOSEN or name in CHOSEN]:
        try:
            done.result()
        except Exception as error:  # the others continue
            expect(False, name, repr(error), traceback.format_exc())
sys.exit(bad != 0)
