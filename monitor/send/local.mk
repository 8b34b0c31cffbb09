# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/consumer.c \
	%D%/consumer.h \
	%D%/forward.c \
	%D%/forward.h \
	%D%/forward_ack.c \
	%D%/forward_ack.h \
	%D%/forward_batch.c \
	%D%/forward_batch.h \
	%D%/forward_priv.h \
	%D%/forward_queue.c \
	%D%/forward_queue.h \
	%D%/forward_send.c \
	%D%/curl_calls.def \
	%D%/http_post.c \
	%D%/http_post.h \
	%D%/line.c \
	%D%/line.h \
	%D%/outlet.c \
	%D%/outlet.h \
	%D%/record_file.c \
	%D%/record_file.h \
	%D%/recorder.c \
	%D%/recorder.h \
	%D%/span_sender.c \
	%D%/span_sender.h \
	%D%/spool.c \
	%D%/spool.h \
	%D%/tee.c \
	%D%/tee.h \
	%D%/ways.c \
	%D%/ways.h
