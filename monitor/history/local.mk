# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/chronicle.c \
	%D%/chronicle.h \
	%D%/journal.c \
	%D%/journal.h \
	%D%/past.c \
	%D%/past.h
