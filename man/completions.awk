# SPDX-License-Identifier: MIT
# Inserts the rows of options and related tables into the completion of a shell, at @NAMES@, @CASES@
# (bash), @SPECS@ (zsh), @COMPLETES@ (fish), @SOURCES@, @FIELDS@, @STATE_FIELDS@ and @STATES@:
#   awk -f rows.awk -f completions.awk monitor/settings/options.def ... man/trace2top.bash.in
BEGIN {
	BACKSLASH = sprintf("%c", 92)
}
function joined(list, word) {
	return list (list == "" ? "" : " ") word
}
# Insert `before` before each character of `text` that occurs in `which`. Implementations of awk
# differ in backslashes in the replacement of gsub(), so it is not used here.
function prefixed(text, which, before,    i, c, all) {
	for (i = 1; i <= length(text); i++) {
		c = substr(text, i, 1)
		all = all (index(which, c) ? before : "") c
	}
	return all
}
function escaped(text, which) {
	return prefixed(text, which, BACKSLASH)
}
# A quote inside single quotes: close them, escape the quote, open them again.
function in_quotes(text,    part, n, i, all) {
	n = split(text, part, "'")
	for (i = 1; i <= n; i++)
		all = all (i > 1 ? "'" BACKSLASH "''" : "") part[i]
	return "'" all "'"
}
function option() {
	gsub(/'/, "", f[4])
	n = ++nr_options
	member[n] = f[1]; name[n] = f[3]; letter[n] = f[4] == "0" ? "" : f[4]
	argument[n] = f[5] == "NULL" ? "" : f[5]; help[n] = f[7]; is_row[n] = f[2] == "ROW"
	may_lack[n] = gsub(/^\[=|\]$/, "", argument[n])
	if (argument[n] ~ /^[a-z]/) {
		is_row[n] = 1
		word(f[1], argument[n], "")
	}
}
function word(of, value, what) {
	words[of, ++nr_words[of]] = value
	meaning[of, nr_words[of]] = what
}
# Add the prefix of a source that is not just a path. Capitals are the placeholder of the path.
function source(    at) {
	at = match(f[2], /[A-Z]/) ? RSTART : length(f[2]) + 1
	if (at > 1 && f[2] !~ /^-/) {
		source_name[++nr_sources] = substr(f[2], 1, at - 1)
		source_help[nr_sources] = f[3]
	}
}
# How to complete the argument of an option: one of its values, or by the name of its placeholder.
function kind(i) {
	return is_row[i] ? "words" : argument[i] == "EXPR" ? "filter" : \
		argument[i] ~ /^(FILE|BASE)/ ? "file" : argument[i] ~ /^TARGET/ ? "target" : "other"
}
function equals(i) {
	return argument[i] == "" || may_lack[i] ? "" : "="
}
function family(i,    k, all) {
	for (k = 1; k <= nr_words[member[i]]; k++)
		all = joined(all, words[member[i], k])
	return all
}

# The long names of all options. Those with an argument end in "=".
function names(    i, all) {
	for (i = 1; i <= nr_options; i++)
		all = joined(all, "--" name[i] equals(i))
	return all
}
# The completion of each option's argument. Options of the same kind share a case.
function cases(    i, all, of, k, kinds, n) {
	for (i = 1; i <= nr_options; i++) {
		if (argument[i] == "")
			continue
		k = letter[i] == "" ? "--" name[i] : "--" name[i] " | -" letter[i]
		if (kind(i) == "words")
			all = all "\t" k ") COMPREPLY=($(compgen -W '" family(i) "' -- \"$cur\")) ;;\n"
		else
			of[kind(i)] = of[kind(i)] (of[kind(i)] == "" ? "" : " | ") k
	}
	n = split("file:_filedir filter:_trace2top_filter target:_trace2top_sources other:COMPREPLY=()", kinds, " ")
	for (i = 1; i <= n; i++) {
		split(kinds[i], k_of, ":")
		if (of[k_of[1]] != "")
			all = all "\t" of[k_of[1]] ") " k_of[2] " ;;\n"
	}
	return all
}
function zsh_action(i,    k, all) {
	if (kind(i) == "words") {
		for (k = 1; k <= nr_words[member[i]]; k++)
			all = all " " escaped(words[member[i], k], ":") (meaning[member[i], k] == "" ? "" : "\\:" \
				in_double(meaning[member[i], k]))
		return "((" substr(all, 2) "))"
	}
	return kind(i) == "filter" ? "_trace2top_filter" : kind(i) == "file" ? "_files" : \
		kind(i) == "target" ? "_trace2top_sources" : " "
}
function in_double(text) {
	return "\"" escaped(text, ":\"$`") "\""
}
function specs(    i, all, what, tail) {
	for (i = 1; i <= nr_options; i++) {
		what = "[" escaped(help[i], "[]") "]"
		tail = argument[i] == "" ? "" : (may_lack[i] ? "::" : ":") escaped(argument[i], ":") ":" zsh_action(i)
		if (letter[i] == "")
			all = all "\t" in_quotes("*--" name[i] (may_lack[i] ? "=-" : equals(i)) what tail) "\n"
		else
			all = all "\t" in_quotes("*-" letter[i] (argument[i] == "" ? "" : may_lack[i] ? "-" : "+") what tail) "\n" \
				"\t" in_quotes("*--" name[i] (may_lack[i] ? "=-" : equals(i)) what tail) "\n"
	}
	return all
}
# Quote for an argument of fish's -a, which is in single quotes and is parsed twice.
function in_words(text) {
	return prefixed(escaped(text, "][()$\"{} ,*?;&|<>~#^%"), "'", BACKSLASH BACKSLASH BACKSLASH)
}
function completes(    i, k, all, line) {
	for (i = 1; i <= nr_options; i++) {
		line = "complete -c trace2top -n 'not __trace2top_command' -l " name[i] (letter[i] == "" ? "" : " -s " letter[i]) \
			" -d " in_quotes(help[i])
		if (kind(i) == "words") {
			line = line (may_lack[i] ? " -f" : " -x") " -a '"
			for (k = 1; k <= nr_words[member[i]]; k++)
				line = line (k > 1 ? " " : "") words[member[i], k] "\\t" in_words(meaning[member[i], k])
			line = line "'"
		} else if (argument[i] != "") {
			line = line (kind(i) == "file" ? " -r -F" : kind(i) == "filter" ? " -x -a '(__trace2top_filter)'" : \
				kind(i) == "target" ? " -r -F -a '(__trace2top_sources)'" : " -x")
		}
		all = all line "\n"
	}
	return all
}
function all_sources(    k, all) {
	for (k = 1; k <= nr_sources; k++)
		all = joined(all, source_name[k])
	return all
}

FILENAME ~ /\.def$/ {
	if (!row_ends())
		next
	if (is_word())
		word(of_option, word_, help_)
	else if (row ~ /^(OPTION|SETTING)\(/)
		option()
	else if (row ~ /^PANE/)
		word("page", f[3], f[6])
	else if (row ~ /^PAGE/)
		word("page", f[3], f[8])
	else if (row ~ /^SOURCE/)
		source()
	else if (row ~ /^ATTRIBUTE_STATE/)
		states = joined(states, f[2])
	else if (row ~ /^(FILTER_FIELD|ATTRIBUTE)\(/ && f[4] ~ /PROCESS/) {
		filter_fields = joined(filter_fields, f[2])
		if (f[3] == "STATE")
			state_fields = state_fields (state_fields == "" ? "" : "|") f[2]
	} else if (row ~ /^KEYED_ATTRIBUTE\(/ && index(" " filter_fields " ", " " f[2] " ") == 0) {
		filter_fields = joined(filter_fields, f[2])
	}
	next
}
$0 == "@CASES@" { printf "%s", cases(); next }
$0 == "@SPECS@" { printf "%s", specs(); next }
$0 == "@COMPLETES@" { printf "%s", completes(); next }
{
	sub(/@NAMES@/, names())
	sub(/@SOURCES@/, all_sources())
	sub(/@FIELDS@/, filter_fields)
	sub(/@STATE_FIELDS@/, state_fields)
	sub(/@STATES@/, states)
	print
}
