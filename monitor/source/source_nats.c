/* SPDX-License-Identifier: MIT */
/*
 * Source that reads a fleet: events that agents on many hosts sent to a NATS JetStream server.
 *
 *   nats_inbox.h --> message (repeats dropped, gaps counted) --> stream of the message's agent
 *
 * Each agent is a stream, identified by the subject of its messages. The server authorises the
 * subject; the content could be forged. The arrival time of a message is that at the server, so
 * that events of several hosts can be put in order.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"
#include "monitor/base/humanize.h"
#include "monitor/base/platform.h"
#include "monitor/history/journal.h"
#include "monitor/nats/message.h"
#include "monitor/nats/nats_url.h"
#include "monitor/nats/received.h"
#include "monitor/nats/wire.h"
#include "monitor/source/lost_claim.h"
#include "monitor/source/nats_inbox.h"
#include "monitor/source/source.h"
#include "monitor/stream/sid_owners.h"

#define MAX_AGENTS   65536u            /* messages of further agents count as malformed */
#define PIECE_BYTES  (64u << 10)       /* maximum bytes passed to a stream at once */
#define LOOK_S       0.5               /* seconds between checks of the fleet's state */
#define SKEW_TOLD_NS (250 * NS_PER_MS) /* smaller clock errors may be transit time: not shown */
#define LAG_TOLD_NS  (2 * NS_PER_SEC)
/* messages are read from this long before --since: processes that ran then began earlier */
#define SINCE_EARLIER_NS (60 * NS_PER_SEC)
#define SILENCE_NS       (6 * NS_PER_SEC)  /* a server silent for this long counts as unreachable */
#define ONCE_WAIT_NS     (2 * NS_PER_SEC)  /* with --once: timeout of the first connection */
#define ONCE_AGAIN_NS    (20 * NS_PER_SEC) /* with --once: timeout of later connections */
/* after this time without a message, all stored ones count as read if the server has no more */
#define NOTHING_NS  (1500 * NS_PER_MS)
#define SHOWN_BYTES 1024u /* maximum size of a spec without its password */

struct agent {
	char *subject;
	char name[2 * WIRE_NAME_BYTES]; /* SITE.HOST, as displayed */
	struct stream *stream;
	struct received received;
	ns_t first_stamp; /* server's time of the first message; NS_NONE: none yet */
	ns_t stamp;       /* server's time of the newest message; NS_NONE: none yet */
	uint64_t lost_events, lost_messages;
	bool is_newer, are_two;
};

struct fleet {
	struct nats_url url;
	char pattern[WIRE_SUBJECT_BYTES];
	struct nats_inbox *inbox;
	struct nats_inbox_state state;
	struct message_reader *reader;
	struct agent *agents;
	uint32_t nr, cap;
	struct tr2_hash_index by_subject;
	bool has_message; /* a message is being delivered */
	struct nats_letter letter;
	struct message message;
	uint32_t agent;
	size_t used;
	uint64_t taken; /* number of messages that were read */
	/* number of messages, including the `taken` ones, that count as old */
	uint64_t stored;
	bool is_counted; /* `stored` is known */
	bool is_past;    /* all stored messages were read: new ones are live */
	/* messages were live, but reading lags by more than LAG_TOLD_NS */
	bool is_behind;
	uint64_t packed_bytes; /* number of packed bytes of the `taken` messages */
	/* difference of this host's clock and the server's, including the minimum transit time */
	struct received clock;
	/* server's time of the newest message; monotonic time when it was read */
	ns_t stamp, came_ns;
	/* with --once: monotonic time since which the server is unreachable or refuses to
	 * deliver; NS_NONE: neither */
	ns_t away_ns;
	ev_async came;
	ev_timer look;
};

static bool pattern_make(struct fleet *f, char *why, size_t why_bytes)
{
	const char *path = *f->url.path ? f->url.path : "*.*";
	struct wire_name name;

	if (!wire_name_parse(path, &name)) {
		snprintf(why, why_bytes,
			 "'%.100s' names no agents: it wants SITE.HOST, * for either is any", path);
		return false;
	}
	wire_subject_pattern(WIRE_EVENTS, &name, f->pattern);
	return true;
}

static bool fleet_parse(struct fleet *f, const char *spec, char shown[SHOWN_BYTES], char *why,
			size_t why_bytes)
{
	if (!nats_url_parse(spec, &f->url, why, why_bytes) || !pattern_make(f, why, why_bytes))
		return false;
	nats_url_show(&f->url, shown, SHOWN_BYTES);
	return true;
}

static uint32_t subject_hash(const char *subject)
{
	return (uint32_t)tr2_hash(subject, strlen(subject));
}

static uint32_t nats_agent_hash(const void *data, uint32_t at)
{
	return subject_hash(((const struct fleet *)data)->agents[at].subject);
}

static struct agent *agent_add(struct source *s, struct fleet *f, const char *subject,
			       const struct wire_name *name)
{
	struct agent *a;

	GROW(f->agents, f->nr, f->cap, 16);
	a = &f->agents[f->nr];
	*a = (struct agent){ .subject = xstrdup(subject),
			     .stamp = NS_NONE,
			     .first_stamp = NS_NONE };
	wire_name_show(name, a->name, sizeof(a->name));
	a->stream = xcalloc(1, sizeof(*a->stream));
	stream_init(a->stream, &s->origin);
	a->stream->name = a->subject;
	a->stream->agent = tr2_intern(s->context->streams->syms, a->name, strlen(a->name));
	stream_force(a->stream, READER_EVENT);
	hash_index_put(&f->by_subject, subject_hash(subject), f->nr++, nats_agent_hash, f);
	s->origin.stats.nr_open = f->nr;
	return a;
}

/* Return the agent with this subject, created if new. NULL: the subject names no agent, or there
 * are MAX_AGENTS others. */
static struct agent *agent_of(struct source *s, struct fleet *f, const char *subject)
{
	struct wire_name name;
	enum wire_kind kind;

	if (f->by_subject.nr)
		TR2_HASH_INDEX_EACH(&f->by_subject, subject_hash(subject), at)
	if (!strcmp(f->agents[f->by_subject.at[at] - 1].subject, subject))
		return &f->agents[f->by_subject.at[at] - 1];
	if (f->nr == MAX_AGENTS || !wire_subject_parse(subject, &kind, &name) ||
	    kind != WIRE_EVENTS)
		return NULL;
	return agent_add(s, f, subject, &name);
}

/* Record a loss: `events` that an agent dropped, or `messages` that did not arrive. */
static void lost_add(struct source *s, struct agent *a, uint64_t events, uint64_t messages)
{
	struct source_context *context = s->context;
	struct event ev = { .kind = REC_LOST };
	ns_t seen = ns_sub(a->stamp, a->first_stamp);
	char why[100];
	int len;

	events = lost_claim_bound(seen, 1, events, a->lost_events);
	messages = lost_claim_bound(seen, LOST_CLAIM_MESSAGE, messages, a->lost_messages);
	if (!events && !messages)
		return;
	a->lost_events += events;
	a->lost_messages += messages;
	batcher_set_safe(&context->streams->out, s->origin.can_wait);
	event_set(&ev, FLD_ARRIVAL, a->stamp);
	event_set(&ev, FLD_DROPS, (int64_t)events);
	event_set(&ev, FLD_AGENT, a->stream->agent);
	if (messages)
		len = snprintf(why, sizeof(why), "%" PRIu64 " message%s did not come", messages,
			       messages == 1 ? "" : "s");
	else
		len = snprintf(why, sizeof(why), "the agent had no room for them");
	event_set(&ev, TR2_F_MSG, batch_add_text(context->streams->out.batch, why, (size_t)len));
	batch_add(context->streams->out.batch, &ev);
	s->origin.stats.remote_lost_events += events;
	s->origin.stats.remote_lost_messages += messages;
	taps_dropped(&context->streams->taps, a->stamp, events, 0);
}

static void malformed(struct source *s, struct agent *a, const struct nats_letter *letter,
		      const char *why)
{
	struct diag diag = { .code = DIAG_JSON, .message = why };
	char text[BAD_SAMPLE_BYTES];
	int len = snprintf(text, sizeof(text), "%s: ", a ? a->name : letter->subject);
	size_t at = (size_t)len < sizeof(text) ? (size_t)len : sizeof(text) - 1;
	size_t more = letter->len < sizeof(text) - at ? letter->len : sizeof(text) - at;

	if (more)
		memcpy(text + at, letter->payload, more);
	stream_malformed(&s->origin, text, at + more, &diag);
}

static void count_taken(struct source *s, struct fleet *f)
{
	const struct nats_letter *letter = &f->letter;

	f->taken++;
	f->packed_bytes += letter->len;
	s->origin.stats.packed_bytes = f->packed_bytes;
	/* The first message shows how many messages follow it. */
	if (!f->is_counted || f->taken == 1) {
		f->stored = f->taken + letter->pending;
		f->is_counted = true;
	}
	f->stamp = letter->stamp;
	f->came_ns = tr2_clock_monotonic();
	received_clock(&f->clock, letter->stamp, tr2_clock_wall());
}

/* The progress in bytes is estimated from the mean size of read messages. */
static void report_progress(struct source *s, struct fleet *f)
{
	uint64_t mean = f->taken ? f->packed_bytes / f->taken + 1 : 1;

	if (f->is_past || (s->context->config.new_only && !f->is_behind)) {
		s->origin.stats.old_bytes = s->origin.stats.old_bytes_read = 0;
		return;
	}
	s->origin.stats.old_bytes = f->stored * mean;
	s->origin.stats.old_bytes_read = (f->taken < f->stored ? f->taken : f->stored) * mean;
}

/* Return by how many ns the clock of an agent's host is behind the server's (negative: ahead);
 * 0: unknown, or too few to report. */
static ns_t agent_skew(const struct agent *a)
{
	ns_t skew = a->stamp == NS_NONE ? NS_NONE : received_skew(&a->received, a->stamp);

	return skew == NS_NONE || (skew >= -SKEW_TOLD_NS && skew <= SKEW_TOLD_NS) ? 0 : skew;
}

/* Evaluate a received message. Returns false if it must be skipped. */
static bool message_take(struct source *s, struct fleet *f)
{
	const struct nats_letter *letter = &f->letter;
	struct agent *a = agent_of(s, f, letter->subject);
	struct received_news news;
	enum wire_read read;

	count_taken(s, f);
	if (!a) {
		malformed(s, NULL, letter, "its subject names no agent");
		return false;
	}
	a->stamp = letter->stamp;
	if (a->first_stamp == NS_NONE)
		a->first_stamp = a->stamp;
	read = message_read(f->reader, letter->id, letter->head, letter->payload, letter->len,
			    &f->message);
	if (read == WIRE_MALFORMED) {
		malformed(s, a, letter, f->message.why);
		return false;
	}
	received_message(&a->received, &f->message.id, &news);
	s->origin.stats.remote_repeats += news.is_repeat;
	if (news.is_repeat)
		return false;
	a->are_two |= news.are_two;
	if (news.missed)
		lost_add(s, a, 0, news.missed);
	a->is_newer = read == WIRE_NEWER;
	if (a->is_newer)
		return false;
	received_clock(&a->received, f->message.head.wall_ns, letter->stamp);
	if (f->message.head.lost)
		lost_add(s, a, f->message.head.lost, 0);
	f->agent = (uint32_t)(a - f->agents);
	f->used = 0;
	a->stream->live = f->is_past || f->taken > f->stored;
	a->stream->played_ns = letter->stamp;
	a->stream->skew = agent_skew(a);
	/* Announce the stream again, because every message has its own arrival time. */
	s->context->streams->out.stream = UINT32_MAX;
	return true;
}

static void message_feed(struct fleet *f, size_t *budget)
{
	struct stream *stream = f->agents[f->agent].stream;
	size_t left = f->message.len - f->used;
	size_t len = left < PIECE_BYTES ? left : PIECE_BYTES;

	stream_feed(stream, f->message.lines + f->used, len);
	f->used += len;
	*budget -= len < *budget ? len : *budget;
}

static void note_add(struct source *s, const char *format, const char *name, const char *more)
{
	size_t len = strlen(s->origin.stats.agents);

	if (len < sizeof(s->origin.stats.agents) - 1)
		snprintf(s->origin.stats.agents + len, sizeof(s->origin.stats.agents) - len, format,
			 len ? "; " : "", name, more);
}

/* Of the agents with wrong clocks, only the worst is named. */
static void report_agents(struct source *s, struct fleet *f)
{
	ns_t worst = 0;
	uint32_t at = 0, nr = 0;
	char more[64] = "";

	for (uint32_t i = 0; i < f->nr; i++) {
		struct agent *a = &f->agents[i];
		ns_t skew = agent_skew(a), size = skew < 0 ? -skew : skew;

		if (!skew)
			continue;
		nr++;
		if (size > (worst < 0 ? -worst : worst)) {
			worst = skew;
			at = i;
		}
	}
	s->origin.stats.agents[0] = s->origin.stats.skewed[0] = '\0';
	s->origin.stats.skew_ns = worst;
	if (nr) {
		snprintf(s->origin.stats.skewed, sizeof(s->origin.stats.skewed), "%.60s",
			 f->agents[at].name);
		if (nr > 1)
			snprintf(more, sizeof(more), ", and of %" PRIu32 " more", nr - 1);
		note_add(s,
			 worst < 0 ? "%sthe clock of %.100s is ahead%s"
				   : "%sthe clock of %.100s is behind%s",
			 f->agents[at].name, more);
	}
	for (uint32_t i = 0; i < f->nr; i++) {
		const struct agent *a = &f->agents[i];
		const struct sid_owners *owners = s->context->streams->out.owners;
		uint64_t wrong = owners ? sid_owners_contradicted(owners, a->stream->agent) : 0;

		if (wrong) {
			snprintf(more, sizeof(more), " sent %" PRIu64 " contradicted event%s",
				 wrong, wrong == 1 ? "" : "s");
			note_add(s, "%s%.100s%s", a->name, more);
		}
		if (a->lost_events) {
			snprintf(more, sizeof(more), " lost %" PRIu64 " event%s", a->lost_events,
				 a->lost_events == 1 ? "" : "s");
			note_add(s, "%s%.100s%s", a->name, more);
		}
		if (f->agents[i].are_two)
			note_add(s, "%stwo agents call themselves %.100s%s", f->agents[i].name, "");
		if (f->agents[i].is_newer)
			note_add(s, "%s%.100s is newer than this trace2top, and not read%s",
				 f->agents[i].name, "");
	}
}

static void ended(struct source *s, enum source_state state)
{
	/* Hand the batch over first, because contradicted events are counted then. */
	batcher_push(&s->context->streams->out);
	report_agents(s, s->priv);
	source_set_state(s, state);
	source_wake(s->context);
}

/* If all stored messages were read, end --once, or follow. */
static void lookback_check(struct source *s, struct fleet *f)
{
	if (f->is_past || f->is_behind || !f->is_counted || f->taken < f->stored)
		return;
	f->is_past = true;
	if (s->context->config.once)
		ended(s, SOURCE_DONE);
	else
		source_set_state(s, SOURCE_FOLLOWING);
}

static bool source_nats_is_over(const struct source *s)
{
	return s->origin.stats.state == SOURCE_DONE || s->origin.stats.state == SOURCE_FAILED;
}

static bool nats_work(struct source *s, size_t budget)
{
	struct fleet *f = s->priv;

	while (budget && !source_nats_is_over(s)) {
		if (f->has_message && !stream_catch_up(f->agents[f->agent].stream))
			return true;
		if (f->has_message && f->used < f->message.len) {
			message_feed(f, &budget);
			continue;
		}
		if (f->has_message) {
			f->has_message = false;
			nats_letter_done(&f->letter);
			lookback_check(s, f);
			continue;
		}
		if (!nats_inbox_take(f->inbox, &f->letter)) {
			report_progress(s, f);
			if (f->is_past && s->origin.stats.state == SOURCE_READING)
				source_set_state(s, SOURCE_FOLLOWING);
			return false;
		}
		f->has_message = message_take(s, f);
		if (!f->has_message) {
			nats_letter_done(&f->letter);
			lookback_check(s, f);
		}
	}
	report_progress(s, f);
	return !source_nats_is_over(s);
}

/* With --once, end the source as failed if the server refuses to deliver, an error lasts too long,
 * or no server could be reached at first. */
static void once_check(struct source *s, struct fleet *f)
{
	const struct nats_inbox_state *state = &f->state;
	ns_t now = tr2_clock_monotonic();
	bool is_wrong = state->is_refused || state->link.state == NATS_LINK_AWAY || *state->error;
	ns_t wait = state->was_joined ? ONCE_AGAIN_NS : ONCE_WAIT_NS;

	if (!is_wrong || (!*s->origin.stats.error && !state->is_refused))
		f->away_ns = NS_NONE;
	else if (f->away_ns == NS_NONE)
		f->away_ns = now;
	if (f->away_ns != NS_NONE && (state->is_refused || now - f->away_ns > wait ||
				      (!state->was_joined && state->failures >= f->url.nr))) {
		ended(s, SOURCE_FAILED);
		return;
	}
}

/* Count stored messages as read if none arrived within NOTHING_NS, unless the server reports some.
 * A cluster may report none before it has counted. */
static void nothing_check(struct source *s, struct fleet *f)
{
	const struct nats_inbox_state *state = &f->state;

	if (f->is_counted || !state->was_joined ||
	    tr2_clock_monotonic() - state->joined_ns < NOTHING_NS ||
	    (state->is_counted && state->stored))
		return;
	f->is_counted = true;
	lookback_check(s, f);
}

/* Count stored messages as read if the server has no more, because counted ones were deleted. */
static void drained_check(struct source *s, struct fleet *f)
{
	if (f->is_past || !f->is_counted || !f->state.is_drained || f->has_message ||
	    tr2_clock_monotonic() - f->came_ns < NOTHING_NS)
		return;
	f->stored = f->taken;
	lookback_check(s, f);
}

static void report_state(struct source *s, struct fleet *f)
{
	const struct nats_inbox_state *state = &f->state;
	ns_t now = tr2_clock_wall();

	s->origin.stats.error[0] = '\0';
	s->origin.stats.away_ns = 0;
	if (state->link.state == NATS_LINK_AWAY && *state->link.error && state->link.since < now)
		s->origin.stats.away_ns = now - state->link.since;
	if (*state->error)
		origin_error(&s->origin, "%s", state->error);
	else if (state->link.state == NATS_LINK_AWAY && *state->link.error)
		origin_error(&s->origin, "%s", state->link.error);
	if (*s->origin.stats.error || !state->was_joined)
		source_set_state(s, SOURCE_WAITING);
	else if (s->origin.stats.state == SOURCE_WAITING)
		source_set_state(s, f->is_past ? SOURCE_FOLLOWING : SOURCE_READING);
}

/* Once messages are live, report a lag of more than LAG_TOLD_NS. Pending messages then count as
 * old data: their progress is shown, and the user can skip them. */
static void report_lag(struct source *s, struct fleet *f)
{
	ns_t now = tr2_clock_wall(), least = received_skew(&f->clock, now), lag;

	s->origin.stats.lag_ns = 0;
	if (!f->is_past && !f->is_behind)
		return;
	lag = f->has_message && least != NS_NONE ? now - f->stamp - least : 0;
	if (lag > LAG_TOLD_NS) {
		s->origin.stats.lag_ns = lag;
		f->stored = f->taken + f->letter.pending;
		f->is_behind = true;
		f->is_past = false;
	} else if (f->is_behind) {
		f->stored = f->taken;
		f->is_behind = false;
		lookback_check(s, f);
	}
}

static void nats_poll(struct source *s, struct fleet *f)
{
	if (source_nats_is_over(s))
		return;
	nats_inbox_state(f->inbox, &f->state);
	report_state(s, f);
	report_agents(s, f);
	report_lag(s, f);
	report_progress(s, f);
	nothing_check(s, f);
	drained_check(s, f);
	if (s->context->config.once && !source_nats_is_over(s))
		once_check(s, f);
}

static void source_nats_on_check(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct source *s = w->data;

	(void)loop;
	(void)revents;
	nats_poll(s, s->priv);
}

static void on_inbox(struct ev_loop *loop, ev_async *w, int revents)
{
	struct source *s = w->data;

	(void)loop;
	(void)revents;
	nats_poll(s, s->priv);
	if (!source_nats_is_over(s))
		source_busy(s);
	source_wake(s->context);
}

static void came(void *data)
{
	struct source *s = data;
	struct fleet *f = s->priv;

	ev_async_send(s->context->loop, &f->came);
}

static bool inbox_open(struct source *s, struct fleet *f, char *why, size_t why_bytes)
{
	const struct source_config *config = &s->context->config;
	struct nats_inbox_config of = { .link = config->nats,
					.subject = f->pattern,
					.only_new = config->new_only,
					.since = NS_NONE,
					.came = came,
					.data = s };

	if (nats_link_missing()) {
		snprintf(why, why_bytes, "this trace2top was built without %s",
			 nats_link_missing());
		return false;
	}
	of.link.url = &f->url;
	of.link.name = "trace2top, a viewer";
	of.link.silence_ns = SILENCE_NS;
	if (config->since)
		of.since = ns_sub(config->since, SINCE_EARLIER_NS);
	f->inbox = nats_inbox_new(&of, why, why_bytes);
	return f->inbox != NULL;
}

static void fleet_free(struct fleet *f)
{
	for (uint32_t i = 0; i < f->nr; i++) {
		stream_release(f->agents[i].stream);
		free(f->agents[i].stream);
		free(f->agents[i].subject);
	}
	free(f->agents);
	tr2_hash_index_release(&f->by_subject);
	message_reader_free(f->reader);
	free(f);
}

/* Replace the spec by `shown`, which has no password. Takes ownership of `shown`. */
static void spec_set(struct source *s, char *shown)
{
	platform_wipe(s->spec, strlen(s->spec));
	free(s->spec);
	s->spec = shown;
	s->origin.stats.spec = s->spec;
	s->path = strstr(s->spec, "://") + strlen("://");
}

static bool nats_open(struct source *s, char *why, size_t why_bytes)
{
	struct fleet *f = xcalloc(1, sizeof(*f));
	char shown[SHOWN_BYTES];

	s->priv = f;
	f->away_ns = f->stamp = NS_NONE;
	if (!fleet_parse(f, s->spec, shown, why, why_bytes) || !inbox_open(s, f, why, why_bytes)) {
		spec_set(s, nats_url_hidden(s->spec));
		fleet_free(f);
		s->priv = NULL;
		return false;
	}
	f->reader = message_reader_new();
	spec_set(s, xstrdup(shown));
	f->url.path = NULL;
	s->origin.can_wait = true;
	source_set_state(s, SOURCE_WAITING);
	return true;
}

static void nats_start(struct source *s)
{
	struct fleet *f = s->priv;

	ev_async_init(&f->came, on_inbox);
	ev_timer_init(&f->look, source_nats_on_check, LOOK_S, LOOK_S);
	f->came.data = f->look.data = s;
	ev_async_start(s->context->loop, &f->came);
	ev_timer_start(s->context->loop, &f->look);
	nats_inbox_start(f->inbox);
}

static void nats_leave_old(struct source *s)
{
	struct fleet *f = s->priv;

	if (f->is_past)
		return;
	s->origin.stats.left_files += f->stored > f->taken ? f->stored - f->taken : 0;
	nats_inbox_leave(f->inbox);
	/* Forget which messages were received: skipped ones are not lost. */
	for (uint32_t i = 0; i < f->nr; i++)
		f->agents[i].received = (struct received){ 0 };
	f->stored = f->taken;
	f->is_counted = true;
	f->is_behind = false;
	s->origin.stats.lag_ns = 0;
	lookback_check(s, f);
	report_progress(s, f);
}

static void nats_drain(struct source *s)
{
	(void)s;
}

static void nats_close(struct source *s)
{
	struct fleet *f = s->priv;

	if (!f)
		return;
	ev_timer_stop(s->context->loop, &f->look);
	/* Free the inbox before the fleet: threads of the inbox use the fleet in came(). */
	if (f->has_message)
		nats_letter_done(&f->letter);
	nats_inbox_free(f->inbox);
	ev_async_stop(s->context->loop, &f->came);
	fleet_free(f);
	s->priv = NULL;
}

const struct source_ops source_nats = {
	.kind = "nats",
	.open = nats_open,
	.start = nats_start,
	.work = nats_work,
	.leave_old = nats_leave_old,
	.drain = nats_drain,
	.close = nats_close,
};
