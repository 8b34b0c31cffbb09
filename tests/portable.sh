#!/bin/sh
# SPDX-License-Identifier: MIT
# Build with `configure --enable-portable` (POSIX.1-2017 and the fallbacks of the platform modules)
# in portable/ of the build directory, run the whole suite there, and print its counts. For
# `make check-long`.
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)} build=${abs_top_builddir:-.}
jobs=$(nproc 2>/dev/null || echo 2)
rm -rf "$build/portable"
mkdir -p "$build/portable" && cd "$build/portable" || exit 99
"$src/configure" -q --enable-werror --enable-portable CFLAGS=-O1 CC="${CC:-cc}" &&
	make -s -j"$jobs" && make -s -j"$jobs" check TESTS= || exit 1
make -s -k -j$((2 * jobs)) check </dev/null >check.log 2>&1 || "$src/tests/why.sh" .
"$src/tests/count.sh" . || exit 1
cd .. && rm -rf portable
