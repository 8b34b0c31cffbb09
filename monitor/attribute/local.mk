# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/arguments.c \
	%D%/arguments.h \
	%D%/attribute.c \
	%D%/attribute.h \
	%D%/attributes.def \
	%D%/states.def \
	%D%/subcommands.def
