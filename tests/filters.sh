#!/bin/sh
# SPDX-License-Identifier: MIT
# The filter's conformance table: the same rows with --filter --once, on the screen, by the
# command line and by the prompt, and in the event log.
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
python=${PYTHON3:-python3}
command -v "$python" >/dev/null || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
PYTHONDONTWRITEBYTECODE=1 "$python" "$srcdir/tests/filters.py" "$builddir/trace2top" \
	"$srcdir/tests/screens/scene.event" "$dir"
