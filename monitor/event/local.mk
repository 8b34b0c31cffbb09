# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/batch.c \
	%D%/batch.h \
	%D%/event.h \
	%D%/event_json.c \
	%D%/event_json.h \
	%D%/records.def \
	%D%/sid.c \
	%D%/sid.h \
	%D%/source_counters.def \
	%D%/source_stats.c \
	%D%/source_stats.h
