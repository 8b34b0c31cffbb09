#!/bin/sh
# SPDX-License-Identifier: MIT
# Wrong command lines. A row: exit status, expected stderr (an extended regular expression; empty:
# nothing), arguments. Each error is one line with the reason and what to do, and no report is
# printed.
set -u
top=$abs_top_builddir/trace2top
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
TZ=UTC LC_ALL=C.UTF-8 XDG_CONFIG_HOME=/nowhere
export TZ LC_ALL XDG_CONFIG_HOME
unset GIT_TRACE2_EVENT XDG_RUNTIME_DIR

printf '\177ELF\002\001\001\000\000' >program
printf 'some text\nof a person\n' >text
printf '\000\001\002\003\004\005' >binary
printf 'go 1.19 trace\000\000\000rest' >old.go
printf '[{"name":"a"}]\n' >array.json
printf '{"a":1}\n{"b":2}\n' >other.json
printf '\037\213\010\000\000' >cut.gz
: >empty
mkdir foreign nothing
cp text foreign/notes
head -c 257 /dev/zero >a.tar && printf 'ustar' >>a.tar
printf '%s\n' '{"event":"version","sid":"20260821T122842.000000Z-H1-P00000007","thread":"main","time":"2026-08-21T12:28:42.000000Z","evt":"4","exe":"2.47.0"}' \
	'{"event":"start","sid":"20260821T122842.000000Z-H1-P00000007","thread":"main","time":"2026-08-21T12:28:42.000000Z","t_abs":0.1,"argv":["git","status"]}' >good

failed=0 nr=0
while IFS='|' read -r status says arguments; do
	[ -n "$status" ] || continue
	nr=$((nr + 1))
	# shellcheck disable=SC2086
	eval "timeout 20 \"\$top\" $arguments" >out 2>err </dev/null
	got=$?
	lines=$(wc -l <err)
	if [ "$got" != "$status" ]; then
		echo "trace2top $arguments: status $got, not $status:"; cat err; failed=1
	elif [ -n "$says" ] && ! grep -Eq "^trace2top: .*$says" err; then
		echo "trace2top $arguments: no message '$says':"; cat err; failed=1
	elif [ "$lines" -gt 1 ] || { [ -z "$says" ] && [ "$lines" -ne 0 ]; }; then
		echo "trace2top $arguments: $lines lines:"; cat err; failed=1
	elif [ "$status" = 2 ] && [ -s out ]; then
		echo "trace2top $arguments: something was written to standard output"; failed=1
	fi
done <<'TABLE'
2|unknown option '--bogus'; see trace2top --help|--bogus
2|unknown option '-x'; see trace2top --help|-x
2|--depth needs an argument|--depth
2|--nesting: 'x' is not valid; use a whole number from 0|--nesting=x
2|--nesting: '-2' is not valid|-n -2
2|--format: 'xml' is not valid; use one of text.json|--format=xml --once good
2|--top: 'some' is not valid; use a whole number from 0, or 'all'|--top=some --once good
2|--top needs the text report; remove it or --format=json|--top=3 --format=json --once good
2|--format=sqlite (needs a file; add -o report.sqlite)?(needs libsqlite3.*)?|--once --format=sqlite good
2|--table: 'nosuch' is not valid; use one of regions.processes|--once --format=csv --table=nosuch good
2|--table needs a format with one table; add --format=csv|--once --table=errors good
2|--filter: column 7 of 'name =': |--once "--filter=name =" good
2|--interval: '0' is not valid; use milliseconds|--interval=0
2|--remote: '-x' is not a host|--once --remote -x /x
2|--theme: 'pink' is not valid; use one of |--theme=pink
2|--color: 'blue' is not valid; use one of auto|--color=blue
2|--history: '12Q' is not valid; use bytes such as 64M|--history=12Q
2|--max-processes: '-1' is not valid|--max-processes=-1
2|--since: 'yesterdayish' is not valid; use a time such as|--since=yesterdayish
2|--socket-mode: '999' is not valid; use octal|--socket-mode=999
2|--page: 'nope' is not valid; use one of processes|--page=nope
2|-- needs a command, such as: trace2top -- git status|--
2|'af_unix:' needs a path, such as af_unix:|af_unix:
2|standard output is not a terminal; use --once for a report or --lines for plain output|good
2|standard output is not a terminal; use --once for a report or --lines for plain output|af_unix:seqpacket:/x
127|/nonexistent/x: command not found|--once -- /nonexistent/x
127|/nonexistent/x: command not found|--lines -- /nonexistent/x
2|--record=- and --lines cannot both write to standard output; use --record=FILE|--lines --record=- good
1|cannot open missing: No such file or directory|--lines --once missing
126|/tmp: Permission denied|--once -- /tmp
1|cannot open missing: No such file or directory|--once missing
1|/dev/null is not a file, directory, FIFO or af_unix: socket|--once /dev/null
1|cannot write the report to /nonexistent/y: No such file|--once -o /nonexistent/y good
2|cannot write /nonexistent/y: No such file|--dump=/nonexistent/y good
1|text: nothing in it can be read: it seems to be text, not a trace: Git's event target|--once text
1|binary: nothing in it can be read: it seems to be binary data|--once binary
1|program: nothing in it can be read: it seems to be a program: trace2top -- PROGRAM|--once program
1|a.tar: nothing in it can be read: it seems to be a tar archive: unpack it|--once a.tar
1|array.json: .* it seems to be a JSON array: Git's event target writes one JSON object per line|--once array.json
1|other.json: nothing in it can be read: 2 records, the first: |--once other.json
1|old.go: nothing in it can be read: .*: its version is not supported: a trace of Go 1.19 is too old|--once old.go
1|cut.gz was not read completely: (the compressed data is truncated)?(.* zlib was left out of .*)?|--once cut.gz
1|foreign: nothing in it can be read: notes seems to be text, not a trace|--once foreign
0||--once empty nothing good
TABLE
[ "$nr" -ge 25 ] || { echo "only $nr rows"; failed=1; }

# If users of a socket are asked for, the portable build reports that it cannot find them out, once.
unknown='^trace2top: this build cannot find out which user and process write to a socket'
for option in --filter='user = root' --group-by=user --socket-mode=0666 --filter='pid = 1'; do
	wanted=${PORTABLE:-0}
	[ "$option" != --filter='pid = 1' ] || wanted=0
	"$top" --once "$option" "af_unix:stream:$dir/none/s" >/dev/null 2>err
	[ "$(grep -c "$unknown" err)" = "$wanted" ] || { echo "$option: not $wanted notices:"; cat err; failed=1; }
done
"$top" --version >version
[ "$(grep -c '^platform: POSIX alone, without ' version)" = "${PORTABLE:-0}" ] || { echo "--version:"; cat version; failed=1; }

i=0
while [ $i -lt 300 ]; do cat good; i=$((i + 1)); done >many
"$top" --once many 2>err | head -1 >/dev/null
[ -s err ] && { echo "| head:"; cat err; failed=1; }
"$top" --once good >/dev/full 2>err && { echo "a full disk is not an error"; failed=1; }
# New files are private, except for JUnit; links in a directory of all users are not followed.
umask 022
mkdir shared
chmod 1777 shared
for option in -o --dump --save-runs; do
	rm -f made kept target shared/link
	"$top" --once "$option" made good >/dev/null 2>&1
	[ "$(stat -c %a made)" = 600 ] || { echo "$option: mode"; ls -l made; failed=1; }
	: >kept
	chmod 640 kept
	"$top" --once "$option" kept good >/dev/null 2>&1
	[ "$(stat -c %a kept)" = 640 ] || { echo "$option: mode is not kept"; failed=1; }
	ln -s ../target shared/link
	"$top" --once "$option" shared/link good >/dev/null 2>&1 && { echo "$option: link"; failed=1; }
	[ -e target ] && { echo "$option: a link was followed"; failed=1; }
done
"$top" --once --format=junit --fail-if="errors > 0" -o made.xml good >/dev/null 2>&1
[ "$(stat -c %a made.xml)" = 644 ] || { echo "JUnit: mode"; failed=1; }
"$top" --once good >/dev/full 2>err
grep -q "cannot write the report" err || { echo "full disk:"; cat err; failed=1; }
exit $failed
