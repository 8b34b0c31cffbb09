#!/bin/sh
# SPDX-License-Identifier: MIT
# The column USER: the owner of a directory's file; empty for a file that many users may write.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
bad=0
me=$(awk -F: -v uid="$(id -u)" '$3 == uid { print $1; exit }' /etc/passwd)
me=$(printf '%.8s' "${me:-$(id -u)}")
mkdir "$dir/traces"
sed 's/\(-P[0-9a-f]*\)\/[^"]*"/\1"/' "$src/tests/data/dump.event" | sed 8q >"$dir/traces/one"
printf 'processes.columns = pid user command\n' >"$dir/config"
screen() {
	TZ=UTC LC_ALL=C.UTF-8 "$top" --config="$dir/config" --clock=EVENTS --size=80x12 --dump=- "$1"
}
screen "$dir/traces" | grep -Eq "▸ *[0-9]+ $me +[a-z]" || { echo "user: a file in a directory has no owner"; screen "$dir/traces"; bad=1; }
screen "$dir/traces/one" | grep -Eq "▸ *[0-9]+ $me" && { echo "user: a file with many writers has an owner"; bad=1; }
# A file of another user, if chown is permitted.
if [ "$(id -u)" = 0 ] && chown 65533 "$dir/traces/one" 2>/dev/null; then
	screen "$dir/traces" | grep -Eq "▸ *[0-9]+ 65533 +[a-z]" || { echo "user: an owner without a name"; screen "$dir/traces"; bad=1; }
fi
exit $bad
