#!/bin/sh
# SPDX-License-Identifier: MIT
# Spans for OpenTelemetry of real traces: the JSON of the protocol, ids by a reckoning of its own, and as
# many as the report counts; see otlp.py.
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$srcdir/build}/trace2top
python=${PYTHON3:-python3}
command -v "$python" >/dev/null && command -v xz >/dev/null || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
export HOME="$dir" XDG_CONFIG_HOME="$dir" PYTHONDONTWRITEBYTECODE=1
fail() {
	echo "$*"
	exit 1
}
otlp() {
	"$python" "$srcdir/tests/otlp.py" "$@"
}

# ---- the exporter ----

xz -dc "$srcdir/tests/corpus.tar.xz" | tar -xf - -C "$dir" || exit 99
for trace in "$dir"/clone/*/event "$dir"/errors/*/event "$dir"/alias/*/event "$dir"/commit_hooks/*/event; do
	[ -f "$trace" ] || continue
	"$top" --once --format=otlp "$trace" >"$dir/spans" && "$top" --once --format=json "$trace" >"$dir/report" ||
		fail "$trace: status $?"
	otlp check "$dir/spans" "$dir/report" || fail "$trace"
	checked=$((${checked:-0} + 1))
done
[ "${checked:-0}" -ge 5 ] || fail "only ${checked:-0} traces were checked"

# Redacted it is the same tree of the same sizes, without a word of what was worked on.
trace=$dir/clone/v2.39/event
sed -n 's/.*"worktree":"\([^"]*\)".*/\1/p' "$trace" | sort -u >"$dir/secret"
[ -s "$dir/secret" ] || fail "the trace names no directory"
"$top" --once --format=otlp "$trace" >"$dir/plain" || fail "plain: status $?"
"$top" --once --format=otlp --redact "$trace" >"$dir/redacted" || fail "redacted: status $?"
grep -qFf "$dir/secret" "$dir/plain" || fail "no directory is in the spans"
! grep -FoF -f "$dir/secret" "$dir/redacted" || fail "a directory came through"
[ "$(otlp count "$dir/plain")" = "$(otlp count "$dir/redacted")" ] || fail "redacted spans are others"
