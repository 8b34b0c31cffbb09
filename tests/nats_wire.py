# SPDX-License-Identifier: MIT
"""A NATS server to test with, and what its stream EVENTS holds, read without any of our own code: the
protocol of NATS by hand, frames by zstd."""
import atexit
import base64
import glob
import json
import os
import signal
import socket
import subprocess
import time


class Server:
    """nats-server in a directory of its own, on a port of loopback that is free."""

    def __init__(self, dir, extra="", jetstream="max_file: 512M"):
        self.dir, self.extra, self.jetstream = dir, extra, jetstream
        os.makedirs(dir, exist_ok=True)
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
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
        until = time.monotonic() + 120
        while time.monotonic() < until:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return self
            except OSError:
                time.sleep(0.02)
        raise RuntimeError("nats-server does not listen")

    def cpu(self):
        with open("/proc/%d/stat" % self.process.pid) as f:
            fields = f.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def signal(self, signo):
        self.process.send_signal(signo)
        # Its threads stop one by one, when they have the processor.
        while signo == signal.SIGSTOP and set(self.states()) != {"T"}:
            time.sleep(0.01)

    def states(self):
        """Of its threads: R, S, T ..."""
        for path in glob.glob("/proc/%d/task/*/stat" % self.process.pid):
            with open(path) as f:
                yield f.read().rsplit(")", 1)[1].split()[0]

    def end(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None


class Client:
    """One connection, one request at a time."""

    def __init__(self, server, user=None, password=None):
        self.socket = socket.create_connection(("127.0.0.1", server.port), 120)
        self.file = self.socket.makefile("rb")
        self.info = json.loads(self.file.readline()[5:])
        say = {"verbose": False, "pedantic": False, "headers": True, "no_responders": True, "lang": "test",
               "version": "1"}
        if user:
            say.update(user=user, **{"pass": password})
        self.send(b"CONNECT " + json.dumps(say).encode() + b"\r\nSUB _INBOX.t.* 1\r\nPING\r\n")
        while self.file.readline() != b"PONG\r\n":
            pass
        self.nr = 0

    def send(self, data):
        self.socket.sendall(data)

    def request(self, subject, data=b""):
        self.nr += 1
        self.send(b"PUB %s _INBOX.t.%d %d\r\n%s\r\n" % (subject.encode(), self.nr, len(data), data))
        while True:
            words = self.file.readline().split()
            if not words:
                raise RuntimeError("the connection is lost")
            if words[0] == b"PING":
                self.send(b"PONG\r\n")
            elif words[0] == b"-ERR":
                raise RuntimeError(b" ".join(words).decode())
            elif words[0] == b"MSG":
                body = self.file.read(int(words[-1]) + 2)[:-2]
                if words[1].endswith(b".%d" % self.nr):
                    return json.loads(body)
            elif words[0] == b"HMSG":
                self.file.read(int(words[-1]) + 2)
                return {"error": {"description": "no responders"}}

    def make_stream(self, **more):
        got = self.request("$JS.API.STREAM.CREATE.EVENTS", json.dumps(
            {"name": "EVENTS", "subjects": ["trace2.v1.events.>"], "storage": "file", "retention": "limits",
             "discard": "old", "num_replicas": 1, "duplicate_window": 120 * 10**9, **more}).encode())
        if "error" in got:
            raise RuntimeError(got["error"])

    def state(self):
        return self.request("$JS.API.STREAM.INFO.EVENTS").get("state", {"messages": 0, "first_seq": 1, "last_seq": 0})


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
    client = Client(server, **user)
    state = client.state()
    return [Message(client.request("$JS.API.STREAM.MSG.GET.EVENTS", json.dumps({"seq": seq}).encode())["message"])
            for seq in range(state["first_seq"], state["last_seq"] + 1)] if state["messages"] else []


def lines(found):
    """Their lines, unpacked: frames, one behind the other, are one to zstd."""
    out = subprocess.run(["zstd", "-dcq"], input=b"".join(m.data for m in found), capture_output=True, check=True).stdout
    counted = sum(m.events for m in found)
    assert out.count(b"\n") == counted, ("heads say %d lines" % counted, out.count(b"\n"))
    return out
