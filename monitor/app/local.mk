# SPDX-License-Identifier: MIT
# The part of the program that tests link as well.
noinst_LIBRARIES += %D%/libapp.a
%C%_libapp_a_CFLAGS = $(AM_CFLAGS) $(POSIX_CFLAGS)
%C%_libapp_a_SOURCES = \
	%D%/attach.c \
	%D%/attach.h \
	%D%/exporting.c \
	%D%/exporting.h \
	%D%/option_tables.c \
	%D%/option_tables.h \
	%D%/querying.c \
	%D%/querying.h \
	%D%/stored_queries.c \
	%D%/stored_queries.h \
	%D%/screen_query.c \
	%D%/screen_query.h \
	%D%/file_watch.c \
	%D%/file_watch.h \
	%D%/fleet_init.c \
	%D%/fleet_init.h \
	%D%/forwarding.c \
	%D%/forwarding.h \
	%D%/git_config.c \
	%D%/git_config.h \
	%D%/cleanup.c \
	%D%/cleanup.h \
	%D%/headless.c \
	%D%/headless.h \
	%D%/job.c \
	%D%/job.h \
	%D%/rule_eval.c \
	%D%/rule_eval.h \
	%D%/handover.c \
	%D%/handover.h \
	%D%/parent_watch.c \
	%D%/parent_watch.h \
	%D%/liveness.c \
	%D%/liveness.h \
	%D%/outputs.c \
	%D%/outputs.h \
	%D%/own_socket.c \
	%D%/own_socket.h \
	%D%/run_loop.c \
	%D%/run_loop.h \
	%D%/runs_file.c \
	%D%/runs_file.h \
	%D%/redacted.c \
	%D%/redacted.h \
	%D%/remote.c \
	%D%/remote.h \
	%D%/remote_copy.c \
	%D%/remote_copy.h \
	%D%/screen.c \
	%D%/screen.h \
	%D%/screen_export.c \
	%D%/screen_export.h \
	%D%/self_trace.c \
	%D%/self_trace.h \
	%D%/session.c \
	%D%/session.h \
	%D%/session_report.c \
	%D%/session_report.h

bin_PROGRAMS += trace2top
trace2top_SOURCES = \
	%D%/dump.h \
	%D%/version.c \
	%D%/version.h \
	%D%/last_line.c \
	%D%/last_line.h \
	%D%/loop.c \
	%D%/loop.h \
	%D%/lines.h \
	%D%/loop_dump.c \
	%D%/loop_lines.c \
	%D%/loop_memory.c \
	%D%/loop_memory.h \
	%D%/loop_once.c \
	%D%/main.c \
	%D%/once.h
if STANDALONE
trace2top_LDFLAGS = $(AM_LDFLAGS) -all-static -Wl,--gc-sections
endif
trace2top_CFLAGS = $(AM_CFLAGS) $(POSIX_CFLAGS)
trace2top_LDADD = %D%/libapp.a views/libviews.a monitor/libmonitor.a engine/libengine.la \
	$(PROGRAM_LIBS)
