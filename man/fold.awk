# SPDX-License-Identifier: MIT
# Wraps the text lines of a manual page at 80 bytes, as `mandoc -Tlint` wants. The rendered page stays
# the same: tables, preformatted text and the tags of .TP are not wrapped, and no line ends after a
# sentence, because roff would add a space there. Run it with LC_ALL=C: AWK -f fold.awk PAGE
/^[.']/ {
	if (/^\.(nf|EX|TS)$/)
		verbatim = 1
	else if (/^\.(fi|EE|TE)$/)
		verbatim = 0
	tag = /^\.(TP( [0-9n]+)?|B|I|BR|SH|SS)$/
}
!/^[.']/ {
	while (!verbatim && !tag && length($0) > 80 && (at = last_break($0))) {
		print substr($0, 1, at - 1)
		$0 = substr($0, at + 1)
	}
	tag = 0
}
{ print }
# The position of the last space among the first 81 bytes at which the line can be broken, or 0.
function last_break(line,    at, before, after) {
	for (at = 81; at > 1; at--) {
		before = substr(line, at - 1, 1)
		after = substr(line, at + 1, 1)
		if (substr(line, at, 1) == " " && before !~ /[ \\]/ && after !~ /[ .']/ && after != "" &&
		    substr(line, 1, at - 1) !~ /[.?!]["')*\]]*(\\f.)?["')*\]]*$/)
			return at
	}
	return 0
}
