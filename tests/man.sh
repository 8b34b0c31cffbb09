#!/bin/sh
# SPDX-License-Identifier: MIT
# The manual names every option of --help and every key of the tables, and groff and mandoc accept
# all pages without warnings.
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
page=$builddir/man/trace2top.1
[ -f "$page" ] || page=$srcdir/man/trace2top.1
man_of() {
	[ -f "$builddir/man/$1" ] && echo "$builddir/man/$1" || echo "$srcdir/man/$1"
}
bad=0
plain=$(sed 's/\\&//g; s/\\f[BIR]//g; s/\\-/-/g; s/\\e/\\/g' "$page") || exit 1
options=$("$builddir/trace2top" --help=all | sed -n 's/^ .*\(--[a-z][a-z-]*\).* .*/\1/p' | sort -u)
[ "$(printf '%s\n' "$options" | wc -l)" -gt 10 ] || { echo "--help names no options"; bad=1; }
for option in $options; do
	printf '%s\n' "$plain" | grep -Eq "^(-., )?$option(=|\[|\$)" ||
		{ echo "the manual lacks $option"; bad=1; }
done
testing=$(sed -n '/^TESTING(/{N; s/^[^"]*"\([a-z-]*\)".*/\1/p;}' "$srcdir/monitor/settings/options.def")
[ "$(printf '%s\n' $testing | wc -l)" -gt 4 ] || { echo "no options are for tests"; bad=1; }
for option in $testing; do
	printf '%s\n' "$plain" | sed -n '/^\.SH TESTING/,$p' | grep -Eq "^--$option(=|\[|\$)" ||
		{ echo "the chapter TESTING lacks --$option"; bad=1; }
	! printf '%s\n' "$options" | grep -Fxq -e "--$option" || { echo "--help names --$option"; bad=1; }
	! grep -Fq -e "--$option" "$builddir/man/bash/trace2top" || { echo "the completion names --$option"; bad=1; }
done
{
	sed -n '/^\.SH JSON REPORT/,/^\.SH OTHER EXPORTS/p' "$(man_of trace2top-formats.5)"
	cat "$(man_of trace2top-compare.7)" "$(man_of trace2top-findings.7)"
} >man-report.$$
for key in $(grep -ohE '(tr2_jw_key|key_[a-z]+)\([^"]*"[a-z_0-9]+"' "$srcdir/monitor/report/report_json.c" |
	sed 's/.*"\(.*\)"/\1/' | sort -u) \
	$(sed -n 's/^COUNTED(\([a-z_]*\),.*/\1/p' "$srcdir/monitor/event/source_counters.def"); do
	tr -c 'a-z_0-9' '\n' <man-report.$$ | grep -Fxq "$key" || { echo "the manual lacks the report's $key"; bad=1; }
done
rm -f man-report.$$
api=$(sed -n '/the macros ----/q; s/^TRACE2_API.*[ *]\(trace2_[a-z0-9_]*\)(.*/\1/p' "$srcdir/engine/trace2.h" | sed 's/_fl$//')
[ "$(printf '%s\n' "$api" | wc -l)" -gt 40 ] || { echo "trace2.h declares no functions"; bad=1; }
for name in $api TRACE2_CHILD_PROCESS_INIT TRACE2_REPOSITORY_INIT TRACE2_DISABLED; do
	sed 's/\\-/-/g' "$srcdir/man/libtrace2.3" | grep -Eq "(^|[^a-z_])$name([^a-z_]|\$)" ||
		{ echo "libtrace2(3) lacks $name"; bad=1; }
done
rows=$srcdir/views/widget/keys.def
sed -nE -e 's/^(TABLE_)?KEY\([^"]*"([^"]*)".*/\2/p' -e 's/^(PANE|PAGE)\([^"]*"[^"]*"[^"]*"([^"]*)".*/\2/p' "$rows" |
	sed 's/\\\\/\\/g' >man-keys.$$
[ "$(wc -l <man-keys.$$)" = "$(grep -cE '^(KEY|TABLE_KEY|PANE|PAGE)\(' "$rows")" ] || { echo "not every key was found"; bad=1; }
while read -r keys; do
	printf '%s\n' "$plain" | grep -Fxq -e "$keys" || { echo "the manual lacks the key $keys"; bad=1; }
done <man-keys.$$
rm -f man-keys.$$
! printf '%s\n' "$plain" | grep -Fxq NULL. || { echo "the manual has a row without a text"; bad=1; }
for word in $(sed -nE 's/^(PANE|PAGE)\([^"]*"([^"]*)".*/\2/p' "$rows"); do
	printf '%s\n' "$plain" | grep -Eq "^$word \(.*\)[,.]\$" || { echo "the manual lacks the page $word"; bad=1; }
done
for each in trace2top.1 libtrace2.3 trace2.5 trace2top-formats.5 trace2top-compare.7 \
	trace2top-findings.7 trace2top-fleet.7; do
	each=$(man_of "$each")
	if command -v groff >/dev/null; then
		warnings=$(groff -t -man -rLL=78n -ww -z -Tutf8 "$each" 2>&1) && [ -z "$warnings" ] || { echo "$each: $warnings"; bad=1; }
	fi
	if command -v mandoc >/dev/null; then
		warnings=$(mandoc -Tlint -W style "$each") && [ -z "$warnings" ] || { echo "$each: $warnings"; bad=1; }
	fi
done
exit $bad
