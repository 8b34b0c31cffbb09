#!/bin/sh
# SPDX-License-Identifier: MIT
# Text that --redact=text lets through, for every trace of tests/corpus.tar.xz; REDACT_MARKED=0 puts
# markers into all events.
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
python=${PYTHON3:-python3}
command -v "$python" >/dev/null && command -v xz >/dev/null || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
"$srcdir/tests/unpack.sh" corpus "$dir" || exit 99
mkdir "$dir/torture" && cp "$srcdir"/tests/data/torture/*.event "$dir/torture" || exit 99
[ "${REDACT_MARKED:-}" != 0 ] || gzip -dc "$dir/big/event.gz" >"$dir/big/event" || exit 99
PYTHONDONTWRITEBYTECODE=1 "$python" -S "$srcdir/tests/redact.py" "$builddir/trace2top" "$srcdir" "$dir" \
	"${REDACT_MARKED:-200}"
