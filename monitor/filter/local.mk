# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/filter.c \
	%D%/filter.def \
	%D%/filter.h \
	%D%/filter_complete.c \
	%D%/filter_event.c \
	%D%/filter_event.h \
	%D%/filter_parse.c \
	%D%/filter_priv.h \
	%D%/filter_process.c \
	%D%/filter_process.h
