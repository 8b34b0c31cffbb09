# SPDX-License-Identifier: MIT
"""--attach and --detach, with a HOME of the test: Git's configuration is always restored, and the
next Git command writes to its previous target.

    attach.py TRACE2TOP FOLDER KILLS    FOLDER is empty, with a short name; KILLS: kill -9 at random moments

Prints cmocka's summary.
"""
import itertools
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time

from attach_faults import (cleans_up_after_kills, keeps_lines_of_concurrent_git_config,
                           names_the_line_if_home_is_unwritable, names_the_line_if_home_is_read_only,
                           removes_the_socket_if_killed_while_detaching, reports_a_killed_git,
                           waits_for_locks)
from attach_monitor import (CONFIG, DEADLINE, DIR, HOME, KEY, Monitor, OLD, RUNTIME,
                            SHAPES, TOP, attached, check, check_previous_target, check_restored,
                            detach, environment, git, is_ours, ordinary, print_summary, read,
                            settings, settled, wait, write)


# ---- the tests ----

def restores_all_forms_of_configuration():
    other = os.path.join(HOME, "other")
    write(b"[trace2]\n\teventTarget = " + OLD.encode() + b"\n", other)
    for name, shape in SHAPES.items():
        write(shape)
        before, said = read(), settings()
        m = Monitor().on()
        during = git("config", "--global", "--includes", "--list").stdout.splitlines()
        check(sorted(l for l in during if not is_ours(l)) == said, name, "settings while attached")
        # The last value is the effective one.
        check([l for l in during if l.lower().startswith(KEY + "=")][-1].endswith(
            os.path.basename(attached()[0].split()[-1])), name, "is not the effective value")
        git("version")
        check(m.end() == 0, name, "status", m.run.returncode, m.err)
        check(["git", "version"] in m.seen(), name, "is not seen", m.seen())
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
    number = int(os.environ.get("ATTACH_CONFIGS", "12"))
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


def long_runtime():
    path = os.path.join(DIR, "l" * 90)
    os.makedirs(path, mode=0o700, exist_ok=True)
    return path


def ran(number):
    """Run a Git command with a unique argument; returns its arguments."""
    git("rev-parse", "--sq-quote", "n%d" % number)
    return ["git", "rev-parse", "--sq-quote", "n%d" % number]


def argvs(path):
    """Command lines in the whole lines of a trace, which may be growing."""
    lines = (read(path) or b"").rpartition(b"\n")[0].splitlines()
    return [e["argv"] for e in map(json.loads, lines) if e["event"] == "start"]


def faults_of_children(pid):
    """Page faults of the children waited for so far; the number only grows."""
    return int(read("/proc/%d/stat" % pid).rsplit(b")", 1)[1].split()[8])


last_read = {}


def recorded(path):
    """Last arguments of the commands in a recording that is being written. It is read only if it has changed."""
    seen = os.stat(path)
    state = seen.st_size, seen.st_mtime_ns
    if last_read.get(path, (None,))[0] != state:
        last_read[path] = state, commands_in(path)
    return last_read[path][1]


def commands_in(path):
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
    """Two and three monitors, ended in any order, normally or with kill -9. A running one is not disturbed. Each of
    three is the first, the second and the last to end; all six orders with ATTACH_ALL=1."""
    write(SHAPES["target there"])
    before = read()
    for nr in (1, 2, 3):
        orders = itertools.permutations(range(nr)) if "ATTACH_ALL" in os.environ or nr < 3 else ((0, 1, 2), (1, 2, 0), (2, 0, 1))
        for order in orders:
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
    # It starts a child to ask Git for the previous target; the cleanup process is not that child.
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
    # A signal to the process group does not reach the cleanup process.
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
                 removes_the_socket_if_killed_while_detaching, keeps_lines_of_concurrent_git_config, names_the_line_if_home_is_unwritable,
                 names_the_line_if_home_is_read_only, waits_for_locks, cleans_up_after_kills, passes_events_to_all_monitors,
                 continues_after_a_stop, works_in_unusual_environments):
        if only and test.__name__ not in only:
            continue
        start = time.monotonic()
        test()
        if "ATTACH_TIMES" in os.environ:
            print(test.__name__, round(time.monotonic() - start, 1), flush=True)
    sys.exit(print_summary())


if __name__ == "__main__":
    main()
