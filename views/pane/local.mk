# SPDX-License-Identifier: MIT
views_libviews_a_SOURCES += \
	%D%/pane_children.c \
	%D%/pane_commands.c \
	%D%/pane_processes.c \
	%D%/pane_threads.c \
	%D%/pane_timings.c
