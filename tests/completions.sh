#!/bin/sh
# SPDX-License-Identifier: MIT
# The completions are the same with every awk, and Tab completes command lines in bash, zsh and
# fish, each on a terminal of its own.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
at=${abs_top_builddir:-$src/build}/man
[ -f "$at/bash/trace2top" ] || at=$src/man
[ -n "$PYTHON3" ] || exit 77
made=$(mktemp) || exit 99
trap 'rm -f "$made"' EXIT
rows=$(sed -n '/^MAN_TABLES = /,/[^\\]$/p' "$src/man/local.mk" | sed 's/^MAN_TABLES = //; s/\\$//')
[ -n "$rows" ] || { echo "man/local.mk has no MAN_TABLES"; exit 1; }
for awk in mawk gawk original-awk "busybox awk"; do
	command -v "${awk%% *}" >/dev/null || { echo "not installed: $awk"; continue; }
	for file in bash/trace2top zsh/_trace2top fish/trace2top.fish; do
		in=man/trace2top.${file%%/*}.in
		(cd "$src" && $awk -f man/rows.awk -f man/completions.awk $rows \
			monitor/attribute/states.def "$in") >"$made"
		cmp "$made" "$at/$file" || { echo "$awk makes a different $file"; exit 1; }
	done
done
timeout 100 "$PYTHON3" -S "$src/tests/completions.py" "$at"
