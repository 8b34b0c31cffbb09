# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libviews.a
%C%_libviews_a_CFLAGS = $(AM_CFLAGS) $(NCURSES_CFLAGS)
%C%_libviews_a_SOURCES = \
	%D%/surface.c \
	%D%/surface.h
