#!/bin/sh
# SPDX-License-Identifier: MIT
# The end of .ci/run's output shows why a test failed: of a failed program its failed tests with
# their output, without the passed ones, and always with a limit.
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
mkdir "$dir/tests"
log() {
	cat >"$dir/tests/$1.log"
	printf ':test-result: %s\n:global-test-result: %s\n' "$2" "$2" >"$dir/tests/$1.trs"
}
log good PASS <<-END
	[ RUN      ] good
	[       OK ] good
END
log bad FAIL <<-END
	[==========] tests: Running 3 test(s).
	[ RUN      ] passes
	[       OK ] passes
	[ RUN      ] fails_at_length
	waited for 'what' to come; the screen is
	$(seq -f 'row %g' 200)
	[  ERROR   ] --- 0x2 != 0x1
	[   LINE   ] --- bad.c:12: error: Failure!
	[  FAILED  ] fails_at_length
	[ RUN      ] is_killed
	its last word
END
log script FAIL <<-END
	script: 3 is not 4
END
said=$("${abs_top_srcdir:-.}/tests/why.sh" "$dir")
want="---- FAIL: $dir/tests/bad.log
[ RUN      ] fails_at_length
waited for 'what' to come; the screen is
$(seq -f 'row %g' 28)
[... 145 lines ...]
$(seq -f 'row %g' 174 200)
[  ERROR   ] --- 0x2 != 0x1
[   LINE   ] --- bad.c:12: error: Failure!
[  FAILED  ] fails_at_length
[ RUN      ] is_killed
its last word
---- FAIL: $dir/tests/script.log
script: 3 is not 4"
[ "$said" = "$want" ] || { printf 'why.sh says\n%s\nbut should say\n%s\n' "$said" "$want"; exit 1; }
# The summary shows the failed assertion, or else the end of the log.
log other FAIL <<-END
	$(seq -f 'line %g' 20)
	$(printf '%0300d' 0)
	FAIL tests/other.sh (exit status: 1)
END
said=$("${abs_top_srcdir:-.}/tests/why.sh" -s "$dir")
want="---- FAIL: $dir/tests/bad.log
  waited for 'what' to come; the screen is
  [  ERROR   ] --- 0x2 != 0x1
  [   LINE   ] --- bad.c:12: error: Failure!
  [  FAILED  ] fails_at_length
---- FAIL: $dir/tests/other.log
$(seq -f '  line %g' 14 20)
  $(printf '%0200d' 0)
---- FAIL: $dir/tests/script.log
  script: 3 is not 4"
[ "$said" = "$want" ] || { printf 'why.sh -s says\n%s\nbut should say\n%s\n' "$said" "$want"; exit 1; }
for i in $(seq 20); do
	seq -f 'an error: %g' 20 | log "many$i" FAIL
done
said=$("${abs_top_srcdir:-.}/tests/why.sh" -s "$dir")
[ "$(echo "$said" | wc -l)" -le 109 ] && [ "$(echo "$said" | tail -n 1)" = "---- and 11 more" ] ||
	{ printf 'why.sh -s says of many\n%s\n' "$said"; exit 1; }
