#!/bin/sh
# SPDX-License-Identifier: MIT
# The recorder that is always there: what its unit says is what the program takes and systemd
# verifies; it says when it is ready, and nothing of a recording is lost by a restart or a kill.
[ -n "$PYTHON3" ] || exit 77
exec "$PYTHON3" "${abs_top_srcdir:-.}/tests/service.py"
