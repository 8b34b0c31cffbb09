#!/bin/sh
# SPDX-License-Identifier: MIT
# The report's "over_time" and "totals.untimed": the figures of tests/over-time.tar.xz, made by a
# second implementation, and its rules for other traces, orders of files, limits and evictions.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
command -v xz >/dev/null || exit 77
[ -n "$PYTHON3" ] || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
for archive in over-time corpus formats; do
	"$src/tests/unpack.sh" $archive "$dir" || exit 99
done
awk -f "$src/tests/hour.awk" </dev/null >"$dir/hour.event" || exit 99
PYTHONDONTWRITEBYTECODE=1 "$PYTHON3" -S "$src/tests/over_time.py" "$top" "$dir" "$src/tests/data"
