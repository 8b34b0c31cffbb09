#!/bin/sh
# SPDX-License-Identifier: MIT
# --remote over an sshd of the test (remote.py); REMOTE_STALL: for how many seconds ssh is stopped.
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
python=${PYTHON3:-python3}
PATH=$PATH:/usr/sbin:/sbin
for tool in "$python" xz git ssh ssh-keygen sshd; do
	command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
dir=$(mktemp -d /tmp/t2re-XXXXXX) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
mkdir "$dir/c" && "$srcdir/tests/unpack.sh" corpus "$dir/c" || exit 99
PYTHONDONTWRITEBYTECODE=1 "$python" -S "$srcdir/tests/remote.py" "$builddir/trace2top" "$dir/t" \
	"$dir/c/fetch/v2.39/event" "$dir/c/errors/v2.55/event" "$dir/c/deviants/repo" "${REMOTE_STALL:-0.2}"
