#!/bin/sh
# SPDX-License-Identifier: MIT
# The PERF and NORMAL readers give the same events as the EVENT trace of each run of Git in
# tests/formats.tar.xz, for any piece size: 7 or 4,096 bytes in turn; FORMATS_CUTS sets others.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
tool=${abs_top_builddir:-$src/build}/tests/read_events
command -v xz >/dev/null || exit 77
[ -n "$PYTHON3" ] || PYTHON3=python3
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
"$src/tests/unpack.sh" formats "$dir" text || exit 99
bad=0 nr=0
for run in "$dir"/text/*; do
	for format in perf normal; do
		nr=$((nr + 1))
		"$tool" <"$run/$format" >"$dir/whole" 2>"$dir/said"
		if ! "$PYTHON3" -S "$src/tests/formats_text.py" $format "$run/expected.json" <"$dir/whole" >"$dir/why"
		then
			echo "FAIL: ${run##*/} $format"
			cat "$dir/why" "$dir/said"
			bad=1
		fi
		# One size in turn, so that each format has both.
		[ $(((nr + nr / 2) % 2)) = 0 ] && cuts=7 || cuts=4096
		for cut in ${FORMATS_CUTS:-$cuts}; do
			"$tool" "$cut" <"$run/$format" >"$dir/cut" 2>/dev/null
			cmp -s "$dir/whole" "$dir/cut" || { echo "FAIL: ${run##*/} $format in pieces of $cut"; bad=1; }
		done
	done
done
[ "$nr" -eq 24 ] || { echo "FAIL: $nr cases"; bad=1; }
exit $bad
