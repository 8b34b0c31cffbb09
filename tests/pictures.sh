#!/bin/sh
# SPDX-License-Identifier: MIT
# A dump as a picture: well-formed in every theme, with the words of the text that is dumped of the
# same screen, in their places; also of a trace that is full of markup.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
[ -n "$PYTHON3" ] || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
export TZ=UTC LC_ALL=C.UTF-8
cp "$src/tests/data/dump.event" "$dir/fetch.event" || exit 99
cd "$dir" || exit 99

# picture PAGE SIZE THEME FILE TRACE
picture() {
	"$top" --page="$1" --size="$2" --theme="$3" --clock=EVENTS --dump="$4" "$5"
}

sed 's/fetch_refs/<a \&"b">\&amp;/g; s/"msg":"[^"]*"/"msg":"\\u001b[31m<\/svg>"/' fetch.event >markup.event
for trace in fetch.event markup.event; do
	themes='dark light colour-blind mono'
	for page in processes timings events timeline flame summary help; do
		for theme in $themes; do
			picture $page 100x30 $theme out.svg $trace && picture $page 100x30 $theme out $trace &&
				"$PYTHON3" "$src/tests/pictures.py" out.svg out ||
				{ echo "pictures: $trace $page $theme"; bad=1; }
		done
		themes=dark
	done
done
grep -q 'fill="#ffffff"' out.svg && { echo "pictures: mono is light"; bad=1; }
printf 'dump\n' >keys
"$top" --keys=keys --dump=out.svg fetch.event 2>said && { echo "pictures: two screens in one picture"; bad=1; }
grep -q 'leave out this line' said || { echo "pictures: nothing is said of the second screen"; bad=1; }
exit $bad
