/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/recorder.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/jw.h"
#include "engine/trace2.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"
#include "monitor/base/json_write.h"
#include "monitor/base/platform.h"
#include "monitor/read/recording.h"
#include "monitor/send/consumer.h"
#include "monitor/send/record_file.h"

#define CHUNK_NS      NS_PER_SEC
#define PIPE_CHUNK_NS (100 * NS_PER_MS)
#define REST_MS       20
/* Maximum bytes of incomplete lines, per stream and of all streams. */
#define MAX_HELD     (256u << 10)
#define MAX_HELD_ALL (32u << 20)
/* Time to wait at the end for a pipe that is not read. */
#define END_NS (2 * NS_PER_SEC)
/* Interval of checks whether the path still names the recording's file. */
#define CHECK_NS NS_PER_SEC

/* An open stream: its OPEN and FORMAT entries, and its incomplete last line. */
struct recorded_stream {
	uint32_t id;
	struct tr2_buf open, held;
	char format[16];
};

struct recorded_source {
	uint32_t number;
	struct tr2_buf text;
};

struct recorder {
	struct recorder_config config;
	struct record_file file;
	struct tap *tap;
	struct consumer consumer;
	_Atomic uint64_t bytes;
	_Atomic unsigned removed, renamed;
	_Atomic bool has_stopped; /* set after `error`, which does not change afterwards */
	char error[200];

	/* The next members are only for the recorder's thread. */
	struct recording_writer *writer;
	struct tr2_buf out;
	ns_t checked_ns; /* monotonic time of the last check of the path */
	ns_t begun_ns;   /* monotonic time of the chunk's first entry; NS_NONE: empty */
	/* monotonic time at which to give up at the end; NS_NONE: not ending */
	ns_t end_ns;
	struct recorded_stream *streams;
	uint32_t nr_streams, cap_streams;
	struct tr2_hash_index by_id;
	struct recorded_source *sources;
	uint32_t nr_sources, cap_sources;
	size_t held;
	struct tap_losses losses_reported; /* losses that the recording already has */
	/* lost incomplete lines, which the tap does not count */
	struct tap_losses lost;
};

static uint32_t recorder_id_hash(uint32_t id)
{
	return id * 2654435761u;
}

static uint32_t recorder_hash_of(const void *data, uint32_t at)
{
	return recorder_id_hash(((const struct recorder *)data)->streams[at].id);
}

static struct recorded_stream *recorder_stream_find(struct recorder *r, uint32_t id)
{
	if (!r->by_id.nr)
		return NULL;
	TR2_HASH_INDEX_EACH(&r->by_id, recorder_id_hash(id), at)
	if (r->streams[r->by_id.at[at] - 1].id == id)
		return &r->streams[r->by_id.at[at] - 1];
	return NULL;
}

static struct recorded_stream *stream_add(struct recorder *r, uint32_t id)
{
	struct recorded_stream *s;

	GROW(r->streams, r->nr_streams, r->cap_streams, 16);
	s = &r->streams[r->nr_streams];
	*s = (struct recorded_stream){ .id = id };
	tr2_buf_init(&s->open, SIZE_MAX / 2);
	tr2_buf_init(&s->held, SIZE_MAX / 2);
	hash_index_put(&r->by_id, recorder_id_hash(id), r->nr_streams++, recorder_hash_of, r);
	return s;
}

static void stream_remove(struct recorder *r, struct recorded_stream *s)
{
	uint32_t at = (uint32_t)(s - r->streams), last = --r->nr_streams;

	r->held -= s->held.len;
	tr2_buf_release(&s->open);
	tr2_buf_release(&s->held);
	tr2_hash_index_remove(&r->by_id,
			      tr2_hash_index_place(&r->by_id, recorder_id_hash(s->id), at),
			      recorder_hash_of, r);
	if (at == last)
		return;
	r->by_id.at[tr2_hash_index_place(&r->by_id, recorder_id_hash(r->streams[last].id), last)] =
		at + 1;
	r->streams[at] = r->streams[last];
}

static void recorder_keep(struct tr2_buf *buf, const void *bytes, size_t len)
{
	if (!tr2_buf_add(buf, bytes, len))
		die_of_memory(buf->len + len);
}

static void end_check(struct recorder *r)
{
	if (r->consumer.stop && r->end_ns == NS_NONE)
		r->end_ns = tr2_clock_monotonic() + END_NS;
}

static bool gives_up(void *data)
{
	struct recorder *r = data;

	end_check(r);
	return r->end_ns != NS_NONE && tr2_clock_monotonic() > r->end_ns;
}

static void recorder_stop(struct recorder *r)
{
	r->has_stopped = true;
	if (r->config.stopped)
		r->config.stopped(r->config.data);
}

static void stopped(struct recorder *r, const char *what, int error)
{
	const char *path = r->file.path ? r->file.path : "standard output";

	if (!(error == EPIPE && !r->file.is_stored))
		snprintf(r->error, sizeof(r->error), "%s %s: %s", what, path, strerror(error));
	recorder_stop(r);
}

static void out_write(struct recorder *r)
{
	if (!r->has_stopped && r->out.len) {
		if (record_file_write(&r->file, r->out.data, r->out.len, gives_up, r))
			atomic_fetch_add(&r->bytes, r->out.len);
		else
			stopped(r, "cannot write", errno);
	}
	tr2_buf_clear(&r->out);
}

static void head_put(struct recorder *r)
{
	char host[256] = "";
	struct tr2_buf text;
	struct tr2_jw jw;

	if (!r->config.redacted)
		gethostname(host, sizeof(host) - 1);
	tr2_buf_init(&text, RECORDING_MAX_HEAD);
	tr2_jw_init(&jw, &text, 0);
	tr2_jw_object(&jw);
	json_write_cstring(&jw, "trace2top", PACKAGE_VERSION);
	json_write_cstring(&jw, "host", host);
	json_write_time(&jw, "time", tr2_clock_wall());
	json_write_number(&jw, "monotonic_ns", tr2_clock_monotonic());
	json_write_bool(&jw, "redacted", r->config.redacted);
	tr2_jw_end_object(&jw);
	recording_head(&r->out, tr2_buf_cstr(&text));
	tr2_buf_release(&text);
	out_write(r);
}

static void recorder_add(struct recorder *r, const struct recording_entry *entry, const char *data)
{
	if (r->begun_ns == NS_NONE)
		r->begun_ns = tr2_clock_monotonic();
	recording_add(r->writer, entry, data);
}

static void chunk_end(struct recorder *r)
{
	recording_chunk(r->writer, &r->out);
	out_write(r);
	r->begun_ns = NS_NONE;
}

/* Write the chunk if it is full. Call it between entries. */
static void chunk_check(struct recorder *r)
{
	if (recording_waiting(r->writer) >= RECORDING_CHUNK_BYTES)
		chunk_end(r);
}

static void recorder_add_text(struct recorder *r, enum recorded kind, uint32_t stream, ns_t arrival,
			      const char *text, size_t len)
{
	struct recording_entry entry = { .kind = kind,
					 .stream = stream,
					 .arrival_ns = arrival,
					 .text = { text ? text : "", len } };

	recorder_add(r, &entry, NULL);
	chunk_check(r);
}

static void add_open_again(struct recorder *r, struct recorded_stream *s, ns_t now)
{
	struct recording_open open;
	struct tr2_buf text;

	if (!recording_open_unpack((struct recorded_text){ s->open.data, s->open.len }, &open))
		return;
	open.flags |= OPEN_GOES_ON;
	if (!open.format.len)
		open.format = (struct recorded_text){ s->format, strlen(s->format) };
	tr2_buf_init(&text, SIZE_MAX / 2);
	recording_open_pack(&text, &open);
	recorder_add_text(r, RECORDED_OPEN, s->id, now, text.data, text.len);
	tr2_buf_release(&text);
}

static void file_begin(struct recorder *r)
{
	ns_t now = tr2_clock_wall();

	head_put(r);
	for (uint32_t i = 0; i < r->nr_sources; i++)
		recorder_add_text(r, RECORDED_SOURCE, r->sources[i].number, now,
				  r->sources[i].text.data, r->sources[i].text.len);
	for (uint32_t i = 0; i < r->nr_streams; i++)
		add_open_again(r, &r->streams[i], now);
}

/* Start a new file if this one has reached half of `max_bytes`. Call it between entries. */
static void bound_check(struct recorder *r)
{
	if (!r->config.max_bytes || r->has_stopped || !r->file.is_stored ||
	    r->file.bytes < r->config.max_bytes / 2)
		return;
	chunk_end(r);
	/* After a failed write a new file would stay empty. */
	if (r->has_stopped)
		return;
	if (record_file_renew(&r->file))
		file_begin(r);
	else
		stopped(r, "cannot start a new", errno);
}

/* Open the path again if it no longer names the recording's file. Checks at most once per
 * `interval`. Call it between entries. */
static void path_check(struct recorder *r, ns_t interval)
{
	ns_t now = tr2_clock_monotonic();
	enum record_file_state state;
	char why[sizeof(r->error)];

	if (r->has_stopped || now - r->checked_ns < interval)
		return;
	r->checked_ns = now;
	state = record_file_check(&r->file);
	if (state == RECORD_FILE_SAME)
		return;
	chunk_end(r);
	if (r->has_stopped)
		return;
	if (!record_file_reopen(&r->file, why, sizeof(why))) {
		snprintf(r->error, sizeof(r->error), "%s while it was written: %.150s",
			 state == RECORD_FILE_REMOVED ? "removed" : "renamed",
			 why + strlen("--record: "));
		recorder_stop(r);
		return;
	}
	if (state == RECORD_FILE_REMOVED)
		r->removed++;
	else
		r->renamed++;
	file_begin(r);
	if (r->config.stopped)
		r->config.stopped(r->config.data);
}

static void losses_report(struct recorder *r, ns_t now)
{
	struct tap_losses lost = tap_lost(r->tap);
	struct recording_entry entry = { .kind = RECORDED_DROPPED, .arrival_ns = now };

	lost.bytes += r->lost.bytes;
	entry.lines = lost.lines - r->losses_reported.lines;
	entry.bytes = lost.bytes - r->losses_reported.bytes;
	if (!entry.lines && !entry.bytes)
		return;
	r->losses_reported = lost;
	recorder_add(r, &entry, NULL);
}

static void recorder_held_drop(struct recorder *r, struct recorded_stream *s)
{
	r->lost.bytes += s->held.len;
	r->held -= s->held.len;
	tr2_buf_clear(&s->held);
}

static void take_source(struct recorder *r, const struct tap_entry *e)
{
	struct recorded_source *s = NULL;

	for (uint32_t i = 0; i < r->nr_sources; i++)
		if (r->sources[i].number == e->stream)
			s = &r->sources[i];
	if (s)
		return;
	GROW(r->sources, r->nr_sources, r->cap_sources, 4);
	s = &r->sources[r->nr_sources++];
	s->number = e->stream;
	tr2_buf_init(&s->text, SIZE_MAX / 2);
	recorder_keep(&s->text, e->bytes, e->len);
	recorder_add_text(r, RECORDED_SOURCE, e->stream, e->arrival_ns, e->bytes, e->len);
}

static struct recorded_stream *take_open(struct recorder *r, const struct tap_entry *e)
{
	struct recorded_stream *s = recorder_stream_find(r, e->stream);

	/* A second OPEN entry continues the stream. */
	if (s)
		return s;
	s = stream_add(r, e->stream);
	recorder_keep(&s->open, e->bytes, e->len);
	recorder_add_text(r, RECORDED_OPEN, e->stream, e->arrival_ns, e->bytes, e->len);
	return s;
}

static void add_bytes(struct recorder *r, uint32_t stream, ns_t arrival, const char *bytes,
		      size_t len)
{
	struct recording_entry entry = { .kind = RECORDED_BYTES,
					 .stream = stream,
					 .arrival_ns = arrival,
					 .len = (uint32_t)len };

	if (len)
		recorder_add(r, &entry, bytes);
}

/* Record complete lines. Keep the incomplete last line, unless too many bytes would be kept. */
static void recorder_take_bytes(struct recorder *r, struct recorded_stream *s,
				const struct tap_entry *e)
{
	const char *lf = platform_find_last(e->bytes, '\n', e->len);
	size_t whole = lf ? (size_t)(lf + 1 - e->bytes) : 0, recorder_rest = e->len - whole;
	bool is_much =
		s->held.len + recorder_rest > MAX_HELD || r->held + recorder_rest > MAX_HELD_ALL;

	if (whole || is_much) {
		r->held -= s->held.len;
		add_bytes(r, s->id, e->arrival_ns, s->held.data, s->held.len);
		tr2_buf_clear(&s->held);
		if (is_much)
			whole = e->len;
		add_bytes(r, s->id, e->arrival_ns, e->bytes, whole);
		if (s->held.cap > MAX_HELD / 4)
			tr2_buf_release(&s->held);
		recorder_rest = e->len - whole;
	}
	recorder_keep(&s->held, e->bytes + whole, recorder_rest);
	r->held += recorder_rest;
}

static void recorder_take_datagram(struct recorder *r, const struct tap_entry *e)
{
	bool has_lf = e->len && e->bytes[e->len - 1] == '\n';
	struct recording_entry entry = { .kind = RECORDED_DATAGRAM,
					 .stream = e->stream,
					 .arrival_ns = e->arrival_ns,
					 .len = e->len,
					 .flags = e->flags & TAP_TRUNCATED ? RECORDED_CUT : 0 };
	struct tr2_buf text;

	if (has_lf) {
		recorder_add(r, &entry, e->bytes);
		return;
	}
	tr2_buf_init(&text, SIZE_MAX / 2);
	recorder_keep(&text, e->bytes, e->len);
	recorder_keep(&text, "\n", 1);
	entry.len++;
	entry.flags |= RECORDED_LF;
	recorder_add(r, &entry, text.data);
	tr2_buf_release(&text);
}

static void recorder_take_end(struct recorder *r, struct recorded_stream *s, ns_t arrival,
			      bool closed)
{
	struct recording_entry entry = { .kind = RECORDED_END,
					 .stream = s->id,
					 .arrival_ns = arrival,
					 .flags = closed ? RECORDED_CLOSED : 0,
					 .text = { s->held.len ? s->held.data : "", s->held.len } };

	recorder_add(r, &entry, NULL);
	chunk_check(r);
	stream_remove(r, s);
}

static void take_reset(struct recorder *r, ns_t now)
{
	while (r->nr_streams) {
		struct recorded_stream *s = &r->streams[r->nr_streams - 1];

		recorder_held_drop(r, s);
		recorder_take_end(r, s, now, false);
	}
	losses_report(r, now);
}

static void take_format(struct recorder *r, struct recorded_stream *s, const struct tap_entry *e)
{
	size_t len = e->len < sizeof(s->format) - 1 ? e->len : sizeof(s->format) - 1;

	memcpy(s->format, e->bytes, len);
	s->format[len] = '\0';
	recorder_add_text(r, RECORDED_FORMAT, s->id, e->arrival_ns, e->bytes, e->len);
}

static void take_gap(struct recorder *r, const struct tap_entry *e)
{
	struct recording_entry entry = { .kind = RECORDED_GAP, .arrival_ns = e->arrival_ns };

	memcpy(&entry.gap_ns, e->bytes, sizeof(entry.gap_ns));
	entry.text = (struct recorded_text){ e->bytes + sizeof(entry.gap_ns),
					     e->len - sizeof(entry.gap_ns) };
	recorder_add(r, &entry, NULL);
}

static void take_dropped(struct recorder *r, const struct tap_entry *e)
{
	struct recording_entry entry = { .kind = RECORDED_DROPPED, .arrival_ns = e->arrival_ns };
	struct tap_losses losses;

	memcpy(&losses, e->bytes, sizeof(losses));
	entry.lines = losses.lines;
	entry.bytes = losses.bytes;
	recorder_add(r, &entry, NULL);
}

static void recorder_take(struct recorder *r, const struct tap_entry *e)
{
	struct recorded_stream *s = recorder_stream_find(r, e->stream);

	if (e->cut) {
		if (s)
			recorder_held_drop(r, s);
		losses_report(r, e->arrival_ns);
	}
	switch (e->kind) {
	case TAP_PAD:
		break;
	case TAP_RESET:
		take_reset(r, tr2_clock_wall());
		break;
	case TAP_SOURCE:
		take_source(r, e);
		break;
	case TAP_OPEN:
		take_open(r, e);
		break;
	case TAP_FORMAT:
		if (s)
			take_format(r, s, e);
		break;
	case TAP_BYTES:
		if (s)
			recorder_take_bytes(r, s, e);
		break;
	case TAP_DATAGRAM:
		recorder_take_datagram(r, e);
		break;
	case TAP_END:
		if (s)
			recorder_take_end(r, s, e->arrival_ns, (e->flags & TAP_CLOSED) != 0);
		break;
	case TAP_GAP:
		take_gap(r, e);
		break;
	case TAP_DROPPED:
		take_dropped(r, e);
		break;
	}
}

/* ---- the recorder's thread ---- */

static void recorder_take_entry(void *data, const struct tap_entry *entry)
{
	struct recorder *r = data;

	if (!r->has_stopped)
		recorder_take(r, entry);
	chunk_check(r);
	bound_check(r);
}

static bool recorder_drain(void *data)
{
	struct recorder *r = data;

	end_check(r);
	return consumer_drain(r->tap, recorder_take_entry, r);
}

static int chunk_left_ms(const struct recorder *r)
{
	ns_t age = r->begun_ns == NS_NONE ? 0 : tr2_clock_monotonic() - r->begun_ns;
	ns_t left = (r->file.is_stored ? CHUNK_NS : PIPE_CHUNK_NS) - age;

	if (r->begun_ns == NS_NONE)
		return -1;
	return left <= 0 ? 0 : (int)(left / NS_PER_MS) + 1;
}

/* Return the ms after which to write the chunk or check the path again; -1: neither. */
static int wait_ms(const struct recorder *r)
{
	int left = chunk_left_ms(r), check = CHECK_NS / NS_PER_MS;

	if (r->has_stopped || !r->file.is_stored)
		return left;
	return left >= 0 && left < check ? left : check;
}

static bool recorder_turn(void *data, struct consumer_round *round)
{
	struct recorder *r = data;

	path_check(r, round->stopping ? 0 : CHECK_NS);
	if (!r->has_stopped && (chunk_left_ms(r) == 0 || round->stopping)) {
		if (round->stopping)
			losses_report(r, tr2_clock_wall());
		chunk_end(r);
	}
	round->wait_ms = wait_ms(r);
	return !round->stopping;
}

static void recorder_begin(void *data)
{
	head_put(data);
}

static void recorder_finish(void *data)
{
	struct recorder *r = data;

	trace2_data_intmax("recorder", NULL, "bytes", (intmax_t)r->bytes);
}

static const struct consumer_ops recorder_ops = {
	.name = "recorder",
	.rest_ms = REST_MS,
	.begin = recorder_begin,
	.drain = recorder_drain,
	.turn = recorder_turn,
	.finish = recorder_finish,
};

/* ---- functions of recorder.h ---- */

struct recorder *recorder_new(const struct recorder_config *config, char *why, size_t why_bytes)
{
	struct recorder *r;

	if (!recording_is_built()) {
		snprintf(why, why_bytes,
			 "--record: this trace2top was built without libzstd; install libzstd-dev, "
			 "then configure and build it again");
		return NULL;
	}
	if (config->max_bytes && config->max_bytes < RECORDER_MIN_BYTES) {
		snprintf(why, why_bytes, "--record-size: must be at least 1M");
		return NULL;
	}
	r = xcalloc(1, sizeof(*r));
	r->config = *config;
	r->begun_ns = r->end_ns = NS_NONE;
	if (!record_file_open(&r->file, config->path, why, why_bytes)) {
		free(r);
		return NULL;
	}
	r->tap = tap_new(RECORDER_TAP_BYTES);
	r->writer = recording_writer_new();
	tr2_buf_init(&r->out, SIZE_MAX / 2);
	return r;
}

struct tap *recorder_tap(struct recorder *r)
{
	return r->tap;
}

void recorder_start(struct recorder *r)
{
	consumer_start(&r->consumer, &recorder_ops, r->tap, r);
}

void recorder_stats(struct recorder *r, struct recorder_stats *out)
{
	*out = (struct recorder_stats){ .bytes = r->bytes, .lost = tap_lost(r->tap) };
	out->removed = r->removed;
	out->renamed = r->renamed;
	out->has_stopped = r->has_stopped;
	if (out->has_stopped)
		memcpy(out->error, r->error, sizeof(out->error));
}

void recorder_end(struct recorder *r)
{
	if (r)
		consumer_stop(&r->consumer);
}

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	recorder_end(r);
	while (r->nr_streams)
		stream_remove(r, &r->streams[r->nr_streams - 1]);
	free(r->streams);
	tr2_hash_index_release(&r->by_id);
	for (uint32_t i = 0; i < r->nr_sources; i++)
		tr2_buf_release(&r->sources[i].text);
	free(r->sources);
	recording_writer_free(r->writer);
	tr2_buf_release(&r->out);
	record_file_close(&r->file);
	consumer_release(&r->consumer);
	tap_free(r->tap);
	free(r);
}
