#!/bin/sh
# SPDX-License-Identifier: MIT
# count.sh BUILD_DIR...: sum what the tests in these build directories did, and print it alone on
# the last line: N passed, N failed. A cmocka program counts its tests (as does whatever prints
# the same summary), any other program counts as one; one that died counts as a failure more.
# Exit 1 where something failed or nothing was run.
for dir; do
	find "$dir/tests" -name '*.trs' 2>/dev/null
done | sort | {
	passed=0 failed=0
	while read -r trs; do
		result=$(sed -n 's/^:global-test-result: //p' "$trs")
		log=${trs%.trs}.log
		set -- $(awk '
			/^\[  PASSED  \] [0-9]+ test/ { passed += $4; seen = 1 }
			/^\[  FAILED  \] [0-9]+ test/ { failed += $4; seen = 1 }
			END { print passed + 0, failed + 0, seen + 0 }' "$log" 2>/dev/null)
		case $result in
		PASS) [ "${3:-0}" = 1 ] || set -- 1 0 ;;
		SKIP) [ "${3:-0}" = 1 ] || set -- 0 0 ;;
		*) [ "${2:-0}" -gt 0 ] || set -- "${1:-0}" 1
			echo "failed: $trs" ;;
		esac
		passed=$((passed + $1)) failed=$((failed + $2))
	done
	[ $((passed + failed)) -gt 0 ] || failed=1
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
}
