#!/bin/sh
# SPDX-License-Identifier: MIT
# Test of words.py, which `make lint` runs: it reports phrases of words.list in text, with file and
# line, and does not report code, other folders and lines that are allowed.
top=$(cd "${abs_top_srcdir:-$(dirname "$0")/..}" && pwd) || exit 99
python=${PYTHON3:-python3}
command -v "$python" >/dev/null || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tests" "$dir/code" "$dir/other"
{ echo code; sed -n '/ -> /p' "$top/tests/words.list"; } >"$dir/tests/words.list"
bad=0

# expect NAME LINES FILE: the hits in FILE, created from standard input, have these line numbers.
expect() {
	cat >"$dir/$3"
	lines=$("$python" "$top/tests/words.py" "$dir" | sed -n "s|^$3:\([0-9]*\): \".*\": ..*|\1|p" | sort -nu | xargs)
	[ "$lines" = "$2" ] || { echo "$1: expected hits in lines '$2', got '$lines'"; bad=1; }
	rm "$dir/$3"
}

expect reports_comments_and_strings "1 2 6 8" code/a.c <<'END'
/* It is told by a signal. */
const char *error = "there is nobody listening";
int anew, heed, mended; /* names are not text */

/*
 * The phrase is
 * told across two lines.
 * Whoever calls it returns.
 */
END
expect reports_documents_without_code "1" code/a.md <<'END'
The file is read anew, `nobody` is code.

    nobody and nothing

```
whoever
```
END
expect reports_manual_pages_without_examples "2" code/a.7 <<'END'
.SH NOBODY
.B Whoever
reads it.
.nf
nobody
.fi
END
expect reports_comments_of_scripts "2 4" code/a.sh <<'END'
nobody=1
# Read it anew.
echo "${nobody#x}"
x=2 # somebody else's
END
expect reports_docstrings_of_python "2" code/a.py <<'END'
"""Do it,
and do it anew."""
nobody = 1
END
expect does_not_report_allowed_lines "5" code/a.h <<'END'
/* anew, words: ok */
/* words: ok */
/* anew */

/* anew */
END
expect does_not_report_questions_and_similar_words "" code/b.md <<'END'
Where did its time go? What is shown? As everyone knows, a row of a table is none of these, and there is no longer a file.
If there is no server, it is not sent. A foretold thing stands for itself.
END
expect checks_only_listed_folders "" other/a.c <<'END'
/* anew */
END
exit $bad
