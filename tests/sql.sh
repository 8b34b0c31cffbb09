#!/bin/sh
# SPDX-License-Identifier: MIT
# --sql: the same bytes as sqlite3(1) on the exported file, for the stored queries and others; the
# JSON form; refused and hostile queries; filters; what the screen and the line mode show.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
command -v xz >/dev/null && command -v sqlite3 >/dev/null || exit 77
[ -n "$PYTHON3" ] || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
"$top" --version | grep -q '^sqlite: not supported' && {
	"$top" --no-config --once --sql='SELECT 1' "$src/tests/data/dump.event" 2>"$dir/err"
	[ $? = 2 ] && grep -q 'queries need libsqlite3 (Debian: libsqlite3-dev)' "$dir/err" && [ "$(wc -l <"$dir/err")" = 1 ] && exit 77
	cat "$dir/err"
	exit 1
}
"$src/tests/unpack.sh" corpus "$dir" || exit 99
PYTHONDONTWRITEBYTECODE=1 "$PYTHON3" -S "$src/tests/sql.py" "$top" "$dir" "$src"
