#!/bin/bash
# SPDX-License-Identifier: MIT
# Commands that wait for a program with a built-in sleep: hooks, helpers, servers, editors. The parts of each command
# must name that program with its time (sleepers.py). Reads the recorded traces of sleepers.tar.xz. With
# SLEEPERS_LIVE=DIR it runs the commands of the installed Git, some 30 seconds, and writes the traces to DIR: so the
# archive was made, with Git 2.39.5 (SLEEPERS_LIVE=traces tests/sleepers.sh; tar -cJf tests/sleepers.tar.xz traces).
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
self=$(realpath "$0")
[ -n "${PYTHON3:=$(command -v python3)}" ] || exit 77
if [ -z "$SLEEPERS_LIVE" ]; then
	command -v xz >/dev/null || exit 77
	work=$(mktemp -d) || exit 99
	trap 'rm -rf "$work"' EXIT
	"$src/tests/unpack.sh" sleepers "$work" || exit 99
	"$PYTHON3" -S "$src/tests/sleepers.py" "$top" "$work/traces" 0
	exit
fi
command -v git >/dev/null || exit 77
[ -x "$(git --exec-path)/git-remote-http" ] && command -v script >/dev/null || exit 77
work=$(mktemp -d) || exit 99
out=$SLEEPERS_LIVE
mkdir -p "$out" && out=$(realpath "$out") && rm -f "$out"/*.event || exit 99
served=
trap '[ -z "$served" ] || kill "$served"; rm -rf "$work"' EXIT
cd "$work" || exit 99
export HOME=$work NAPS=$work/naps GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 LC_ALL=C GIT_EDITOR=true GIT_PAGER=cat \
	PATH=$work/bin:$PATH
unset GIT_DIR GIT_TRACE2 GIT_TRACE2_PERF GIT_TRACE2_EVENT
for pair in user.name=n user.email=e@example.com init.defaultBranch=main gc.auto=0 maintenance.auto=false \
	protocol.file.allow=always protocol.ext.allow=always http.receivepack=true advice.detachedHead=false; do
	git config --global "${pair%%=*}" "${pair#*=}"
done

mkdir bin
# nap SECONDS: sleep, and append the nanoseconds that this took to $NAPS.
cat >bin/nap <<'E'
#!/bin/sh
begun=$(date +%s%N)
sleep "$1"
echo $(($(date +%s%N) - begun)) >>"$NAPS"
E
cat >bin/fakessh <<'E'
#!/bin/sh
begun=$(date +%s%N)
while [ $# -gt 2 ]; do shift; done
unset GIT_TRACE2_EVENT
sleep "${SSH_NAP:-0}"
NAPS=/dev/null sh -c "$2"
echo $(($(date +%s%N) - begun)) >>"$NAPS"
E
cat >bin/git-slow <<'E'
#!/bin/sh
nap 0.5
E
cat >bin/slow-gpg <<'E'
#!/bin/sh
nap 0.5
cat >/dev/null
echo "[GNUPG:] SIG_CREATED " >&2
echo x
E
cat >bin/slow-askpass <<'E'
#!/bin/sh
case $1 in Username*) nap 0.5; echo u ;; *) echo p ;; esac
E
cat >bin/slow-credential <<'E'
#!/bin/sh
[ "$1" != get ] || { nap 0.5; echo username=u; echo password=p; }
E
cat >bin/slow-editor <<'E'
#!/bin/sh
nap 0.5
echo message >>"$1"
E
# A filter process: it sleeps before its first answer. Starting Python takes time, too.
cat >bin/slow-process <<'E'
#!/bin/sh
begun=$(date +%s%N)
process.py
echo $(($(date +%s%N) - begun)) >>"$NAPS"
E
cat >bin/process.py <<'E'
#!/usr/bin/env python3
import sys, time
i, o = sys.stdin.buffer, sys.stdout.buffer
def read():
    lines = []
    while True:
        n = int(i.read(4) or b"0000", 16)
        if n == 0:
            return lines
        lines.append(i.read(n - 4))
def write(*lines):
    for line in lines:
        o.write(b"%04x" % (len(line) + 4) + line)
    o.write(b"0000")
    o.flush()
read(); write(b"git-filter-server\n", b"version=2\n")
read(); write(b"capability=smudge\n", b"capability=clean\n")
time.sleep(0.5)
while read():
    data = b"".join(read())
    write(b"status=success\n")
    write(*([data] if data else []))
    write()
E
chmod +x bin/*

# sleeper NAME TEXT COMMAND...: record a command. The name of the parts that the sleeping program has contains the
# text; remote:REGEX: if it is on the other side of a connection, these remote times; finding:ID TEXT: this finding.
sleeper() {
	local name=$1 pattern=$2
	shift 2
	: >"$NAPS"
	GIT_TRACE2_EVENT=$out/$name.event GIT_TRACE2_EVENT_NESTING=100 "$@" >"$work/said" 2>&1 </dev/null
	[ -s "$NAPS" ] || { echo "$name: nothing slept"; cat "$work/said"; }
	sed -i "s,$work,/w,g" "$out/$name.event"
	printf '%s\t%s\t%s\t%s\n' "$name" "$(awk '{ n += $1 } END { printf "%d", n / 1000 }' "$NAPS")" "$pattern" "${*//$work//w}" >>"$out/cases"
}

hook() {
	rm -f "$1"/hooks/*
	mkdir -p "$1/hooks"
	printf '#!/bin/sh\nnap %s\n' "${3:-0.5}" >"$1/hooks/$2"
	chmod +x "$1/hooks/$2"
}

: >"$out/cases"
git init -q repo
for i in 1 2 3 4 5 6; do
	echo "$i" >"repo/f$i"
	git -C repo add . && git -C repo commit -q -m "$i"
done
git clone -q --bare repo server.git
git clone -q server.git clone
git clone -q --bare repo far.git
git -C far.git config receive.denyCurrentBranch ignore

# ---- hooks ----
cd repo || exit 99
for name in pre-commit prepare-commit-msg commit-msg post-commit post-index-change; do
	hook .git $name
	echo $name >f1
	git add f1
	sleeper hook-$name "hook $name" git commit -q -m x
done
hook .git post-checkout
sleeper hook-post-checkout 'hook post-checkout' git checkout -q -b topic HEAD~2
rm .git/hooks/*
git commit -q --allow-empty -m topic
git checkout -q main
hook .git post-merge
sleeper hook-post-merge 'hook post-merge' git merge -q topic
hook .git pre-rebase
sleeper hook-pre-rebase 'hook pre-rebase' git rebase -q --force-rebase HEAD~1
hook .git post-rewrite
sleeper hook-post-rewrite 'hook post-rewrite' git commit -q --allow-empty --amend -m y
hook .git applypatch-msg
git format-patch -q -1 -o ../patches HEAD~3
git checkout -q -b mailed HEAD~4
sleeper hook-applypatch-msg 'hook applypatch-msg' git am -q ../patches/0001-*
git am --abort 2>/dev/null
git checkout -q main
hook .git reference-transaction 0.2
sleeper hook-reference-transaction 'hook reference-transaction' git branch copied
rm .git/hooks/*
hook ../clone/.git pre-push
git -C ../clone commit -q --allow-empty -m x
sleeper hook-pre-push 'hook pre-push' git -C ../clone push -q origin main
rm ../clone/.git/hooks/*

# ---- the server's hooks ----
for name in pre-receive update post-receive; do
	hook ../server.git $name
	git -C ../clone commit -q --allow-empty -m $name
	sleeper server-$name "finding:slow-hook $name" git -C ../clone push -q origin main
done
rm ../server.git/hooks/*
hook ../far.git update 0
export GIT_SSH=fakessh GIT_SSH_VARIANT=ssh
SSH_NAP=0.5 sleeper ssh-push 'remote:(waiting|transfer)' git -C ../clone push -q "host:$work/far.git" main:ssh
hook ../far.git update
SSH_NAP=0.5 sleeper ssh-fetch fakessh git -C ../clone fetch -q "host:$work/far.git"
sleeper ssh-server-hook 'remote:(waiting|transfer)' git -C ../clone push -q "host:$work/far.git" main:hooked
rm ../far.git/hooks/*
unset GIT_SSH GIT_SSH_VARIANT
sleeper remote-ext remote:waiting git ls-remote "ext::sh -c nap% 0.5;git-upload-pack% $work/far.git"

# ---- HTTP ----
"$PYTHON3" -S "$src/tests/slow_server.py" "$work" "$work/port" & served=$!
until [ -e "$work/port.ready" ] || ! kill -0 $served; do sleep 0.05; done
http=$(cat "$work/port.ready")
sleeper http-first 'remote:waiting' git ls-remote "$http/wait-0.25/far.git"
sleeper http-post 'remote:waiting' git clone -q --bare "$http/post-0.3/far.git" ../http.git
sleeper http-push 'remote:waiting' git -C ../clone push -q "$http/post-0.5/far.git" main:http
sleeper credential slow-credential git -c "credential.helper=!slow-credential" ls-remote "$http/auth/far.git"
GIT_ASKPASS=slow-askpass sleeper askpass slow-askpass git ls-remote "$http/auth/far.git"

# ---- editors, pagers, aliases, other commands ----
GIT_EDITOR=slow-editor sleeper editor-commit slow-editor git commit -q --allow-empty
GIT_EDITOR=slow-editor sleeper editor-tag slow-editor git tag -a v1
GIT_SEQUENCE_EDITOR='nap 0.5; true' sleeper editor-sequence 'nap 0.5; true' git rebase -q -i HEAD~2
GIT_PAGER='cat; nap 0.5' sleeper pager 'cat; nap 0.5' script -qec 'git log' /dev/null
sleeper alias 'git rev-parse HEAD; nap 0.5' git -c alias.x='!git rev-parse HEAD; nap 0.5; true' x
sleeper command git-slow git slow
sleeper rebase-exec 'nap 0.5' git rebase -q --exec 'nap 0.5' HEAD~1
git submodule --quiet add ../far.git sub && git commit -qm sub
sleeper foreach 'nap 0.5' git submodule foreach 'nap 0.5'

# ---- filters and drivers ----
for i in 1 2 3; do echo "$i" >"$i.bin"; done
echo '*.bin filter=f' >.gitattributes
git config filter.f.clean 'nap 0.5; cat'
sleeper filter-clean 'nap 0.5; cat' git add 1.bin
git add . && git commit -qm bin
git config filter.f.smudge 'nap 0.5; cat'
rm ./*.bin
sleeper filter-smudge 'nap 0.5; cat' git checkout -q 1.bin 2.bin
git config --unset filter.f.clean
git config --unset filter.f.smudge
git config filter.f.process slow-process
rm -f ./*.bin
sleeper filter-process slow-process git checkout -q .
git config --unset filter.f.process
echo '*.bin diff=d merge=m' >.gitattributes
echo more >>1.bin
git config diff.d.textconv 'sh -c "nap 0.2; cat \$0"'
sleeper textconv 'nap 0.2' git diff
git config --unset diff.d.textconv
GIT_EXTERNAL_DIFF='nap 0.5;:' sleeper diff-external 'nap 0.5' git diff
git checkout -q 1.bin && git commit -qam drivers
git checkout -q -b other && echo other >>1.bin && git commit -qam other
git checkout -q main && echo main >>1.bin && git commit -qam one
git config merge.m.driver 'nap 0.5; true'
sleeper merge-driver 'nap 0.5; true' git merge -q other
sleeper sign slow-gpg git -c gpg.program=slow-gpg commit -q -S --allow-empty -m signed
sleeper trailer 'nap 0.5' git -c trailer.x.key=x -c trailer.x.cmd='nap 0.5; echo' interpret-trailers --trailer=x=1 f2
printf '#!/bin/sh\nnap 0.5\nprintf "t\\0"\n' >../bin/watch && chmod +x ../bin/watch
git config core.fsmonitor watch
git update-index --fsmonitor
sleeper fsmonitor watch git status
git config --unset core.fsmonitor
cd .. || exit 99

# A machine that stops for a moment may make a program slow to start: only what returns counts.
"$PYTHON3" -S "$src/tests/sleepers.py" "$top" "$out" 2 && exit
[ -z "$SLEEPERS_AGAIN" ] && HOME= SLEEPERS_LIVE=$out SLEEPERS_AGAIN=1 "$self"
