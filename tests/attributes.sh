#!/bin/sh
# SPDX-License-Identifier: MIT
# --group-by and --difference: the figures of tests/attributes.json.xz, made by a second
# implementation. Groups add up to the whole for traces of Git and of Go. Bad arguments.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
command -v xz >/dev/null || exit 77
[ -n "$PYTHON3" ] || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
for archive in over-time corpus formats; do
	"$src/tests/unpack.sh" $archive "$dir" || exit 99
done
xz -dc "$src/tests/attributes.json.xz" >"$dir/attributes.json" || exit 99
PYTHONDONTWRITEBYTECODE=1 "$PYTHON3" -S "$src/tests/attributes.py" "$top" "$dir"
