#!/bin/sh
# SPDX-License-Identifier: MIT
# A fleet on one machine: a NATS server, two agents with different names, some Git work for each,
# and the viewer. Needs nats-server and git. Uses only its own temporary directory and removes it.
#   examples/fleet/fleet.sh          show it; q quits
#   examples/fleet/fleet.sh --once   one round of work, then the report; further arguments go to the viewer
TRACE2TOP=${TRACE2TOP:-trace2top}
PATH=$PATH:/usr/sbin # Debian's place for the server
here=$(cd "$(dirname "$0")" && pwd) || exit 1
for program in nats-server git "$TRACE2TOP"; do
	command -v "$program" >/dev/null || { echo "fleet.sh: $program is missing" >&2; exit 2; }
done

dir=$(mktemp -d) || exit 1
started= server=
finish() {
	trap '' EXIT HUP INT TERM
	for pid in $started $server; do kill "$pid" 2>/dev/null; done
	wait
	rm -rf "$dir"
	exit "${1:-0}"
}
trap 'finish 1' HUP INT TERM
trap 'finish 0' EXIT
umask 077

# serve OPTION...: start a server on a free port; sets `url`.
serve() {
	rm -f "$dir"/*.ports
	nats-server "$@" -a 127.0.0.1 -p "${port:--1}" --ports_file_dir "$dir" >"$dir/server.log" 2>&1 &
	server=$!
	until url=$(sed -n 's/.*"nats":\["\([^"]*\)".*/\1/p' "$dir"/*.ports 2>/dev/null) && [ -n "$url" ]; do
		kill -0 $server 2>/dev/null || { cat "$dir/server.log" >&2; finish 1; }
		sleep 0.1
	done
	port=${url##*:}
}

# 1. The server and its streams. --fleet-init prints its configuration, with one user per host.
serve -js -sd "$dir/store"
"$TRACE2TOP" --fleet-init="$url" lab.build-01 lab.build-02 >"$dir/printed" || finish 1
kill $server && wait $server 2>/dev/null
sed "s|/var/lib/nats|$dir/store|; /^port:/d" "$dir/printed" >"$dir/server.conf"
serve -c "$dir/server.conf"

# credentials USER: create a file with "USER:PASSWORD" and print its name.
credentials() {
	sed -n "s/.*(0600): \($1:.*\)/\1/p" "$dir/printed" >"$dir/$1.creds"
	echo "$dir/$1.creds"
}

# 2. Two agents. In a real fleet each is a service on its host: trace2top-forward.service. All hosts
# are ours, so only passwords are redacted; by default an agent redacts all words that are not Git's.
for host in lab.build-01 lab.build-02; do
	"$TRACE2TOP" --no-config --forward="$url" --as=$host --redact=secrets --nats-creds="$(credentials $host)" \
		"af_unix:stream:$dir/$host.sock" </dev/null >"$dir/$host.log" 2>&1 &
	started="$started $!"
	eval "agent_$((n = n + 1))=$!"
	until [ -S "$dir/$host.sock" ]; do
		kill -0 $! 2>/dev/null || { cat "$dir/$host.log" >&2; finish 1; }
		sleep 0.1
	done
done

# 3. Git writes to the agent of its host.
work() {
	GIT_TRACE2_EVENT="af_unix:stream:$dir/$1.sock" exec "$here/../demo.sh" $2 >/dev/null 2>&1
}

# 4. The viewer, with its own user.
view() {
	"$TRACE2TOP" --no-config --nats-creds="$(credentials viewer)" "$@" "$url/lab.*"
}

if [ "$1" = --once ]; then
	(work lab.build-01 --short)
	(work lab.build-02 --short)
	# On SIGTERM an agent sends its pending events.
	kill $agent_1 $agent_2
	wait $agent_1 $agent_2
	started=
	view "$@"
	finish $?
fi
work lab.build-01 &
started="$! $started"
work lab.build-02 &
started="$! $started"
view "$@"
finish $?
