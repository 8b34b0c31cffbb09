/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/source/sources.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "engine/trace2.h"
#include "monitor/base/die.h"
#include "monitor/source/listener.h"
#include "monitor/source/relay.h"
#include "monitor/source/ring_dir.h"

/* About how many bytes are read from each busy source before sockets are checked again.
 * ONCE_BUDGET_BYTES: with --once and no socket. */
#define WORK_BUDGET_BYTES (64u << 10)
#define ONCE_BUDGET_BYTES SOURCE_BUF_BYTES
/* The timer `due` waits at most this long for a replayed entry. */
#define DUE_MAX_NS (60 * NS_PER_SEC)

/* Let the timer `due` expire when the next entry of a replayed source is due, or earlier. `due_ns`
 * INT64_MAX: the replay is paused. */
static void due_wait(struct sources *all, struct source *s)
{
	struct ev_loop *loop = all->context.loop;
	ns_t left = s->origin.due_ns == INT64_MAX ? INT64_MAX
						  : s->origin.due_ns - tr2_clock_monotonic();
	double seconds = left > 0 ? (double)left / NS_PER_SEC : 0;

	s->origin.is_busy = false;
	if (left > DUE_MAX_NS)
		seconds = (double)DUE_MAX_NS / NS_PER_SEC;
	if (ev_is_active(&all->due) && ev_timer_remaining(loop, &all->due) <= seconds)
		return;
	ev_timer_stop(loop, &all->due);
	ev_timer_set(&all->due, seconds, 0);
	ev_timer_start(loop, &all->due);
}

static void due_again(struct sources *all)
{
	for (int i = 0; i < all->nr; i++)
		if (all->items[i]->origin.is_not_due) {
			all->items[i]->origin.is_not_due = false;
			source_busy(all->items[i]);
		}
}

static void on_due_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop;
	(void)revents;
	due_again(w->data);
}

/* Close the source and open it as the kind that source_become() requested or, if that fails, as
 * a file source. Returns true if the source is busy. */
static bool source_convert(struct source *s)
{
	const struct source_ops *ops = source_kinds[s->become];
	char why[200];

	s->become = NR_SOURCES;
	s->ops->close(s);
	s->ops = ops;
	s->origin.stats.kind = ops->kind;
	s->origin.stats.error[0] = '\0';
	s->origin.can_wait = s->origin.is_stored = false;
	if (!ops->open(s, why, sizeof(why))) {
		origin_error(&s->origin, "%s", why);
		ops->close(s);
		s->ops = ops = source_kinds[SOURCE_FILE];
		s->origin.stats.kind = ops->kind;
		ops->open(s, why, sizeof(why));
	}
	ops->start(s);
	return s->origin.is_busy;
}

static void source_turn(struct sources *all, struct source *s, size_t budget)
{
	s->origin.is_not_due = false;
	s->origin.is_busy = s->ops->work(s, budget);
	listeners_take_datagrams(&all->context);
	if (s->become != NR_SOURCES)
		s->origin.is_busy = source_convert(s);
	if (s->origin.is_not_due)
		due_wait(all, s);
}

static void idle_work(struct ev_loop *loop, ev_idle *w, int revents)
{
	struct sources *all = w->data;
	struct source_context *context = &all->context;
	size_t budget = context->config.once && !context->nr_listeners ? ONCE_BUDGET_BYTES
								       : WORK_BUDGET_BYTES;
	bool more = false;

	(void)revents;
	trace2_region_enter("intake", "files", NULL);
	for (int i = 0; i < all->nr; i++) {
		struct source *s = all->items[i];

		if (!s->origin.is_busy)
			continue;
		/* The journal or a tap is full. sources_continue() follows when there is space. */
		if (!streams_have_room(context->streams)) {
			more = false;
			break;
		}
		source_turn(all, s, budget);
		more |= s->origin.is_busy;
	}
	more |= ring_files_work(context, budget);
	trace2_region_leave("intake", "files", NULL);
	if (!more)
		ev_idle_stop(loop, w);
}

static void on_busy(void *data)
{
	struct sources *all = data;

	ev_idle_start(all->context.loop, &all->idle);
}

void sources_continue(struct sources *all)
{
	if (all->context.config.replay)
		due_again(all);
	for (int i = 0; i < all->nr; i++)
		if (all->items[i]->origin.is_busy)
			on_busy(all);
}

static bool source_is_over(const struct source *s)
{
	return s->origin.stats.state == SOURCE_DONE || s->origin.stats.state == SOURCE_FAILED;
}

void sources_start(struct sources *all)
{
	for (int i = 0; i < all->nr; i++)
		if (all->items[i]->ops->start && all->items[i]->origin.stats.state != SOURCE_FAILED)
			all->items[i]->ops->start(all->items[i]);
}

bool sources_are_done(struct sources *all)
{
	int nr = sources_nr_shown(all);

	for (int i = 0; i < nr; i++)
		if (!source_is_over(all->items[i]))
			return false;
	for (int i = nr; i < all->nr; i++)
		if (all->items[i]->origin.stats.state != SOURCE_FAILED)
			all->items[i]->ops->finish(all->items[i]);
	return true;
}

void sources_suspend(struct sources *all)
{
	for (int i = 0; i < all->nr; i++)
		if (!source_is_over(all->items[i]) && all->items[i]->ops->suspend)
			all->items[i]->ops->suspend(all->items[i]);
}

void sources_resume(struct sources *all)
{
	for (int i = 0; i < all->nr; i++)
		if (!source_is_over(all->items[i]) && all->items[i]->ops->resume)
			all->items[i]->ops->resume(all->items[i]);
}

void sources_leave_old(struct sources *all)
{
	for (int i = 0; i < all->nr; i++)
		if (all->items[i]->ops->leave_old && all->items[i]->priv)
			all->items[i]->ops->leave_old(all->items[i]);
}

void sources_drain(struct sources *all)
{
	if (all->is_draining)
		return;
	all->is_draining = true;
	all->drain_until_ns = tr2_clock_monotonic() + SOURCES_DRAIN_MS * NS_PER_MS;
	for (int i = 0; i < all->nr; i++)
		if (all->items[i]->ops->drain && all->items[i]->priv)
			all->items[i]->ops->drain(all->items[i]);
	ev_timer_start(all->context.loop, &all->drain);
}

/* The timer `drain` has the lowest priority, so pending reads of sockets run before it. */
static void on_drain_timer(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sources *all = w->data;
	bool over = tr2_clock_monotonic() >= all->drain_until_ns;
	bool all_empty = true;

	(void)revents;
	for (int i = 0; i < all->nr; i++) {
		struct source *s = all->items[i];
		bool empty = over || !s->priv || !s->ops->is_empty || s->ops->is_empty(s);

		all_empty &= empty;
	}
	if (!all_empty)
		return;
	ev_timer_stop(loop, w);
	for (int i = 0; i < all->nr; i++) {
		struct source *s = all->items[i];

		if (!s->ops->drain || s->origin.stats.state == SOURCE_FAILED || !s->priv)
			continue;
		if (s->ops->finish)
			s->ops->finish(s);
		source_set_state(s, SOURCE_DONE);
	}
}

static void read_datagrams(void *data)
{
	listeners_take_datagrams(data);
}

/* Raise the soft limit of open files: each connection needs a descriptor. */
static void descriptors_raise(struct source_context *context)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &context->nr_files))
		return;
	limit = context->nr_files;
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
}

void sources_init(struct sources *all, const struct source_config *config, struct streams *streams,
		  struct ev_loop *loop)
{
	struct source_context *context = &all->context;

	*all = (struct sources){ .context = { .config = *config,
					      .streams = streams,
					      .loop = loop,
					      .buf = xmalloc(SOURCE_BUF_BYTES + SPLITTER_PAD),
					      .on_busy = on_busy,
					      .data = all } };
	streams->read_datagrams = read_datagrams;
	streams->data = context;
	ev_idle_init(&all->idle, idle_work);
	ev_set_priority(&all->idle, EV_MINPRI);
	ev_timer_init(&all->due, on_due_timer, 0, 0);
	ev_timer_init(&all->drain, on_drain_timer, 0.02, 0.02);
	ev_set_priority(&all->drain, EV_MINPRI);
	all->idle.data = all->due.data = all->drain.data = all;
	ring_files_init(context);
	descriptors_raise(context);
}

void sources_release(struct sources *all)
{
	for (int i = 0; i < all->nr; i++) {
		free(all->items[i]->spec);
		free(all->items[i]);
	}
	free(all->items);
	inodes_release(&all->context.inodes);
	free(all->context.listeners);
	ring_files_release(&all->context);
	free(all->context.buf);
}

static struct source *source_new(struct sources *all, const char *spec,
				 const struct source_ops *ops)
{
	struct source *s = xcalloc(1, sizeof(*s));

	s->context = &all->context;
	s->spec = xstrdup(spec);
	origin_init(&s->origin, all->context.streams, s->spec,
		    all->context.config.input_format - 1);
	s->ops = ops;
	s->become = NR_SOURCES;
	s->origin.stats.kind = ops->kind;
	all->items = xreallocarray(all->items, (size_t)all->nr + 1, sizeof(*all->items));
	all->items[all->nr++] = s;
	return s;
}

/* Unless `ok`, set the source to failed with the error `why`. Returns `ok`. */
static bool source_opened(struct source *s, bool ok, const char *why)
{
	if (!ok) {
		source_set_state(s, SOURCE_FAILED);
		origin_error(&s->origin, "%s", why);
	}
	s->shown = s->origin.stats;
	return ok;
}

static bool source_open(struct source *s, char *why, size_t why_bytes)
{
	if (s->path && !*s->path) {
		snprintf(why, why_bytes, "a path is missing behind %s", s->spec);
		return source_opened(s, false, why);
	}
	return source_opened(s, s->ops->open(s, why, why_bytes), why);
}

bool sources_add(struct sources *all, const char *spec, char *why, size_t why_bytes)
{
	const char *path;
	struct source *s = source_new(all, spec, source_kinds[source_kind_of(spec, &path)]);

	s->path = path ? s->spec + (path - spec) : NULL;
	s->origin.stats.waits = s->ops->waits;
	return source_open(s, why, why_bytes);
}

bool sources_add_command(struct sources *all, char **argv, int cols, int rows, char *why,
			 size_t why_bytes)
{
	struct source *s = source_new(all, argv[0], source_kinds[SOURCE_COMMAND]);

	/* The command's environment sets the format of Git's trace. */
	s->origin.format = READER_EVENT;
	return source_opened(s, source_command_run(s, argv, cols, rows, why, why_bytes), why);
}

void sources_add_relay(struct sources *all, const char *spec, const struct relay *relay)
{
	struct source *s = source_new(all, spec, &source_relay);

	s->origin.stats.waits = relay->of_command ? NULL : s->ops->waits;
	source_relay_open(s, relay);
	s->shown = s->origin.stats;
}

void sources_add_hidden(struct sources *all)
{
	for (int i = 0, nr = all->nr; i < nr; i++) {
		struct source *owner = all->items[i], *s;
		char why[200];

		if (!owner->rings)
			continue;
		s = source_new(all, owner->rings->path, &source_rings);
		all->nr_hidden++;
		s->owner = owner;
		s->origin.number = owner->origin.number;
		s->path = s->spec;
		if (!source_open(s, why, sizeof(why)))
			origin_error(&owner->origin, "%s", why);
	}
}

void sources_close(struct sources *all)
{
	int nr = sources_nr_shown(all);

	for (int i = nr; i < all->nr; i++)
		all->items[i]->ops->close(all->items[i]);
	for (int i = 0; i < nr; i++) {
		ring_dir_leave(all->items[i]->rings);
		all->items[i]->rings = NULL;
	}
	for (int i = 0; i < nr; i++)
		if (all->items[i]->ops->close)
			all->items[i]->ops->close(all->items[i]);
}

bool sources_have_path(const struct sources *all, const char *path)
{
	struct stat st, own;

	if (stat(path, &st))
		return false;
	if (!inodes_is_free(&all->context.inodes, &st))
		return true;
	for (int i = 0; i < all->nr; i++) {
		const char *own_path = all->items[i]->path;

		if (own_path && !stat(own_path, &own) && own.st_dev == st.st_dev &&
		    own.st_ino == st.st_ino)
			return true;
	}
	return false;
}
