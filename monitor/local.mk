# SPDX-License-Identifier: MIT
noinst_LIBRARIES += %D%/libmonitor.a
%C%_libmonitor_a_CFLAGS = $(AM_CFLAGS) $(PCRE2_CFLAGS)
%C%_libmonitor_a_SOURCES = \
	%D%/batch.c \
	%D%/batch.h \
	%D%/chronicle.c \
	%D%/chronicle.h \
	%D%/config_file.c \
	%D%/config_file.h \
	%D%/complain.c \
	%D%/complain.h \
	%D%/dgram_queue.c \
	%D%/dgram_queue.h \
	%D%/diag.h \
	%D%/die.c \
	%D%/die.h \
	%D%/event.h \
	%D%/event_json.c \
	%D%/event_json.h \
	%D%/framer.c \
	%D%/framer.h \
	%D%/filter.c \
	%D%/filter.def \
	%D%/filter.h \
	%D%/filter_event.c \
	%D%/filter_event.h \
	%D%/filter_process.c \
	%D%/filter_process.h \
	%D%/liveness.c \
	%D%/liveness.h \
	%D%/past.c \
	%D%/past.h \
	%D%/self_trace.c \
	%D%/self_trace.h \
	%D%/session.c \
	%D%/session.h \
	%D%/hist.c \
	%D%/hist.h \
	%D%/humanize.c \
	%D%/humanize.h \
	%D%/intake.c \
	%D%/intake.h \
	%D%/source.h \
	%D%/source_command.c \
	%D%/private_dir.c \
	%D%/private_dir.h \
	%D%/source_dir.c \
	%D%/source_entries.c \
	%D%/source_entries.h \
	%D%/source_file.c \
	%D%/source_pipe.c \
	%D%/source_socket.c \
	%D%/source_watch.c \
	%D%/source_watch.h \
	%D%/sources.def \
	%D%/tail.c \
	%D%/tail.h \
	%D%/journal.c \
	%D%/journal.h \
	%D%/limits.h \
	%D%/model.c \
	%D%/model.h \
	%D%/model_event.c \
	%D%/model_link.c \
	%D%/model_priv.h \
	%D%/model_process.c \
	%D%/model_region.c \
	%D%/json.c \
	%D%/json.h \
	%D%/reader.c \
	%D%/reader.h \
	%D%/reader_event.c \
	%D%/reader_event.h \
	%D%/reader_event_any.c \
	%D%/readers.def \
	%D%/option_values.c \
	%D%/option_values.h \
	%D%/options.c \
	%D%/options.def \
	%D%/options.h \
	%D%/report.c \
	%D%/report.h \
	%D%/work.h \
	%D%/report_json.c \
	%D%/report_text.c \
	%D%/exporters.def \
	%D%/realtime.c \
	%D%/realtime.h \
	%D%/records.def \
	%D%/scan.h \
	%D%/slab.c \
	%D%/slab.h \
	%D%/timestamp.c \
	%D%/timestamp.h \
	%D%/visible.c \
	%D%/whole_file.c \
	%D%/whole_file.h \
	%D%/visible.h \
	%D%/when.c \
	%D%/when.h

bin_PROGRAMS += trace2top
trace2top_SOURCES = \
	%D%/dump.h \
	%D%/loop.c \
	%D%/loop_dump.c \
	%D%/loop_memory.c \
	%D%/loop_memory.h \
	%D%/loop.h \
	%D%/loop_once.c \
	%D%/main.c \
	%D%/screen.c \
	%D%/screen.h \
	%D%/once.h
trace2top_LDADD = %D%/libmonitor.a views/libviews.a %D%/libmonitor.a engine/libengine.la \
	$(NCURSES_LIBS) $(EV_LIBS) $(PCRE2_LIBS)
