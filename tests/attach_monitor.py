# SPDX-License-Identifier: MIT
"""What the tests of --attach share: a HOME, its configuration file, monitors, and checks.

Reads the arguments of attach.py.
"""
import ctypes
import json
import os
import signal
import subprocess
import sys
import time

TOP, DIR, KILLS = sys.argv[1], sys.argv[2], int(sys.argv[3])
HOME = os.path.join(DIR, "h")
RUNTIME = os.path.join(DIR, "r")
CONFIG = os.path.join(HOME, ".gitconfig")
OLD = os.path.join(DIR, "old")          # previous target of Git
DEADLINE = 120
KEY = "trace2.eventtarget"

SHAPES = {
    "plain": b"[user]\n\tname = A\n[core]\n\tabbrev = 7\n",
    "comments": b"# first\n[user]\n\tname = A ; behind\n\n# last\n[core]\n\tabbrev = 7\n",
    "one line": b"[user] name = A\n",
    "section there": b"[trace2]\n\tnormalTarget = 0\n[user]\n\tname = A\n",
    "target there": b"[trace2]\n\teventTarget = @OLD@\n[user]\n\tname = A\n",
    "target twice": b"[trace2]\n\teventTarget = /nowhere\n\teventTarget = @OLD@\n",
    "other cases": b"[Trace2]\n\tEVENTTARGET = @OLD@\n\t# behind\n",
    "CRLF": b"[user]\r\n\tname = A\r\n[core]\r\n\tabbrev = 7\r\n",
    "subsection": b"[remote \"x.y\"]\n\turl = /z\n[trace2 \"sub\"]\n\teventTarget = /no\n",
    "empty": b"",
    "include": b"[include]\n\tpath = other\n[user]\n\tname = A\n",
    "long": b"".join(b"[alias]\n\ta%d = !echo \\\"%d\\\" \\\n\t\t&& true\n" % (i, i) for i in range(200)),
    # `git config` would not restore these byte for byte.
    "comment at the end": b"[user]\n\tname = A\n# last\n",
    "no final LF": b"[user]\n\tname = A",
    "empty section": b"[user]\n\tname = A\n[trace2]\n",
}

failures = []
checks = 0


def check(good, *why):
    global checks
    checks += 1
    if not good:
        failures.append(why)
        print("FAIL", *(str(w)[:600] for w in why), flush=True)
    return good


def environment(**more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "XDG_"))}
    env.update(HOME=HOME, XDG_RUNTIME_DIR=RUNTIME, GIT_CONFIG_NOSYSTEM="1", TERM="dumb")
    env.update(more)
    return {k: v for k, v in env.items() if v is not None}


def read(path=CONFIG):
    try:
        with open(path, "rb") as f:
            return f.read()
    except FileNotFoundError:
        return None


def write(data, path=CONFIG):
    if data is None:
        if os.path.lexists(path):
            os.unlink(path)
        return
    with open(path, "wb") as f:
        f.write(data.replace(b"@OLD@", OLD.encode()))


def git(*args, **env):
    return subprocess.run(("git", *args), env=environment(**env), cwd=DIR, capture_output=True,
                          text=True, check=False, timeout=DEADLINE)


def settings():
    return sorted(git("config", "--global", "--includes", "--list").stdout.splitlines())


def wait(what, good):
    until = time.monotonic() + DEADLINE
    while not good():
        if time.monotonic() > until:
            check(False, "timed out waiting for", what, read())
            return False
        time.sleep(0.003)
    return True


def is_ours(value):
    return "/trace2top-attach-" in value


def attached():
    """Values in the file that trace2top set."""
    return [line for line in (read() or b"").decode("utf-8", "replace").splitlines()
            if "eventTarget" in line and is_ours(line)]


def ordinary():
    """Make a file unwritable for root, too."""
    libc = ctypes.CDLL(None)
    for cap in (1, 2):
        libc.prctl(24, cap, 0, 0, 0)


class Monitor:
    def __init__(self, *args, be=None, **env):
        self.report = os.path.join(DIR, "report%d" % checks)
        self.run = subprocess.Popen((TOP, "--once", "--attach", "--format=json", "-o", self.report,
                                     *args), env=environment(**env), cwd=DIR, text=True,
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                    stderr=subprocess.PIPE, preexec_fn=be)

    def value(self):
        return "-%d-" % self.run.pid

    def is_on(self):
        return any(self.value() in line for line in attached()) or self.run.poll() is not None

    def on(self):
        wait("attached", self.is_on)
        if not check(self.run.poll() is None, "a monitor did not start", self.run.poll()):
            print(self.run.stderr.read())
        return self

    def ready(self):
        """The value is in the file, and no process listens there."""
        self.on()
        check("listening" in self.run.stderr.readline(), "not ready")
        return self

    def cleanup(self):
        with open("/proc/%d/task/%d/children" % (self.run.pid, self.run.pid),
                  encoding="ascii") as f:
            return int(f.read().split()[0])

    def end(self, signo=signal.SIGTERM):
        self.run.send_signal(signo)
        try:
            self.out, self.err = self.run.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            check(False, "a monitor does not exit")
            self.run.kill()
            self.out, self.err = self.run.communicate()
        return self.run.returncode

    def seen(self):
        with open(self.report, encoding="utf-8") as f:
            return [p["argv"] for p in json.load(f)["processes"]]


def mine():
    """Processes of this test, found by its HOME."""
    out = []
    for pid in os.listdir("/proc"):
        try:
            with open("/proc/%s/environ" % pid, "rb") as f:
                if b"HOME=" + HOME.encode() + b"\0" in f.read():
                    out.append(int(pid))
        except (OSError, ValueError):
            pass
    return out


def settled(what):
    """Wait until no process is left that could change something."""
    wait("the end of the cleanup process (%s)" % what, lambda: not mine())


def check_restored(before, what):
    settled(what)
    check(read() == before, what, "content of the file:", read(), "not", before)
    check(not os.path.lexists(CONFIG + ".lock"), what, "a lock is left")
    check(not [n for n in os.listdir(RUNTIME) if "attach" in n], what, "a socket is left",
          os.listdir(RUNTIME))


def check_previous_target(what):
    was = len(read(OLD) or b"")
    git("version")
    check(len(read(OLD) or b"") > was, what, "the previous target received nothing")


def detach():
    return subprocess.run((TOP, "--detach"), env=environment(), cwd=DIR, capture_output=True,
                          text=True, check=False, timeout=DEADLINE)


def print_summary():
    """Prints cmocka's summary; returns the exit status."""
    print("[==========] %d test(s) run." % checks)
    print("[  PASSED  ] %d test(s)." % (checks - len(failures)))
    return 1 if failures else 0
