#!/bin/sh
# SPDX-License-Identifier: MIT
# The n-th allocation fails, for every n: trace2top prints its report, or one line and exits with 2
# or 1. A host of libtrace2 ends normally. Neither crashes.
lib=${abs_top_builddir:-.}/tests/.libs/fail_alloc.so
top=${abs_top_builddir:-.}/trace2top
src=${abs_top_srcdir:-.}/tests
[ -f "$lib" ] || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
head -n 40 "$src/data/dump.event" >"$dir/event"
passed=0 failed=0
check() { # WHAT STATUS ALLOWED...
	what=$1 status=$2
	shift 2
	for ok; do
		[ "$status" = "$ok" ] && passed=$((passed + 1)) && return
	done
	failed=$((failed + 1))
	echo "FAIL: $what: status $status: $(head -c 300 "$dir/err")"
}
n=1
while [ $n -le 420 ]; do
	for on in 0 1; do
		FAIL_ALLOC=$n FAIL_ALLOC_ON=$on LD_PRELOAD=$lib "$top" --once --format=json "$dir/event" \
			>"$dir/out" 2>"$dir/err"
		status=$?
		check "trace2top, allocation $n, on $on" $status 0 1 2
		if [ $status -ne 0 ] && [ "$(wc -l <"$dir/err")" -ne 1 ]; then
			failed=$((failed + 1))
			echo "FAIL: allocation $n, on $on: not one line: $(head -c 300 "$dir/err")"
		fi
	done
	n=$((n + 3))
done
echo "$passed passed, $failed failed"
[ $failed -eq 0 ]
