#!/bin/bash
# SPDX-License-Identifier: MIT
# 80 ordinary Git commands in a fresh repository: none has a finding of cost or trouble.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
command -v git >/dev/null && [ -n "$PYTHON3" ] || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
self=$(realpath "$0")
cd "$dir" || exit 99
export HOME=$dir GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_EDITOR=true GIT_PAGER=cat LC_ALL=C
unset GIT_DIR GIT_TRACE2 GIT_TRACE2_PERF GIT_TRACE2_EVENT
for pair in user.name=n user.email=e@example.com init.defaultBranch=main protocol.file.allow=always \
	advice.detachedHead=false; do
	git config --global "${pair%%=*}" "${pair#*=}"
done
mkdir traces repo
cd repo || exit 99
nr=0
# Run one command; each has a trace of its own, so that they are not a loop.
while read -r line; do
	case $line in
	'' | '#'*) continue ;;
	'!'*) eval "${line#!}" >/dev/null 2>&1 && continue ;;
	esac
	nr=$((nr + 1))
	GIT_TRACE2_EVENT=$dir/traces/$nr.event GIT_TRACE2_EVENT_NESTING=100 bash -c "git $line" \
		>"$dir/said" 2>&1 </dev/null || { echo "git $line:"; cat "$dir/said"; exit 1; }
done <<'END'
init -q
!for i in $(seq 40); do mkdir -p d$((i % 5)); seq $i 90 >d$((i % 5))/f$i; done; cp -r d1 other
status
add d0 d1
status --short
add -A
commit -m one
log
log --oneline
log --stat
log -p
show
show --stat HEAD
!echo more >>d1/f1; echo more >>d2/f2
status
diff
diff --stat
diff --name-only
add -u
diff --cached
commit -m two
commit --amend -m second
branch topic
branch
branch -a
branch -v
checkout topic
!echo topic >d3/new
add d3/new
commit -m three
switch main
merge --no-ff -m merged topic
log --graph --oneline
log -- d1/f1
blame d1/f1
shortlog -s HEAD
tag v1
tag -a v2 -m v2
tag --list
tag --contains HEAD~1
describe --tags
rev-parse HEAD
rev-parse --show-toplevel
rev-list --count HEAD
merge-base main topic
name-rev HEAD
ls-files
ls-tree -r HEAD
cat-file -p HEAD
grep more
grep -n more HEAD
!echo stashed >>d1/f1
stash
stash list
stash pop
restore d1/f1
reset --hard
reset --soft HEAD~1
reset --hard ORIG_HEAD
mv d1/f1 d1/moved
commit -m moved
rm -q d2/f2
commit -m removed
revert --no-edit HEAD
cherry-pick --allow-empty --keep-redundant-commits HEAD~1
rebase --force-rebase HEAD~2
reflog
config --list
config user.nick n
remote -v
clone -q . ../clone
clone -q --bare . ../bare.git
remote add origin ../bare.git
fetch origin
push -q origin main
branch --set-upstream-to=origin/main
status -sb
pull -q
ls-remote origin
for-each-ref
worktree add -q ../tree HEAD~1
worktree list
notes add -m note
archive -o ../a.tar HEAD
format-patch -1 -o ../patches
bundle create ../b.bundle main
fsck
gc -q
count-objects -v
clean -n
check-ignore -v d1/moved || true
submodule status
END
[ "$nr" -ge 80 ] || { echo "only $nr commands"; exit 1; }
for trace in "$dir"/traces/*; do
	"$top" --no-config --once --findings --format=json "$trace" | tr -d '\n'
	echo
done >"$dir/reports"
"$PYTHON3" -S - "$dir/reports" <<'END'
import json, sys
reports = [json.loads(line) for line in open(sys.argv[1])]
found = [(f, report) for report in reports for f in report["findings"] if f["level"] in ("cost", "trouble")]
for f, report in found:
	print(report["processes"][0]["argv"], f["id"], f["evidence"], f["held"], f["share"])
sys.exit(bool(found))
END
bad=$?
echo "$nr ordinary commands, $([ $bad = 0 ] && echo no finding || echo findings)"
# A machine that stops for a moment may make an ordinary command slow: only a finding that returns counts.
if [ $bad = 1 ] && [ -z "$ORDINARY_AGAIN" ]; then
	HOME= ORDINARY_AGAIN=1 "$self"
	exit
fi
exit $bad
