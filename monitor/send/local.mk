# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/line.c \
	%D%/line.h \
	%D%/outlet.c \
	%D%/outlet.h \
	%D%/record_file.c \
	%D%/record_file.h \
	%D%/recorder.c \
	%D%/recorder.h \
	%D%/tee.c \
	%D%/tee.h
