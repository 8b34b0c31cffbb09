#!/bin/sh
# SPDX-License-Identifier: MIT
# Compare the JSON report with an independent tally, over every trace of tests/corpus.tar.xz and
# tests/data/torture. contract.sh CASE... compares only the cases whose name contains a CASE.
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
python=${PYTHON3:-python3}
command -v "$python" >/dev/null && command -v xz >/dev/null || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
"$srcdir/tests/unpack.sh" corpus "$dir" || exit 99
mkdir "$dir/torture" && cp "$srcdir"/tests/data/torture/*.event "$dir/torture" || exit 99
# Only a part of the long trace is used: BIG_LINES lines, 0 for all.
gzip -dc "$dir/big/event.gz" | if [ "${BIG_LINES:-3000}" = 0 ]; then cat; else head -n "${BIG_LINES:-3000}"; fi >"$dir/big/event"
[ -s "$dir/big/event" ] || exit 99
PYTHONDONTWRITEBYTECODE=1 "$python" -S "$srcdir/tests/contract.py" "$builddir/trace2top" "$dir" "$@"
