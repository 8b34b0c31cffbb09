# SPDX-License-Identifier: MIT
# One cmocka program per module: tests/test_NAME.c. Each links everything except main.c.
TEST_LIBS = monitor/app/libapp.a views/libviews.a monitor/libmonitor.a engine/libengine.la \
	$(CMOCKA_LIBS) $(PROGRAM_LIBS)
# Libraries without the screen and the program, for tests that need neither.
SCREENLESS_LIBS = monitor/libmonitor.a engine/libengine.la $(CMOCKA_LIBS) $(PCRE2_LIBS) $(SQLITE_LIBS) \
	$(MATH_LIBS)
TEST_CFLAGS = $(AM_CFLAGS) $(CMOCKA_CFLAGS) $(PCRE2_CFLAGS)
if SANITIZED
SANITIZED_ENVIRONMENT = SANITIZED=1; export SANITIZED;
endif
# Tests of features that --enable-portable lacks are skipped.
if PORTABLE
PORTABLE_ENVIRONMENT = PORTABLE=1; export PORTABLE;
endif
AM_TESTS_ENVIRONMENT = $(SANITIZED_ENVIRONMENT) $(PORTABLE_ENVIRONMENT) TMPDIR='$(TESTS_DIR)'; export TMPDIR; PATH="$$PATH:/usr/sbin:/sbin"; export PATH; \
	CC='$(CC)'; export CC; MAKE='$(MAKE)'; export MAKE; \
	abs_top_srcdir='$(abs_top_srcdir)'; export abs_top_srcdir; \
	abs_top_builddir='$(abs_top_builddir)'; export abs_top_builddir; \
	PYTHON3='$(PYTHON3)'; export PYTHON3; JQ='$(JQ)'; export JQ; \
	unset GIT_TRACE2 GIT_TRACE2_PERF GIT_TRACE2_EVENT GIT_TRACE2_PARENT_SID GIT_TRACE2_PARENT_NAME \
		TRACE2TOP_TRACE2 TRACE2TOP_TRACE2_PERF TRACE2TOP_TRACE2_EVENT;

# A test that hangs fails. SIGSYS, because cmocka reports the test function that it interrupts.
if HAVE_TIMEOUT
LOG_COMPILER = $(TIMEOUT)
AM_LOG_FLAGS = --foreground -v -s SYS -k 30 900
endif

# The slowest tests start first, so that the last ones to end are short. Most of them wait.
dist_check_SCRIPTS += %D%/own_command.sh %D%/links.sh
TESTS += %D%/fleet_view.sh %D%/recording.sh %D%/attach.sh %D%/fleet.sh %D%/otlp.sh %D%/urls.sh %D%/live_go.sh
TESTS += %D%/exports.sh %D%/sql.sh %D%/tee.sh %D%/fleet_auth.sh %D%/contract.sh %D%/over_time.sh
TESTS += $(check_PROGRAMS)
TESTS += %D%/fleet_timeouts.sh %D%/lookback_long.sh %D%/formats_go.sh %D%/formats_text.sh %D%/pictures.sh
TESTS += %D%/remote.sh %D%/own_command.sh %D%/links.sh

# Tests of builds, installed files and the checks of `make lint`. They run no code of the program that
# other tests do not run, so `make check` leaves them out; check-long and .ci/run run them once.
BUILD_TESTS = %D%/musl.sh %D%/installed.sh %D%/cplusplus.sh %D%/layers_tell.sh %D%/bits32.sh \
	%D%/man_links.sh %D%/words_test.sh
# The condition is never true. Automake creates the rules of all tests in TESTS, under any condition.
if NEVER
TESTS += $(BUILD_TESTS)
endif
.PHONY: check-build
check-build: all
	$(MAKE) $(AM_MAKEFLAGS) check-TESTS check_PROGRAMS= check_LTLIBRARIES= check_DATA= TESTS='$(BUILD_TESTS)'

# Archives of traces, decompressed once for all tests (unpack.sh). Without xz their tests are skipped.
ARCHIVES = %D%/corpus.tar %D%/formats.tar %D%/insight.tar %D%/over-time.tar
check_DATA = $(ARCHIVES)
CLEANFILES += $(ARCHIVES)
EXTRA_DIST += %D%/unpack.sh
$(ARCHIVES):
	-@xz -dc $(srcdir)/$@.xz >$@.part && mv $@.part $@
%D%/corpus.tar: %D%/corpus.tar.xz
%D%/formats.tar: %D%/formats.tar.xz
%D%/insight.tar: %D%/insight.tar.xz
%D%/over-time.tar: %D%/over-time.tar.xz

EXTRA_DIST += %D%/count.sh %D%/why.sh %D%/same_code.py %D%/words.py %D%/words.list
dist_check_SCRIPTS += %D%/layers.sh %D%/layers_tell.sh %D%/bounded.sh %D%/why_tells.sh %D%/words_test.sh
TESTS += %D%/layers.sh %D%/bounded.sh %D%/why_tells.sh

dist_check_SCRIPTS += %D%/man.sh %D%/rows.sh %D%/completions.sh %D%/pictures.sh
TESTS += %D%/man.sh %D%/rows.sh %D%/completions.sh
EXTRA_DIST += %D%/completions.py %D%/pictures.py
EXTRA_DIST += %D%/pictures.tasks %D%/film.keys %D%/film.py docs/pictures
.PHONY: pictures
pictures: trace2top$(EXEEXT)
	GOLDEN_UPDATE=1 PYTHON3='$(PYTHON3)' abs_top_srcdir='$(abs_top_srcdir)' \
		abs_top_builddir='$(abs_top_builddir)' $(srcdir)/%D%/pictures.sh
dist_check_SCRIPTS += %D%/standard.sh %D%/invocations.sh %D%/user.sh
TESTS += %D%/standard.sh %D%/invocations.sh %D%/user.sh

dist_check_SCRIPTS += %D%/urls.sh
EXTRA_DIST += %D%/urls.py

# Agents and viewers with a real server.
dist_check_SCRIPTS += %D%/fleet.sh
EXTRA_DIST += %D%/fleet.py
dist_check_SCRIPTS += %D%/fleet_timeouts.sh
EXTRA_DIST += %D%/fleet_timeouts.py
dist_check_SCRIPTS += %D%/fleet_auth.sh
EXTRA_DIST += %D%/fleet_auth.py %D%/nkeys.py
noinst_PROGRAMS += %D%/forward_timeouts
%C%_forward_timeouts_LDADD = monitor/libmonitor.a engine/libengine.la $(PROGRAM_LIBS)

dist_check_SCRIPTS += %D%/service.sh
TESTS += %D%/service.sh
EXTRA_DIST += %D%/service.py

# Compare every trace of the corpus with a tally that shares no code with the model.
dist_check_SCRIPTS += %D%/config_file.sh
TESTS += %D%/config_file.sh
dist_check_SCRIPTS += %D%/contract.sh %D%/dump.sh %D%/dump_mutated.sh %D%/filters.sh
TESTS += %D%/dump.sh %D%/dump_mutated.sh %D%/filters.sh
EXTRA_DIST += %D%/filters.py
EXTRA_DIST += %D%/data/dump.event %D%/dump_mutated.py
dist_check_SCRIPTS += %D%/redact.sh
TESTS += %D%/redact.sh
EXTRA_DIST += %D%/redact.py
dist_check_SCRIPTS += %D%/attach.sh
EXTRA_DIST += %D%/attach.py %D%/attach_faults.py %D%/attach_monitor.py
dist_check_SCRIPTS += %D%/remote.sh
EXTRA_DIST += %D%/remote.py
dist_check_SCRIPTS += %D%/hostile.sh
TESTS += %D%/hostile.sh
EXTRA_DIST += %D%/hostile.py
dist_check_SCRIPTS += %D%/exports.sh %D%/export_screen.sh
TESTS += %D%/export_screen.sh
EXTRA_DIST += %D%/exports.py
dist_check_SCRIPTS += %D%/otlp.sh
EXTRA_DIST += %D%/otlp.py %D%/otlp_receiver.py
# The programs that exports are made for read them; check-long and CI install those from npm.
dist_check_SCRIPTS += %D%/validators.sh
TESTS += %D%/validators.sh
EXTRA_DIST += %D%/validators.mjs
EXTRA_DIST += %D%/contract.py %D%/tally.py %D%/corpus.tar.xz
# The parts of the wall time, for cases calculated by hand and for traces of Git.
dist_check_SCRIPTS += %D%/parts.sh
TESTS += %D%/parts.sh
dist_check_SCRIPTS += %D%/findings.sh
TESTS += %D%/findings.sh
EXTRA_DIST += %D%/parts.py %D%/findings.py %D%/insight.tar.xz
# Counts over time, for traces with figures of a second implementation.
dist_check_SCRIPTS += %D%/attributes.sh %D%/attributes_git.sh
TESTS += %D%/attributes.sh
EXTRA_DIST += %D%/attributes.py %D%/attributes.json.xz
dist_check_SCRIPTS += %D%/over_time.sh
EXTRA_DIST += %D%/over_time.py %D%/over-time.tar.xz
# Values by category and key, compared with the tally.
dist_check_SCRIPTS += %D%/values.sh
TESTS += %D%/values.sh
EXTRA_DIST += %D%/values.py
# Queries, compared with sqlite3(1).
dist_check_SCRIPTS += %D%/sql.sh
EXTRA_DIST += %D%/sql.py

EXTRA_DIST += %D%/data

# Plays scripts of API calls; api_replay.sh compares the result with Git's. The archive is linked,
# because libtool's wrapper script would change the program's name. It is not a test itself, so it
# is not in check_PROGRAMS.
noinst_PROGRAMS += %D%/trace2_replay
%C%_trace2_replay_LDADD = engine/libengine.la
dist_check_SCRIPTS += %D%/api_replay.sh
TESTS += %D%/api_replay.sh
EXTRA_DIST += %D%/api_replay.py %D%/api %D%/foreign/cmocka.h
# Compare the man page's tables with the schema's rows.
noinst_PROGRAMS += %D%/schema_tables
%C%_schema_tables_LDADD = engine/libengine.la
dist_check_SCRIPTS += %D%/man_tables.sh
TESTS += %D%/man_tables.sh
dist_check_SCRIPTS += %D%/man_links.sh
EXTRA_DIST += %D%/foreign.sh
dist_check_SCRIPTS += %D%/musl.sh %D%/bits32.sh %D%/bits32_program.sh %D%/cplusplus.sh
dist_check_SCRIPTS += %D%/installed.sh %D%/process_tree.sh
TESTS += %D%/process_tree.sh

dist_check_SCRIPTS += %D%/tee.sh
EXTRA_DIST += %D%/tee.py
dist_check_SCRIPTS += %D%/recording.sh
EXTRA_DIST += %D%/recording.py
# Plays a host of rings, for ring.py.
noinst_PROGRAMS += %D%/ring_host
%C%_ring_host_LDADD = engine/libengine.la
dist_check_SCRIPTS += %D%/ring.sh
TESTS += %D%/ring.sh
EXTRA_DIST += %D%/ring.py
dist_check_SCRIPTS += %D%/packed.sh
TESTS += %D%/packed.sh
EXTRA_DIST += %D%/packed.py
# Prints the events that a reader decodes; formats.py compares them.
check_PROGRAMS += %D%/test_batcher
%C%_test_batcher_SOURCES = %D%/test_batcher.c
%C%_test_batcher_CFLAGS = $(TEST_CFLAGS)
%C%_test_batcher_LDADD = $(TEST_LIBS)
check_PROGRAMS += %D%/test_received
%C%_test_received_SOURCES = %D%/test_received.c
%C%_test_received_CFLAGS = $(TEST_CFLAGS) $(ZSTD_CFLAGS)
%C%_test_received_LDADD = $(TEST_LIBS)
check_PROGRAMS += %D%/test_nats_inbox
%C%_test_nats_inbox_SOURCES = %D%/test_nats_inbox.c
%C%_test_nats_inbox_CFLAGS = $(TEST_CFLAGS) $(NATS_CFLAGS)
%C%_test_nats_inbox_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=pthread_cond_timedwait
%C%_test_nats_inbox_LDADD = $(TEST_LIBS)
check_PROGRAMS += %D%/test_agents
%C%_test_agents_SOURCES = %D%/test_agents.c %D%/journal_script.c %D%/journal_script.h
%C%_test_agents_CFLAGS = $(TEST_CFLAGS)
%C%_test_agents_LDADD = $(TEST_LIBS)
noinst_PROGRAMS += %D%/fleet_recording
%C%_fleet_recording_LDADD = monitor/libmonitor.a engine/libengine.la $(PROGRAM_LIBS)
dist_check_SCRIPTS += %D%/agent_field.sh %D%/fleet_view.sh
TESTS += %D%/agent_field.sh
EXTRA_DIST += %D%/fleet_view.py %D%/nats_client.py
dist_check_SCRIPTS += %D%/fleet_cluster.sh %D%/fleet_example.sh
TESTS += %D%/fleet_cluster.sh %D%/fleet_example.sh
EXTRA_DIST += %D%/fleet_cluster.py
noinst_PROGRAMS += %D%/read_events
%C%_read_events_LDADD = monitor/libmonitor.a engine/libengine.la $(PROGRAM_LIBS)
dist_check_SCRIPTS += %D%/formats_go.sh %D%/formats_text.sh %D%/formats_tracelog.sh
TESTS += %D%/formats_tracelog.sh
EXTRA_DIST += %D%/formats.tar.xz %D%/formats_go.py %D%/formats_text.py %D%/formats_tracelog.py
dist_check_SCRIPTS += %D%/go_made.sh %D%/live_go.sh
TESTS += %D%/go_made.sh
EXTRA_DIST += %D%/go_wire.py

# Looks back at random instants of a long trace; at all of them with `make check-long`.
noinst_PROGRAMS += %D%/lookback_instants
%C%_lookback_instants_LDADD = monitor/app/libapp.a views/libviews.a monitor/libmonitor.a \
	engine/libengine.la $(PROGRAM_LIBS)
dist_check_SCRIPTS += %D%/walk.sh
TESTS += %D%/walk.sh
EXTRA_DIST += %D%/slow.keys %D%/slow_status.tar.xz %D%/walk.keys %D%/walk.lines %D%/walk.screens %D%/tour.tasks %D%/causes.awk %D%/hour.awk
dist_check_SCRIPTS += %D%/repository.sh %D%/summary.sh %D%/ordinary.sh %D%/sleepers.sh
TESTS += %D%/repository.sh %D%/summary.sh %D%/ordinary.sh %D%/sleepers.sh
EXTRA_DIST += %D%/sleepers.py %D%/sleepers.tar.xz %D%/slow_server.py
dist_check_SCRIPTS += %D%/lookback_long.sh
noinst_PROGRAMS += %D%/aa_shuffles
%C%_aa_shuffles_LDADD = monitor/libmonitor.a engine/libengine.la $(PROGRAM_LIBS)
dist_check_SCRIPTS += %D%/runs.sh
TESTS += %D%/runs.sh
EXTRA_DIST += %D%/runs.py %D%/runs.tar.xz
# Run by hand: it records for some minutes, and the timings depend on the machine's load.
EXTRA_DIST += %D%/traces_made.sh %D%/traces_findings.sh
# These need root and a mirror of Debian: other processors, another suite; and two equal builds.
EXTRA_DIST += %D%/arch.sh %D%/portable.sh %D%/suite.sh %D%/reproducible.sh
# The program of `make static`.
dist_check_SCRIPTS += %D%/static.sh
EXTRA_DIST += %D%/static.py
# Run the tests that call the program with the program of `make static`, except those that need NATS,
# curl or SQLite. `all` makes the files that some of them compare.
STATIC_TESTS = agent_field attach attributes bounded completions config_file contract dump dump_mutated \
	export_screen exports filters findings formats formats_go formats_text formats_tracelog hostile \
	invocations lines links man ordinary over_time own_command packed parts pictures process_tree \
	recording redact remote repository rows runs service sleepers summary tee user values walk
.PHONY: check-static
check-static: static
	cd static && $(MAKE) all tests/read_events tests/fleet_recording && \
		$(MAKE) check-TESTS check_PROGRAMS= check_LTLIBRARIES= \
			TESTS="$$(printf 'tests/%s.sh ' $(STATIC_TESTS))"
# With COUNTS_ALL=1 these try more positions, orders and sizes.
COUNTED_TESTS = %D%/test_model_bounds$(EXEEXT) %D%/test_unpack$(EXEEXT) %D%/test_lookback$(EXEEXT) \
	%D%/test_journal_order$(EXEEXT) %D%/hosts/forker$(EXEEXT)
# further targets of check-long
LONG_CHECKS =
.PHONY: check-long check-cursor
check-long: all $(LONG_CHECKS)
	$(MAKE) -s check-build
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/%D%/static.sh || [ $$? = 77 ]
	$(MAKE) -s check-static
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/%D%/bits32_program.sh || [ $$? = 77 ]
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/%D%/attributes_git.sh || [ $$? = 77 ]
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/%D%/reproducible.sh || [ $$? = 77 ]
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/%D%/arch.sh || [ $$? = 77 ]
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/%D%/portable.sh
	@$(AM_TESTS_ENVIRONMENT) $(srcdir)/%D%/suite.sh || [ $$? = 77 ]
	@$(AM_TESTS_ENVIRONMENT) CHECK_LONG=1 $(srcdir)/%D%/fleet_cluster.sh
	@$(AM_TESTS_ENVIRONMENT) FLEET_TIMES=5 $(srcdir)/%D%/fleet.sh
	@$(AM_TESTS_ENVIRONMENT) URLS_ALL=1 $(srcdir)/%D%/urls.sh
	@$(AM_TESTS_ENVIRONMENT) SQL_ALL=1 $(srcdir)/%D%/sql.sh || [ $$? = 77 ]
	@$(AM_TESTS_ENVIRONMENT) FLEET_ALL=1 $(srcdir)/%D%/fleet_view.sh
	@$(AM_TESTS_ENVIRONMENT) REMOTE_STALL=5 $(srcdir)/%D%/remote.sh
	@$(AM_TESTS_ENVIRONMENT) SLEEPERS_LIVE=sleepers.traces $(srcdir)/%D%/sleepers.sh || [ $$? = 77 ]
	@$(AM_TESTS_ENVIRONMENT) ATTACH_KILLS=250 ATTACH_CONFIGS=1448 ATTACH_ALL=1 $(srcdir)/%D%/attach.sh
	@$(AM_TESTS_ENVIRONMENT) TIMEOUTS=1000 $(srcdir)/%D%/fleet_timeouts.sh
	@$(AM_TESTS_ENVIRONMENT) SHUFFLES=1000 $(srcdir)/%D%/runs.sh
	@$(AM_TESTS_ENVIRONMENT) ATTRIBUTES_ALL=1 $(srcdir)/%D%/attributes.sh
	@$(AM_TESTS_ENVIRONMENT) PACKED_ALL=1 $(srcdir)/%D%/packed.sh
	@$(AM_TESTS_ENVIRONMENT) OVER_TIME_ALL=1 $(srcdir)/%D%/over_time.sh
	@$(AM_TESTS_ENVIRONMENT) REDACT_MARKED=0 $(srcdir)/%D%/redact.sh
	@$(AM_TESTS_ENVIRONMENT) VALIDATORS_INSTALL=1 $(srcdir)/%D%/validators.sh
	@$(AM_TESTS_ENVIRONMENT) PAST_MB=50 PAST_INSTANTS=1000 $(srcdir)/%D%/lookback_long.sh
	@$(MAKE) $(AM_MAKEFLAGS) %D%/test_directory$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) DIRECTORY_FILES=100000 %D%/test_directory
	@$(MAKE) $(AM_MAKEFLAGS) %D%/test_parts$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) PARTS_TRACES=20000 %D%/test_parts
	@$(MAKE) $(AM_MAKEFLAGS) %D%/test_views$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) SIZES_ALL=1 %D%/test_views
	@$(MAKE) $(AM_MAKEFLAGS) %D%/test_engine_faults$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) FAULTS_ALL=1 %D%/test_engine_faults
	@$(MAKE) $(AM_MAKEFLAGS) %D%/test_faults$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) FAULTS_ALL=1 %D%/test_faults
	@$(MAKE) $(AM_MAKEFLAGS) %D%/test_intake_sockets$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) SOCKET_RACES=40 %D%/test_intake_sockets
	@if [ -e %D%/test_nowait.log ]; then $(AM_TESTS_ENVIRONMENT) NOWAIT_EVENTS=20000 %D%/test_nowait; fi
	@$(MAKE) $(AM_MAKEFLAGS) $(COUNTED_TESTS)
	@for test in $(COUNTED_TESTS); do $(AM_TESTS_ENVIRONMENT) COUNTS_ALL=1 $$test || exit 1; done
	@$(MAKE) $(AM_MAKEFLAGS) %D%/test_engine_ring$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) RINGS_ALL=1 %D%/test_engine_ring
	@$(AM_TESTS_ENVIRONMENT) FORMATS_CUTS='1 7 4096' $(srcdir)/%D%/formats_go.sh
	@$(AM_TESTS_ENVIRONMENT) FORMATS_CUTS='1 7 4096' $(srcdir)/%D%/formats_text.sh
	@$(AM_TESTS_ENVIRONMENT) BIG_LINES=0 LIMITS_ALL=1 $(srcdir)/%D%/contract.sh
	@$(AM_TESTS_ENVIRONMENT) BIG_LINES=0 LIMITS_ALL=1 EXPORTS_DEPTH=10000 $(srcdir)/%D%/exports.sh
	@$(AM_TESTS_ENVIRONMENT) RECORDING_LINES=20000 RECORDING_CUTS=500 RECORDING_KILLS=50 RECORDING_ALL=1 $(srcdir)/%D%/recording.sh
	@$(AM_TESTS_ENVIRONMENT) LIVE_GO_NS=4000000000 $(srcdir)/%D%/live_go.sh

# The program with two additional formats that exist only for tests.
noinst_PROGRAMS += %D%/trace2top_toy
%C%_trace2top_toy_SOURCES = %D%/reader_toy.c %D%/reader_toy.h $(trace2top_SOURCES)
%C%_trace2top_toy_LDADD = $(trace2top_LDADD)
dist_check_SCRIPTS += %D%/formats.sh
TESTS += %D%/formats.sh

if HAVE_CMOCKA
# The programs, too.
check_PROGRAMS += %D%/test_faults %D%/test_intake_files
if HAVE_VTERM
check_PROGRAMS += %D%/test_screen %D%/test_cursor %D%/test_nowait %D%/test_handover
endif
check_PROGRAMS += %D%/test_recorder %D%/test_orphans %D%/test_intake_sockets %D%/test_engine_faults
check_PROGRAMS += %D%/test_model_bounds %D%/test_reader_hostile %D%/test_unpack %D%/test_directory %D%/test_engine_repo
check_PROGRAMS += %D%/test_batch
%C%_test_batch_CFLAGS = $(TEST_CFLAGS)
%C%_test_batch_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_redact
%C%_test_redact_CFLAGS = $(TEST_CFLAGS)
%D%/test_redact-test_redact.$(OBJEXT): monitor/redact/vocabulary.inc
%C%_test_redact_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_hash_index
%C%_test_hash_index_CFLAGS = $(TEST_CFLAGS)
%C%_test_hash_index_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_filter
%C%_test_filter_SOURCES = %D%/test_filter.c %D%/journal_script.c %D%/journal_script.h
%C%_test_filter_CFLAGS = $(TEST_CFLAGS)
%C%_test_filter_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_options
%C%_test_options_CFLAGS = $(TEST_CFLAGS)
%C%_test_options_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_setup
%C%_test_setup_CFLAGS = $(TEST_CFLAGS)
%C%_test_setup_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_splitter
%C%_test_splitter_CFLAGS = $(TEST_CFLAGS)
%C%_test_splitter_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_replay
%C%_test_replay_CFLAGS = $(TEST_CFLAGS)
%C%_test_replay_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_tee
%C%_test_tee_CFLAGS = $(TEST_CFLAGS)
%C%_test_tee_LDADD = $(SCREENLESS_LIBS) $(ZSTD_LIBS)

%C%_test_recorder_CFLAGS = $(TEST_CFLAGS)
%C%_test_recorder_LDADD = $(SCREENLESS_LIBS) $(ZSTD_LIBS)

check_PROGRAMS += %D%/test_tap
%C%_test_tap_CFLAGS = $(TEST_CFLAGS)
%C%_test_tap_LDADD = $(TEST_LIBS)

%C%_test_unpack_CFLAGS = $(TEST_CFLAGS)
%C%_test_unpack_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_ring
%C%_test_ring_SOURCES = %D%/test_ring.c %D%/ring_maker.h %D%/event_text.h
%C%_test_ring_CFLAGS = $(TEST_CFLAGS)
%C%_test_ring_LDADD = $(TEST_LIBS)
check_PROGRAMS += %D%/test_ring_files
%C%_test_ring_files_SOURCES = %D%/test_ring_files.c %D%/ring_maker.h %D%/intake_fixture.h
%C%_test_ring_files_CFLAGS = $(TEST_CFLAGS)
%C%_test_ring_files_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=ring_file_is
%C%_test_ring_files_LDADD = $(TEST_LIBS)
check_PROGRAMS += %D%/test_ring_retry
%C%_test_ring_retry_SOURCES = %D%/test_ring_retry.c %D%/ring_maker.h %D%/intake_fixture.h
%C%_test_ring_retry_CFLAGS = $(TEST_CFLAGS)
%C%_test_ring_retry_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=ring_file_new
%C%_test_ring_retry_LDADD = $(TEST_LIBS)
check_PROGRAMS += %D%/test_packed
%C%_test_packed_SOURCES = %D%/test_packed.c %D%/intake_fixture.h
%C%_test_packed_CFLAGS = $(TEST_CFLAGS)
%C%_test_packed_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_intern
%C%_test_intern_CFLAGS = $(TEST_CFLAGS)
%C%_test_intern_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_reader
%C%_test_reader_SOURCES = %D%/test_reader.c %D%/event_text.h %D%/read_one.h %D%/reader_fixture.h
%C%_test_reader_CFLAGS = $(TEST_CFLAGS)
%C%_test_reader_LDADD = $(TEST_LIBS)

%C%_test_reader_hostile_CFLAGS = $(TEST_CFLAGS)
%C%_test_reader_hostile_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_reader_ways
%C%_test_reader_ways_SOURCES = %D%/test_reader_ways.c
%C%_test_reader_ways_CFLAGS = $(TEST_CFLAGS)
%C%_test_reader_ways_LDADD = $(TEST_LIBS)

# The same with the portable C code of scan.h: these objects precede the library's.
PLAIN_SOURCES = monitor/base/json.c monitor/read/reader_event.c monitor/read/reader_event_any.c \
	monitor/read/reader_event_guess.c
check_PROGRAMS += %D%/test_reader_plain
%C%_test_reader_plain_SOURCES = %D%/test_reader.c $(PLAIN_SOURCES)
%C%_test_reader_plain_CPPFLAGS = $(AM_CPPFLAGS) -DSCAN_PLAIN
%C%_test_reader_plain_CFLAGS = $(TEST_CFLAGS)
%C%_test_reader_plain_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_reader_ways_plain
%C%_test_reader_ways_plain_SOURCES = %D%/test_reader_ways.c $(PLAIN_SOURCES)
%C%_test_reader_ways_plain_CPPFLAGS = $(AM_CPPFLAGS) -DSCAN_PLAIN
%C%_test_reader_ways_plain_CFLAGS = $(TEST_CFLAGS)
%C%_test_reader_ways_plain_LDADD = $(TEST_LIBS)
# With its own table of readers: this object precedes the library's.
check_PROGRAMS += %D%/test_perf
%C%_test_perf_SOURCES = %D%/test_perf.c %D%/text_fixture.h %D%/event_text.h
%C%_test_perf_CFLAGS = $(TEST_CFLAGS)
%C%_test_perf_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_normal
%C%_test_normal_SOURCES = %D%/test_normal.c %D%/text_fixture.h %D%/event_text.h
%C%_test_normal_CFLAGS = $(TEST_CFLAGS)
%C%_test_normal_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_seam
%C%_test_seam_SOURCES = %D%/test_seam.c %D%/intake_fixture.h %D%/reader_toy.c %D%/reader_toy.h
%C%_test_seam_CFLAGS = $(TEST_CFLAGS)
%C%_test_seam_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_engine_config
%C%_test_engine_config_CFLAGS = $(TEST_CFLAGS)
%C%_test_engine_config_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_round_trip
%C%_test_round_trip_SOURCES = %D%/test_round_trip.c %D%/event_text.h %D%/read_one.h %D%/reader_fixture.h
%C%_test_round_trip_CFLAGS = $(TEST_CFLAGS)
%C%_test_round_trip_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_engine_calls
%C%_test_engine_calls_SOURCES = %D%/test_engine_calls.c %D%/traced_host.h
%C%_test_engine_calls_CFLAGS = $(TEST_CFLAGS)
%C%_test_engine_calls_LDADD = $(TEST_LIBS)

%C%_test_engine_repo_SOURCES = %D%/test_engine_repo.c %D%/traced_host.h
%C%_test_engine_repo_CFLAGS = $(TEST_CFLAGS)
%C%_test_engine_repo_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_engine_emit
%C%_test_engine_emit_SOURCES = %D%/test_engine_emit.c %D%/traced_host.h
%C%_test_engine_emit_CFLAGS = $(TEST_CFLAGS)
%C%_test_engine_emit_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_heap
%C%_test_heap_CFLAGS = $(TEST_CFLAGS)
%C%_test_heap_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_hist
%C%_test_hist_CFLAGS = $(TEST_CFLAGS)
%C%_test_hist_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_jw
%C%_test_jw_CFLAGS = $(TEST_CFLAGS)
%C%_test_jw_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_span_stream
%C%_test_span_stream_SOURCES = %D%/test_span_stream.c %D%/journal_script.c %D%/journal_script.h
%C%_test_span_stream_CFLAGS = $(TEST_CFLAGS)
%C%_test_span_stream_LDADD = $(SCREENLESS_LIBS)

check_PROGRAMS += %D%/test_otlp
%C%_test_otlp_SOURCES = %D%/test_otlp.c %D%/journal_script.c %D%/journal_script.h
%C%_test_otlp_CFLAGS = $(TEST_CFLAGS)
%C%_test_otlp_LDADD = $(SCREENLESS_LIBS)

check_PROGRAMS += %D%/test_span_sender
%C%_test_span_sender_SOURCES = %D%/test_span_sender.c
%C%_test_span_sender_CFLAGS = $(TEST_CFLAGS)
%C%_test_span_sender_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_report
%C%_test_report_SOURCES = %D%/test_report.c %D%/journal_script.c %D%/journal_script.h
%C%_test_report_CFLAGS = $(TEST_CFLAGS)
%C%_test_report_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_model
%C%_test_model_SOURCES = %D%/test_model.c %D%/journal_script.c %D%/journal_script.h
%C%_test_model_CFLAGS = $(TEST_CFLAGS)
%C%_test_model_LDADD = $(TEST_LIBS)

%C%_test_model_bounds_SOURCES = %D%/test_model_bounds.c %D%/journal_script.c %D%/journal_script.h
%C%_test_model_bounds_CFLAGS = $(TEST_CFLAGS)
%C%_test_model_bounds_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_strip
%C%_test_strip_SOURCES = %D%/test_strip.c %D%/journal_script.c %D%/journal_script.h
%C%_test_strip_CFLAGS = $(TEST_CFLAGS)
%C%_test_strip_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_set_difference
%C%_test_set_difference_SOURCES = %D%/test_set_difference.c %D%/journal_script.c %D%/journal_script.h
%C%_test_set_difference_CFLAGS = $(TEST_CFLAGS)
%C%_test_set_difference_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_heat
%C%_test_heat_SOURCES = %D%/test_heat.c %D%/journal_script.c %D%/journal_script.h
%C%_test_heat_CFLAGS = $(TEST_CFLAGS)
%C%_test_heat_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_journal_order
%C%_test_journal_order_SOURCES = %D%/test_journal_order.c %D%/journal_script.c %D%/journal_script.h
%C%_test_journal_order_CFLAGS = $(TEST_CFLAGS)
%C%_test_journal_order_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_lookback
%C%_test_lookback_SOURCES = %D%/test_lookback.c %D%/journal_script.c %D%/journal_script.h
%C%_test_lookback_CFLAGS = $(TEST_CFLAGS)
%C%_test_lookback_LDADD = $(TEST_LIBS)

%C%_test_intake_sockets_SOURCES = %D%/test_intake_sockets.c %D%/intake_fixture.h %D%/program.h
%C%_test_intake_sockets_CFLAGS = $(TEST_CFLAGS)
%C%_test_intake_sockets_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_intake_command
%C%_test_intake_command_SOURCES = %D%/test_intake_command.c %D%/program.h
%C%_test_intake_command_CFLAGS = $(TEST_CFLAGS)
%C%_test_intake_command_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_region
%C%_test_region_SOURCES = %D%/test_region.c %D%/screen_fixture.h
%C%_test_region_CFLAGS = $(TEST_CFLAGS)
%C%_test_region_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_buf
%C%_test_buf_SOURCES = %D%/test_buf.c
%C%_test_buf_CFLAGS = $(TEST_CFLAGS)
%C%_test_buf_LDADD = engine/libengine.la $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_platform
%C%_test_platform_SOURCES = %D%/test_platform.c
%C%_test_platform_CFLAGS = $(TEST_CFLAGS)
%C%_test_platform_LDADD = $(SCREENLESS_LIBS)

check_PROGRAMS += %D%/test_sid
%C%_test_sid_SOURCES = %D%/test_sid.c
%C%_test_sid_CFLAGS = $(TEST_CFLAGS)
%C%_test_sid_LDADD = $(SCREENLESS_LIBS)

check_PROGRAMS += %D%/test_analysis
%C%_test_analysis_SOURCES = %D%/test_analysis.c %D%/journal_script.c %D%/journal_script.h
%C%_test_analysis_CFLAGS = $(TEST_CFLAGS)
%C%_test_analysis_LDADD = $(SCREENLESS_LIBS)

check_PROGRAMS += %D%/test_signed_ranks
%C%_test_signed_ranks_CFLAGS = $(TEST_CFLAGS)
%C%_test_signed_ranks_LDADD = $(SCREENLESS_LIBS)

check_PROGRAMS += %D%/test_runs_line
%C%_test_runs_line_SOURCES = %D%/test_runs_line.c %D%/runs_script.h
%C%_test_runs_line_CFLAGS = $(TEST_CFLAGS)
%C%_test_runs_line_LDADD = $(SCREENLESS_LIBS)

check_PROGRAMS += %D%/test_runs_past
%C%_test_runs_past_SOURCES = %D%/test_runs_past.c %D%/journal_script.c %D%/journal_script.h
%C%_test_runs_past_CFLAGS = $(TEST_CFLAGS)
%C%_test_runs_past_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_compare
%C%_test_compare_SOURCES = %D%/test_compare.c %D%/runs_script.h
%C%_test_compare_CFLAGS = $(TEST_CFLAGS)
%C%_test_compare_LDADD = $(SCREENLESS_LIBS)

check_PROGRAMS += %D%/test_rules
%C%_test_rules_SOURCES = %D%/test_rules.c %D%/runs_script.h %D%/journal_script.c %D%/journal_script.h
%C%_test_rules_CFLAGS = $(TEST_CFLAGS)
%C%_test_rules_LDADD = $(SCREENLESS_LIBS)

check_PROGRAMS += %D%/test_parts
%C%_test_parts_SOURCES = %D%/test_parts.c %D%/journal_script.c %D%/journal_script.h
%C%_test_parts_CFLAGS = $(TEST_CFLAGS)
%C%_test_parts_LDADD = $(SCREENLESS_LIBS)

check_PROGRAMS += %D%/test_waiting
%C%_test_waiting_SOURCES = %D%/test_waiting.c %D%/journal_script.c %D%/journal_script.h
%C%_test_waiting_CFLAGS = $(TEST_CFLAGS)
%C%_test_waiting_LDADD = $(SCREENLESS_LIBS)

check_PROGRAMS += %D%/test_long_work
%C%_test_long_work_SOURCES = %D%/test_long_work.c %D%/session_run.h monitor/app/screen.c monitor/app/screen.h
%C%_test_long_work_CFLAGS = $(TEST_CFLAGS)
%C%_test_long_work_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_story
%C%_test_story_SOURCES = %D%/test_story.c %D%/session_run.h monitor/app/screen.c monitor/app/screen.h
%C%_test_story_CFLAGS = $(TEST_CFLAGS)
%C%_test_story_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_sources
%C%_test_sources_SOURCES = %D%/test_sources.c %D%/intake_fixture.h
%C%_test_sources_CFLAGS = $(TEST_CFLAGS)
%C%_test_sources_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_old_content
%C%_test_old_content_SOURCES = %D%/test_old_content.c %D%/intake_fixture.h
%C%_test_old_content_CFLAGS = $(TEST_CFLAGS)
%C%_test_old_content_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_ticks
%C%_test_ticks_CFLAGS = $(TEST_CFLAGS)
%C%_test_ticks_LDADD = engine/libengine.la $(CMOCKA_LIBS)

check_PROGRAMS += %D%/test_engine_ring
%C%_test_engine_ring_SOURCES = %D%/test_engine_ring.c %D%/traced_host.h %D%/ring_decoder.h
%C%_test_engine_ring_CFLAGS = $(TEST_CFLAGS)
%C%_test_engine_ring_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=posix_fallocate
%C%_test_engine_ring_LDADD = engine/libengine.la $(CMOCKA_LIBS)
%C%_test_engine_faults_SOURCES = %D%/test_engine_faults.c %D%/program.h
%C%_test_engine_faults_CFLAGS = $(TEST_CFLAGS)
%C%_test_engine_faults_LDADD = $(TEST_LIBS)

%C%_test_faults_SOURCES = %D%/test_faults.c %D%/program.h
%C%_test_faults_CFLAGS = $(TEST_CFLAGS)
%C%_test_faults_LDADD = $(TEST_LIBS)

%C%_test_orphans_SOURCES = %D%/test_orphans.c %D%/intake_fixture.h
%C%_test_orphans_CFLAGS = $(TEST_CFLAGS)
%C%_test_orphans_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime,--wrap=ev_timer_start
%C%_test_orphans_LDADD = $(TEST_LIBS)

%C%_test_directory_SOURCES = %D%/test_directory.c %D%/intake_fixture.h
%C%_test_directory_CFLAGS = $(TEST_CFLAGS)
%C%_test_directory_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=clock_gettime
%C%_test_directory_LDADD = $(TEST_LIBS)

%C%_test_intake_files_SOURCES = %D%/test_intake_files.c %D%/intake_fixture.h
%C%_test_intake_files_CFLAGS = $(TEST_CFLAGS)
%C%_test_intake_files_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_humanize
%C%_test_humanize_CFLAGS = $(TEST_CFLAGS)
%C%_test_humanize_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_private_dir
%C%_test_private_dir_SOURCES = %D%/test_private_dir.c
%C%_test_private_dir_CFLAGS = $(TEST_CFLAGS)
%C%_test_private_dir_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_own_socket
%C%_test_own_socket_SOURCES = %D%/test_own_socket.c %D%/program.h
%C%_test_own_socket_CFLAGS = $(TEST_CFLAGS)
%C%_test_own_socket_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_descriptors
%C%_test_descriptors_SOURCES = %D%/test_descriptors.c %D%/program.h
%C%_test_descriptors_CFLAGS = $(TEST_CFLAGS)
%C%_test_descriptors_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_time_window
%C%_test_time_window_CFLAGS = $(TEST_CFLAGS)
%C%_test_time_window_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_views
%C%_test_views_SOURCES = %D%/test_views.c %D%/screen_fixture.h %D%/runs_script.h
%C%_test_views_CFLAGS = $(TEST_CFLAGS)
%C%_test_views_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_forward
%C%_test_forward_CFLAGS = $(TEST_CFLAGS) $(ZSTD_CFLAGS)
%C%_test_forward_LDADD = $(SCREENLESS_LIBS) $(ZSTD_LIBS)

check_PROGRAMS += %D%/test_wire
%C%_test_wire_CFLAGS = $(TEST_CFLAGS)
%C%_test_wire_LDADD = $(SCREENLESS_LIBS)

check_PROGRAMS += %D%/test_repository
%C%_test_repository_CFLAGS = $(TEST_CFLAGS)
%C%_test_repository_LDADD = $(TEST_LIBS)
check_PROGRAMS += %D%/test_secrets
%C%_test_secrets_SOURCES = %D%/test_secrets.c %D%/program.h
%C%_test_secrets_CFLAGS = $(TEST_CFLAGS)
%C%_test_secrets_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_choices
%C%_test_choices_SOURCES = %D%/test_choices.c %D%/screen_fixture.h
%C%_test_choices_CFLAGS = $(TEST_CFLAGS)
%C%_test_choices_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_two_runs
%C%_test_two_runs_SOURCES = %D%/test_two_runs.c %D%/screen_fixture.h
%C%_test_two_runs_CFLAGS = $(TEST_CFLAGS)
%C%_test_two_runs_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_summary_page
%C%_test_summary_page_SOURCES = %D%/test_summary_page.c %D%/screen_fixture.h
%C%_test_summary_page_CFLAGS = $(TEST_CFLAGS)
%C%_test_summary_page_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_ui_manners
%C%_test_ui_manners_SOURCES = %D%/test_ui_manners.c %D%/screen_fixture.h
%C%_test_ui_manners_CFLAGS = $(TEST_CFLAGS)
%C%_test_ui_manners_LDADD = $(TEST_LIBS)

# The line mode: news and answers, then the program on pipes and on a dumb terminal.
dist_check_SCRIPTS += %D%/lines.sh
TESTS += %D%/lines.sh
EXTRA_DIST += %D%/lines.py
check_PROGRAMS += %D%/test_line
%C%_test_line_SOURCES = %D%/test_line.c %D%/screen_fixture.h
%C%_test_line_CFLAGS = $(TEST_CFLAGS)
%C%_test_line_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_ui
%C%_test_ui_SOURCES = %D%/test_ui.c %D%/screen_fixture.h
%C%_test_ui_CFLAGS = $(TEST_CFLAGS)
%C%_test_ui_LDADD = $(TEST_LIBS)
EXTRA_DIST += %D%/screens

check_PROGRAMS += %D%/test_themes
%C%_test_themes_SOURCES = %D%/test_themes.c %D%/look_fixture.h %D%/screen_fixture.h
%C%_test_themes_CFLAGS = $(TEST_CFLAGS)
%C%_test_themes_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_contrast
%C%_test_contrast_SOURCES = %D%/test_contrast.c
%C%_test_contrast_CFLAGS = $(TEST_CFLAGS)
%C%_test_contrast_LDADD = $(TEST_LIBS) -lm

check_PROGRAMS += %D%/test_background
%C%_test_background_SOURCES = %D%/test_background.c
%C%_test_background_CFLAGS = $(TEST_CFLAGS)
%C%_test_background_LDADD = $(TEST_LIBS)

# Review the difference before you commit it.
golden-update: %D%/test_ui$(EXEEXT) %D%/test_line$(EXEEXT) %D%/test_themes$(EXEEXT) %D%/test_format_screens$(EXEEXT) \
	%D%/test_findings$(EXEEXT) %D%/test_heat_page$(EXEEXT) %D%/test_attributes_page$(EXEEXT) %D%/test_timeline_lanes$(EXEEXT) \
	%D%/test_values$(EXEEXT) %D%/test_sql$(EXEEXT) trace2top$(EXEEXT)
	GOLDEN_UPDATE=1 abs_top_srcdir='$(abs_top_srcdir)' %D%/test_findings
	GOLDEN_UPDATE=1 abs_top_srcdir='$(abs_top_srcdir)' %D%/test_heat_page
	GOLDEN_UPDATE=1 abs_top_srcdir='$(abs_top_srcdir)' %D%/test_attributes_page
	GOLDEN_UPDATE=1 abs_top_srcdir='$(abs_top_srcdir)' %D%/test_timeline_lanes
	GOLDEN_UPDATE=1 abs_top_srcdir='$(abs_top_srcdir)' %D%/test_format_screens
	GOLDEN_UPDATE=1 abs_top_srcdir='$(abs_top_srcdir)' %D%/test_ui
	GOLDEN_UPDATE=1 abs_top_srcdir='$(abs_top_srcdir)' %D%/test_line
	GOLDEN_UPDATE=1 abs_top_srcdir='$(abs_top_srcdir)' %D%/test_themes
	GOLDEN_UPDATE=1 abs_top_srcdir='$(abs_top_srcdir)' %D%/test_values
	GOLDEN_UPDATE=1 abs_top_srcdir='$(abs_top_srcdir)' %D%/test_sql
	GOLDEN_UPDATE=1 abs_top_srcdir='$(abs_top_srcdir)' abs_top_builddir='$(abs_top_builddir)' \
		$(srcdir)/%D%/walk.sh
	$(MAKE) pictures

check_PROGRAMS += %D%/test_format_screens
%C%_test_format_screens_SOURCES = %D%/test_format_screens.c %D%/screen_fixture.h
%C%_test_format_screens_CFLAGS = $(TEST_CFLAGS)
%C%_test_format_screens_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_findings
%C%_test_findings_SOURCES = %D%/test_findings.c %D%/screen_fixture.h
%C%_test_findings_CFLAGS = $(TEST_CFLAGS)
%C%_test_findings_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_key_bar
%C%_test_key_bar_SOURCES = %D%/test_key_bar.c %D%/screen_fixture.h
%C%_test_key_bar_CFLAGS = $(TEST_CFLAGS)
%C%_test_key_bar_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_main_screen
%C%_test_main_screen_SOURCES = %D%/test_main_screen.c %D%/screen_fixture.h
%C%_test_main_screen_CFLAGS = $(TEST_CFLAGS)
%C%_test_main_screen_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_find
%C%_test_find_SOURCES = %D%/test_find.c %D%/screen_fixture.h
%C%_test_find_CFLAGS = $(TEST_CFLAGS)
%C%_test_find_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_event_log
%C%_test_event_log_SOURCES = %D%/test_event_log.c %D%/screen_fixture.h
%C%_test_event_log_CFLAGS = $(TEST_CFLAGS)
%C%_test_event_log_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_header
%C%_test_header_SOURCES = %D%/test_header.c %D%/screen_fixture.h
%C%_test_header_CFLAGS = $(TEST_CFLAGS)
%C%_test_header_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_filters
%C%_test_filters_SOURCES = %D%/test_filters.c %D%/screen_fixture.h
%C%_test_filters_CFLAGS = $(TEST_CFLAGS)
%C%_test_filters_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_flame
%C%_test_flame_SOURCES = %D%/test_flame.c %D%/journal_script.c %D%/journal_script.h
%C%_test_flame_CFLAGS = $(TEST_CFLAGS)
%C%_test_flame_LDADD = $(SCREENLESS_LIBS)

check_PROGRAMS += %D%/test_attributes_page
%C%_test_attributes_page_SOURCES = %D%/test_attributes_page.c %D%/look_fixture.h %D%/screen_fixture.h
%C%_test_attributes_page_CFLAGS = $(TEST_CFLAGS)
%C%_test_attributes_page_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_heat_page
%C%_test_heat_page_SOURCES = %D%/test_heat_page.c %D%/look_fixture.h %D%/screen_fixture.h
%C%_test_heat_page_CFLAGS = $(TEST_CFLAGS)
%C%_test_heat_page_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_timeline_lanes
%C%_test_timeline_lanes_SOURCES = %D%/test_timeline_lanes.c %D%/journal_script.c %D%/journal_script.h %D%/look_fixture.h \
	%D%/screen_fixture.h
%C%_test_timeline_lanes_CFLAGS = $(TEST_CFLAGS)
%C%_test_timeline_lanes_LDADD = $(TEST_LIBS)
check_PROGRAMS += %D%/test_sql
%C%_test_sql_SOURCES = %D%/test_sql.c %D%/screen_fixture.h
%C%_test_sql_CFLAGS = $(TEST_CFLAGS)
%C%_test_sql_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_group_regions
%C%_test_group_regions_SOURCES = %D%/test_group_regions.c %D%/screen_fixture.h
%C%_test_group_regions_CFLAGS = $(TEST_CFLAGS)
%C%_test_group_regions_LDADD = $(TEST_LIBS)
check_PROGRAMS += %D%/test_values
%C%_test_values_SOURCES = %D%/test_values.c %D%/screen_fixture.h
%C%_test_values_CFLAGS = $(TEST_CFLAGS)
%C%_test_values_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_time_pages
%C%_test_time_pages_SOURCES = %D%/test_time_pages.c %D%/screen_fixture.h
%C%_test_time_pages_CFLAGS = $(TEST_CFLAGS)
%C%_test_time_pages_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_prompt
%C%_test_prompt_CFLAGS = $(TEST_CFLAGS)
%C%_test_prompt_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_surface
%C%_test_surface_CFLAGS = $(TEST_CFLAGS)
%C%_test_surface_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_table
%C%_test_table_CFLAGS = $(TEST_CFLAGS)
%C%_test_table_LDADD = $(TEST_LIBS)

if HAVE_VTERM
check_PROGRAMS += %D%/test_title
%C%_test_title_CFLAGS = $(TEST_CFLAGS)
%C%_test_title_LDADD = $(TEST_LIBS)

check_PROGRAMS += %D%/test_terminal
%C%_test_terminal_SOURCES = %D%/test_terminal.c %D%/pty.c %D%/pty.h
%C%_test_terminal_CFLAGS = $(TEST_CFLAGS) $(VTERM_CFLAGS)
%C%_test_terminal_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=tcsetattr
%C%_test_terminal_LDADD = $(TEST_LIBS) $(VTERM_LIBS) -lutil

%C%_test_cursor_SOURCES = %D%/test_cursor.c %D%/screen_fixture.h %D%/program.h %D%/pty.c %D%/pty.h
%C%_test_cursor_CFLAGS = $(TEST_CFLAGS) $(VTERM_CFLAGS)
%C%_test_cursor_LDADD = $(TEST_LIBS) $(VTERM_LIBS) -lutil
LONG_CHECKS += check-cursor
check-cursor: all %D%/test_cursor$(EXEEXT)
	@$(AM_TESTS_ENVIRONMENT) CURSOR_ALL=1 %D%/test_cursor

%C%_test_handover_SOURCES = %D%/test_handover.c %D%/pty.c %D%/pty.h
%C%_test_handover_CFLAGS = $(TEST_CFLAGS) $(VTERM_CFLAGS)
%C%_test_handover_LDADD = $(TEST_LIBS) $(VTERM_LIBS) -lutil

check_PROGRAMS += %D%/test_launcher
%C%_test_launcher_SOURCES = %D%/test_launcher.c %D%/pty.c %D%/pty.h
%C%_test_launcher_CFLAGS = $(TEST_CFLAGS) $(VTERM_CFLAGS)
%C%_test_launcher_LDADD = $(TEST_LIBS) $(VTERM_LIBS) -lutil

check_PROGRAMS += %D%/test_live_faults
%C%_test_live_faults_SOURCES = %D%/test_live_faults.c %D%/program.h %D%/pty.c %D%/pty.h
%C%_test_live_faults_CFLAGS = $(TEST_CFLAGS) $(VTERM_CFLAGS)
%C%_test_live_faults_LDADD = $(TEST_LIBS) $(VTERM_LIBS) -lutil

%C%_test_nowait_SOURCES = %D%/test_nowait.c %D%/program.h %D%/pty.c %D%/pty.h
%C%_test_nowait_CFLAGS = $(TEST_CFLAGS) $(VTERM_CFLAGS)
%C%_test_nowait_LDADD = $(TEST_LIBS) $(VTERM_LIBS) -lutil

check_PROGRAMS += %D%/test_stop
%C%_test_stop_SOURCES = %D%/test_stop.c %D%/program.h %D%/pty.c %D%/pty.h
%C%_test_stop_CFLAGS = $(TEST_CFLAGS) $(VTERM_CFLAGS)
%C%_test_stop_LDADD = $(TEST_LIBS) $(VTERM_LIBS) -lutil

%C%_test_screen_SOURCES = %D%/test_screen.c %D%/pty.c %D%/pty.h
%C%_test_screen_CFLAGS = $(TEST_CFLAGS) $(VTERM_CFLAGS)
%C%_test_screen_LDADD = $(TEST_LIBS) $(VTERM_LIBS) -lutil
endif

endif

# Fuzz targets. With --enable-fuzz (and CC=clang) each is a fuzzer: tests/fuzz_NAME
# -dict=tests/fuzz/NAME.dict DIR tests/fuzz/NAME. Otherwise each replays its seeds as a test.
FUZZ_TARGETS = %D%/fuzz_splitter %D%/fuzz_reader %D%/fuzz_config %D%/fuzz_cli %D%/fuzz_setup \
	%D%/fuzz_stream %D%/fuzz_unpack %D%/fuzz_record %D%/fuzz_perf %D%/fuzz_go %D%/fuzz_tracelog \
	%D%/fuzz_runs %D%/fuzz_message %D%/fuzz_ring %D%/fuzz_wire %D%/fuzz_parts %D%/fuzz_redact
EXTRA_DIST += %D%/fuzz
if ENABLE_FUZZ
noinst_PROGRAMS += $(FUZZ_TARGETS)
FUZZ_MAIN =
FUZZ_LINK = $(AM_LDFLAGS) $(LIB_FUZZING_ENGINE)
else
check_PROGRAMS += $(FUZZ_TARGETS)
FUZZ_MAIN = %D%/fuzz_replay.c
FUZZ_LINK = $(AM_LDFLAGS)
endif
EXTRA_DIST += %D%/fuzz_replay.c
%C%_fuzz_splitter_SOURCES = %D%/fuzz_splitter.c $(FUZZ_MAIN)
%C%_fuzz_splitter_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_splitter_LDADD = $(TEST_LIBS)
%C%_fuzz_reader_SOURCES = %D%/fuzz_reader.c %D%/event_text.h %D%/read_one.h $(FUZZ_MAIN)
%C%_fuzz_reader_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_reader_LDADD = $(TEST_LIBS)
%C%_fuzz_unpack_SOURCES = %D%/fuzz_unpack.c $(FUZZ_MAIN)
%C%_fuzz_unpack_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_unpack_LDADD = $(TEST_LIBS)
%C%_fuzz_ring_SOURCES = %D%/fuzz_ring.c %D%/ring_maker.h $(FUZZ_MAIN)
%C%_fuzz_ring_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_ring_LDADD = $(TEST_LIBS)
%C%_fuzz_runs_SOURCES = %D%/fuzz_runs.c $(FUZZ_MAIN)
%C%_fuzz_runs_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_runs_LDADD = $(SCREENLESS_LIBS)
%C%_fuzz_wire_SOURCES = %D%/fuzz_wire.c $(FUZZ_MAIN)
%C%_fuzz_wire_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_wire_LDADD = monitor/libmonitor.a engine/libengine.la
%C%_fuzz_redact_SOURCES = %D%/fuzz_redact.c %D%/read_one.h $(FUZZ_MAIN)
%C%_fuzz_redact_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_redact_LDADD = $(TEST_LIBS)
%C%_fuzz_parts_SOURCES = %D%/fuzz_parts.c $(FUZZ_MAIN)
%C%_fuzz_parts_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_parts_LDADD = $(SCREENLESS_LIBS)
%C%_fuzz_message_SOURCES = %D%/fuzz_message.c $(FUZZ_MAIN)
%C%_fuzz_message_CFLAGS = $(AM_CFLAGS) $(ZSTD_CFLAGS)
%C%_fuzz_message_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_message_LDADD = $(TEST_LIBS)
%C%_fuzz_record_SOURCES = %D%/fuzz_record.c $(FUZZ_MAIN)
%C%_fuzz_record_CFLAGS = $(AM_CFLAGS) $(ZSTD_CFLAGS)
%C%_fuzz_record_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_record_LDADD = $(TEST_LIBS)
%C%_fuzz_perf_SOURCES = %D%/fuzz_perf.c $(FUZZ_MAIN)
%C%_fuzz_perf_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_perf_LDADD = $(TEST_LIBS)
%C%_fuzz_go_SOURCES = %D%/fuzz_go.c %D%/fuzz_format.h $(FUZZ_MAIN)
%C%_fuzz_go_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_go_LDADD = $(TEST_LIBS)
%C%_fuzz_tracelog_SOURCES = %D%/fuzz_tracelog.c %D%/fuzz_format.h $(FUZZ_MAIN)
%C%_fuzz_tracelog_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_tracelog_LDADD = $(TEST_LIBS)
%C%_fuzz_stream_SOURCES = %D%/fuzz_stream.c %D%/reader_toy.c %D%/reader_toy.h $(FUZZ_MAIN)
%C%_fuzz_stream_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_stream_LDADD = $(TEST_LIBS)
%C%_fuzz_config_SOURCES = %D%/fuzz_config.c $(FUZZ_MAIN)
%C%_fuzz_config_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_config_LDADD = engine/libengine.la
%C%_fuzz_setup_SOURCES = %D%/fuzz_setup.c $(FUZZ_MAIN)
%C%_fuzz_setup_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_setup_LDADD = $(TEST_LIBS)
%C%_fuzz_cli_SOURCES = %D%/fuzz_cli.c $(FUZZ_MAIN)
%C%_fuzz_cli_LDFLAGS = $(FUZZ_LINK)
%C%_fuzz_cli_LDADD = $(TEST_LIBS)

# Failing allocations: the engine's within a host, by the linker; the whole program's, by a
# preloaded library (not under a sanitizer, which has an allocator of its own).
check_PROGRAMS += %D%/test_engine_alloc
%C%_test_engine_alloc_CFLAGS = $(TEST_CFLAGS)
%C%_test_engine_alloc_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc
%C%_test_engine_alloc_LDADD = engine/libengine.la $(CMOCKA_LIBS)

# Programs that use libtrace2 in every way that a host program may.
HOSTS = %D%/hosts/closer %D%/hosts/forked_session %D%/hosts/fork_order %D%/hosts/forker \
	%D%/hosts/jumper %D%/hosts/privileged %D%/hosts/short_memory %D%/hosts/small_stack
HOST_LIBS = engine/libengine.la
check_PROGRAMS += $(HOSTS) %D%/installed/host
# with tracing off: each call returns at once
%C%_installed_host_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/engine
%C%_installed_host_LDADD = $(HOST_LIBS)
EXTRA_DIST += %D%/hosts/host.h
%C%_hosts_closer_LDADD = $(HOST_LIBS)
%C%_hosts_fork_order_LDADD = $(HOST_LIBS)
%C%_hosts_fork_order_LDFLAGS = $(AM_LDFLAGS) -Wl,--wrap=strdup -Wl,--wrap=setenv
%C%_hosts_forked_session_LDADD = $(HOST_LIBS)
%C%_hosts_forker_LDADD = $(HOST_LIBS)
%C%_hosts_jumper_LDADD = $(HOST_LIBS)
%C%_hosts_privileged_LDADD = $(HOST_LIBS)
%C%_hosts_short_memory_LDADD = $(HOST_LIBS)
%C%_hosts_short_memory_LDFLAGS = $(AM_LDFLAGS) \
	-Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=strdup,--wrap=free
%C%_hosts_small_stack_LDADD = $(HOST_LIBS)

dist_check_SCRIPTS += %D%/fail_alloc.sh
EXTRA_DIST += %D%/fail_alloc.c
# Failing system calls, for test_faults.
check_LTLIBRARIES = %D%/fail_io.la
%C%_fail_io_la_SOURCES = %D%/fail_io.c
%C%_fail_io_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
%C%_fail_io_la_LIBADD = -ldl
if !SANITIZED
check_LTLIBRARIES += %D%/fail_alloc.la
%C%_fail_alloc_la_SOURCES = %D%/fail_alloc.c
%C%_fail_alloc_la_LDFLAGS = -module -avoid-version -shared -rpath /nowhere
%C%_fail_alloc_la_LIBADD = -ldl
TESTS += %D%/fail_alloc.sh
endif
