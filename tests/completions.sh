#!/bin/sh
# SPDX-License-Identifier: MIT
# What Tab makes of a command line in bash, zsh and fish, each at a terminal of its own.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
at=${abs_top_builddir:-$src/build}/man
[ -f "$at/bash/trace2top" ] || at=$src/man
[ -n "$PYTHON3" ] || exit 77
exec timeout 100 "$PYTHON3" "$src/tests/completions.py" "$at"
