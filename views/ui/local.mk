# SPDX-License-Identifier: MIT
views_libviews_a_SOURCES += \
	%D%/find.c \
	%D%/find.h \
	%D%/header.c \
	%D%/header.h \
	%D%/layout.c \
	%D%/layout.h \
	%D%/legend.def \
	%D%/process_columns.c \
	%D%/process_columns.h \
	%D%/row_filter.c \
	%D%/row_text.c \
	%D%/rows.c \
	%D%/rows.h \
	%D%/say.c \
	%D%/setup.c \
	%D%/setup_reread.c \
	%D%/setup.def \
	%D%/setup.h \
	%D%/spread.c \
	%D%/summary_rows.c \
	%D%/summary_rows.h \
	%D%/ui.c \
	%D%/ui.h \
	%D%/ui_draw.c \
	%D%/ui_keys.c \
	%D%/ui_menu.c \
	%D%/ui_pages.c \
	%D%/ui_priv.h \
	%D%/ui_prompt.c \
	%D%/ui_wants.c \
	%D%/verdict_rows.c \
	%D%/view.c \
	%D%/view.h \
	%D%/view_keys.def \
	%D%/views.c \
	%D%/wrap.c
