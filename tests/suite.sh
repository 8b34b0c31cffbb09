#!/bin/bash
# SPDX-License-Identifier: MIT
# Both commands of the README, the packages and `reuse lint` in a fresh system of another Debian suite:
#   tests/suite.sh [SUITE [DIR]]    (default: trixie, a temporary directory)
# Needs root, git, debootstrap and a mirror. The checkout's committed files are copied into the system, so
# nothing outside it changes. DIR is kept and used again. The last line is a row of the table in
# docs/PLATFORMS.md.
set -u
[ "$(id -u)" = 0 ] || { echo "skipped: not root"; exit 77; }
for tool in debootstrap git unshare; do
	command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
suite=${1:-trixie} root=${2:-}
cd "$(dirname "$0")/.." || exit 99
if [ -z "$root" ]; then
	root=$(mktemp -d) || exit 99
	trap 'rm -rf --one-file-system "$root"' EXIT
fi
[ -e "$root/bin/sh" ] || debootstrap --variant=minbase "$suite" "$root" >"$root.log" 2>&1 ||
	{ echo "skipped: no system: $(tail -n 1 "$root.log")"; exit 77; }
rm -rf "$root/src" && git clone -q . "$root/src" || exit 99

# Run a command in the system, with mounts that end with it. The root directory is a mount, too:
# tests can create mount namespaces only then.
inside() {
	unshare -m -p -f --propagation private sh -c '
		mount --bind "$0" "$0" && mount -t proc proc "$0/proc" && mount -t sysfs sysfs "$0/sys" &&
		mount --rbind /dev "$0/dev" && mount -t tmpfs tmpfs "$0/dev/shm" &&
		exec chroot "$0" /usr/bin/env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
			CI="$CI" sh -c "cd /src && $1"' "$root" "$1"
}
CI=${CI:-}
export CI
failed=0
step() {
	echo "== $suite: $1"
	inside "$2" >"$root/log" 2>&1 || { tail -n 40 "$root/log"; failed=1; echo "== $suite: $1: FAILED"; return 1; }
}
run=no package=no
inside 'apt-get update -q' >/dev/null 2>&1
step "bootstrap run" './bootstrap run --once --format=json examples/pull.event.xz | tail -n 1 | grep -q "}"' && run=yes
step "bootstrap check" './bootstrap check'
counts=$(inside 'tests/count.sh build' | tail -n 1)
step "packages" 'apt-get install -q -y --no-install-recommends debhelper lintian dpkg-dev xz-utils &&
	apt-get build-dep -q -y --no-install-recommends ./ &&
	.ci/package build' && package=yes
# Debian 12's reuse does not know REUSE.toml yet.
step "reuse lint" 'apt-get install -q -y --no-install-recommends reuse && reuse lint'
echo "| Debian $suite | $(uname -m) | $run | ${counts:-none} | $package | $(date +%F) |"
exit $failed
