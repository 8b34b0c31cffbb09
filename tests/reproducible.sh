#!/bin/bash
# SPDX-License-Identifier: MIT
# Build the Debian packages twice, in directories of different names and lengths, with another umask,
# locale and time zone: the packages must be equal byte by byte. Needs debhelper.
command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null ||
	{ echo "skipped: no debhelper"; exit 77; }
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)} build=${abs_top_builddir:-$src/build}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
make -s -C "$build" dist >"$tmp/log" 2>&1 ||
	{ tail -n 20 "$tmp/log"; exit 99; }
cp "$build"/trace2top-*.tar.xz "$tmp/trace2top-dist.tar.xz" || exit 99

package() {
	mkdir -p "$tmp/$1/trace2top" && tar -xf "$tmp/trace2top-dist.tar.xz" -C "$tmp/$1/trace2top" --strip-components=1 &&
		cp -r "$src/debian" "$tmp/$1/trace2top" && cd "$tmp/$1/trace2top" &&
		DEB_BUILD_OPTIONS="nocheck parallel=$(nproc)" dpkg-buildpackage -us -uc -b >"$tmp/log" 2>&1 ||
		{ tail -n 20 "$tmp/log"; exit 1; }
}
(package a) && (umask 027 && export TZ=Asia/Kolkata LC_ALL=C && package another-directory-with-a-long-name) || exit 1
cd "$tmp/a" || exit 99
set -- ./*.deb
[ $# -ge 3 ] || { echo "only these packages were built: $*"; exit 1; }
bad=0
for deb; do
	cmp "$deb" "../another-directory-with-a-long-name/$deb" || bad=1
done
[ $bad = 0 ] && echo "reproducible: $# packages equal"
exit $bad
