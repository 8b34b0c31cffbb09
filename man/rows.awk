# SPDX-License-Identifier: MIT
# Reads the rows of the .def files, for what is made of them: `row_ends()` on each line is true
# where a row is whole; it stands in `row` then, its parts in f[1], f[2], ...
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
# Is the row whole that this line is of?
function row_ends() {
	if (/^[A-Z][A-Z_]*\(/) {
		row = $0
	} else if (!in_row) {
		return 0
	} else {
		row = row " " $0
	}
	in_row = row !~ /\)[ \t]*$/
	if (!in_row)
		fields(row)
	return !in_row
}

# Is the row one of a family whose words are the values of an option? They are `word_` of the option
# whose member is `of_option` then, and `help_` says what it means. (Panes and pages are --page's.)
function is_word() {
	if (row ~ /^EXPORTER/)
		return is_word_of("format", 2, 4)
	if (row ~ /^TABLE\(/)
		return is_word_of("table", 2, 3)
	if (row ~ /^REDACTION/)
		return is_word_of("redact", 2, 3)
	if (row ~ /^COLOUR/)
		return is_word_of("color", 2, 3)
	if (row ~ /^THEME/)
		return is_word_of("theme", 2, 5)
	if (row ~ /^READER/)
		return is_word_of("input_format", 2, 3)
	return 0
}
function is_word_of(member, word_at, help_at) {
	of_option = member
	word_ = f[word_at]
	help_ = f[help_at]
	return 1
}
