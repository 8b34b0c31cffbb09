# SPDX-License-Identifier: MIT
"""The program as a service; see service.sh. All waiting is for a datagram or an end."""
import json
import os
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

TOP = os.environ.get("abs_top_builddir", ".") + "/trace2top"
UNITS = os.environ.get("abs_top_builddir", ".") + "/monitor/systemd/"
DEADLINE = 120
bad = 0


def check(good, what):
    global bad
    if not good:
        print("FAIL:", what)
        bad = 1


def event(name, number):
    sid = "20260102T122836.000000Z-H1-P%08x" % number
    head = {"sid": sid, "thread": "main", "time": "2026-01-02T12:28:36.000000Z"}
    lines = [dict(head, event="start", t_abs=0.0, argv=["git", name]),
             dict(head, event="atexit", t_abs=0.1, code=0)]
    return "".join(json.dumps(line) + "\n" for line in lines).encode()


class Service:
    """A run with a notification socket, as under systemd."""

    def __init__(self, args, name, env=None):
        self.notify = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.notify.settimeout(DEADLINE)
        self.notify.bind(name.replace("@", "\0", 1) if name[0] == "@" else name)
        self.process = subprocess.Popen(args, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE,
                                        env=dict(os.environ, NOTIFY_SOCKET=name, **(env or {})))

    def told(self):
        try:
            return self.notify.recv(65536).decode().splitlines()
        except socket.timeout:
            self.process.kill()
            return ["nothing was told: " + self.process.communicate()[1].decode()]

    def end(self, signo=signal.SIGTERM):
        self.process.send_signal(signo)
        out, err = self.process.communicate(timeout=DEADLINE)
        self.notify.close()
        return self.process.returncode, err.decode()


def send(path, data):
    """Data sent before the end is read: the listener reads queued data."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as s:
        s.connect(path)  # ready at once
        s.sendall(data)


def recorded(path):
    report = subprocess.run([TOP, "--once", "--format=json", path], capture_output=True)
    return sorted(p["name"] or p["argv"][1] for p in json.loads(report.stdout)["processes"])


def wait_recorded(path, name):
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        if os.path.exists(path) and name in recorded(path):
            return
        time.sleep(0.1)
    check(False, f"{name} is not recorded in {path}")


def record(dir, notify, name, number, signo=signal.SIGTERM):
    """One run of the recorder, in which the process NAME is traced."""
    sock, path = dir + "/t2.sock", dir + "/events.t2rec.zst"
    service = Service([TOP, "--record=" + path, "--record-size=1M", "af_unix:stream:" + sock],
                      notify)
    told = service.told()
    check(told[0] == "READY=1", f"it does not notify that it is ready: {told}")
    check(told[1:] == [f"STATUS=Reading af_unix:stream:{sock}, recording to {path}"],
          f"the status is {told[1:]}")
    send(sock, event(name, number))
    wait_recorded(path, name)
    if signo == signal.SIGKILL:
        return service.end(signo)
    service.process.send_signal(signo)
    told = service.told()
    check(told == ["STOPPING=1"], f"it does not notify that it stops: {told}")
    status, err = service.end(signo)
    check(status == 0 and not err, f"it exits with {status}, {err}")
    return status, err


def loses_nothing_by_restarts(dir):
    record(dir, dir + "/notify", "first", 1)
    os.unlink(dir + "/notify")
    record(dir, f"@trace2top-test-{os.getpid()}", "second", 2)
    record(dir, dir + "/notify", "killed", 3, signal.SIGKILL)
    os.unlink(dir + "/notify")
    record(dir, dir + "/notify", "last", 4)
    got = recorded(dir + "/events.t2rec.zst")
    check(got == ["first", "killed", "last", "second"], f"after restarts it has {got}")


def notifies_odd_names_safely(dir):
    """A LF in a source's name must not add a variable to the notification."""
    service = Service([TOP, "--record=" + dir + "/odd.t2rec.zst",
                       "af_unix:stream:" + dir + "/a\nMAINPID=1\x1b[31m"], dir + "/notify-odd")
    told = service.told()
    service.end()
    check(len(told) == 2 and told[1].startswith("STATUS=") and "\x1b" not in told[1],
          f"for an odd name it notifies {told}")


def ignores_a_missing_manager(dir):
    for name in ("/nowhere/notify", "nonsense", "/" + "x" * 200):
        process = subprocess.Popen([TOP, "--record=" + dir + "/alone.t2rec.zst",
                                    "af_unix:stream:" + dir + "/alone.sock"],
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE,
                                   env=dict(os.environ, NOTIFY_SOCKET=name))
        line = process.stderr.readline().decode()
        check("NOTIFY_SOCKET" in line, f"{name}: {line}")
        process.terminate()
        check(process.wait(timeout=DEADLINE) == 0, f"{name}: it exits with {process.returncode}")
        process.stderr.close()


def unit_records(dir):
    """Run the command of the recorder's unit as a user of the test; Git finds its socket."""
    with open(UNITS + "trace2top-record.service") as f:
        text = f.read()
    start = [line for line in text.splitlines() if line.startswith("ExecStart=")]
    check(len(start) == 1, "one command is started")
    words = shlex.split(start[0].split("=", 1)[1])
    check(words[0].startswith("/") and words[0].endswith("/bin/trace2top"), words[0])
    state, run = dir + "/state", dir + "/run"
    os.makedirs(state + "/trace2top")
    os.mkdir(run, 0o700)
    path = state + "/trace2top/events.t2rec.zst"
    args = [TOP] + [w.replace("%S", state) for w in words[1:]]
    check("--record=" + path in args, f"{args} do not record to {path}")
    env = {"HOME": dir, "XDG_RUNTIME_DIR": run, "XDG_CONFIG_HOME": dir, "GIT_CONFIG_NOSYSTEM": "1"}
    service = Service(args, dir + "/notify-unit", env)
    told = service.told()
    check(told[0] == "READY=1" and path in told[1], f"the unit's command notifies {told}")
    send(run + "/trace2top.sock", event("traced", 7))
    wait_recorded(path, "traced")
    status, err = service.end()
    check(status == 0, f"the unit's command exits with {status}: {err}")
    verify(dir, run, "trace2top-record.service", text, words[0])


def agent_unit_starts(dir):
    """The agent's unit: the program accepts its command line with the values of its file."""
    with open(UNITS + "trace2top-forward.service") as f:
        text = f.read()
    start = [line for line in text.splitlines() if line.startswith("ExecStart=")]
    words = start[0].split("=", 1)[1].split()
    state, run = dir + "/state", dir + "/run"
    env = {"TRACE2TOP_SERVERS": "nats://127.0.0.1:1", "TRACE2TOP_OPTIONS": "--as=lab.x --redact=secrets",
           "XDG_RUNTIME_DIR": run, "XDG_CONFIG_HOME": dir, "HOME": dir, "GIT_CONFIG_NOSYSTEM": "1"}
    args = [TOP]
    for word in words[1:]:
        word = word.replace("%S", state).replace("${TRACE2TOP_SERVERS}", env["TRACE2TOP_SERVERS"])
        args += env["TRACE2TOP_OPTIONS"].split() if word == "$TRACE2TOP_OPTIONS" else [word]
    if "built without" not in subprocess.run([TOP, "--version"], capture_output=True, text=True).stdout.split("nats:")[1]:
        service = Service(args, dir + "/notify-forward", env)
        check(service.told()[0] == "READY=1", "the agent's unit is not ready")
        status, err = service.end()
        check(status == 0, f"the agent's command exits with {status}: {err}")
    check("WatchdogSec=5" in text and "Type=notify" in text, "the agent's unit has no watchdog")
    verify(dir, run, "trace2top-forward.service", text, words[0])


def verify(dir, run, name, text, program):
    if not shutil.which("systemd-analyze"):
        print("skipped: systemd-analyze is not installed")
        return
    copy = dir + "/" + name
    with open(copy, "w") as f:
        f.write(text.replace(program, os.path.abspath(TOP))
                .replace("Documentation=man:trace2top(1)\n", "").replace("Documentation=man:trace2top-fleet(7)\n", ""))
    verify = subprocess.run(["systemd-analyze", "--user", "verify", copy], capture_output=True,
                            env=dict(os.environ, XDG_RUNTIME_DIR=run))
    said = [line for line in (verify.stdout + verify.stderr).decode().splitlines()
            if "trace2top" in line]
    check(verify.returncode == 0 and not said, f"systemd-analyze verify: {verify.stderr.decode()}")


with tempfile.TemporaryDirectory() as directory:
    loses_nothing_by_restarts(directory)
    notifies_odd_names_safely(directory)
    ignores_a_missing_manager(directory)
    unit_records(directory)
    agent_unit_starts(directory)
sys.exit(bad)
