# SPDX-License-Identifier: MIT
views_libviews_a_SOURCES += \
	%D%/background.c \
	%D%/background.h \
	%D%/clipboard.c \
	%D%/clipboard.h \
	%D%/foreground.c \
	%D%/foreground.h \
	%D%/input.c \
	%D%/input.h \
	%D%/modes.c \
	%D%/modes.h \
	%D%/paint.c \
	%D%/paint.h \
	%D%/presence.c \
	%D%/presses.c \
	%D%/presses.h \
	%D%/restore.c \
	%D%/restore.h \
	%D%/terminal.c \
	%D%/terminal.h \
	%D%/title.c \
	%D%/title.h
