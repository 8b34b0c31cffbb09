#!/bin/sh
# SPDX-License-Identifier: MIT
# Seek to random positions of real events, multiplied from the data of the benchmarks: each state
# equals a replay up to there. Once as one file, once as a directory of files that are read newest
# first. `make check` uses a few positions of 4 MB, `make check-long` a thousand of 50 MB
# (PAST_MB=N, PAST_INSTANTS=N, PAST_SEED=N to repeat).
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
command -v xz >/dev/null || exit 77
trace=$(mktemp) || exit 99
trap 'rm -f "$trace"' EXIT
xz -dc "$srcdir/bench/data/git.event.xz" | "$builddir/bench/gen" "${PAST_MB:-4}" >"$trace" || exit 99
for way in "" newest-first; do
	"$builddir/tests/lookback_instants" "${PAST_INSTANTS:-40}" "${PAST_SEED:-20261121}" $way \
		<"$trace" || exit 1
done
