# SPDX-License-Identifier: MIT
# See lines.sh. All waiting is for output, with a deadline.
import json
import os
import pty
import re
import select
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

TOP = sys.argv[1]
DEADLINE = 120
failures = 0


def check(condition, what):
    global failures
    if not condition:
        failures += 1
        print("FAILED:", what)


class Spoken:
    """The program with --lines, and its output."""

    def __init__(self, args, stdin=subprocess.PIPE, env=None, **more):
        self.process = subprocess.Popen([TOP] + args, stdin=stdin, stdout=subprocess.PIPE,
                                        stderr=subprocess.PIPE, env=env, **more)
        self.said = ""

    def hear(self, pattern, what=None):
        end = time.monotonic() + DEADLINE
        while not re.search(pattern, self.said, re.M):
            left = end - time.monotonic()
            ready = select.select([self.process.stdout], [], [], max(left, 0))[0]
            some = os.read(self.process.stdout.fileno(), 65536) if ready else b""
            if not some:
                check(False, "%s: not printed: %r; but: %s" % (what or "", pattern, self.said[-2000:]))
                return False
            self.said += some.decode()
        return True

    def ask(self, text, pattern):
        self.said = ""
        self.process.stdin.write((text + "\n").encode())
        self.process.stdin.flush()
        return self.hear(pattern, text)

    def end(self, status, what):
        try:
            out, self.errors = self.process.communicate(timeout=DEADLINE)
            self.said += out.decode()
        except subprocess.TimeoutExpired:
            self.process.kill()
            check(False, what + ": it does not exit")
            return
        check(self.process.returncode == status, "%s: status %d; %s" %
              (what, self.process.returncode, self.errors.decode()))


# If events were missing, the order of the list could differ.
NOW = time.strftime("%Y-%m-%dT%H:%M:%S.000000Z", time.gmtime())


def events(number, argv, code=0, error=None, ends=True):
    sid = "20260102T%06d.%06dZ-H00000001-P%08x" % (number % 1000000, number % 1000000, number + 1)
    common = {"sid": sid, "thread": "main", "time": NOW}
    lines = [{"event": "version", "evt": "3", "exe": "2"}, {"event": "start", "t_abs": 0.001, "argv": argv}]
    if error:
        lines.append({"event": "error", "msg": error, "fmt": "%s"})
    if ends:
        lines += [{"event": "exit", "t_abs": 0.5, "code": code}, {"event": "atexit", "t_abs": 0.5, "code": code}]
    return "".join(json.dumps({**one, **common}) + "\n" for one in lines).encode()


def connect(path):
    to = socket.socket(socket.AF_UNIX)
    to.connect(path)
    return to


def reports_events_of_a_socket(path):
    lines = Spoken(["--lines", "af_unix:" + path])
    lines.hear("^listening on af_unix:" + path + "$")
    one = connect(path)
    one.sendall(events(1, ["git", "fetch"], ends=False))
    lines.hear("^1 (started|running for .*), git fetch$")
    two = connect(path)
    two.sendall(events(2, ["git", "push"], 128, "no\nway"))
    lines.hear("^2, git push, failed with code 128 after 500 milliseconds: no$")
    two.close()
    lines.ask("lis", r"^1, fetch, .*pid 2, .*state run, time .*\n2, push, .*pid 3, .*state exit 128")
    lines.ask("why 2", "^result exit 128$")
    lines.ask("filter failed", "^reporting only matching processes$")
    lines.ask("list", "^Processes, 1 hidden\n2, push")
    lines.ask("filter", "^reporting all processes$")
    lines.ask("at -1h", "^looking back to ")
    # Events that arrive meanwhile are printed after returning to the present.
    three = connect(path)
    three.sendall(events(3, ["git", "status"]))
    three.close()
    lines.ask("live", "^live\n(.*\n)*[0-9]+, git status, done after 500 milliseconds")
    lines.ask("x" * 5000, "^(command too long|that is no command: help lists them)$")
    lines.ask("sources", "kind af_unix:stream")
    lines.ask("over_time", "^Commands over time, one line per 1 second\n.*, 3 began, 2 ended, "
              "1 failed, 1 error, median about .*, 1 running at the end$")
    lines.ask("over_time x", "^over_time takes no argument$")
    # A socket is read after standard input has ended, too.
    lines.process.stdin.close()
    lines.process.stdin = None
    one.close()
    lines.hear("^1 fetch lost.*: no end event$")
    lines.process.send_signal(signal.SIGTERM)
    lines.end(0, "a socket")
    check(lines.errors == b"", "a socket: %r" % lines.errors)
    check(not os.path.exists(path), "the socket is left")


def ends_with_its_sources(dir):
    for number, args in enumerate((["--lines", "-"], ["--lines", "--once", dir + "/trace"])):
        with open(dir + "/trace", "wb") as trace:
            trace.write(events(1, ["git", "fetch"]) + b"torn\n")
        lines = Spoken(args)
        lines.process.stdin.write(events(1, ["git", "fetch"]) if not number else b"list\nwhy 1\nnosuch")
        lines.process.stdin.close()
        lines.process.stdin = None
        lines.end(0, " ".join(args))
        name = "" if number else "standard input "
        check(name + "has ended\n" in lines.said, "%s: %s" % (args, lines.said))
        if number:
            for wanted in (", pid 2, state exit 0", "wall time ", "unknown command nosuch",
                           "1 line malformed"):
                check(wanted in lines.said, "%s: no %r in %s" % (args, wanted, lines.said))
    # Commands are answered after existing data was read, and a file is followed.
    lines = Spoken(["--lines", dir + "/trace"])
    lines.ask("list", r"^read 1 process that was there\n(.*\n)*Processes\n1, fetch, .*pid 2")
    with open(dir + "/trace", "ab") as trace:
        trace.write(events(5, ["git", "gc"]))
    lines.hear("^2, git gc, done after 500 milliseconds$")
    lines.ask("write json " + dir + "/report.json", "^Export written to .*report.json")
    check(json.load(open(dir + "/report.json"))["totals"]["processes"] == 2, "the written text")
    check('"elapsed":0.5' in open(dir + "/report.json").read().replace(" ", ""), "a time in words")
    lines.ask("write text " + dir + "/report.txt", "^Report written to .*report.txt")
    check("milliseconds" not in open(dir + "/report.txt").read(), "a report in words")
    lines.ask("write nosuch", "formats: text json")
    lines.ask("quit", "") and lines.end(0, "quit")


def ends_without_a_reader(path):
    lines = Spoken(["--lines", "af_unix:" + path])
    lines.hear("^listening")
    lines.process.stdout.close()
    to = connect(path)
    to.sendall(events(1, ["git", "fetch"]))
    to.close()
    try:
        lines.process.wait(timeout=DEADLINE)
    except subprocess.TimeoutExpired:
        lines.process.kill()
        check(False, "no reader: it does not exit")
    check(lines.process.returncode == 0, "no reader: status %d" % lines.process.returncode)
    check(lines.process.stderr.read() == b"", "no reader: it prints an error")


def never_blocks_writers(path):
    """A pipe that no process reads blocks no traced program, and no event is lost."""
    nr = 4000
    lines = Spoken(["--lines", "af_unix:" + path])
    lines.hear("^listening")
    lines.said = ""
    for i in range(400):
        lines.process.stdin.write(b"help\n")
    lines.process.stdin.flush()
    to = connect(path)
    to.settimeout(DEADLINE)
    for i in range(nr):
        to.sendall(events(i, ["git", "status"], int(i == nr // 2)))
    to.sendall(events(nr, ["git", "last"], ends=False))
    # The counts include all events after everything was read.
    def nr_told():
        return (sum(int(n) for n in re.findall(r"^(\d+) more started", lines.said, re.M)) +
                len(re.findall(r"^\d+, git ", lines.said, re.M)) +
                len(re.findall(r"^\d+ (?:started|running)", lines.said, re.M)))
    end = time.monotonic() + DEADLINE
    while ((nr_told() <= nr or lines.said.count("quit: exit;") < 400) and
           select.select([lines.process.stdout], [], [], max(end - time.monotonic(), 0))[0]):
        lines.said += os.read(lines.process.stdout.fileno(), 65536).decode()
    done = nr_told()
    check(done == nr + 1, "slow: %d of %d are reported" % (done, nr + 1))
    check(lines.said.count("quit: exit;") == 400, "slow: an answer is lost")
    failed = re.findall(r"(\d+) failed$", lines.said, re.M)
    check(failed == ["1"] or ", failed with code 1" in lines.said, "slow: the failure is lost")
    lines.ask("quit", "")
    to.close()
    lines.end(0, "slow")


def runs_a_command(dir):
    lines = Spoken(["--lines", "--", "sh", "-c", "cat; echo heard >&2; exit 7"])
    lines.process.stdin.write(b"list\n")
    lines.process.stdin.flush()
    lines.end(7, "a command")
    check(lines.errors == b"heard\n", "a command: %r" % lines.errors)
    for wanted in ("Summary, sh -c", "result exit 7 after ", "Parts of the wall time"):
        check(wanted in lines.said, "a command: no %r in %s" % (wanted, lines.said))
    check(": more" not in lines.said, "evicted data cannot be listed any more")
    lines = Spoken(["--lines", "--fail-if", "wall > 1d", "--", "true"], stdin=subprocess.DEVNULL)
    lines.end(3, "a rule that nothing was traced for")
    check(re.search("^.*absent.*wall > 1d|^[^ ]+ .*wall > 1d", lines.said, re.M), "a rule is not reported: " + lines.said)
    lines = Spoken(["--lines", "--once", "--fail-if", "wall > 1d", dir + "/trace"], stdin=subprocess.DEVNULL)
    lines.end(0, "a rule that holds")
    check("ok, " in lines.said, "a rule is not reported: " + lines.said)
    lines = Spoken(["--lines", "--", "sh", "-c", "exec </dev/tty"], stdin=subprocess.DEVNULL)
    lines.end(2, "a command without a terminal")
    lines = Spoken(["--lines", "--", "sleep", "1000"])
    lines.ask("sources", "command")
    lines.ask("quit", "")
    lines.end(128 + signal.SIGHUP, "a command is told to end")


def on_a_terminal(args, term, answer=None):
    """Return the program's output on a terminal of that type, and its status."""
    pid, fd = pty.fork()
    if not pid:
        # Curses leaks some memory if it does not know the terminal.
        os.environ["ASAN_OPTIONS"] = "detect_leaks=0"
        os.environ["TERM"] = term
        os.execv(TOP, [TOP] + args)
    said = b""
    end = time.monotonic() + DEADLINE
    while time.monotonic() < end:
        if not select.select([fd], [], [], DEADLINE)[0]:
            break
        try:
            some = os.read(fd, 65536)
        except OSError:
            break
        if not some:
            break
        said += some
        if answer and answer[0] in said:
            os.write(fd, answer[1])
            answer = None
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    os.close(fd)
    return said, status


def uses_no_escapes_on_terminals(dir):
    for term in ("dumb", "nosuchterm"):
        said, status = on_a_terminal([dir + "/trace"], term)
        check(status == 2 and b"use --lines for plain output" in said, "TERM=%s: %d %r" % (term, status, said))
        said, status = on_a_terminal(["--lines", dir + "/trace"], term, (b"help lists", b"list\nquit\n"))
        check(status == 0 and b", pid 2, state exit 0" in said, "--lines at TERM=%s: %d %r" % (term, status, said))
        check(b"\x1b" not in said, "an escape sequence at TERM=%s" % term)


def follows_the_configuration(dir):
    os.makedirs(dir + "/config/trace2top")
    with open(dir + "/config/trace2top/config", "w") as config:
        config.write("lines = yes\n")
    env = dict(os.environ, XDG_CONFIG_HOME=dir + "/config")
    lines = Spoken([dir + "/trace"], env=env)
    lines.ask("list", "^1, fetch, .*pid 2")
    lines.ask("quit", "")
    lines.end(0, "lines = yes")
    report = subprocess.run([TOP, "--once", dir + "/trace"], env=env, stdout=subprocess.PIPE, check=False)
    check(b"PROCESSES" in report.stdout.upper() and b"has ended" not in report.stdout, "--once ignores --lines")


def main():
    dir = tempfile.mkdtemp()
    try:
        reports_events_of_a_socket(dir + "/socket")
        ends_with_its_sources(dir)
        ends_without_a_reader(dir + "/socket")
        never_blocks_writers(dir + "/socket")
        runs_a_command(dir)
        uses_no_escapes_on_terminals(dir)
        follows_the_configuration(dir)
    finally:
        shutil.rmtree(dir)
    return failures > 0


sys.exit(main())
