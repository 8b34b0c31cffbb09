#!/bin/sh
# SPDX-License-Identifier: MIT
# Values of options and kinds of sources come from tables: the program accepts every word, and
# --help and the manual show it with its help; for any other word the error lists the valid ones.
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
top=$builddir/trace2top
page=$builddir/man/trace2top.1
[ -f "$page" ] || page=$srcdir/man/trace2top.1
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
fail() { echo "$*"; bad=1; }
"$top" --help=all >"$dir/help" && "$top" --version >"$dir/version" || exit 1
sed 's/\\f[BIR]//g; s/\\-/-/g; s/\\e/\\/g' "$page" >"$dir/lines" || exit 1
awk '/^[.]/ || tag { printf "%s%s\n", sep, $0; sep = ""; tag = /^[.]TP/; next }
	{ printf "%s%s", sep ? " " : "", $0; sep = "\n" }
	END { printf "%s", sep }' "$dir/lines" >"$dir/page" || exit 1

# family OPTION DEF MACRO WORD-COLUMN HELP-COLUMN COMMAND...: columns count from 1; the command is
# run with OPTION=WORD and must accept it.
family() {
	option=$1 def=$2 macro=$3 word_column=$4 help_column=$5
	shift 5
	awk -v macro="$macro" -v w="$word_column" -v h="$help_column" '
		# Strings of a row by column.
		$0 ~ "^" macro "\\(" {
			n = split($0, part, "\""); column = 1
			for (i = 1; i <= n; i++)
				if (i % 2) column += gsub(/,/, ",", part[i])
				else text[column] = part[i]
			print text[w] "\t" text[h]
		}' "$srcdir/$def" >"$dir/rows"
	[ "$(wc -l <"$dir/rows")" -gt 1 ] || fail "$def: no rows of $macro"
	words=
	while IFS='	' read -r word help; do
		words=$words${words:+|}$word
		if grep -q "^$word: not supported" "$dir/version"; then continue; fi
		timeout 20 "$@" "--$option=$word" >"$dir/out" 2>"$dir/err" </dev/null ||
			{ [ "$option" = input-format ] && grep -q 'nothing in it can be read' "$dir/err"; } ||
			fail "--$option=$word: $(cat "$dir/err")"
		[ "$option" != format ] || cksum <"$dir/report" >>"$dir/sums"
		grep -Fq -e "$word" "$dir/help" && grep -Eq "^ +$word +[^ ]" "$dir/help" &&
			grep -Fq -e "$help" "$dir/help" || fail "--help lacks --$option=$word: $help"
		grep -Fxq -e "$word" "$dir/page" && grep -Fxq -e "$help." "$dir/page" ||
			fail "the manual lacks --$option=$word: $help"
	done <"$dir/rows"
	for word in '' nosuch "${words%%|*}x" "$words" '|'; do
		timeout 20 "$@" "--$option=$word" >"$dir/out" 2>"$dir/err" </dev/null
		[ $? = 2 ] || fail "--$option='$word' is accepted"
		grep -Fq -e "--$option: '$word' is not valid; use one of $words" "$dir/err" ||
			fail "--$option='$word': wrong message: $(cat "$dir/err")"
	done
}

family format monitor/report/exporters.def EXPORTER 2 4 \
	"$top" --once --fail-if="wall > 1d or absent" -o "$dir/report" "$srcdir/tests/data/dump.event"
[ -z "$(sort "$dir/sums" | uniq -d)" ] || fail "two forms of reports are the same"
family table monitor/report/tables.def TABLE 2 3 \
	"$top" --once --format=csv -o "$dir/report" "$srcdir/tests/data/dump.event"
family redact monitor/base/redactions.def REDACTION 2 3 \
	"$top" --once --format=events -o "$dir/report" "$srcdir/tests/data/dump.event"
family color views/draw/colours.def COLOUR 2 3 \
	"$top" --keys=/dev/null --dump=- --clock=events "$srcdir/tests/data/dump.event"
family input-format monitor/read/readers.def "(READER|READER_AUTO)" 2 3 \
	"$top" --once -o "$dir/report" "$srcdir/tests/data/dump.event"
family theme views/draw/themes.def THEME 2 5 \
	"$top" --keys=/dev/null --dump=- --clock=events "$srcdir/tests/data/dump.event"

# test_sources checks that each spelling of a source is reachable.
awk '/^SOURCE\(/ { row = "" } { row = row $0 }
	row ~ /\)$/ { split(row, part, "\""); print part[2] "\t" part[4]; row = "" }
	/^#undef/ { exit }' "$srcdir/monitor/source/sources.def" | grep '	.' >"$dir/sources"
[ "$(wc -l <"$dir/sources")" -gt 5 ] || fail "sources.def: no rows of SOURCE"
while IFS='	' read -r spec help; do
	awk -v spec="$spec" -v help="$help" 'index($0, "  " spec "  ") == 1 && index($0, "  " help)' \
		"$dir/help" | grep -q . || fail "--help lacks the source $spec: $help"
	grep -Fxq -e "$spec" "$dir/page" && grep -Fxq -e "$help." "$dir/page" ||
		fail "the manual lacks the source $spec: $help"
done <"$dir/sources"
"$top" --once nosuch:/nowhere/at/all >/dev/null 2>"$dir/err" </dev/null
[ $? = 1 ] && grep -q 'nosuch:/nowhere/at/all' "$dir/err" || fail "an unknown kind of source: $(cat "$dir/err")"

awk -F'"' '/^EXPORTER\(/ { if ($4 !~ /^\.[a-z.]+$/) { print "suffix: " $4; exit 1 } }' \
	"$srcdir/monitor/report/exporters.def" || bad=1

# The manual has each field of filters, and the program accepts it; a field with keys is written
# with its key.
awk '/^(FILTER_FIELD|(KEYED_)?ATTRIBUTE)\(/ { row = ""; keyed = /^KEYED/ } { row = row $0 }
	row ~ /\)$/ {
		split(row, part, "\"")
		print keyed ? part[2] "\t" part[4] "\t" part[6] : part[2] "\t\t" part[4]; row = ""
	}
	/^#undef/ { nextfile }' "$srcdir/monitor/attribute/attributes.def" "$srcdir/monitor/filter/filter.def" |
	grep '	.*	.' >"$dir/fields"
[ "$(wc -l <"$dir/fields")" -gt 30 ] || fail "filter.def: no rows of FILTER_FIELD"
while IFS= read -r line; do
	field=${line%%	*} help=${line##*	} key=${line#*	}; key=${key%	*}
	grep -q "^$field${key:+ $key} (" "$dir/page" && grep -Fxq -e "$help." "$dir/page" ||
		fail "the manual lacks the field $field $key: $help"
	[ -z "$key" ] || timeout 20 "$top" --once --filter="$field $key = 3" -o "$dir/report" \
		"$srcdir/tests/data/dump.event" || fail "--filter refuses $field $key"
done <"$dir/fields"

for theme in $(sed -n 's/^THEME([A-Z]*, "\([^"]*\)".*/\1/p' "$srcdir/views/draw/themes.def"); do
	echo "theme = $theme" >"$dir/config"
	timeout 20 "$top" --config="$dir/config" --keys=/dev/null --dump=- "$srcdir/tests/data/dump.event" \
		>/dev/null 2>"$dir/err" && [ ! -s "$dir/err" ] || fail "theme = $theme: $(cat "$dir/err")"
done
exit $bad
