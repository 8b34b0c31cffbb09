/* SPDX-License-Identifier: MIT */
/*
 * Reader of the TraceLog of CoreProfiler, a profiler for .NET Core: translates its lines into
 * events.
 *
 *   thread         `thread IID (OSTID)`, or `thread IID`; a thread's compilations are in a
 *                  thread of its name plus ` jit`, collections and pauses in `runtime`
 *   region         a compilation, collection or pause; or a frame of a sampled stack: category
 *                  is the class, label the function, and its duration is measured by the
 *                  thread's own clock of sampled time (tl_stack.c)
 *   counters       CPU time, allocations by class
 *
 * The SID contains a hash of the first lines, and the process id if known. So lines are held, for
 * example until a line has the process id.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/grow.h"
#include "monitor/read/tracelog/tl_state.h"

#define NEED(holds)                                                                                \
	do {                                                                                       \
		if (!(holds))                                                                      \
			return false;                                                              \
	} while (0)

/* Parse the start time: YYYY-MM-DD HH:MM:SS.mmm[ +HH:MM]; local time without a zone. */
static bool parse_start(struct tl_line *line, ns_t *wall)
{
	const char *date, *time, *zone;
	char text[48];
	size_t date_len, time_len, zone_len;
	int n;

	NEED(tl_word(line, &date, &date_len) && tl_word(line, &time, &time_len));
	if (!tl_word(line, &zone, &zone_len))
		zone_len = 0;
	NEED(date_len == 10 && time_len <= 16 && zone_len <= 6);
	n = snprintf(text, sizeof(text), "%.*sT%.*s%.*s", (int)date_len, date, (int)time_len, time,
		     (int)zone_len, zone);
	return tl_parse_time(text, (size_t)n, zone_len > 0, wall);
}

static bool tracelog_start_line(struct tl *tl, struct tl_line *line)
{
	ns_t wall;

	NEED(parse_start(line, &wall));
	tl->start_ns = wall;
	tl->has_own_clock = true;
	return true;
}

static bool tracelog_config_line(struct tl *tl, struct tl_line *line)
{
	const char *name;
	size_t len;
	struct tl_text value;
	uint64_t ms;

	NEED(tl_word(line, &name, &len));
	while (line->at < line->end && *line->at == ' ')
		line->at++;
	value = (struct tl_text){ line->at, (size_t)(line->end - line->at) };
	if (len == 17 && !memcmp(name, "SamplingTimeoutMs", len) && tl_number(line, &ms) &&
	    ms <= 1000000)
		tl->tick_ns = (int64_t)ms * NS_PER_MS;
	tl_emit_param(tl, (struct tl_text){ name, len }, value);
	return true;
}

static bool tracelog_pauses_line(struct tl *tl, struct tl_line *line)
{
	uint64_t ts;

	NEED(tl_number(line, &ts) && ts <= TL_MAX_TS);
	tl_at(tl, ts);
	tl_pause(tl, ts);
	return true;
}

static bool tracelog_goes_on(struct tl *tl, struct tl_line *line)
{
	uint64_t ts;

	NEED(tl_number(line, &ts) && ts <= TL_MAX_TS);
	tl_at(tl, ts);
	tl_go_on(tl, ts);
	return true;
}

static bool tracelog_process_cpu(struct tl *tl, struct tl_line *line)
{
	uint64_t ts, us;

	NEED(tl_number(line, &ts) && ts <= TL_MAX_TS && tl_number(line, &us));
	tl_at(tl, ts);
	tl->cpu_us += us;
	tl_emit_cpu(tl, NULL, false);
	return true;
}

static bool thread_line(struct tl *tl, struct tl_line *line, enum tl_kind kind)
{
	uint64_t id, iid, os, ts, us;
	struct tl_thread *thread;

	switch (kind) {
	case TL_THR_CRT:
		NEED(tl_id(line, &id) && tl_number(line, &iid));
		thread = tl_thread(tl, iid);
		if (thread)
			tl_thread_starts(tl, thread);
		break;
	case TL_THR_AOS:
		NEED(tl_number(line, &iid) && tl_number(line, &os));
		thread = tl_thread(tl, iid);
		if (thread)
			thread->os = os;
		break;
	case TL_THR_DST:
		NEED(tl_id(line, &iid));
		if (!tl_at_end(line))
			NEED(tl_id(line, &iid));
		NEED(iid != TL_NO_ID);
		thread = tl_thread(tl, iid);
		if (thread)
			tl_thread_ends(tl, thread);
		break;
	default:
		NEED(tl_number(line, &iid) && tl_number(line, &ts) && ts <= TL_MAX_TS &&
		     tl_number(line, &us));
		tl_at(tl, ts);
		thread = tl_thread(tl, iid);
		if (thread) {
			thread->cpu_us += us;
			tl_emit_cpu(tl, thread, false);
		}
	}
	return true;
}

static bool module_line(struct tl *tl, struct tl_line *line, enum tl_kind kind)
{
	uint64_t v;
	struct tl_text name;
	unsigned nr = kind == TL_MOD_LDF || kind == TL_ASM_LDF ? 4 : kind == TL_APD_CRF ? 3 : 2;

	for (unsigned i = 0; i < nr; i++)
		NEED(tl_id(line, &v));
	if (kind == TL_MOD_ATA)
		return true;
	NEED(tl_texts(line, &name, 1));
	if (kind == TL_ASM_LDF)
		tl_assembly(tl, name);
	return true;
}

static bool class_line(struct tl *tl, struct tl_line *line, enum tl_kind kind)
{
	uint64_t id, iid, module, token, result;
	struct tl_text name;

	if (kind == TL_CLS_NAM) {
		NEED(tl_number(line, &iid) && tl_texts(line, &name, 1));
		tl_class_name(tl, iid, name);
		return true;
	}
	NEED(tl_id(line, &id) && tl_number(line, &iid) && tl_id(line, &module) &&
	     tl_id(line, &token) && tl_id(line, &result));
	tl_class(tl, iid, id);
	return true;
}

static bool function_line(struct tl *tl, struct tl_line *line, enum tl_kind kind)
{
	uint64_t id, iid, class_id, module, token;
	struct tl_text texts[3];

	if (kind == TL_FUN_NAM) {
		NEED(tl_number(line, &iid) && tl_texts(line, texts, 3));
		tl_function_name(tl, iid, texts[0]);
		return true;
	}
	if (kind == TL_FUN_INF)
		NEED(tl_number(line, &iid) && tl_id(line, &id));
	else
		NEED(tl_id(line, &id) && tl_number(line, &iid));
	NEED(tl_id(line, &class_id) && tl_id(line, &module) && tl_id(line, &token));
	tl_function(tl, iid, id, class_id);
	return true;
}

static bool jit_line(struct tl *tl, struct tl_line *line, enum tl_kind kind)
{
	uint64_t iid, ts, function, result = 0;
	struct tl_thread *thread;
	bool begins = kind == TL_JIT_CMS || kind == TL_JIT_CSS;
	bool cached = kind == TL_JIT_CSS || kind == TL_JIT_CSF;

	NEED(tl_id(line, &iid) && tl_number(line, &ts) && ts <= TL_MAX_TS &&
	     tl_id(line, &function));
	if (kind == TL_JIT_CMF)
		NEED(tl_id(line, &result));
	tl_at(tl, ts);
	thread = tl_thread(tl, iid);
	if (!thread)
		return true;
	if (begins)
		tl_pair_begins(tl, cached ? TL_PAIR_CACHED : TL_PAIR_JIT, thread, function, ts, 0);
	else
		tl_pair_ends(tl, cached ? TL_PAIR_CACHED : TL_PAIR_JIT, thread, function, ts,
			     result != 0);
	return true;
}

static bool gc_line(struct tl *tl, struct tl_line *line, enum tl_kind kind)
{
	const char *text, *generations;
	size_t len, nr;
	uint64_t iid, ts;
	struct tl_thread *thread;
	unsigned what = 0;

	NEED(tl_id(line, &iid) && tl_number(line, &ts) && ts <= TL_MAX_TS);
	if (kind == TL_GCH_GCS) {
		NEED(tl_word(line, &text, &len) && tl_word(line, &generations, &nr) && nr == 4);
		for (unsigned i = 0; i < 4; i++) {
			NEED((generations[i] | 0x20) == 't' || (generations[i] | 0x20) == 'f');
			if ((generations[i] | 0x20) == 't')
				what |= 1u << i;
		}
		NEED((len == 1 && *text == '?') || (len == 7 && !memcmp(text, "induced", len)));
		if (len > 1)
			what |= TL_GC_INDUCED;
	}
	tl_at(tl, ts);
	thread = tl_thread(tl, iid);
	if (thread && kind == TL_GCH_GCS)
		tl_pair_begins(tl, TL_PAIR_GC, thread, 0, ts, what);
	else if (thread)
		tl_pair_ends(tl, TL_PAIR_GC, thread, 0, ts, false);
	return true;
}

/* Parse fields iid:count:bytes[:ip], which are used only if all are well-formed. */
static bool tracelog_classes(struct tl *tl, struct tl_line *line, struct tl_thread *thread,
			     bool is_heap)
{
	struct tl_line from = *line;
	const char *text;
	size_t len;

	for (unsigned pass = 0; pass < 2; pass++) {
		*line = from;
		while (tl_word(line, &text, &len)) {
			const char *end = text + len;
			uint64_t v[4];
			unsigned nr = 0;

			for (;;) {
				NEED(nr < 4 && tl_part(&text, end, &v[nr]));
				nr++;
				if (text == end)
					break;
				text++;
			}
			NEED(nr >= 3 && v[1] != TL_NO_ID && v[2] != TL_NO_ID);
			if (!pass)
				continue;
			if (is_heap)
				tl_heap(tl, v[0], v[1], v[2]);
			else if (thread)
				tl_allocated(tl, thread, v[0], v[2]);
		}
	}
	return true;
}

static bool heap_line(struct tl *tl, struct tl_line *line)
{
	uint64_t ts;

	NEED(tl_number(line, &ts) && ts <= TL_MAX_TS);
	tl_at(tl, ts);
	tl_heap_begins(tl);
	NEED(tracelog_classes(tl, line, NULL, true));
	tl_heap_ends(tl);
	return true;
}

static bool allocation_line(struct tl *tl, struct tl_line *line)
{
	uint64_t iid, ts;

	NEED(tl_id(line, &iid) && tl_number(line, &ts) && ts <= TL_MAX_TS);
	tl_at(tl, ts);
	NEED(tracelog_classes(tl, line, tl_thread(tl, iid), false));
	tl_emit_allocations(tl, false);
	return true;
}

/* A sampled stack: thr ts COUNT MATCH:SIZE[:ip] [iid[:ip]]... */
static bool stack_line(struct tl *tl, struct tl_line *line)
{
	uint64_t iid, ts, count, match, size, v;
	const char *text, *end;
	struct tl_line from;
	struct tl_thread *thread = NULL;
	size_t len;

	NEED(tl_id(line, &iid) && tl_number(line, &ts) && ts <= TL_MAX_TS &&
	     tl_number(line, &count) && count <= TL_MAX_TS && tl_word(line, &text, &len));
	end = text + len;
	NEED(tl_part(&text, end, &match) && text < end && match <= TL_MAX_DEPTH);
	text++;
	NEED(tl_part(&text, end, &size) && size != TL_NO_ID);
	if (text < end) {
		text++;
		NEED(tl_part(&text, end, &v) && text == end);
	}
	from = *line;
	for (unsigned pass = 0; pass < 2; pass++) {
		*line = from;
		if (pass) {
			tl_at(tl, ts);
			thread = tl_thread(tl, iid);
			if (!thread)
				return true;
			tl_stack_begins(tl, thread, ts, count, match, size);
		}
		while (tl_word(line, &text, &len)) {
			uint64_t function;

			end = text + len;
			NEED(tl_part(&text, end, &function));
			if (text < end) {
				text++;
				NEED(tl_part(&text, end, &v) && text == end);
			}
			if (pass)
				tl_push(tl, thread, function);
		}
	}
	tl_stack_ends(tl, thread, count);
	return true;
}

static bool tracelog_read_known(struct tl *tl, struct tl_line *line, enum tl_kind kind)
{
	switch (kind) {
	case TL_PRF_STM:
		return tracelog_start_line(tl, line);
	case TL_PRF_CFG:
		return tracelog_config_line(tl, line);
	case TL_PRF_TPS:
		return tracelog_pauses_line(tl, line);
	case TL_PRF_TRS:
		return tracelog_goes_on(tl, line);
	case TL_PRC_CPU:
		return tracelog_process_cpu(tl, line);
	case TL_THR_CRT:
	case TL_THR_AOS:
	case TL_THR_DST:
	case TL_THR_CPU:
		return thread_line(tl, line, kind);
	case TL_MOD_LDF:
	case TL_MOD_ATA:
	case TL_ASM_LDF:
	case TL_APD_CRF:
		return module_line(tl, line, kind);
	case TL_CLS_LDF:
	case TL_CLS_NAM:
		return class_line(tl, line, kind);
	case TL_FUN_INF:
	case TL_FUN_NAM:
	case TL_FUN_CMF:
	case TL_FUN_CSF:
		return function_line(tl, line, kind);
	case TL_JIT_CMS:
	case TL_JIT_CMF:
	case TL_JIT_CSS:
	case TL_JIT_CSF:
		return jit_line(tl, line, kind);
	case TL_GCH_GCS:
	case TL_GCH_GCF:
		return gc_line(tl, line, kind);
	case TL_GCH_ALT:
		return heap_line(tl, line);
	case TL_SAM_STR:
		return stack_line(tl, line);
	case TL_SAM_MEM:
		return allocation_line(tl, line);
	case TL_GCH_GEN:
	case TL_FIL_SRC:
	case TL_LIN_SRC:
		++tl->counts->nr_ignored;
		return true;
	case TL_UNKNOWN:
		++tl->counts->nr_unknown;
		return true;
	case TL_BLANK:
		return true;
	case TL_BAD:
		break;
	}
	return false;
}

static void tracelog_read_line(struct tl *tl, const char *bytes, size_t len)
{
	static const struct diag why = { DIAG_EVENT, "not a line of a TraceLog", 0 };
	struct tl_line line = { bytes, bytes };
	enum tl_kind kind = tl_line_begin(bytes, len, &line);

	if (!tracelog_read_known(tl, &line, kind)) {
		tl->counts->nr_malformed++;
		if (tl->bad)
			tl->bad(tl->bad_data, bytes, len - (len && bytes[len - 1] == '\n'), &why);
	} else if (kind != TL_BLANK) {
		tl->has_lines = true;
	}
}

/* True if the process begins before this line, or, with `*behind`, after it. */
static bool makes_known(struct tl *tl, const char *bytes, size_t len, bool *behind)
{
	struct tl_line line = { bytes, bytes };
	enum tl_kind kind = tl_line_begin(bytes, len, &line);
	uint64_t id, pid;

	*behind = kind == TL_APD_CRF;
	if (kind == TL_APD_CRF && tl_id(&line, &id) && tl_number(&line, &pid) && pid <= UINT32_MAX)
		tl->pid = (uint32_t)pid;
	return *behind || (kind >= TL_THR_CRT && kind <= TL_THR_CPU) ||
	       (kind >= TL_JIT_CMS && kind <= TL_SAM_MEM);
}

static void tracelog_hold_line(struct tl *tl, const char *bytes, size_t len)
{
	tr2_buf_add(&tl->held, bytes, len);
}

static void tracelog_flush_held(struct tl *tl)
{
	const char *at = tl->held.data, *end = at;

	tl_process_begins(tl);
	if (at)
		end += tl->held.len;
	while (at < end) {
		const char *lf = memchr(at, '\n', (size_t)(end - at));
		size_t len = (size_t)((lf ? lf + 1 : end) - at);

		tracelog_read_line(tl, at, len);
		at += len;
	}
	tr2_buf_release(&tl->held);
}

static void tracelog_take_line(struct tl *tl, const char *bytes, size_t len)
{
	struct tl_line line = { bytes, bytes };
	bool behind, known;
	ns_t wall;

	/* Another run of the profiler: hold lines until its process is known. */
	if (tl->has_process && tl->has_lines && tl_line_begin(bytes, len, &line) == TL_PRF_STM &&
	    parse_start(&line, &wall))
		tl_process_ends(tl);
	if (tl->has_process) {
		tracelog_read_line(tl, bytes, len);
		return;
	}
	known = makes_known(tl, bytes, len, &behind);
	if (behind || (!known && tl->held.len + len <= TL_MAX_HELD))
		tracelog_hold_line(tl, bytes, len);
	if (!known && tl->held.len + len <= TL_MAX_HELD)
		return;
	tracelog_flush_held(tl);
	if (!behind)
		tracelog_read_line(tl, bytes, len);
}

static void tracelog_begin(void *state, struct tr2_intern *syms, const struct reader_stream *stream)
{
	struct tl *tl = state;

	tl_init(tl, syms, stream);
}

static void tracelog_release(void *state)
{
	tl_release(state);
}

static enum probe tracelog_probe(const char *bytes, size_t len, bool is_all)
{
	enum { LOOK = 20 };
	size_t at = 0;

	for (unsigned nr = 0; nr < LOOK; nr++) {
		const char *lf = memchr(bytes + at, '\n', len - at);
		struct tl_line line = { bytes, bytes };
		enum tl_kind kind;

		if (!lf && !is_all)
			return PROBE_MORE;
		kind = tl_line_begin(bytes + at, lf ? (size_t)(lf - bytes) - at : len - at, &line);
		if (kind < TL_UNKNOWN && !tl_at_end(&line))
			return PROBE_YES;
		/* If the first line is not of this format, the stream is not. */
		if (kind == TL_BAD && !nr)
			return PROBE_NO;
		if (!lf)
			break;
		at = (size_t)(lf + 1 - bytes);
		if (at == len)
			return is_all ? PROBE_NO : PROBE_MORE;
	}
	return PROBE_NO;
}

static void tracelog_call_begin(struct tl *tl, struct batch *batch, struct read_counts *counts,
				read_bad_fn *bad, void *bad_data)
{
	tl->counts = counts;
	tl->bad = bad;
	tl->bad_data = bad_data;
	tl_into(tl, batch);
}

static size_t tracelog_read_lines(void *state, const char *lines, size_t len, struct batch *batch,
				  struct read_counts *counts, read_bad_fn *bad, void *bad_data)
{
	struct tl *tl = state;
	size_t at = 0;

	tracelog_call_begin(tl, batch, counts, bad, bad_data);
	while (at < len && !batch_is_full(batch)) {
		const char *lf = memchr(lines + at, '\n', len - at);
		size_t n = (size_t)((lf ? lf + 1 : lines + len) - (lines + at));

		tracelog_take_line(tl, lines + at, n);
		at += n;
	}
	return at;
}

static void tracelog_finish(void *state, bool is_quiet, struct read_counts *counts,
			    read_bad_fn *bad, void *bad_data)
{
	struct tl *tl = state;

	(void)counts;
	(void)bad;
	(void)bad_data;
	tl->is_finishing = !is_quiet;
}

static bool tracelog_pump(void *state, struct batch *batch, struct read_counts *counts,
			  read_bad_fn *bad, void *bad_data)
{
	struct tl *tl = state;

	if (!tl->is_finishing)
		return false;
	tl->is_finishing = false;
	tracelog_call_begin(tl, batch, counts, bad, bad_data);
	if (!tl->has_process && tl->held.len)
		tracelog_flush_held(tl);
	if (tl->has_process)
		tl_process_ends(tl);
	return false;
}

static size_t tracelog_held_bytes(const void *state)
{
	return tl_held_bytes(state);
}

const struct reader_ops reader_tracelog_ops = {
	.state_bytes = sizeof(struct tl),
	.framing = FRAME_LINES,
	.per_stream = true,
	.probe = tracelog_probe,
	.begin = tracelog_begin,
	.read_lines = tracelog_read_lines,
	.pump = tracelog_pump,
	.finish = tracelog_finish,
	.held_bytes = tracelog_held_bytes,
	.release = tracelog_release,
};
