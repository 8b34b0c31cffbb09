#!/bin/sh
# SPDX-License-Identifier: MIT
# Three servers, each event is stored on all of them; the leader is killed. For check-long.
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
python=${PYTHON3:-python3}
[ -n "$CHECK_LONG" ] || { echo "only with make check-long"; exit 77; }
command -v "$python" >/dev/null || exit 77
command -v nats-server >/dev/null || { echo "no nats-server"; exit 77; }
"$builddir/trace2top" --version | grep -q '^nats: libnats' || { echo "built without NATS"; exit 77; }
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
PYTHONDONTWRITEBYTECODE=1 "$python" -S "$srcdir/tests/fleet_cluster.py" "$builddir/trace2top" "$dir"
