# SPDX-License-Identifier: MIT
"""Record, then read: the report equals that of the source, for every kind of input and every end.

    recording.py TRACE2TOP TRACES WORK    TRACES: corpus.tar.xz and formats.tar.xz unpacked

RECORDING_CUTS, RECORDING_KILLS (20, 3) and RECORDING_ALL in the environment set the amount.
"""
import gc
import glob
import json
import os
import random
import re
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

PROGRAM, TRACES, WORK = sys.argv[1:4]
gc.disable()  # reports have no cycles
CUTS = int(os.environ.get("RECORDING_CUTS", "20"))
KILLS = int(os.environ.get("RECORDING_KILLS", "3"))
ALL = os.environ.get("RECORDING_ALL")
TOTALS = "records events malformed unknown oversized foreign continued ignored lost_generations".split()
SOME = ["big.event", "deviants", "errors", "go", "tracelog", "partial", "sockets", "nest5", "dirtarget-maxfiles",
        "perf", "normal", "gc", "torn", "fsmonitor", "oddargs"]
bad = 0


def expect(ok, *what):
    global bad
    if not ok:
        bad += 1
        print("recording:", *what)


def path(name):
    return os.path.join(WORK, name)


def fresh(name):
    for old in (path(name), path(name) + ".old"):
        if os.path.exists(old):
            os.unlink(old)
    return path(name)


def run(*args, stdin=subprocess.DEVNULL, timeout=120):
    done = subprocess.run([PROGRAM, *args], capture_output=True, stdin=stdin, timeout=timeout)
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


def report(*args, **more):
    """Return the status, the report without its sources, their totals, and standard error."""
    status, out, told = run("--once", "--format=json", *args, **more)
    whole = json.loads(out)
    sums = {key: sum(row.get(key, 0) for row in whole["sources"]) for key in TOTALS}
    del whole["sources"]
    return status, whole, sums, told


counted = {}


def events_in(recording):
    """Number of events in a recording that grows; 0 if it does not exist. It is read only if the file has changed."""
    try:
        seen = os.stat(recording)
    except OSError:
        return 0
    state = seen.st_size, seen.st_mtime_ns
    if not seen.st_size:
        return 0
    if counted.get(recording, (None,))[0] != state:
        counted[recording] = state, report(recording)[2]["events"]
    return counted[recording][1]


def apart(one, other):
    """Describe the differences of two reports."""
    said = [one[2], other[2]] if one[2] != other[2] else []
    for key in one[1]:
        a, b = json.dumps(one[1][key]), json.dumps(other[1].get(key))
        if a != b:
            at = next((i for i in range(min(len(a), len(b))) if a[i] != b[i]), 0)
            said.append((key, a[max(0, at - 100):at + 60], b[max(0, at - 20):at + 60]))
    return said


def lines_of(recording):
    return subprocess.run(["zstdcat", recording], capture_output=True, check=True).stdout


def size_of(name):
    """Size of a file; 0 if it is being renamed."""
    try:
        return os.path.getsize(name)
    except OSError:
        return 0


HAS_ZSTD = shutil.which("zstd") is not None


def is_built():
    out = run("--version")[1].decode()
    return "zst: libzstd" in out


def wait_for(what, seconds=120):
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if what():
            return True
        time.sleep(0.01)
    return False


def connected(address, kind=socket.SOCK_STREAM):
    """Return a socket connected to the address, as soon as a process listens there."""
    s = socket.socket(socket.AF_UNIX, kind)

    def tried():
        try:
            s.connect(address)
        except OSError:
            return False
        return True
    expect(wait_for(tried), "no process listens at", address)
    return s


class Recorder:
    """A run without a screen that records until it is stopped."""

    def __init__(self, recording, *args, **more):
        self.process = subprocess.Popen([PROGRAM, "--record=" + recording, *args], stdin=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, start_new_session=True, **more)

    def end(self, signo=signal.SIGTERM):
        self.process.send_signal(signo)
        told = self.process.communicate(timeout=120)[1].decode()
        return self.process.returncode, told


# ---- the report of a recording equals that of its source ----

def equal_one(name):
    where, record = os.path.join(TRACES, name), fresh("one.t2rec.zst")
    if not os.path.exists(where):
        return False
    first = report(where, "--record=" + record)
    second = report(record)
    expect(first[1] == second[1], name, "the reports differ")
    expect(first[2] == second[2], name, first[2], second[2])
    # Errors of the compressed file are not in the recording.
    if not first[0]:
        expect(second[0] == 0, name, second[0], second[3])
    if HAS_ZSTD:
        expect(subprocess.run(["zstd", "-tq", record], capture_output=True).returncode == 0, name, "zstd -t")
    return True


def gives_the_report_of_its_source():
    names = SOME
    if ALL:
        names = [os.path.relpath(n, TRACES) for n in glob.glob(TRACES + "/*") + glob.glob(TRACES + "/*/*")]
    nr = sum(equal_one(name) for name in names)
    expect(nr > 8, "only", nr, "traces were there")
    print("recording: %d traces recorded and read" % nr)


def contains_the_bytes_unchanged():
    """zstdcat prints the file byte for byte."""
    record = fresh("verbatim.t2rec.zst")
    where = os.path.join(TRACES, "big.event")
    report(where, "--record=" + record)
    with open(where, "rb") as f:
        expect(not HAS_ZSTD or lines_of(record) == f.read(), "zstdcat prints different bytes")


def passes_through_pipes():
    record = fresh("pipe.t2rec.zst")
    where = os.path.join(TRACES, "big.event")
    first = report(where)
    with open(record, "wb") as out:
        subprocess.run([PROGRAM, "--once", "-o", path("ignored"), "--record=-", where], stdin=subprocess.DEVNULL, stdout=out,
                       check=True, timeout=120)
    with open(record, "rb") as f:
        second = report("-", stdin=f)
    expect(first[1:3] == second[1:3], "a recording through a pipe:", apart(first, second))
    # A recording of a recording that is a file of a directory.
    again, directory = fresh("again.t2rec.zst"), path("directory")
    report(record, "--record=" + again)
    os.makedirs(directory, exist_ok=True)
    shutil.copy(again, directory)
    third = report(directory)
    expect(first[1:3] == third[1:3], "a recording of a recording, in a directory:", apart(first, third))


# ---- sockets, many writers ----

def event(sid, number, form=[], **more):
    """A data event; those without additional members are written from one form."""
    if not more:
        if not form:
            form.append(event("%s", 0, more=0).replace(b', "more": 0', b"").replace(b"00.000000Z", b"00.%06dZ")
                        .replace(b'"t_abs": 0.0', b'"t_abs": %s').replace(b'"k0"', b'"k%d"').replace(b'"value": ""', b'"value": "%s"'))
        return form[0] % (sid.encode(), number, str(number / 1e6).encode(), number, b"v" * (number % 50))
    return (json.dumps({"event": "data", "sid": sid, "thread": "main", "time": "2026-11-22T08:00:00.%06dZ" % number,
                        "file": "x.c", "line": 1, "t_abs": number / 1e6, "t_rel": 0.1, "nesting": 1,
                        "category": "test", "key": "k%d" % number, "value": "v" * (number % 50), **more})
            + "\n").encode()


def trace_of(writer, events, last_lf=True):
    sid = "20261122T080000.%06dZ-H0badcafe-P%08x" % (writer, writer + 4096)
    head = (json.dumps({"event": "version", "sid": sid, "thread": "main", "time": "2026-11-22T08:00:00.000000Z",
                        "file": "x.c", "line": 1, "evt": "4", "exe": "2.39"}) + "\n").encode()
    body = b"".join(event(sid, n) for n in range(events))
    return (head + body) if last_lf else (head + body)[:-1]


def send(address, text, datagrams):
    kind = socket.SOCK_DGRAM if datagrams else socket.SOCK_STREAM
    with connected(address, kind) as s:
        if datagrams:
            for line in text.splitlines(True):
                s.send(line)
            return
        rest = memoryview(text)
        while rest:
            nr = random.randint(1, 9000)
            s.sendall(rest[:nr])
            rest = rest[nr:]


def send_all(address, texts, datagrams):
    threads = [threading.Thread(target=send, args=(address, text, datagrams)) for text in texts]
    for t in threads:
        t.start()
    for t in threads:
        t.join()


def keeps_lines_of_many_writers_whole(datagrams):
    record, address = fresh("many.t2rec.zst"), path("many.sock")
    texts = [trace_of(i, 400 if datagrams else 2000, last_lf=i % 3 != 0) for i in range(8)]
    spec = "af_unix:%s:%s" % ("dgram" if datagrams else "stream", address)
    once = subprocess.Popen([PROGRAM, "--once", "--format=json", "--record=" + record, spec],
                            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    send_all(address, texts, datagrams)
    once.send_signal(signal.SIGINT)
    out = once.communicate(timeout=120)[0]
    first = json.loads(out)
    sums = {key: sum(row.get(key, 0) for row in first["sources"]) for key in TOTALS}
    del first["sources"]
    second = report(record)
    expect(first == second[1], spec, "the reports differ")
    expect(sums == second[2], spec, sums, second[2])
    if not HAS_ZSTD:
        return
    expect(subprocess.run(["zstd", "-tq", record], capture_output=True).returncode == 0, spec, "zstd -t")
    # Compare stream by stream; the last line of some is in the index.
    got = {}
    for line in lines_of(record).splitlines(True):
        got.setdefault(json.loads(line)["sid"], []).append(line)
    for text in texts:
        want = text.splitlines(True)
        if datagrams:
            want[-1] = want[-1].rstrip(b"\n") + b"\n"
        elif not text.endswith(b"\n"):
            want.pop()
        expect(got[json.loads(want[0])["sid"]] == want, spec, "a stream differs")


# ---- cut, killed, followed, bounded ----

def reads_and_continues_truncated_files():
    record, cut = fresh("whole.t2rec.zst"), path("cut.t2rec.zst")
    where = os.path.join(TRACES, "big.event")
    report(where, "--record=" + record)
    with open(record, "rb") as f:
        whole = f.read()
    events = report(record)[2]["events"]
    told_wrong = 0
    for _ in range(CUTS):
        nr = random.randint(1, len(whole) - 1)
        with open(cut, "wb") as f:
            f.write(whole[:nr])
        status, _, sums, told = report(cut)
        if sums["malformed"] or sums["oversized"] or sums["events"] > events:
            # Too short to be recognised as a recording.
            expect(nr < 14, "cut at", nr, sums)
        if status not in (0, 1) or (status == 1 and told.count("\n") != 1):
            told_wrong += 1
    expect(not told_wrong, "wrong message after", told_wrong, "cuts")
    # A truncated recording is appended to.
    with open(cut, "wb") as f:
        f.write(whole[: len(whole) * 2 // 3])
    before = report(cut)
    expect(before[0] == 1 and "its last chunk is not whole" in before[3], "truncated:", before[3])
    report(where, "--record=" + cut)
    after = report(cut)
    expect(after[0] == 0, after[3])
    expect(after[2]["events"] == before[2]["events"] + events, "appended:", before[2], after[2])
    print("recording: %d cuts" % CUTS)


def kill_one(nr):
    """Recorded events survive a kill of the recorder, and are written soon."""
    record, address = fresh("killed.t2rec.zst"), fresh("killed.sock")
    recorder = Recorder(record, "af_unix:stream:" + address)
    with connected(address) as s:
        for number in range(nr):
            # Write half of it, pause, then the rest.
            if number == nr // 2:
                expect(wait_for(lambda: events_in(record) == number), "not everything is recorded")
            s.sendall(event("20261122T080000.000000Z-H0badcafe-P00001000", number))
            time.sleep(0.002)
        recorder.end(signal.SIGKILL)
    status, _, sums, told = report(record)
    expect(nr // 2 <= sums["events"] <= nr and sums["malformed"] == 0, "killed:", sums["events"], "of", nr)
    expect(status == 0 or told.count("\n") == 1, "killed:", told)
    # Another run appends to it.
    with open(path("more.event"), "wb") as f:
        f.write(trace_of(77, 10))
    report(path("more.event"), "--record=" + record)
    expect(report(record)[2]["events"] == sums["events"] + 11, "appended after a kill")
    return nr - sums["events"]


def survives_kills():
    missing = [kill_one(random.randint(2, 1000)) for _ in range(KILLS)]
    print("recording: %d kills, at most %d events missing" % (KILLS, max(missing)))


def is_readable_while_it_grows():
    """Another process reads it while it grows."""
    record, second, address = fresh("grows.t2rec.zst"), fresh("second.t2rec.zst"), path("grows.sock")
    recorder = Recorder(record, "af_unix:stream:" + address)
    follower = Recorder(second, record)
    for i in range(4):
        send(address, trace_of(i, 500), False)
        want = (i + 1) * 501
        expect(wait_for(lambda: events_in(second) >= want),
               "the follower has", events_in(second), "of", want)
    expect(recorder.end()[0] == 0, "the recorder's status")
    expect(follower.end()[0] == 0, "the follower's status")
    expect(report(record)[1:3] == report(second)[1:3], "the followed recording differs")


def is_readable_across_a_truncation():
    """A followed recording that was truncated within a chunk is continued."""
    record, second = fresh("over.t2rec.zst"), fresh("over2.t2rec.zst")
    where = os.path.join(TRACES, "big.event")
    report(where, "--record=" + record)
    events = report(record)[2]["events"]
    with open(record, "rb") as f:
        whole = f.read()
    with open(record, "r+b") as f:
        f.truncate(len(whole) * 2 // 3)
    before = report(record)[2]["events"]
    follower = Recorder(second, record)
    expect(wait_for(lambda: events_in(second) >= before), "the follower has not", before)
    report(where, "--record=" + record)
    want = before + events
    expect(wait_for(lambda: events_in(second) >= want), "over a truncation:", events_in(second), "of", want)
    status, told = follower.end()
    have = report(second)[2]
    expect(status == 0 and have["events"] == want, "over a truncation:", status, told, have, want)


def keeps_the_newest_within_a_bound():
    record = fresh("bounded.t2rec.zst")
    address = path("bounded.sock")
    recorder = Recorder(record, "--record-size=1M", "af_unix:stream:" + address)
    noise = random.Random(7)
    sid = "20261122T080000.000000Z-H0badcafe-P00001000"
    with connected(address) as s:
        number = 0
        while not os.path.exists(record + ".old") or size_of(record) < 100000:
            s.sendall(event(sid, number % 1000000, extra=noise.randbytes(1000).hex()))
            number += 1
            if number > 20000:
                break
    expect(recorder.end()[0] == 0, "bounded: the status")
    expect(os.path.exists(record + ".old"), "bounded: no FILE.old")
    sizes = os.path.getsize(record), os.path.getsize(record + ".old")
    expect(sizes[0] < 1 << 20 and sizes[1] < 1 << 20, "bounded:", sizes)
    # The newest events are kept, without a gap; their number depends on the machine.
    status, out, told = run("--once", "--format=events", record + ".old", record)
    kept = sorted(int(json.loads(one)["key"][1:]) for one in out.splitlines())
    expect(status == 0 and kept == list(range(number - len(kept), number)) and len(kept) > 100, "bounded:", told,
           len(kept), kept[:1], kept[-1:], "of", number)


def arrivals(recording):
    """Seconds from the first arrival to the last, from the chunks."""
    with open(recording, "rb") as f:
        data = f.read()
    ends = [struct.unpack_from("<qq", data, at.end() + 8) for at in re.finditer(b"T2CK", data)]
    return (max(last for _, last in ends) - min(first for first, _ in ends)) / 1e9


def replays_in_the_original_time():
    """A replay takes the original time divided by the speed, and is complete."""
    record, address = fresh("replayed.t2rec.zst"), path("replayed.sock")
    recorder = Recorder(record, "af_unix:stream:" + address)
    with connected(address) as s:
        for number in range(10):
            s.sendall(event("20261122T080000.000000Z-H0badcafe-P00001000", number))
            time.sleep(0.05)
    recorder.end()
    took = arrivals(record)
    expect(took > 0.1, "all arrived within", took, "s")
    for speed, least in (("2x", took / 2), ("0.5", took * 2), ("1000x", 0)):
        begun = time.monotonic()
        again = report("--replay=" + speed, record)
        expect(again[1] == report(record)[1], "the replay differs")
        expect(time.monotonic() - begun >= least, speed, time.monotonic() - begun, "of", least)
    for speed in ("0", "-1", "x", "2xx", "1e9", "2!x", ""):
        expect(run("--once", "--replay=" + speed, record)[0] == 2, "--replay=" + speed)


# ---- errors ----

def rejects_impossible_outputs():
    trace, other = os.path.join(TRACES, "big.event"), path("other.txt")
    with open(other, "w") as f:
        f.write("precious\n")
    for args, words in (
            (["--once", "--record=" + other, trace], "is not a recording and is not overwritten"),
            (["--once", "--record=" + trace, trace], "is one of the sources"),
            (["--once", "--record=%s/new" % TRACES, TRACES], "is one of the sources, or in one"),
            (["--once", "--record=/nowhere/x", trace], "cannot open /nowhere/x"),
            (["--once", "--record=-", trace], "add -o"),
            (["--once", "--redact=text", "--format=events", "--tee=%s" % fresh("redacted"), trace],
             "cannot redact --tee"),
            (["--once", "--record-size=2M", trace], "--record-size needs --record=FILE"),
            (["--once", "--record=%s" % fresh("small"), "--record-size=1000", trace], "must be at least 1M")):
        status, _, told = run(*args)
        expect(status == 2 and words in told and told.count("\n") == 1, args, status, told)
    with open(other) as f:
        expect(f.read() == "precious\n", "it was overwritten")
    status, out, told = run("--once", "--record=/dev/full", trace)
    expect(status == 1 and b"Commands" in out and "No space left" in told, "/dev/full", status, told)


def rejects_a_second_writer():
    record = fresh("locked.t2rec.zst")
    first = Recorder(record, "af_unix:stream:" + path("locked.sock"))
    expect(wait_for(lambda: os.path.exists(record) and os.path.getsize(record)), "no recording")
    status, _, told = run("--once", "--record=" + record, os.path.join(TRACES, "big.event"))
    expect(status == 2 and "another trace2top records" in told, status, told)
    expect(first.end()[0] == 0, "locked: the status")


def has_chunk(recording):
    if not os.path.exists(recording):
        return False
    with open(recording, "rb") as f:
        return b"T2CK" in f.read()


def starts_a_removed_file_again():
    """A recording whose file is removed is started again; the status is 1 because events are lost."""
    record, address = fresh("removed.t2rec.zst"), path("removed.sock")
    recorder = Recorder(record, "af_unix:stream:" + address)
    with connected(address) as s:
        s.sendall(trace_of(1, 50))
    expect(wait_for(lambda: has_chunk(record)), "nothing is recorded")
    os.unlink(record)
    expect(wait_for(lambda: os.path.exists(record)), "the file is not started again")
    with connected(address) as s:
        s.sendall(trace_of(2, 50))
    told = ""
    while "\n" not in told and select.select([recorder.process.stderr], [], [], 120)[0]:
        told += os.read(recorder.process.stderr.fileno(), 4096).decode()
    expect("was removed during the recording" in told, "the removal is not reported at once:", told)
    status, told = recorder.end()
    expect(status == 1 and not told, "removed:", status, told)
    status, _, sums, told = report(record)
    expect(sums["malformed"] == 0 and sums["events"] >= 50, "the new file:", sums, told)


def reports_an_unread_fifo():
    name = fresh("unread.fifo")
    os.mkfifo(name)
    status, _, told = run("--once", "--record=" + name, os.path.join(TRACES, "big.event"))
    expect(status == 2 and "no program reads the FIFO" in told and told.count("\n") == 1, status, told)


def survives_false_lengths():
    """False headers, counts and lengths."""
    record = fresh("hostile.t2rec.zst")
    report(os.path.join(TRACES, "big.event"), "--record=" + record)
    with open(record, "rb") as f:
        whole = f.read()
    head = 8 + struct.unpack("<I", whole[4:8])[0]
    lies = []
    for at in range(8, 52, 4):
        for lie in (0, 1, 0x7fffffff, 0xffffffff):
            lies.append(whole[:head + at] + struct.pack("<I", lie) + whole[head + at + 4:])
    lies.append(whole[:head] + b"garbage" * 10)
    lies.append(whole[:8] + b"T2REC 9\n" + whole[16:])
    lies.append(whole[:4] + struct.pack("<I", 1 << 30) + whole[8:])
    for lie in lies:
        with open(path("lie.t2rec.zst"), "wb") as f:
            f.write(lie)
        status, _, sums, told = report(path("lie.t2rec.zst"))
        expect(status in (0, 1) and told.count("\n") == status, "a false value:", status, told)


if not is_built():
    status, _, told = run("--once", "--record=" + fresh("x"), os.path.join(TRACES, "big.event"))
    expect(status == 2 and "built without libzstd" in told, status, told)
    sys.exit(bad)
random.seed(int(os.environ.get("RECORDING_SEED", "1")))
gives_the_report_of_its_source()
contains_the_bytes_unchanged()
passes_through_pipes()
keeps_lines_of_many_writers_whole(False)
keeps_lines_of_many_writers_whole(True)
reads_and_continues_truncated_files()
survives_kills()
is_readable_while_it_grows()
is_readable_across_a_truncation()
keeps_the_newest_within_a_bound()
replays_in_the_original_time()
rejects_impossible_outputs()
rejects_a_second_writer()
starts_a_removed_file_again()
reports_an_unread_fifo()
survives_false_lengths()
sys.exit(bad)
