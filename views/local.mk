# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libviews.a
%C%_libviews_a_CFLAGS = $(AM_CFLAGS) $(NCURSES_CFLAGS)
%C%_libviews_a_SOURCES = \
	%D%/find.c \
	%D%/find.h \
	%D%/flame.c \
	%D%/flame.h \
	%D%/glyphs.def \
	%D%/header.c \
	%D%/header.h \
	%D%/keys.c \
	%D%/keys.def \
	%D%/keys.h \
	%D%/lanes.c \
	%D%/lanes.h \
	%D%/layout.c \
	%D%/layout.h \
	%D%/page_events.c \
	%D%/page_flame.c \
	%D%/page_help.c \
	%D%/page_output.c \
	%D%/page_process.c \
	%D%/page_region.c \
	%D%/page_sources.c \
	%D%/page_timeline.c \
	%D%/pane_children.c \
	%D%/pane_processes.c \
	%D%/pane_threads.c \
	%D%/pane_timings.c \
	%D%/panes.def \
	%D%/row_filter.c \
	%D%/row_text.c \
	%D%/say.c \
	%D%/spans.c \
	%D%/spans.h \
	%D%/prompt.c \
	%D%/prompt.h \
	%D%/styles.c \
	%D%/styles.def \
	%D%/styles.h \
	%D%/surface.c \
	%D%/surface.h \
	%D%/table.c \
	%D%/table.h \
	%D%/terminal.c \
	%D%/terminal.h \
	%D%/themes.def \
	%D%/ui.c \
	%D%/ui.h \
	%D%/ui_priv.h \
	%D%/ui_prompt.c \
	%D%/view.h \
	%D%/width.c \
	%D%/width.h \
	%D%/widths.def
