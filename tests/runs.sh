#!/bin/sh
# SPDX-License-Identifier: MIT
# Saving, comparing and evaluating runs: sets of Git's with exact expected figures, invalid
# baseline files, exit statuses; and shuffles of sets of one command (all with `make check-long`).
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
python=${PYTHON3:-python3}
command -v "$python" >/dev/null && command -v xz >/dev/null || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
"$srcdir/tests/unpack.sh" runs "$dir" || exit 99
PYTHONDONTWRITEBYTECODE=1 "$python" -S "$srcdir/tests/runs.py" "$builddir" "$dir" "${SHUFFLES:-300}"
