# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/framer.c \
	%D%/framer.h \
	%D%/reader.c \
	%D%/reader.h \
	%D%/reader_event.c \
	%D%/reader_event.h \
	%D%/reader_event_any.c \
	%D%/readers.def
