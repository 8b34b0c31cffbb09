#!/bin/sh
# SPDX-License-Identifier: MIT
# Checks that the keys of tour.tasks answer their questions and that walk.keys gives walk.screens;
# docs/TOUR.md shows both, and the session of walk.lines. With GOLDEN_UPDATE all are rewritten. The
# size of the history depends on the machine, so it is cut off.
#   tests/walk.sh DIR    only creates the traces of the tour in DIR
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
command -v xz >/dev/null || exit 77
locale -a 2>/dev/null | grep -qi '^c\.utf-\?8$' || exit 77
traces() {
	"$src/tests/unpack.sh" corpus "$1" ./fetch/v2.55/event ./threads/v2.55/event &&
		mv "$1/fetch/v2.55/event" "$1/fetch.event" && mv "$1/threads/v2.55/event" "$1/checkout.event" &&
		rm -r "$1/fetch" "$1/threads" && "$src/tests/unpack.sh" slow_status "$1" &&
		cp "$src/tests/data/dump.event" "$1" && cp "$src/tests/screens/findings.event" "$1/repositories.event" && awk -f "$src/tests/hour.awk" </dev/null >"$1/hour.event" &&
		awk -f "$src/tests/causes.awk" </dev/null >"$1/causes.event" &&
		awk -v slower=430 -f "$src/tests/hour.awk" </dev/null >"$1/slower.event" &&
		sed 40q "$1/dump.event" >"$1/now.event"
}

# fleet DIR: create fleet.rec as sent by three agents, and users.rec of two users. Needs zstd.
fleet() {
	"${top%/*}/tests/fleet_recording" "uid:0=$1/now.event" "uid:12345=$1/slow.event" >"$1/users.rec" || return
	"${top%/*}/tests/fleet_recording" "lab.build-01=$1/fetch.event" "lab.build-02=$1/hour.event" \
		"lab.build-03=$1/checkout.event" >"$1/fleet.rec"
}

if [ -n "$1" ]; then
	mkdir -p "$1" && traces "$1" && { [ ! -x "${top%/*}/tests/fleet_recording" ] || fleet "$1"; }
	exit
fi
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
traces "$dir" && cd "$dir" || exit 99
fleet . || exit
unset LC_ALL
bad=0

# screens OPTIONS FILES: print the screens that the file `keys` dumps.
screens() {
	TZ=UTC LC_CTYPE=C.UTF-8 "$top" --keys=keys --dump=- --clock=EVENTS "$@"
}

# shown_as NAME DOCUMENT FILE: the document contains FILE between the marks of NAME.
shown_as() {
	begin="<!-- $1 -->" end="<!-- end of the $1 -->" document=$src/$2
	if [ -n "$GOLDEN_UPDATE" ]; then
		{ sed "/^$begin\$/q" "$document"; cat "$3"; sed -n "/^$end\$/,\$p" "$document"; } >document.new &&
			cp document.new "$document"
	fi
	sed -n "/^$begin\$/,/^$end\$/p" "$document" | sed '1d;$d' >shown
	diff -u shown "$3" || { echo "the $1 of $2 differs from the screen: make golden-update"; exit 1; }
}

counted() {
	awk '
		/^text / { text = substr($0, 6); nr += length(text); words = words " `" text "`"; next }
		{ for (i = 1; i <= NF; i++) { nr++; words = words " `" $i "`" } }
		END { print nr + 0 words }' "$1"
}

# End a task: check the number of its keys and find its answer on the screen.
task_end() {
	[ -n "$task" ] || return 0
	nr=$(counted keys)
	words=${nr#"${nr%% *}"} nr=${nr%% *}
	[ "$words" != "$nr" ] || words=
	echo "dump" >>keys
	screens --size="$size" "$file" >screen || exit 1
	[ "$nr" -le "$most" ] || { echo "$task $nr keys, not $most"; bad=1; }
	grep -Eq -e "$answer" screen || { echo "$task The screen does not show '$answer':"; cat screen; bad=1; }
	case $nr in
	0) keys="no key" ;;
	1) keys="1 key:$words" ;;
	*) keys="$nr keys:$words" ;;
	esac
	{ printf '\n**%s** (%s; `%s`)\n\n' "$task" "$keys" "$file"; sed '1{/^== /d}; s/^\(.\)/    \1/' screen; } >>tasks
	tasks=$((tasks + 1))
}

: >tasks
task='' tasks=0
while IFS= read -r line; do
	rest=${line#* }
	case $line in
	'#'* | '') ;;
	'task '*) task_end; task=$rest; : >keys ;;
	'file '*) file=$rest ;;
	'size '*) size=$rest ;;
	'most '*) most=$rest ;;
	'answer '*) answer=$rest ;;
	*) printf '%s\n' "$line" >>keys ;;
	esac
done <"$src/tests/tour.tasks"
task_end
[ "$bad" = 0 ] || exit 1
sed '1{/^$/d}' tasks >tasks.md
shown_as tasks docs/TOUR.md tasks.md

cp "$src/tests/walk.keys" keys
screens fetch.event checkout.event >screens || exit 1
[ -z "$GOLDEN_UPDATE" ] || cp screens "$src/tests/walk.screens"
diff -u "$src/tests/walk.screens" screens || exit 1
sed 's/^\(.\)/    \1/; s/^    == \(.*\)/\n**\1**\n/' screens | sed '1{/^$/d}' >tour
shown_as tour docs/TOUR.md tour
# From the slow status to the setting that fixes it, and 16 runs with and without the setting,
# recorded alternately.
cp "$src/tests/slow.keys" keys
screens --size=100x16 slow.event | sed 's/^\(.\)/    \1/; s/^    == \(.*\)/\n**\1**\n/' | sed '1{/^$/d}' >slow
"$top" --once -o /dev/null --save-runs=before.runs before.event || exit 1
{
	printf '\n**Did the setting help? 16 runs with and without it, recorded alternately.**\n\n'
	echo '    trace2top --once -o /dev/null --save-runs=before.runs before.event'
	echo '    trace2top --once --compare=before.runs after.event'
	"$top" --once --compare=before.runs after.event | sed -n '/^Comparison/,$p' | sed '/^$/d; s/^\(.\)/    \1/'
} >>slow
grep -q 'then git config core.untrackedCache' slow && grep -q 'faster (16 pairs)' slow ||
	{ echo "the setting that fixes a slow status is missing"; exit 1; }
shown_as slow docs/TOUR.md slow
said() { TZ=UTC LC_CTYPE=C.UTF-8 "$top" --lines --once --clock=EVENTS hour.event; }
said </dev/null >said || exit 1
{ echo 'trace2top --lines --once hour.event'; cat said; } >session
nr=0 before=$(wc -l <said)
while IFS= read -r line; do
	nr=$((nr + 1))
	sed "${nr}q" "$src/tests/walk.lines" | said >said || exit 1
	{ printf '\n**%s**\n\n' "$line"; tail -n "+$((before + 1))" said; } >>session
	before=$(wc -l <said)
done <"$src/tests/walk.lines"
grep -q '^dir/read_directory, 6.4 seconds, 99.9%$' session || { echo "the cause is missing"; exit 1; }
sed 's/^\([^*]\)/    \1/' session >lines
shown_as lines docs/TOUR.md lines
echo "$tasks tasks, $(grep -c '^== ' screens) screens"
