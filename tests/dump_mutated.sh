#!/bin/sh
# SPDX-License-Identifier: MIT
# Mutated traces under random keys; see dump_mutated.py.
src=${abs_top_srcdir:-.}/tests
[ -n "${PYTHON3:-}" ] || exit 77
exec "$PYTHON3" -S "$src/dump_mutated.py" "${abs_top_builddir:-.}/trace2top" 150 1 \
	"$src"/data/dump.event "$src"/data/torture/*.event
