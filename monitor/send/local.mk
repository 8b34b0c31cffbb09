# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/record_file.c \
	%D%/record_file.h \
	%D%/recorder.c \
	%D%/recorder.h
