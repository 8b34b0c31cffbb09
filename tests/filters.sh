#!/bin/sh
# SPDX-License-Identifier: MIT
# Filter expressions select the same rows with --filter --once, with --filter and the prompt on the
# screen, and in the event log.
srcdir=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
builddir=${abs_top_builddir:-$srcdir/build}
python=${PYTHON3:-python3}
command -v "$python" >/dev/null || exit 77
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
PYTHONDONTWRITEBYTECODE=1 "$python" -S "$srcdir/tests/filters.py" "$builddir/trace2top" \
	"$srcdir/tests/screens/scene.event" "$dir"
status=$?
# A match that takes too long is reported and does not match.
printf '{"event":"start","sid":"a","argv":["%060d!"]}\n' 0 >"$dir/slow"
said=$("$builddir/trace2top" --once --filter='argv ~ "(0+)+$"' "$dir/slow" 2>&1 >"$dir/report") || status=1
case $said in
*"the filter's regular expression took too long "[0-9]*" time"*"; treated as no match"*) ;;
*) echo "a slow filter is not reported: $said"; status=1 ;;
esac
printf 'list\nlist\n' | "$builddir/trace2top" --no-config --once --lines --filter='argv ~ "(0+)+$"' \
	"$dir/slow" >"$dir/report" || status=1
[ "$(grep -c "^the filter's regular expression took too long; treated as no match$" "$dir/report")" = 1 ] ||
	{ echo "--lines does not report a slow filter once:"; cat "$dir/report"; status=1; }
said=$("$builddir/trace2top" --once --filter='argv ~ "0+!$"' "$dir/slow" 2>&1 >"$dir/report") || status=1
[ -z "$said" ] || { echo "a filter that is fast: $said"; status=1; }
exit $status
