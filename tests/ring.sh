#!/bin/sh
# SPDX-License-Identifier: MIT
# Rings, from the programs that write them to trace2top's output. RING_KILLS=200: the full number of
# deaths.
[ -n "$PYTHON3" ] || exit 77
[ -z "$PORTABLE" ] || { echo "skipped: the portable build writes no rings"; exit 77; }
exec "$PYTHON3" -S "$abs_top_srcdir/tests/ring.py" "$abs_top_builddir/trace2top" \
	"$abs_top_builddir/tests/ring_host" "$abs_top_builddir/tests/trace2_replay" \
	"$abs_top_srcdir/tests/api"
