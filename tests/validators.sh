#!/bin/sh
# SPDX-License-Identifier: MIT
# Read exports with the programs that they are for: Chrome's own trace engine and speedscope (npm),
# flamegraph.pl, sqlite3. A missing program is skipped by name. VALIDATORS_INSTALL=1 installs those
# of npm into $VALIDATORS (default validators/ of the build directory), which needs the network.
set -u
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
top=$builddir/trace2top
VALIDATORS=${VALIDATORS:-$builddir/validators}
export VALIDATORS
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
passed=0 failed=0
ok() {
	passed=$((passed + 1))
}
fail() {
	echo "FAIL: $*"
	failed=$((failed + 1))
}
skip() {
	echo "skipped: $1 is not installed"
}

"$srcdir/tests/unpack.sh" corpus "$dir" || exit 99
set -- "$dir"/clone/v2.55/event "$dir"/gc/v2.55/event "$dir"/threads/v2.55/event "$dir"/fetch/v2.39/event
for trace in "$@"; do
	[ -f "$trace" ] || { echo "no $trace"; exit 99; }
done

if [ "${VALIDATORS_INSTALL:-}" = 1 ] && command -v npm >/dev/null && [ ! -d "$VALIDATORS/node_modules" ]; then
	mkdir -p "$VALIDATORS" && (cd "$VALIDATORS" && echo '{"private":true}' >package.json &&
		timeout 200 npm install --no-audit --no-fund @paulirish/trace_engine@0.0.65 speedscope@1.25.0 >/dev/null 2>&1) ||
		rm -rf "$VALIDATORS/node_modules"
fi

if command -v node >/dev/null && [ -d "$VALIDATORS/node_modules/@paulirish/trace_engine" ]; then
	for trace in "$@"; do
		"$top" --once --format=chrome "$trace" >"$dir/trace.json" || fail "$trace: status $?"
		want="$(grep -c '"name":"process_name"' "$dir/trace.json") processes, $(
			grep -c '"name":"thread_name"' "$dir/trace.json") threads, $(
			grep -c '^{"ph":"[XB]"' "$dir/trace.json") slices"
		got=$(node "$srcdir/tests/validators.mjs" "$dir/trace.json" 2>&1)
		[ "$got" = "$want" ] && ok || fail "trace_engine: $trace: '$got', not '$want'"
	done
else
	skip "npm's @paulirish/trace_engine"
fi

# speedscope opens a file as its command does, in a browser without a window.
browser=$(command -v chromium || command -v chromium-browser || command -v google-chrome)
if [ -n "$browser" ] && [ -f "$VALIDATORS/node_modules/speedscope/dist/release/index.html" ]; then
	for form in chrome:trace.json folded:run.folded; do
		file=$dir/${form#*:}
		"$top" --once --format="${form%:*}" "$1" >"$file" || fail "$form: status $?"
		printf 'speedscope.loadFileFromBase64("%s", "%s")' "${file##*/}" "$(base64 -w 0 "$file")" >"$dir/load.js"
		timeout 60 "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$dir/profile" \
			--allow-file-access-from-files --enable-logging=stderr --virtual-time-budget=10000 --dump-dom \
			"file://$VALIDATORS/node_modules/speedscope/dist/release/index.html#localProfilePath=$dir/load.js" \
			>"$dir/dom" 2>"$dir/console"
		grep -q 'Importing as \(Trace Event Format\|collapsed stack format\)' "$dir/console" &&
			grep -q '"import: ' "$dir/console" &&
			! grep -q 'Uncaught\|Unrecognized' "$dir/console" && ok ||
			fail "speedscope: $form: $(grep CONSOLE "$dir/console" | tail -3)"
	done
else
	skip "npm's speedscope with chromium"
fi

graph=$(command -v flamegraph.pl || { [ -f /usr/share/perl5/Devel/NYTProf/flamegraph.pl ] &&
	echo perl /usr/share/perl5/Devel/NYTProf/flamegraph.pl; })
if [ -n "$graph" ]; then
	for trace in "$@"; do
		"$top" --once --format=folded "$trace" >"$dir/run.folded" || fail "$trace: status $?"
		$graph --minwidth 0 "$dir/run.folded" >"$dir/run.svg" 2>"$dir/err"
		# One box for each frame that the previous line (they are sorted) does not have, and
		# one at the bottom.
		want=$(LC_ALL=C sort "$dir/run.folded" | sed 's/ [0-9]*$//' | awk -F';' '{
			same = 1
			for (i = 1; i <= NF; i++) { if (same && $i != was[i]) same = 0; n += !same }
			split($0, was, ";") }
			END { print n + 1 }')
		got=$(grep -c 'rx="2"' "$dir/run.svg")
		[ ! -s "$dir/err" ] && [ "$got" = "$want" ] && ok ||
			fail "flamegraph.pl: $trace: $got boxes, not $want: $(head -n 1 "$dir/err")"
	done
else
	skip "flamegraph.pl"
fi

if command -v sqlite3 >/dev/null; then
	for trace in "$@"; do
		"$top" --once --format=json "$trace" >"$dir/report.json"
		want=$(sed -n 's/.*"regions": \([0-9]*\),*$/\1/p' "$dir/report.json" | head -n 1)
		"$top" --once --format=csv "$trace" >"$dir/regions.csv"
		got=$(sqlite3 -cmd '.mode csv' -cmd ".import $dir/regions.csv regions" :memory: \
			'SELECT count(*) FROM regions WHERE open = 0' 2>&1)
		[ "$got" = "$want" ] && ok || fail "sqlite3: $trace: csv has $got regions, not $want"
		if "$top" --version | grep -q '^sqlite: not supported'; then continue; fi
		"$top" --once --format=sqlite -o "$dir/run.sqlite" "$trace" || fail "$trace: status $?"
		got=$(sqlite3 "$dir/run.sqlite" 'SELECT count(*) FROM slowest JOIN regions USING (sid, start, category)
			JOIN processes USING (sid) WHERE open = 0; PRAGMA integrity_check' 2>&1 | tr '\n' ' ')
		[ "$got" = "$want ok " ] && ok || fail "sqlite3: $trace: '$got', not $want regions"
	done
else
	skip "sqlite3"
fi

echo "[==========] $((passed + failed)) tests ran."
echo "[  PASSED  ] $passed test(s)."
[ $failed = 0 ] || echo "[  FAILED  ] $failed test(s), listed above"
[ $((passed + failed)) -gt 0 ] || exit 77
exit $((failed > 0))
