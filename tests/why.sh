#!/bin/sh
# SPDX-License-Identifier: MIT
# why.sh [-s] BUILD_DIR...: print the output of the failed tests in build directories, without that
# of passed tests. For a cmocka program: each failed test from its RUN line on, and the end. For any
# other program: its log. At most 60 lines per test (begin and end) and 8 tests per program.
# -s: a summary, for logs of which only the end is kept: at most 12 failed programs with 8 lines of
# 200 characters each, assertions first.
short=0
[ "$1" != -s ] || { short=1; shift; }
for dir; do
	find "$dir/tests" -name '*.trs' 2>/dev/null
done | sort | {
nr=0
while read -r trs; do
	result=$(sed -n 's/^:global-test-result: //p' "$trs")
	case $result in PASS | SKIP | XFAIL) continue ;; esac
	nr=$((nr + 1))
	[ $short = 0 ] || [ $nr -le 12 ] || continue
	log=${trs%.trs}.log name=$(basename "${trs%.trs}")
	printf '%s\n' "---- ${result:-DIED}: $log"
	LC_ALL=C awk -v short=$short -v name="${name%.sh}" '
		function line(i) { print substr(lines[i], 1, 400) }
		function tell(i) {
			if (n && ++told <= 8 && short)
				for (i = 1; i <= n; i++)
					kept[++nr_kept] = lines[i]
			else if (n && told <= 8) {
				for (i = 1; i <= n && (n <= 60 || i <= 30); i++)
					line(i)
				if (n > 60)
					print "[... " n - 60 " lines ...]"
				for (i = n > 60 ? n - 29 : n + 1; i <= n; i++)
					line(i)
			}
			n = 0
		}
		function says_why(text) {
			return text ~ /ERROR|LINE  |FAIL|[Ee]rror:|waited for|SUMMARY:/ || index(text, name ":") == 1
		}
		function summary(i, left) {
			for (i = 1; i <= nr_kept; i++)
				nr_why += says_why(kept[i])
			left = 8
			for (i = 1; i <= nr_kept && left; i++)
				if (nr_why ? says_why(kept[i]) : i > nr_kept - left) {
					print "  " substr(kept[i], 1, 200)
					left -= nr_why > 0
				}
		}
		/^(FAIL|ERROR|XPASS) .* \(exit status: [0-9]+\)$/ || /^\[  FAILED  \] [0-9]+ test/ { if (short) next }
		/^\[ RUN      \]/ { if (seen) tell(); n = 0; seen = 1 }
		{ lines[++n] = $0 }
		/^\[       OK \]/ || /^\[  SKIPPED \]/ { n = 0 }
		/^\[==========\] .* run\.$/ { over = 1 }
		/^\[  FAILED  \]/ && !over { tell() }
		END { if (told > 7) told = 7; tell(); if (short) summary() }' "$log" 2>/dev/null ||
		echo "(no log)"
done
[ $short = 0 ] || [ $nr -le 12 ] || echo "---- and $((nr - 12)) more"
}
