#!/bin/sh
# SPDX-License-Identifier: MIT
# The whole program as a 32-bit program: its reports on all recorded traces equal those of the
# 64-bit program. Builds the program, so only `make check-long` runs it.
# BITS32_CC: the compiler (default gcc -m32); PKG_CONFIG_LIBDIR leads to its libraries.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)} build=${abs_top_builddir:-$src/build}
cc=${BITS32_CC:-gcc -m32}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
trap 'exit 99' HUP INT TERM
fail() { echo "FAIL: $*"; exit 1; }
skip() { echo "skipped: $*"; exit 77; }
export PKG_CONFIG_LIBDIR="${PKG_CONFIG_LIBDIR:-/usr/lib/i386-linux-gnu/pkgconfig:/usr/share/pkgconfig}"

echo 'int main(void) { return sizeof(void *) == 4 ? 0 : 1; }' >"$tmp/a.c"
$cc "$tmp/a.c" -o "$tmp/a" 2>/dev/null && "$tmp/a" ||
	skip "$cc cannot build and run programs (Debian: gcc-multilib)"
mkdir "$tmp/build" && cd "$tmp/build" || exit 99
# A source tree that is configured itself cannot be configured elsewhere, too: then take a copy.
if [ -f "$src/config.status" ]; then
	mkdir "$tmp/src" && (cd "$src" && tar -cf - --exclude=./build --exclude='*.o' --exclude='*.a' .) |
		tar -xf - -C "$tmp/src" && rm -f "$tmp/src/config.status" "$tmp/src/config.h" "$tmp/src/Makefile"
	src=$tmp/src
fi
"$src/configure" -q --host=i686-linux-gnu CC="$cc" CFLAGS=-O1 --disable-shared --enable-werror \
	--without-nats --without-curl >"$tmp/log" 2>&1 ||
	skip "32-bit libraries are missing: $(grep error: "$tmp/log" || tail -1 "$tmp/log")"
${MAKE:-make} -s trace2top >"$tmp/log" 2>&1 || fail "trace2top does not build: $(grep -v '^  ' "$tmp/log" | tail -5)"

mkdir "$tmp/traces" && cd "$tmp/traces" || exit 99
for archive in corpus formats; do
	xz -dc "$src/tests/$archive.tar.xz" | tar -xf - || exit 99
done
report() { # PROGRAM FILE FORMAT...
	program=$1 file=$2
	shift 2
	timeout 120 "$program" --once "$@" "$file" 2>"$tmp/stderr"
	echo "status $?"
	sed 's/^[^:]*: //' "$tmp/stderr"
}
# The text report contains the time and program version.
find . -type f -size -9000k | sort >"$tmp/files"
while read -r file; do
	for how in --format=json --findings --parts; do
		report "$build/trace2top" "$file" $how </dev/null | sed '/^  written /d' >"$tmp/64"
		report "$tmp/build/trace2top" "$file" $how </dev/null | sed '/^  written /d' >"$tmp/32"
		cmp -s "$tmp/64" "$tmp/32" || {
			echo "$how $file differs:"
			diff "$tmp/64" "$tmp/32" | head -5
			echo x >>"$tmp/differ"
		}
	done
done <"$tmp/files"
[ ! -f "$tmp/differ" ] || fail "$(wc -l <"$tmp/differ") reports differ from those of 64 bits"
echo "$(wc -l <"$tmp/files") traces: the same reports as with 64 bits"
