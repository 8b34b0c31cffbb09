# SPDX-License-Identifier: MIT
"""static.py PROGRAM DIR TRACE: checks of the standalone program, see static.sh."""
import json
import os
import pty
import select
import shutil
import signal
import subprocess
import sys

PROGRAM, DIR, TRACE = sys.argv[1:]
ROOT = os.path.join(DIR, "root")
DEADLINE = 120
LIMIT = 5_000_000
# Runs the command here.
SSH = """#!/bin/sh
for command; do :; done
export %s HOME=%s PATH=%s
exec sh -c "$command"
"""


def check(true, *what):
    if not true:
        sys.exit("FAIL: " + " ".join(str(w) for w in what))


def in_root(*args):
    """The command that runs the program with an empty directory as its root."""
    return ["unshare", "-r", "chroot", ROOT, "/trace2top", "--no-config", *args]


def run(command, **more):
    return subprocess.run(command, check=False, capture_output=True, timeout=DEADLINE,
                          stdin=subprocess.DEVNULL, **more)


def screen(command, answers, env):
    """Run a command on a terminal of 120x40. `answers`: pairs of a text to wait for and an input."""
    pid, fd = pty.fork()
    if not pid:
        os.chdir(DIR)
        os.environ.clear()
        os.environ.update(env)
        os.execvp(command[0], command)
    import fcntl
    import struct
    import termios
    fcntl.ioctl(fd, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    seen = b""
    for text, answer in answers:
        while text not in seen:
            check(select.select([fd], [], [], DEADLINE)[0], text, "is not shown:", seen)
            try:
                got = os.read(fd, 65536)
            except OSError:
                got = b""
            check(got, text, "is not shown:", seen)
            seen += got
        os.write(fd, answer)
    while select.select([fd], [], [], DEADLINE)[0]:
        try:
            got = os.read(fd, 65536)
        except OSError:
            break
        if not got:
            break
        seen += got
    os.close(fd)
    status = os.waitpid(pid, 0)[1]
    return os.waitstatus_to_exitcode(status), seen


def is_small():
    check(os.path.getsize(PROGRAM) < LIMIT, "size", os.path.getsize(PROGRAM))


def reports_and_records_in_an_empty_root():
    os.mkdir(ROOT)
    shutil.copy(PROGRAM, os.path.join(ROOT, "trace2top"))
    shutil.copy(TRACE, os.path.join(ROOT, "trace.xz"))
    done = run(in_root("--once", "--format=json", "/trace.xz"))
    check(done.returncode == 0, "report", done.stderr)
    direct = json.loads(done.stdout)
    check(direct["totals"]["processes"] > 1, "report", direct["totals"])
    done = run(in_root("--once", "--record=/run.t2rec.zst", "-o", "/none", "/trace.xz"))
    check(done.returncode == 0, "record", done.stderr)
    done = run(in_root("--once", "--format=json", "/run.t2rec.zst"))
    check(done.returncode == 0, "recording", done.stderr)
    check(json.loads(done.stdout)["totals"] == direct["totals"], "the recording differs")


def draws_screens_in_an_empty_root():
    for term in "xterm-256color", "tmux-256color", "linux", "vt100":
        status, seen = screen(in_root("/trace.xz"), ((b"pull", b"q"),), {
            "TERM": term, "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"})
        check(status == 0, term, "status", status, seen)
    status, seen = screen(in_root("/trace.xz"), (), {"TERM": "unknown-terminal", "PATH": os.environ["PATH"]})
    check(status == 2 and b"unknown terminal type" in seen, "unknown terminal", status, seen)


def copies_itself_to_a_host():
    """`ssh` runs the command here, with another home and without trace2top."""
    home, away, tools = (os.path.join(DIR, d) for d in ("home", "away", "tools"))
    for d in home, away, tools:
        os.mkdir(d)
    for tool in "sh", "cat", "mkdir", "uname", "sha1sum", "chmod", "mv", "rm":
        os.symlink(shutil.which(tool), os.path.join(tools, tool))
    with open(os.path.join(tools, "ssh"), "w", encoding="utf-8") as f:
        f.write(SSH % ("", away, tools))
    os.chmod(os.path.join(tools, "ssh"), 0o755)
    env = {"TERM": "xterm-256color", "LC_ALL": "C.UTF-8", "HOME": home,
           "PATH": tools + ":" + os.environ["PATH"]}
    # An absolute path would be followed with tail.
    shutil.copy(TRACE, os.path.join(DIR, "trace.xz"))
    command = [os.path.abspath(PROGRAM), "--no-config", "--once", "--remote=away", "trace.xz"]
    done = run(command, env=env, cwd=DIR)
    check(done.returncode == 2 and b"is not installed on away" in done.stderr, "without a terminal", done)

    # The processor is checked before the question.
    uname = os.path.join(tools, "uname")
    os.rename(uname, uname + ".real")
    with open(uname, "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\necho Linux vax\n")
    os.chmod(uname, 0o755)
    status, seen = screen(command, (), env)
    check(status == 2 and b"[y/N]" not in seen and b"has another system or processor (Linux vax)" in seen and
          not os.listdir(away), "another processor", status, seen)
    os.rename(uname + ".real", uname)

    status, seen = screen(command, ((b"[y/N]", b"n\n"),), env)
    check(status == 2 and not os.listdir(away), "no", status, seen)
    check(b" to %s/.cache/trace2top/" % away.encode() in seen, "the directory is not named", seen)
    status, seen = screen(command, (), env)
    check(status == 2 and b"[y/N]" not in seen, "asked again after no", status, seen)
    os.unlink(os.path.join(home, ".cache/trace2top/no-copy"))

    status, seen = screen(command, ((b"[y/N]", b"y\n"),), env)
    check(status == 0 and b"pull" in seen, "yes", status, seen)
    status, seen = screen(command, (), env)
    check(status == 0 and b"[y/N]" not in seen and b"pull" in seen, "the copy is used", status, seen)

    cache = os.path.join(away, "c")
    with open(os.path.join(tools, "ssh"), "w", encoding="utf-8") as f:
        f.write(SSH % ("XDG_CACHE_HOME=" + cache, away, tools))
    status, seen = screen(command, ((b" to %s/trace2top/" % cache.encode(), b"y\n"),), env)
    check(status == 0 and b"pull" in seen, "XDG_CACHE_HOME", status, seen)
    check(os.listdir(os.path.join(cache, "trace2top")), "nothing in", cache)

    shutil.rmtree(cache)
    shutil.rmtree(os.path.join(away, ".cache"))
    os.unlink(os.path.join(tools, "sha1sum"))
    with open(os.path.join(tools, "sha1sum"), "w", encoding="utf-8") as f:
        f.write("#!/bin/sh\necho 0  -\n")
    os.chmod(os.path.join(tools, "sha1sum"), 0o755)
    status, seen = screen(command, ((b"[y/N]", b"y\n"),), env)
    check(status == 2 and b"could not be stored on away" in seen, "a damaged copy", status, seen)
    check(not [f for _, _, files in os.walk(away) for f in files], "a damaged copy stays")


signal.signal(signal.SIGTTOU, signal.SIG_IGN)
for test in (is_small, reports_and_records_in_an_empty_root,
             draws_screens_in_an_empty_root, copies_itself_to_a_host):
    test()
    print("ok", test.__name__)
