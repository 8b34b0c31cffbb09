#!/bin/sh
# SPDX-License-Identifier: MIT
# The root process of `-- COMMAND` that is killed is reported as killed, although its trace has no
# end. A recording of a command is read again with the command's nesting.
top=$(pwd)/trace2top
bad=0
fail() { echo "own_command: $*"; bad=1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
export HOME="$dir" GIT_CONFIG_NOSYSTEM=1

"$top" --once --format=json -- git -c alias.x='!sleep 1; kill -9 $PPID' x >killed.json 2>err
[ $? -eq 137 ] || fail "the exit status is not that of the command"
grep -q '"state": *"signaled"' killed.json || fail "the killed root is not signaled"
grep -q '"signo": *9' killed.json || fail "the signal is not 9"
"$top" --once -- git -c alias.x='!sleep 1; kill -9 $PPID' x >killed.txt 2>err
grep -q 'SIGKILL  *1\.[0-9]*s  x' killed.txt || { fail "the report does not name the signal and the duration"; sed -n '/^Summary/,/^$/p' killed.txt; }

if [ -w /dev/full ]; then
	"$top" --once -- sh -c 'exit 7' >/dev/full 2>err
	[ $? -eq 7 ] || fail "a report that cannot be written hides the exit status of the command"
	"$top" --once -- true >/dev/full 2>err
	[ $? -eq 1 ] || fail "a report that cannot be written is not a failure"
fi

# `git version` has no regions, so the trace does not show Git's default nesting of 2.
"$top" --once --parts --format=json --record=one.t2rec.zst -- git version >live.json 2>err
"$top" --once --parts --format=json one.t2rec.zst >again.json 2>err || fail "reading again: $(cat err)"
nesting() { sed -n 's/.*"writer_nesting": *\([a-z0-9]*\).*/\1/p' "$1"; }
[ "$(nesting live.json)" = 100 ] || fail "the nesting of a command is $(nesting live.json)"
[ "$(nesting again.json)" = 100 ] || fail "the nesting of a recorded command is $(nesting again.json)"
exit $bad
