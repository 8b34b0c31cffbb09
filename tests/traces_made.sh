#!/bin/bash
# SPDX-License-Identifier: MIT
# traces_made.sh TRACE2TOP [OUT]: record commands of the installed Git, some slow for a planted
# reason and some ordinary, and count the findings: hits (the finding names the reason), misses,
# and false alarms (a finding of cost or trouble without a planted reason).
# It takes some minutes and 1 GB below TMPDIR. With OUT the traces stay there, one directory each.
# TRACES names the groups to record (see below; small repositories come from `ordinary`).
# Exit status 1 if there is a miss or a false alarm that the lists below do not name.
server=$(realpath "$(dirname "$0")/slow_server.py")
top=$(realpath "$1") keep=${2:+$(realpath -m "$2")}
[ -x "$top" ] && command -v git >/dev/null && [ -n "${PYTHON3:=$(command -v python3)}" ] || exit 77
work=$(mktemp -d) || exit 99
out=${keep:-$work/traces}
served=
trap '[ -z "$served" ] || kill "$served"; chmod -R u+w "$work"; rm -rf "$work"' EXIT
mkdir -p "$out" && : >"$out/wanted" && cd "$work" || exit 99
export FILTER_BRANCH_SQUELCH_WARNING=1 HOME=$work GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 GIT_AUTHOR_DATE='2026-01-02T03:04:05Z' \
	GIT_COMMITTER_DATE='2026-01-02T03:04:05Z' LC_ALL=C GIT_EDITOR=true GIT_PAGER=cat
unset GIT_DIR GIT_TRACE2_EVENT GIT_TRACE2 GIT_TRACE2_PERF
for pair in user.name=n user.email=e@example.com init.defaultBranch=main gc.auto=0 maintenance.auto=false \
	protocol.file.allow=always uploadpack.allowFilter=true uploadpack.allowAnySHA1InWant=true \
	advice.detachedHead=false http.receivepack=true; do
	git config --global "${pair%%=*}" "${pair#*=}"
done

# record NAME WANTED COMMAND...: record in the current directory. WANTED lists the ids of findings
# that may be found, the first of which must be; - for an ordinary command. If the first is ?, Git's
# trace does not show the reason. part:KIND: there is nothing to fix, and the largest part names it.
record() {
	name=$1 wanted=$2
	shift 2
	mkdir -p "$out/$name"
	printf '%s\t%s\t%s\n' "$name" "$wanted" "$*" >>"$out/wanted"
	GIT_TRACE2_EVENT=$out/$name GIT_TRACE2_EVENT_NESTING=${NESTING:-100} "$@" >"$work/said" 2>&1 </dev/null
	true
}

# tree DIR FILES PER_DIR: make a repository with one commit of FILES files, all checked out.
tree() {
	git init -q "$1"
	awk -v n="$2" -v per="$3" 'BEGIN {
		print "commit refs/heads/main\ncommitter n <e@example.com> 1767323040 +0000\ndata 1\nx"
		for (i = 0; i < n; i++) {
			text = "file " i "\n" i * 7 "\nmore of it\n"
			printf "M 644 inline d%d/e%d/f%d.txt\ndata %d\n%s\n", i / per / 20, i / per, i, length(text), text
		} }' | git -C "$1" fast-import --quiet
	git -C "$1" reset -q --hard
}

# commits DIR N: add N commits of one line each.
commits() {
	awk -v n="$2" 'BEGIN {
		for (i = 0; i < n; i++) {
			print "commit refs/heads/main\ncommitter n <e@example.com> " 1767323100 + i " +0000\ndata 2\nc\n"
			if (!i) print "from refs/heads/main^0"
			printf "M 644 inline log%d.txt\ndata <<E\n%d\nE\n\n", i % 5, i
		} }' | git -C "$1" fast-import --quiet
	git -C "$1" reset -q --hard
}

hook() {
	mkdir -p "$1/.git/hooks"
	printf '#!/bin/sh\n%s\n' "$3" >"$1/.git/hooks/$2"
	chmod +x "$1/.git/hooks/$2"
}

edit() { for f; do echo "$RANDOM" >>"$f"; done; }

# ---- ordinary commands: no finding that matters ----

ordinary() {
	tree small 40 10 && commits small 12
	tree mid 2000 40 && commits mid 60
	git clone -q --bare mid mid.git
	git clone -q mid.git clone
	cd small || exit 99
	record o-status - git status
	record o-log - git log --oneline
	record o-log-stat - git log --stat -5
	record o-show - git show
	record o-diff - git diff HEAD~3
	edit log0.txt
	record o-status-dirty - git status --short
	record o-diff-dirty - git diff
	record o-add - git add log0.txt
	record o-commit - git commit -m x
	record o-commit-amend - git commit --amend -m y
	record o-branch - git branch topic HEAD~2
	record o-checkout - git checkout topic
	record o-switch - git switch main
	record o-merge - git merge topic
	record o-tag - git tag v1
	record o-describe - git describe --tags
	edit log1.txt
	record o-stash - git stash
	record o-stash-pop - git stash pop
	record o-reset - git reset --hard
	record o-revert - git revert --no-edit HEAD
	record o-cherry-pick - git cherry-pick --allow-empty HEAD~1
	record o-rebase - git rebase --force-rebase HEAD~3
	record o-blame - git blame log0.txt
	record o-grep - git grep more
	record o-ls-files - git ls-files
	record o-rev-parse - git rev-parse HEAD
	record o-rev-list - git rev-list --count HEAD
	record o-cat-file - git cat-file -p HEAD
	record o-config - git config --list
	record o-fsck - git fsck
	record o-gc - git gc
	record o-repack - git repack -ad
	record o-archive - git archive -o ../a.tar HEAD
	record o-bundle - git bundle create ../b.bundle main
	record o-format-patch - git format-patch -o ../patches HEAD~2
	git checkout -qb am HEAD~2
	record o-am - git am ../patches/0001-c.patch
	git checkout -q main
	record o-worktree - git worktree add ../wt HEAD~1
	record o-submodule-add - git submodule add ../mid.git sub
	record o-submodule-status - git submodule status
	record o-notes - git notes add -m n
	record o-shortlog - git shortlog -s HEAD
	record o-reflog - git reflog
	record o-clean - git clean -nd
	record o-mv - git mv log1.txt log9.txt
	record o-rm - git rm -q log2.txt
	hook . pre-commit 'git diff --cached --check'
	record o-commit-hook - git commit -qm hooked
	record o-bisect - git bisect start HEAD HEAD~8
	cd ../clone || exit 99
	record o-status-mid - git status
	record o-diff-mid - git diff HEAD~20 --stat
	record o-log-mid - git log --oneline -p -20
	record o-checkout-mid - git checkout -q HEAD~30
	record o-checkout-back - git checkout -q main
	record o-fetch - git fetch
	edit log3.txt
	record o-commit-mid - git commit -qam x
	record o-push - git push -q origin main
	record o-pull - git pull -q
	record o-ls-remote - git ls-remote
	cd .. || exit 99
	record o-clone - git clone -q mid.git c2
	record o-clone-depth - git clone -q --depth=1 "file://$work/mid.git" c3
	record o-init - git init -q fresh
	record o-script - bash -c 'for d in small mid clone; do git -C $d status --short; git -C $d rev-parse HEAD; git -C $d branch; done'
	record o-clone-http - git clone -q "$http/mid.git" c4
	record o-fetch-http - git -C c4 fetch
	record o-failing - git -C c4 checkout no-such-branch
	record o-push-http - git -C c4 push -q origin main:o-pushed
	record o-clone-reference - git clone -q --reference mid mid.git c5
	record o-fetch-reference - git -C c5 fetch -q
	edit c5/log1.txt
	record o-commit-file - git -C c5 commit -qm x log1.txt
	record o-commit-editor - env GIT_EDITOR='sh -c "echo x >\"\$1\"" -' git -C c5 commit --allow-empty
	git -C mid.git bundle create -q ../mid.bundle --all
	record o-clone-bundle - git clone -q --bundle-uri="$work/mid.bundle" mid.git c6
	for i in $(seq 1 100); do git -C mid rev-parse HEAD >c6/.git/refs/heads/b$i; done
	record o-branches - git -C c6 branch --list
	record o-fetch-branches - git -C c6 fetch -q
	record o-log-renames - git -C mid log -M --oneline --stat
	record o-quick-hooks - git -C small commit -q --allow-empty -m x
}

# ---- slow for a known reason ----

files() {
	tree big 40000 50
	cd big || exit 99
	find . -name '*.txt' -not -path './.git/*' -exec touch -d '2026-02-03' {} +
	record refresh-touched index-refresh git status -uno
	record refresh-diff '? index-refresh' git -c core.preloadIndex=false diff
	record refresh-add index-refresh git add -u
	find . -name '*.txt' -not -path './.git/*' -exec touch -d '2026-02-04' {} +
	record refresh-commit '? index-refresh' git commit -qm x --allow-empty -a
	find . -name '*.txt' -not -path './.git/*' -exec touch -d '2026-02-05' {} +
	record refresh-update-index index-refresh git update-index -q --refresh
	record refresh-describe index-refresh git describe --dirty --always
	record refresh-again index-refresh git -c core.preloadIndex=false status -uno
	mkdir -p junk && (cd junk && for i in $(seq 0 600); do mkdir -p "j$i/k" && touch j$i/{a,b,c,d,e,f,g,h}.o j$i/k/{a,b,c,d,e,f,g,h}.o; done)
	record untracked-status 'untracked-scan index-refresh' git status
	record untracked-all 'untracked-scan index-refresh' git status -uall
	record untracked-clean untracked-scan git clean -nd
	record untracked-ls-files untracked-scan git ls-files --others --exclude-standard
	record untracked-add '? index-refresh' git add -n .
	echo '*.o' >.gitignore
	record untracked-ignored 'untracked-scan index-refresh' git status --ignored
	git config core.untrackedCache true
	record untracked-cache-fills 'untracked-cache-cold index-refresh' git status
	git status >/dev/null
	record untracked-cache-warm 'index-refresh' git status
	record untracked-cache-other 'untracked-scan index-refresh' git status -uall
	cd .. || exit 99
	git clone -q big serial-source
	record checkout-clone serial-checkout git clone -q "file://$work/big" slow-clone
	(cd slow-clone && git rm -rq . && git commit -qm empty)
	record checkout-branch '? serial-checkout' git -C slow-clone checkout -q HEAD~1
	(cd slow-clone && rm -rf d*)
	record checkout-reset '? serial-checkout index-refresh' git -C slow-clone reset -q --hard
	record checkout-worktree serial-checkout git -C big worktree add -q ../slow-worktree HEAD
	git init -q index
	cd index || exit 99
	blob=$(echo x | git hash-object -w --stdin)
	awk -v b="$blob" 'BEGIN { for (i = 0; i < 400000; i++) printf "100644 %s\td%d/e%d/f%d\n", b, i / 4000, i / 40, i }' |
		git update-index --index-info
	git config core.preloadIndex false
	git write-tree >tree && git update-ref refs/heads/main "$(git commit-tree -m x "$(cat tree)")"
	git ls-files -z | git update-index -z --skip-worktree --stdin
	record index-ls-files large-index git ls-files d1/e100
	touch new
	record index-add large-index git add new
	record index-status 'large-index index-refresh untracked-scan' git status -uno
	record index-read-tree 'large-index' git read-tree HEAD
	record index-cached 'large-index index-refresh' git rm -q --cached --sparse new
	cd .. || exit 99
	git clone -q --no-checkout --shared index sparse
	cd sparse || exit 99
	git sparse-checkout set --cone --sparse-index d1 && git checkout -q
	record sparse-ls-files 'sparse-index-expanded large-index' git ls-files
	record sparse-apply 'sparse-index-expanded large-index' git rm --cached -q --sparse d2/e200/f8000
	record sparse-cached '? large-index sparse-index-expanded' git grep --cached no-such -- d1
	cd .. || exit 99
}

hooks() {
	git clone -q mid.git hooked
	git clone -q --bare mid.git target.git
	cd hooked || exit 99
	git remote set-url origin ../target.git
	for h in pre-commit commit-msg prepare-commit-msg post-commit; do
		rm -f .git/hooks/*
		hook . $h 'sleep 0.6'
		record hook-$h slow-hook git commit -q --allow-empty -m x
	done
	rm -f .git/hooks/*
	hook . post-checkout 'sleep 0.6'
	record hook-post-checkout slow-hook git checkout -q HEAD~1
	git checkout -q main
	rm .git/hooks/*
	hook . pre-push 'sleep 0.6'
	record hook-pre-push slow-hook git push -q origin main
	rm .git/hooks/*
	hook . post-merge 'sleep 0.6'
	git branch side main~1 && git checkout -q side && git commit -q --allow-empty -m s
	record hook-post-merge slow-hook git merge -q main
	rm .git/hooks/*
	hook . post-rewrite 'sleep 0.6'
	record hook-post-rewrite slow-hook git commit -q --amend -m t
	rm .git/hooks/*
	hook . pre-rebase 'sleep 0.6'
	record hook-pre-rebase slow-hook git rebase -q --force-rebase HEAD~1
	rm .git/hooks/*
	hook . pre-commit 'for i in $(seq 1 60); do git rev-parse --show-toplevel; done; sleep 0.1'
	record hook-asks-again 'repeated-child slow-hook process-starts' git commit -q --allow-empty -m x
	rm .git/hooks/*
	git checkout -q main
	git commit -q --allow-empty -m p
	printf '#!/bin/sh\nsleep 0.6\n' >../target.git/hooks/pre-receive
	chmod +x ../target.git/hooks/pre-receive
	record hook-pre-receive slow-hook git push -q origin main
	hook . reference-transaction 'sleep 0.15'
	record hook-reference-transaction slow-hook git fetch -q . main:copied
	rm .git/hooks/*
	hook . fsmonitor-slow 'sleep 0.5; printf "t\0"'
	git config core.fsmonitor .git/hooks/fsmonitor-slow
	git update-index --fsmonitor
	record hook-fsmonitor 'fsmonitor-hook' git status
	hook . fsmonitor-slow 'printf "t\0/\0"'
	record hook-fsmonitor-trivial 'fsmonitor-trivial' git status
	cd .. || exit 99
}

maintenance() {
	tree gc 12000 50 && commits gc 3000
	git clone -q --bare gc gc.git
	cd gc || exit 99
	git remote add origin ../gc.git && git fetch -q
	git config gc.auto 1 && git config gc.autoDetach false && git config maintenance.auto true
	# 2,000 loose objects in the directories that gc samples, and a pack that is written again.
	loose() {
		for i in $(seq 1 2000); do echo "$i $RANDOM" >"p$i"; done
		git add -f p* && git -c maintenance.auto=false commit -qm "$RANDOM"
		rm -f .git/gc.pid
	}
	loose
	record gc-commit maintenance-in-foreground git commit -q --allow-empty -m x
	loose
	record gc-fetch maintenance-in-foreground git fetch -q origin
	loose
	git checkout -qb side && git -c maintenance.auto=false commit -q --allow-empty -m s && git checkout -q main &&
		git -c maintenance.auto=false commit -q --allow-empty -m m && git checkout -q side
	record gc-merge maintenance-in-foreground git merge -q main
	loose
	git -c maintenance.auto=false commit -q --allow-empty -m r
	record gc-rebase '? maintenance-in-foreground index-refresh' git rebase -q --force-rebase HEAD~1
	cd .. || exit 99
}

ssh() {
	cat >fakessh <<-'EOF'
	#!/bin/sh
	while [ $# -gt 2 ]; do shift; done
	sleep "${SSH_DELAY:-0.7}"
	exec sh -c "$2"
	EOF
	chmod +x fakessh
	export GIT_SSH=$work/fakessh GIT_SSH_VARIANT=ssh
	record ssh-ls-remote ssh-setup git ls-remote "host:$work/mid.git"
	record ssh-clone ssh-setup git clone -q --no-checkout "host:$work/mid.git" ssh-clone
	git -C ssh-clone reset -q --hard
	record ssh-fetch ssh-setup git -C ssh-clone fetch -q
	git -C ssh-clone commit -q --allow-empty -m x
	record ssh-push ssh-setup git -C ssh-clone push -q origin main:pushed
	record ssh-pull ssh-setup git -C ssh-clone pull -q --rebase
	git -C ssh-clone config protocol.version 0
	record ssh-old-protocol 'ssh-setup' git -C ssh-clone fetch -q
	git -C ssh-clone config --unset protocol.version
	for r in a b c; do git -C ssh-clone remote add $r "host:$work/mid.git"; done
	record fetch-all-serial 'serial-fetch ssh-setup' git -C ssh-clone fetch -q --all
	record fetch-multiple-serial 'serial-fetch ssh-setup' git -C ssh-clone fetch -q --multiple a b c
	git init -q super
	(cd super && for i in 1 2 3 4; do git -c protocol.file.allow=always submodule --quiet add ../mid.git s$i; done
	git commit -qm x)
	git clone -q --recurse-submodules -j4 super super2 2>/dev/null
	for i in 1 2 3 4; do git -C super2/s$i remote set-url origin "host:$work/mid.git"; done
	record fetch-submodules-serial 'serial-fetch ssh-setup' git -C super2 fetch -q --recurse-submodules=yes
	unset GIT_SSH GIT_SSH_VARIANT
}

net() {
	git config --global credential.helper "!f() { sleep 0.6; echo username=u; echo password=p; }; f"
	record credential-fetch credential-helper git ls-remote "$http/auth/mid.git"
	record credential-clone credential-helper git clone -q "$http/auth/mid.git" auth-clone
	git config --global --unset credential.helper
	mkdir -p bin && printf '#!/bin/sh\nsleep 0.6; echo username=u; echo password=p\n' >bin/git-credential-slow
	chmod +x bin/git-credential-slow
	PATH=$work/bin:$PATH record credential-command credential-helper git -c credential.helper=slow -C auth-clone fetch -q
	export GIT_SSH=$work/fakessh GIT_SSH_VARIANT=ssh SSH_DELAY=0.05
	for i in 1 2 3 4; do git clone -q --no-checkout --filter=blob:none "host:$work/mid.git" partial$i; done
	record lazy-log lazy-fetch git -C partial1 log -p -8 --no-renames
	record lazy-grep lazy-fetch git -C partial2 grep no-such HEAD~30 -- 'd0/e0/*' log0.txt
	record lazy-blame lazy-fetch git -C partial3 blame HEAD -- log3.txt
	record lazy-search lazy-fetch git -C partial4 log --oneline -S7 -12 -- log1.txt
	unset GIT_SSH GIT_SSH_VARIANT SSH_DELAY
}

filters() {
	git init -q filtered
	cd filtered || exit 99
	for i in $(seq 1 150); do echo "$i" >"f$i.big"; done
	echo '*.big filter=slow' >.gitattributes
	git add . && git commit -qm x
	git config filter.slow.clean cat && git config filter.slow.smudge 'sh -c "cat"'
	touch -d '2026-03-04' ./*.big
	record filter-clean-add 'filter-per-file process-starts' git add .
	rm ./*.big
	record filter-smudge-checkout 'filter-per-file process-starts' git checkout -q .
	touch -d '2026-03-05' ./*.big
	record filter-clean-status 'filter-per-file process-starts' git status
	edit f*.big
	record filter-stash 'filter-per-file process-starts' git stash -q
	rm ./*.big
	record filter-reset 'filter-per-file process-starts' git reset -q --hard
	echo '*.big diff=slow' >.gitattributes
	git config diff.slow.textconv 'sleep 0.01; cat'
	edit f*.big && git commit -qam y
	record textconv-log 'diff-driver-per-file' git log -p -1
	record textconv-diff 'diff-driver-per-file' git diff HEAD~1
	echo '*.big merge=slow' >.gitattributes
	git config merge.slow.driver 'sleep 0.01; true'
	git commit -qam z
	git checkout -qb one && edit f*.big && git commit -qam one
	git checkout -q main && edit f*.big && git commit -qam two
	record merge-driver 'filter-per-file' git merge -q one
	git reset -q --hard
	git config diff.slow.command 'sleep 0.01; true'
	git config --unset diff.slow.textconv
	echo '*.big diff=slow' >.gitattributes
	edit f*.big
	record diff-external 'diff-driver-per-file' git diff
	cd .. || exit 99
}

many() {
	record loop-status 'command-in-a-loop' bash -c 'for i in $(seq 1 30); do git -C small status --short; done'
	record loop-log 'command-in-a-loop' bash -c 'seq 1 40 | xargs -n1 sh -c "git -C small log -1 --format=%h"'
	git -C small config alias.again '!for i in $(seq 1 80); do git rev-parse HEAD; done'
	record again-alias 'repeated-child process-starts' git -C small again
	git -C small config alias.chain '!git one' && git -C small config alias.one '!git two' && git -C small config alias.two '!for i in $(seq 1 80); do git hash-object -t commit --stdin </dev/null; done'
	record again-chain 'repeated-child process-starts' git -C small chain
	record starts-submodules 'process-starts repeated-child' git -C super submodule foreach 'for i in $(seq 1 20); do git rev-parse HEAD~$i; done'
	git -C small checkout -qf main && commits small 60
	record starts-bisect 'process-starts' git -C small bisect run sh -c 'for i in $(seq 1 40); do git rev-parse HEAD~$i; git show -s HEAD; git ls-files; done; true'
	git -C small bisect reset -q 2>/dev/null
	record starts-rebase-exec 'process-starts' git -C small rebase -q --exec 'git rev-parse HEAD; git log -1 --format=%h; git show -s' HEAD~30
	record starts-filter-branch 'process-starts repeated-child' git -C small filter-branch -f --msg-filter cat HEAD~30..HEAD
	git init -q renames
	cd renames || exit 99
	awk 'BEGIN { srand(7); for (i = 0; i < 1500; i++) { f = sprintf("a%d.txt", i)
		for (k = 0; k < 120; k++) printf "%d line %d\n", rand() * 1e6, k >f
		close(f) } }'
	git add . && git commit -qm x && git branch side
	for f in a*.txt; do { cat "$f"; echo more; } >"m-$f" && rm "$f"; done
	sed -i 's/^1/2/' m-*.txt
	git add -A && git commit -qm moved
	git config diff.renameLimit 0 && git config merge.renameLimit 0
	record renames-diff rename-detection git diff -M HEAD~1 --stat
	record renames-log rename-detection git log -M -1 --stat
	git checkout -q side && for f in a1*.txt; do sed -i 's/^3/4/' "$f"; done && git commit -qam edits
	record renames-merge rename-detection git merge -q main
	git reset -q --hard side~0 2>/dev/null
	git checkout -q main
	record renames-cherry-pick rename-detection git cherry-pick side
	git cherry-pick --abort 2>/dev/null
	git reset -q --hard
	git reset -q --soft HEAD~1
	record renames-status 'rename-detection' git status
	cd .. || exit 99
	git init -q flushed
	for i in $(seq 1 400); do echo "$i" >"flushed/f$i"; done
	record fsyncs-add many-fsyncs git -C flushed -c core.fsync=all -c core.fsyncMethod=fsync add .
	for i in $(seq 1 400); do echo "$i$i" >"flushed/f$i"; done
	record fsyncs-update many-fsyncs git -C flushed -c core.fsync=loose-object update-index --add f1 f2 $(cd flushed && ls | head -300)
}

# Waiting for the user, and causes that Git's trace hardly shows.
persons() {
	git clone -q mid.git edited
	export GIT_EDITOR='sh -c "sleep 0.7; echo message >\"\$1\"" -' GIT_SEQUENCE_EDITOR='sleep 0.7; true'
	record editor-commit part:person git -C edited commit --allow-empty
	record editor-amend part:person git -C edited commit --amend --allow-empty
	record editor-tag part:person git -C edited tag -a t1
	record editor-rebase part:person git -C edited rebase -i HEAD~3
	export GIT_EDITOR=true GIT_PAGER='cat >/dev/null; sleep 0.7'
	unset GIT_SEQUENCE_EDITOR
	record pager-log part:person script -qec 'git -C edited log' /dev/null
	record pager-diff part:person script -qec 'git -C edited diff HEAD~20' /dev/null
	record pager-branch part:person script -qec 'git -C edited branch --list' /dev/null
	export GIT_PAGER=cat
}

refs() {
	git clone -q mid.git loose
	mkdir loose/.git/refs/heads/many
	head=$(git -C loose rev-parse HEAD)
	for i in $(seq 1 5000); do echo "$head" >loose/.git/refs/heads/many/b$i; done
	record loose-branch '? many-refs' git -C loose branch --list
	record loose-log '? many-refs' git -C loose log -1 --decorate
	record loose-fetch '? many-refs' git -C loose fetch -q
	record loose-push '? many-refs' git -C loose push -q origin main:loose
	git clone -q mid.git packs
	(cd packs && git config core.multiPackIndex false
	for i in $(seq 1 200); do
		git commit -q --allow-empty -m "$i" && git repack -dq
	done)
	record packs-log '? history-walk' git -C packs log --oneline --stat
	record packs-rev-list '? history-walk' git -C packs rev-list --objects --all
	record packs-missing '? many-packs' bash -c 'for i in $(seq 1 20000); do printf "%040x\\n" $i; done | git -C packs cat-file --batch-check'
	# Git reads each ref of an alternate repository.
	git clone -q --bare mid.git upstream.git && git clone -q upstream.git pusher
	git clone -q --bare mid.git alternate.git
	head=$(git -C mid.git rev-parse HEAD)
	{
		echo '# pack-refs with: peeled fully-peeled sorted '
		awk -v h="$head" 'BEGIN { for (i = 1; i <= 60000; i++) printf "%s refs/heads/b%06d\n", h, i }'
	} >alternate.git/packed-refs
	record alternate-clone '? alternate-refs' git clone -q --reference alternate.git "file://$work/upstream.git" alternating
	(cd pusher && git commit -q --allow-empty -m new && git push -q)
	record alternate-fetch alternate-refs git -C alternating fetch -q
	(cd pusher && git commit -q --allow-empty -m newer && git push -q)
	record alternate-pull alternate-refs git -C alternating pull -q --rebase
	git clone -q --bare --reference alternate.git upstream.git alternating.git
	git -C alternating commit -q --allow-empty -m x
	# The server lists them while the push is in a region.
	record alternate-push '? alternate-refs' git -C alternating push -q ../alternating.git main
	record alternate-command part:untraced git -C alternating -c core.alternateRefsCommand='sleep 0.5; true' fetch -q
}

# Regions whose tracing costs more than their work, and an index that is read twice.
again() {
	git init -q told
	awk 'BEGIN {
		print "commit refs/heads/main\ncommitter n <e@example.com> 1767323040 +0000\ndata 1\nx"
		for (f = 0; f < 20; f++) printf "M 644 inline a%d-0\ndata <<E\n%d\nE\n", f, f * 7
		for (i = 1; i < 4000; i++) {
			f = i % 20
			print "\ncommit refs/heads/main\ncommitter n <e@example.com> " 1767323040 + i " +0000\ndata 1\nx"
			printf "R a%d-%d a%d-%d\n", f, c[f], f, c[f] + 1
			c[f]++
		} }' | git -C told fast-import --quiet
	git -C told reset -q --hard
	record tracing-log tracing-costs git -C told log -M --raw
	record tracing-stat tracing-costs git -C told log --oneline --stat
	record tracing-whatchanged tracing-costs git -C told whatchanged -M
	record tracing-three tracing-costs env GIT_TRACE2="$work/normal" GIT_TRACE2_PERF="$work/perf" git -C told log -M --raw
	tree read 40000 50 && commits read 30
	cd read || exit 99
	for i in 1 2 3; do
		edit log$i.txt
		find . -name 'f*.txt' -exec touch -d "2026-04-0$i" {} +
		record again-commit-$i 'index-read-again index-refresh' git commit -qm x log$i.txt
	done
	edit log0.txt log1.txt
	record again-patch 'index-read-again index-refresh' bash -c 'yes | git checkout -p'
	cd .. || exit 99
}

slow_http() {
	record http-ls-remote http-setup git ls-remote "$http/wait-0.5/mid.git"
	record http-clone http-setup git clone -q "$http/wait-0.5/mid.git" http-clone
	record http-fetch http-setup git -C http-clone fetch -q
	record http-pull http-setup git -C http-clone pull -q
	git -C http-clone commit -q --allow-empty -m x
	record http-push '? http-setup slow-server' git -C http-clone push -q origin main:http-pushed
	git -C mid.git bundle create -q ../slow.bundle --all
	record http-bundle '? http-setup' git clone -q --bundle-uri="$http/wait-0.5/slow.bundle" mid.git http-bundle
	# 20,000 commits that the server does not have.
	tree far 300 40
	git clone -q --bare far far.git
	git clone -q far ahead && commits ahead 20000
	git -C far commit -q --allow-empty -m new && git -C far push -q ../far.git main
	for i in 1 2 3; do cp -r ahead ahead$i && git -C ahead$i remote set-url origin "$http/wait-0.15/far.git"; done
	record rounds-fetch negotiation-rounds git -C ahead1 fetch -q
	record rounds-remote negotiation-rounds git -C ahead2 remote update
	record rounds-skipping '? http-setup' git -C ahead3 -c fetch.negotiationAlgorithm=skipping fetch -q
	git -C ahead reset -q --hard HEAD~4000
	git -C ahead remote set-url origin "$http/wait-0.15/far.git"
	record rounds-pull negotiation-rounds git -C ahead pull -q --no-rebase
}

trouble() {
	rm -f small/.git/hooks/*
	touch small/.git/index.lock
	record lock-add lock-held git -C small add .
	record lock-commit lock-held git -C small commit -m x --allow-empty
	rm small/.git/index.lock
	touch small/.git/HEAD.lock
	record lock-ref lock-held git -C small commit -q -m x --allow-empty
	rm small/.git/HEAD.lock
	touch small/.git/config.lock
	record lock-config lock-held git -C small config a.b c
	rm small/.git/config.lock
	rm -f small/.git/hooks/*
	hook small pre-commit 'kill -9 $$'
	record killed-hook child-killed git -C small commit -m x --allow-empty
	rm small/.git/hooks/*
	git -C small config alias.die '!kill -TERM $$'
	record killed-alias child-killed git -C small die
	mkdir -p "$out/discarded" && touch "$out/discarded"/{1,2,3}
	record old-protocol-fetch old-protocol git -C c2 -c protocol.version=0 fetch -q
	git config --global trace2.maxFiles 3
	record discarded traces-discarded git -C small status
	git config --global --unset trace2.maxFiles
	rm -f "$out/discarded"/{1,2,3}
}

"$PYTHON3" -S "$server" "$work" "$work/port" & served=$!
until [ -e port.ready ] || ! kill -0 $served; do sleep 0.05; done
http=$(cat port.ready)
for group in ${TRACES:-ordinary hooks maintenance ssh net filters many trouble persons refs again slow_http files}; do
	$group
done

# ---- results ----

"$PYTHON3" -S - "$top" "$out" <<'E3'
import json, subprocess, sys
from collections import Counter
top, out = sys.argv[1:]
rows = [line.rstrip("\n").split("\t") for line in open(out + "/wanted")]
hits, misses, falses = Counter(), Counter(), Counter()
nr = Counter()
for name, wanted, command in rows:
    run = subprocess.run([top, "--no-config", "--once", "--findings", "--parts", "--format=json", f"{out}/{name}"], capture_output=True)
    report = json.loads(run.stdout)
    may = [] if wanted == "-" else wanted.split()
    found = [f for f in report["findings"] if f["level"] in ("cost", "trouble") or f["id"] in may[:1]]
    ids = {f["id"] for f in found}
    if may and may[0].startswith("part:") and report["parts"] and report["parts"][0]["kind"] == may[0][5:]:
        ids.add(may[0])
    wall = sum(p["elapsed"] or 0 for p in report["processes"] if not p.get("parent")) if report["processes"] else 0
    nr["ordinary" if not may else "slow"] += 1
    said = []
    if may and may[0] in ids:
        hits[may[0]] += 1
    elif may and may[0] == "?":
        nr["untold"] += 1
    elif may:
        misses[may[0]] += 1
        said.append("MISS " + may[0])
    for id in sorted(ids - set(may)):
        falses[id] += 1
        said.append("FALSE " + id)
    if said:
        print(f"{name} ({command[:60]}): {', '.join(said)}; found {[(f['id'], round(f['held'], 3), f['share'], f['evidence'][:50]) for f in found]}")
        for part in report.get("parts", [])[:4]:
            print("   ", round(part["time"], 4), part["kind"], part["category"], part["label"], part["name"])
print(dict(nr))
for id in sorted(set(hits) | set(misses) | set(falses)):
    print(f"{id:28} hits {hits[id]:3}  misses {misses[id]:3}  false {falses[id]:3}")
sys.exit(bool(misses or falses))
E3
