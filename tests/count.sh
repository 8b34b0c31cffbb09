#!/bin/sh
# SPDX-License-Identifier: MIT
# count.sh BUILD_DIR...: add up the test results of build directories. The last line is
# `N passed, N failed`, and `, N skipped` if scripts were skipped; the lines before it name what
# failed and what was skipped. A cmocka program counts each of its tests, any other program counts
# as one. A program that died counts as one more failure.
# Exit status 1 if a test failed or none ran.
for dir; do
	find "$dir/tests" -name '*.trs' 2>/dev/null
done | sort | {
	passed=0 failed=0 skipped=0 skips=
	while read -r trs; do
		result=$(sed -n 's/^:global-test-result: //p' "$trs")
		log=${trs%.trs}.log
		set -- $(awk '
			/^\[  PASSED  \] [0-9]+ test/ { passed += $4; seen = 1 }
			/^\[  FAILED  \] [0-9]+ test/ { failed += $4; seen = 1 }
			END { print passed + 0, failed + 0, seen + 0 }' "$log" 2>/dev/null)
		case $result in
		PASS) [ "${3:-0}" = 1 ] || set -- 1 0 ;;
		SKIP) [ "${3:-0}" = 1 ] || set -- 0 0
			skipped=$((skipped + 1))
			why=$(sed -n 's/^skipped: //p' "$log" 2>/dev/null | tail -n 1)
			echo "skipped: $trs${why:+ ($why)}" ;;
		*) [ "${2:-0}" -gt 0 ] || set -- "${1:-0}" 1
			echo "failed: $trs" ;;
		esac
		passed=$((passed + $1)) failed=$((failed + $2))
	done
	[ $((passed + failed)) -gt 0 ] || failed=1
	[ $skipped = 0 ] || skips=", $skipped skipped"
	echo "$passed passed, $failed failed$skips"
	[ "$failed" -eq 0 ]
}
