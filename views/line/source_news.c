/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/line/source_news.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/humanize.h"
#include "monitor/model/model.h"
#include "views/line/sentence.h"
#include "views/ui/header.h"

/* Minimum time between messages about losses and malformed lines, and between messages about
 * reading that takes long; the latter is multiplied by READ_SLOWER after each message. */
#define LOST_PAUSE  (10 * NS_PER_SEC)
#define READ_PAUSE  (5 * NS_PER_SEC)
#define READ_SLOWER 6

struct source_told {
	int state;       /* last state that was reported or ignored, enum source_state; -1: none */
	bool behind;     /* it was reported that the source is behind */
	char error[160]; /* the source's last error that was reported */
};

void source_news_init(struct source_news *news, bool ascii)
{
	*news = (struct source_news){ .ascii = ascii,
				      .read_pause = READ_PAUSE,
				      .read_next = NS_NONE };
}

void source_news_release(struct source_news *news)
{
	free(news->told);
}

static void source_news_add(const struct source_news *news, const char *text, struct tr2_buf *out)
{
	sentence_text(out, text, strlen(text), SENTENCE_MESSAGE, news->ascii);
}

static void format_two(const struct source_news *news, const char *before, const char *spec,
		       const char *behind, struct tr2_buf *out)
{
	tr2_buf_addstr(out, before);
	source_news_add(news, strcmp(spec, "-") ? spec : "standard input", out);
	tr2_buf_addstr(out, behind);
}

static bool source_news_format_state(const struct source_news *news, const struct source_stats *st,
				     struct tr2_buf *out)
{
	switch (st->state) {
	case SOURCE_WAITING:
		format_two(news, "waiting for ", st->spec, ": does not exist yet", out);
		return true;
	case SOURCE_FOLLOWING:
		format_two(news, strncmp(st->kind, "af_unix", 7) ? "following " : "listening on ",
			   st->spec, "", out);
		return true;
	case SOURCE_DONE:
		format_two(news, "", st->spec, " has ended", out);
		return true;
	case SOURCE_FAILED:
		format_two(news, "", st->spec, " broke: ", out);
		source_news_add(news, st->error, out);
		return true;
	default:
		return false;
	}
}

static void look_at(struct source_news *news, struct source_told *told, struct pace *pace,
		    const struct source_stats *st, ns_t now, struct tr2_buf *out)
{
	size_t before = out->len;
	bool error = *st->error && strcmp(told->error, st->error) && st->state != SOURCE_FAILED;
	bool again = told->state == (int)st->state ||
		     (st->state == SOURCE_FOLLOWING && told->state == SOURCE_READING);

	if (error && pace_has_room(pace, now, PACE_TROUBLE)) {
		format_two(news, "", st->spec, ": ", out);
		source_news_add(news, st->error, out);
		tr2_buf_addch(out, '\n');
		pace_said(pace, now);
		memcpy(told->error, st->error, sizeof(told->error));
	}
	if (told->behind != (st->lag_ns > 0) && pace_has_room(pace, now, PACE_TROUBLE)) {
		told->behind = st->lag_ns > 0;
		format_two(news, "", st->spec, told->behind ? " lags its server by " : "", out);
		tr2_buf_addf(out, "%s\n",
			     told->behind ? human_duration(st->lag_ns).text : " has caught up");
		pace_said(pace, now);
	}
	if (st->state == SOURCE_READING || st->state == SOURCE_SUSPENDED)
		return;
	if (again || !pace_has_room(pace, now, PACE_TROUBLE))
		return;
	told->state = st->state;
	before = out->len;
	if (!source_news_format_state(news, st, out)) {
		out->len = before;
		return;
	}
	tr2_buf_addch(out, '\n');
	pace_said(pace, now);
}

static void check_at_lost(struct source_news *news, struct pace *pace, const struct ui_input *in,
			  struct tr2_buf *out)
{
	ns_t now = in->monotonic_ns;
	uint64_t lost = in->journal_stats.dropped_events + model_dropped(in->model)->late_events;
	uint64_t unread = 0;

	for (int i = 0; i < in->nr_sources; i++)
		unread += source_stats_unreadable(&in->sources[i]);
	if (now < news->lost_next || !pace_has_room(pace, now, PACE_TROUBLE))
		return;
	if (lost > news->lost)
		tr2_buf_addf(out, "%" PRIu64 " event%s lost, because too many arrived\n",
			     lost - news->lost, lost - news->lost == 1 ? " was" : "s were");
	if (unread > news->unread)
		tr2_buf_addf(out, "%" PRIu64 " line%s malformed; sources shows details\n",
			     unread - news->unread, unread - news->unread == 1 ? "" : "s");
	if (lost <= news->lost && unread <= news->unread)
		return;
	news->lost = lost;
	news->unread = unread;
	news->lost_next = now + LOST_PAUSE;
	pace_said(pace, now);
}

/* Append one sentence about the existing content, if it has processes. */
static void format_read(const struct model *model, struct tr2_buf *out)
{
	const struct model_totals *t = model_totals(model);
	uint64_t failed = t->failed + t->by_state[STATE_SIGNALED];

	if (!t->processes)
		return;
	tr2_buf_addf(out, "read %" PRIu64 " process%s that %s there", t->processes,
		     t->processes == 1 ? "" : "es", t->processes == 1 ? "was" : "were");
	if (failed)
		tr2_buf_addf(out, ", %" PRIu64 " failed", failed);
	if (t->by_state[STATE_RUNNING])
		tr2_buf_addf(out, ", %" PRIu64 " may run", t->by_state[STATE_RUNNING]);
	tr2_buf_addch(out, '\n');
}

static void check_at_reading(struct source_news *news, struct pace *pace, const struct ui_input *in,
			     struct tr2_buf *out)
{
	ns_t now = in->monotonic_ns;
	uint64_t all = 0, read = 0;

	for (int i = 0; i < in->nr_sources; i++) {
		all += in->sources[i].old_bytes;
		read += in->sources[i].old_bytes_read;
	}
	/* A replay has no existing content: its events are reported when they happen. */
	news->was_read |= in->replays;
	if (news->was_read || !all)
		return;
	if (!header_is_reading(in) && !in->journal_stats.waiting_events) {
		format_read(in->model, out);
		news->was_read = true;
		return;
	}
	if (news->read_next == NS_NONE)
		news->read_next = now + news->read_pause;
	if (now < news->read_next || !pace_has_room(pace, now, PACE_BELOW))
		return;
	tr2_buf_addf(out, "still reading existing content: %d percent\n",
		     (int)((double)read * 100 / (double)all));
	pace_said(pace, now);
	news->read_pause *= READ_SLOWER;
	news->read_next = now + news->read_pause;
}

void source_news_check(struct source_news *news, struct pace *pace, const struct ui_input *in,
		       struct tr2_buf *out)
{
	if (news->nr < in->nr_sources) {
		news->told = xreallocarray(news->told, (size_t)in->nr_sources, sizeof(*news->told));
		while (news->nr < in->nr_sources)
			news->told[news->nr++] = (struct source_told){ .state = -1 };
	}
	check_at_reading(news, pace, in, out);
	for (int i = 0; i < in->nr_sources; i++)
		if (strcmp(in->sources[i].kind, "command"))
			look_at(news, &news->told[i], pace, &in->sources[i], in->monotonic_ns, out);
	check_at_lost(news, pace, in, out);
}
