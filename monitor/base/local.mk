# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/complain.c \
	%D%/complain.h \
	%D%/diag.h \
	%D%/die.c \
	%D%/die.h \
	%D%/grow.h \
	%D%/hist.c \
	%D%/hist.h \
	%D%/humanize.c \
	%D%/humanize.h \
	%D%/json.c \
	%D%/json.h \
	%D%/pi_mutex.c \
	%D%/pi_mutex.h \
	%D%/scan.h \
	%D%/redactions.def \
	%D%/secrets.c \
	%D%/secrets.h \
	%D%/shortage.c \
	%D%/shortage.h \
	%D%/slab.c \
	%D%/slab.h \
	%D%/slots.h \
	%D%/thread_signals.c \
	%D%/thread_signals.h \
	%D%/timestamp.c \
	%D%/timestamp.h \
	%D%/visible.c \
	%D%/visible.h \
	%D%/when.c \
	%D%/when.h \
	%D%/whole_file.c \
	%D%/whole_file.h \
	%D%/word.h \
	%D%/work.h
