#!/bin/sh
# SPDX-License-Identifier: MIT
# unpack.sh ARCHIVE DIR [MEMBER...]: unpack tests/ARCHIVE.tar.xz into DIR. `make check` decompresses
# it once for all tests.
archive=$(dirname "$0")/$1.tar.xz tar=${abs_top_builddir:-.}/tests/$1.tar dir=$2
shift 2
[ "$tar" -nt "$archive" ] && exec tar -xf "$tar" -C "$dir" "$@"
xz -dc "$archive" | tar -xf - -C "$dir" "$@"
