# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/command_status.c \
	%D%/command_status.h \
	%D%/event_loop.c \
	%D%/event_loop.h \
	%D%/intake.c \
	%D%/intake.h \
	%D%/intake_command.c \
	%D%/intake_priv.h
