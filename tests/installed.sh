#!/bin/sh
# SPDX-License-Identifier: MIT
# libtrace2 after installation: found with pkg-config, linked shared and static, from C and C++,
# by position-independent hosts and others; its exported symbols; its lines read by other parsers.
for tool in pkg-config nm "${CC:-cc}" "${CXX:-c++}"; do
	command -v $tool >/dev/null || exit 77
done
[ -z "$SANITIZED" ] || exit 77
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
fail() { echo "FAIL: $*"; exit 1; }
unset MAKEFLAGS MFLAGS
${MAKE:-make} -s -C "$abs_top_builddir" DESTDIR="$tmp/root" install-libLTLIBRARIES \
	install-includeHEADERS install-pkgconfigDATA install-cmakeDATA >"$tmp/log" 2>&1 || { cat "$tmp/log"; exit 1; }
# Outside the loader's directories `make install` explains how programs find the library.
${MAKE:-make} -s -C "$abs_top_builddir" DESTDIR= libdir=/opt/lib install-exec-hook >"$tmp/log" 2>&1
grep -q 'LD_LIBRARY_PATH=/opt/lib' "$tmp/log" || { cat "$tmp/log"; fail "no hint after make install"; }
pc=$(find "$tmp/root" -name trace2.pc) || exit 1
export PKG_CONFIG_PATH="${pc%/*}" PKG_CONFIG_SYSROOT_DIR="$tmp/root"
lib=$(find "$tmp/root" -name libtrace2.a); lib=${lib%/*}
cflags=$(pkg-config --cflags trace2) libs=$(pkg-config --libs trace2) || fail pkg-config
host="$abs_top_srcdir/tests/installed/host.c"
strict="-Wall -Wextra -pedantic -Werror -Wshadow -O1"

check() { # NAME: run it off and on; the lines must be whole and as many as the calls.
	export LD_LIBRARY_PATH="$lib"
	"$tmp/$1" || fail "$1: exit status with tracing off"
	GIT_TRACE2_EVENT="$tmp/$1.event" "$tmp/$1" || fail "$1: exit status"
	[ "$(wc -l <"$tmp/$1.event")" = "$2" ] || fail "$1: $(wc -l <"$tmp/$1.event") lines, not $2"
}
lines=
command -v clang >/dev/null && clang="clang -O1" || clang=
for how in "c -fPIE -pie" "c -fPIC" "c -fno-pie -no-pie" "c -O0" "c++ -O1" "c++ -fPIC" ${clang:+"$clang"}; do
	case $how in
	clang*) cc="clang -std=c11 -D_GNU_SOURCE" ;;
	c++*) cc="${CXX:-c++} -std=c++14 -x c++" ;;
	*) cc="${CC:-cc} -std=c11 -D_GNU_SOURCE" ;;
	esac
	opts=${how#* }
	name=$(echo "$how" | tr ' +-' '_p_')
	$cc $strict $cflags $opts "$host" -x none -o "$tmp/$name" $libs || fail "compile $how"
	[ -n "$lines" ] || { GIT_TRACE2_EVENT="$tmp/first" LD_LIBRARY_PATH="$lib" "$tmp/$name"
		lines=$(wc -l <"$tmp/first"); [ "$lines" -ge 35 ] || fail "only $lines lines"; }
	check "$name" "$lines"
	$cc $strict $cflags $opts "$host" -x none -o "$tmp/static$name" "$lib/libtrace2.a" \
		-lpthread || fail "static $how"
	LD_LIBRARY_PATH= check "static$name" "$lines"
done
# The manual's first example is a complete program and needs only the header it names.
{ echo '#include <trace2.h>'; sed -n '/^int main/,/^}/{p;/^}/q;}' "$abs_top_srcdir/man/libtrace2.3"; } >"$tmp/manual.c"
for how in "${CC:-cc} -std=c11" "${CXX:-c++} -x c++" "${CC:-cc} -DTRACE2_DISABLED"; do
	$how -Wall -pedantic -Werror $cflags "$tmp/manual.c" -x none -o "$tmp/manual" $libs ||
		fail "the manual's program: $how"
done
# The same for C++.
sed -n '/^#include <trace2.hpp>/,/^}/p' "$abs_top_srcdir/man/libtrace2.3" >"$tmp/manual.cc"
grep -q '^int main' "$tmp/manual.cc" || fail "the manual shows no program for C++"
${CXX:-c++} -std=c++14 -x c++ -Wall -pedantic -Werror $cflags "$tmp/manual.cc" -x none -o "$tmp/manual" $libs ||
	fail "the manual's program for C++"
for std in c11 gnu11; do
	${CC:-cc} -std=$std $strict $cflags "$abs_top_srcdir/examples/traced.c" -o "$tmp/traced" $libs \
		-lpthread || fail "the example as $std"
done

# Compiled away: the library is not needed.
${CC:-cc} -std=c11 -D_GNU_SOURCE $strict -O0 -DTRACE2_DISABLED $cflags "$host" -o "$tmp/none" ||
	fail "-DTRACE2_DISABLED needs the library"
"$tmp/none" || fail "-DTRACE2_DISABLED: exit status"

# CMake finds both libraries; a newer major version is refused.
if command -v cmake >/dev/null; then
	mkdir "$tmp/cmake" && cp "$abs_top_srcdir/examples/traced.c" "$tmp/cmake"
	cat >"$tmp/cmake/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.13)
project(traced C)
find_package(trace2 0.1 REQUIRED CONFIG)
add_executable(shared traced.c)
target_link_libraries(shared trace2::trace2)
add_executable(static traced.c)
target_link_libraries(static trace2::static)
find_package(trace2 1.0 QUIET CONFIG)
if(trace2_FOUND)
	message(FATAL_ERROR "version 1.0 was accepted")
endif()
CMAKE
	cmake -S "$tmp/cmake" -B "$tmp/cmake/build" -DCMAKE_FIND_ROOT_PATH="$tmp/root" \
		-Dtrace2_DIR="$lib/cmake/trace2" >"$tmp/log" 2>&1 &&
		cmake --build "$tmp/cmake/build" >>"$tmp/log" 2>&1 || { cat "$tmp/log"; fail cmake; }
	for how in shared static; do
		GIT_TRACE2_EVENT="$tmp/cmake.$how" LD_LIBRARY_PATH="$lib" "$tmp/cmake/build/$how" >/dev/null
		[ -s "$tmp/cmake.$how" ] || fail "cmake: the $how program wrote no trace"
	done
fi

# All symbols have prefixes, in the archive too, and only the API is exported.
stray=$(nm -g --defined-only "$lib/libtrace2.a" | awk 'NF == 3 { print $3 }' | grep -vE '^(trace2|tr2)_')
[ -z "$stray" ] || fail "symbols without a prefix: $stray"
stray=$(nm -D --defined-only "$lib/libtrace2.so" | awk '{ print $3 }' | grep -vE '^(trace2_.*|LIBTRACE2_0)$')
[ -z "$stray" ] || fail "exported: $stray"

# Other parsers read the lines.
for file in "$tmp"/*.event; do
	[ -z "$JQ" ] || "$JQ" -e '.event and .sid and .thread' "$file" >/dev/null || fail "jq: $file"
	[ -z "$PYTHON3" ] || "$PYTHON3" -S -c 'import json, sys
for line in open(sys.argv[1]): json.loads(line)' "$file" || fail "python: $file"
done
exit 0
