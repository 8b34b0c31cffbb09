#!/bin/sh
# SPDX-License-Identifier: MIT
# Files that trace2top creates: no link is followed in a directory that others can write to.
top=$(pwd)/trace2top
bad=0
fail() { echo "links: $*"; bad=1; }
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit 1
printf '{"event":"version","sid":"20260101T000000.000000Z-H0-P1","thread":"main","time":"2026-01-01T00:00:00.000000Z","evt":"3","exe":"2"}\n{"event":"start","sid":"20260101T000000.000000Z-H0-P1","thread":"main","time":"2026-01-01T00:00:00.000000Z","t_abs":0.001,"argv":["git","x"]}\n{"event":"atexit","sid":"20260101T000000.000000Z-H0-P1","thread":"main","time":"2026-01-01T00:00:00.100000Z","t_abs":0.1,"code":0}\n' >trace
mkdir place

write() {
	case $1 in
	dump) "$top" --no-config --dump=place/out trace ;;
	output) "$top" --once -o place/out trace ;;
	*) "$top" --once "--$1=place/out" trace ;;
	esac >out 2>&1 </dev/null
}

kinds="output save-runs dump"
case $("$top" --version) in *"zstd: not"*) ;; *) kinds="$kinds record" ;; esac
for kind in $kinds; do
	for mode in 0775 0777 1777; do
		chmod "$mode" place
		rm -f place/out target
		ln -s "$dir/target" place/out
		write "$kind" && fail "--$kind follows a link in a directory of mode $mode"
		[ ! -e target ] || fail "--$kind creates a link's target in a directory of mode $mode"
	done
	chmod 0755 place
	write "$kind" || fail "--$kind does not follow a link in a private directory: $(cat out)"
	[ -s target ] || fail "--$kind writes nothing through a link in a private directory"
done
exit $bad
