#!/bin/sh
# SPDX-License-Identifier: MIT
# The reader gives the expected events for every Go trace of tests/formats.tar.xz, to the
# nanosecond, for any piece size: small traces in pieces of 7 bytes, half of the large ones of 4,096
# bytes. FORMATS_CUTS sets other sizes for all traces. Two large traces are read only with it: go1.22 and
# go1.26 have the same program.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
tool=${abs_top_builddir:-$src/build}/tests/read_events
command -v xz >/dev/null || exit 77
[ -n "$PYTHON3" ] || PYTHON3=python3
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
"$src/tests/unpack.sh" formats "$dir" go || exit 99
bad=0 nr=0
[ -n "$FORMATS_CUTS" ] || rm "$dir"/go/go1.2[45]-gc-gen2ms.* || exit 99
large=$(find "$dir/go" -name '*.trace' -size +68k)
for expected in "$dir"/go/*.expected.json "$dir"/go/trunc/*.expected.json; do
	trace=${expected%.expected.json}.trace events=${expected%.expected.json}.events
	"$tool" <"$trace" >"$events" 2>/dev/null
	nr=$((nr + 1)) cuts=
	case $large in
	*"$trace"*) [ $((nr % 2)) = 0 ] || cuts=4096 ;;
	*) cuts=7 ;;
	esac
	for cut in ${FORMATS_CUTS:-$cuts}; do
		"$tool" "$cut" <"$trace" >"$dir/cut" 2>/dev/null
		cmp -s "$events" "$dir/cut" || { echo "FAIL: ${trace#"$dir/"} in pieces of $cut"; bad=1; }
	done
done
PYTHONDONTWRITEBYTECODE=1 "$PYTHON3" -S "$src/tests/formats_go.py" "$dir/go" || bad=1
for trace in "$dir"/go/bad/*; do
	"$tool" <"$trace" 2>&1 >/dev/null | grep -q 'is too old; 1.22 or later is needed' ||
		{ echo "FAIL: ${trace#"$dir/"} is not told to be too old"; bad=1; }
done
exit $bad
