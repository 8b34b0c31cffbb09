# SPDX-License-Identifier: MIT
"""Three servers store the events of an agent; the leader is killed. Stored = sent, in order and once, and
every viewer continues within ten seconds, whichever server it uses."""
import json
import os
import signal
import socket
import subprocess
import sys
import time

from nats_client import Nats, Server, free_port

TOP, FOLDER = sys.argv[1:3]
RATE, SECONDS, KILL_AT_S = 500, 24, 6
GOES_ON_S = 10
DEADLINE_S = 60
bad = 0


def check(ok, *what):
    global bad
    if not ok:
        bad += 1
        print("fleet_cluster:", *what)
    return ok


def cluster():
    ports, routes = [free_port() for _ in range(3)], [free_port() for _ in range(3)]
    servers = []
    for i in range(3):
        config = 'server_name: s%d\ncluster { name: c, listen: "127.0.0.1:%d", routes: [%s] }\n' % (
            i, routes[i], ", ".join('"nats://127.0.0.1:%d"' % r for r in routes))
        servers.append(Server(os.path.join(FOLDER, "s%d" % i), config, port=ports[i]).start())
    return servers


def made(port):
    """Create the stream on all three, after they have formed a cluster."""
    deadline = time.monotonic() + DEADLINE_S
    while True:
        try:
            nats = Nats(port)
            nats.stream(num_replicas=3)
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.5)


def leader(port):
    return Nats(port).api("STREAM.INFO.EVENTS")["cluster"]["leader"]


def line(i):
    return ('{"event":"data","sid":"20260102T030405.000000Z-H01234567-P00000001","thread":"main",'
            '"time":"2026-01-02T03:04:05.%06dZ","nesting":1,"category":"c","key":"k","value":"%d"}\n' % (i, i)).encode()


def values_in(path):
    """The numbers in the order of arrival."""
    done = subprocess.run([TOP, "--no-config", "--once", "--format=events", path], stdin=subprocess.DEVNULL,
                          capture_output=True, timeout=DEADLINE_S)
    return [int(json.loads(text)["value"]) for text in done.stdout.splitlines() if b'"data"' in text]


class Viewer:
    """A viewer that records. Its file shows for how long nothing arrived."""

    def __init__(self, number, ports):
        self.path = os.path.join(FOLDER, "viewer%d.rec" % number)
        url = "nats://" + ",".join("127.0.0.1:%d" % p for p in ports[number:] + ports[:number])
        self.process = subprocess.Popen([TOP, "--no-config", "--record=" + self.path, url + "/lab.one"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.size, self.grown, self.stall = 0, None, 0

    def look(self, now):
        size = os.stat(self.path).st_size if os.path.exists(self.path) else 0
        if size != self.size:
            if self.grown:
                self.stall = max(self.stall, now - self.grown)
            self.size, self.grown = size, now

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(DEADLINE_S)


def main():
    servers = cluster()
    ports = [s.port for s in servers]
    agent, viewers = None, []
    try:
        made(ports[0])
        path = os.path.join(FOLDER, "agent.sock")
        agent = subprocess.Popen([TOP, "--no-config", "--redact=none", "--as=lab.one",
                                  "--forward=nats://" + ",".join("127.0.0.1:%d" % p for p in ports),
                                  "af_unix:stream:" + path], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        viewers = [Viewer(i, ports) for i in range(3)]
        while not os.path.exists(path):
            time.sleep(0.02)
        writer = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        writer.connect(path)
        begun, nr, killed = time.monotonic(), 0, None
        while time.monotonic() - begun < SECONDS:
            now = time.monotonic()
            wanted = int((now - begun) * RATE)
            writer.sendall(b"".join(line(i) for i in range(nr, wanted)))
            nr = wanted
            for v in viewers:
                v.look(now)
            if killed is None and now - begun > KILL_AT_S:
                killed = leader(ports[0])
                servers[int(killed[1])].end()
            time.sleep(0.02)
        writer.close()
        others = [s for s in servers if s.process]
        check(len(others) == 2, "the leader was killed")
        # Done when every viewer has received the last one.
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline and not all(values_in(v.path)[-1:] == [nr - 1] for v in viewers):
            time.sleep(0.5)
        agent.send_signal(signal.SIGTERM)
        agent.wait(DEADLINE_S)
        for i, v in enumerate(viewers):
            v.end()
            values = values_in(v.path)
            check(values == list(range(nr)), "viewer", i, "has", len(values), "of", nr, "events; once each:",
                  len(set(values)), "in order:", values == sorted(values))
            check(v.stall < GOES_ON_S, "viewer", i, "received nothing for %.1f s" % v.stall)
            print("viewer %d: %d of %d events, longest pause %.1f s" % (i, len(values), nr, v.stall))
        deadline = time.monotonic() + DEADLINE_S
        stored = subprocess.run([TOP, "--no-config", "--once", "--format=json",
                                 "nats://127.0.0.1:%d/lab.one" % others[0].port], stdin=subprocess.DEVNULL,
                                capture_output=True, timeout=DEADLINE_S)
        source = json.loads(stored.stdout)["sources"][0]
        check(source["events"] == nr and "remote_lost_events" not in source, "stored and sent differ:", source)
    finally:
        for process in [agent] + [v.process for v in viewers]:
            if process and process.poll() is None:
                process.kill()
        for s in servers:
            s.end()
    sys.exit(1 if bad else 0)


main()
