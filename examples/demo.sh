#!/bin/sh
# SPDX-License-Identifier: MIT
# A small real workload: Git commands in a scratch repository, with children, hooks,
# a clean filter (Git feeds it from its own thread), a push, fetches, gc, and failures.
#   examples/demo.sh            repeats rounds with pauses for five minutes
#   examples/demo.sh --short    one round, no pauses
# It uses only its own temporary directory, which it removes.
seconds=${DEMO_SECONDS:-300}
[ "$1" != --short ] || seconds=0

dir=$(mktemp -d) || exit 1
worker=
finish() {
	trap '' EXIT HUP INT TERM
	[ -z "$worker" ] || kill "$worker" 2>/dev/null
	wait
	rm -rf "$dir"
	exit "${1:-0}"
}
trap 'finish 0' EXIT
# trace2top sends SIGHUP if you quit it while this runs; not a failure.
trap 'finish 0' HUP
trap 'finish 130' INT
trap 'finish 143' TERM

unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
export HOME="$dir" XDG_CONFIG_HOME="$dir/.config"
export GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL="$dir/.gitconfig"
export GIT_TERMINAL_PROMPT=0 GIT_PAGER=cat GIT_EDITOR=true

pause() {
	[ "$seconds" -eq 0 ] || sleep "$1"
}

setup() {
	git config --global user.name Demo
	git config --global user.email demo@example.com
	git config --global init.defaultBranch main
	git config --global advice.detachedHead false
	git config --global gc.autoDetach false
	git config --global alias.st 'status --short'
	git init -q --bare "$dir/origin.git"
	git init -q "$dir/work"
	cd "$dir/work" || exit 1
	git remote add origin "$dir/origin.git"
	# The filter takes as long as the pause, so that a running region is visible.
	slow=0
	[ "$seconds" -eq 0 ] || slow=0.4
	git config filter.demo.clean "sleep $slow; tr a-z A-Z"
	echo '*.txt filter=demo' >.gitattributes
	cat >.git/hooks/pre-commit <<-EOH
		#!/bin/sh
		git diff --cached --stat >/dev/null
		sleep $slow
		git rev-parse -q --verify HEAD >/dev/null || true
	EOH
	cat >.git/hooks/commit-msg <<-'EOH'
		#!/bin/sh
		if grep -q refused "$1"; then
			echo "the hook refuses this message" >&2
			exit 1
		fi
	EOH
	cat >"$dir/origin.git/hooks/post-receive" <<-'EOH'
		#!/bin/sh
		git rev-list --count --all >/dev/null
	EOH
	chmod +x .git/hooks/pre-commit .git/hooks/commit-msg "$dir/origin.git/hooks/post-receive"
	mkdir src && for n in 1 2 3 4 5 6 7 8 9 10 11 12; do
		echo "int n$n;" >src/$n.c
	done
	echo one >notes.txt
	git add . && git commit -q -m 'First' && git push -q -u origin main
}

# One round of a user's commands.
work() {
	round=$1
	echo "line $round" >>notes.txt
	echo "int more$round;" >>src/$((round % 12 + 1)).c
	git st
	pause 0.3
	git add -A
	git commit -q -m "Round $round"
	pause 0.5
	git push -q
	pause 0.3
	git log --oneline -5
	git grep -c int >/dev/null
	case $((round % 4)) in
	0) git gc -q ;;
	1) echo "refused" >>notes.txt && git commit -q -a -m 'To be refused' ;;
	2) git checkout -q -b "topic-$round" && git checkout -q main ;;
	3) git rev-parse nosuch -- ;;
	esac
	[ ! -x "$traced" ] || "$traced" >/dev/null
	pause 0.5
	git rev-parse --verify -q nosuch
}

# In parallel: a server or another user.
fetches() {
	round=0
	while :; do
		round=$((round + 1))
		rm -rf "$dir/clone"
		git clone -q "file://$dir/origin.git" "$dir/clone"
		pause 1
		git -C "$dir/clone" fetch -q --prune
		git -C "$dir/clone" status --short
		[ "$seconds" -ne 0 ] || return 0
		pause 1.5
	done
}

# The example program traced.c, if it was built.
traced=$(cd "$(dirname "$0")/.." && pwd)/build/examples/traced
setup
fetches &
worker=$!
round=0
until=$(($(date +%s) + seconds))
while :; do
	round=$((round + 1))
	work "$round"
	[ "$(date +%s)" -lt "$until" ] || break
done
if [ "$seconds" -eq 0 ]; then
	work 3
	work 1
	wait "$worker"
	worker=
fi
exit 0
