# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/analysis.h \
	%D%/commands.c \
	%D%/commands.h \
	%D%/doing.c \
	%D%/doing.h \
	%D%/errors.c \
	%D%/errors.h \
	%D%/event_log.c \
	%D%/event_log.h \
	%D%/flame.c \
	%D%/flame.h \
	%D%/formats.c \
	%D%/formats.def \
	%D%/formats.h \
	%D%/kin.c \
	%D%/kin.h \
	%D%/lanes.c \
	%D%/lanes.h \
	%D%/live.c \
	%D%/live.h \
	%D%/occurrences.c \
	%D%/occurrences.h \
	%D%/say.c \
	%D%/say.h \
	%D%/say_command.c \
	%D%/say_event.c \
	%D%/signed_ranks.c \
	%D%/signed_ranks.h \
	%D%/spans.c \
	%D%/spans.h \
	%D%/together.c \
	%D%/together.h \
	%D%/where.c \
	%D%/where.h
