/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/forwarding.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/platform.h"
#include "monitor/analysis/format_text.h"
#include "monitor/base/platform.h"
#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"
#include "monitor/event/event_json.h"
#include "monitor/filter/filter_process.h"
#include "monitor/redact/redact.h"

#define STREAM 1u
/* Lines go to the tap in pieces of about this many bytes, at the latest at the end of a batch. */
#define PIECE_BYTES (64u << 10)
/* Maximum bytes of lines held, after each batch, for processes that may still match the filter. */
#define MAX_HELD (16u << 20)
/* Minimum of `sweep_at`, the number of candidates above which all candidates are checked. */
#define FIRST_SWEEP 1024u

/*
 * A process that matched the filter, or whose lines are held because it may still match.
 *
 * Invariant: if the process has not matched, each of its events since it became a candidate is in
 * `lines` or counted in `nr_given_up`. When it matches, `lines` is forwarded and `nr_given_up` is
 * added to the lost events; if it never matches, both are counted as filtered out.
 */
struct candidate {
	uint64_t sid_hash;
	/* of the candidates with `lines`, the one with the lowest number loses them first, and gets
	 * a new number then */
	uint64_t number;
	char *sid;
	size_t sid_len;
	struct tr2_buf lines;
	uint64_t nr_held; /* events in `lines` */
	uint64_t nr_given_up;
	bool matches;
};

struct forwarding {
	struct forward *forward;
	struct tap *tap;
	struct tap_state state;
	struct model *model;
	struct journal *journal;
	struct filter *filter;
	int64_t sample; /* forward about one of this many root processes; 1: all */
	struct redactor *redactor;
	struct tr2_buf out;
	uint64_t dropped;  /* number of events dropped by the journal that were reported */
	uint64_t filtered; /* number of events filtered out that were not reported yet */
	uint64_t lost;     /* number of lost events that were not reported yet */
	bool held_too_few;
	bool told_away;
	bool wants_all;

	/* by index of the SID in the batch, whether --sample selects the process: 0 unknown, 1 no,
	 * 2 yes */
	uint8_t *wanted;
	uint32_t cap_wanted;
	struct candidate *candidates;
	uint32_t nr_candidates, cap_candidates, sweep_at;
	struct tr2_hash_index by_sid;
	uint64_t next_number;
	size_t held;
};

static void put_out(struct forwarding *f)
{
	struct tap_entry entry = { .kind = TAP_BYTES,
				   .stream = STREAM,
				   .bytes = f->out.data,
				   .len = (uint32_t)f->out.len };

	if (!f->out.len)
		return;
	tap_wait_for_room(f->tap);
	tap_put(f->tap, 0, &f->state, &entry);
	tr2_buf_clear(&f->out);
}

static void forwarding_add(struct tr2_buf *to, const char *bytes, size_t len)
{
	if (!tr2_buf_add(to, bytes, len))
		die_of_memory(to->len + len);
}

static void out_add(struct forwarding *f, const char *line, size_t len)
{
	if (f->out.len + len > PIECE_BYTES)
		put_out(f);
	forwarding_add(&f->out, line, len);
	if (f->out.len > PIECE_BYTES)
		put_out(f);
}

static void forwarding_line_add(struct forwarding *f, const struct batch *batch,
				const struct event *ev, struct tr2_buf *to)
{
	const struct tr2_intern *syms = model_syms(f->model);
	struct event redacted;

	if (f->redactor) {
		batch = redactor_event(f->redactor, batch, ev, &redacted);
		syms = redactor_syms(f->redactor);
		ev = &redacted;
	}
	event_json(syms, batch, ev, EVENT_JSON_TRACE, to);
	forwarding_add(to, "\n", 1);
}

static void out_add_event(struct forwarding *f, const struct batch *batch, const struct event *ev)
{
	forwarding_line_add(f, batch, ev, &f->out);
	if (f->out.len > PIECE_BYTES)
		put_out(f);
}

/* Put held lines into the tap in pieces, because the tap may lack space for all. */
static void out_add_lines(struct forwarding *f, const char *lines, size_t len)
{
	while (len) {
		size_t nr = (size_t)((const char *)memchr(lines, '\n', len) + 1 - lines);

		out_add(f, lines, nr);
		lines += nr;
		len -= nr;
	}
}

/* FNV-1a of the root's SID selects the same roots, about one of `sample`, on all hosts and in all
 * runs. */
static bool is_of_sample(const char *sid, size_t len, int64_t sample)
{
	const char *slash = memchr(sid, '/', len);
	uint64_t hash = 0xcbf29ce484222325ull;

	for (const char *at = sid, *end = slash ? slash : sid + len; at < end; at++)
		hash = (hash ^ (unsigned char)*at) * 0x100000001b3ull;
	return hash % (uint64_t)sample == 0;
}

static bool is_wanted(struct forwarding *f, const struct batch *batch, const struct event *ev)
{
	uint8_t *wanted;
	const char *sid;
	size_t len;

	if (f->sample <= 1 || !event_has(ev, TR2_F_SID))
		return true;
	wanted = &f->wanted[ev->v[TR2_F_SID]];
	if (!*wanted) {
		sid = batch_sid_text(batch, (uint32_t)ev->v[TR2_F_SID], &len);
		*wanted = is_of_sample(sid, len, f->sample) ? 2 : 1;
	}
	return *wanted == 2;
}

static uint32_t forwarding_hash_of(const void *data, uint32_t number)
{
	return (uint32_t)((const struct forwarding *)data)->candidates[number].sid_hash;
}

static struct candidate *candidate_find(struct forwarding *f, uint64_t hash)
{
	if (!f->by_sid.nr)
		return NULL;
	TR2_HASH_INDEX_EACH(&f->by_sid, hash, at)
	if (f->candidates[f->by_sid.at[at] - 1].sid_hash == hash)
		return &f->candidates[f->by_sid.at[at] - 1];
	return NULL;
}

static struct candidate *candidate_get(struct forwarding *f, const struct batch *batch,
				       uint32_t index)
{
	uint64_t hash = batch->sids[index].hash;
	struct candidate *c = candidate_find(f, hash);
	const char *sid;
	size_t len;

	if (c)
		return c;
	sid = batch_sid_text(batch, index, &len);
	GROW(f->candidates, f->nr_candidates, f->cap_candidates, 16);
	c = &f->candidates[f->nr_candidates];
	*c = (struct candidate){ .sid_hash = hash,
				 .number = f->next_number++,
				 .sid = xmalloc(len + 1),
				 .sid_len = len };
	memcpy(c->sid, sid, len);
	tr2_buf_init(&c->lines, SIZE_MAX / 2);
	hash_index_put(&f->by_sid, (uint32_t)hash, f->nr_candidates++, forwarding_hash_of, f);
	return c;
}

static void forwarding_lines_forget(struct forwarding *f, struct candidate *c)
{
	f->held -= c->lines.len;
	tr2_buf_release(&c->lines);
	c->nr_held = 0;
}

/* Remove a candidate; the last one moves to its place. */
static void candidate_remove(struct forwarding *f, struct candidate *c)
{
	uint32_t at = (uint32_t)(c - f->candidates), last = --f->nr_candidates;

	forwarding_lines_forget(f, c);
	free(c->sid);
	tr2_hash_index_remove(&f->by_sid,
			      tr2_hash_index_place(&f->by_sid, (uint32_t)c->sid_hash, at),
			      forwarding_hash_of, f);
	if (at == last)
		return;
	f->by_sid.at[tr2_hash_index_place(&f->by_sid, forwarding_hash_of(f, last), last)] = at + 1;
	f->candidates[at] = f->candidates[last];
}

/* While the held lines of all processes exceed the limit, drop those of the process with the lowest
 * `number` that has some. Its later lines are held again. */
static void held_bound(struct forwarding *f)
{
	while (f->held > MAX_HELD) {
		struct candidate *oldest = NULL;

		for (uint32_t i = 0; i < f->nr_candidates; i++)
			if (f->candidates[i].lines.len &&
			    (!oldest || f->candidates[i].number < oldest->number))
				oldest = &f->candidates[i];
		oldest->nr_given_up += oldest->nr_held;
		oldest->number = f->next_number++;
		forwarding_lines_forget(f, oldest);
	}
}

static void forwarding_hold(struct forwarding *f, const struct batch *batch, const struct event *ev)
{
	struct candidate *c = candidate_get(f, batch, (uint32_t)ev->v[TR2_F_SID]);
	size_t before = c->lines.len;

	if (c->matches) {
		out_add_event(f, batch, ev);
		return;
	}
	forwarding_line_add(f, batch, ev, &c->lines);
	c->nr_held++;
	f->held += c->lines.len - before;
}

static void candidate_matches(struct forwarding *f, struct candidate *c)
{
	c->matches = true;
	out_add_lines(f, c->lines.data, c->lines.len);
	forwarding_lines_forget(f, c);
	f->lost += c->nr_given_up;
	f->held_too_few |= c->nr_given_up > 0;
	c->nr_given_up = 0;
}

/* Forward the lines of a candidate if it matches now. If the model has no such running process,
 * remove the candidate and return true. */
static bool candidate_check(struct forwarding *f, struct candidate *c)
{
	uint32_t slot = model_find_sid(f->model, c->sid, c->sid_len);

	if (slot != SLOT_NONE && !c->matches && filter_process(f->filter, f->model, slot))
		candidate_matches(f, c);
	if (slot != SLOT_NONE && model_slot(f->model, slot)->state == STATE_RUNNING)
		return false;
	f->filtered += c->nr_held + c->nr_given_up;
	candidate_remove(f, c);
	return true;
}

static void candidates_check(struct forwarding *f)
{
	for (uint32_t i = 0; i < f->nr_candidates;)
		i += !candidate_check(f, &f->candidates[i]);
	f->sweep_at = f->nr_candidates * 2 > FIRST_SWEEP ? f->nr_candidates * 2 : FIRST_SWEEP;
}

/* Check the candidates of the batch, or all if a stream ended or there are many: some may occur in
 * no later batch. */
static void filter_batch(struct forwarding *f, const struct batch *batch, bool has_ends)
{
	struct candidate *c;

	model_settle(f->model);
	if (has_ends || f->nr_candidates > f->sweep_at) {
		candidates_check(f);
	} else {
		for (uint32_t i = 0; i < batch->nr_sids; i++)
			if ((c = candidate_find(f, batch->sids[i].hash)))
				candidate_check(f, c);
	}
	held_bound(f);
}

static void report_counts(struct forwarding *f)
{
	struct journal_stats stats;

	journal_stats(f->journal, &stats);
	f->lost += stats.dropped_events - f->dropped;
	f->dropped = stats.dropped_events;
	if (f->lost || f->filtered)
		forward_count(f->forward, f->lost, f->filtered);
	f->lost = f->filtered = 0;
}

static void wanted_clear(struct forwarding *f, const struct batch *batch)
{
	if (f->cap_wanted < batch->nr_sids) {
		f->cap_wanted = batch->nr_sids * 2;
		f->wanted = xreallocarray(f->wanted, f->cap_wanted, 1);
	}
	if (batch->nr_sids)
		memset(f->wanted, 0, batch->nr_sids);
}

void forwarding_batch(struct forwarding *f, const struct batch *batch)
{
	struct batch_cursor cursor = batch_begin(batch);
	bool has_ends = false;
	struct event ev;

	wanted_clear(f, batch);
	while (batch_next(&cursor, &ev)) {
		has_ends |= ev.kind == REC_STREAM_END;
		if (!event_is_trace2(&ev))
			continue;
		if (!is_wanted(f, batch, &ev)) {
			f->filtered++;
			continue;
		}
		if (f->filter && event_has(&ev, TR2_F_SID))
			forwarding_hold(f, batch, &ev);
		else
			out_add_event(f, batch, &ev);
	}
	if (f->filter)
		filter_batch(f, batch, has_ends);
	put_out(f);
	report_counts(f);
}

/* With a shared key file, equal words of several hosts get equal pseudonyms; without a key file the
 * key is random. */
static bool forwarding_redactor_open(struct forwarding *f, const struct options *o, char *why,
				     size_t why_bytes)
{
	enum redaction what =
		option_given(o, &o->redact) ? (enum redaction)o->redact : REDACTION_TEXT;
	char key[256];
	ssize_t nr;
	int fd;

	if (what == REDACTION_NONE)
		return true;
	f->redactor = redactor_new(model_syms(f->model), what);
	if (!o->redact_key) {
		nr = tr2_platform_random(key, 16, true) ? 16 : -1;
	} else {
		fd = open(o->redact_key, O_RDONLY | O_CLOEXEC);
		nr = fd < 0 ? -1 : read(fd, key, sizeof(key));
		if (fd >= 0)
			close(fd);
		if (nr < 16) {
			snprintf(why, why_bytes, "--redact-key: %s: %s", o->redact_key,
				 nr < 0 ? strerror(errno) : "at least 16 bytes are needed");
			return false;
		}
	}
	if (nr < 16)
		die("cannot read random bytes");
	redactor_set_key(f->redactor, key, (size_t)nr);
	platform_wipe(key, sizeof(key));
	return true;
}

static bool forwarding_name_of(const struct options *o, struct wire_name *out, char *why,
			       size_t why_bytes)
{
	char text[WIRE_NAME_BYTES + 16] = "default.";

	if (!o->as && gethostname(text + strlen(text), WIRE_NAME_BYTES - 1))
		snprintf(text, sizeof(text), "default.localhost");
	if (wire_name_parse(o->as ? o->as : text, out))
		return true;
	snprintf(why, why_bytes, "--as: '%.200s' is not a SITE.HOST such as lab.build-01",
		 o->as ? o->as : text);
	return false;
}

static void forwarding_release(struct forwarding *f)
{
	forward_free(f->forward);
	while (f->nr_candidates)
		candidate_remove(f, &f->candidates[f->nr_candidates - 1]);
	tr2_hash_index_release(&f->by_sid);
	free(f->candidates);
	free(f->wanted);
	tr2_buf_release(&f->out);
	redactor_free(f->redactor);
	free(f);
}

struct forwarding *forwarding_new(const struct options *o, struct model *model,
				  struct journal *journal, struct filter *filter,
				  void (*changed)(void *data), void *data, char *why,
				  size_t why_bytes)
{
	struct nats_url url;
	char reason[360];
	struct forward_config config = {
		.link = { .url = &url,
			  .creds = o->nats_creds,
			  .tls_ca = o->tls_ca,
			  .tls_cert = o->tls_cert,
			  .tls_key = o->tls_key,
			  .insecure = o->insecure },
		.buffer_bytes = option_size(o->forward_buffer, FORWARD_QUEUE_BYTES),
		.rate = o->forward_rate >= 0 ? (uint64_t)o->forward_rate : FORWARD_RATE,
		.hold_ns = o->forward_hold_ms * NS_PER_MS,
		.ack_ns = FORWARD_ACK_NS,
		.spool = o->spool,
		.changed = changed,
		.data = data,
	};
	struct forwarding *f;

	if (!forwarding_name_of(o, &config.name, why, why_bytes))
		return NULL;
	if (!nats_url_parse(o->forward, &url, reason, sizeof(reason)) || *url.path) {
		snprintf(why, why_bytes, "--forward: %s",
			 *url.path ? "pass the agent's name with --as=SITE.HOST" : reason);
		return NULL;
	}
	f = xcalloc(1, sizeof(*f));
	f->model = model;
	f->journal = journal;
	f->filter = filter;
	f->wants_all = o->once;
	f->sample = o->sample > 0 ? o->sample : 1;
	f->sweep_at = FIRST_SWEEP;
	tr2_buf_init(&f->out, SIZE_MAX / 2);
	if (forwarding_redactor_open(f, o, why, why_bytes)) {
		f->forward = forward_new(&config, reason, sizeof(reason));
		if (f->forward) {
			f->tap = forward_tap(f->forward);
			return f;
		}
		snprintf(why, why_bytes, "--forward: %s", reason);
	}
	forwarding_release(f);
	return NULL;
}

void forwarding_start(struct forwarding *f)
{
	forward_start(f->forward);
}

bool forwarding_needs_model(const struct forwarding *f)
{
	return f->filter != NULL;
}

static bool is_up(const struct forward_stats *st)
{
	return st->link.state == NATS_LINK_UP && !*st->error;
}

void forwarding_report(struct forwarding *f)
{
	struct forward_stats st;

	forward_stats(f->forward, &st);
	if (!f->told_away && *st.error)
		complain_print_error("--forward: the servers store no events: %s", st.error);
	if (f->told_away && is_up(&st))
		complain_print_error("--forward: %s stores events again", st.link.server);
	if (*st.error || is_up(&st))
		f->told_away = *st.error != '\0';
}

void forwarding_format(struct forwarding *f, char *out, size_t bytes)
{
	struct forward_stats st;
	struct tr2_buf since;
	size_t nr;

	forward_stats(f->forward, &st);
	tr2_buf_init(&since, 64);
	format_date(st.link.since, tr2_clock_wall(), &since);
	format_time(st.link.since, false, &since);
	if (is_up(&st))
		nr = (size_t)snprintf(out, bytes, "forwards to %s", st.link.server);
	else
		nr = (size_t)snprintf(out, bytes, "away since %s: %s", tr2_buf_cstr(&since),
				      *st.error ? st.error : "connecting");
	tr2_buf_release(&since);
	if (nr < bytes)
		nr += (size_t)snprintf(out + nr, bytes - nr,
				       "; %" PRIu64 " events stored, %u messages wait, %" PRIu64
				       " events lost",
				       st.events, st.waiting, st.lost);
	if (nr < bytes && (f->filter || f->sample > 1))
		snprintf(out + nr, bytes - nr, ", %" PRIu64 " left out by %s%s%s", st.filtered,
			 f->filter ? "--filter" : "", f->filter && f->sample > 1 ? " and " : "",
			 f->sample > 1 ? "--sample" : "");
}

bool forwarding_end(struct forwarding *f)
{
	struct forward_stats st;
	const char *why;
	bool ok;

	if (!f)
		return true;
	for (uint32_t i = 0; i < f->nr_candidates; i++)
		f->filtered += f->candidates[i].nr_held + f->candidates[i].nr_given_up;
	report_counts(f);
	forward_end(f->forward);
	forward_stats(f->forward, &st);
	why = *st.error ? st.error
	      : f->held_too_few
		      ? "--filter reached its limit of 16 MiB for events that may still match"
		      : "";
	if (st.lost)
		complain_print_error("--forward: %" PRIu64 " events of %" PRIu64 " were lost%s%s",
				     st.lost, st.lost + st.events, *why ? ": " : "", why);
	ok = !st.lost || !f->wants_all;
	forwarding_release(f);
	return ok;
}
