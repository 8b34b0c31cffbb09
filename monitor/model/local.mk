# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/limits.h \
	%D%/model.c \
	%D%/model.h \
	%D%/model_command.c \
	%D%/model_event.c \
	%D%/model_ledger.c \
	%D%/model_link.c \
	%D%/model_priv.h \
	%D%/model_process.c \
	%D%/model_region.c \
	%D%/model_thread.c \
	%D%/model_samples.c \
	%D%/model_sid.c \
	%D%/model_since.c \
	%D%/model_strip.c \
	%D%/model_strip.h \
	%D%/model_tree.c \
	%D%/model_past.c
