#!/bin/sh
# SPDX-License-Identifier: MIT
# --keys and --dump: the same keys over the same trace give the same screens, byte for byte.
# trace2top can read its own trace, but not one that it is writing.
set -u
top=${abs_top_builddir:-.}/trace2top
data=${abs_top_srcdir:-.}/tests/data/dump.event
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
fail() {
	echo "FAIL: $*"
	exit 1
}

cat >"$dir/keys" <<'KEYS'
dump four panes
Down Enter
dump process
Backspace
resize 40x10
dump small
Tab
dump threads
[ [
styles past
End ?
dump help
KEYS
for run in 1 2; do
	TZ=UTC "$top" --keys="$dir/keys" --dump="$dir/screens.$run" --size=120x36 --clock=EVENTS "$data" ||
		fail "exit status $?"
done
cmp "$dir/screens.1" "$dir/screens.2" || fail "two runs differ"
for title in 'four panes' process small threads help; do
	grep -q "^== $title\$" "$dir/screens.1" || fail "no screen '$title'"
done
grep -q ' AGO .* of ' "$dir/screens.1" || fail "[ did not look back"
LC_ALL=C grep -q "$(printf '[\001-\010\013-\037]')" "$dir/screens.1" && fail "control characters"

printf '\\\ntext name = pack-objects\nEnter\nw\n' >"$dir/keys"
(cd "$dir" && TZ=UTC "$top" --keys="$dir/keys" --dump=/dev/null --clock=EVENTS "$data") || fail "w"
"$top" --once --clock=EVENTS --filter='name = pack-objects' "$data" >"$dir/once"
cmp "$dir"/trace2top-*.txt "$dir/once" || fail "w does not write what --filter --once does"

# A time and steps lead to the same state: the one before the last event.
printf '[\ndump\n' >"$dir/keys"
TZ=UTC "$top" --keys="$dir/keys" --dump="$dir/stepped" --size=120x36 --clock=EVENTS "$data"
last=$(tail -n 1 "$data" | sed 's/.*"time":"[^T]*T\([^Z]*\)Z".*/\1/')
printf '@\ntext %s\nEnter\ndump\n' "$last" >"$dir/keys"
TZ=UTC "$top" --keys="$dir/keys" --dump="$dir/timed" --size=120x36 --clock=EVENTS "$data"
grep -q ' AGO .* of ' "$dir/timed" || fail "@ $last did not look back"
cmp "$dir/stepped" "$dir/timed" || fail "@ $last is not the state before the last event"

# Before the first event, both ends are reported, also for seconds and durations.
printf '@\ntext -1h\nEnter\ndump begin\n@\ntext +5ms\nEnter\ndump near\nEnd\n[\n]\ndump end\n' >"$dir/keys"
TZ=UTC "$top" --keys="$dir/keys" --dump="$dir/ends" --size=120x36 --clock=EVENTS "$data"
sed -n '/^== begin/,/^== near/p' "$dir/ends" >"$dir/begin"
grep -q '02:40:35.352 · 0 of 73' "$dir/begin" || fail "the beginning is not shown"
grep -q 'To trace every' "$dir/begin" && fail "untraced time looks like time without events"
grep -q '^No earlier events' "$dir/begin" || fail "the beginning is not reported"
grep -q '02:40:35.355 · 14 of 73' "$dir/ends" || fail "+5ms does not count from the beginning"
sed -n '/^== end/,$p' "$dir/ends" | grep -q 'No later events' || fail "the end is not reported"

"$top" --keys="$dir/nowhere" --dump=- "$data" 2>"$dir/err" >/dev/null
[ $? -eq 2 ] || fail "a missing file of keys is not a usage error"
echo NoSuchKey >"$dir/keys"
"$top" --keys="$dir/keys" --dump=- "$data" 2>"$dir/err" >/dev/null
[ $? -eq 2 ] && grep -q "NoSuchKey" "$dir/err" || fail "an unknown key is not named"

TRACE2TOP_TRACE2_EVENT=$dir/self "$top" --once --filter='not argv = "nats://me:hunter2@host"' "$data" \
	>/dev/null || fail "tracing itself"
grep -q 'nats://me:<REDACTED>@host' "$dir/self" || fail "its own command line is missing"
grep -q hunter2 "$dir/self" && fail "its own trace has a password"
"$top" --once --format=json "$dir/self" >"$dir/self.json" || fail "reading its own trace"
grep -q '"malformed": 0' "$dir/self.json" || fail "its own trace is malformed"
grep -q '"label": "apply"' "$dir/self.json" || fail "no region of its own"
TRACE2TOP_TRACE2_EVENT=$dir/self "$top" --once "$dir/self" 2>&1 >/dev/null |
	grep -q 'one of the sources' || fail "a target that is a source is accepted"
echo "ok"
