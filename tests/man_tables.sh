#!/bin/sh
# SPDX-License-Identifier: MIT
# The tables of trace2(5) are those of the schema, and libtrace2(3) names every call of trace2.h.
# With UPDATE=1 the tables are put into the page.
top="$abs_top_srcdir" page="$abs_top_srcdir/man/trace2.5"
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
"$abs_top_builddir/tests/schema_tables" >"$tmp/lines" || exit 1
LC_ALL=C awk -f "$abs_top_srcdir/man/fold.awk" "$tmp/lines" >"$tmp/tables" || exit 1
if [ -n "$UPDATE" ]; then
	awk -v tables="$tmp/tables" '
	/^\.\\" BEGIN / { name = $3; skip = 1; on = 0
		while ((getline line < tables) > 0) {
			if (line == ".\\\" BEGIN " name) on = 1
			if (on) print line
			if (line == ".\\\" END " name) on = 0
		}
		close(tables) }
	!skip { print }
	/^\.\\" END / { skip = 0 }' "$page" >"$tmp/page" && cat "$tmp/page" >"$page"
fi
awk '/^\.\\" BEGIN /{on=1} on{print} /^\.\\" END /{on=0}' "$page" >"$tmp/in-page"
cmp -s "$tmp/tables" "$tmp/in-page" || {
	echo "man/trace2.5 differs from the schema; run tests/man_tables.sh with UPDATE=1"
	diff "$tmp/in-page" "$tmp/tables" | head -20
	exit 1
}
for name in $(grep -oE '^#define trace2_[a-z0-9_]+[a-z0-9]\(' "$top/engine/trace2.h" | sed 's/#define //; s/($//'); do
	grep -q "$name" "$top/man/libtrace2.3" || { echo "man/libtrace2.3 does not name $name"; exit 1; }
done
