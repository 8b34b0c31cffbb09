#!/bin/sh
# SPDX-License-Identifier: MIT
# Hostile traces; see hostile.py.
[ -n "${PYTHON3:-}" ] || exit 77
locale -a 2>/dev/null | grep -qi '^c\.utf-\?8$' || exit 77
LC_ALL=C.UTF-8
export LC_ALL
exec "$PYTHON3" -S "${abs_top_srcdir:-.}/tests/hostile.py" "${abs_top_builddir:-.}/trace2top" \
	"${abs_top_srcdir:-.}/engine"
