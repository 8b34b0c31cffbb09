#!/bin/sh
# SPDX-License-Identifier: MIT
# Every function of the public headers has a manual entry after installation, which shows
# libtrace2(3). Uninstalling removes the entries.
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
bad=0
fail() { echo "$*"; bad=1; }
unset MAKEFLAGS MFLAGS
run() { ${MAKE:-make} -s -C "$abs_top_builddir" DESTDIR="$tmp/root" mandir=/man "$@" >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }; }
run install-man install-man-links
pages=$tmp/root/man
# The preprocessor finds declarations of several lines.
for header in trace2.h trace2_child.h trace2_repo.h trace2_json.h trace2_param.h; do
	echo "#include \"engine/$header\""
done | ${CC:-cc} -E -P -I"$abs_top_srcdir" -x c - 2>"$tmp/log" | tr '\n' ' ' | tr ';{}' '\n\n\n' |
	grep 'visibility("default")' | grep -o 'trace2_[a-z0-9_]*(' | sed 's/($//; s/_fl$//' | sort -u >"$tmp/names"
[ "$(wc -l <"$tmp/names")" -gt 50 ] || { cat "$tmp/log"; fail "the headers declare $(wc -l <"$tmp/names") functions"; }
while read -r name; do
	grep -qx '\.so man3/libtrace2\.3' "$pages/man3/$name.3" || fail "no manual entry: $name"
	sed 's/\\-/-/g' "$pages/man3/libtrace2.3" | grep -Eq "(^|[^a-z_])$name([^a-z_]|\$)" ||
		fail "libtrace2(3) does not describe $name"
done <"$tmp/names"
for page in "$pages"/man3/trace2_*.3; do
	name=${page##*/}
	grep -qx "${name%.3}" "$tmp/names" || fail "entry without a function: $name"
done
if command -v groff >/dev/null; then
	(cd "$pages" && groff -s -man -Tascii man3/trace2_region_enter.3) 2>&1 | grep -q 'trace a program the way Git' ||
		fail "the entry of trace2_region_enter does not show libtrace2(3)"
fi
run uninstall-local
[ -z "$(ls "$pages"/man3/trace2_*.3 2>/dev/null)" ] || fail "entries are left after uninstalling"
exit $bad
