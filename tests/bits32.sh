#!/bin/sh
# SPDX-License-Identifier: MIT
# libtrace2 and its hosts as 32-bit programs.
gcc=$(command -v gcc) || { echo "skipped: gcc is not installed"; exit 77; }
probe=$(mktemp -d) || exit 99
echo 'int main(void) { return 0; }' >"$probe/a.c"
"$gcc" -m32 "$probe/a.c" -o "$probe/a" -lpthread 2>/dev/null && "$probe/a"
status=$?
rm -rf "$probe"
[ $status = 0 ] || { echo "skipped: gcc -m32 cannot build and run programs (Debian: gcc-multilib)"; exit 77; }
. "${abs_top_srcdir:-$(dirname "$0")/..}/tests/foreign.sh"
foreign "$gcc" -m32
