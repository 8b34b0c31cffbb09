# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/config_file.c \
	%D%/config_file.h \
	%D%/option_types.def \
	%D%/option_values.c \
	%D%/option_values.h \
	%D%/options.c \
	%D%/options.def \
	%D%/options.h
