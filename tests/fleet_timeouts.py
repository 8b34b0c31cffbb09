# SPDX-License-Identifier: MIT
"""A fake server that acknowledges each message only at the third attempt; see fleet_timeouts.sh.

    fleet_timeouts.py FORWARD_TIMEOUTS WORK TIMEOUTS
"""
import os
import shutil
import subprocess
import sys
import threading

from nats_client import Nats, Server

PROGRAM, WORK, TIMEOUTS = sys.argv[1], sys.argv[2], int(sys.argv[3])
server = Server(WORK + "/server", jetstream=None).start()
client = Nats(server.port)
client.send(b"SUB trace2.v1.events.> 7\r\nPING\r\n")
while client.file.readline() != b"PONG\r\n":
    pass
client.socket.settimeout(None)
seen = {}


def answer():
    """An id always belongs to the same message: its bytes never change, and of its headers only the time
    at which it was sent."""
    while True:
        words = client.file.readline().split()
        if not words:
            return
        if words[0] == b"PING":
            client.send(b"PONG\r\n")
        if words[0] != b"HMSG":
            continue
        heads, whole = int(words[-2]), int(words[-1])
        body = client.file.read(whole + 2)[:whole]
        sent = body[:heads].split(b"T2: 1 ", 1)[1].split(b" ", 1)[0]
        name = [one for one in body[:heads].split(b"\r\n") if one.startswith(b"Nats-Msg-Id")][0]
        body = body.replace(b"T2: 1 %s " % sent, b"T2: 1 ", 1)
        times = seen.setdefault(name, [0, body, 0])
        times[0] += 1
        if times[1] != body or int(sent) == times[2]:
            print("for one id there are", times[1][:heads], "and", body[:heads], flush=True)
            os._exit(3)
        times[2] = int(sent)
        if times[0] % 3 == 0:
            said = b'{"stream":"EVENTS","seq":%d}' % len(seen)
            client.send(b"PUB %s %d\r\n%s\r\n" % (words[3], len(said), said))


threading.Thread(target=answer, daemon=True).start()
watch = ["valgrind", "-q", "--error-exitcode=9", "--leak-check=full", "--errors-for-leak-kinds=definite", "--show-leak-kinds=definite",
         "--num-callers=12", "--read-inline-info=no"] if shutil.which("valgrind") and "SANITIZED" not in os.environ else []
program = os.path.join(os.path.dirname(PROGRAM), ".libs", os.path.basename(PROGRAM))
program = program if os.path.exists(program) else PROGRAM
run = [program, server.url(), str(TIMEOUTS // 2)]
ran = subprocess.run([*watch, *run], capture_output=True, timeout=550)
# Older versions of valgrind cannot read clang's debug information.
if watch and b"debuginfo reader" in ran.stderr:
    print("without valgrind, which cannot read the program")
    ran = subprocess.run(run, capture_output=True, timeout=550)
server.end()
words = ran.stdout.split()
print(ran.stdout.decode(), ran.stderr.decode()[-6000:])
if ran.returncode:
    sys.exit("it ends with %d" % ran.returncode)
stored, repeats, events, lost = map(int, words)
if stored < TIMEOUTS // 2 or repeats < TIMEOUTS // 2 * 2 or lost or events != 1500 * stored:
    sys.exit("%d messages, %d repeats, %d events, %d lost" % (stored, repeats, events, lost))
