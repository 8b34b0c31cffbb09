#!/bin/sh
# SPDX-License-Identifier: MIT
# Findings: the expected ones in Git's own traces, and a synthetic pair of traces per finding.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
command -v xz >/dev/null || exit 77
[ -n "$PYTHON3" ] || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
"$src/tests/unpack.sh" insight "$dir" || exit 99
TMPDIR=$dir "$PYTHON3" -S "$src/tests/findings.py" "$top" "$dir/insight" "$src/monitor/analysis/findings.def"
