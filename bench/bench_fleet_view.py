# SPDX-License-Identifier: MIT
"""Cost of a viewer: replaying the history of many hosts, in us of CPU per event, compared with the same events from a file;
and the latency of an event from the writing program through agent and server to a viewer.

    bench_fleet_view.py TRACE2TOP DATA LATENCY [HOSTS [LINES]]      (LATENCY: fleet_latency; lines: per message)
"""
import datetime
import os
import resource
import signal
import socket
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests"))
from nats_client import Agent, Nats, Server, is_there  # noqa: E402

TOP, DATA, LATENCY = sys.argv[1:4]
HOSTS, LINES = ([int(a) for a in sys.argv[4:]] + [100, 500][len(sys.argv) - 4:])[:2]
EVENTS = 400000


def row(what, value, unit, more=""):
    print("%-58s %9.2f %-12s %s" % (what, value, unit, more), flush=True)


def cpu(*args):
    """CPU seconds and wall seconds of a run."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([TOP, "--no-config", "--once", "--max-processes=1000", "-o", "/dev/null", *args], check=True,
                   stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    after, ended = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, ended - begun


def replay(server, folder):
    nats = Nats(server.port)
    nats.stream()
    with open(DATA, "rb") as of:
        data = [of.readline() for _ in range(EVENTS)]
    share = len(data) // HOSTS
    hosts = [(Agent(nats, "lab.h%d" % i, 1), data[i * share:(i + 1) * share]) for i in range(HOSTS)]
    nr, path = 0, os.path.join(folder, "file")
    with open(path, "wb") as to:
        for at in range(0, share, LINES):
            for agent, lines in hosts:
                agent.send(b"".join(lines[at:at + LINES]))
                to.write(b"".join(lines[at:at + LINES]))
                nr += len(lines[at:at + LINES])
    runs = []
    for _ in range(5):
        before = server.cpu()
        runs.append((*cpu("nats://127.0.0.1:%d/*.*" % server.port), server.cpu() - before, *cpu(path)))
    runs.sort()
    used, wall, of_server, file_used, _ = runs[len(runs) // 2]
    about = "%d events, %d hosts, %.0f bytes each stored, %.2f s; %.2f to %.2f" % (
        nr, HOSTS, nats.api("STREAM.INFO.EVENTS")["state"]["bytes"] / nr, wall, runs[0][0] * 1e6 / nr,
        runs[-1][0] * 1e6 / nr)
    row("replay: a viewer's CPU per event", used * 1e6 / nr, "us", about)
    row("the same events from a file (reference)", file_used * 1e6 / nr, "us")
    row("the server's CPU for it, per event", of_server * 1e6 / nr, "us")


def latency(server, folder, rate, seconds=8):
    url = "nats://127.0.0.1:%d" % server.port
    path = os.path.join(folder, "sock")
    agent = subprocess.Popen([TOP, "--no-config", "--redact=none", "--as=late.one", "--forward=" + url,
                              "af_unix:stream:" + path], stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        while not os.path.exists(path):
            time.sleep(0.02)
        writer = socket.socket(socket.AF_UNIX)
        writer.connect(path)
        viewer = subprocess.Popen([LATENCY, url + "/late.one", str(int(rate * seconds * 0.7))], stdout=subprocess.PIPE)
        begun, nr = time.monotonic(), 0
        while time.monotonic() - begun < seconds + 3 and viewer.poll() is None:
            wanted = int((time.monotonic() - begun) * rate)
            if wanted > nr:
                now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
                writer.sendall(b"".join(
                    b'{"event":"data","sid":"20260102T030405.000000Z-H01234567-P00000001","thread":"main","time":"%s",'
                    b'"nesting":1,"category":"c","key":"k","value":"%d"}\n' % (now.encode(), i)
                    for i in range(nr, wanted)))
                nr = wanted
            time.sleep(0.001)
        out = viewer.communicate(timeout=60)[0].split()
        row("event to viewer at %d/s: median" % rate, float(out[1]), "ms", "99 %%: %s ms, of %s events" % (
            out[2].decode(), out[0].decode()))
    finally:
        agent.send_signal(signal.SIGTERM)
        agent.wait()


def main():
    if not is_there():
        print("fleet_view: left out: no nats-server, or no zstd")
        return
    with tempfile.TemporaryDirectory() as folder:
        server = Server(os.path.join(folder, "server"), jetstream="max_file: 4G").start()
        try:
            replay(server, folder)
            latency(server, folder, 1000)
            latency(server, folder, 20000)
        finally:
            server.end()


main()
