/* SPDX-License-Identifier: MIT */
/*
 * Replaces monitor/read/readers.c in tests: the table of readers with two more formats, and these
 * formats.
 */
#include "config.h"
#include "tests/reader_toy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"

#define READER(ID, word, help, ops) extern const struct reader_ops ops;
#include "monitor/read/readers.def"

const struct reader_ops *const readers[] = {
#define READER(ID, word, help, ops) [READER_##ID] = &ops,
#include "monitor/read/readers.def"
	&reader_toy_ops,
	&reader_toyline_ops,
};

const struct word reader_words[] = {
#define READER_AUTO(ID, word, help) { word, help },
#define READER(ID, word, help, ops) { word, help },
#include "monitor/read/readers.def"
	{ "toy", "a test's binary records" },
	{ "toyline", "a test's lines" },
};

const unsigned nr_readers = sizeof(readers) / sizeof(readers[0]);

unsigned toy_kind(const struct reader_ops *ops)
{
	unsigned kind = 0;

	while (readers[kind] != ops)
		kind++;
	return kind;
}

/* State of the formats TOY and TOYLINE: events held back, of which `nr_ready` may be delivered. */
struct toy {
	struct tr2_intern *syms;
	const struct reader_stream *stream;
	char sid[80];
	bool begun, told;
	struct toy_event {
		uint32_t time_us, code;
	} * held;
	size_t nr_held, cap_held, nr_ready, at;
	size_t nr_unused; /* bytes after the magic that the last read did not use */
};

static void toy_begin_state(void *state, struct tr2_intern *syms,
			    const struct reader_stream *stream)
{
	struct toy *toy = state;

	toy->syms = syms;
	toy->stream = stream;
	snprintf(toy->sid, sizeof(toy->sid), "toy:%s#%u", stream->name, ++*stream->nr_processes);
}

static void toy_hold(struct toy *toy, uint32_t code, uint32_t time_us)
{
	if (toy->stream->is_skipped)
		return;
	if (toy->nr_held == toy->cap_held) {
		toy->cap_held = toy->cap_held ? toy->cap_held * 2 : 16;
		toy->held = realloc(toy->held, toy->cap_held * sizeof(*toy->held));
		if (!toy->held)
			abort();
	}
	toy->held[toy->nr_held++] = (struct toy_event){ time_us, code };
}

static int toy_by_time(const void *a, const void *b)
{
	const struct toy_event *x = a, *y = b;

	return x->time_us != y->time_us ? (x->time_us < y->time_us ? -1 : 1)
					: (x->code > y->code) - (x->code < y->code);
}

/* Sort the events that are not ready, except the last `but`, and make them ready. */
static void toy_ready(struct toy *toy, size_t but)
{
	if (toy->nr_held - toy->nr_ready <= but)
		return;
	qsort(toy->held + toy->nr_ready, toy->nr_held - but - toy->nr_ready, sizeof(*toy->held),
	      toy_by_time);
	toy->nr_ready = toy->nr_held - but;
}

static void toy_tell(struct toy *toy, struct batch *batch, struct read_counts *counts,
		     const struct toy_event *held)
{
	uint32_t sid =
		batch_sid(batch, toy->sid, strlen(toy->sid), tr2_hash(toy->sid, strlen(toy->sid)));
	struct event ev = { .kind = TR2_E_EXIT };

	event_set(&ev, TR2_F_SID, sid);
	event_set(&ev, TR2_F_THREAD, tr2_intern(toy->syms, "main", 4));
	event_set(&ev, TR2_F_TIME, (ns_t)held->time_us * NS_PER_US);
	event_set(&ev, TR2_F_CODE, held->code);
	batch_add(batch, &ev);
	counts->nr_events++;
}

static bool toy_pump(void *state, struct batch *batch, struct read_counts *counts, read_bad_fn *bad,
		     void *bad_data)
{
	struct toy *toy = state;

	(void)bad;
	(void)bad_data;
	while (toy->at < toy->nr_ready && !batch_is_full(batch))
		toy_tell(toy, batch, counts, &toy->held[toy->at++]);
	if (toy->at < toy->nr_ready)
		return true;
	if (!toy->at)
		return false;
	memmove(toy->held, toy->held + toy->at, (toy->nr_held - toy->at) * sizeof(*toy->held));
	toy->nr_held -= toy->at;
	toy->nr_ready = toy->at = 0;
	return false;
}

static size_t toy_held_bytes(const void *state)
{
	return ((const struct toy *)state)->cap_held * sizeof(struct toy_event);
}

static void toy_release(void *state)
{
	free(((struct toy *)state)->held);
}

static enum probe toy_probe(const char *bytes, size_t len, bool is_all)
{
	size_t nr = len < sizeof(TOY_MAGIC) ? len : sizeof(TOY_MAGIC);

	(void)is_all;
	if (memcmp(bytes, TOY_MAGIC, nr))
		return PROBE_NO;
	return nr == sizeof(TOY_MAGIC) ? PROBE_YES : PROBE_MORE;
}

static uint32_t number(const char *bytes, int nr)
{
	uint32_t v = 0;

	while (nr-- > 0)
		v = v << 8 | (unsigned char)bytes[nr];
	return v;
}

static void toy_bad(struct read_counts *counts, read_bad_fn *bad, void *bad_data, const char *bytes,
		    size_t len, const char *what)
{
	struct diag why = { DIAG_JSON, what, 0 };

	counts->nr_malformed++;
	if (bad)
		bad(bad_data, bytes, len, &why);
}

/* Read up to the end of a generation: its events must be delivered before the next one is read. */
static size_t toy_read_bytes(void *state, const char *bytes, size_t len, struct batch *batch,
			     struct read_counts *counts, read_bad_fn *bad, void *bad_data)
{
	struct toy *toy = state;
	size_t at = 0;

	(void)batch;
	if (!toy->begun) {
		if (len < sizeof(TOY_MAGIC))
			return 0;
		toy->begun = true;
		at = sizeof(TOY_MAGIC);
	}
	for (; len - at >= TOY_RECORD_BYTES; at += TOY_RECORD_BYTES) {
		const char *record = bytes + at;

		if (*record == 'e') {
			toy_hold(toy, number(record + 1, 3), number(record + 4, 4));
		} else if (*record == 'f') {
			toy_ready(toy, 0);
			at += TOY_RECORD_BYTES;
			break;
		} else {
			toy_bad(counts, bad, bad_data, record, TOY_RECORD_BYTES, "no kind");
		}
	}
	toy->nr_unused = len - at;
	return at;
}

static void toy_finish(void *state, bool is_quiet, struct read_counts *counts, read_bad_fn *bad,
		       void *bad_data)
{
	struct toy *toy = state;

	toy_ready(toy, 0);
	if (!is_quiet && toy->nr_unused)
		toy_bad(counts, bad, bad_data, "", 0, "it is cut off");
}

const struct reader_ops reader_toy_ops = {
	.state_bytes = sizeof(struct toy),
	.framing = FRAME_BYTES,
	.per_stream = true,
	.probe = toy_probe,
	.begin = toy_begin_state,
	.read_bytes = toy_read_bytes,
	.pump = toy_pump,
	.finish = toy_finish,
	.held_bytes = toy_held_bytes,
	.release = toy_release,
};

static enum probe toyline_probe(const char *bytes, size_t len, bool is_all)
{
	static const char first[] = "# toyline\n";
	size_t nr = len < sizeof(first) - 1 ? len : sizeof(first) - 1;

	(void)is_all;
	if (!memcmp(bytes, first, nr))
		return nr == sizeof(first) - 1 ? PROBE_YES : PROBE_MAYBE;
	return *bytes == '#' ? PROBE_MAYBE : PROBE_NO;
}

static size_t toyline_read_lines(void *state, const char *lines, size_t len, struct batch *batch,
				 struct read_counts *counts, read_bad_fn *bad, void *bad_data)
{
	struct toy *toy = state;
	const char *p = lines, *end = lines + len, *lf;

	(void)batch;
	for (; p < end; p = lf + 1) {
		lf = memchr(p, '\n', (size_t)(end - p));
		if (*p == '#' || p == lf)
			counts->nr_ignored++;
		else if (*p >= '0' && *p <= '9')
			toy_hold(toy, (uint32_t)strtoul(p, NULL, 10), 0);
		else
			toy_bad(counts, bad, bad_data, p, (size_t)(lf - p), "no number");
	}
	toy_ready(toy, 1);
	return len;
}

static void toyline_finish(void *state, bool is_quiet, struct read_counts *counts, read_bad_fn *bad,
			   void *bad_data)
{
	(void)is_quiet;
	(void)counts;
	(void)bad;
	(void)bad_data;
	toy_ready(state, 0);
}

const struct reader_ops reader_toyline_ops = {
	.state_bytes = sizeof(struct toy),
	.framing = FRAME_LINES,
	.per_stream = true,
	.is_twin = true,
	.probe = toyline_probe,
	.begin = toy_begin_state,
	.read_lines = toyline_read_lines,
	.pump = toy_pump,
	.finish = toyline_finish,
	.held_bytes = toy_held_bytes,
	.release = toy_release,
};
