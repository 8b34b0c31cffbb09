# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/attribute.c \
	%D%/attribute.h \
	%D%/attributes.def \
	%D%/states.def
