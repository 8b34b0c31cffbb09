# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/received.c \
	%D%/received.h \
	%D%/message.c \
	%D%/message.h \
	%D%/nats_calls.c \
	%D%/nats_calls.def \
	%D%/nats_calls.h \
	%D%/nats_link.c \
	%D%/nats_link.h \
	%D%/nats_url.c \
	%D%/nats_url.h \
	%D%/nats_why.c \
	%D%/nats_why.h \
	%D%/wire.c \
	%D%/wire.h
