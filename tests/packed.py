# SPDX-License-Identifier: MIT
"""Every case of compressed input with the real program: as a file, in a directory, from a pipe and as
standard input. Usage: packed.py TRACE2TOP DIR"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

PROGRAM, DIR = sys.argv[1:3]
EXPECTED = json.load(open(f"{DIR}/expected.json"))
SANITIZED = "SANITIZED" in os.environ
ALL = "PACKED_ALL" in os.environ
WAYS = ("file", "directory", "pipe", "stdin")
bad = 0


def expect(ok, *what):
    global bad
    if not ok:
        print("FAIL:", *what)
        bad = 1


def built():
    """The kinds that this build supports."""
    lines = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)
    told = dict(line.split(": ", 1) for line in lines.stdout.splitlines()[1:])
    expect({"reads", "writes", "libraries", "gz", "xz", "zst"} <= set(told), "--version", told)
    kinds = {kind: told.get(kind, "not read") for kind in ("gz", "xz", "zst")}
    return {kind for kind, what in kinds.items() if not what.startswith("not read")}


def run(arguments, stdin=None, feed=None):
    """Returns the report, the messages, the exit status, and the maximum memory in KiB."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        child = subprocess.Popen([PROGRAM, "--once", "--format=json"] + arguments, stdout=out,
                                 stderr=err, stdin=subprocess.PIPE if feed is not None else stdin)
        if feed is not None:
            try:
                child.stdin.write(feed)
                child.stdin.close()
            except BrokenPipeError:
                pass
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        return json.load(out), err.read().decode(), child.returncode, usage.ru_maxrss


def run_way(way, name):
    path = f"{DIR}/{name}"
    if way == "file":
        return run([path])
    if way == "pipe":
        return run(["-"], feed=open(path, "rb").read())
    if way == "stdin":
        return run(["-"], stdin=open(path, "rb"))
    with tempfile.TemporaryDirectory() as only:
        shutil.copy(path, only)
        return run([only])


def plain_of(report):
    """The report without source and compression, and without the user, whom only directories
    know."""
    for source in report["sources"]:
        for key in ("spec", "kind", "packed_bytes"):
            source.pop(key, None)
    for process in report["processes"]:
        process.pop("user", None)
        process.pop("uid", None)
    return report


def users_of(report):
    return {process["uid"] for process in report["processes"]}


def kind_of(name):
    with open(f"{DIR}/{name}", "rb") as file:
        first = file.read(4)
    return {b"\x1f\x8b": "gz", b"\xfd7": "xz", b"\x28\xb5": "zst"}.get(first[:2])


def equal_ones():
    plain, _, status, _ = run_way("file", "plain.event")
    plain = plain_of(plain)
    expect(status == 0 and plain["sources"][0]["records"] == EXPECTED["lines"], "plain.event")
    for name in EXPECTED["equal_report_to_plain"]:
        for way in WAYS:
            report, told, status, _ = run_way(way, name)
            size = os.path.getsize(f"{DIR}/{name}") if kind_of(name) else None
            packed = report["sources"][0].get("packed_bytes")
            users = {os.getuid()} if way == "directory" else {None}
            expect(users_of(report) == users, name, way, "user", users_of(report))
            expect(packed == size, name, way, "packed_bytes", packed, size)
            expect(plain_of(report) == plain, name, way, "the report differs")
            expect((status, told) == (0, ""), name, way, status, told)


def go_ones():
    reports = [plain_of(run_way(way, f"trace.go.{kind}")[0])
               for kind in ("gz", "zst") for way in WAYS[:2]]
    expect(all(report == reports[0] for report in reports), "trace.go: reports differ")
    expect(reports[0]["sources"][0]["format"] == "go" and reports[0]["sources"][0]["malformed"] == 0
           and reports[0]["sources"][0]["events"] > 100, "trace.go", reports[0]["sources"][0])


def counted(name, status_wanted, says=None, ways=WAYS, **wanted):
    """The source's counters by input method; MIN_x: at least."""
    for way in ways:
        report, told, status, peak = run_way(way, name)
        source = report["sources"][0]
        for key, value in wanted.items():
            if key.startswith("min_"):
                expect(source[key[4:]] >= value, name, way, key, source)
            else:
                expect(source[key] == value, name, way, key, source)
        expect(status == status_wanted, name, way, "exit status", status, told)
        expect(says in told and told.count("\n") == 1 if says else not told, name, way, told)
        if says and way == "directory":
            expect(f": {name}" in told, name, "is not named:", told)
        expect(SANITIZED or peak < 64 << 10, name, way, "takes", peak, "KiB")


def hurt_ones():
    lines = EXPECTED["lines"]
    for kind in ("gz", "xz"):
        counted(f"cut.event.{kind}", 1, "the compressed data is truncated", min_events=170, malformed=1)
    expect(EXPECTED["cut.event.gz"]["whole_lines_at_least"] == 176, "cut.event.gz: expected.json")
    counted("cut.event.gz", 1, "the compressed data is truncated", min_events=176)
    counted("cut.event.zst", 1, "the compressed data is truncated")
    counted("flipped.event.gz", 1, "damaged", min_events=200)
    counted("bad-crc.event.gz", 1, "damaged", events=lines)
    counted("trailing-garbage.event.gz", 0, "trailing data after the compressed stream", events=lines)
    counted("nested.event.gz.gz", 1, "nothing in it can be read", ways=("file", "pipe", "stdin"), events=0, min_malformed=1)
    counted("nested.event.gz.gz", 1, "nothing in it can be read", ways=("directory",), events=0, malformed=0, foreign=1)
    counted("empty.gz", 0, records=0)
    counted("bomb-no-lf.gz", 1, "nothing in it can be read", ways=("file", "pipe"), records=1, oversized=1)
    # all_at_once() reads it in a directory.
    counted("bomb-blank-lines.zst", 0, ways=("file", "pipe") if ALL else (), records=0)
    counted("bomb-lines.gz", 0, ways=("file", "pipe"), events=100000)


def all_at_once():
    """Damaged files do not affect the other files of a directory."""
    report, told, status, peak = run([DIR])
    expect(SANITIZED or peak < 64 << 10, "all", "takes", peak, "KiB")
    expect(status == 1 and told.count("\n") == 1, "all", status, told)
    expect(report["sources"][0]["events"] > 100000 + 9 * EXPECTED["lines"], report["sources"])


def left_out(kinds):
    for name in os.listdir(DIR):
        if kind_of(name) in kinds:
            counted(name, 1, "was left out of this trace2top: unpack it first", events=0,
                    malformed=0)


KINDS = built()
left_out({"gz", "xz", "zst"} - KINDS)
if len(KINDS) == 3:
    equal_ones()
    go_ones()
    hurt_ones()
    all_at_once()
sys.exit(bad)
