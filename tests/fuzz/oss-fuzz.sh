#!/bin/bash
# SPDX-License-Identifier: MIT
# Build all fuzz targets for OSS-Fuzz, as its build.sh: into $OUT, with seeds and dictionaries. OSS-Fuzz
# sets CC, CXX, CFLAGS, CXXFLAGS, LIB_FUZZING_ENGINE, SRC, WORK and OUT. To try it elsewhere:
#   CC=clang CXX=clang++ CFLAGS='-O1 -g -fsanitize=address,fuzzer-no-link' OUT=/tmp/fuzz tests/fuzz/oss-fuzz.sh
# OSS-Fuzz runs the targets on a machine without the libraries that trace2top links, so these are copied
# to $OUT/lib.
set -eu
cd "$(dirname "$0")/../.."
work=${WORK:-$(mktemp -d)}
mkdir -p "$OUT/lib" "$work/build"
[ -x configure ] || ./bootstrap
tree=$PWD
cd "$work/build"
"$tree/configure" -q --enable-fuzz --without-nats --without-curl --without-sqlite \
	LDFLAGS="-Wl,--enable-new-dtags,-rpath,'\$\$ORIGIN/lib'"
targets=$(printf 'include Makefile\nprint_targets:\n\t@echo $(FUZZ_TARGETS)\n' | make -s -f - print_targets)
make -s -j"$(nproc)" $targets
for target in $targets; do
	name=${target##*/}
	seeds=$tree/tests/fuzz/${name#fuzz_}
	cp "$target" "$OUT/$name"
	ldd "$target" | awk '$2 == "=>" && $3 ~ "^/" && $1 !~ "^(libc|libm|libstdc|libgcc|libpthread|libdl|librt)[+_s]*[.]" { print $3 }' |
		xargs -r cp -n -t "$OUT/lib"
	[ ! -d "$seeds" ] || (cd "$seeds" && zip -q -r "$OUT/${name}_seed_corpus.zip" .)
	[ ! -f "$seeds.dict" ] || cp "$seeds.dict" "$OUT/$name.dict"
done
