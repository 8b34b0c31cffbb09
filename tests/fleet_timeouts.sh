#!/bin/sh
# SPDX-License-Identifier: MIT
# An agent whose messages are acknowledged late: the first two attempts of each never. valgrind
# checks its memory if it is installed. Few messages here; TIMEOUTS=1000 in check-long.
[ -n "${PYTHON3:-}" ] || exit 77
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
build=${abs_top_builddir:-$src/build}
command -v nats-server >/dev/null || { echo "skipped: no nats-server"; exit 77; }
"$build/trace2top" --version | grep -q '^nats: libnats' || { echo "skipped: built without NATS"; exit 77; }
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
PYTHONDONTWRITEBYTECODE=1 "$PYTHON3" -S "$src/tests/fleet_timeouts.py" "$build/tests/forward_timeouts" "$dir" "${TIMEOUTS:-20}"
