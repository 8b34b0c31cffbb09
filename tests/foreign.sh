# SPDX-License-Identifier: MIT
# Sourced by tests that build libtrace2 with a compiler for another C library or word size. It
# compiles without warnings, libtrace2's own tests pass (with foreign/cmocka.h, because cmocka is
# not packaged for these), the API's scripts give the same output as Git, and the hosts of
# tests/hosts/ pass.
[ -z "$SANITIZED$PORTABLE" ] || { echo "skipped: tested with the ordinary build"; exit 77; }
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)} build=${abs_top_builddir:-.}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
fail() { echo "FAIL: $*"; exit 1; }
strict="-std=gnu11 -O1 -Wno-psabi -Wall -Wextra -Wshadow -Wmissing-prototypes -Werror -D_FILE_OFFSET_BITS=64"
# configure's results are assumed to hold for this compiler, too.
foreign() { # COMPILER...
	for f in "$src"/engine/*.c "$src"/engine/base/*.c; do
		"$@" $strict -I"$src" -I"$build" -c "$f" -o "$tmp/$(basename "$f" .c).o" ||
			fail "$f does not compile"
	done
	ar rc "$tmp/libtrace2.a" "$tmp"/*.o || fail ar
	for host in closer forked_session forker jumper small_stack; do
		"$@" $strict -I"$src" -I"$build" "$src/tests/hosts/$host.c" -o "$tmp/$host" \
			"$tmp/libtrace2.a" -lpthread || fail "$host does not link"
		"$tmp/$host" >"$tmp/log" 2>&1 || fail "$host: $(grep FAIL "$tmp/log" || tail -3 "$tmp/log")"
	done
	for test in alloc calls config emit repo ring; do
		wrap=
		case $test in
		alloc) wrap=-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc ;;
		ring)
			wrap=-Wl,--wrap=posix_fallocate
			# With 64-bit file offsets and 32-bit words, glibc has another name for it.
			nm "$tmp/tr2_ring.o" | grep -q posix_fallocate64 &&
				wrap='-Wl,--wrap=posix_fallocate64 -D__wrap_posix_fallocate=__wrap_posix_fallocate64
					-D__real_posix_fallocate=__real_posix_fallocate64'
			;;
		esac
		"$@" $strict $wrap -I"$src/tests/foreign" -I"$src" -I"$build" "$src/tests/test_engine_$test.c" \
			-o "$tmp/test" "$tmp/libtrace2.a" -lpthread || fail "test_engine_$test does not link"
		(cd "$tmp" && "$tmp/test" >"$tmp/log" 2>&1) ||
			fail "test_engine_$test: $(grep -v ' failed' "$tmp/log" | tail -5)"
		echo "test_engine_$test: $(tail -1 "$tmp/log")"
	done
	"$@" $strict -I"$src" -I"$build" "$src/tests/trace2_replay.c" -o "$tmp/trace2_replay" "$tmp/libtrace2.a" \
		-lpthread || fail "trace2_replay does not link"
	[ -z "$PYTHON3" ] || "$PYTHON3" -S "$src/tests/api_replay.py" "$tmp/trace2_replay" "$src/tests/api" >"$tmp/log" 2>&1 ||
		fail "the API's scripts: $(tail -5 "$tmp/log")"
	# The hash, which is the same for all word sizes, determines the order of tables.
	printf '#include "config.h"\n#include <stdio.h>\n#include "engine/base/hash.h"\nint main(void)\n{\n\t%s\n}\n' \
		'return !printf("%llx\n", (unsigned long long)tr2_hash("what is hashed, in words of its own", 35));' \
		>"$tmp/hash.c"
	"$@" $strict -I"$src" -I"$build" "$tmp/hash.c" -o "$tmp/there" "$tmp/libtrace2.a" -lpthread &&
		${CC:-cc} $strict -I"$src" -I"$build" "$tmp/hash.c" "$src/engine/base/hash.c" \
			"$src/engine/base/platform.c" -o "$tmp/here" ||
		fail "the hash does not compile"
	[ "$("$tmp/there")" = "$("$tmp/here")" ] || fail "the hash differs"
}
