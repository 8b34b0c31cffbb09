#!/bin/sh
# SPDX-License-Identifier: MIT
# The recorder's service: the program accepts its command line and systemd verifies the unit. It
# notifies when it is ready, and a restart or a kill loses no recorded event.
[ -n "$PYTHON3" ] || exit 77
exec "$PYTHON3" -S "${abs_top_srcdir:-.}/tests/service.py"
