#!/bin/sh
# SPDX-License-Identifier: MIT
# Go traces as the runtime wrote them, with the time of each write (tests/formats.tar.xz, *.chunks).
# Through a pipe and a FIFO the report is that of the whole file, except for names of the source. A
# growing file is followed, as on a screen, up to its end.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
build=${abs_top_builddir:-$src/build}
command -v xz >/dev/null || exit 77
[ -n "$PYTHON3" ] || PYTHON3=python3
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
"$src/tests/unpack.sh" formats "$dir" go || exit 99
cat >"$dir/play.py" <<'END'
import sys, time
trace, chunks = open(sys.argv[1], "rb").read(), open(sys.argv[1] + ".chunks").read().split("\n")
begun = time.monotonic_ns()
for line in filter(None, chunks):
    at, size, ns = map(int, line.split())
    wait = ns - (time.monotonic_ns() - begun)
    if wait > 0:
        time.sleep(wait / 1e9)
    sys.stdout.buffer.write(trace[at:at + size])
    sys.stdout.buffer.flush()
END
# The report's fields about the program: its name, start time and source depend on the stream. So
# does the second in which it began.
figures() {
	sed -n '/^Totals/,$p' | sed '/^Over time/,/^$/d' | sed -e 's/stdin@[0-9a-f]*/NAME/; s/stdin/NAME/; s/fifo@[0-9a-f]*/NAME/; s/fifo/NAME/' \
		-e 's/20[0-9-]*T[0-9:.]*Z/TIME/g' \
		-e "s/$1@[0-9a-f]*/NAME/; s/$1/NAME/" -e 's/  *$//; s/   */  /g'
}
bad=0 nr=0
# In real time: only short traces, unless LIVE_GO_NS sets the maximum.
short=$(awk -F '\t' -v max="${LIVE_GO_NS:-30000000}" '
	function note() { if (file && time < max) print substr(file, 1, length(file) - 7) }
	FNR == 1 { note() }
	{ file = FILENAME; time = $3 + 0 }
	END { note() }' "$dir"/go/*.trace.chunks)
for trace in $short; do
	name=${trace##*/}
	nr=$((nr + 1))
	"$build/trace2top" --once "$trace" 2>/dev/null | figures "$name" >"$dir/whole"
	"$PYTHON3" -S "$dir/play.py" "$trace" | "$build/trace2top" --once - 2>/dev/null | figures "$name" >"$dir/pipe"
	cmp -s "$dir/whole" "$dir/pipe" || { echo "FAIL: $name through a pipe"; diff "$dir/whole" "$dir/pipe" | head -n 10; bad=1; }
done
[ "$nr" -gt 2 ] || { echo "FAIL: only $nr traces were played"; bad=1; }
cat >"$dir/same.py" <<'END'
import json, sys
def happened(path):
    report = json.load(open(path))
    return (report["totals"]["events"], report["totals"]["regions"], report["timings"],
            [(len(p["threads"]), p.get("regions")) for p in report["processes"]])
sys.exit(happened(sys.argv[1]) != happened(sys.argv[2]))
END
mkfifo "$dir/commands" || exit 99
for trace in $short; do
	case $trace in */go1.2[26]-*) ;; *) continue ;; esac
	"$build/trace2top" --once --format=json "$trace" >"$dir/whole.json" 2>/dev/null
	: >"$dir/grows"
	"$build/trace2top" --lines "$dir/grows" <"$dir/commands" >"$dir/lines" 2>&1 &
	exec 3>"$dir/commands"
	"$PYTHON3" -S "$dir/play.py" "$trace" >>"$dir/grows"
	same=
	for i in $(seq 600); do
		echo "write json $dir/grown$i.json" >&3
		until grep -q "written to .*grown$i.json" "$dir/lines"; do sleep 0.05; done
		"$PYTHON3" -S "$dir/same.py" "$dir/whole.json" "$dir/grown$i.json" && same=1 && break
		sleep 0.1
	done
	exec 3>&-
	kill $! 2>/dev/null
	wait $!
	rm -f "$dir"/grown*.json
	[ "$same" ] || { echo "FAIL: $(basename "$trace") as a file that grows"; bad=1; }
done
mkfifo "$dir/fifo" || exit 99
trace=$dir/go/go1.26-iter.trace
"$PYTHON3" -S "$dir/play.py" "$trace" >"$dir/fifo" &
"$build/trace2top" --once "$dir/fifo" 2>/dev/null | figures fifo >"$dir/pipe"
"$build/trace2top" --once "$trace" 2>/dev/null | figures "$(basename "$trace")" >"$dir/whole"
cmp -s "$dir/whole" "$dir/pipe" || { echo "FAIL: through a FIFO"; diff "$dir/whole" "$dir/pipe" | head -n 10; bad=1; }
wait
exit $bad
