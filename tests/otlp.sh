#!/bin/sh
# SPDX-License-Identifier: MIT
# OpenTelemetry spans of real traces: the protocol's JSON, independently calculated ids, and the
# counts of the report; see otlp.py.
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
	"$python" -S "$srcdir/tests/otlp.py" "$@"
}

# ---- the exporter ----

"$srcdir/tests/unpack.sh" corpus "$dir" || exit 99
for trace in "$dir"/clone/*/event "$dir"/errors/*/event "$dir"/alias/*/event "$dir"/commit_hooks/*/event; do
	[ -f "$trace" ] || continue
	"$top" --once --format=otlp "$trace" >"${trace%event}spans" &&
		"$top" --once --format=json "$trace" >"${trace%event}report" || fail "$trace: status $?"
	checked="$checked ${trace%/event}"
done
set -- $checked
[ $# -ge 5 ] || fail "only $# traces are checked"
otlp check "$@" || fail "a trace differs"

# A redacted export is the same tree with the same sizes, without names.
trace=$dir/clone/v2.39/event
sed -n 's/.*"worktree":"\([^"]*\)".*/\1/p' "$trace" | sort -u >"$dir/secret"
[ -s "$dir/secret" ] || fail "the trace names no directory"
"$top" --once --format=otlp "$trace" >"$dir/plain" || fail "plain: status $?"
"$top" --once --format=otlp --redact "$trace" >"$dir/redacted" || fail "redacted: status $?"
grep -qFf "$dir/secret" "$dir/plain" || fail "no directory is in the spans"
! grep -FoF -f "$dir/secret" "$dir/redacted" || fail "a directory is in the redacted spans"
gzip -dc "$dir/big/event.gz" | head -3000 >"$dir/some.event"
"$top" --once --format=otlp "$dir/some.event" >"$dir/spans" || fail "some: status $?"
set -- $(otlp count "$dir/plain" "$dir/redacted" "$dir/spans")
[ "$1 $2 $3 $4" = "$5 $6 $7 $8" ] || fail "redacted spans differ in more than text: $*"
all=$9
[ "$all" -gt 600 ] || fail "only $all spans"

# ---- the sender ----

case $("$top" --version) in
*"otlp: not sent"*)
	"$top" --once --otlp=http://127.0.0.1:1 "$trace" >"$dir/out" 2>&1
	[ $? = 2 ] && grep -q libcurl "$dir/out" || fail "missing data is not reported: $(cat "$dir/out")"
	exit 0
	;;
esac
trap 'kill $servers 2>/dev/null; rm -rf "$dir"' EXIT
# One process is all receivers: NAME[,ANSWER...].
set -- fine busy,503:1,502 asked,429:1,504 wrong,400 partial,partial:5 closed,close,close waits,all=503:60 \
	headers refuses,401 hangs,all=hang live
for name; do
	at=$dir/at-${name%%,*}
	mkdir "$at" && : >"$at/accepted" || exit 99
	shift
	set -- "$@" "$dir/at-$name"
done
"$python" -S "$srcdir/tests/otlp_receiver.py" "$@" &
servers=$!
receiver() {
	at=$dir/at-$1
	await "a receiver" test -f "$at/port"
	read -r port <"$at/port"
	url=http://127.0.0.1:$port
}
await() {
	what=$1
	shift
	for _ in $(seq 2400); do
		"$@" && return
		sleep 0.05
	done
	fail "$what did not arrive"
}

# All faults in parallel: put = received + rejected + dropped.
faults="fine busy asked wrong partial closed waits"
for name in $faults; do
	receiver "$name"
	"$top" --once --otlp="$url" "$dir/some.event" >"$at/report" 2>"$at/told" &
	eval "run_$name=$!"
done
for name in $faults; do
	eval "wait \$run_$name"
	eval "status_$name=$?"
done
# $1: fault; $2: exit status; $3: number of rejected spans; $4: whether spans were dropped. Reads the
# number of distinct spans that arrived.
accounted() {
	eval "status=\$status_$1"
	read -r _ arrived _ || fail "$1: nothing is counted"
	told=$(sed -n 's/.*of \([0-9]*\) spans \([0-9]*\) were refused, \([0-9]*\) were dropped.*/\1 \2 \3/p' "$dir/at-$1/told")
	set -- "$@" ${told:-"$all" 0 0}
	[ ! -s "$dir/at-$1/errors" ] || fail "$1: the receiver: $(cat "$dir/at-$1/errors")"
	[ $status = "$2" ] || fail "$1: status $status: $(cat "$dir/at-$1/told")"
	[ "$5" = "$all" ] || fail "$1: $5 spans of $all"
	[ "$6" = "$3" ] || fail "$1: $6 were rejected, not $3"
	[ "$(($7 > 0))" = "$4" ] || fail "$1: $7 were dropped"
	[ "$1" != partial ] || arrived=$((arrived - $3))
	[ $((arrived + $6 + $7)) = "$all" ] || fail "$1: $arrived arrived, $6 were rejected, $7 dropped, of $all"
}
refused=$(sed -n 's/^400 \([0-9]*\) .*/\1/p' "$dir/at-wrong/log")
set --
for name in $faults; do
	set -- "$@" "$dir/at-$name/accepted"
done
otlp count "$@" >"$dir/counted" || fail "malformed spans were accepted"
{
	accounted fine 0 0 0
	accounted busy 0 0 0
	accounted asked 0 0 0
	accounted wrong 1 "$refused" 0
	accounted partial 1 5 0
	accounted closed 0 0 0
	accounted waits 1 0 1
} <"$dir/counted"
grep -q 'too^\[\[2Jold' "$dir/at-partial/told" || fail "the reason of the rejection is missing: $(cat "$dir/at-partial/told")"
grep -q ' /v1/traces - gzip$' "$dir/at-fine/log" || fail "not compressed, or to another path: $(cat "$dir/at-fine/log")"
[ "$(cut -d' ' -f1 "$dir/at-busy/log" | head -2 | tr '\n' ' ')" = "503 502 " ] || fail "not retried each time"

printf '# a comment\nAuthorization: Bearer xyzzy\n' >"$dir/headers" && chmod 600 "$dir/headers"
receiver headers
"$top" --once --otlp="$url" --otlp-headers="$dir/headers" "$trace" >/dev/null 2>"$dir/told" || fail "headers: status $?"
[ ! -s "$dir/told" ] || fail "headers: $(cat "$dir/told")"
grep -q ' Bearer xyzzy ' "$dir/at-headers/log" || fail "the header did not arrive"
chmod 644 "$dir/headers"
"$top" --once --otlp="$url" --otlp-headers="$dir/headers" "$trace" >/dev/null 2>"$dir/told" || fail "readable: status $?"
grep -q 'chmod 600' "$dir/told" || fail "no warning about a readable file"
printf 'no header\n' >"$dir/headers"
"$top" --once --otlp="$url" --otlp-headers="$dir/headers" "$trace" >/dev/null 2>"$dir/told"
[ $? = 2 ] && grep -q 'line 1 of' "$dir/told" || fail "a line that is not a header: $(cat "$dir/told")"
receiver refuses
"$top" --once --otlp="http://me:xyzzy@127.0.0.1:$port/?key=xyzzy" "$trace" >"$dir/out" 2>"$dir/told"
[ $? = 1 ] && grep -q 'rejected with HTTP status 401' "$dir/told" || fail "401: $(cat "$dir/told")"
! grep -q xyzzy "$dir/out" "$dir/told" || fail "a password is shown"
for bad in 'http://me:xyzzy/pw@host' 'http://me:xyzzy?pw@host' 'https://me:xyzzy#pw@host' 'htp://me:xyzzy@host'; do
	"$top" --once --otlp="$bad" "$trace" >"$dir/out" 2>"$dir/told"
	[ $? = 2 ] || fail "$bad: accepted"
	! grep -q xyzzy "$dir/out" "$dir/told" || fail "$bad: a password is shown: $(cat "$dir/told")"
done

# At the end the program waits a few seconds for a collector that hangs.
receiver hangs
"$top" --otlp="$url" "$dir/some.event" </dev/null >/dev/null 2>"$at/told" &
run=$!
servers="$servers $run"
await "a request" test -s "$at/log"
kill -TERM "$run"
wait "$run" || fail "hangs: status $?"
set -- $(sed -n 's/.*of \([0-9]*\) spans \([0-9]*\) were refused, \([0-9]*\) were dropped.*/\1 \2 \3/p' "$at/told")
[ "${1:-0}" -gt 0 ] && [ "$1 0 $1" = "$*" ] || fail "hangs: $(cat "$at/told")"

# Without a terminal the program runs until it is stopped. A process is sent when it ends; those
# still running are sent at the end.
receiver live
"$top" --otlp="$url" "af_unix:$dir/socket" </dev/null >"$dir/out" 2>"$dir/told" &
run=$!
servers="$servers $run"
listens() { grep -q " 00010000 .* $dir/socket\$" /proc/net/unix; }
await "the socket" listens
sids() {
	grep -o '"trace2.cmd.sid"' "$dir/at-live/accepted" | wc -l
}
for i in 1 2 3; do
	GIT_TRACE2_EVENT=af_unix:stream:$dir/socket git version >/dev/null || exit 99
done
three() { [ "$(sids)" -ge 3 ]; }
await "a span of each" three
"$python" -S -c '
import signal, socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
about = "\"sid\":\"20260102T030405.000006Z-H0123abcd-P00000001\",\"thread\":\"main\",\"time\":\"2026-01-02T03:04:05.000000Z\""
s.sendall(("{\"event\":\"start\",%s,\"t_abs\":0.1,\"argv\":[\"git\",\"gc\"]}\n" % about).encode())
open(sys.argv[2], "w").close()
signal.pause()' "$dir/socket" "$dir/runs" &
servers="$servers $!"
await "what still runs" test -f "$dir/runs"
kill -TERM "$run"
wait "$run" || fail "live: status $?: $(cat "$dir/told")"
[ ! -s "$dir/told" ] || fail "live: $(cat "$dir/told")"
otlp count "$dir/at-live/accepted" >"$dir/counted"
[ "$(cut -d' ' -f3 "$dir/counted")" = 4 ] || fail "live: not four processes: $(cat "$dir/counted")"
grep -q '"96c0144455f15e9053b8ee5d43c46d6c","spanId":"a32651bc96149773"' "$dir/at-live/accepted" ||
	fail "live: ids differ"
[ "$(grep -o 'trace2.incomplete' "$dir/at-live/accepted" | wc -l)" = 1 ] || fail "live: incomplete processes"
exit 0
