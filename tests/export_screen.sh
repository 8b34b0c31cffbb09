#!/bin/sh
# SPDX-License-Identifier: MIT
# Key x on the screen: its prompts, completions and output: the whole run, marked processes with
# their descendants, the process of a page with its descendants, a moment in the past.
set -u
top=${abs_top_builddir:-.}/trace2top
data=${abs_top_srcdir:-.}/tests/data/dump.event
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
fail() {
	echo "FAIL: $*"
	exit 1
}
cp "$data" "$dir/data.event" && cd "$dir" || exit 99

# keys NAME: play the keys of standard input over the trace; screens are in NAME.screen.
keys() {
	cat >"$1.keys"
	TZ=UTC "$top" --keys="$1.keys" --dump="$1.screen" --size=100x30 --clock=EVENTS data.event || fail "$1: status $?"
}
# screen NAME TITLE: print one dump.
screen() {
	sed -n "/^== $2\$/,/^== /p" "$1.screen"
}
sids() {
	sed 's/.*"sid":"\([^"]*\)".*/\1/' "$1" | sort -u
}

keys asks <<'KEYS'
x
dump asked
text ch
Tab
dump format
text  part
Tab
dump file
Esc
x
text nosuch
Enter
dump wrong
KEYS
screen asks asked | grep -q 'formats: text json chrome' || fail "the formats are not listed"
screen asks format | grep -q 'Export FORMAT \[FILE\]: chrome' || fail "Tab does not complete a format"
screen asks file | grep -q ': chrome part' || fail "Tab changes text without a completion"
screen asks wrong | grep -q 'formats: text json chrome' || fail "a wrong format is not reported"
mkdir part.d && : >part.d/in.file
keys files <<'KEYS'
x
text csv par
Tab
text in
Tab
dump file
KEYS
screen files file | grep -q ': csv part.d/in.file' || fail "Tab does not complete a file: $(screen files file | tail -2)"

keys whole <<'KEYS'
x
Enter
x
text perfetto
Enter
x
text flamegraph whole.folded
Enter
x
text events whole.event
Enter
dump done
KEYS
grep -q 'Export written to whole.event' whole.screen || fail "it is not reported"
set -- trace2top-*.trace.json
[ -s "$1" ] || fail "an empty format is not chrome"
cmp "$1" "$2" || fail "perfetto is not chrome"
"$top" --once --format=folded --clock=EVENTS data.event | cmp - whole.folded || fail "flamegraph is not folded"
"$top" --once --format=chrome data.event >chrome.json || fail "--format=chrome"
"$top" --once --format=perfetto data.event | cmp - chrome.json || fail "--format=perfetto"
cmp whole.event data.event || fail "the events differ from the trace"

# The last process, marked; the page of the same process; the moment before the last event.
keys marked <<'KEYS'
1
Down
Down
m
x
text events marked.event
Enter
M
Enter
x
text events page.event
Enter
Esc
[
x
text events past.event
Enter
KEYS
cmp marked.event page.event || fail "exports of a marked process and of its page differ"
nr=$(sids marked.event | wc -l)
[ "$nr" -ge 1 ] && [ "$nr" -lt "$(sids data.event | wc -l)" ] || fail "marked: $nr processes"
root=$(sids marked.event | head -n 1)
[ "$(sids data.event | grep -c "^$root")" = "$nr" ] || fail "not all descendants of the marked one"
[ "$(grep -c "\"sid\":\"$root" data.event)" = "$(wc -l <marked.event)" ] || fail "not all of its events"
head -n -1 data.event | cmp - past.event || fail "not of the past moment"
echo ok
