#!/bin/bash
# SPDX-License-Identifier: MIT
# Other processors: build the program for them with Debian's cross compilers, run it under qemu-user, and
# compare its results with those of this machine's program:
#   tests/arch.sh [ARCH...]          (default: arm64 armhf i386 s390x; s390x is big endian)
# - JSON reports of all recorded traces are equal byte by byte;
# - recordings written there are read here, and the reverse, with equal reports;
# - ring files of the same byte order are read; others are refused in one line, with exit status 1 if
#   there is nothing else to read.
# Not tested, because qemu-user cannot do it: priority-inheriting futexes, and nanoseconds of fstat() on
# 32-bit processors (modification times are set to whole seconds here).
# Needs root, debootstrap, qemu-user-static and a mirror. ARCH_ROOT: a directory for the system with the
# compilers, which is kept. The last lines are rows of the table in docs/PLATFORMS.md.
set -u
[ "$(id -u)" = 0 ] || { echo "skipped: not root"; exit 77; }
for tool in debootstrap git unshare qemu-aarch64-static; do
	command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)} build=${abs_top_builddir:-$src/build}
[ $# -gt 0 ] || set -- arm64 armhf i386 s390x
root=${ARCH_ROOT:-}
tmp=$(mktemp -d) || exit 99
trap 'rm -rf --one-file-system "$tmp"' EXIT
[ -n "$root" ] || root=$tmp/root

inside() {
	unshare -m -p -f --propagation private sh -c '
		mount -t proc proc "$0/proc" && mount --rbind /dev "$0/dev" &&
		exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
			DEBIAN_FRONTEND=noninteractive sh -c "cd /work && $1"' "$root" "$1"
}

compiler() {
	case $1 in
	arm64) echo aarch64-linux-gnu ;;
	armhf) echo arm-linux-gnueabihf ;;
	i386) echo i686-linux-gnu ;;
	s390x) echo s390x-linux-gnu ;;
	*) echo "unknown processor: $1" >&2; return 1 ;;
	esac
}

emulator() {
	case $1 in
	arm64) echo qemu-aarch64-static ;;
	armhf) echo qemu-arm-static ;;
	s390x) echo qemu-s390x-static ;;
	esac
}

# The mathematical functions of i386 round the last digits in another way.
digits() {
	if [ "$arch" = i386 ]; then sed -E 's/([0-9]\.[0-9]{13})[0-9]+/\1/g'; else cat; fi
}

libraries="libncurses-dev libev-dev libpcre2-dev zlib1g-dev liblzma-dev libzstd-dev libsqlite3-dev"
prepare() {
	local arch=$1 packages
	[ -e "$root/bin/sh" ] || debootstrap --variant=minbase bookworm "$root" >"$tmp/log" 2>&1 || return 1
	mkdir -p "$root/work"
	packages="make autoconf automake libtool pkg-config ncurses-bin gcc-$(compiler "$arch")"
	packages="$packages libc6-dev-$arch-cross $(for l in $libraries; do echo "$l:$arch"; done)"
	inside "dpkg --add-architecture $arch && apt-get update -q &&
		apt-get install -q -y --no-install-recommends $(echo $packages)" >"$tmp/log" 2>&1
}

failed=0
fail() {
	echo "FAIL: $arch: $*"
	ok=0 failed=1
}

# `there` runs the program of $arch on paths below $root/work, `here` this machine's program on the
# same files.
there() { inside "$(emulator "$arch") ./build-$arch/trace2top --no-config $1"; }
here() { (cd "$root/work" && "$build/trace2top" --no-config $1); }

reports() {
	local file
	while read -r file; do
		here "--once --format=json $file" >"$tmp/here" 2>/dev/null </dev/null
		echo "$?" >>"$tmp/here"
		cmp -s <(digits <"$tmp/here") <(digits <"$root/work/out/$file") || { fail "the report of $file differs"; return; }
	done <"$root/work/files"
}

for arch; do
	ok=1
	prepare "$arch" || { tail -n 5 "$tmp/log"; fail "the system with the compiler cannot be made"; continue; }
	rm -rf "$root/work" && mkdir -p "$root/work/src" "$root/work/traces" || exit 99
	git -C "$src" ls-files -z | (cd "$src" && xargs -0 tar -cf -) | tar -xf - -C "$root/work/src"
	for q in qemu-aarch64-static qemu-arm-static qemu-s390x-static; do
		cp "$(command -v $q)" "$root/usr/bin/" 2>/dev/null
	done
	for archive in corpus formats; do
		xz -dc "$src/tests/$archive.tar.xz" | tar -xf - -C "$root/work/traces" || exit 99
	done
	(cd "$root/work" && find traces -type f -size -3000k -exec touch -d 2026-01-01T00:00:00Z {} + &&
		find traces -type f -size -3000k | sort >files)
	host=$(compiler "$arch")
	inside "export PKG_CONFIG_LIBDIR=/usr/lib/$(echo "$host" | sed s/i686/i386/)/pkgconfig:/usr/share/pkgconfig
		(cd src && autoreconf -fi) && mkdir build-$arch && cd build-$arch &&
		../src/configure -q --host=$host CFLAGS=-O1 --enable-werror --without-nats --without-curl &&
		make -s -j$(nproc) trace2top" >"$tmp/log" 2>&1 || { tail -n 20 "$tmp/log"; fail "it does not build"
		echo "| $arch | no | | $(date +%F) |"; continue; }
	inside "while read -r f; do mkdir -p \"out/\${f%/*}\"
		$(emulator "$arch") ./build-$arch/trace2top --no-config --once --format=json \"\$f\" >\"out/\$f\" 2>/dev/null </dev/null
		echo \$? >>\"out/\$f\"; done <files" >"$tmp/log" 2>&1
	reports

	trace=$(grep fetch/v2.39/event "$root/work/files" | head -n 1)
	there "--once -o /dev/null --record=there.t2rec.zst $trace" >/dev/null 2>&1 || fail "it does not record"
	here "--once -o /dev/null --record=here.t2rec.zst $trace" >/dev/null 2>&1
	for file in there here; do
		here "--once --format=json $file.t2rec.zst" >"$tmp/1" 2>&1
		there "--once --format=json $file.t2rec.zst" >"$tmp/2" 2>&1
		cmp -s "$tmp/1" "$tmp/2" && grep -q '"processes"' "$tmp/1" || fail "$file.t2rec.zst is read differently"
	done

	mkdir "$root/work/rings"
	TRACE2TOP_TRACE2_EVENT_RING=128k TRACE2TOP_TRACE2_EVENT="$root/work/rings" here "--once $trace" >/dev/null
	there "--once --format=json rings" >"$tmp/ring" 2>"$tmp/said"
	status=$?
	if [ "$arch" = s390x ]; then
		cp "$root/work/$trace" "$root/work/rings/20260101T000000.000000Z-H00000000-P00000001"
		there "--once --format=json rings" >"$tmp/both" 2>"$tmp/both.said"
		status=$status,$?
		[ "$status" = 1,0 ] && [ "$(grep -c 'machine type' "$tmp/said")" = 1 ] &&
			[ "$(grep -c 'machine type' "$tmp/both.said")" = 1 ] && grep -q '"pid"' "$tmp/both" ||
			fail "a ring of the other byte order is not refused in one line: $status $(cat "$tmp/said")"
	else
		here "--once --format=json rings" >"$tmp/here" 2>/dev/null
		[ $status = 0 ] && cmp -s "$tmp/here" "$tmp/ring" || fail "a ring is read differently"
	fi
	nr=$(wc -l <"$root/work/files")
	if [ $ok = 1 ]; then result="$nr reports, recordings and rings equal"; else result="differs"; fi
	echo "| $arch | yes | $result | $(date +%F) |"
done
exit $failed
