# SPDX-License-Identifier: MIT
"""--attach and --detach, with a HOME of the test: Git's configuration is always restored, and the
next Git command writes to its previous target.

    attach.py TRACE2TOP FOLDER KILLS    FOLDER is empty, with a short name; KILLS: kill -9 at random moments

Prints cmocka's summary.
"""
import ctypes
import itertools
import json
import os
import random
import shutil
import signal
import socket
import stat
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

    def guard(self):
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
    wait("the guard's end (%s)" % what, lambda: not mine())


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


# ---- the tests ----

def restores_all_forms_of_configuration():
    other = os.path.join(HOME, "other")
    write(b"[trace2]\n\teventTarget = " + OLD.encode() + b"\n", other)
    for name, shape in SHAPES.items():
        write(shape)
        before, said = read(), settings()
        m = Monitor().on()
        during = settings()
        check([l for l in during if not is_ours(l)] == said, name, "settings while attached")
        check(git("config", "--global", "--includes", "--get", KEY).stdout.strip().endswith(
            os.path.basename(attached()[0].split()[-1])), name, "is not the effective value")
        git("version")
        check(m.end() == 0, name, "status", m.run.returncode, m.err)
        check(["git", "version"] in m.seen(), name, "is not seen", m.seen())
        check(settings() == said, name, "settings afterwards")
        check_restored(before, name)
        if b"@OLD@" in shape or name == "include":
            check_previous_target(name)


def finds_the_global_configuration():
    write(None)
    m = Monitor().on()
    m.end()
    check_restored(None, "no file")
    # A link stays a link.
    real = os.path.join(DIR, "dotfile")
    write(SHAPES["plain"], real)
    os.symlink(real, CONFIG)
    m = Monitor().on()
    m.end()
    settled("link")
    check(os.path.islink(CONFIG) and read(real) == SHAPES["plain"], "link", read(real))
    write(None)
    # The other default path of the file.
    xdg = os.path.join(DIR, "x", "git", "config")
    os.makedirs(os.path.dirname(xdg))
    write(SHAPES["plain"], xdg)
    where = {"XDG_CONFIG_HOME": os.path.join(DIR, "x")}
    m = Monitor(**where)
    wait("attached", lambda: m.value().encode() in read(xdg))
    m.end()
    settled("xdg")
    check(read(xdg) == SHAPES["plain"] and not os.path.exists(CONFIG), "xdg", read(xdg))
    # And the path of GIT_CONFIG_GLOBAL.
    named = os.path.join(DIR, "named")
    write(SHAPES["plain"], named)
    m = Monitor(GIT_CONFIG_GLOBAL=named)
    wait("attached", lambda: m.value().encode() in read(named))
    m.end()
    settled("named")
    check(read(named) == SHAPES["plain"] and not os.path.exists(CONFIG), "named", read(named))
    # The file's permissions stay.
    write(SHAPES["plain"])
    os.chmod(CONFIG, 0o444)
    m = Monitor(be=ordinary).on()
    m.end()
    check_restored(SHAPES["plain"], "read-only file")
    check(stat.S_IMODE(os.stat(CONFIG).st_mode) == 0o444, "mode")
    os.chmod(CONFIG, 0o644)


def refused(what, says, before, *args, status=2, be=None, **env):
    m = Monitor(*args, be=be, **env)
    try:
        out, err = m.run.communicate(timeout=DEADLINE)
    except subprocess.TimeoutExpired:
        m.run.kill()
        out, err = m.run.communicate()
        check(False, what, "is accepted", attached())
    check(m.run.returncode == status, what, "status", m.run.returncode, err)
    check(says in err and err.count("\n") <= 2, what, "says", repr(err), "not", says)
    check_restored(before, what)


def rejects_what_cannot_work():
    write(SHAPES["target there"])
    before = read()
    refused("a repository", "--filter 'worktree = DIR'", before, DIR)
    refused("a pid", "cannot be attached to", before, "1234")
    refused("an argument", "--attach takes no argument", before, "--attach=x")
    refused("a command", "-- COMMAND", before, "--", "git", "version")
    refused("no git", "--attach needs git", before, PATH=DIR)
    refused("no HOME", "HOME", before, HOME=None)
    refused("HOME is not there", "cannot attach", before, HOME=os.path.join(DIR, "none"))
    refused("a long path", "path is longer", before, XDG_RUNTIME_DIR=long_runtime())
    write(before + b"[broken\n")
    refused("a broken file", "bad config", before + b"[broken\n")
    write(SHAPES["include"])
    os.chmod(HOME, 0o555)
    refused("a read-only directory", "Permission denied", read(), be=ordinary)
    os.chmod(HOME, 0o755)


def rejects_files_that_are_not_regular():
    """Only regular files are changed. In a mount namespace of its own, /dev/null is a copy."""
    script = """set -e
mount -t tmpfs none /mnt; mknod /mnt/null c 1 3; mkfifo /mnt/fifo; mkdir /mnt/dir
ln -s /mnt/nowhere /mnt/dangling; ln -s /mnt/null /mnt/link
python3 -c 'import socket; socket.socket(socket.AF_UNIX).bind("/mnt/socket")'
ls -l /mnt >"$2"
for f in null fifo dir dangling link socket; do
    for o in --attach --detach; do
        echo "$f $o"
        GIT_CONFIG_GLOBAL=/mnt/$f timeout 20 "$1" --once $o -o /mnt/report </dev/null 2>&1 || echo "status $?"
    done
done
rm -f /mnt/report
ls -l /mnt >"$3"
"""
    write(None)
    was, now = os.path.join(DIR, "was"), os.path.join(DIR, "now")
    done = subprocess.run(("unshare", "-m", "sh", "-c", script, "sh", TOP, was, now),
                          env=environment(), capture_output=True, text=True, check=False,
                          stdin=subprocess.DEVNULL, timeout=600)
    if "unshare" in done.stderr or "mount:" in done.stderr or "mknod:" in done.stderr:
        print("not_regular: needs a mount namespace:", done.stderr.strip())
        return
    says = done.stdout.count("not a regular file") + done.stdout.count("cannot be read")
    check(says == 12 and done.stdout.count("status 2") == 12, "not regular", done.stdout,
          done.stderr)
    check(read(was) == read(now) and read(was), "not regular", read(was), read(now))


def detach():
    return subprocess.run((TOP, "--detach"), env=environment(), cwd=DIR, capture_output=True,
                          text=True, check=False, timeout=DEADLINE)


def keeps_values_of_other_hosts():
    """A value of another host or boot stays, and --detach names it."""
    write(SHAPES["plain"])
    m = Monitor().ready()
    here = attached()[0].split()[-1]
    host, boot = os.path.basename(here)[len("trace2top-attach-"):].rsplit("-", 3)[:2]
    m.end()
    for name, pid in (("x" + host, 1), (host, 2)):
        other = boot if name != host else "0123abcd" if boot != "0123abcd" else "abcd0123"
        value = "%s/trace2top-attach-%s-%s-%d-5.sock" % (here.rsplit("/", 1)[0], name, other, pid)
        before = b"[trace2]\n\teventTarget = " + value.encode() + b"\n"
        write(before)
        done = detach()
        check(value in done.stderr and "is kept" in done.stderr, "another host", done)
        m = Monitor().ready()
        m.end()
        check_restored(before, "another host or boot")
    write(b"[trace2]\n\teventTarget = " + here.encode() + b"\n")
    check(detach().returncode == 0 and not attached(), "this host", read())


def reports_a_killed_git():
    """Reasons are printed, a lock that was left is named, and no value stays."""
    real, fake = shutil.which("git"), os.path.join(DIR, "bin")
    os.mkdir(fake)
    path = fake + ":" + os.environ["PATH"]
    write(SHAPES["target there"])
    before = read()
    for when in ("--get", "--get-all", "version"):
        with open(fake + "/git", "w", encoding="ascii") as f:
            f.write('#!/bin/sh\ncase " $* " in *" %s "*) "%s" "$@" >/dev/null; kill -9 $$;; esac\n'
                    'exec "%s" "$@"\n' % (when, real, real))
        os.chmod(fake + "/git", 0o755)
        m = Monitor(PATH=path)
        status = m.run.wait(timeout=DEADLINE)
        said = m.run.stderr.read()
        check(status == 2 and ": \n" not in said, "git killed at", when, status, said)
        check_restored(before, "git killed at " + when)
    write(b"", CONFIG + ".lock")
    done = detach()
    os.unlink(CONFIG + ".lock")
    check(done.returncode == 1 and CONFIG + ".lock" in done.stderr and "nothing" not in done.stdout,
          "a lock that was left", done)


def restores_bytes_and_mode():
    """Bytes and mode are restored exactly; a file that changed loses our lines only."""
    parts = (b"", b"[user]\n\tname = A\n", b"[trace2]\n", b"# c\n", b"[core]\r\n\tabbrev = 7\r\n",
             b"[user]\n\tname = A", b"[trace2]\n\tnormalTarget = 0 ; c\n", b"\n\n",
             b"[alias]\n\ta = !x \\\n\t\ty\n", b"; end", b"[a]\n\tb = c\\\n")
    shapes_of = [a + (b"" if a.endswith(b"\n") or not a else b"\n") + b +
                 (b"" if b.endswith(b"\n") or not b else b"\n") + c
                 for a, b, c in itertools.product(parts, repeat=3)]
    shapes_of += [b"\xef\xbb\xbf" + s for s in shapes_of[100:217]]
    random.seed(1448)
    number = int(os.environ.get("ATTACH_CONFIGS", "40"))
    for shape in random.sample(shapes_of, min(number, len(shapes_of))):
        write(shape)
        mode = random.choice((0o644, 0o600, 0o640))
        os.chmod(CONFIG, mode)
        m = Monitor().on()
        m.end()
        check_restored(shape, "generated")
        check(stat.S_IMODE(os.stat(CONFIG).st_mode) == mode, "mode", shape)
    write(SHAPES["no final LF"])
    m = Monitor().ready()
    git("config", "--global", "core.editor", "vi")
    m.end()
    settled("changed")
    check(settings() == ["core.editor=vi", "user.name=A"], "changed", read())


def keeps_lines_of_concurrent_git_config():
    """Kill a random subset while `git config` changes the file: none of its lines is lost."""
    write(SHAPES["plain"])
    random.seed(KILLS)
    for number in range(KILLS):
        monitors = [Monitor() for _ in range(2)]
        for i in range(5):
            for _ in range(200):
                if git("config", "--global", "loop.n%d-%d" % (number, i), "1").returncode == 0:
                    break
                time.sleep(0.01)
            for m in monitors:
                if random.random() < 0.3:
                    m.run.kill()
        for m in monitors:
            m.run.send_signal(signal.SIGTERM)
            m.run.communicate(timeout=DEADLINE)
        settled("beside git")
        said = settings()
        check(sum(l.startswith("loop.n%d-" % number) for l in said) == 5 and not attached(),
              "beside git", said)


def long_runtime():
    path = os.path.join(DIR, "l" * 90)
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def waits_for_locks():
    write(SHAPES["target there"])
    before = read()
    lock = CONFIG + ".lock"
    write(b"", lock)
    m = Monitor()
    m.run.wait(timeout=DEADLINE)
    check(m.run.returncode == 2 and "File exists" in m.run.stderr.read(), "a lock that stays")
    check(read() == before and os.path.exists(lock), "lock", read())
    settled("lock")
    m = Monitor()
    wait("the guard", lambda: len(mine()) > 1)
    os.unlink(lock)
    m.on()
    # The program waits for it at the end, too.
    write(b"", lock)
    m.run.send_signal(signal.SIGKILL)
    m.run.communicate()
    os.unlink(lock)
    check_restored(before, "lock at the end")
    check_previous_target("lock")


def await_silence(value):
    """No process listens there any more. A killed process keeps its socket until the kernel has ended it."""
    path = value.split("af_unix:stream:")[1]
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as to:
            try:
                to.connect(path)
            except (ConnectionRefusedError, FileNotFoundError):
                return
        time.sleep(0.005)
    check(False, "a process still listens", value)


def cleans_up_after_kills():
    """The value and the socket are removed, whichever process is killed, at any time."""
    write(SHAPES["target there"])
    before = read()
    random.seed(KILLS)
    for number in range(KILLS):
        m = Monitor()
        if number % 3 == 2:
            m.on()
            m.run.send_signal(random.choice((signal.SIGTERM, signal.SIGINT, signal.SIGHUP)))
        time.sleep(random.random() * (0.03 if number % 3 else 0.06))
        m.run.kill()
        m.run.communicate()
        check_restored(before, "kill %d" % number)
        check_previous_target("kill %d" % number)
    # Kill the guard alone: its owner restores the configuration.
    m = Monitor().ready()
    os.kill(m.guard(), signal.SIGKILL)
    check(m.end() == 0, "guard killed", m.run.returncode, m.err)
    check_restored(before, "guard killed")
    # Kill both: --detach and the next --attach report it and restore the configuration.
    for mend, shape in itertools.product(("--detach", "--attach"), ("target there", None)):
        write(SHAPES.get(shape))
        before = read()
        m = Monitor().ready()
        # Its owner must not notice that, or it would remove the value.
        guard = m.guard()
        m.run.send_signal(signal.SIGSTOP)
        os.kill(guard, signal.SIGKILL)
        m.end(signal.SIGKILL)
        check(len(attached()) == 1, "nothing to remove")
        await_silence(attached()[0])
        told = subprocess.run((TOP, "--once", OLD), env=environment(), cwd=DIR, text=True,
                              capture_output=True, check=False, timeout=DEADLINE)
        check("--detach" in told.stderr, "it is not reported", told.stderr)
        git("version")
        if mend == "--detach":
            done = subprocess.run((TOP, mend), env=environment(), cwd=DIR, capture_output=True,
                                  text=True, check=False, timeout=DEADLINE)
            check(done.returncode == 0 and "1 unused value" in done.stdout, mend, done)
        else:
            m = Monitor().on()
            check(len(attached()) == 1, "not restored", attached())
            m.end()
        check_restored(before, "%s, %s" % (mend, shape))
        if shape:
            check_previous_target(mend)
    done = subprocess.run((TOP, "--detach"), env=environment(), cwd=DIR, capture_output=True,
                          text=True, check=False, timeout=DEADLINE)
    check(done.returncode == 0 and "nothing" in done.stdout, "nothing to mend", done)
    check_restored(before, "nothing to mend")


def ran(number):
    """Run a Git command with a unique argument; returns its arguments."""
    git("rev-parse", "--sq-quote", "n%d" % number)
    return ["git", "rev-parse", "--sq-quote", "n%d" % number]


def argvs(path):
    """Command lines in a trace."""
    return [e["argv"] for e in map(json.loads, (read(path) or b"").splitlines())
            if e["event"] == "start"]


def faults_of_children(pid):
    """Page faults of the children waited for so far; the number only grows."""
    return int(read("/proc/%d/stat" % pid).rsplit(b")", 1)[1].split()[8])


def recorded(path):
    """Last arguments of the commands in a recording that is being written."""
    done = subprocess.run((TOP, "--once", "--format=json", path), env=environment(), cwd=DIR, text=True,
                          capture_output=True, check=False, timeout=DEADLINE)
    return [p["argv"][-1] for p in json.loads(done.stdout or '{"processes": []}')["processes"] if p["argv"]]


def chain(order, killed):
    """Start monitors one after the other. Each sees all events while it runs, and so does the previous target."""
    monitors, expected, all_of = [], [[] for _ in order], []
    write(b"", OLD)
    number = 0
    for i in range(len(order)):
        monitors.append(Monitor().ready())
        all_of.append(ran(number))
        number += 1
        for e in expected[:i + 1]:
            e.append(all_of[-1])
    check(len(attached()) == len(order), "several", attached())
    subprocess.run((TOP, "--detach"), env=environment(), cwd=DIR, capture_output=True,
                   check=False, timeout=DEADLINE)
    check(len(attached()) == len(order), "a running one was removed", attached())
    gone = []
    for step, i in enumerate(order):
        kill = killed and step % 2
        # Everything that it forwarded has arrived.
        wait("the old target has all", lambda: len(argvs(OLD)) == len(all_of))
        check(monitors[i].end(signal.SIGKILL if kill else signal.SIGTERM) == (-9 if kill else 0),
              "status", monitors[i].run.returncode, monitors[i].err)
        gone.append(i)
        if not kill:
            check(monitors[i].seen() == expected[i], order, i, "has seen", monitors[i].seen(),
                  "not", expected[i])
        wait("one less", lambda left=len(order) - len(gone): len(attached()) == left)
        all_of.append(ran(number))
        number += 1
        for j, e in enumerate(expected):
            if j not in gone:
                e.append(all_of[-1])
    wait("the old target has all", lambda: len(argvs(OLD)) == len(all_of))
    check(argvs(OLD) == all_of, order, "the previous target has", argvs(OLD), "not", all_of)


def passes_events_to_all_monitors():
    """Two and three monitors, ended in any order, normally or with kill -9. A running one is not disturbed."""
    write(SHAPES["target there"])
    before = read()
    for nr in (1, 2, 3):
        for order in itertools.permutations(range(nr)):
            chain(order, killed=nr == 2)
            check_restored(before, "order %s" % (order,))
    chain((1, 0, 2), killed=True)
    check_restored(before, "killed by turns")
    # A file that the first monitor created is removed by the last one, in any order.
    write(None)
    first, second = Monitor().on(), Monitor().on()
    first.end()
    second.end()
    check_restored(None, "made by the first")
    write(before)
    # All at once.
    monitors = [Monitor() for _ in range(8)]
    for m in monitors:
        m.on()
    for m in monitors:
        m.run.send_signal(signal.SIGTERM)
    for m in monitors:
        m.end()
    check_restored(before, "eight at once")
    # Without a previous target, one monitor gets all events, and lines do not circulate.
    write(SHAPES["plain"])
    kept = os.path.join(DIR, "kept.t2rec.zst")
    first, second = Monitor().ready(), Monitor("--record=" + kept).ready()
    first.run.send_signal(signal.SIGTSTP)
    wait("off while stopped", lambda: len(attached()) == 1)
    wait("stopped", lambda: read("/proc/%d/stat" % first.run.pid).split()[2] == b"T")
    ran(0)
    before_that = faults_of_children(first.run.pid)
    first.run.send_signal(signal.SIGCONT)
    wait("on again", lambda: len(attached()) == 2)
    # It starts a child to ask Git for the previous target; the guard's is not that child.
    wait("asked", lambda: faults_of_children(first.run.pid) > before_that)
    ran(1)
    # The second one receives it through the first.
    wait("the second has it", lambda: "n1" in recorded(kept))
    second.end()
    ran(2)
    first.end()
    check([a[-1] for a in second.seen()] == ["n0", "n1"], "second", second.seen())
    # On a slow machine the second forwards the first command only after the first is back.
    got = [a[-1] for a in first.seen()]
    check(got in (["n1", "n2"], ["n0", "n1", "n2"]), "first", got)
    check_restored(SHAPES["plain"], "stopped, with another")


def continues_after_a_stop():
    write(SHAPES["target there"])
    before = read()
    m = Monitor().on()
    m.run.send_signal(signal.SIGTSTP)
    wait("off while stopped", lambda: not attached())
    wait("stopped", lambda: read("/proc/%d/stat" % m.run.pid).split()[2] == b"T")
    check_previous_target("stopped")
    m.run.send_signal(signal.SIGCONT)
    m.on()
    git("version")
    m.end()
    check(len(m.seen()) == 1, "stopped and continued", m.seen())
    check_restored(before, "stopped")


def works_in_unusual_environments():
    write(SHAPES["target there"])
    before = read()
    # No runtime directory; started by dash, ended by its hangup.
    shell = "dash" if shutil.which("dash") else "sh"
    run = subprocess.Popen((shell, "-c", '"$0" --once --attach -o "$1"; exit $?', TOP,
                            os.path.join(DIR, "dash")), cwd=DIR, start_new_session=True,
                           env=environment(XDG_RUNTIME_DIR=None), stderr=subprocess.PIPE)
    wait("attached", attached)
    check(HOME + "/.cache/trace2top/" in attached()[0], "no runtime directory", attached())
    os.killpg(run.pid, signal.SIGHUP)
    run.communicate(timeout=DEADLINE)
    check_restored(before, "dash")
    check(not os.listdir(HOME + "/.cache/trace2top"), "a socket is left")
    # A variable in a shell's environment takes precedence; trace2top reports it.
    m = Monitor(GIT_TRACE2_EVENT="/nowhere").on()
    m.end()
    check("GIT_TRACE2_EVENT is set" in m.err, "environment", m.err)
    check_restored(before, "environment")
    # A signal to the process group does not reach the guard.
    run = subprocess.Popen((TOP, "--once", "--attach", "-o", os.path.join(DIR, "group")),
                           env=environment(), cwd=DIR, start_new_session=True,
                           stderr=subprocess.DEVNULL)
    wait("attached", attached)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    check_restored(before, "group")
    check_previous_target("group")


def main():
    os.makedirs(HOME)
    os.mkdir(RUNTIME, mode=0o700)
    only = os.environ.get("ATTACH_ONLY", "").split()
    for test in (rejects_files_that_are_not_regular, restores_all_forms_of_configuration, finds_the_global_configuration,
                 rejects_what_cannot_work, keeps_values_of_other_hosts, reports_a_killed_git, restores_bytes_and_mode,
                 keeps_lines_of_concurrent_git_config, waits_for_locks, cleans_up_after_kills, passes_events_to_all_monitors,
                 continues_after_a_stop, works_in_unusual_environments):
        if only and test.__name__ not in only:
            continue
        start = time.monotonic()
        test()
        if "ATTACH_TIMES" in os.environ:
            print(test.__name__, round(time.monotonic() - start, 1), flush=True)
    print("[==========] %d test(s) run." % checks)
    print("[  PASSED  ] %d test(s)." % (checks - len(failures)))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
