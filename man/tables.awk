# SPDX-License-Identifier: MIT
# Inserts the rows of the .def files into a manual page, at @OPTIONS@, @TESTING@, @SOURCES@, @KEYS@, @LINES@,
# @VIEWS@, @FILTER@, @FINDINGS@ and @SETTINGS@. The files may come in any order, the page is last:
#   awk -v version=V -f rows.awk -f tables.awk monitor/report/exporters.def ... monitor/settings/options.def ... \
#       man/trace2top.1.in
function roff(text) {
	gsub(/\\/, "\\e", text)
	gsub(/-/, "\\-", text)
	sub(/^\./, "\\\\\\&.", text)
	return text
}
# Words separated by bars, with possible line breaks after the bars.
function breakable(words) {
	words = roff(words)
	gsub(/[|]/, "|\\:", words)
	return "\\fI" words "\\fR"
}
# Add a value of the option with this member, whose type is ROW.
function word(member, value, help) {
	words[member] = words[member] (words[member] == "" ? "" : "|") value
	if (help != "")
		lists[member] = lists[member] ".TP\n\\fB" roff(value) "\\fR\n" roff(help) ".\n"
}
# Replace `what` by `with`. sub() would interpret backslashes in `with`.
function put(text, what, with,    at) {
	while ((at = index(text, what)))
		text = substr(text, 1, at - 1) with substr(text, at + length(what))
	return text
}
# The values of an option: one entry per value, or only the words if they have no descriptions.
function listed(member,    names) {
	if (lists[member])
		return ".RS\n" lists[member] ".RE"
	names = roff(words[member])
	gsub(/[|]/, ", ", names)
	return "\\fB" names "\\fR."
}
# After all rows were read: insert the values of options and settings.
function with_families(text,    member) {
	words["page"] = words["panes"] "|" words["pages"]
	for (member in words) {
		text = put(text, "@LIST:" member "@", listed(member))
		text = put(text, "@WORDS:" member "@", breakable(words[member]))
	}
	return text
}
function option() {
	if (f[6] != group_of_options)
		options = options ".SS " f[6] "\n"
	group_of_options = f[6]
	options = options option_entry()
}
function option_entry(    head) {
	head = ".TP\n"
	gsub(/'/, "", f[4])
	if (f[4] != "0")
		head = head "\\fB\\-" f[4] "\\fR, "
	head = head "\\fB\\-\\-" roff(f[3]) "\\fR"
	if (f[5] != "NULL")
		head = head (f[5] ~ /^\[=/ ? "" : "=") breakable(f[5])
	return head "\n" roff(f[7]) ".\n" (f[2] == "ROW" ? "@LIST:" f[1] "@\n" : "")
}
# A setting is an option without dashes. The name of an option --no-X is X,
# except for --no-finding.
function setting(    values) {
	values = f[2] == "ROW" ? "@WORDS:" f[1] "@" : breakable(f[5])
	if (f[2] == "FLAG" || f[2] == "OFF")
		values = breakable("yes|no")
	if (f[2] == "WORDS") {
		f[3] = f[1]
		gsub(/_/, ".", f[3])
		values = breakable("ID ...")
		f[7] = "ignore findings with these ids"
	} else if (sub(/^no-/, "", f[3]))
		f[7] = "no: " f[7]
	settings = settings ".TP\n\\fB" roff(f[3]) "\\fR = " values "\n" roff(f[7]) ".\n"
}
function view_setting() {
	settings = settings ".TP\n\\fIVIEW\\fB." roff(f[2]) "\\fR = " breakable(f[3]) "\n" roff(f[4]) ".\n"
}
function key(names, doc) {
	keys = keys ".TP\n\\fB" roff(names) "\\fR\n" roff(doc) ".\n"
}
# A command of --lines.
function line_command(argument, doc) {
	lines = lines ".TP\n\\fB" roff(f[1]) "\\fR" (argument == "" ? "" : " \\fI" roff(argument) "\\fR") "\n" roff(doc) ".\n"
}
# A pane or page: its key, and its word for --page and the configuration file.
function view(views, kind, names, doc) {
	key(names, doc)
	word(kind, f[3], "")
	gsub(/ /, " or ", names)
	return views ",\n\\fB" roff(f[3]) "\\fR (" roff(names) ")"
}
# Capitals in the name of a source are placeholders.
function source(    at) {
	at = match(f[2], /[A-Z]/) ? RSTART : length(f[2]) + 1
	sources = sources ".TP\n"
	if (at > 1)
		sources = sources "\\fB" roff(substr(f[2], 1, at - 1)) "\\fR"
	if (at <= length(f[2]))
		sources = sources "\\fI" substr(f[2], at) "\\fR"
	sources = sources "\n" roff(f[3]) ".\n"
}
function filter(shown, type, rows, help) {
	sub(/GROUPED/, "TIMING|COMMAND", rows)
	gsub(/\|/, ", ", rows)
	filters = filters ".TP\n\\fB" shown "\\fR (" tolower(type) "; " tolower(rows) ")\n" roff(help) ".\n"
}
FILENAME ~ /\.def$/ {
	if (!row_ends())
		next
	if (is_word())
		word(of_option, word_, help_)
	else if (row ~ /^(OPTION|SETTING)/)
		option()
	else if (row ~ /^TESTING\(/)
		testing = testing option_entry()
	else if (row ~ /^SOURCE/)
		source()
	else if (row ~ /^KEY\(/)
		key(f[3], f[7])
	else if (row ~ /^TABLE_KEY/)
		key(f[3], f[6])
	else if (row ~ /^PANE/)
		panes = view(panes, "panes", f[5], f[7])
	else if (row ~ /^PAGE/)
		pages = view(pages, "pages", f[5], f[8])
	else if (row ~ /^FINDING\(/)
		findings = findings ".TP\n\\fB" roff(f[2]) "\\fR (" tolower(f[3]) (f[5] > 0 ? ", from " f[5] " % and " f[6] " ms" : "") ")\n" roff(f[8]) ".\n\\(-> " roff(f[9]) ".\n"
	else if (row ~ /^VIEW_SETTING/)
		view_setting()
	else if (row ~ /^LINE_VIEW/)
		line_command(f[3] == "ONE" ? "NUMBER" : f[3] == "EITHER" ? "[NUMBER]" : "", f[4])
	else if (row ~ /^LINE_ACT/)
		line_command(f[3] == "NULL" ? "" : f[3], f[4])
	else if (row ~ /^(FILTER_FIELD|ATTRIBUTE)\(/)
		filter(roff(f[2]), f[3], f[4], f[5])
	else if (row ~ /^KEYED_ATTRIBUTE\(/)
		filter(roff(f[2]) "\\fR \\fI" roff(f[3]), f[4], f[5], f[6])
	if (row ~ /^SETTING/)
		setting()
	next
}
$0 == "@OPTIONS@" { printf ".ad l\n%s.ad b\n", with_families(options); next }
$0 == "@TESTING@" { printf ".ad l\n%s.ad b\n", with_families(testing); next }
$0 == "@SOURCES@" { printf "%s", sources; next }
$0 == "@FINDINGS@" { printf "%s", findings; next }
$0 == "@LINES@" { printf "%s", lines; next }
$0 == "@KEYS@" { printf "%s", keys; next }
$0 == "@VIEWS@" { printf "%s.\n", substr(panes pages, 3); next }
$0 == "@SETTINGS@" { printf ".ad l\n%s.ad b\n", with_families(settings); next }
$0 == "@FILTER@" { printf "%s", filters; next }
{ gsub(/@VERSION@/, version); print }
