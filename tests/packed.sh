#!/bin/sh
# SPDX-License-Identifier: MIT
# Compressed input gives the same events as plain input; see packed.py.
[ -n "${PYTHON3:-}" ] && command -v xz >/dev/null || exit 77
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
"$src/tests/unpack.sh" formats "$dir" packed || exit 99
"$PYTHON3" -S "$src/tests/packed.py" "${abs_top_builddir:-$src/build}/trace2top" "$dir/packed"
