# SPDX-License-Identifier: MIT
# Reads the rows of .def files. Call row_ends() for each line. It returns true at the end of a row;
# `row` then contains the row, and f[1], f[2], ... its fields.

# Split a row, which may have several lines, into f[1], f[2], ... Strings lose their quotes.
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
# True if this line ends a row.
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

# True if the row is a value of an option. Sets `of_option` to the member of the option, `word_` to
# the value and `help_` to its description. (Panes and pages, the values of --page, are not included.)
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
