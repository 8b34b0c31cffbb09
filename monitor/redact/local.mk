# SPDX-License-Identifier: MIT
EXTRA_DIST += %D%/vocabulary.py %D%/vocabulary.txt
BUILT_SOURCES += %D%/vocabulary.inc
CLEANFILES += %D%/vocabulary.inc
nodist_monitor_libmonitor_a_SOURCES = %D%/vocabulary.inc
# Embed the vocabulary: one C string per line, without the comments.
%D%/vocabulary.inc: %D%/vocabulary.txt
	$(AM_V_GEN)$(MKDIR_P) $(@D) && sed -e '/^#/d' -e 's/["\\]/\\&/g' -e 's/.*/WORD("&")/' \
		$(srcdir)/%D%/vocabulary.txt >$@.tmp && mv $@.tmp $@
# Also for `make trace2top`, which does not make BUILT_SOURCES.
%D%/libmonitor_a-vocabulary.$(OBJEXT): %D%/vocabulary.inc
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
	%D%/vocabulary.h
