#!/bin/sh
# SPDX-License-Identifier: MIT
# traces_findings.sh DIR: record the traces of tests/data/findings with the installed Git into DIR:
# NAME-with.event has the cause of finding NAME, NAME-without.event does not. They were made once,
# with Git 2.39.5, and compressed with gzip -9n. It needs some seconds and 100 MB below TMPDIR.
set -e
out=$(realpath "$1")
server=$(realpath "$(dirname "$0")/slow_server.py")
work=$(mktemp -d)
served=
trap '[ -z "$served" ] || kill "$served"; rm -rf "$work"' EXIT
cd "$work"
export HOME="$work" GIT_CONFIG_NOSYSTEM=1 LC_ALL=C
git config --global user.name n
git config --global user.email e@example.com
git config --global init.defaultBranch main
git config --global protocol.file.allow always
git config --global core.commitGraph true
record() {
	name=$1
	shift
	GIT_TRACE2_EVENT_NESTING=100 GIT_TRACE2_EVENT=$out/$name.event "$@" >/dev/null 2>&1 </dev/null
	sed "s,$work,/w,g" "$out/$name.event" | gzip -9n >"$out/$name.event.gz"
	rm "$out/$name.event"
}
git init -q history
awk -v n=30000 'BEGIN {
	for (i = 0; i < n; i++) {
		print "commit refs/heads/main\ncommitter n <e@example.com> " 1767323100 + i " +0000\ndata 2\nc\n"
		printf "M 644 inline d%d/e%d/f%d.txt\ndata <<E\n%d\nE\n\n", i % 7, i % 31, i % 101, i
	} }' | git -C history fast-import --quiet
record history-walk-with git -C history log --oneline -- d3/e4/f5.txt
git -C history commit-graph write --reachable --changed-paths 2>/dev/null
record history-walk-without git -C history log --oneline -- d3/e4/f5.txt

# A clone from a server that walks all objects, and one that has a bitmap of them.
git clone -q --bare history objects.git
git -C objects.git config repack.writeBitmaps false
git -C objects.git repack -adq
record object-walk-with git clone -q --bare --no-local objects.git cloned-slowly.git
git -C objects.git repack -adbq
record object-walk-without git clone -q --bare --no-local objects.git cloned.git

# A server with 20,000 refs, all of which are new to the client.
git init -q few
git -C few commit -q --allow-empty -m x
git clone -q --bare few refs.git
git clone -q refs.git fetching
git clone -q refs.git fetching-few
git clone -q --bare few other.git
awk -v h="$(git -C few rev-parse HEAD)" 'BEGIN {
	print "# pack-refs with: peeled fully-peeled sorted "
	for (i = 0; i < 20000; i++) printf "%s refs/heads/b%05d\n", h, i }' >refs.git/packed-refs
record many-refs-with git -C fetching fetch -q
git -C other.git branch new main
git -C fetching-few remote set-url origin ../other.git
record many-refs-without git -C fetching-few fetch -q

# A server whose answers to POST take some time.
python3 "$server" "$work" "$work/port" & served=$!
until [ -e port.ready ] || ! kill -0 "$served"; do sleep 0.05; done
record slow-http-with git clone -q --bare "$(cat port.ready)/post-0.4/other.git" http-slow.git
record slow-http-without git clone -q --bare "$(cat port.ready)/other.git" http.git

# A branch that is 100,000 commits behind its upstream.
git init -q behind
awk -v n=100000 'BEGIN {
	for (i = 0; i < n; i++) {
		print "commit refs/remotes/origin/main\ncommitter n <e@example.com> " 1767323100 + i " +0000\ndata 2\nc\n"
		if (!i)
			print "M 644 inline f\ndata 2\nx\n"
	} }' | git -C behind fast-import --quiet
git -C behind checkout -q -b main --no-track "$(git -C behind rev-list --reverse origin/main | head -n 1)"
git -C behind config branch.main.remote .
git -C behind config branch.main.merge refs/remotes/origin/main
record ahead-behind-with git -C behind status
record ahead-behind-without git -C behind -c status.aheadBehind=false status

# A filter process that takes some time per file.
cat >filter.py <<'E'
import sys, time
i, o = sys.stdin.buffer, sys.stdout.buffer
def read():
    out = []
    while True:
        n = int(i.read(4) or b"0000", 16)
        if n == 0:
            return out
        out.append(i.read(n - 4))
def write(*lines):
    for l in lines:
        o.write(b"%04x" % (len(l) + 4) + l)
    o.write(b"0000")
    o.flush()
read(); write(b"git-filter-server\n", b"version=2\n")
read(); write(b"capability=smudge\n", b"capability=clean\n")
while True:
    h = read()
    if not h:
        break
    data = b"".join(read())
    time.sleep(float(sys.argv[1]))
    write(b"status=success\n")
    write(*([data] if data else []))
    write()
E
git init -q filtered
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	echo $i >"filtered/$i.bin"
done
echo '*.bin filter=f' >filtered/.gitattributes
git -C filtered add -A
git -C filtered commit -q -m x
for wait in 0 0.03; do
	rm filtered/*.bin
	git -C filtered config filter.f.process "python3 $work/filter.py $wait"
	[ $wait = 0 ] && name=slow-filter-without || name=slow-filter-with
	record $name git -C filtered checkout -q .
done

git init -q --bare server.git
git init -q client
git -C client commit -q --allow-empty -m x
untraced='env -u GIT_TRACE2_EVENT git-receive-pack'
record slow-server-without git -C client push -q --receive-pack="$untraced" ../server.git main
printf '#!/bin/sh\nsleep 0.6\n' >server.git/hooks/update
chmod +x server.git/hooks/update
record slow-server-with git -C client push -q --receive-pack="$untraced" ../server.git main:other

for wait in 0 0.6; do
	printf '#!/bin/sh\nsleep %s\ncat >/dev/null\necho "[GNUPG:] SIG_CREATED " >&2\necho x\n' $wait >gpg
	chmod +x gpg
	[ $wait = 0 ] && name=slow-signature-without || name=slow-signature-with
	record $name git -C client -c gpg.program="$work/gpg" commit -q -S --allow-empty -m x
done

git init -q sub
echo x >sub/f
git -C sub add f
git -C sub commit -q -m x
git init -q super
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	git -C super submodule --quiet add ../sub "sub$i"
done
git -C super commit -q -m x
record submodule-status-with git -C super status
record submodule-status-without git -C super status --ignore-submodules=dirty
