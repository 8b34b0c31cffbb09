# SPDX-License-Identifier: MIT
"""Tests of --attach: processes are killed, locks stay, and HOME cannot be written to."""
import itertools
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import time

from attach_monitor import (CONFIG, DEADLINE, DIR, HOME, KILLS, Monitor, OLD, RUNTIME, SHAPES, TOP,
                            attached, check, check_previous_target, check_restored, detach,
                            environment, git, mine, ordinary, read, settings, settled, wait, write)


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


def removes_the_socket_if_killed_while_detaching():
    """The monitor is killed while its cleanup process removes the value."""
    real, fake = shutil.which("git"), os.path.join(DIR, "slow")
    os.mkdir(fake)
    gate, begun = fake + "/gate", fake + "/begun"
    os.mkfifo(gate)
    with open(fake + "/git", "w", encoding="ascii") as f:
        f.write('#!/bin/sh\ncase " $* " in *" --unset-all "*) : >"%s"; read -r x <"%s";; esac\n'
                'exec "%s" "$@"\n' % (begun, gate, real))
    os.chmod(fake + "/git", 0o755)
    write(SHAPES["target there"])
    m = Monitor(PATH=fake + ":" + os.environ["PATH"]).on()
    # The bytes differ afterwards, so git removes the value.
    git("config", "--global", "a.b", "c")
    m.run.send_signal(signal.SIGTERM)
    wait("git config --unset-all", lambda: os.path.exists(begun))
    m.run.kill()
    m.run.communicate()
    with open(gate, "w", encoding="ascii") as f:
        f.write("go\n")
    settled("killed while detaching")
    check(not attached(), "killed while detaching", read())
    check(not [n for n in os.listdir(RUNTIME) if "attach" in n], "killed while detaching: a socket is left",
          os.listdir(RUNTIME))


def descendants(pid):
    """The process and all below it: a monitor, its cleanup process, and the git that it runs."""
    out = [pid]
    try:
        with open("/proc/%d/task/%d/children" % (pid, pid), encoding="ascii") as f:
            children = f.read().split()
    except OSError:
        children = ()
    for child in children:
        out += descendants(int(child))
    return out


def kill(pid):
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def set_line(key):
    """Set a line with `git config`; try again while another process holds the lock. A killed
    process leaves its lock: it is removed as the user would, if no process is left that could
    hold it."""
    until = time.monotonic() + DEADLINE
    while time.monotonic() < until:
        if git("config", "--global", key, "1").returncode == 0:
            return
        if not mine() and os.path.lexists(CONFIG + ".lock"):
            os.unlink(CONFIG + ".lock")
        time.sleep(0.01)
    check(False, "cannot set", key, read())


def keeps_lines_of_concurrent_git_config():
    """Kill a random subset of monitors, cleanup processes and their git while `git config` changes
    the file: none of its lines is lost, and --detach removes what they left."""
    write(SHAPES["plain"])
    random.seed(KILLS)
    for number in range(KILLS):
        monitors = [Monitor() for _ in range(2)]
        for i in range(5):
            for m in monitors:
                for pid in descendants(m.run.pid):
                    if random.random() < 0.15:
                        kill(pid)
            key = "loop.n%d-%d" % (number, i)
            if git("config", "--global", key, "1").returncode:
                # The lock of a killed process stays until its monitors have ended.
                for m in monitors:
                    m.run.kill()
                set_line(key)
        for m in monitors:
            m.run.send_signal(signal.SIGTERM)
            m.run.communicate(timeout=DEADLINE)
        settled("beside git")
        if os.path.lexists(CONFIG + ".lock"):
            os.unlink(CONFIG + ".lock")
        check(detach().returncode == 0, "detach beside git", read())
        said = settings()
        check(sum(l.startswith("loop.n%d-" % number) for l in said) == 5 and not attached(),
              "beside git", said)
        check("core.abbrev=7" in said and "user.name=A" in said, "lines of before", said)
    # All processes of a monitor were killed, so none removes its sockets.
    for name in os.listdir(RUNTIME):
        path = os.path.join(RUNTIME, name)
        shutil.rmtree(path) if os.path.isdir(path) else os.unlink(path)


def names_the_line_if_home_is_read_only():
    """If the value cannot be removed at the end, the line to remove is printed."""
    write(SHAPES["target there"])
    before = read()
    m = Monitor(be=ordinary).ready()
    line = attached()[0].strip()
    os.chmod(HOME, 0o555)
    m.end()
    settled("read-only at the end")
    os.chmod(HOME, 0o755)
    check("cannot detach" in m.err and "Permission denied" in m.err and line in m.err and
          "from " + CONFIG in m.err, "read-only at the end", m.err)
    done = detach()
    check(done.returncode == 0 and "1 unused value" in done.stdout, "writable again", done)
    check_restored(before, "writable again")


def names_the_line_if_home_is_unwritable():
    """The same on a full and on a read-only file system, in a mount namespace of its own: when
    the monitor ends, and for --detach after monitor and cleanup process were killed."""
    script = """set -e
mount -t tmpfs -o size=64k none /mnt
mount --bind /mnt /mnt
HOME=/mnt; export HOME
printf '[user]\\n\\tname = A\\n' >/mnt/.gitconfig
mkfifo "$2"
"$1" --once --attach -o /dev/null 2>"$2" & exec 3<"$2"
read -r line <&3
case $3 in
full) dd if=/dev/zero of=/mnt/all bs=4096 2>/dev/null || true;;
read-only) mount -o remount,bind,ro /mnt;;
esac
case $4 in
ends) kill $!;;
killed) kill -9 $(cat /proc/$!/task/$!/children) $!;;
esac
cat <&3
# A process that ends closes its stderr before its socket, and a child has both until its exec.
socket=$(sed -n 's/.*af_unix:stream:\\([^"]*\\).*/\\1/p' /mnt/.gitconfig)
while grep -q "$socket" /proc/net/unix; do sleep 0.01; done
wait $! || echo "status $?"
grep eventTarget /mnt/.gitconfig
"$1" --detach 2>&1 || echo "detach $?"
case $3 in
full) rm /mnt/all;;
read-only) mount -o remount,bind,rw /mnt;;
esac
"$1" --detach
cat /mnt/.gitconfig
ls -A /mnt
"""
    fifo = os.path.join(DIR, "stderr")
    for home, why in (("full", "No space left on device"), ("read-only", "Read-only file system")):
        for how in ("ends", "killed"):
            done = subprocess.run(("unshare", "-m", "sh", "-c", script, "sh", TOP, fifo, home, how),
                                  env=environment(), capture_output=True, text=True, check=False,
                                  stdin=subprocess.DEVNULL, timeout=DEADLINE)
            if "unshare" in done.stderr or "mount:" in done.stderr:
                print("home_is_unwritable: needs a mount namespace:", done.stderr.strip())
                return
            os.unlink(fifo)
            says = done.stdout
            line = re.search('eventTarget = (.*)', says)[0].rstrip('"')
            wanted = 'remove the line "%s" from /mnt/.gitconfig\n' % line.split('"')[0]
            check(says.count(wanted) == 1 + (how == "ends"), home, how, wanted, done)
            check(how == "killed" or why in says.split(wanted)[0], home, how, "reason", done)
            check("detach 2" in says and "1 unused value" in says, home, how, "detach", done)
            check(says.endswith("[user]\n\tname = A\n.gitconfig\n"), home, how, "restored", done)


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
    wait("the cleanup process", lambda: len(mine()) > 1)
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
    # Kill the cleanup process alone: its monitor restores the configuration.
    m = Monitor().ready()
    os.kill(m.cleanup(), signal.SIGKILL)
    check(m.end() == 0, "cleanup process killed", m.run.returncode, m.err)
    check_restored(before, "cleanup process killed")
    # Kill both: --detach and the next --attach report it and restore the configuration.
    for mend, shape in itertools.product(("--detach", "--attach"), ("target there", None)):
        write(SHAPES.get(shape))
        before = read()
        m = Monitor().ready()
        # If the monitor noticed that, it would remove the value.
        cleanup = m.cleanup()
        m.run.send_signal(signal.SIGSTOP)
        os.kill(cleanup, signal.SIGKILL)
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


