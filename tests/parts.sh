#!/bin/sh
# SPDX-License-Identifier: MIT
# --parts, to the microsecond: traces worked out by hand, and traces of Git.
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
python=${PYTHON3:-python3}
command -v "$python" >/dev/null && command -v xz >/dev/null || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
"$srcdir/tests/unpack.sh" insight "$dir" || exit 99
PYTHONDONTWRITEBYTECODE=1 "$python" -S "$srcdir/tests/parts.py" "$builddir/trace2top" "$dir/insight"
