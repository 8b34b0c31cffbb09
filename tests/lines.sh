#!/bin/sh
# SPDX-License-Identifier: MIT
# --lines of the real program: on pipes and dumb terminals, with a socket, a file, a pipe and a
# command.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
[ -n "$PYTHON3" ] || exit 77
exec timeout 120 "$PYTHON3" -S "$src/tests/lines.py" "$top"
