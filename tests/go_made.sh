#!/bin/sh
# SPDX-License-Identifier: MIT
# Go traces written by tests/go_wire.py with behaviour that no real program has shown, and one with
# many goroutines: all are read, within the memory limit.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
build=${abs_top_builddir:-$src/build}
[ -n "$PYTHON3" ] || PYTHON3=python3
command -v "$PYTHON3" >/dev/null || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
"$PYTHON3" -S "$src/tests/go_wire.py" check "$build/tests/read_events" || bad=1
# Tasks are not processes: main did not wait for them, and no command ran repeatedly.
"$PYTHON3" -S "$src/tests/go_wire.py" tasks 1000 >"$dir/tasks.trace" || exit 99
"$build/trace2top" --once --format=json --parts --findings "$dir/tasks.trace" >"$dir/report" || bad=1
"$PYTHON3" -S - "$dir/report" <<'END' || bad=1
import json, sys
report = json.load(open(sys.argv[1]))
assert len(report["processes"][0]["children"]) == 1000
held = [(p["kind"], p["category"], p["label"], round(p["time"] * 1e9)) for p in report["parts"]]
assert held[0] == ("region", "waiting", "chan receive", 64 * (2 + 15626 * 1000)), held
assert not [p for p in held if p[0] != "region"], held
assert not report["findings"], report["findings"]
END
# 100,000 live goroutines have one lane each.
"$PYTHON3" -S "$src/tests/go_wire.py" many 100000 >"$dir/many.trace" || exit 99
"$build/trace2top" --once --format=json "$dir/many.trace" >"$dir/report" || bad=1
"$PYTHON3" -S - "$dir/report" <<'END' || bad=1
import json, sys
totals = json.load(open(sys.argv[1]))["totals"]
# plus four that create them, four Ps, and the runtime
assert totals["threads"] == 100000 + 4 + 4 + 1, totals
assert totals["malformed"] == 0 and totals["untraced"] == 1, totals
END
# A screen keeps 10,000 threads: the first ones, including main, Ps and runtime.
"$build/trace2top" --once --format=json --max-processes=1000 "$dir/many.trace" >"$dir/report" || bad=1
"$PYTHON3" -S - "$dir/report" <<'END' || bad=1
import json, sys
report = json.load(open(sys.argv[1]))
names = [t["name"] for t in report["processes"][0]["threads"]]
assert len(names) == 10000 and names[-1] == "(other)", (len(names), names[-1])
assert {"runtime", "P0", "P1", "P2", "P3", "G1 main.main"} <= set(names), names[:20]
assert report["totals"]["threads"] == 100000 + 4 + 4 + 1, report["totals"]
END
exit $bad
