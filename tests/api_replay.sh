#!/bin/sh
# SPDX-License-Identifier: MIT
# The scripts of tests/api through libtrace2, compared with Git's output.
[ -n "$PYTHON3" ] || exit 77
exec "$PYTHON3" -S "$abs_top_srcdir/tests/api_replay.py" "$abs_top_builddir/tests/trace2_replay" \
	"$abs_top_srcdir/tests/api"
