# SPDX-License-Identifier: MIT
views_libviews_a_SOURCES += \
	%D%/event_log.c \
	%D%/event_log.h \
	%D%/flame.c \
	%D%/flame.h \
	%D%/kin.c \
	%D%/kin.h \
	%D%/lanes.c \
	%D%/lanes.h \
	%D%/occurrences.c \
	%D%/occurrences.h \
	%D%/say_event.c \
	%D%/spans.c \
	%D%/spans.h \
	%D%/where.c \
	%D%/where.h
