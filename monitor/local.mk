# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libmonitor.a
%C%_libmonitor_a_CFLAGS = $(AM_CFLAGS) $(PCRE2_CFLAGS)
%C%_libmonitor_a_SOURCES = \
	%D%/batch.c \
	%D%/batch.h \
	%D%/die.c \
	%D%/die.h \
	%D%/event.h \
	%D%/filter.c \
	%D%/filter.def \
	%D%/filter.h \
	%D%/journal.c \
	%D%/journal.h \
	%D%/options.c \
	%D%/options.def \
	%D%/options.h \
	%D%/records.def

bin_PROGRAMS += trace2top
trace2top_SOURCES = %D%/main.c
trace2top_LDADD = %D%/libmonitor.a views/libviews.a %D%/libmonitor.a engine/libengine.la \
	$(NCURSES_LIBS) $(EV_LIBS) $(PCRE2_LIBS)
