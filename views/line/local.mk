# SPDX-License-Identifier: MIT
views_libviews_a_SOURCES += \
	%D%/commands.def \
	%D%/line.c \
	%D%/line.h \
	%D%/over_time_lines.c \
	%D%/over_time_lines.h \
	%D%/pace.c \
	%D%/pace.h \
	%D%/sentence.c \
	%D%/sentence.h \
	%D%/source_news.c \
	%D%/source_news.h \
	%D%/reported.c \
	%D%/reported.h
