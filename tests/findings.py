#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""findings.py TRACE2TOP DIR: check that the findings in Git's own traces (DIR/real) are the expected
ones. Each finding also has a pair of synthetic traces, one with the finding and one without it. A row
without a pair fails."""
import hashlib
import json
import os
import re
import socket
import subprocess
import sys
import tempfile
from collections import Counter

top, base, definitions = sys.argv[1:4]
bad = 0


def fail(*what):
    global bad
    bad = 1
    print(*what)


def found(path, *more):
    run = subprocess.run([top, "--no-config", "--once", "--findings", "--format=json", *more, path],
                         capture_output=True, timeout=120)
    if run.returncode:
        fail(path, run.stderr.decode(errors="replace"))
    counts = Counter()
    for finding in json.loads(run.stdout)["findings"]:
        counts[finding["id"]] += finding["count"]
        assert finding["evidence"] and finding["advice"] and finding["title"], finding
    return counts


class Process:
    """The events of one process; each step takes the given microseconds."""
    lines = []
    number = 0
    host = "00000001"

    def __init__(self, argv, name=None, parent=None, exe="2.45.0", at=0, worktree="/w"):
        Process.number += 1
        self.pid = 1000 + Process.number
        sid = "20261122T000000.%06dZ-H%s-P%08x" % (Process.number, Process.host, self.pid)
        self.sid = parent.sid + "/" + sid if parent else sid
        self.origin = parent.origin + parent.now if parent else at
        self.now, self.stack, self.children = 0, [], 0
        self.hierarchy = (parent.hierarchy + "/" if parent else "") + (name or argv[-1])
        self.event("version", evt="3", exe=exe)
        self.now += 10
        self.event("start", t_abs=self.now / 1e6, argv=argv)
        if worktree:
            self.event("def_repo", repo=1, worktree=worktree)
        self.event("cmd_name", name=name or argv[-1], hierarchy=self.hierarchy)

    def event(self, kind, shift=0, **fields):
        wall = self.origin + self.now + shift
        time = "2026-11-22T%02d:%02d:%02d.%06dZ" % (wall // 3600000000, wall // 60000000 % 60,
                                                  wall // 1000000 % 60, wall % 1000000)
        Process.lines.append((wall, json.dumps({"event": kind, "sid": self.sid, "thread": "main",
                                                "time": time, **fields})))
        return self

    def wait(self, us):
        self.now += us
        return self

    def enter(self, category, label, **more):
        self.stack.append((category, label, self.now))
        return self.event("region_enter", category=category, label=label, nesting=len(self.stack), **more)

    def leave(self, category=None, label=None):
        nesting = len(self.stack)
        was = self.stack.pop() if self.stack else (category, label, self.now)
        return self.event("region_leave", category=category or was[0], label=label or was[1],
                          t_rel=(self.now - was[2]) / 1e6, nesting=nesting)

    def region(self, category, label, us):
        return self.enter(category, label).wait(us).leave()

    def data(self, category, key, value):
        return self.event("data", category=category, key=key, value=str(value),
                          t_abs=self.now / 1e6, t_rel=0.0, nesting=len(self.stack) + 1)

    def child(self, argv, us, code=0, run=None, ends=True, **more):
        """`run`: function that writes the child's process."""
        number, begun = self.children, self.now
        self.children += 1
        fields = {"child_class": "?", "use_shell": False, **more}
        self.event("child_start", child_id=number, argv=argv, **fields)
        pid = 70000 + self.pid * 100 + number
        if run:
            child = Process(argv, argv[1] if len(argv) > 1 else argv[0], self)
            run(child)
            pid = child.pid
            self.now += child.now
        self.now = max(self.now, begun + us)
        if ends:
            self.event("child_exit", child_id=number, pid=pid, code=code, t_rel=(self.now - begun) / 1e6)
        return self

    def exit(self, code=0, atexit=True):
        self.event("exit", t_abs=self.now / 1e6, code=code)
        if atexit:
            self.event("atexit", t_abs=self.now / 1e6, code=code)
        return self


def git(*argv, **more):
    return Process(["git", *argv], argv[0], **more)


MS = 1000


def times(nr, step, process):
    for i in range(nr):
        step(process, i)
    return process


def many_roots(nr, words):
    for i in range(nr):
        git("rev-parse", words(i), at=i * 100 * MS).wait(5 * MS).exit()


def renamed_labels(nr, label):
    p = git("x")
    for i in range(nr):
        p.region("steps", label(i), MS)
    p.exit()


def working_hook(us, outside):
    """A hook that runs a program without regions, and a command that is not a hook."""
    p = git("commit")
    p.child(["./hook"], us + 50 * MS, run=lambda q: q.wait(us).exit(),
            **({} if outside else {"hook_name": "pre-commit", "child_class": "hook"})).exit()


def hook(us, name="pre-commit"):
    git("commit").region("index", "refresh", MS).child(["./hook"], us, hook_name=name, child_class="hook").exit()


def ended(run_us=10 * MS):
    return lambda p: p.wait(run_us).exit()


def serial_fetch(gap):
    def fetch(p, i):
        p.child(["git", "fetch", "r%d" % i], 400 * MS, run=ended(390 * MS)).wait(gap)
    return fetch


def overlapping_fetches():
    p = git("fetch", "--all")
    for i in range(3):
        p.event("child_start", child_id=i, argv=["git", "fetch", "r%d" % i], child_class="?", use_shell=False)
    p.wait(1200 * MS)
    for i in range(3):
        p.event("child_exit", child_id=i, pid=9000 + i, code=0, t_rel=1.2)
    p.exit()


def starts(busy):
    p = git("submodule")
    for i in range(24):
        p.child(["git", "x%d" % i], 20 * MS, run=ended(18 * MS if busy else 2 * MS))
    p.exit()


def clock(step):
    p = git("gc").region("a", "b", MS)
    p.event("data", shift=step, category="c", key="k", value="1", t_abs=p.now / 1e6, t_rel=0.0, nesting=1)
    p.wait(MS).exit()


def killed(say):
    p = git("repack")
    p.child(["git", "pack-objects"], 20 * MS, run=(lambda c: c.wait(MS).exit()) if say else
            (lambda c: c.wait(MS).region("a", "b", MS)))
    p.exit()


def nested(limit):
    p = git("merge")
    p.event("def_param", param="trace2.eventnesting", value=str(limit), scope="global")
    p.enter("merge", "outer").enter("merge", "inner").wait(100 * MS).leave().leave().exit()


def discarded(name):
    git("status").event(name).exit()


def out_of_region(us):
    git("gc").wait(us).region("gc", "pack", 300 * MS).exit()


def protocol(version):
    git("fetch").data("transfer", "negotiated-version", version).wait(MS).exit()


def ssh(us):
    p = git("fetch")
    p.event("child_start", child_id=0, argv=["ssh", "host"], child_class="transport/ssh", use_shell=False)
    p.wait(us).data("transfer", "negotiated-version", 2).wait(500 * MS)
    p.event("child_exit", child_id=0, pid=99, code=0, t_rel=p.now / 1e6).exit()


def http(us, asked):
    """Delay of the answer, and the part of it spent asking for a password on the other side."""
    p = git("fetch")
    p.event("child_start", child_id=0, argv=["git", "remote-https", "origin", "u"], child_class="remote-https",
            use_shell=False)
    helper = Process(["git", "remote-https", "origin", "u"], "remote-https", p)
    if asked:
        helper.child(["f() { sleep 1; }; f get"], asked, use_shell=True)
    helper.wait(us - helper.now).exit()
    p.wait(us).data("transfer", "negotiated-version", 2).wait(500 * MS)
    p.event("child_exit", child_id=0, pid=helper.pid, code=0, t_rel=p.now / 1e6).exit()


def negotiated(rounds):
    p = git("fetch").wait(100 * MS).enter("fetch-pack", "negotiation_v2")
    times(rounds, lambda p, i: p.region("negotiation_v2", "round", 500 * MS // rounds), p)
    p.leave().data("negotiation_v2", "total_rounds", rounds).exit()


def alternates(word):
    git("fetch").child(["git", "--git-dir=/a.git", word, "--format=%(objectname)"], 300 * MS).wait(100 * MS).exit()


def scanned(name):
    git(name).enter("dir", "read_directory").wait(90 * MS).data(
        "read_directory", "directories-visited", 5000).leave().wait(MS).exit()


def unmarked(name):
    git(name).wait(900 * MS).region("a", "b", MS).exit()


def said_often(nr, us):
    times(nr, lambda p, i: p.region("diff", "setup", us), git("log")).wait(5 * MS).exit()


def filtering(us):
    git("checkout").wait(20 * MS).child(["git-lfs filter-process"], us, child_class="subprocess").exit()


def printed(us, *options):
    git("status", *options).wait(20 * MS).region("status", "print", us).exit()


def received(us):
    git("push").wait(20 * MS).region("send_pack", "receive_status", us).exit()


def connected(code):
    """A fetch whose ssh ended with `code`; without it, Git fails for another reason."""
    git("fetch").child(["ssh", "h", "git-upload-pack 'x'"], 20 * MS, child_class="transport/ssh", code=code).event(
        "error", msg="Could not read from remote repository.\n\nPlease", fmt="x").exit(128)


def fetched_refs(us):
    git("fetch").wait(20 * MS).region("fetch", "consume_refs", us).exit()


def cloned(us, misses=None):
    """A clone whose traced server walked all objects."""
    p = git("clone")

    def pack(q):
        q.region("pack-objects", "enumerate-objects", us)
        if misses is not None:
            q.data("bitmap", "bitmap/misses", misses)
        q.exit()
    p.child(["git", "upload-pack"], us + 100 * MS, run=lambda q: q.child(
        ["git", "pack-objects", "--revs", "--stdout"], us + 50 * MS, run=pack).exit(),
        child_class="transport/file").exit()


def over_http(us, region=None):
    """A clone whose HTTP server answers the first request at once, and a later one after some time."""
    p = git("clone")
    p.event("child_start", child_id=0, argv=["git", "remote-https", "origin", "https://u:S3CRET@h/r"],
            child_class="remote-https", use_shell=False)
    helper = Process(["git", "remote-https", "origin", "u"], "remote-https", p)
    helper.wait(us).exit()
    p.wait(MS).data("transfer", "negotiated-version", 2).wait(us - MS)
    p.event("child_exit", child_id=0, pid=helper.pid, code=0, t_rel=p.now / 1e6).exit()


def filtered(missing, wrong=0):
    """A log that used changed-path filters, of which some were missing or gave a wrong answer."""
    git("log", "--oneline", "--", "f").wait(900 * MS).event(
        "data_json", category="bloom", key="statistics", t_abs=0.9, t_rel=0.9, nesting=1,
        value={"filter_not_present": missing, "maybe": 3, "definitely_not": 9, "false_positive": wrong}).exit()


PAIRS = {
    "index-refresh": (lambda: git("status").enter("index", "refresh").wait(90 * MS).data(
        "index", "refresh/sum_lstat", 5000).leave().wait(MS).exit(),
        lambda: git("status").enter("index", "refresh").wait(30 * MS).leave().wait(MS).exit()),
    "untracked-scan": (lambda: git("status").enter("dir", "read_directory").wait(90 * MS).data(
        "read_directory", "directories-visited", 700).leave().exit(),
        lambda: git("status").enter("dir", "read_directory").wait(90 * MS).data(
            "read_directory", "node-creation", 7).leave().exit()),
    "large-index": (lambda: git("add").enter("index", "do_read_index").wait(80 * MS).data(
        "index", "read/cache_nr", 200000).leave().region("work", "x", 90 * MS).exit(),
        lambda: git("add").enter("index", "do_read_index").wait(80 * MS).data(
            "index", "read/cache_nr", 900).leave().region("work", "x", 90 * MS).exit()),
    "sparse-index-expanded": (
        lambda: git("grep").region("index", "ensure_full_index", 30 * MS).region("g", "x", 90 * MS).exit(),
        lambda: git("grep").region("index", "ensure_full_index", 3 * MS).region("g", "x", 90 * MS).exit()),
    "slow-hook": (lambda: hook(900 * MS), lambda: hook(90 * MS)),
    "maintenance-in-foreground": (
        lambda: git("fetch").child(["git", "maintenance", "run", "--auto", "--quiet"], 900 * MS).exit(),
        lambda: git("fetch").child(["git", "maintenance", "run", "--auto", "--detach"], 9 * MS).exit()),
    "ssh-setup": (lambda: ssh(600 * MS), lambda: ssh(60 * MS)),
    "http-setup": (lambda: http(600 * MS, 0), lambda: http(60 * MS, 0)),
    "negotiation-rounds": (lambda: negotiated(11), lambda: negotiated(2)),
    "alternate-refs": (lambda: alternates("for-each-ref"), lambda: alternates("rev-parse")),
    "credential-helper": (
        lambda: git("fetch").child(["git credential-slow get"], 500 * MS, use_shell=True).exit(),
        lambda: git("fetch").child(["git credential-cache get"], 5 * MS, use_shell=True).exit()),
    "serial-fetch": (lambda: times(3, serial_fetch(MS), git("fetch", "--all")).exit(), overlapping_fetches),
    "serial-checkout": (
        lambda: git("checkout").enter("progress", "Updating files").wait(1500 * MS).data(
            "progress", "total_objects", 9000).leave().exit(),
        lambda: git("checkout").enter("progress", "Updating files").wait(1500 * MS).data(
            "progress", "total_objects", 9000).leave().child(["git", "checkout--worker"], 9 * MS,
                                                           run=ended()).exit()),
    "lazy-fetch": (
        lambda: times(6, lambda p, i: p.child(["git", "fetch", "origin", "--filter=blob:none", "--stdin"],
                                              60 * MS), git("log")).exit(),
        lambda: times(2, lambda p, i: p.child(["git", "fetch", "origin", "--filter=blob:none", "--stdin"],
                                              60 * MS), git("log")).exit()),
    "filter-per-file": (
        lambda: times(12, lambda p, i: p.child(["slow-filter f%d" % i], 20 * MS, use_shell=True),
                      git("checkout")).exit(),
        lambda: times(2, lambda p, i: p.child(["slow-filter f%d" % i], 20 * MS, use_shell=True),
                      git("checkout")).exit()),
    "fsmonitor-hook": (
        lambda: git("status").child([".git/hooks/watch", "2", "token"], 400 * MS, use_shell=True, cd="/w").exit(),
        lambda: git("status").child([".git/hooks/watch", "2", "token"], 40 * MS, use_shell=True, cd="/w").exit()),
    "untracked-cache-cold": (
        lambda: git("status").enter("dir", "read_directory").wait(90 * MS).data(
            "read_directory", "node-creation", 700).data("read_directory", "opendir", 700).leave().exit(),
        lambda: git("status").enter("dir", "read_directory").wait(90 * MS).data(
            "read_directory", "node-creation", 0).data("read_directory", "opendir", 0).leave().exit()),
    "diff-driver-per-file": (
        lambda: times(12, lambda p, i: p.child(["pdftotext", "/tmp/f%d" % i], 20 * MS, use_shell=True),
                      git("log")).exit(),
        lambda: times(2, lambda p, i: p.child(["pdftotext", "/tmp/f%d" % i], 20 * MS, use_shell=True),
                      git("log")).exit()),
    "repeated-child": (
        lambda: times(12, lambda p, i: p.child(["git", "rev-parse", "HEAD"], 20 * MS), git("submodule")).exit(),
        lambda: times(12, lambda p, i: p.child(["git", "rev-parse", "v%d" % i], 20 * MS),
                      git("submodule")).exit()),
    "command-in-a-loop": (lambda: many_roots(25, lambda i: "HEAD"), lambda: many_roots(25, lambda i: "v%d" % i)),
    "process-starts": (lambda: starts(False), lambda: starts(True)),
    "rename-detection": (
        lambda: git("merge").region("diff", "inexact renames", 900 * MS).exit(),
        lambda: git("merge").region("diff", "inexact renames", 90 * MS).region("m", "x", 900 * MS).exit()),
    "history-walk": (lambda: git("log", "--oneline").wait(900 * MS).exit(),
                     lambda: git("log", "-p").wait(900 * MS).exit()),
    "many-refs": (lambda: fetched_refs(900 * MS), lambda: fetched_refs(90 * MS)),
    "object-walk": (lambda: cloned(900 * MS), lambda: cloned(90 * MS)),
    "slow-http": (lambda: over_http(900 * MS), lambda: over_http(90 * MS)),
    "slow-filter": (lambda: filtering(900 * MS), lambda: filtering(90 * MS)),
    "ahead-behind": (lambda: printed(900 * MS), lambda: (printed(90 * MS), printed(900 * MS, "-v"))),
    "slow-server": (lambda: received(900 * MS), lambda: received(90 * MS)),
    "slow-signature": (
        lambda: git("commit").child(["gpg", "--status-fd=2", "-bsau", "n"], 900 * MS).exit(),
        lambda: git("commit").child(["gpg", "--status-fd=2", "-bsau", "n"], 90 * MS).exit()),
    "submodule-status": (
        lambda: times(12, lambda p, i: p.child(["git", "status", "--porcelain=2"], 20 * MS, cd="sub%d" % i),
                      git("status")).exit(),
        lambda: times(2, lambda p, i: p.child(["git", "status", "--porcelain=2"], 20 * MS, cd="sub%d" % i),
                      git("status")).exit()),
    "many-fsyncs": (lambda: git("add").data("fsync", "fsync/hardware-flush", 900).region("a", "b", MS).exit(),
                    lambda: git("add").data("fsync", "fsync/hardware-flush", 1).region("a", "b", MS).exit()),
    "fsmonitor-trivial": (lambda: git("status").data("fsm_client", "query/trivial-response", 1).exit(),
                          lambda: git("status").data("fsm_client", "query/response-length", 1).exit()),
    "lock-held": (lambda: git("add").event("error", msg="Unable to create '/r/.git/index.lock': File exists.",
                                           fmt="x").exit(128),
                  lambda: git("add").event("error", msg="pathspec 'x' did not match", fmt="x").exit(128)),
    "remote-failed": (lambda: connected(255), lambda: connected(0)),
    "child-killed": (lambda: git("gc").child(["git", "repack"], MS, code=137).exit(1),
                     lambda: git("gc").child(["git", "repack"], MS, code=1).exit(1)),
    "traces-discarded": (lambda: discarded("too_many_files"), lambda: discarded("printf")),
    "old-protocol": (lambda: protocol(0), lambda: protocol(2)),
    "nesting-limit": (lambda: nested(2), lambda: nested(100)),
    "unbalanced-region": (lambda: git("x").enter("a", "b").wait(MS).leave("a", "c").exit(),
                          lambda: git("x").region("a", "b", MS).exit()),
    "region-left-open": (lambda: git("x").enter("a", "b").wait(MS).exit(),
                         lambda: git("x").enter("a", "b").wait(MS).exit(1)),
    "no-atexit": (lambda: git("x").wait(MS).exit(atexit=False), lambda: git("x").wait(MS).exit()),
    "ends-without-a-word": (lambda: killed(False), lambda: killed(True)),
    "child-without-exit": (lambda: git("x").child(["y"], MS, ends=False).exit(),
                           lambda: git("x").child(["y"], MS, ends=False, child_class="background").exit()),
    "clock-step": (lambda: clock(5000 * MS), lambda: clock(100 * MS)),
    "label-cardinality": (lambda: renamed_labels(120, lambda i: "step %d" % i),
                          lambda: renamed_labels(120, lambda i: "step")),
    "uninstrumented": (lambda: out_of_region(900 * MS), lambda: out_of_region(100 * MS)),
    "index-read-again": (
        lambda: times(3, lambda p, i: p.region("index", "do_read_index", 30 * MS), git("commit")).exit(),
        lambda: times(2, lambda p, i: p.region("index", "do_read_index", 30 * MS), git("commit")).exit()),
    "tracing-costs": (lambda: said_often(3000, 5), lambda: said_often(900, 5)),
    "error-yet-success": (lambda: git("gc").event("error", msg="m", fmt="f").exit(),
                          lambda: git("gc").event("error", msg="m", fmt="f").exit(1)),
}


def in_a_script(word, worktree=lambda i: "/w"):
    """A shell hook that runs the same Git command repeatedly, or a different one each time."""
    p = git("commit")
    p.event("child_start", child_id=0, argv=["sh"], child_class="?", use_shell=False)
    begun = p.now
    for i in range(14):
        kid = Process(["git", "rev-parse", word(i)], "rev-parse", p, worktree=worktree(i))
        kid.wait(10 * MS).exit()
        p.wait(kid.now + 15 * MS)
    p.event("child_exit", child_id=0, pid=4, code=0, t_rel=(p.now - begun) / 1e6).exit()


def script_of_starts(gap):
    p = git("submodule")
    p.event("child_start", child_id=0, argv=["sh"], child_class="?", use_shell=False)
    begun = p.now
    for i in range(24):
        kid = Process(["git", "x%d" % i], "x", p)
        kid.wait(4 * MS).exit()
        p.wait(kid.now + gap)
    p.event("child_exit", child_id=0, pid=4, code=0, t_rel=(p.now - begun) / 1e6).exit()


def pushed(us):
    """A hook of the remote side, while the push is in a region."""
    p = git("push")
    p.event("child_start", child_id=0, argv=["git-receive-pack 'x'"], child_class="?", use_shell=True)
    there = Process(["git-receive-pack", "x"], "receive-pack", p)
    there.child(["hooks/pre-receive"], us, child_class="hook", hook_name="pre-receive").exit()
    p.region("transport_push", "push_refs", us + 100 * MS)
    p.event("child_exit", child_id=0, pid=there.pid, code=0, t_rel=p.now / 1e6).exit()


def written(files, had=0):
    git("reset").data("index", "read/cache_nr", had).enter("unpack_trees", "unpack_trees").wait(2000 * MS).leave().enter("index", "do_write_index").wait(
        MS).data("index", "write/cache_nr", files).leave().exit()


def rebased(argv):
    times(12, lambda p, i: p.child(["make check"], 40 * MS, use_shell=True), Process(["git", "rebase", *argv], "rebase")).exit()


def config_locked(msg):
    git("config").event("error", msg="could not lock config file .git/config: " + msg, fmt="x").exit(255)


def refreshed_again(*files):
    p = git("commit")
    for nr in files:
        p.enter("index", "refresh").wait(30 * MS).data("index", "refresh/sum_lstat", nr).leave()
    p.exit()


MORE = [
    # An invented number does not change a sum.
    ("many-fsyncs", lambda: git("add").data("fsync", "fsync/hardware-flush", 900).region("a", "b", MS).child(
        ["git", "x"], MS, run=lambda p: p.data("fsync", "fsync/hardware-flush", 2 ** 63 - 1).exit()).exit(),
     lambda: git("add").data("fsync", "fsync/hardware-flush", 2 ** 63 - 1).region("a", "b", MS).exit()),
    ("repeated-child", lambda: in_a_script(lambda i: "HEAD"), lambda: in_a_script(lambda i: "v%d" % i)),
    ("process-starts", lambda: script_of_starts(14 * MS), lambda: script_of_starts(40 * MS)),
    ("slow-hook", lambda: pushed(500 * MS), lambda: pushed(50 * MS)),
    ("serial-checkout", lambda: written(20000), lambda: written(20)),
    # A few files of a large index.
    ("serial-checkout", lambda: written(20000, 100), lambda: written(20000, 19900)),
    ("credential-helper",
     lambda: git("remote-curl").child(["f() { sleep 1; }; f get"], 500 * MS, use_shell=True).exit(),
     lambda: git("remote-curl").child(["f() { sleep 1; }; f forget"], 500 * MS, use_shell=True).exit()),
    ("lock-held", lambda: config_locked("File exists"), lambda: config_locked("Permission denied")),
    # Files checked in the second of three refreshes.
    ("index-refresh", lambda: refreshed_again(1, 40000, 0), lambda: refreshed_again(2000, 2000, 2000)),
    # Asking for a password is a finding of its own, not time of the server.
    ("http-setup", lambda: http(900 * MS, 400 * MS), lambda: http(900 * MS, 700 * MS)),
    # An event that costs almost nothing.
    ("tracing-costs", lambda: said_often(5000, 2), lambda: said_often(5000, 0)),
    ("index-read-again", lambda: times(3, lambda p, i: p.region("index", "refresh", 30 * MS), git("commit")).exit(),
     lambda: times(2, lambda p, i: p.region("index", "preload", 15 * MS).region("index", "refresh", 15 * MS),
                   git("commit")).exit()),
    # A command to run for each commit is neither a filter nor a needless repetition.
    ("filter-per-file", lambda: rebased(["main"]), lambda: rebased(["--exec", "make check", "main"])),
    ("repeated-child", lambda: times(12, lambda p, i: p.child(["x"], 40 * MS), git("rebase")).exit(),
     lambda: rebased(["--exec", "make check", "main"])),
    # Children in different directories do different work.
    ("repeated-child", lambda: times(12, lambda p, i: p.child(["git", "status"], 40 * MS, cd="sub"), git("x")).exit(),
     lambda: times(12, lambda p, i: p.child(["git", "status"], 40 * MS, cd="sub%d" % i), git("x")).exit()),
    # Git detaches maintenance from the process: the daemon has the same SID.
    ("region-left-open", lambda: git("x").enter("maintenance", "gc").wait(MS).exit(),
     lambda: git("x").enter("maintenance", "detach").wait(MS).exit()),
    ("child-without-exit", lambda: git("x").child(["y"], MS, ends=False).exit(),
     lambda: git("x").region("maintenance", "detach", MS).child(["y"], MS, ends=False).exit()),
    # The setting that ignores submodules does not help `git add`.
    ("submodule-status", *(lambda name=name: times(12, lambda p, i: p.child(
        ["git", "status", "--porcelain=2"], 20 * MS, cd="sub%d" % i), git(name)).exit() for name in ("diff", "add"))),
    # Git's own script starts these processes, not the user.
    ("process-starts", *(lambda word=word: times(24, lambda p, i: p.child(
        ["git", "x%d" % i], 20 * MS, run=ended(2 * MS)), Process(["git", "submodule", word], "submodule")).exit()
        for word in ("foreach", "status"))),
    # Missing objects are one finding, not two.
    ("process-starts", lambda: starts(False), lambda: times(24, lambda p, i: p.child(
        ["git", "fetch", "origin", "--filter=blob:none", "--stdin"], 20 * MS, run=ended(2 * MS)), git("log")).exit()),
    # The same command of a script in different worktrees.
    ("repeated-child", lambda: in_a_script(lambda i: "HEAD"), lambda: in_a_script(lambda i: "HEAD", lambda i: "/w%d" % i)),
    # Options of git itself are not those of log.
    ("history-walk", lambda: Process(["git", "-c", "a.b=c", "-p", "log"], "log").wait(900 * MS).exit(),
     lambda: Process(["git", "log", "-c"], "log").wait(900 * MS).exit()),
    # Filters that do not help; bitmaps that do.
    ("history-walk", lambda: filtered(0, 9000), lambda: filtered(0, 9)),
    ("object-walk", lambda: cloned(900 * MS, 9000), lambda: cloned(900 * MS, 9)),
    # Enough changed-path filters; input from another process.
    ("history-walk", lambda: filtered(9000), lambda: filtered(0)),
    ("history-walk", lambda: git("tag", "--contains", "v1").wait(900 * MS).exit(),
     lambda: git("tag", "-l").wait(900 * MS).exit()),
    ("history-walk", lambda: git("rev-list", "--count", "HEAD").wait(900 * MS).exit(),
     lambda: git("rev-list", "--stdin").wait(900 * MS).exit()),
    # Time that has advice for users has no advice for authors.
    ("uninstrumented", lambda: unmarked("clean"), lambda: unmarked("log")),
    ("uninstrumented", lambda: working_hook(900 * MS, True), lambda: working_hook(900 * MS, False)),
    # The advice does not help `git add`, which has to look for untracked files.
    ("untracked-scan", lambda: scanned("status"), lambda: scanned("add")),
    # A remote helper has no regions: it waits for the server.
    ("uninstrumented", lambda: unmarked("clean"), lambda: unmarked("remote-curl")),
    # A monitor does not help with a few files that had to be read again.
    ("index-refresh", lambda: git("status").enter("index", "refresh").wait(90 * MS).data(
        "index", "refresh/sum_lstat", 5000).leave().exit(),
     lambda: git("status").enter("index", "refresh").wait(90 * MS).data(
         "index", "refresh/sum_lstat", 4999).leave().exit()),
]


def made_up(make):
    Process.lines, Process.number = [], 0
    make()
    with tempfile.NamedTemporaryFile("w", suffix=".event", delete=False) as out:
        out.write("".join(line + "\n" for _, line in sorted(Process.lines, key=lambda line: line[0])))
    return out.name


def switched_off_by_configuration():
    path = made_up(PAIRS["slow-hook"][0])
    for text, off, told in (("slow-hook", True, False), ("lock-held  slow-hook", True, False), ("lock-held", False, False),
                            ("none", False, False), ("slow-hok", False, True), ("slow-hook,lock-held", False, True)):
        with open(path + ".config", "w") as config:
            config.write("findings.off = " + text + "\n")
        run = subprocess.run([top, "--config=" + path + ".config", "--once", "--findings", "--format=json", path],
                             capture_output=True, timeout=120, text=True)
        is_found = any(f["id"] == "slow-hook" for f in json.loads(run.stdout)["findings"])
        if is_found == off or bool(run.stderr) != told or (told and "findings.off" not in run.stderr):
            fail("findings.off =", text, "found" if is_found else "not found", run.stderr)
    os.unlink(path + ".config")
    os.unlink(path)


ids = re.findall(r'^FINDING\(\w+, "([^"]+)"', open(definitions).read(), re.M)
if set(ids) != set(PAIRS):
    fail("rows without a pair, pairs without a row:", set(ids) ^ set(PAIRS))
for id, *pair in [(id, *PAIRS[id]) for id in sorted(set(ids) & set(PAIRS))] + MORE:
    for make, wanted in zip(pair, (1, 0)):
        path = made_up(make)
        counts = found(path)
        if bool(counts[id]) != bool(wanted):
            fail(id, "is" if counts[id] else "is not", "found", "in the trace without it:" if counts[id] else ":",
                 dict(counts), path)
            continue
        if wanted and found(path, "--no-finding=" + id)[id]:
            fail(id, "is found although it is disabled")
        os.unlink(path)
for name in sorted(os.listdir(os.path.join(base, "real"))):
    case = os.path.join(base, "real", name)
    wanted = json.load(open(os.path.join(case, "expected.json")))["findings"]
    counts = found(os.path.join(case, "event"))
    if dict(counts) != wanted:
        fail(name, "found", dict(counts), "wanted", wanted)
# Traces that Git wrote with the cause and without it (traces_findings.sh).
made = os.path.join(os.path.dirname(os.path.abspath(__file__)), "data", "findings")
for name in sorted(os.listdir(made)):
    id, wanted = re.match(r"(.*)-(with|without)\.event\.gz$", name).groups()
    counts = found(os.path.join(made, name))
    if bool(counts[id]) != (wanted == "with"):
        fail(name, dict(counts))
    if wanted == "with" and counts["uninstrumented"] + counts["repeated-child"]:
        fail(name, "has also", dict(counts))


def hid_passwords_before_cutting():
    """The end of a password is needed to detect it: an error is cut after that. Each length is tried."""
    for before in range(150, 210):
        path = made_up(lambda: git("fetch").child(
            ["ssh", "h"], 20 * MS, child_class="transport/ssh", code=255).event(
            "error", msg="x" * before + " https://user:S3CRETpassword@host.example/r.git", fmt="x").exit(128))
        shown = subprocess.run([top, "--no-config", "--once", "--findings", path], capture_output=True,
                               timeout=120).stdout
        findings = shown[shown.rindex(b"\nFindings"):]
        if b"remote-failed" not in findings or b"S3" in findings:
            fail("an error of", before, "bytes before a password:", findings)
        os.unlink(path)


def own_host():
    return hashlib.sha1(socket.gethostname().encode()).hexdigest()[:8]


def named_without_internal_names():
    """Git's hierarchies have names such as _run_dashed_."""
    shown = subprocess.run([top, "--no-config", "--once", "--findings", os.path.join(base, "git", "Z2_http_fail", "event")],
                           capture_output=True, timeout=120).stdout
    if b"  clone > remote-curl: git remote-http: repository 'http://127.0.0.1:18431/nope.git/' not found" not in shown:
        fail("name of a process:", shown[shown.rindex(b"Findings"):])


def looked_at(make, worktree, files, host=None):
    """The findings in the text report if the worktree's repository has these files, of these sizes, and processes
    ran on `host` (this one)."""
    for name, size in files.items():
        name = os.path.join(worktree, ".git", name)
        os.makedirs(os.path.dirname(name), exist_ok=True)
        with open(name, "wb") as file:
            file.write(size if isinstance(size, bytes) else b"x" * size)
    Process.host = host or own_host()
    path = made_up(make)
    Process.host = "00000001"
    shown = subprocess.run([top, "--no-config", "--once", "--findings", path], capture_output=True, timeout=120,
                           text=True).stdout
    os.unlink(path)
    return shown[shown.rindex("\nFindings"):]


def graph(*chunks):
    """The begin of a commit-graph with these chunks."""
    return b"CGPH\1\1" + bytes([len(chunks), 0]) + b"".join(chunk + bytes(8) for chunk in chunks)


LARGE = {"objects/pack/pack-1.idx": 2000000}


def looked_for_the_cause():
    """The repository of a slow command, with and without the files that make it fast."""
    log, pathed, all_refs, status = ([*words] for words in (
        ("log", "--oneline"), ("log", "--", "f"), ("log", "--all"), ("status",)))
    no_graph, no_filters = "its repository has no commit-graph now", "its commit-graph has no changed-path filters"
    with_filters = {"objects/info/commit-graph": graph(b"OIDF", b"BIDX", b"BDAT")}
    packs = {"objects/pack/pack-%d.idx" % i: 2000 for i in range(60)}
    refs = {"refs/heads/x/%d" % i: 41 for i in range(2100)}
    for name, words, files, host, wanted in (
            ("absent", log, LARGE, None, no_graph),
            ("other host", log, LARGE, "00000001", "log --oneline\n"),
            ("small", log, {"objects/pack/pack-1.idx": 2000}, None, None),
            ("present", log, {**LARGE, "objects/info/commit-graph": graph(b"OIDF")}, None, None),
            ("for a path", pathed, {**LARGE, "objects/info/commit-graph": graph(b"OIDF")}, None, no_filters),
            ("with filters", pathed, {**LARGE, **with_filters}, None, None),
            ("chain", pathed, {**LARGE, "objects/info/commit-graphs/commit-graph-chain": b"12\n34\n",
                               "objects/info/commit-graphs/graph-34.graph": graph(b"BIDX")}, None, None),
            ("packs", log, {**LARGE, **packs, **with_filters}, None, "60 packs and no multi-pack-index"),
            ("multi-pack-index", log, {**LARGE, **packs, **with_filters, "objects/pack/multi-pack-index": 9}, None, None),
            ("loose refs", all_refs, {**LARGE, **refs}, None, "2100 loose refs now"),
            ("packed refs", all_refs, {**LARGE, "packed-refs": 3200000}, None, "about 50000 packed refs now"),
            ("few refs", all_refs, {**LARGE, "refs/heads/main": 41}, None, no_graph),
            ("upstream", status, LARGE, None, "in status/print: " + no_graph),
            ("a worktree", log, {"objects/x": 1}, None, None)):
        with tempfile.TemporaryDirectory() as worktree:
            shown = looked_at(lambda: git(*words, worktree=worktree).wait(900 * MS).region(
                "status", "print", 900 * MS if words == status else 1).exit(), worktree, files, host)
        if ("if .git" in shown) != (host is not None):
            fail("repository:", name, "conditional advice in", shown)
        found = "(history-walk)" in shown or "(many-refs)" in shown or "(ahead-behind)" in shown
        if found != bool(wanted) or (wanted or "") not in shown:
            fail("repository:", name, "expected", wanted, "in", shown)


def looked_in_the_main_worktree():
    """A linked worktree has a file .git, and the objects are in the main one."""
    with tempfile.TemporaryDirectory() as base:
        linked = os.path.join(base, "linked")
        os.makedirs(os.path.join(base, ".git", "worktrees", "linked"))
        os.makedirs(linked)
        with open(os.path.join(linked, ".git"), "w") as file:
            file.write("gitdir: %s/.git/worktrees/linked\n" % base)
        with open(os.path.join(base, ".git", "worktrees", "linked", "commondir"), "w") as file:
            file.write("../..\n")
        shown = looked_at(lambda: git("log", worktree=linked).wait(900 * MS).exit(), base, LARGE)
        if "its repository has no commit-graph now" not in shown:
            fail("linked worktree:", shown)


hid_passwords_before_cutting()
named_without_internal_names()
looked_for_the_cause()
looked_in_the_main_worktree()
switched_off_by_configuration()
# A password that is cut cannot be detected.
path = made_up(lambda: times(12, lambda p, i: p.child(["curl", "x" * 175 + " https://user:S3CRETS3CRET@host/"], 40 * MS),
                             git("x")).event("error", msg="cannot reach https://somebody:S3CRETS3CRET-long-enough@host/",
                                             fmt="cannot reach %s").exit())
shown = subprocess.run([top, "--no-config", "--once", "--findings", path], capture_output=True, timeout=120).stdout
if b"repeated-child" not in shown or b"error-yet-success" not in shown or b"S3C" in shown:
    fail("a cut password is shown:", shown[-3000:])
os.unlink(path)
# One get and one store are not a repetition; a shell's line is shown whole.
for make, wanted, unwanted in (
        (lambda: git("fetch").child(["git credential-slow get"], 500 * MS, use_shell=True).child(
            ["git credential-slow store"], 500 * MS, use_shell=True).exit(), "git credential-slow get", "2 times"),
        (lambda: times(12, lambda p, i: p.child(["sleep 0.02; cat"], 20 * MS, use_shell=True), git("checkout")).exit(),
         "12 times sleep 0.02; cat\n", "…"),
        (lambda: times(12, lambda p, i: p.child(["git-lfs smudge -- f%d" % i], 20 * MS, use_shell=True),
                       git("checkout")).exit(), "12 times git-lfs smudge -- …\n", "f1"),
        (lambda: git("x").child(["git rev-parse HEAD; sleep 0.6; false"], MS, code=137, use_shell=True).exit(1),
         "git rev-parse HEAD; sleep 0.6; false by signal 9", "rev-parse by")):
    path = made_up(make)
    shown = subprocess.run([top, "--no-config", "--once", "--findings", path], capture_output=True, timeout=120,
                           text=True).stdout
    shown = shown[shown.find("Findings"):]
    if wanted not in shown or unwanted in shown:
        fail("expected", wanted, "not", unwanted, "in", shown)
    os.unlink(path)
# Advice only has options that the hook has.
for name, skips in (("pre-commit", True), ("post-checkout", False)):
    path = made_up(lambda: hook(900 * MS, name))
    shown = subprocess.run([top, "--no-config", "--once", "--findings", path], capture_output=True, timeout=120).stdout
    if (b"--no-verify" in shown) != skips or b"slow-hook" not in shown:
        fail(name, shown)
    os.unlink(path)
# A region inside another counts once.
waited = subprocess.run([top, "--no-config", "--once", "--findings", "--format=json",
                         os.path.join(base, "real", "maintenance-foreground", "event")], capture_output=True, timeout=120)
if [f["evidence"] for f in json.loads(waited.stdout)["findings"] if f["id"] == "maintenance-in-foreground"] != [
        "git maintenance run --auto --no-quiet"]:
    fail("maintenance-foreground:", waited.stdout.decode())
print(len(ids), "findings,", "failed" if bad else "passed")
sys.exit(bad)
