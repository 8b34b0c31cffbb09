#!/bin/sh
# SPDX-License-Identifier: MIT
# The reader gives the activity of the simulated program for every TraceLog of tests/formats.tar.xz:
# self times by function, frames, collections, compilations, CPU, allocations, and damaged lines. The
# piece size does not change the result.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
tool=${abs_top_builddir:-$src/build}/tests/read_events
command -v xz >/dev/null || exit 77
[ -n "$PYTHON3" ] || PYTHON3=python3
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
"$src/tests/unpack.sh" formats "$dir" tracelog || exit 99
bad=0 nr=0
for log in "$dir"/tracelog/*.log; do
	truth=${log%.log}.truth.json
	[ -f "$truth" ] || truth=${log%.log}.EXPECTED.json
	nr=$((nr + 1))
	"$tool" <"$log" >"$dir/whole" 2>"$dir/said"
	if ! "$PYTHON3" -S "$src/tests/formats_tracelog.py" "$truth" <"$dir/whole" >"$dir/why" 2>&1; then
		echo "FAIL: ${log##*/}"
		cat "$dir/why" "$dir/said"
		bad=1
	fi
	for cut in 1 7 4096; do
		"$tool" "$cut" <"$log" >"$dir/cut" 2>/dev/null
		cmp -s "$dir/whole" "$dir/cut" || { echo "FAIL: ${log##*/} in pieces of $cut"; bad=1; }
	done
done
[ "$nr" -eq 15 ] || { echo "FAIL: $nr logs, not 15"; bad=1; }
exit $bad
