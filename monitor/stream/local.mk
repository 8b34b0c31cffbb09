# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/batcher.c \
	%D%/batcher.h \
	%D%/contradicted.c \
	%D%/contradicted.h \
	%D%/origin.c \
	%D%/origin.h \
	%D%/packed.c \
	%D%/packed.h \
	%D%/playback.c \
	%D%/playback.h \
	%D%/sid_owners.c \
	%D%/sid_owners.h \
	%D%/stream.c \
	%D%/stream.h \
	%D%/stream_names.c \
	%D%/stream_names.h \
	%D%/streams.c \
	%D%/streams.h \
	%D%/taps.c \
	%D%/taps.h
