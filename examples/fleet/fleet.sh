#!/bin/sh
# SPDX-License-Identifier: MIT
# A fleet on one machine: a NATS server, two agents by two names, some Git work for each, and the
# viewer. It needs nats-server and git, touches nothing but a directory of its own, and removes that.
#   examples/fleet/fleet.sh          shows it, until q
#   examples/fleet/fleet.sh --once   a round of work, then the report; more arguments are the viewer's
TRACE2TOP=${TRACE2TOP:-trace2top}
PATH=$PATH:/usr/sbin # where Debian has the server, and users do not look
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

# serve OPTION...: a server on a port that is free; its URL in `url`.
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

# 1. The server, and its streams. What --fleet-init prints is its configuration: a user for each host.
serve -js -sd "$dir/store"
"$TRACE2TOP" --fleet-init="$url" lab.build-01 lab.build-02 >"$dir/printed" || finish 1
kill $server && wait $server 2>/dev/null
sed "s|/var/lib/nats|$dir/store|; /^port:/d" "$dir/printed" >"$dir/server.conf"
serve -c "$dir/server.conf"

# credentials USER: a file of what it holds, "USER:PASSWORD".
credentials() {
	sed -n "s/.*(0600): \($1:.*\)/\1/p" "$dir/printed" >"$dir/$1.creds"
	echo "$dir/$1.creds"
}

# 2. Two agents. On a real fleet each is a service on its host: trace2top-forward.service. All hosts are
# ours, so that only passwords are redacted; of itself an agent sends no words that are not of Git.
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

# 3. Git, which writes to the agent of its host.
work() {
	GIT_TRACE2_EVENT="af_unix:stream:$dir/$1.sock" exec "$here/../demo.sh" $2 >/dev/null 2>&1
}

# 4. The viewer, with a user of its own.
view() {
	"$TRACE2TOP" --no-config --nats-creds="$(credentials viewer)" "$@" "$url/lab.*"
}

if [ "$1" = --once ]; then
	(work lab.build-01 --short)
	(work lab.build-02 --short)
	# Told to end, an agent sends what it has.
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
