# SPDX-License-Identifier: MIT
"""--remote over an sshd of the test on 127.0.0.1, with HOME and PATH of the test.

    remote.py TRACE2TOP FOLDER TRACE... STALL    FOLDER is empty, with a short name; STALL: seconds

Prints cmocka's summary; exit status 77 if no login is possible.
"""
import datetime
import fcntl
import json
import os
import pty
import pwd
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import termios
import time

TOP, DIR, TRACES, STALL = sys.argv[1], sys.argv[2], sys.argv[3:-1], float(sys.argv[-1])
SSHD, SSH = shutil.which("sshd", path="/usr/sbin:/sbin:/usr/local/sbin"), shutil.which("ssh")
HOME = os.path.join(DIR, "h")
DEADLINE = 120

failures = []
checks = 0
ended = []


def check(good, *why):
    global checks
    checks += 1
    if not good:
        failures.append(why)
        print("FAIL", *(str(w)[:800] for w in why), flush=True)
    return good


def wait(what, good, seconds=DEADLINE):
    until = time.monotonic() + seconds
    while not good():
        if time.monotonic() > until:
            return check(False, "timed out waiting for", what)
        time.sleep(0.003)
    return True


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def write(path, text, mode=0o600):
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    os.chmod(path, mode)


def key(name):
    subprocess.run(("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", name), check=True)


def serve(name, path):
    """An sshd under that host name; remote commands have PATH `path`."""
    port = free_port()
    config = os.path.join(DIR, name + ".sshd")
    write(config, """Port %d
ListenAddress 127.0.0.1
HostKey %s/host
AuthorizedKeysFile %s/id.pub
PidFile none
StrictModes no
UsePAM no
SetEnv PATH=%s HOME=%s XDG_RUNTIME_DIR=%s/run GIT_CONFIG_NOSYSTEM=1
""" % (port, DIR, DIR, path, HOME, DIR))
    with open(os.path.join(DIR, "config"), "a", encoding="utf-8") as f:
        f.write("""Host %s
HostName 127.0.0.1
Port %d
""" % (name, port))
    sshd = subprocess.Popen((SSHD, "-D", "-f", config, "-E", config + ".log"),
                            stdin=subprocess.DEVNULL)
    ended.append(sshd)
    wait("sshd", lambda: is_open(port))


def is_open(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


def set_up():
    os.makedirs(HOME)
    for name in ("bin", "none", "run"):
        os.mkdir(os.path.join(DIR, name), mode=0o700)
    for name in ("host", "id"):
        key(os.path.join(DIR, name))
    write(os.path.join(DIR, "bin", "ssh"), "#!/bin/sh\nexec %s -F %s/config \"$@\"\n" % (SSH, DIR),
          0o755)
    for tool in ("tail", "cat", "sh"):
        os.symlink(shutil.which(tool), os.path.join(DIR, "none", tool))
    write(os.path.join(DIR, "config"), """IdentityFile %s/id
IdentitiesOnly yes
UserKnownHostsFile %s/known
StrictHostKeyChecking no
KexAlgorithms curve25519-sha256,curve25519-sha256@libssh.org
LogLevel ERROR
User %s
""" % (DIR, DIR, pwd.getpwuid(os.getuid()).pw_name))
    if os.getuid() == 0 and not os.path.isdir("/run/sshd"):
        os.mkdir("/run/sshd", mode=0o755)
    serve("there", "%s:%s:/usr/bin:/bin" % (os.path.dirname(TOP), os.path.dirname(TOP)))
    serve("bare", os.path.join(DIR, "none"))
    return subprocess.run((os.path.join(DIR, "bin", "ssh"), "there", "true"), check=False,
                          timeout=DEADLINE, stdin=subprocess.DEVNULL).returncode == 0


def environment(**more):
    env = {k: v for k, v in os.environ.items() if not k.startswith(("GIT_", "XDG_", "SSH_"))}
    env["PATH"] = os.path.join(DIR, "bin") + ":" + env["PATH"]
    env.update(HOME=HOME, GIT_CONFIG_NOSYSTEM="1", **more)
    return env


def top(*args, **env):
    return subprocess.run((TOP, "--no-config", "--once", "--format=json", *args), check=False,
                          env=environment(**env), capture_output=True, text=True, timeout=DEADLINE,
                          stdin=subprocess.DEVNULL)


def figures(report):
    """The report without the names and counters of the source."""
    return {k: v for k, v in json.loads(report).items()
            if k not in ("sources", "written", "origin", "generated", "host")}


def start(*args, **env):
    return subprocess.Popen((TOP, "--no-config", "--once", "--format=json", *args),
                            env=environment(**env), stdin=subprocess.DEVNULL, text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
        return [int(p) for p in f.read().split()]


def relays(mark):
    """Running relays, found by a word of their command line, without ssh and their parents."""
    out = []
    for pid in os.listdir("/proc"):
        try:
            with open("/proc/%s/cmdline" % pid, "rb") as f:
                line = f.read().split(b"\0")
            if line[0] == b"trace2top" and any(mark.encode() in w for w in line):
                out.append(int(pid))
        except (OSError, ValueError):
            pass
    return out


# ---- the tests ----

def gives_the_report_of_a_local_run():
    for trace in TRACES:
        here, there = top(trace), top("--remote=there", trace)
        check(here.returncode == there.returncode == 0, trace, there.returncode, there.stderr)
        if there.stdout:
            check(figures(here.stdout) == figures(there.stdout), trace, "the report differs")
    both = top("--remote=there", *TRACES)
    check(figures(both.stdout)["totals"] == figures(top(*TRACES).stdout)["totals"], "not all of them")
    odd = os.path.join(DIR, "it's a \"$HOME\" `x`; \\ *")
    os.mkdir(odd)
    shutil.copy(TRACES[0], odd)
    check(figures(top("--remote=there", odd).stdout) == figures(top(odd).stdout), "quoting")


def reports_output_and_status_of_commands():
    said = os.path.join(DIR, "said")
    words = ["it's", 'a "b"', "$HOME", "`id`", "a\\b", "*", "", "new\nline", "; exit 9", "é", "!x", "-n"]
    done = top("--remote=there", "--", "sh", "-c",
               'git version; for w; do printf "%s|" "$w"; done >' + said + "; exit 7", "sh", *words)
    check(done.returncode == 7, "status", done.returncode, done.stderr)
    with open(said, encoding="utf-8") as f:
        check(f.read() == "".join(w + "|" for w in words), "words")
    report = figures(done.stdout)
    check([p["argv"] for p in report["processes"]] == [["git", "version"]], report["processes"])
    check("git version" in done.stderr, "output", done.stderr)


def reports_mistakes_on_one_line():
    for args, says, status in (
            (("--remote=nobody.invalid", "/x"), "cannot connect to nobody.invalid", 2),
            (("--remote=-oProxyCommand=x", "/x"), "is not a host", 2),
            (("--remote", "-oProxyCommand=x", "/x"), "is not a host", 2),
            (("--remote=there", "-"), "standard input", 2),
            (("--remote=there", DIR + "/nothing"), "nothing", 1),
            (("--remote=there", "--", "no-such-command"), "no-such-command", 2),
            (("--remote=bare", "relative"), "trace2top is not installed on bare", 2),
            (("--remote=bare", "af_unix:/x"), "trace2top is not installed on bare", 2),
            (("--remote=bare", "--", "git", "version"), "trace2top is not installed on bare", 2)):
        done = top(*args)
        check(done.returncode == status, args, "status", done.returncode, done.stderr)
        check(says in done.stderr, args, "says", done.stderr)
    check("ssh" in top("--remote=there", "/x", PATH=DIR).stderr, "no ssh")


def reads_a_recording_through_tail():
    here, there = top(TRACES[0]), top("--remote=bare", TRACES[0])
    check(figures(here.stdout) == figures(there.stdout), "by cat", there.stderr)
    # Followed: appended events arrive.
    path = os.path.join(DIR, "grows.event")
    with open(TRACES[0], "rb") as f:
        lines = f.read().splitlines(keepends=True)
    with open(path, "wb") as f:
        f.writelines(lines[:10])
        f.flush()
        out = os.path.join(DIR, "grown.zst")
        run = subprocess.Popen((TOP, "--no-config", "--remote=bare", "--record=" + out, path),
                               env=environment(), stdin=subprocess.DEVNULL,
                               stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        wait("a recording", lambda: os.path.exists(out) and recorded(out) == 10)
        f.writelines(lines[10:30])
        f.flush()
        wait("what is appended", lambda: recorded(out) == 30)
        run.send_signal(signal.SIGTERM)
        check(run.wait(timeout=DEADLINE) == 0, "status", run.returncode)


counted = {}


def recorded(path):
    """Number of events in a recording, which is read only if the file has changed."""
    seen = os.stat(path)
    state = seen.st_size, seen.st_mtime_ns
    if counted.get(path, (None,))[0] != state:
        done = top(path)
        counted[path] = state, json.loads(done.stdout)["totals"]["events"] if done.stdout else 0
    return counted[path][1]


def line(number):
    sid = "20261121T024032.%06dZ-H0123abcd-P%08x" % (number // 100, number // 100)
    return ('{"event":"data","sid":"%s","thread":"main","t_abs":0.1,"t_rel":0.1,"nesting":1,'
            '"category":"c","key":"k","value":"%s"}\n' % (sid, "x" * 100)).encode()


def sent(path, nr):
    """A writer that blocks like Git: it writes everything or raises."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(DEADLINE)
        s.connect(path)
        for number in range(nr):
            s.sendall(line(number))


def is_listening(path):
    with socket.socket(socket.AF_UNIX) as s:
        return s.connect_ex(path) == 0


def reading(run):
    """Wait until it reads; before that a signal would kill it. Returns the earlier output of the relay."""
    while run.poll() is None and "reading from there" not in run.stderr.readline():
        pass


def listening(name):
    path = os.path.join(DIR, name)
    run = start("--remote=there", "af_unix:stream:" + path)
    ended.append(run)
    wait("the socket", lambda: is_listening(path))
    reading(run)
    return path, run


def writers_never_wait_for_ssh():
    path, run = listening("stall")
    nr = 10000
    sent(path, nr)
    ssh = children(run.pid)[0]
    os.kill(ssh, signal.SIGSTOP)
    # Waiting for ssh would block for ever, because ssh is stopped.
    sent(path, nr)
    begun, ran = time.monotonic(), 0
    while not ran or time.monotonic() < begun + STALL:
        subprocess.run(("git", "version"), env=environment(GIT_TRACE2_EVENT="af_unix:" + path),
                       stdout=subprocess.DEVNULL, check=False, timeout=DEADLINE)
        ran += 1
    os.kill(ssh, signal.SIGCONT)
    wait("all has come", lambda: relays("stall"))
    os.kill(relays("stall")[0], signal.SIGTERM)
    out, err = run.communicate(timeout=DEADLINE)
    report = json.loads(out)
    want = 2 * nr + 6 * ran
    check(report["events"].get("data") == 2 * nr, "events", report["events"], err)
    check(report["totals"]["events"] >= 2 * nr + ran, "events of Git", report["totals"], want)


def removes_everything_after_a_kill():
    """Whichever process dies, the relay ends and removes what it created."""
    for who in ("ssh", "here"):
        path, run = listening(who)
        sent(path, 10)
        victim = children(run.pid)[0] if who == "ssh" else run.pid
        os.kill(victim, signal.SIGKILL)
        wait("the relay's end (%s)" % who, lambda w=who: not relays(w))
        check(not os.path.exists(path), who, "its socket is left")
        out, err = run.communicate(timeout=DEADLINE)
        if who == "ssh":
            check(run.returncode == 1 and "signal 9" in err, who, run.returncode, err)
            check("totals" in json.loads(out), who, "no report")
    path, run = listening("ends")
    run.send_signal(signal.SIGTERM)
    out, err = run.communicate(timeout=DEADLINE)
    check(run.returncode == 0, "ends", run.returncode, err)
    wait("the relay's end", lambda: not relays("ends"))
    check(not os.path.exists(path), "ends: its socket is left")


def measures_with_the_clock_of_the_host():
    """Ages are relative to the clock of the other host."""
    name, bin = os.path.join(DIR, "clock.t2rec"), os.path.join(DIR, "clock-bin")
    ago, begun = 7200, time.time()
    write(os.path.join(DIR, "clock.event"), "")
    at = datetime.datetime.fromtimestamp(begun - ago, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    with open(os.path.join(DIR, "clock.event"), "w", encoding="ascii") as out:
        for event, more in (("version", {"evt": "3", "exe": "1"}), ("start", {"argv": ["git", "there"], "t_abs": 0.0})):
            out.write(json.dumps({"event": event, "sid": "x", "thread": "main", "time": at, **more}) + "\n")
    top("--once", "--record=" + name, "-o", "/dev/null", os.path.join(DIR, "clock.event"))
    with open(name, "rb") as file:
        data = bytearray(file.read())
    # Move the first and last arrival of its only chunk back by two hours.
    chunk = data.index(b"T2CK")
    for place in (chunk + 12, chunk + 20):
        then = struct.unpack_from("<q", data, place)[0]
        assert abs(then - begun * 1e9) < 60e9, then
        struct.pack_into("<q", data, place, then - ago * 10**9)
    with open(name, "wb") as file:
        file.write(data)
    os.mkdir(bin)
    write(os.path.join(bin, "ssh"), "#!/bin/sh\ncat %s\nexec cat >/dev/null\n" % name, mode=0o755)
    pid, fd = pty.fork()
    if not pid:
        env = environment(PATH=bin + ":/usr/bin:/bin", TERM="xterm", LC_ALL="C.UTF-8", TZ="UTC")
        os.execve(TOP, [TOP, "--no-config", "--remote=there", "/x"], env)
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    shown = b""
    until = time.monotonic() + DEADLINE
    # The process began two hours ago by our clock, and seconds ago by its own.
    while not re.search(rb"there", shown) and time.monotonic() < until:
        if select.select([fd], [], [], 0.1)[0]:
            shown += os.read(fd, 65536)
    clocks, shown = set(), b""
    while not any(clock in shown for clock in clocks) and time.monotonic() < until:
        clocks.add(time.strftime("%H:%M", time.gmtime(time.time() - ago)).encode())
        os.write(fd, b"\x0c")  # redrawn digits are contiguous
        if select.select([fd], [], [], 0.1)[0]:
            shown += os.read(fd, 65536)
    check(any(clock in shown for clock in clocks), "the clock there is not shown", shown[-2000:])
    os.kill(pid, signal.SIGTERM)
    os.waitpid(pid, 0)
    os.close(fd)


class Screen:
    """trace2top on a terminal of 120 x 40; `shown` is everything that it has drawn."""

    def __init__(self, *args, **env):
        self.shown = b""
        self.pid, self.fd = pty.fork()
        if not self.pid:
            env = environment(TERM="xterm", LC_ALL="C.UTF-8", TZ="UTC", **env)
            os.execve(TOP, [TOP, "--no-config", *args], env)
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))

    def key(self, keys):
        os.write(self.fd, keys)

    def shows(self, *texts, keys=b"\x0c"):
        """Wait for these texts. A redrawn line is contiguous."""
        until = time.monotonic() + DEADLINE
        while not all(t in self.shown for t in texts):
            if time.monotonic() > until:
                return check(False, "not shown:", texts, self.shown[-2000:])
            if not select.select([self.fd], [], [], 0.2)[0]:
                self.shown = b""
                os.write(self.fd, keys)
                continue
            try:
                self.shown += os.read(self.fd, 65536)
            except OSError:
                return check(False, "it exited before it showed", texts, self.shown[-2000:])
        return check(True)

    def end(self):
        """Return its exit status."""
        try:
            while os.read(self.fd, 65536):
                pass
        except OSError:
            pass
        os.close(self.fd)
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])


def shows_state_on_the_screen():
    """The output and exit status of the remote command are those of a local one."""
    go = os.path.join(DIR, "go")
    os.mkfifo(go)
    screen = Screen("--remote=there", "--", "sh", "-c",
                    'echo "on $(tty | cut -c1-8)"; printf "so\\r\\n"; git version; read line <%s; echo later >&2; exit 7' % go)
    screen.shows(b"exit 0")
    screen.key(b"O")
    screen.shows(b"on /dev/pts", b" so ", b"git version", b"running for")
    screen.key(b"\r")
    screen.shows(b"The command runs on another host", keys=b"\x0c\r")
    write(go, "\n")
    screen.shows(b"later", b"exit 7 after")
    screen.key(b"q")
    screen.shows(b"Processes")
    screen.key(b"q")
    check(screen.end() == 7, "status on the screen")
    # Quitting ends it.
    screen = Screen("--remote=there", "--", "sh", "-c", "git version; exec sleep 98765")
    screen.shows(b"exit 0")
    screen.key(b"q")
    screen.shows(b"y stops it")
    screen.key(b"y")
    screen.end()
    wait("the relay's end", lambda: not relays("98765"))


def runs_without_a_screen():
    """Without a screen, the command's output goes to standard error."""
    for where in (("--record=-",), ("--remote=there", "--record=" + os.path.join(DIR, "one.t2rec.zst")),
                  ("--remote=there", "--once")):
        done = subprocess.run((TOP, "--no-config", *where, "--", "sh", "-c",
                               "echo first; git version; seq 100000; printf last; exit 7"), check=False,
                              env=environment(), capture_output=True, timeout=DEADLINE,
                              stdin=subprocess.DEVNULL)
        said = done.stderr.decode().replace("\r", "").split("\n")
        check(done.returncode == 7, where, "status", done.returncode)
        check(said[0] == "first" and said[1].startswith("git version") and said[-1] == "last", where, said[:2], said[-1])
        check(said[2:-1] == [str(i + 1) for i in range(100000)], where, "incomplete", len(said))


def attaches_on_the_host():
    config = os.path.join(HOME, ".gitconfig")
    write(config, "[user]\n\tname = A\n")
    run = start("--remote=there", "--attach")

    def text():
        with open(config, encoding="utf-8") as f:
            return f.read()
    wait("attached", lambda: "trace2top-attach-" in text())
    reading(run)
    subprocess.run(("git", "version"), env=environment(), stdout=subprocess.DEVNULL, check=False)
    run.send_signal(signal.SIGTERM)
    out, err = run.communicate(timeout=DEADLINE)
    check(json.loads(out)["totals"]["processes"] == 1, "attached there", out, err)
    wait("detached", lambda: text() == "[user]\n\tname = A\n")
    wait("the relay's end", lambda: not relays("--attach"))


def main():
    try:
        if not set_up():
            print("no login with ssh to 127.0.0.1")
            sys.exit(77)
        for test in (gives_the_report_of_a_local_run, reports_output_and_status_of_commands, reports_mistakes_on_one_line,
                     reads_a_recording_through_tail, writers_never_wait_for_ssh, removes_everything_after_a_kill,
                     measures_with_the_clock_of_the_host, shows_state_on_the_screen,
                     runs_without_a_screen, attaches_on_the_host):
            test()
    finally:
        for run in reversed(ended):
            if run.poll() is None:
                run.terminate()
                run.wait()
    print("[==========] %d test(s) run." % checks)
    print("[  PASSED  ] %d test(s)." % (checks - len(failures)))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
