# SPDX-License-Identifier: MIT
"""A NATS client of its own, as far as tests of fleets need one: it shares nothing with trace2top nor libnats."""
import json
import os
import shutil
import socket
import subprocess
import time

STREAMS = {"EVENTS": "events", "NOW": "now", "TENMIN": "tenmin"}


class Nats:
    """One connection, in plain text or with USER:PASSWORD."""

    def __init__(self, port, user=None, password=None):
        deadline = time.monotonic() + 120
        while True:
            try:
                self.socket = socket.create_connection(("127.0.0.1", port), 120)
                break
            except OSError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.02)
        self.socket.settimeout(120)
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
        """The next message: its header and its payload."""
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

    def api(self, what, **request):
        answer = json.loads(self.request("$JS.API." + what, json.dumps(request).encode())[1])
        if "error" in answer:
            raise OSError(answer["error"])
        return answer

    def stream(self, name="EVENTS", **more):
        return self.api("STREAM.CREATE." + name, name=name, subjects=["trace2.v1.%s.*.*" % STREAMS[name]],
                        storage="file", discard="old", **more)

    def stored(self, subject, payload, headers):
        """Publish, and wait until it is stored."""
        answer = json.loads(self.request(subject, payload, headers)[1])
        if "error" in answer:
            raise OSError(answer["error"])
        return answer


def packed(lines):
    """One zstd frame that says its size."""
    return subprocess.run(["zstd", "-1", "-q", "-c", "--stream-size=%d" % len(lines)], input=lines,
                          stdout=subprocess.PIPE, check=True).stdout


class Agent:
    """What an agent sends, made here."""

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


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


class Server:
    """nats-server on a free port of this machine, with a directory of its own."""

    def __init__(self, folder, config="", port=None):
        self.folder, self.port = folder, port or free_port()
        self.path = os.path.join(folder, "server-%d.conf" % self.port)
        with open(self.path, "w") as to:
            to.write('listen: "127.0.0.1:%d"\njetstream { store_dir: "%s" }\n%s' %
                     (self.port, os.path.join(folder, "store-%d" % self.port), config))
        self.process = None
        self.start()

    def start(self):
        self.log = open(os.path.join(self.folder, "server-%d.log" % self.port), "ab")
        self.process = subprocess.Popen(["nats-server", "-c", self.path], stdout=self.log, stderr=self.log)

    def stop(self, kill=False):
        if self.process:
            (self.process.kill if kill else self.process.terminate)()
            self.process.wait()
            self.process = None


def is_there():
    return shutil.which("nats-server") and shutil.which("zstd")
