# SPDX-License-Identifier: MIT
# `make bench` runs every program of BENCHES in turn. To add a benchmark, create
# bench/bench_NAME.c, add it to the list and set its LDADD. References that cannot be built are
# reported and skipped.
#   make bench BENCH_MB=594     the size of the data, in MB
BENCH_MB = 100
BENCHES = %D%/bench_intake %D%/bench_once %D%/bench_packed %D%/bench_memory %D%/bench_model %D%/bench_parts %D%/bench_frame \
	%D%/bench_screen %D%/bench_emit %D%/bench_nowait %D%/bench_order %D%/bench_formats \
	%D%/bench_traces %D%/bench_tap %D%/bench_export %D%/bench_ring
BENCH_LINK = monitor/app/libapp.a views/libviews.a monitor/libmonitor.a engine/libengine.la \
	$(PROGRAM_LIBS)
EXTRA_PROGRAMS += $(BENCHES) %D%/fleet_latency %D%/load_writer
%C%_load_writer_LDADD = engine/libtrace2.la
%C%_fleet_latency_LDADD = $(BENCH_LINK)
noinst_PROGRAMS += %D%/gen
EXTRA_DIST += %D%/README.md %D%/bench.h %D%/feed.h %D%/split.h %D%/target.h %D%/data/git.event.xz %D%/ref_simdjson.cpp \
	%D%/ref_lttng.c %D%/ref_lttng_tp.h %D%/ref_lttng.sh %D%/bench_fleet.py %D%/bench_fleet_view.py %D%/bench_load.py
CLEANFILES += $(BENCHES) %D%/fleet_latency %D%/load_writer %D%/ref_simdjson %D%/ref_lttng \
	%D%/data/git-*.event $(BENCH_TRACES)

%C%_bench_intake_LDADD = $(BENCH_LINK)
%C%_bench_once_LDADD =
%C%_bench_packed_LDADD =
%C%_bench_memory_LDADD = $(BENCH_LINK)
%C%_bench_model_LDADD = $(BENCH_LINK)
%C%_bench_screen_LDADD =
%C%_bench_frame_LDADD = $(BENCH_LINK)
%C%_bench_parts_LDADD = $(BENCH_LINK)
%C%_bench_emit_LDADD = engine/libtrace2.la
%C%_bench_nowait_LDADD =
%C%_bench_tap_LDADD = $(BENCH_LINK)
%C%_bench_ring_LDADD = $(BENCH_LINK)
%C%_bench_order_LDADD = $(BENCH_LINK)
%C%_bench_export_LDADD = $(BENCH_LINK)
%C%_bench_formats_LDADD = $(BENCH_LINK)
%C%_bench_traces_SOURCES = %D%/bench_traces.c %D%/ref_gowalk.c %D%/ref_gowalk.h
%C%_bench_traces_LDADD = $(BENCH_LINK)

BENCH_CXX = c++
%D%/ref_simdjson: $(srcdir)/%D%/ref_simdjson.cpp
	-@$(MKDIR_P) %D%; $(BENCH_CXX) -O2 -o $@ $(srcdir)/%D%/ref_simdjson.cpp -lsimdjson \
		2>/dev/null || true

%D%/ref_lttng: $(srcdir)/%D%/ref_lttng.c $(srcdir)/%D%/ref_lttng_tp.h
	-@$(MKDIR_P) %D%; $(CC) -O2 -I$(top_srcdir) -o $@ $(srcdir)/%D%/ref_lttng.c \
		-llttng-ust -ldl 2>/dev/null || true

BENCH_EVENTS = %D%/data/git-$(BENCH_MB).event
$(BENCH_EVENTS): %D%/gen$(EXEEXT) $(srcdir)/%D%/data/git.event.xz
	@$(MKDIR_P) %D%/data
	@xz -dc $(srcdir)/%D%/data/git.event.xz | %D%/gen $(BENCH_MB) >$@.part && mv $@.part $@

# Traces of real programs from the tests' cases, and a generated one that is too large to store.
BENCH_TRACES = %D%/data/go.trace %D%/data/go-many.trace %D%/data/tracelog.log
BENCH_CASE = @$(MKDIR_P) %D%/data; xz -dc $(srcdir)/tests/formats.tar.xz | tar -xOf -
%D%/data/go.trace: $(srcdir)/tests/formats.tar.xz
	$(BENCH_CASE) go/compile-go1.24-gotypes.trace >$@.part && mv $@.part $@
%D%/data/tracelog.log: $(srcdir)/tests/formats.tar.xz
	$(BENCH_CASE) tracelog/decimal-jitter.log >$@.part && mv $@.part $@
%D%/data/go-many.trace: $(srcdir)/tests/go_wire.py
	@$(MKDIR_P) %D%/data
	-@$(PYTHON3) $(srcdir)/tests/go_wire.py many 100000 2000000 >$@.part && mv $@.part $@

.PHONY: bench bench-load
# Memory under load: 30 minutes, then a directory of 2.6 GB below BENCH_TMP.
bench-load: trace2top$(EXEEXT) %D%/load_writer
	$(PYTHON3) $(srcdir)/%D%/bench_load.py ./trace2top$(EXEEXT) %D%/load_writer 30
	$(PYTHON3) $(srcdir)/%D%/bench_load.py ./trace2top$(EXEEXT) %D%/load_writer directory 9700 64M
bench: trace2top$(EXEEXT) $(BENCHES) %D%/fleet_latency $(BENCH_EVENTS) $(BENCH_TRACES) %D%/ref_simdjson %D%/ref_lttng
	@for bench in $(BENCHES); do \
		BENCH_DATA=$(BENCH_EVENTS) BENCH_BUILD=%D% BENCH_SOURCE=$(srcdir)/%D% \
			BENCH_GO=%D%/data/go.trace BENCH_GO_MANY=%D%/data/go-many.trace \
			BENCH_TRACELOG=%D%/data/tracelog.log \
			./$$bench || exit 1; \
	done
	-@$(PYTHON3) $(srcdir)/%D%/bench_fleet.py ./trace2top$(EXEEXT) $(BENCH_EVENTS)
	-@$(PYTHON3) $(srcdir)/%D%/bench_fleet_view.py ./trace2top$(EXEEXT) $(BENCH_EVENTS) %D%/fleet_latency
