# SPDX-License-Identifier: MIT
# Puts the rows of options.def, keys.def and filter.def into a manual page, at @OPTIONS@, @KEYS@
# and @FILTER@:
#   awk -v version=V -f tables.awk monitor/options.def views/keys.def monitor/filter.def \
#       man/trace2top.1.in
function roff(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	sub(/^\./, "\\\\\\&.", text)
	return text
}
# Parts a row, which may stand on several lines, into f[1], f[2], ...; strings lose their quotes.
function fields(row,    i, c, quoted, n, part) {
	n = 0; part = ""; quoted = 0
	sub(/^[A-Z_]+\(/, "", row)
	sub(/\)[ \t]*$/, "", row)
	for (i = 1; i <= length(row); i++) {
		c = substr(row, i, 1)
		if (quoted && c == "\\") {
			part = part substr(row, ++i, 1)
		} else if (c == "\"") {
			quoted = !quoted
		} else if (!quoted && c == ",") {
			f[++n] = part; part = ""
		} else if (quoted || c !~ /[ \t]/) {
			part = part c
		}
	}
	f[++n] = part
	return n
}
function option(    head) {
	if (f[6] != group_of_options)
		options = options ".SS " f[6] "\n"
	group_of_options = f[6]
	head = ".TP\n"
	gsub(/'/, "", f[4])
	if (f[4] != "0")
		head = head "\\fB\\-" f[4] "\\fR, "
	head = head "\\fB\\-\\-" roff(f[3]) "\\fR"
	if (f[5] != "NULL") {
		argument = roff(f[5])
		gsub(/[|]/, "|\\:", argument) # a line may end there
		head = head "=\\fI" argument "\\fR"
	}
	options = options head "\n" roff(f[7]) ".\n"
}
function key() {
	keys = keys ".TP\n\\fB" roff(f[2]) "\\fR\n" roff(f[6]) ".\n"
}
function filter() {
	gsub(/\|/, ", ", f[4])
	filters = filters ".TP\n\\fB" roff(f[2]) "\\fR (" tolower(f[3]) "; " tolower(f[4]) ")\n" roff(f[5]) ".\n"
}
FILENAME ~ /\.def$/ {
	if ($0 ~ /^(OPTION|SETTING|KEY|FILTER_FIELD)\(/)
		row = $0
	else if (row != "")
		row = row " " $0
	if (row != "" && row ~ /\)[ \t]*$/) {
		fields(row)
		if (row ~ /^(OPTION|SETTING)/)
			option()
		else if (row ~ /^KEY/)
			key()
		else
			filter()
		row = ""
	}
	next
}
$0 == "@OPTIONS@" { printf "%s", options; next }
$0 == "@KEYS@" { printf "%s", keys; next }
$0 == "@FILTER@" { printf "%s", filters; next }
{ gsub(/@VERSION@/, version); print }
