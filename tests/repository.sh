#!/bin/sh
# SPDX-License-Identifier: MIT
# Findings about history examine the repository: of a worktree, a linked worktree and a bare one.
# The traces are Git's own; the time that the command took is set to three seconds.
command -v git >/dev/null || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
HOME=$dir GIT_CONFIG_NOSYSTEM=1 LC_ALL=C
export HOME GIT_CONFIG_NOSYSTEM LC_ALL
unset GIT_DIR GIT_TRACE2_EVENT GIT_CONFIG_GLOBAL
failed=0

git init -q "$dir/main" || exit 99
awk 'BEGIN {
	for (i = 0; i < 3000; i++) {
		print "commit refs/heads/main\ncommitter n <e@example.com> " 1767323100 + i " +0000\ndata 2\nc\n"
		printf "M 644 inline d/f%d.txt\ndata <<E\n%d\nE\n\n", i % 50, i
	} }' | git -C "$dir/main" fast-import --quiet || exit 99
git -C "$dir/main" symbolic-ref HEAD refs/heads/main
git clone -q --bare "$dir/main" "$dir/bare.git" || exit 99
git -C "$dir/main" worktree add -q "$dir/linked" --detach || exit 99
git -C "$dir/bare.git" worktree add -q "$dir/of-bare" --detach || exit 99

# log_from DIR ARGUMENTS...: the history-walk finding of `git ARGUMENTS log` in the directory.
log_from() {
	(cd "$1" && shift && GIT_TRACE2_EVENT=$dir/trace git "$@" log --oneline main -- d >/dev/null) || exit 99
	sed '/"event":"\(exit\|atexit\)"/s/"t_abs":[0-9.]*/"t_abs":3.000000/' "$dir/trace" |
		"$abs_top_builddir/trace2top" --once --findings - | grep -A3 history-walk
	: >"$dir/trace"
}

# expect STATE DIR ARGUMENTS...: `without`, `with` a commit-graph, or `unknown`.
expect() {
	state=$1
	shift
	said=$(log_from "$@")
	case $state:$said in
	without:*no\ commit-graph* | unknown:*history-walk*) ;;
	with:) return ;;
	*) echo "FAIL $state: $*: $said"; failed=1 ;;
	esac
	case $state:$said in unknown:*no\ commit-graph*) echo "FAIL known: $*: $said"; failed=1 ;; esac
}

for state in without with; do
	expect $state "$dir/main"
	expect $state / -C "$dir/main"
	expect $state "$dir/linked"
	expect $state "$dir/of-bare"
	expect $state / -C "$dir/bare.git"
	expect $state / -c core.pager=cat -C "$dir/bare.git"
	expect $state / "--git-dir=$dir/bare.git"
	expect $state / --git-dir "$dir/bare.git"
	expect $state / "--git-dir=$dir/main/.git"
	# Neither Git nor the arguments name the directory. With filters Git reports that it uses
	# them.
	if [ $state = without ]; then
		expect unknown "$dir/bare.git"
		expect unknown "$dir" -C bare.git
		expect unknown / -C "$dir" -C bare.git
	fi
	for repository in main bare.git; do
		git -C "$dir/$repository" commit-graph write --reachable --changed-paths 2>/dev/null || exit 99
	done
done
exit $failed
