#!/bin/sh
# SPDX-License-Identifier: MIT
# No message shows a part of a malformed URL that may be a password; see urls.py.
[ -n "${PYTHON3:-}" ] || exit 77
src=${abs_top_srcdir:-$(cd "$(dirname "$0")/.." && pwd)}
dir=$(mktemp -d) || exit 99
trap 'rm -rf "$dir"' EXIT
trap 'exit 99' HUP INT TERM
HOME=$dir XDG_CONFIG_HOME=$dir GIT_CONFIG_NOSYSTEM=1 PYTHONDONTWRITEBYTECODE=1 \
	"$PYTHON3" -S "$src/tests/urls.py" "${abs_top_builddir:-$src/build}/trace2top" "$dir"
