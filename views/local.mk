# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libviews.a
%C%_libviews_a_CFLAGS = $(AM_CFLAGS) $(NCURSES_CFLAGS)
%C%_libviews_a_SOURCES = \
	%D%/glyphs.def \
	%D%/keys.c \
	%D%/keys.def \
	%D%/keys.h \
	%D%/styles.c \
	%D%/styles.def \
	%D%/styles.h \
	%D%/surface.c \
	%D%/surface.h \
	%D%/terminal.h \
	%D%/themes.def \
	%D%/ui.h \
	%D%/width.c \
	%D%/width.h \
	%D%/widths.def
