#!/bin/sh
# SPDX-License-Identifier: MIT
# --attach and --detach (attach.py). ATTACH_KILLS: number of kills at a random moment;
# ATTACH_CONFIGS: number of generated configuration files, at most 1,448; ATTACH_ALL=1: monitors end in
# every order.
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
python=${PYTHON3:-python3}
command -v "$python" >/dev/null && command -v git >/dev/null || exit 77
dir=$(mktemp -d /tmp/t2at-XXXXXX) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
PYTHONDONTWRITEBYTECODE=1 "$python" -S "$srcdir/tests/attach.py" "$builddir/trace2top" "$dir/t" "${ATTACH_KILLS:-9}"
