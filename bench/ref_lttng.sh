#!/bin/sh
# SPDX-License-Identifier: MIT
# ref_lttng.sh PROGRAM [THREADS]: run PROGRAM in an LTTng session that records its events. Fails if
# the session cannot be created, or if events were lost, because losing them is cheaper. Starts a temporary
# session daemon if none is running.
dir=$(mktemp -d) || exit 1
session=bench-trace2-$$
daemon=
clean() {
	lttng destroy "$session" >/dev/null 2>&1
	if [ -n "$daemon" ]; then
		kill "$daemon" 2>/dev/null
		while kill -0 "$daemon" 2>/dev/null; do
			sleep 0.1
		done
	fi
	rm -rf "$dir"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

if ! lttng --no-sessiond list >/dev/null 2>&1; then
	lttng-sessiond --daemonize --no-kernel --pidfile="$dir/pid" >/dev/null 2>&1 || exit 1
	daemon=$(cat "$dir/pid")
fi
{
	lttng create "$session" --output="$dir/trace" &&
	lttng enable-channel --userspace --session="$session" --subbuf-size=8M --num-subbuf=4 all &&
	lttng enable-event --userspace --session="$session" --channel=all 'bench_trace2:*' &&
	lttng start "$session"
} >/dev/null 2>&1 || exit 1
"$@" >"$dir/runs" || exit 1
lttng stop "$session" >"$dir/stopped" 2>&1
if grep -qi 'discarded' "$dir/stopped" || [ -z "$(find "$dir/trace" -type f -size +64k)" ]; then
	exit 1
fi
cat "$dir/runs"
