#!/bin/sh
# SPDX-License-Identifier: MIT
# The program of `make static` (static.py): its size; a report, a screen and a recording in an empty
# root directory; --remote copies it to a host without trace2top. For check-long: it compiles the
# whole program.
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
python=${PYTHON3:-python3}
for tool in "$python" infocmp unshare sha1sum; do
	command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
[ -z "$SANITIZED" ] || { echo "skipped: sanitizers need shared libraries"; exit 77; }
unshare -r true 2>/dev/null || { echo "skipped: no user namespaces"; exit 77; }
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
unset MAKEFLAGS MFLAGS
${MAKE:-make} -s -C "$builddir" static >"$dir/log" 2>&1 || { tail -20 "$dir/log"; exit 1; }
PYTHONDONTWRITEBYTECODE=1 "$python" -S "$srcdir/tests/static.py" "$builddir/static/trace2top" "$dir" \
	"$srcdir/examples/pull.event.xz"
