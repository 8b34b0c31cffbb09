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
	%D%/terminfo.c \
	%D%/terminfo.h \
	%D%/title.c \
	%D%/title.h

if STANDALONE
BUILT_SOURCES += %D%/terminfo.inc
CLEANFILES += %D%/terminfo.inc
nodist_views_libviews_a_SOURCES = %D%/terminfo.inc
BUILT_IN_TERMINALS = xterm-256color xterm tmux-256color screen-256color screen linux vt100
# One row per terminal that this system describes.
%D%/terminfo.inc: Makefile
	$(AM_V_GEN)$(MKDIR_P) $(@D) && for term in $(BUILT_IN_TERMINALS); do \
		description=`infocmp -0 -q -Q2 $$term 2>/dev/null` && \
			echo "TERMINAL(\"$$term\", \"$$description\")"; \
	done >$@.tmp && grep -q xterm $@.tmp && mv $@.tmp $@
# Also for `make trace2top`, which does not make BUILT_SOURCES.
%D%/libviews_a-terminfo.$(OBJEXT): %D%/terminfo.inc
endif
