# SPDX-License-Identifier: MIT
views_libviews_a_SOURCES += \
	%D%/arrangement.c \
	%D%/arrangement.h \
	%D%/keys.c \
	%D%/briefs.def \
	%D%/keys.def \
	%D%/keys.h \
	%D%/marks.c \
	%D%/marks.h \
	%D%/menu.c \
	%D%/menu.h \
	%D%/prompt.c \
	%D%/prompt.h \
	%D%/table.c \
	%D%/table.h \
	%D%/table_fit.c \
	%D%/table_fit.h \
	%D%/table_keys.c \
	%D%/table_sort.c \
	%D%/table_sort.h \
	%D%/time_window.c \
	%D%/time_window.h
