#!/bin/sh
# SPDX-License-Identifier: MIT
# Standard input, output and error closed, full, broken, or identical with the file that is
# also given as a source.
top=${abs_top_builddir:-.}/trace2top
trace=${abs_top_srcdir:-.}/tests/data/dump.event
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
fail() {
	echo "FAIL: $*"
	bad=1
}
# want STATUS TEXT NAME: check the exit status of the previous command and its $dir/err.
want() {
	[ "$status" -eq "$1" ] || fail "$3: status $status, not $1"
	grep -q "$2" "$dir/err" || fail "$3: prints '$(cat "$dir/err")', not '$2'"
}
totals() {
	sed -n '/"totals"/,/}/p' "$1"
}

timeout 20 "$top" --once "$trace" >&- 2>"$dir/err"; status=$?
want 1 'cannot write the report: Bad file descriptor' "a closed output"
timeout 20 "$top" --once - <&- >/dev/null 2>"$dir/err"; status=$?
want 1 'standard input is closed' "a closed input"
timeout 20 "$top" --once --format=json "$trace" <&- >"$dir/no-input" || fail "reading a file needs standard input"
timeout 20 "$top" --once --format=json "$dir/missing" "$trace" >"$dir/no-error" 2>&-; status=$?
[ "$status" -eq 1 ] || fail "closed error: status $status, not 1"
"$top" --once --format=json "$trace" >"$dir/whole" || fail "a report fails"
totals "$dir/whole" >"$dir/totals"
for report in no-input no-error; do
	totals "$dir/$report" | cmp -s - "$dir/totals" || fail "$report: totals differ"
done

for what in --help --version "--once $trace"; do
	# shellcheck disable=SC2086
	"$top" $what >/dev/full 2>"$dir/err"; status=$?
	want 1 'No space left' "$what to a full disk"
	# shellcheck disable=SC2086
	"$top" $what >&- 2>"$dir/err"; status=$?
	want 1 'Bad file' "$what to nowhere"
done

same() {
	totals "$dir/same" | cmp -s - "$dir/totals" || fail "$*: counted twice"
}
timeout 20 "$top" --once --format=json "$trace" - <"$trace" >"$dir/same"; same a file and input
timeout 20 "$top" --once --format=json - "$trace" <"$trace" >"$dir/same"; same input and a file
timeout 20 "$top" --once --format=json - - <"$trace" >"$dir/same"; same input twice
cat "$trace" | timeout 20 "$top" --once --format=json - /dev/stdin >"$dir/same"; same a pipe twice
mkfifo "$dir/fifo" || exit 99
cat "$trace" >"$dir/fifo" &
timeout 20 "$top" --once --format=json "$dir/fifo" "$dir/fifo" >"$dir/same"; same a FIFO twice
wait
exit $bad
