#!/bin/sh
# SPDX-License-Identifier: MIT
# A recording gives the same report as its source; see recording.py. RECORDING_CUTS,
# RECORDING_KILLS and RECORDING_LINES (of the long trace): how many; RECORDING_ALL=1: over every trace.
[ -n "${PYTHON3:-}" ] && command -v xz >/dev/null || exit 77
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
mkdir "$dir/traces" "$dir/work" || exit 99
"$src/tests/unpack.sh" corpus "$dir/traces" || exit 99
"$src/tests/unpack.sh" formats "$dir/traces" || exit 99
gzip -dc "$dir/traces/big/event.gz" | head -n "${RECORDING_LINES:-5000}" >"$dir/traces/big.event" || exit 99
PYTHONDONTWRITEBYTECODE=1 "$PYTHON3" -S "$src/tests/recording.py" \
	"${abs_top_builddir:-$src/build}/trace2top" "$dir/traces" "$dir/work"
