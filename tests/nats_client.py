# SPDX-License-Identifier: MIT
"""A NATS server and a client for tests of fleets: an implementation of the protocol, zstd for frames; it shares
no code with trace2top and libnats."""
import atexit
import base64
import glob
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import time

STREAMS = {"EVENTS": "events", "NOW": "now", "TENMIN": "tenmin"}
DEADLINE_S = 60
# A cluster without a leader does not answer.
ANSWER_S = 10
# The tests trust no authority of the system; libnats reads them at each start, which takes as long as a short run.
os.environ.update(SSL_CERT_FILE="/dev/null", SSL_CERT_DIR="/nonexistent")


def is_there():
    return shutil.which("nats-server") and shutil.which("zstd")


def free_port():
    """A free port outside the ephemeral range: no client takes it while its server is down."""
    while True:
        with socket.socket() as s:
            port = random.randrange(16384, 32768)
            try:
                s.bind(("127.0.0.1", port))
                return port
            except OSError:
                pass


def connected(port):
    """Wait until a process listens there."""
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), ANSWER_S)
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


class Server:
    """nats-server on a free port of the loopback interface, with its own directory."""

    def __init__(self, dir, extra="", jetstream="max_file: 512M", port=None):
        self.dir, self.extra, self.jetstream, self.port = dir, extra, jetstream, port or free_port()
        os.makedirs(dir, exist_ok=True)
        self.process = None
        atexit.register(self.end)

    def url(self, scheme="nats", host="127.0.0.1"):
        return "%s://%s:%d" % (scheme, host, self.port)

    def start(self):
        conf = os.path.join(self.dir, "server.conf")
        with open(conf, "w") as f:
            f.write('listen: "127.0.0.1:%d"\n%s\n' % (self.port, self.extra))
            if self.jetstream:
                f.write('jetstream { store_dir: "%s/js", %s }\n' % (self.dir, self.jetstream))
        self.log = open(os.path.join(self.dir, "log"), "ab")
        self.process = subprocess.Popen(["nats-server", "-c", conf], stdout=self.log, stderr=self.log)
        connected(self.port).close()
        return self

    def cpu(self):
        with open("/proc/%d/stat" % self.process.pid) as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def signal(self, signo):
        self.process.send_signal(signo)
        # Threads stop one by one, when they are scheduled.
        while signo == signal.SIGSTOP and set(self.states()) != {"T"}:
            time.sleep(0.01)

    def states(self):
        """States of its threads: R, S, T ..."""
        for path in glob.glob("/proc/%d/task/*/stat" % self.process.pid):
            with open(path) as f:
                yield f.read().rsplit(")", 1)[1].split()[0]

    def end(self):
        """Kill it. It may be started again."""
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


class Nats:
    """One connection, without TLS, optionally with USER and PASSWORD; one request at a time. OSError: refused."""

    def __init__(self, port, user=None, password=None):
        self.socket = connected(port)
        # A request is two small writes: the second must not wait for the acknowledgement of the first.
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.socket.makefile("rb")
        self.file.readline()
        options = {"verbose": False, "headers": True, "no_responders": True}
        if user:
            options.update(user=user, **{"pass": password})
        self.send(b"CONNECT " + json.dumps(options).encode() + b"\r\nPING\r\n")
        self.sids = 0
        while True:
            line = self.file.readline()
            if line.startswith(b"PONG"):
                break
            if not line or line.startswith(b"-ERR"):
                raise OSError(line)

    def send(self, data):
        self.socket.sendall(data)

    def next(self):
        """Returns header and payload of the next message."""
        while True:
            line = self.file.readline()
            if not line:
                raise OSError("the server has gone")
            if line.startswith(b"PING"):
                self.send(b"PONG\r\n")
            elif line.startswith(b"-ERR"):
                raise OSError(line)
            elif line.startswith(b"HMSG"):
                head, total = (int(w) for w in line.split()[-2:])
                data = self.file.read(total + 2)[:-2]
                return data[:head], data[head:]
            elif line.startswith(b"MSG"):
                return b"", self.file.read(int(line.split()[-1]) + 2)[:-2]

    def request(self, subject, payload=b"", headers=None):
        self.sids += 1
        inbox = "_INBOX.%d.%d.%d" % (os.getpid(), id(self), self.sids)
        self.send(b"SUB %s %d\r\nUNSUB %d 1\r\n" % (inbox.encode(), self.sids, self.sids))
        self.publish(subject, payload, headers, inbox)
        return self.next()

    def publish(self, subject, payload, headers=None, reply=""):
        reply = reply + " " if reply else ""
        if headers:
            head = b"NATS/1.0\r\n" + b"".join(b"%s: %s\r\n" % (k.encode(), v.encode()) for k, v in headers) + b"\r\n"
            self.send(b"HPUB %s %s%d %d\r\n%s%s\r\n" % (subject.encode(), reply.encode(), len(head),
                                                     len(head) + len(payload), head, payload))
        else:
            self.send(b"PUB %s %s%d\r\n%s\r\n" % (subject.encode(), reply.encode(), len(payload), payload))

    def stored(self, subject, payload, headers=None):
        """After a publish, the answer of JetStream comes when the message is stored."""
        head, answer = self.request(subject, payload, headers)
        if not answer:
            raise OSError("nobody answers", subject, head)
        answer = json.loads(answer)
        if "error" in answer:
            raise OSError(answer["error"])
        return answer

    def api(self, what, **request):
        return self.stored("$JS.API." + what, json.dumps(request).encode())

    def stream(self, name="EVENTS", **more):
        return self.api("STREAM.CREATE." + name, **{"name": name, "subjects": ["trace2.v1.%s.*.*" % STREAMS[name]],
                                                    "storage": "file", "discard": "old", **more})

    def purge(self):
        self.api("STREAM.PURGE.EVENTS")

    def state(self):
        """Number of messages in EVENTS; 0 if the stream does not exist yet."""
        try:
            return self.api("STREAM.INFO.EVENTS")["state"]
        except OSError:
            return {"messages": 0, "first_seq": 1, "last_seq": 0}


# ---- messages of agents ----

def packed(lines):
    """One zstd frame with its size."""
    return subprocess.run(["zstd", "-1", "-q", "-c", "--stream-size=%d" % len(lines)], input=lines,
                          stdout=subprocess.PIPE, check=True).stdout


class Agent:
    """A simulated agent."""

    def __init__(self, nats, name, run, seq=0):
        self.nats, self.name, self.run, self.seq = nats, name, run, seq
        self.subject = "trace2.v1.events." + name

    def headers(self, events, lost=0, wall=None, version="1", seq=None):
        wall = time.time_ns() if wall is None else wall
        return [("Nats-Msg-Id", "%s:%d:%d" % (self.name, self.run, self.seq if seq is None else seq)),
                ("T2", "%s %d %d %d 0 zstd" % (version, wall, events, lost))]

    def send(self, lines, **more):
        answer = self.nats.stored(self.subject, packed(lines), self.headers(lines.count(b"\n"), **more))
        self.seq += 1
        return answer


# ---- stored messages ----

class Message:
    def __init__(self, got):
        self.subject = got["subject"]
        self.data = base64.b64decode(got.get("data", ""))
        heads = dict(line.split(": ", 1) for line in base64.b64decode(got["hdrs"]).decode().split("\r\n") if ": " in line)
        self.id = heads["Nats-Msg-Id"]
        self.name, self.run, self.seq = self.id.rsplit(":", 2)
        self.run, self.seq = int(self.run), int(self.seq)
        words = heads["T2"].split()
        assert words[0] == "1" and words[5] == "zstd", heads
        self.wall, self.events, self.lost, self.filtered = map(int, words[1:5])


def messages(server, **user):
    """All of EVENTS, in order."""
    nats = Nats(server.port, **user)
    state = nats.state()
    return [Message(nats.api("STREAM.MSG.GET.EVENTS", seq=seq)["message"])
            for seq in range(state["first_seq"], state["last_seq"] + 1)] if state["messages"] else []


def lines(found):
    """zstd decompresses concatenated frames as one."""
    out = subprocess.run(["zstd", "-dcq"], input=b"".join(m.data for m in found), capture_output=True, check=True).stdout
    counted = sum(m.events for m in found)
    assert out.count(b"\n") == counted, ("heads say %d lines" % counted, out.count(b"\n"))
    return out
