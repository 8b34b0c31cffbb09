#!/bin/sh
# SPDX-License-Identifier: MIT
# Input formats on the command line, with a program that has two additional formats
# (reader_toy.h): each is selected by --input-format and detected automatically. Skipped files are
# reported, with a hint how to read them.
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
top=$builddir/tests/trace2top_toy
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "$*"; bad=1; }

# report EVENTS FORMAT ARGUMENT...: check events and formats of the first source.
report() {
	events=$1 format=$2
	shift 2
	timeout 20 "$top" --once --format=json "$@" >"$dir/report" 2>"$dir/err"
	# The report is printed even if nothing could be read.
	[ $? -eq $((events == 0)) ] || fail "$*: $? $(cat "$dir/err")"
	grep '"spec"' "$dir/report" >"$dir/source"
	grep -q "\"format\": \"$format\",.*\"events\": $events," "$dir/source" || fail "$*: $(cat "$dir/source")"
}

printf '{"event":"exit","sid":"s","code":0}\n' >"$dir/event"
printf '# toyline\n1\n2\n' >"$dir/line"
printf 'toy\0e\1\0\0\1\0\0\0f\0\0\0\0\0\0\0' >"$dir/toy"
report 1 event "$dir/event"
report 2 toyline "$dir/line"
report 1 toy "$dir/toy"
report 1 toy - <"$dir/toy"
cat "$dir/line" | report 2 toyline -
report 0 event --input-format=event "$dir/line"
report 0 toyline --input-format=toyline "$dir/event"
report 2 toyline --input-format=toyline "$dir/line"
report 1 toy --input-format=toy "$dir/toy"
"$top" --help=all | grep -q "^ *toyline  *a test's lines" || fail "--help lacks a row"

# One file of each format is read, except the twin.
mkdir "$dir/d" && cp "$dir/event" "$dir/line" "$dir/toy" "$dir/d"
report 2 event,toy "$dir/d"
grep -q '"foreign": 1,' "$dir/source" || fail "the twin is not a skipped file"
grep -q "^trace2top: $dir/d: 1 file is of format toyline: --input-format=toyline reads it\$" "$dir/err" ||
	fail "no hint: $(cat "$dir/err")"
grep -q '"hint": "1 file is of format toyline: --input-format=toyline reads it"' "$dir/report" ||
	fail "no hint in the report: $(cat "$dir/report")"
report 2 toyline --input-format=toyline "$dir/d"
[ ! -s "$dir/err" ] || fail "a hint although the format was given: $(cat "$dir/err")"
rm "$dir/d/line"
report 2 event,toy "$dir/d"
[ ! -s "$dir/err" ] || fail "a hint without reason: $(cat "$dir/err")"
grep -q '"hint"' "$dir/report" && fail "a hint in the report without reason"
exit $bad
