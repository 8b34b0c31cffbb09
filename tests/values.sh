#!/bin/sh
# SPDX-License-Identifier: MIT
# The report's "values" over every trace of tests/corpus.tar.xz and tests/data, compared with a tally
# that shares no code with the program; the table of CSV; and the text report.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
command -v xz >/dev/null || exit 77
[ -n "$PYTHON3" ] || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
"$src/tests/unpack.sh" corpus "$dir" || exit 99
gzip -dc "$dir/big/event.gz" | head -n 3000 >"$dir/big/event" && rm "$dir/big/event.gz" || exit 99
mkdir "$dir/torture" && cp "$src"/tests/data/torture/*.event "$dir/torture" || exit 99
PYTHONDONTWRITEBYTECODE=1 "$PYTHON3" -S "$src/tests/values.py" "$top" "$dir"
