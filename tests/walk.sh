#!/bin/sh
# SPDX-License-Identifier: MIT
# The walk of walk.keys gives the screens of walk.screens, which docs/TOUR.md shows; the README shows
# the first of test_ui's.
# With GOLDEN_UPDATE both are written anew. What memory is held depends on the machine: it is cut.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
command -v xz >/dev/null || exit 77
locale -a 2>/dev/null | grep -qi '^c\.utf-\?8$' || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
xz -dc "$src/tests/corpus.tar.xz" | tar -xf - -C "$dir" ./fetch/v2.55/event ./threads/v2.55/event ||
	exit 99
mv "$dir/fetch/v2.55/event" "$dir/fetch.event" && mv "$dir/threads/v2.55/event" "$dir/checkout.event" &&
	cd "$dir" || exit 99
unset LC_ALL
TZ=UTC LC_CTYPE=C.UTF-8 "$top" --keys="$src/tests/walk.keys" --dump=- --clock=EVENTS \
	fetch.event checkout.event | sed 's/  mem .*//' >screens || exit 1
[ -z "$GOLDEN_UPDATE" ] || cp screens "$src/tests/walk.screens"
diff -u "$src/tests/walk.screens" screens || exit 1

# shown_as NAME DOCUMENT FILE: what stands between the marks of NAME in the document is FILE.
shown_as() {
	begin="<!-- $1 -->" end="<!-- end of the $1 -->" document=$src/$2
	if [ -n "$GOLDEN_UPDATE" ]; then
		{ sed "/^$begin\$/q" "$document"; cat "$3"; sed -n "/^$end\$/,\$p" "$document"; } >document.new &&
			cp document.new "$document"
	fi
	sed -n "/^$begin\$/,/^$end\$/p" "$document" | sed '1d;$d' >shown
	diff -u shown "$3" || { echo "the $1 of $2 is not what is drawn: make golden-update"; exit 1; }
}

# The tour: each screen under its question, set off as code.
sed 's/^\(.\)/    \1/; s/^    == \(.*\)/\n**\1**\n/' screens | sed '1{/^$/d}' >tour
shown_as tour docs/TOUR.md tour
# The first screen is one of test_ui's, without its styles.
sed '/^[0-9]*: /,$d; s/^/    /' "$src/tests/screens/front-116x22.screen" >front
shown_as screen README.md front
echo "$(grep -c '^== ' screens) screens"
