#!/bin/sh
# SPDX-License-Identifier: MIT
# why.sh BUILD_DIR...: what the failed tests in these build directories wrote, without what passed
# beside them. Of a cmocka program that is each failed test from its RUN line on, and the end; of
# any other, its log. Bounded: 60 lines a test (its begin and its end), 8 tests a program.
for dir; do
	find "$dir/tests" -name '*.trs' 2>/dev/null
done | sort | while read -r trs; do
	result=$(sed -n 's/^:global-test-result: //p' "$trs")
	case $result in PASS | SKIP | XFAIL) continue ;; esac
	printf '%s\n' "---- ${result:-DIED}: ${trs%.trs}.log"
	LC_ALL=C awk '
		function line(i) { print substr(lines[i], 1, 400) }
		function tell(i) {
			if (n && ++told <= 8) {
				for (i = 1; i <= n && (n <= 60 || i <= 30); i++)
					line(i)
				if (n > 60)
					print "[... " n - 60 " lines ...]"
				for (i = n > 60 ? n - 29 : n + 1; i <= n; i++)
					line(i)
			}
			n = 0
		}
		/^\[ RUN      \]/ { if (seen) tell(); n = 0; seen = 1 }
		{ lines[++n] = $0 }
		/^\[       OK \]/ || /^\[  SKIPPED \]/ { n = 0 }
		/^\[==========\] .* run\.$/ { over = 1 }
		/^\[  FAILED  \]/ && !over { tell() }
		END { if (told > 7) told = 7; tell() }' "${trs%.trs}.log" 2>/dev/null ||
		echo "(no log)"
done
