/* SPDX-License-Identifier: MIT */
/*
 * Source that reads the file at one path: existing data and, without --once, appended data and
 * files that replace it. An inotify watch on its directory reports most changes; regular checks
 * detect others, such as those of a symbolic link's target.
 */
#include "config.h"
#include "monitor/source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "monitor/base/die.h"
#include "monitor/source/source_watch.h"
#include "monitor/source/tail.h"

#define LOOK_S 0.25

struct file {
	struct source *source;
	/* the file that the path refers to; `fd` -1: none is read */
	struct tail now;
	/* files that the path referred to before; they may still be written to */
	struct tail *old;
	int nr_old;
	struct watch watch;
	ev_timer look;
	char *dir, *base;
	bool skip_first; /* --new: skip the existing data */
};

static void old_drop(struct file *f, int i)
{
	struct source *s = f->source;

	inodes_drop(&s->context->inodes, f->old[i].dev, f->old[i].ino, f);
	tail_end(&f->old[i], s);
	s->origin.stats.nr_open--;
	f->old[i] = f->old[--f->nr_old];
}

static int old_idlest(const struct file *f)
{
	int idlest = 0;

	for (int i = 1; i < f->nr_old; i++)
		if (f->old[i].grew_ns < f->old[idlest].grew_ns)
			idlest = i;
	return idlest;
}

/* Keep reading a file that the path no longer refers to: a process may still write to the file. */
static void now_retire(struct file *f)
{
	if (f->now.fd < 0)
		return;
	if (f->nr_old == TAIL_MAX_OPEN)
		old_drop(f, old_idlest(f));
	if (!f->old)
		f->old = xreallocarray(NULL, TAIL_MAX_OPEN, sizeof(*f->old));
	f->now.grew_ns = tr2_clock_monotonic();
	f->old[f->nr_old++] = f->now;
	f->now.fd = -1;
}

/* If the path refers to a replaced file again, continue to read it and return true. */
static bool old_take_back(struct file *f, const struct stat *st)
{
	for (int i = 0; i < f->nr_old; i++) {
		if (f->old[i].dev != st->st_dev || f->old[i].ino != st->st_ino)
			continue;
		f->now = f->old[i];
		f->old[i] = f->old[--f->nr_old];
		return true;
	}
	return false;
}

static bool path_open(struct file *f)
{
	struct source *s = f->source;
	struct stat st;
	int err, fd = open(s->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);

	if (fd < 0 || fstat(fd, &st))
		goto failed;
	if (!S_ISREG(st.st_mode)) {
		origin_error(&s->origin, "not a regular file; waiting for one");
		if (s->context->streams->is_running &&
		    (S_ISDIR(st.st_mode) || S_ISFIFO(st.st_mode)))
			source_become(s, S_ISDIR(st.st_mode) ? SOURCE_DIRECTORY : SOURCE_FIFO);
		close(fd);
		errno = EINVAL;
		return false;
	}
	if (old_take_back(f, &st)) {
		close(fd);
		return true;
	}
	if (!inodes_take(&s->context->inodes, &st, s, f)) {
		origin_error(&s->origin, "another source reads the same file: it is counted there");
		close(fd);
		errno = EEXIST;
		return false;
	}
	tail_init(&f->now, &st, fd);
	f->now.name = s->spec;
	f->now.live = s->context->streams->is_running && s->origin.stats.state != SOURCE_READING;
	s->origin.stats.nr_open++;
	s->origin.stats.error[0] = '\0';
	if (f->skip_first)
		tail_skip(&f->now, s);
	else if (!f->now.live)
		tail_is_old(&f->now, s, st.st_size);
	return true;
failed:
	err = errno;
	if (err != ENOENT)
		origin_error(&s->origin, "%s", strerror(err));
	if (fd >= 0)
		close(fd);
	errno = err;
	return false;
}

static void source_file_path_check(struct file *f)
{
	struct source *s = f->source;
	struct stat st;

	if (stat(s->path, &st)) {
		now_retire(f);
		if (s->origin.stats.state != SOURCE_WAITING && errno != ENOENT)
			origin_error(&s->origin, "%s", strerror(errno));
		source_set_state(s, SOURCE_WAITING);
		return;
	}
	if (f->now.fd >= 0 && (f->now.dev != st.st_dev || f->now.ino != st.st_ino)) {
		now_retire(f);
		s->origin.stats.nr_restarts++;
	}
	if (f->now.fd < 0)
		source_set_state(s, path_open(f) ? SOURCE_FOLLOWING : SOURCE_WAITING);
	f->skip_first = false;
}

static bool file_finish(struct source *s, struct file *f)
{
	tail_end(&f->now, s);
	source_set_state(s, SOURCE_DONE);
	return false;
}

/* Read replaced files. Returns true if the budget is used up. */
static bool old_read(struct file *f, size_t *budget)
{
	ns_t now = tr2_clock_monotonic();

	for (int i = f->nr_old; i-- > 0 && *budget;) {
		enum tail_result result = tail_read(&f->old[i], f->source, budget);

		if (result == TAIL_ERROR || now - f->old[i].grew_ns > TAIL_ORPHAN_NS)
			old_drop(f, i);
	}
	return !*budget;
}

static void unread_note(struct file *f)
{
	off_t unread = f->now.size - f->now.offset;

	f->source->origin.stats.unread_bytes = f->now.fd >= 0 && unread > 0 ? (uint64_t)unread : 0;
}

static bool now_read(struct source *s, struct file *f, size_t budget)
{
	enum tail_result result = tail_read(&f->now, s, &budget);

	unread_note(f);
	if (result == TAIL_ERROR)
		origin_error(&s->origin, "%s", strerror(errno));
	if (result == TAIL_ERROR && s->context->config.once)
		source_set_state(s, SOURCE_FAILED);
	else if (result == TAIL_END && s->context->config.once)
		return file_finish(s, f);
	else
		source_set_state(s, result == TAIL_MORE ? SOURCE_READING : SOURCE_FOLLOWING);
	return result == TAIL_MORE;
}

static bool file_work(struct source *s, size_t budget)
{
	struct file *f = s->priv;

	if (!s->context->config.once)
		source_file_path_check(f);
	if (old_read(f, &budget))
		return true;
	if (f->now.fd >= 0)
		return now_read(s, f, budget);
	unread_note(f);
	return s->context->config.once ? file_finish(s, f) : false;
}

static void file_leave_old(struct source *s)
{
	struct file *f = s->priv;

	if (f->now.fd < 0 || !f->now.old_left)
		return;
	tail_leave(&f->now, s);
	source_busy(s);
}

static void file_told(void *data, enum watch_what what, const char *name)
{
	struct file *f = data;

	if (what == WATCH_GONE)
		watch_stop(&f->watch, f->source->context->loop);
	if (what == WATCH_CHANGED || what == WATCH_NAMES)
		if (strcmp(name, f->base) && !f->nr_old)
			return;
	source_busy(f->source);
}

static void file_check(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct file *f = w->data;
	struct stat st;
	bool changed;

	(void)revents;
	if (!watch_is_on(&f->watch))
		watch_start(&f->watch, loop, f->dir, file_told, f);
	changed = stat(f->source->path, &st)
			  ? f->now.fd >= 0
			  : f->now.fd < 0 || f->now.dev != st.st_dev || f->now.ino != st.st_ino ||
				    tail_has_changed(&f->now, &st);
	if (changed || f->nr_old)
		source_busy(f->source);
}

static bool open_file(struct source *s, char *why, size_t why_bytes)
{
	struct file *f = xcalloc(1, sizeof(*f));
	struct stat st;

	f->source = s;
	f->now.fd = -1;
	f->watch.fd = -1;
	f->skip_first = s->context->config.new_only;
	s->priv = f;
	s->origin.can_wait = s->origin.is_stored = true;
	if (!stat(s->path, &st) && !S_ISREG(st.st_mode)) {
		snprintf(why, why_bytes, "%s is not a file, directory, FIFO or af_unix: socket",
			 s->path);
		return false;
	}
	source_set_state(s, SOURCE_READING);
	if (!path_open(f)) {
		/* EEXIST: another source reads the file, so --once continues. */
		if (s->context->config.once && errno != EEXIST) {
			snprintf(why, why_bytes, "cannot open %s: %s", s->path, strerror(errno));
			return false;
		}
		source_set_state(s, SOURCE_WAITING);
	}
	s->origin.is_busy = true;
	return true;
}

static void file_start(struct source *s)
{
	struct file *f = s->priv;
	char *copy;

	source_busy(s);
	if (s->context->config.once)
		return;
	copy = xstrdup(s->path);
	f->dir = xstrdup(dirname(copy));
	memcpy(copy, s->path, strlen(s->path) + 1);
	f->base = xstrdup(basename(copy));
	free(copy);
	watch_start(&f->watch, s->context->loop, f->dir, file_told, f);
	ev_timer_init(&f->look, file_check, LOOK_S, LOOK_S);
	f->look.data = f;
	ev_timer_start(s->context->loop, &f->look);
}

static void file_close(struct source *s)
{
	struct file *f = s->priv;

	if (!f)
		return;
	watch_stop(&f->watch, s->context->loop);
	if (ev_is_active(&f->look))
		ev_timer_stop(s->context->loop, &f->look);
	while (f->nr_old)
		old_drop(f, 0);
	tail_end(&f->now, s);
	free(f->old);
	free(f->dir);
	free(f->base);
	free(f);
	s->priv = NULL;
}

const struct source_ops source_file = {
	.kind = "file",
	.is_target = true,
	.open = open_file,
	.start = file_start,
	.work = file_work,
	.leave_old = file_leave_old,
	.close = file_close,
};
