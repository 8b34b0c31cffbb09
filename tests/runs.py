#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""runs.py BUILDDIR DIR SHUFFLES: --save-runs, --compare, --fail-if and --rules in typical use."""
import json
import os
import random
import subprocess
import sys
import xml.etree.ElementTree as xml

build, base, shuffles = sys.argv[1:4]
top = os.path.join(build, "trace2top")
bad = 0


def fail(*what):
    global bad
    bad = 1
    print(*what)


def run(*args, status=0, told=""):
    """Returns the standard output of --once; checks status and messages."""
    done = subprocess.run([top, "--no-config", "--once", *args], capture_output=True, timeout=120,
                          env=dict(os.environ, TZ="UTC"))
    err = done.stderr.decode(errors="replace")
    if done.returncode != status or told not in err or (not told and not status and err):
        fail("trace2top --once", *args, "ended with", done.returncode, err)
    if len(err.splitlines()) > 1 + (status in (1, 3)):
        fail("trace2top --once", *args, "prints too much:", err)
    return done.stdout.decode()


def report(*args, **more):
    return json.loads(run("--format=json", *args, **more) or "{}")


def path(*parts):
    return os.path.join(base, *parts)


def near(a, b, by):
    return abs(a - b) <= by


def compared_as_expected(name, group, expected):
    """Ratios to 1e-6, p to 1e-9, microseconds to the last printed digit."""
    if group["verdict"] != expected["verdict"] or group["pairs"] != expected["pairs"]:
        fail(name, group["verdict"], group["pairs"])
    if expected["verdict"] == "apart":
        if any(group[key] is not None for key in ("shift", "low", "high", "p")) or group["parts"]:
            fail(name, "prints a verdict for sets that are not comparable")
        return
    for ours, theirs in (("shift", "shift"), ("low", "lo"), ("high", "hi")):
        if not near(group[ours], expected[theirs], 1e-6):
            fail(name, ours, group[ours], expected[theirs])
    if not near(group["p"], expected["p"], 1e-9):
        fail(name, "p", group["p"], expected["p"])
    if len(group["parts"]) != len(expected["parts"]):
        fail(name, "has", len(group["parts"]), "parts")
    for part, want in zip(group["parts"], expected["parts"]):
        if ([part[k] for k in ("kind", "label", "differs")] != [want[k] for k in ("kind", "label", "differs")]
                or not near(part["mean"] * 1e6, want["mean_us"], 1.1e-3)
                or not near(part["shift"] * 1e6, want["shift_us"], 1e-3)
                or not near(part["p"], want["p_adjusted"], 1e-9)):
            fail(name, part, want)
    total = sum(part["mean"] for part in group["parts"]) + group["other"]
    if not near(total, group["b"]["mean"] - group["a"]["mean"], 1e-6):
        fail(name, "means do not add up:", total)


def compare_cases():
    for name in sorted(os.listdir(path("compare"))):
        sets = [path("compare", name, which + ".event") for which in "AB"]
        with open(path("compare", name, "expected.json")) as file:
            expected = json.load(file)
        got = report("--compare=" + sets[0], sets[1])["compare"]
        if len(got["groups"]) != 1 or got["only_a"] or got["only_b"]:
            fail(name, "has different commands")
        compared_as_expected(name, got["groups"][0], expected)
        # As baseline files: in pieces, in any order, with a repeated run and an invalid line.
        files = [path(name + which) for which in "AB"]
        for trace, file in zip(sets, files):
            run("--save-runs=" + file, trace)
            with open(file) as lines:
                lines = lines.readlines()
            random.Random(name).shuffle(lines)
            with open(file, "w") as out:
                out.writelines(lines + lines[:3])
        again = report("--compare=" + files[0], sets[1])["compare"]
        if again != got:
            fail(name, "differs with a baseline file")
        for more in (files[0], sets[0]):
            if report("--compare=" + files[0], "--compare=" + more, sets[1])["compare"] != got:
                fail(name, "differs with the same runs twice")
        half = len(lines) // 2
        with open(files[0]) as whole:
            whole = whole.readlines()
        for part, some in (("1", whole[:half]), ("2", ["{}\n", "x" * 7000 + "\n"] + whole[half:])):
            with open(files[0] + part, "w") as out:
                out.writelines(some)
        pieces = report("--compare=" + files[0] + "1", "--compare=" + files[0] + "2", sets[1],
                        told="lines are not runs; line 1: its schema is not trace2top-runs/1")
        if pieces["compare"] != got:
            fail(name, "differs with two files")
        if name.startswith("aa-"):
            both = path(name + ".both")
            with open(both, "w") as out:
                for trace in sets:
                    run("--save-runs=" + trace + ".runs", trace)
                    with open(trace + ".runs") as lines:
                        out.write(lines.read())
            if subprocess.run([os.path.join(build, "tests", "aa_shuffles"), shuffles, both]).returncode:
                fail(name, "is significant too often")


def rules_cases():
    for name in sorted(os.listdir(path("rules"))):
        with open(path("rules", name, "expected.json")) as file:
            expected = json.load(file)
        compare = os.path.normpath(path("rules", name, expected["compare"]))
        for is_compare, source in ((False, path("rules", name, "event")),
                                   (True, os.path.join(compare, "B.event"))):
            wanted = [r for r in expected["rules"] if r["rule"].startswith("compare") == is_compare]
            args = ["--fail-if=" + r["rule"] for r in wanted]
            args += ["--compare=" + os.path.join(compare, "A.event")] if is_compare else []
            got = report(*args, source, status=3, told="or could not be evaluated")["rules"]
            for rule, want in zip(got, wanted):
                same = rule["rule"] == want["rule"] and rule["result"] == want["result"]
                if want["value"] is None:
                    same = same and rule["value"] is None
                else:
                    same = same and near(rule["value"], want["value"], 1e-6)
                if is_compare:
                    same = same and rule["why"] == want["why"]
                if not same:
                    fail(name, rule, want)


def statuses():
    event = path("rules", "ab-uc", "event")
    run("--fail-if=wall > 1h", event)
    run("--fail-if=wall > 1ms", event, status=3, told="1 of 1 rule failed or could not be evaluated")
    run("--fail-if=region no/such > 1ms", event, status=3, told="could not be evaluated")
    run("--fail-if=region no/such > 1ms or absent", event)
    run("--fail-if=wall > 1ms", "--", "sh", "-c", "exit 7", status=7)
    run("--fail-if=wall > 1ms", "--", "true", status=3, told="could not be evaluated")
    run("--fail-if=wall > 1h", path("nothing"), status=1, told="No such file")
    run("--fail-if=wal > 1h", event, status=2, told="--fail-if: column 1 of 'wal > 1h': expected wall,")
    run("--fail-if=compare wall > 5%", event, status=2, told="--compare=BASE")
    run("--format=junit", event, status=2, told="--fail-if=RULE or --rules=FILE")
    run("--fail-if=", event, status=2, told="--fail-if")
    with open(path("some.rules"), "w") as out:
        out.write("# a comment\n\n   # another\nwall > 1h\r\n  failed > 0\nwall p9 > 1s\n")
    run("--rules=" + path("some.rules"), event, status=2,
        told="some.rules:6: column 6 of 'wall p9 > 1s': expected one of")
    run("--rules=" + path("no.rules"), event, status=2, told="No such file")
    run("--rules=" + base, event, status=2, told="--rules: ")
    with open(path("nul.rules"), "wb") as out:
        out.write(b"wall > 1h\0\n")
    run("--rules=" + path("nul.rules"), event, status=2, told="NUL byte")
    with open(path("long.rules"), "wb") as out:
        out.write(b"#" * (1 << 20))
    run("--rules=" + path("long.rules"), event, status=0)
    with open(path("long.rules"), "ab") as out:
        out.write(b"#")
    run("--rules=" + path("long.rules"), event, status=2, told="larger than 1 MiB")


def bases():
    event = path("rules", "ab-uc", "event")
    for name, bytes_, told in (("empty", b"", "contains no ended run"),
                               ("noise", b"\0\xff\x1b[31m\n" * 1000, "nothing in it can be read"),
                               ("torn", b'{"schema":"trace2top-runs/1","sid":"s"', "contains no ended run"),
                               ("later", b'{"schema":"trace2top-runs/2"}\n', "contains no ended run")):
        with open(path(name), "wb") as out:
            out.write(bytes_)
        done = subprocess.run([top, "--no-config", "--once", "--compare=" + path(name), event],
                              capture_output=True, timeout=120)
        err = done.stderr.decode(errors="replace")
        if done.returncode != 2 or told not in err or "\x1b" in err or done.stdout:
            fail("base", name, done.returncode, err)
    run("--compare=" + path("nothing"), event, status=2, told="No such file")
    run("--compare=/dev/null", event, status=2, told="is not a file or directory")
    run("--compare=" + event, event)
    # Only a trace can be compared with a base, not a baseline file.
    run("--save-runs=" + path("mine"), event)
    run("--compare=" + path("mine"), path("mine"), status=1, told="it is a file of runs, which --compare=FILE takes")
    # A line over the limit is skipped, and the following lines are read.
    run("--save-runs=" + path("good"), event)
    with open(path("good")) as good, open(path("long"), "w") as out:
        line = good.read()
        out.write(line[:-2] + ',"later":"' + "x" * (17 << 20) + '"}\n' + line)
    got = report("--compare=" + path("long"), event, told="1 of 2 lines are not runs; line 1: longer than 16 MiB")
    if got["compare"]["groups"][0]["a"]["runs"] != 1:
        fail("the line after an oversized one is lost")
    run("--save-runs=" + path("no", "such"), event, status=1, told="cannot write the runs")


def texts():
    a, b = (path("compare", "ab-uc", which + ".event") for which in "AB")
    text = run("--compare=" + a, "--fail-if=wall > 1ms", "--fail-if=failed > 0", b, status=3, told="failed")
    for line in ("Comparison: base 30 runs, new 30 runs",
                 "  status                    97.7ms    82.9ms    -17.6 %   -31.9 .. +0.1    not significant (30 pairs)",
                 "    no significant difference; a change of more than 16 % would have shown.",
                 "    dir/read_directory                                    -30.4ms  significant",
                 "  passed                 0  failed > 0"):
        if line not in text.splitlines():
            fail("the text report does not contain", line)
    if text.splitlines()[-1] != "  failed            76.9ms  wall > 1ms  (30 samples)":
        fail("the text report ends in", text.splitlines()[-1])
    suite = xml.fromstring(run("--format=junit", "--fail-if=wall > 1ms", '--fail-if=region "a<&/\x1b" > 1s',
                               "--fail-if=failed > 0", b, status=3, told="failed")).find("testsuite")
    if (suite.get("tests"), suite.get("failures"), suite.get("errors")) != ("3", "1", "1"):
        fail("junit", suite.attrib)
    if [case.get("name") for case in suite] != ["wall > 1ms", 'region "a<&/^[" > 1s', "failed > 0"]:
        fail("junit", [case.get("name") for case in suite])


def screen(keys, *args):
    with open(path("keys"), "w") as out:
        out.write("\n".join(keys).replace("text\n", "text ") + "\n")
    done = subprocess.run([top, "--no-config", "--keys=" + path("keys"), "--dump=-", "--clock=events", *args],
                          capture_output=True, timeout=120, env=dict(os.environ, TZ="UTC", LC_ALL="C.UTF-8"))
    return done.stdout.decode()


def screens():
    """The page of the difference shows the same as the report, with links to the pairs and their processes."""
    a, b = (path("compare", "ab-uc", which + ".event") for which in "AB")
    for keys, lines in (
            ("D", ("▸status                  97.7ms 82.9ms -17.6 % -31.9 .. +0.1 not significant",
                   " ├─ dir/read_directory                 -30.4ms               significant",
                   " ├─ index/preload                      +8.79ms               not significant",
                   " └─ other parts                         +956µs",
                   "no significant difference; a change of more than 16 % would",
                   "Difference · base 30 runs, here 30")),
            ("D Enter", ("Pairs · status ", " 1-17 of 30 ",
                         "▸   1 55.9ms   ●     │                60.7ms    ●  │                   +4.79ms",
                         "dots from 33.9ms to 212ms; the lines are the medians, 97.7ms and 82.9ms")),
            ("D Down Enter", ("Pairs · status · dir/read_directory",
                              "    2 12.5ms   ●  │                   1.15ms ●                         -11.3ms")),
            ("D Enter Down Enter", ("Process · status 22356", "20261122T020255.901684Z-H89e495e7-P00005754")),
            # In the past, a process that has not ended yet is not a run.
            ("D @ text 02:02:56.9Z Enter", ("not comparable", "like a change of the command")),
            ("D @ text 02:02:56.9Z Enter End", ("not significant",))):
        text = screen(keys.split(), "--compare=" + a, b)
        for line in lines:
            if line not in text:
                fail(keys, "does not show", line, "but", text)
    text = screen(["D"], "--size=120x40", "--compare=" + a, b)
    for line in ("-30.4ms " + 24 * "█" + " ", "+8.79ms " + 7 * "█" + " "):
        if line not in text:
            fail("the bars of parts do not show", line, "but", text)
    text = screen(["D"], b)
    for line in ("Difference · base status 24129 02:03:01, new status 24154 02:03:02", "1 run each: differences may be chance"):
        if line not in text:
            fail("D without a base does not show", line, "but", text)
    text = screen(["D"], "--compare=" + path("compare", "apart-status", "A.event"), "--filter=name=fetch",
                  path("compare", "apart-status", "B.event"))
    if "only in base" not in text or "base 30 runs, here 0" not in text:
        fail("D with a filter:", text)
    run_file = path("of_a_screen")
    screen(["q"], "--save-runs=" + run_file, b)
    with open(run_file) as lines:
        if len(lines.readlines()) != 30:
            fail("a screen does not save its runs")


compare_cases()
rules_cases()
screens()
statuses()
bases()
texts()
sys.exit(bad)
