#!/bin/sh
# SPDX-License-Identifier: MIT
# libtrace2 and its hosts with musl, linked statically.
command -v musl-gcc >/dev/null || { echo "skipped: musl-gcc is not installed"; exit 77; }
. "${abs_top_srcdir:-$(dirname "$0")/..}/tests/foreign.sh"
foreign musl-gcc -static
