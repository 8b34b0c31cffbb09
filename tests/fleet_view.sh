#!/bin/sh
# SPDX-License-Identifier: MIT
# A viewer reads simulated agents through a real nats-server.
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
python=${PYTHON3:-python3}
command -v "$python" >/dev/null && command -v xz >/dev/null || exit 77
command -v nats-server >/dev/null || { echo "no nats-server"; exit 77; }
command -v zstd >/dev/null || { echo "no zstd"; exit 77; }
"$builddir/trace2top" --version | grep -q '^nats: libnats' || { echo "built without NATS"; exit 77; }
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
"$srcdir/tests/unpack.sh" corpus "$dir" || exit 99
PYTHONDONTWRITEBYTECODE=1 "$python" -S "$srcdir/tests/fleet_view.py" "$builddir/trace2top" "$dir" "$srcdir"
