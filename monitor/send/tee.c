/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/tee.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/tr2_settings.h"
#include "engine/trace2.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/platform.h"
#include "monitor/send/consumer.h"
#include "monitor/send/line.h"
#include "monitor/send/outlet.h"
#include "monitor/send/ways.h"

/* REST_MS: pause while entries arrive. AGAIN_MS: interval at which targets that are not ready are
 * tried again. */
#define REST_MS  5
#define AGAIN_MS 10
/* Interval at which an unreachable target is tried again. */
#define RETRY_NS NS_PER_SEC
/* From this number of inputs on, a datagram with a new SID gets no state of its own; without a
 * shared outlet it is dropped. */
#define MAX_WAYS (4 * TEE_MAX_OUTLETS)
/* A process that sent no datagram for this time is assumed to have ended. */
#define SILENT_NS  (60 * NS_PER_SEC)
#define END_NS     (2 * NS_PER_SEC)
#define TURN_BYTES (512u << 10)
/* Maximum bytes: of a line that arrives in pieces (longer ones are dropped), of all incomplete
 * lines, of the buffered lines of outlets that are not shared. */
#define MAX_LINE     (1u << 20)
#define MAX_HELD_ALL (32u << 20)
#define MAX_OUT_ALL  (16u << 20)

struct tee {
	char *(*ask)(void *data); /* callback that returns the target; NULL: the target is fixed */
	void *ask_data;
	/* last result of `ask`, for the tee's thread; NULL: no valid target */
	char *asked;
	_Atomic bool ask_again;
	struct outlet_target target;
	struct tap *tap;
	struct consumer consumer;
	_Atomic uint64_t passed_lines, passed_bytes, lost_lines, lost_bytes;
	_Atomic int error; /* errno of the last failure since the target was opened; 0: none */

	/* The next members are only for the tee's thread while it runs. */
	struct tap_losses passed, lost;
	struct outlet shared;
	struct ways ways;
	uint32_t nr_outlets, nr_unnamed;
	/* held: bytes of incomplete lines; waiting: bytes in outlets at the last turn(), plus those
	 * of lines buffered since */
	size_t held, waiting;
	ns_t down_until_ns; /* monotonic time at which to try the target again */
	ns_t end_ns;
};

static void way_remove(struct tee *t, uint32_t at)
{
	struct way *way = t->ways.all[at];

	outlet_close(&way->outlet, t->target.kind, &t->lost);
	t->nr_outlets -= way->has_outlet;
	t->held -= way->held.len;
	ways_remove(&t->ways, at);
}

static void tee_name_take(struct tee *t, struct way *way, const char *line, size_t len)
{
	if (*way->name || line_file_name(line, len, way->name, sizeof(way->name)))
		return;
	snprintf(way->name, sizeof(way->name), "unnamed-%lld-%u", (long long)tr2_clock_wall(),
		 ++t->nr_unnamed);
}

/* The path may name a directory now and a file later, so check it at each opening. */
static void tee_path_check(struct tee *t)
{
	struct stat st;

	if (t->target.is_path)
		t->target.kind = !stat(t->target.path, &st) && S_ISDIR(st.st_mode) ? OUTLET_DIR
										   : OUTLET_FILE;
}

static void outlets_close(struct tee *t)
{
	outlet_close(&t->shared, t->target.kind, &t->lost);
	for (uint32_t i = 0; i < t->ways.nr; i++)
		outlet_close(&t->ways.all[i]->outlet, t->target.kind, &t->lost);
}

/* Call `ask`. Returns true if there is another target now. */
static bool target_asked(struct tee *t)
{
	char why[200], *spec = t->ask(t->ask_data);
	struct outlet_target target = { 0 };

	if (spec && !outlet_target_parse(spec, &target, why, sizeof(why))) {
		free(spec);
		spec = NULL;
	}
	if (spec == t->asked || (spec && t->asked && !strcmp(spec, t->asked))) {
		free(spec);
		return false;
	}
	outlets_close(t);
	target.max_files = t->target.max_files;
	t->target = target;
	free(t->asked);
	t->asked = spec;
	t->error = 0;
	t->down_until_ns = 0;
	return spec != NULL;
}

static bool open_failed(struct tee *t, int error)
{
	/* The path is a socket of another type: try that next time. */
	if (error == EPROTOTYPE && t->target.any_socket && !t->nr_outlets) {
		t->target.kind = t->target.kind == OUTLET_STREAM ? OUTLET_DGRAM : OUTLET_STREAM;
		error = ECONNREFUSED;
	}
	t->error = error;
	t->down_until_ns = tr2_clock_monotonic() + RETRY_NS;
	return false;
}

/* Open the outlet if needed. True if it is open, or buffers lines until it can be opened. */
static bool outlet_ready(struct tee *t, struct outlet *o, const char *name)
{
	int error;

	if (o->fd >= 0)
		return true;
	if (tr2_clock_monotonic() < t->down_until_ns)
		return false;
	error = outlet_open(o, &t->target, name);
	if (error == EAGAIN)
		return true;
	/* If `ask` returns another target, open that at once. */
	if (error && t->ask && target_asked(t))
		error = outlet_open(o, &t->target, name);
	if (error == EAGAIN)
		return true;
	if (error)
		return open_failed(t, error);
	t->error = 0;
	return true;
}

static struct outlet *outlet_of(struct tee *t, struct way *way, const char *line, size_t len)
{
	if (outlet_is_shared(&t->target))
		return outlet_ready(t, &t->shared, NULL) ? &t->shared : NULL;
	if (!way->has_outlet && t->nr_outlets == TEE_MAX_OUTLETS)
		return NULL;
	tee_name_take(t, way, line, len);
	if (!outlet_ready(t, &way->outlet, way->name))
		return NULL;
	t->nr_outlets += !way->has_outlet;
	way->has_outlet = true;
	return &way->outlet;
}

static void flush(struct tee *t, struct outlet *o)
{
	int error = outlet_flush(o, t->target.kind, &t->lost, &t->passed);

	if (!error)
		return;
	t->error = error;
	/* If one connection breaks, others to the target may still work. */
	if (outlet_is_shared(&t->target) || t->target.kind == OUTLET_DIR)
		t->down_until_ns = tr2_clock_monotonic() + RETRY_NS;
}

static void give_up(struct tee *t, const char *bytes, size_t len, bool message)
{
	if (!message) {
		losses_add(&t->lost, bytes, len);
		return;
	}
	t->lost.lines++;
	t->lost.bytes += len;
}

/*
 * Return how many bytes an outlet may buffer now. A shared outlet has no limit here; see
 * tee_is_blocked(). Another outlet may buffer OUTLET_MAX_BYTES or, if it is empty, `len` bytes if
 * that is more; nothing while the outlets together buffer MAX_OUT_ALL bytes.
 */
static size_t room_for(struct tee *t, struct outlet *o, size_t len)
{
	if (outlet_is_shared(&t->target))
		return SIZE_MAX / 4;
	if (o->fd >= 0 && outlet_waiting(o) + len > OUTLET_MAX_BYTES)
		flush(t, o);
	if (t->waiting >= MAX_OUT_ALL)
		return 0;
	return outlet_waiting(o) || len < OUTLET_MAX_BYTES ? OUTLET_MAX_BYTES : len;
}

static void tee_give(struct tee *t, struct way *way, const char *bytes, size_t len, bool message)
{
	struct outlet *o;
	size_t before, room;

	if (!len || !t->target.path)
		return;
	if (t->target.is_path && t->shared.fd < 0 && !way->has_outlet)
		tee_path_check(t);
	o = outlet_of(t, way, bytes, len);
	if (!o) {
		give_up(t, bytes, len, message);
		return;
	}
	before = outlet_waiting(o);
	room = room_for(t, o, len);
	outlet_put(o, t->target.kind, bytes, len, message, room, &t->lost);
	/* The next line in a shared file may belong to another input, so add the missing LF. */
	if (t->target.kind == OUTLET_FILE && bytes[len - 1] != '\n')
		outlet_put(o, t->target.kind, "\n", 1, false, room, &t->lost);
	t->waiting += outlet_waiting(o) - before;
}

static void tee_held_drop(struct tee *t, struct way *way)
{
	/* The incomplete line counts as lost when its LF is dropped, too. */
	t->lost.bytes += way->held.len;
	t->held -= way->held.len;
	tr2_buf_clear(&way->held);
}

static void tee_hold(struct tee *t, struct way *way, const char *bytes, size_t len)
{
	if (way->held.len + len > MAX_LINE || t->held + len > MAX_HELD_ALL) {
		tee_held_drop(t, way);
		t->lost.bytes += len;
		way->skips = true;
		return;
	}
	if (!tr2_buf_add(&way->held, bytes, len))
		die_of_memory(way->held.len + len);
	t->held += len;
}

static void tee_take_bytes(struct tee *t, struct way *way, const char *bytes, size_t len)
{
	const char *lf;
	size_t nr;

	if (way->skips || way->held.len) {
		lf = memchr(bytes, '\n', len);
		nr = lf ? (size_t)(lf + 1 - bytes) : len;
		if (way->skips) {
			t->lost.bytes += nr;
			t->lost.lines += lf != NULL;
			way->skips = !lf;
		} else {
			tee_hold(t, way, bytes, nr);
			if (way->skips && lf) {
				t->lost.lines++;
				way->skips = false;
			} else if (lf) {
				tee_give(t, way, way->held.data, way->held.len, false);
				t->held -= way->held.len;
				tr2_buf_clear(&way->held);
			}
		}
		bytes += nr;
		len -= nr;
	}
	lf = len ? platform_find_last(bytes, '\n', len) : NULL;
	nr = lf ? (size_t)(lf + 1 - bytes) : 0;
	tee_give(t, way, bytes, nr, false);
	if (len > nr)
		tee_hold(t, way, bytes + nr, len - nr);
}

static void tee_take_datagram(struct tee *t, const struct tap_entry *e)
{
	size_t len;
	const char *sid = line_sid(e->bytes, e->len, &len);
	struct way *way;

	if (!e->len)
		return;
	if (!sid)
		len = 0;
	way = ways_find(&t->ways, 0, sid ? sid : "", len);
	if (!way && t->ways.nr >= MAX_WAYS) {
		if (!outlet_is_shared(&t->target)) {
			give_up(t, e->bytes, e->len, true);
			return;
		}
		len = 0;
	}
	way = ways_get(&t->ways, 0, len ? sid : "", len);
	way->ends = false;
	way->last_ns = tr2_clock_monotonic();
	tee_give(t, way, e->bytes, e->len, true);
	way->ends = line_is_last_word(e->bytes, e->len);
}

static void tee_take_end(struct tee *t, struct way *way)
{
	if (way->held.len)
		tee_give(t, way, way->held.data, way->held.len, false);
	t->held -= way->held.len;
	tr2_buf_clear(&way->held);
	way->ends = true;
}

static void tee_take(struct tee *t, const struct tap_entry *e)
{
	struct way *way;

	if (e->kind == TAP_RESET) {
		for (uint32_t i = 0; i < t->ways.nr; i++) {
			tee_held_drop(t, t->ways.all[i]);
			t->ways.all[i]->ends = true;
		}
		return;
	}
	if (e->kind == TAP_DATAGRAM) {
		tee_take_datagram(t, e);
		return;
	}
	if (e->kind == TAP_BYTES) {
		way = ways_get(&t->ways, e->stream, NULL, 0);
		way->ends = false;
	} else {
		way = ways_find(&t->ways, e->stream, NULL, 0);
	}
	if (way && e->cut) {
		tee_held_drop(t, way);
		way->skips = false;
	}
	if (way && e->kind == TAP_BYTES)
		tee_take_bytes(t, way, e->bytes, e->len);
	else if (way && e->kind == TAP_END)
		tee_take_end(t, way);
}

static void tee_stats_publish(struct tee *t)
{
	t->passed_lines = t->passed.lines;
	t->passed_bytes = t->passed.bytes;
	t->lost_lines = t->lost.lines;
	t->lost_bytes = t->lost.bytes;
}

/* While a flush leaves lines in the shared outlet, no entries are taken from the tap. */
static bool tee_is_blocked(const struct tee *t)
{
	return outlet_is_shared(&t->target) && outlet_waiting(&t->shared) > 0;
}

static void shared_flush(struct tee *t)
{
	if (t->shared.fd >= 0)
		flush(t, &t->shared);
}

static bool tee_drain(void *data)
{
	struct tee *t = data;
	bool any = false, blocked;
	struct tap_entry entry;
	size_t gathers;

	if (t->ask && atomic_exchange(&t->ask_again, false))
		target_asked(t);
	gathers = t->target.kind == OUTLET_DGRAM ? 1 : OUTLET_MAX_BYTES / 4;
	blocked = tee_is_blocked(t);
	/* Except for datagrams, lines are collected before writing, because a write is expensive.
	 * The number of bytes per turn is limited, so that other outlets are written to in
	 * between. */
	for (size_t taken = 0; taken < TURN_BYTES && !blocked && tap_next(t->tap, &entry);
	     taken += entry.len) {
		tee_take(t, &entry);
		tap_done(t->tap);
		any = true;
		if (outlet_waiting(&t->shared) < gathers)
			continue;
		shared_flush(t);
		blocked = tee_is_blocked(t);
	}
	shared_flush(t);
	tap_give_back(t->tap);
	return any;
}

static bool tee_is_over(const struct way *way, ns_t now)
{
	return (way->ends || (way->sid && now - way->last_ns > SILENT_NS)) &&
	       !outlet_waiting(&way->outlet);
}

static void ways_check(struct tee *t)
{
	ns_t now = tr2_clock_monotonic();

	t->waiting = 0;
	for (uint32_t i = t->ways.nr; i-- > 0;) {
		struct way *way = t->ways.all[i];

		if (outlet_waiting(&way->outlet)) {
			if (!outlet_ready(t, &way->outlet, way->name))
				outlet_close(&way->outlet, t->target.kind, &t->lost);
			else if (way->outlet.fd >= 0)
				flush(t, &way->outlet);
		}
		t->waiting += outlet_waiting(&way->outlet);
		if (tee_is_over(way, now))
			way_remove(t, i);
	}
	t->waiting += outlet_waiting(&t->shared);
}

/* Poll outlets with buffered lines. Returns false if an input's own outlet is not open yet. */
static bool tee_poll(struct tee *t)
{
	bool all = true;

	if (t->shared.fd >= 0 && outlet_waiting(&t->shared))
		consumer_poll(&t->consumer, t->shared.fd);
	for (uint32_t i = 0; i < t->ways.nr; i++) {
		const struct outlet *o = &t->ways.all[i]->outlet;

		if (!outlet_waiting(o))
			continue;
		all &= o->fd >= 0;
		if (o->fd >= 0)
			consumer_poll(&t->consumer, o->fd);
	}
	return all;
}

static bool tee_turn(void *data, struct consumer_round *round)
{
	struct tee *t = data;

	if (round->stopping && t->end_ns == NS_NONE)
		t->end_ns = tr2_clock_monotonic() + END_NS;
	ways_check(t);
	tee_stats_publish(t);
	if (round->stopping &&
	    ((!t->waiting && !round->flows) || tr2_clock_monotonic() > t->end_ns))
		return false;
	round->is_blocked = tee_is_blocked(t);
	round->wait_ms = !tee_poll(t) || round->stopping ? AGAIN_MS : t->ways.nr ? 1000 : -1;
	return true;
}

static void tee_finish(void *data)
{
	struct tee *t = data;

	trace2_data_intmax("tee", NULL, "lines", (intmax_t)t->passed.lines);
	trace2_data_intmax("tee", NULL, "lost", (intmax_t)t->lost.lines);
}

static const struct consumer_ops tee_ops = {
	.name = "tee",
	.rest_ms = REST_MS,
	.drain = tee_drain,
	.turn = tee_turn,
	.finish = tee_finish,
};

static void rest_lose(struct tee *t)
{
	struct tap_entry entry;

	outlet_close(&t->shared, t->target.kind, &t->lost);
	while (t->ways.nr)
		way_remove(t, t->ways.nr - 1);
	while (tap_next(t->tap, &entry)) {
		if (entry.kind == TAP_DATAGRAM)
			give_up(t, entry.bytes, entry.len, true);
		else if (entry.kind == TAP_BYTES)
			losses_add_pieces(&t->lost, entry.bytes, entry.len);
		tap_done(t->tap);
	}
	tee_stats_publish(t);
}

static struct tee *new (const struct outlet_target *target)
{
	struct tee *t = xcalloc(1, sizeof(*t));
	struct tr2_settings settings;

	t->target = *target;
	tr2_settings_load(&settings, NULL, true);
	t->target.max_files = tr2_settings_int(&settings, TR2_S_MAX_FILES);
	tr2_settings_release(&settings);
	t->end_ns = NS_NONE;
	t->tap = tap_new(TEE_TAP_BYTES);
	outlet_init(&t->shared);
	return t;
}

struct tee *tee_new(const char *spec, char *why, size_t why_bytes)
{
	struct outlet_target target;

	return outlet_target_parse(spec, &target, why, why_bytes) ? new (&target) : NULL;
}

struct tee *tee_new_asking(char *(*ask)(void *data), void *data)
{
	struct outlet_target none = { 0 };
	struct tee *t = new (&none);

	t->ask = ask;
	t->ask_data = data;
	target_asked(t);
	return t;
}

void tee_ask_again(struct tee *t)
{
	t->ask_again = true;
	tap_wake(t->tap);
}

const char *tee_path(const struct tee *t)
{
	return t->target.path;
}

struct tap *tee_tap(struct tee *t)
{
	return t->tap;
}

void tee_start(struct tee *t)
{
	consumer_start(&t->consumer, &tee_ops, t->tap, t);
}

void tee_stats(struct tee *t, struct tee_stats *out)
{
	int error = t->error;

	*out = (struct tee_stats){ .passed = { t->passed_lines, t->passed_bytes },
				   .lost = tap_lost(t->tap) };
	out->lost.lines += t->lost_lines;
	out->lost.bytes += t->lost_bytes;
	if (error)
		snprintf(out->error, sizeof(out->error), "%s",
			 error == EDQUOT && t->target.is_path ? "the directory is full"
							      : strerror(error));
}

void tee_end(struct tee *t)
{
	if (t && consumer_stop(&t->consumer))
		rest_lose(t);
}

void tee_free(struct tee *t)
{
	if (!t)
		return;
	tee_end(t);
	while (t->ways.nr)
		way_remove(t, t->ways.nr - 1);
	ways_release(&t->ways);
	outlet_release(&t->shared);
	free(t->asked);
	consumer_release(&t->consumer);
	tap_free(t->tap);
	free(t);
}
