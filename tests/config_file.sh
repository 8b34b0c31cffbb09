#!/bin/sh
# SPDX-License-Identifier: MIT
# Configuration files: reports and dumps use only the one of --config. A mistake in it is one line
# on standard error and not fatal.
set -u
top=${abs_top_builddir:-.}/trace2top
data=${abs_top_srcdir:-.}/tests/data/dump.event
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
fail() {
	echo "FAIL: $*"
	exit 1
}
XDG_CONFIG_HOME=$dir
export XDG_CONFIG_HOME
mkdir "$dir/trace2top" || exit 99
printf 'depth = 0\nascii = yes\npage = timings\n' >"$dir/trace2top/config"
echo dump >"$dir/keys"
dump() {
	TZ=UTC "$top" --keys="$dir/keys" --dump=- --size=120x36 --clock=EVENTS "$@" "$data"
}
dump >"$dir/plain" 2>"$dir/err" || fail "a dump fails"
dump --no-config >"$dir/none" || fail "--no-config fails"
cmp "$dir/plain" "$dir/none" || fail "a dump depends on the user's configuration"
dump --config="$dir/trace2top/config" >"$dir/asked" || fail "--config fails"
LC_ALL=C grep -q '[^ -~]' "$dir/asked" && fail "ascii = yes has no effect"
grep -q ' depth ' "$dir/asked" || fail "depth = 0 has no effect"
grep -q '^| >' "$dir/plain" && fail "an ASCII screen without the option"

"$top" --once --clock=EVENTS "$data" >"$dir/report" || fail "a report fails"
"$top" --once --clock=EVENTS --no-config "$data" | cmp - "$dir/report" || fail "a report depends on the configuration"

printf "F2 w\ndump\n" >"$dir/keys"
cp "$dir/trace2top/config" "$dir/before"
dump >"$dir/written" || fail "a dump with keys of the setup fails"
cmp "$dir/before" "$dir/trace2top/config" || fail "a dump writes a configuration that it did not read"
grep -q 'Not saved: there is no configuration file' "$dir/written" || fail "a dump does not report that nothing is written"
cp "$dir/before" "$dir/own"
dump --config="$dir/own" >"$dir/written" || fail "a dump with its own configuration fails"
grep -q "Setup saved to" "$dir/written" || fail "the file of --config is not written"
cmp "$dir/before" "$dir/own" || fail "a file with equal settings was rewritten"
echo dump >"$dir/keys"

printf 'depth = 0\nspeed = 9\n' >"$dir/wrong"
dump --config="$dir/wrong" >"$dir/still" 2>"$dir/err" || fail "a mistake is fatal"
[ "$(wc -l <"$dir/err")" -eq 1 ] || fail "a mistake is not one line: $(cat "$dir/err")"
grep -q "^trace2top: $dir/wrong:2: unknown key 'speed'" "$dir/err" || fail "$(cat "$dir/err")"
grep -q ' depth ' "$dir/still" || fail "after a mistake the rest has no effect"
dump --config="$dir/nowhere" 2>"$dir/err" >/dev/null || fail "a missing file is fatal"
grep -q nowhere "$dir/err" || fail "a missing file of --config is not reported"
echo "ok"
