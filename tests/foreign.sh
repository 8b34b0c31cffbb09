# SPDX-License-Identifier: MIT
# foreign.sh COMPILER-WORDS: sourced by tests that build libtrace2 with a compiler for another C
# library or word size: no warning, and the hosts of tests/hosts/ do there what they do here.
[ -z "$SANITIZED" ] || exit 77
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)} build=${abs_top_builddir:-.}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf "$tmp"' EXIT
fail() { echo "FAIL: $*"; exit 1; }
strict="-std=gnu11 -O1 -Wall -Wextra -Wshadow -Wmissing-prototypes -Werror -D_FILE_OFFSET_BITS=64"
# What configure found here is true of this compiler's target, unless it was asked to leave it.
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
	# A table's order is the hash's, whatever the words are.
	printf '#include "config.h"\n#include <stdio.h>\n#include "engine/base/hash.h"\nint main(void)\n{\n\t%s\n}\n' \
		'return !printf("%llx\n", (unsigned long long)tr2_hash("what is hashed, in words of its own", 35));' \
		>"$tmp/hash.c"
	"$@" $strict -I"$src" -I"$build" "$tmp/hash.c" -o "$tmp/there" "$tmp/libtrace2.a" -lpthread &&
		${CC:-cc} $strict -I"$src" -I"$build" "$tmp/hash.c" "$src/engine/base/hash.c" -o "$tmp/here" ||
		fail "the hash does not compile"
	[ "$("$tmp/there")" = "$("$tmp/here")" ] || fail "the hash differs"
}
