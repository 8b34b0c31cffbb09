#!/bin/sh
# SPDX-License-Identifier: MIT
# A dump as a picture: well-formed XML in every theme, with the words of the text dump of the same
# screen in their places; also for a trace that is full of markup. The pictures of docs/pictures are
# current, and each is shown by README.md or docs/TOUR.md; GOLDEN_UPDATE writes them again. So is the
# animation that tests/film.keys makes.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
[ -n "$PYTHON3" ] || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
export TZ=UTC LC_ALL=C.UTF-8
cp "$src/tests/data/dump.event" "$dir/fetch.event" || exit 99
cd "$dir" || exit 99

picture() {
	"$top" --page="$1" --size="$2" --theme="$3" --clock=EVENTS --dump="$4" "$5"
}

sed 's/fetch_refs/<a \&"b">\&amp;/g; s/"msg":"[^"]*"/"msg":"\\u001b[31m<\/svg>"/' fetch.event >markup.event
for trace in fetch.event markup.event; do
	themes='dark light colour-blind mono'
	for page in processes timings events timeline flame summary help; do
		for theme in $themes; do
			picture $page 100x30 $theme out.svg $trace && picture $page 100x30 $theme out $trace &&
				"$PYTHON3" -S "$src/tests/pictures.py" out.svg out ||
				{ echo "pictures: $trace $page $theme"; bad=1; }
		done
		themes=dark
	done
done
grep -q 'fill="#ffffff"' out.svg && { echo "pictures: mono is light"; bad=1; }
printf 'dump\n' >keys
"$top" --keys=keys --dump=out.svg fetch.event 2>said && { echo "pictures: one picture has two screens"; bad=1; }
grep -q 'remove this line' said || { echo "pictures: no message about the second screen"; bad=1; }

# The memory for looking back depends on the machine.
unheld() {
	sed 's|<text[^>]*>hist</text>||; s|<text[^>]*>[0-9.]*[KMG]/[0-9.]*[KMG]</text>||' "$1"
}

command -v xz >/dev/null || exit $((bad ? bad : 77))
xz -dc "$src/examples/pull.event.xz" >pull.event || exit 99
while read -r name size keys; do
	case $name in '' | '#'*) continue ;; esac
	printf '%s\n' $keys >keys
	"$top" --keys=keys --size="$size" --theme=dark --clock=EVENTS --dump=now.svg pull.event || exit 1
	unheld now.svg >"$name.svg"
	picture=docs/pictures/$name.svg
	[ -z "$GOLDEN_UPDATE" ] || cp "$name.svg" "$src/$picture"
	cmp "$name.svg" "$src/$picture" || { echo "$picture is outdated; run make pictures"; bad=1; }
	grep -q "pictures/$name.svg" "$src/README.md" "$src/docs/TOUR.md" || { echo "no document shows $picture"; bad=1; }
	echo "$name.svg" >>drawn
done <"$src/tests/pictures.tasks"
"$top" --keys="$src/tests/film.keys" --size=110x30 --theme=dark --clock=EVENTS --dump=now.svg pull.event || exit 1
unheld now.svg >film.svg
[ -z "$GOLDEN_UPDATE" ] || cp film.svg "$src/docs/pictures/film.svg"
cmp film.svg "$src/docs/pictures/film.svg" || { echo "docs/pictures/film.svg is outdated; run make pictures"; bad=1; }
echo film.svg >>drawn
"$PYTHON3" -S "$src/tests/film.py" film.svg 20 || bad=1
printf 'frame 1\n' >keys
"$top" --keys=keys --dump=- fetch.event 2>said && { echo "pictures: frames without a file"; bad=1; }
grep -q 'need an SVG file' said || { echo "pictures: no message about frames as text"; bad=1; }
printf 'frame 1\nresize 50x20\nframe 1\n' >keys
"$top" --keys=keys --dump=out.svg fetch.event 2>said && { echo "pictures: an animation has two sizes"; bad=1; }
grep -q ':3: an animation has one size' said || { echo "pictures: no message about two sizes"; bad=1; }
for wrong in 0 -1 x 1x 5000 ''; do
	printf 'frame %s\n' "$wrong" >keys
	"$top" --keys=keys --dump=out.svg fetch.event 2>said && { echo "pictures: frame $wrong is accepted"; bad=1; }
	grep -q 'number of seconds' said || { echo "pictures: no message about frame $wrong"; bad=1; }
done
shown=$(grep -ho 'pictures/[a-z-]*\.svg' "$src/README.md" "$src/docs/TOUR.md" | sed 's|.*/||' | sort -u)
[ "$shown" = "$(sort -u drawn)" ] || { echo "documents show $shown, but drawn are $(cat drawn)"; bad=1; }
exit $bad
