#!/bin/sh
# SPDX-License-Identifier: MIT
# The layers, enforced over the #include lines: who may include what. A violation prints
# file: include. Rows are data; see "Layers" in the README.
cd "${abs_top_srcdir:-$(dirname "$0")/..}" || exit 99
bad=0
# deny FOLDER-PATTERN INCLUDE-REGEX EXCEPT-REGEX
deny() {
	for f in $(find $1 -name '*.[ch]' -o -name '*.def' | sort); do
		if [ -n "$3" ] && printf '%s\n' "$f" | grep -Eq "$3"; then continue; fi
		hits=$(grep -nE "^[ \t]*#[ \t]*include[ \t]*[<\"]($2)" "$f") || continue
		printf '%s: %s\n' "$f" "$hits"
		bad=1
	done
}
deny engine/base 'engine/[^b]|monitor/|views/|ev\.h|n?curses|pcre2' ''
deny engine 'monitor/|views/|ev\.h|n?curses|pcre2' ''
deny monitor 'n?curses' ''
deny monitor 'ev\.h' '^monitor/(app/loop[a-z_]*|intake/[a-z_]*)\.[ch]$'
deny monitor 'views/' '^monitor/app/'
deny views 'ev\.h|monitor/(intake|read|app/loop)' ''
deny views 'n?curses' '^views/terminal/terminal\.c$'
exit $bad
