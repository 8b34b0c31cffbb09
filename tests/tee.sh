#!/bin/sh
# SPDX-License-Identifier: MIT
# Data sent through a tee arrives unchanged or is reported as lost; see tee.py.
[ -n "${PYTHON3:-}" ] && command -v git >/dev/null || exit 77
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
HOME=$dir XDG_CONFIG_HOME=$dir GIT_CONFIG_NOSYSTEM=1 PYTHONDONTWRITEBYTECODE=1 \
	"$PYTHON3" -S "$src/tests/tee.py" "${abs_top_builddir:-$src/build}/trace2top" "$dir"
