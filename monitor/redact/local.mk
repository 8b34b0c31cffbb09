# SPDX-License-Identifier: MIT
EXTRA_DIST += %D%/vocabulary.py
monitor_libmonitor_a_SOURCES += \
	%D%/pseudonyms.c \
	%D%/pseudonyms.def \
	%D%/pseudonyms.h \
	%D%/redact.c \
	%D%/redact.h \
	%D%/redact_json.c \
	%D%/redact_text.c \
	%D%/redact_text.h \
	%D%/siphash.c \
	%D%/siphash.h \
	%D%/vocabulary.c \
	%D%/vocabulary.def \
	%D%/vocabulary.h
