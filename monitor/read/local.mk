# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/framer.c \
	%D%/framer.h \
	%D%/packings.def \
	%D%/reader.c \
	%D%/reader.h \
	%D%/reader_event.c \
	%D%/reader_event.h \
	%D%/reader_event_any.c \
	%D%/readers.c \
	%D%/readers.def \
	%D%/unpack.c \
	%D%/unpack.h \
	%D%/unpack_gz.c \
	%D%/unpack_xz.c \
	%D%/unpack_zst.c
