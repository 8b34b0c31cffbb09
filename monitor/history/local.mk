# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/journal_order.c \
	%D%/journal_order.h \
	%D%/journal.c \
	%D%/journal.h \
	%D%/lookback.c \
	%D%/lookback.h
