#!/bin/sh
# SPDX-License-Identifier: MIT
# A run that keeps few processes and little history has the same totals, events and timings as an
# unbounded one, whatever was evicted.
top=${abs_top_builddir:-.}/trace2top
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
awk 'BEGIN {
	nr = 4000
	for (i = 0; i < nr; i++) {
		sid = sprintf("20261121T%02d%02d%02d.%06dZ-H00000000-P%08x", i / 3600, i / 60 % 60, i % 60, i, i + 1)
		pre = sprintf("\"sid\":\"%s\",\"thread\":\"main\",\"time\":\"2026-11-21T%02d:%02d:%02d.%06dZ\",\"file\":\"a.c\",\"line\":%d",
			sid, i / 3600, i / 60 % 60, i % 60, i, i % 900 + 1)
		print "{\"event\":\"version\"," pre ",\"evt\":\"4\",\"exe\":\"2.47.0\"}"
		print "{\"event\":\"start\"," pre ",\"t_abs\":0.001,\"argv\":[\"git\",\"status\"]}"
		for (r = 0; r < 5; r++) {
			print "{\"event\":\"region_enter\"," pre ",\"nesting\":1,\"category\":\"c" r "\",\"label\":\"l" i % 7 "\"}"
			print "{\"event\":\"region_leave\"," pre ",\"t_rel\":0.00" r i % 9 ",\"nesting\":1,\"category\":\"c" r "\",\"label\":\"l" i % 7 "\"}"
		}
		if (i % 11 == 0)
			print "{\"event\":\"error\"," pre ",\"msg\":\"m\",\"fmt\":\"m\"}"
		if (i % 13)
			print "{\"event\":\"exit\"," pre ",\"t_abs\":0.1,\"code\":" i % 3 "}"
	}
}' >"$dir/trace"

# Bounds do not change these sections of a report.
kept() {
	sed -n '/^  "totals"/,/^  }/p; /^  "events"/,/^  }/p; /^  "timings"/,/^  ]/p' "$1"
}

"$top" --once --format=json "$dir/trace" >"$dir/all" || exit 1
kept "$dir/all" >"$dir/all.kept"
grep -q '"region_leave": 20000' "$dir/all.kept" || { echo "not everything was read"; exit 1; }
for bounds in '--max-processes=50' '--max-processes=1 --history=1M' '--history=64K'; do
	# shellcheck disable=SC2086
	"$top" --once --format=json $bounds "$dir/trace" >"$dir/few" || exit 1
	kept "$dir/few" >"$dir/few.kept"
	cmp "$dir/all.kept" "$dir/few.kept" || { echo "$bounds changes the counts:"; diff "$dir/all.kept" "$dir/few.kept" | head -20; exit 1; }
done

# Events come through a pipe, faster than they can be counted: the writer waits and nothing is
# dropped.
for i in 1 2 3 4 5 6 7 8 9 10; do cat "$dir/trace" "$dir/trace"; done |
	"$top" --once --format=json --max-processes=50 - >"$dir/piped" || exit 1
grep -q '"region_leave": 400000' "$dir/piped" && grep -q '"unread_events": 0,' "$dir/piped" || {
	echo "events of a pipe were dropped"
	exit 1
}
