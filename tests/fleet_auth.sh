#!/bin/sh
# SPDX-License-Identifier: MIT
# Certificates, nkeys and JWTs against a real server; see fleet_auth.py.
[ -n "${PYTHON3:-}" ] || exit 77
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
top=${abs_top_builddir:-$src/build}/trace2top
for tool in nats-server zstd openssl; do
	command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
"$top" --version | grep -q '^nats: libnats' || { echo "skipped: built without NATS"; exit 77; }
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
HOME=$dir XDG_CONFIG_HOME=$dir XDG_RUNTIME_DIR=$dir PYTHONDONTWRITEBYTECODE=1 \
	"$PYTHON3" -S "$src/tests/fleet_auth.py" "$top" "$src" "$dir"
