/* SPDX-License-Identifier: MIT */
/*
 * Source that reads a directory with one file per process, as Git's directory target writes it.
 * Without --once, one watch covers the directory, and files that have not changed for a minute are
 * closed.
 *
 *   scan:   names -> entries -> queue -> tail_read()
 *   watch:  file changed -> queue;  name created or removed -> check which file the name refers to
 *
 * A file that is renamed within the directory keeps its entry.
 */
#include "config.h"
#include "monitor/source/source_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/platform.h"
#include "monitor/base/shortage.h"

#define SENTINEL "git-trace2-discard"
/* Maximum directory entries per step of a scan. */
#define SCAN_STEP 64
/* Minimum budget used by reading a file. */
#define OPEN_COST_BYTES 4096u
#define LOOK_S          0.5
/*
 * Regular scans are needed because inotify reports no changes on some file systems. RESCAN_NS:
 * minimum pause before a regular scan while a watch is on. The pause is also at least RESCAN_SHARE
 * times the duration of the last scan.
 */
#define RESCAN_NS    (5 * NS_PER_SEC)
#define RESCAN_SHARE 200
/* Minimum life of an entry for a closed file without a name: a rename first removes the old name,
 * and the new one is found later. */
#define NAMELESS_NS (2 * NS_PER_SEC)

void dir_entry_queue(struct dir *d, struct entry *e)
{
	if (e->queued)
		return;
	GROW(d->queue, d->nr_queue, d->cap_queue, 64);
	e->queued = true;
	d->queue[d->nr_queue++] = e;
	source_busy(d->source);
}

static void entry_close(struct dir *d, struct entry *e)
{
	entries_close(&d->files, e);
	d->source->origin.stats.nr_open = d->files.nr_open;
}

static bool is_sentinel(const char *name)
{
	return !strcmp(name, SENTINEL);
}

static struct entry *entry_new(struct dir *d, const char *name, const struct stat *st)
{
	struct source *s = d->source;
	struct entry *e;

	/* The file is read under another name or by another source. */
	if (!inodes_is_free(&s->context->inodes, st))
		return NULL;
	e = entries_add(&d->files, name);
	inodes_take(&s->context->inodes, st, s, e);
	tail_init(&e->tail, st, -1);
	e->tail.refuses = e->tail.one_process = true;
	e->tail.live = !d->first_scan;
	e->scan = d->scan;
	return e;
}

static void entry_set_link(struct dir *d, struct entry *e, bool is_link)
{
	d->nr_elsewhere += (uint32_t)is_link - (uint32_t)e->elsewhere;
	e->elsewhere = is_link;
}

static void entry_refused(struct dir *d, struct entry *e, bool refused)
{
	if (e->refused != refused)
		d->nr_refused += refused ? 1 : -1u;
	e->refused = refused;
}

static void refusal_report(struct dir *d, const struct entry *e, int error)
{
	if (d->nr_refused > 1)
		origin_loss(&d->source->origin, "%s: %s, and %u other file%s", strerror(error),
			    e->name, d->nr_refused - 1, d->nr_refused > 2 ? "s" : "");
	else
		origin_loss(&d->source->origin, "%s: %s", strerror(error), e->name);
}

/* Remove an entry. If it is in the queue, the queue must not be used any more. */
static void dir_entry_drop(struct dir *d, struct entry *e)
{
	struct source *s = d->source;

	entry_refused(d, e, false);
	inodes_drop(&s->context->inodes, e->tail.dev, e->tail.ino, e);
	entry_set_link(d, e, false);
	e->tail.name = e->name ? e->name : "";
	entry_close(d, e);
	tail_end(&e->tail, s);
	entries_drop(&d->files, e);
}

static void entry_unname(struct dir *d, struct entry *e)
{
	if (!e->name)
		return;
	if (is_sentinel(e->name))
		d->source->origin.stats.discard = false;
	entries_rename(&d->files, e, NULL);
}

/* Returns false unless `name` is a regular file or a link to one. */
static bool name_stat(const struct dir *d, const char *name, struct stat *st, bool *is_link)
{
	if (fstatat(d->fd, name, st, AT_SYMLINK_NOFOLLOW))
		return false;
	*is_link = S_ISLNK(st->st_mode);
	return (!*is_link || !fstatat(d->fd, name, st, 0)) && S_ISREG(st->st_mode);
}

static bool is_file_of(const struct entry *e, const struct stat *st)
{
	return e->tail.ino == st->st_ino && e->tail.dev == st->st_dev;
}

/* True if the old name of the entry still refers to its file, which then has two names. */
static bool has_both_names(const struct dir *d, const struct entry *e)
{
	struct stat st;

	return e->name && !fstatat(d->fd, e->name, &st, 0) && is_file_of(e, &st);
}

static void name_check(struct dir *d, const char *name)
{
	struct entry *known = entries_find(&d->files, name), *same;
	struct stat st;
	bool is_link;

	if (!name_stat(d, name, &st, &is_link)) {
		if (known)
			entry_unname(d, known);
		return;
	}
	if (known && is_file_of(known, &st)) {
		known->scan = d->scan;
		if (tail_has_changed(&known->tail, &st))
			dir_entry_queue(d, known);
		return;
	}
	if (known)
		entry_unname(d, known);
	if (is_sentinel(name))
		d->source->origin.stats.discard = true;
	same = inodes_owner(&d->source->context->inodes, &st, d->source);
	if (!same)
		same = entry_new(d, name, &st);
	else if (!has_both_names(d, same))
		entries_rename(&d->files, same, name);
	if (!same)
		return;
	entry_set_link(d, same, is_link);
	same->scan = d->scan;
	if (tail_has_changed(&same->tail, &st))
		dir_entry_queue(d, same);
}

static int newest_last(const void *a, const void *b)
{
	const struct tail *x = &(*(struct entry *const *)a)->tail;
	const struct tail *y = &(*(struct entry *const *)b)->tail;

	return x->mtime_ns < y->mtime_ns ? -1 : x->mtime_ns > y->mtime_ns;
}

static int by_name_backwards(const void *a, const void *b)
{
	const struct entry *x = *(struct entry *const *)a, *y = *(struct entry *const *)b;

	return strcmp(y->name ? y->name : "", x->name ? x->name : "");
}

static void scan_begin(struct dir *d)
{
	int fd = openat(d->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	d->rescan_wanted = false;
	if (d->scanning)
		closedir(d->scanning);
	d->scanning = fd >= 0 ? fdopendir(fd) : NULL;
	d->scan++;
	d->scan_begun_ns = tr2_clock_monotonic();
	d->source->origin.stats.listing = d->first_scan && d->scanning;
	if (!d->scanning) {
		origin_loss(&d->source->origin, "it cannot be listed: %s%s", strerror(errno),
			    shortage_recover(errno));
		if (fd >= 0)
			close(fd);
	}
	/* Call work() even if the scan failed, because it sets the source's state. */
	source_busy(d->source);
}

/* A scan may miss files that are created or renamed meanwhile, so the name is checked. */
static bool name_is_gone(const struct dir *d, const struct entry *e)
{
	struct stat st;

	return fstatat(d->fd, e->name, &st, 0) || !is_file_of(e, &st);
}

static void scan_end(struct dir *d)
{
	ns_t now = tr2_clock_monotonic(), took = now - d->scan_begun_ns, wait;

	closedir(d->scanning);
	d->scanning = NULL;
	for (uint32_t i = d->files.nr; i-- > 0;) {
		struct entry *e = d->files.all[i];

		if (e->name && e->scan != d->scan && name_is_gone(d, e))
			entry_unname(d, e);
	}
	if (d->first_scan && d->nr_queue)
		qsort(d->queue, d->nr_queue, sizeof(struct entry *),
		      d->source->context->config.once ? by_name_backwards : newest_last);
	d->first_scan = d->source->origin.stats.listing = false;
	wait = watch_is_on(&d->watch) ? RESCAN_NS : 0;
	d->scan_due_ns = now + (wait > took * RESCAN_SHARE ? wait : took * RESCAN_SHARE);
}

static void scan_entry(struct dir *d, const struct dirent *ent)
{
	enum platform_entry kind = platform_entry_kind(ent);
	struct stat st;
	struct entry *e;
	bool is_link;

	if (kind == PLATFORM_DIRECTORY || kind == PLATFORM_OTHER)
		return;
	if (!d->first_scan) {
		name_check(d, ent->d_name);
		return;
	}
	errno = 0;
	if (!name_stat(d, ent->d_name, &st, &is_link)) {
		if (errno && errno != ENOENT && errno != ELOOP)
			origin_loss(&d->source->origin, "%s: %s", strerror(errno), ent->d_name);
		return;
	}
	if (entries_find(&d->files, ent->d_name))
		return;
	e = entry_new(d, ent->d_name, &st);
	if (!e)
		return;
	if (is_sentinel(ent->d_name))
		d->source->origin.stats.discard = true;
	entry_set_link(d, e, is_link);
	/* Without --once, mtime_ns sorts the queue before the first read. */
	e->tail.mtime_ns = (int64_t)st.st_mtim.tv_sec * NS_PER_SEC + st.st_mtim.tv_nsec;
	d->source->origin.stats.unread_bytes += (uint64_t)st.st_size;
	tail_is_old(&e->tail, d->source, st.st_size);
	dir_entry_queue(d, e);
}

static void scan_step(struct dir *d)
{
	for (int i = 0; i < SCAN_STEP; i++) {
		struct dirent *ent;

		errno = 0;
		ent = readdir(d->scanning);
		if (!ent) {
			if (errno)
				origin_loss(&d->source->origin, "%s", strerror(errno));
			scan_end(d);
			return;
		}
		scan_entry(d, ent);
	}
}

static bool entry_open(struct dir *d, struct entry *e)
{
	struct stat st;

	if (e->tail.fd >= 0)
		return true;
	if (!e->name)
		return false;
	e->tail.fd = openat(d->fd, e->name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (e->tail.fd < 0) {
		if (errno == EMFILE || errno == ENFILE) {
			d->source->origin.stats.nr_accept_waits++;
			d->rescan_wanted = true;
		}
		if (errno != ENOENT) {
			int error = errno;

			entry_refused(d, e, true);
			refusal_report(d, e, error);
		}
		return false;
	}
	entry_refused(d, e, false);
	entries_opened(&d->files, e);
	if (fstat(e->tail.fd, &st)) {
		origin_loss(&d->source->origin, "%s: %s", strerror(errno), e->name);
		entry_close(d, e);
		return false;
	}
	if (!is_file_of(e, &st)) {
		/* The name refers to another file, which a new scan finds. */
		entry_close(d, e);
		d->rescan_wanted = true;
		return false;
	}
	d->source->origin.stats.nr_open = d->files.nr_open;
	return true;
}

static void unread_less(struct source *s, off_t bytes)
{
	uint64_t less = bytes > 0 ? (uint64_t)bytes : 0;

	s->origin.stats.unread_bytes -=
		less < s->origin.stats.unread_bytes ? less : s->origin.stats.unread_bytes;
}

/* True if the file may still grow: its mtime at the last read is less than a minute ago. */
static bool is_recent(const struct tail *t)
{
	return t->mtime_ns < 0 || tr2_clock_wall() - t->mtime_ns < TAIL_ORPHAN_NS;
}

/* Read an entry's file. Returns true if it has more data. */
static bool entry_read(struct dir *d, struct entry *e, size_t *budget)
{
	struct source *s = d->source;
	off_t before = e->tail.offset;
	enum tail_result result;

	if (!entry_open(d, e)) {
		tail_old_end(&e->tail, s);
		return false;
	}
	e->tail.name = e->name ? e->name : "";
	if (d->leave_old && !e->tail.live) {
		tail_leave(&e->tail, s);
	} else if (s->context->config.new_only && !e->tail.live && !e->tail.offset) {
		tail_skip(&e->tail, s);
		e->tail.live = true;
	}
	result = tail_read(&e->tail, s, budget);
	unread_less(s, e->tail.offset - before);
	if (result == TAIL_MORE)
		return true;
	if (result == TAIL_ERROR)
		origin_loss(&s->origin, "%s: %s", strerror(errno), e->name ? e->name : "(removed)");
	if (!source_follows(s)) {
		entry_close(d, e);
		tail_end(&e->tail, s);
	} else if (e->tail.ring || e->tail.was_ring) {
		d->has_rings = true;
		entry_close(d, e);
	} else if (e->name && (e->tail.foreign || !is_recent(&e->tail))) {
		/* The file is not a trace, or its mtime is at least a minute old. It can be opened
		 * again by its name. */
		entry_close(d, e);
	}
	return false;
}

static void queue_read(struct dir *d, size_t budget)
{
	while (d->nr_queue && budget) {
		struct entry *e = d->queue[--d->nr_queue];
		size_t before = budget;

		e->queued = false;
		if (entry_read(d, e, &budget)) {
			dir_entry_queue(d, e);
			/* Read the file last, so that others are not delayed. With --once each
			 * file is read completely. */
			if (!d->source->context->config.once) {
				d->queue[d->nr_queue - 1] = d->queue[0];
				d->queue[0] = e;
			}
		}
		if (before - budget < OPEN_COST_BYTES)
			budget -= budget < OPEN_COST_BYTES ? budget : OPEN_COST_BYTES;
	}
}

void dir_leave_old(struct source *s)
{
	((struct dir *)s->priv)->leave_old = true;
	source_busy(s);
}

bool dir_work(struct source *s, size_t budget)
{
	struct dir *d = s->priv;

	if (d->rescan_wanted && !d->scanning && d->fd >= 0)
		scan_begin(d);
	if (d->scanning)
		scan_step(d);
	/* Read no file before the first scan, which determines the order, has ended. */
	if (!d->scanning || !d->first_scan)
		queue_read(d, budget);
	if (d->nr_queue || d->scanning)
		return true;
	s->origin.stats.unread_bytes = 0;
	if (d->fd >= 0)
		source_set_state(s, source_follows(s) ? SOURCE_FOLLOWING : SOURCE_DONE);
	return false;
}

static void dir_lost(struct dir *d)
{
	if (d->fd < 0)
		return;
	if (d->scanning)
		closedir(d->scanning);
	d->scanning = NULL;
	d->source->origin.stats.listing = false;
	watch_stop(&d->watch, d->source->context->loop);
	for (uint32_t i = 0; i < d->files.nr; i++)
		entry_unname(d, d->files.all[i]);
	close(d->fd);
	d->fd = -1;
	source_set_state(d->source, SOURCE_WAITING);
}

static void dir_told(void *data, enum watch_what what, const char *name)
{
	struct dir *d = data;
	struct entry *e;

	switch (what) {
	case WATCH_OVERFLOW:
		d->rescan_wanted = true;
		source_busy(d->source);
		break;
	case WATCH_GONE:
		dir_lost(d);
		break;
	case WATCH_CHANGED:
		e = entries_find(&d->files, name);
		if (e)
			dir_entry_queue(d, e);
		else
			name_check(d, name);
		break;
	case WATCH_NAMES:
		name_check(d, name);
		break;
	}
}

static bool dir_found(struct dir *d, char *why, size_t why_bytes)
{
	struct source *s = d->source;
	struct stat st;
	int fd = open(s->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st)) {
		snprintf(why, why_bytes, "cannot open %s: %s", s->path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	d->fd = fd;
	d->dev = st.st_dev;
	d->ino = st.st_ino;
	source_set_state(s, SOURCE_READING);
	return true;
}

/* Queue an open file without a name if it has changed. Else drop its entry a minute after the
 * file last grew and lost its name; if it is closed, NAMELESS_NS after it lost its name. */
static void nameless_check(struct dir *d, struct entry *e, ns_t now)
{
	struct stat st;

	if (e->queued)
		return;
	if (e->tail.fd >= 0 && !fstat(e->tail.fd, &st) && tail_has_changed(&e->tail, &st))
		dir_entry_queue(d, e);
	else if (e->tail.fd < 0 ? now - e->nameless_ns > NAMELESS_NS
				: now - e->tail.grew_ns > TAIL_ORPHAN_NS &&
					  now - e->nameless_ns > TAIL_ORPHAN_NS)
		dir_entry_drop(d, e);
}

static void link_check(struct dir *d, const struct entry *e)
{
	char *name = xstrdup(e->name);

	name_check(d, name);
	free(name);
}

/* Check files of which inotify may report no changes: files without a name, and targets of
 * symbolic links. */
static void untold_check(struct dir *d)
{
	ns_t now = tr2_clock_monotonic();
	bool any = d->files.nr_nameless || d->nr_elsewhere;
	struct stat st;

	for (uint32_t i = any ? d->files.nr : 0; i-- > 0;) {
		struct entry *e = d->files.all[i];

		if (!e->name)
			nameless_check(d, e, now);
		else if (e->elsewhere && d->fd >= 0 && !fstatat(d->fd, e->name, &st, 0) &&
			 tail_has_changed(&e->tail, &st))
			link_check(d, e);
	}
}

static void idle_close(struct dir *d)
{
	ns_t now = tr2_clock_monotonic();

	for (uint32_t i = d->files.nr_open; i-- > 0;) {
		struct entry *e = d->files.open[i];

		if (e->name && !e->queued && now - e->tail.grew_ns > TAIL_ORPHAN_NS &&
		    !is_recent(&e->tail))
			entry_close(d, e);
	}
}

void dir_rings_check(struct dir *d)
{
	struct source *s = d->source;

	for (uint32_t i = d->has_rings ? d->files.nr : 0; i-- > 0;) {
		struct entry *e = d->files.all[i];

		tail_ring_is_over(&e->tail, s);
		if (s->owner && e->tail.was_ring && !e->tail.foreign && !e->queued && e->name &&
		    d->fd >= 0 && !unlinkat(d->fd, e->name, 0))
			dir_entry_drop(d, e);
	}
}

static void dir_check(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct dir *d = w->data;
	struct source *s = d->source;
	struct stat st;
	char why[200];

	(void)revents;
	if (d->fd >= 0 && (stat(s->path, &st) || st.st_dev != d->dev || st.st_ino != d->ino))
		dir_lost(d);
	if (d->fd < 0 && dir_found(d, why, sizeof(why)))
		d->rescan_wanted = true;
	if (d->fd < 0 && !stat(s->path, &st) && S_ISREG(st.st_mode)) {
		source_become(s, SOURCE_FILE);
		source_busy(s);
	}
	if (d->fd >= 0 && !watch_is_on(&d->watch) &&
	    watch_start(&d->watch, loop, s->path, dir_told, d))
		d->rescan_wanted = true;
	if (d->fd >= 0 && !d->scanning && tr2_clock_monotonic() > d->scan_due_ns)
		d->rescan_wanted = true;
	untold_check(d);
	dir_rings_check(d);
	idle_close(d);
	if (d->rescan_wanted || d->nr_queue)
		source_busy(s);
}

static bool claims_dir(const struct stat *st)
{
	return st && S_ISDIR(st->st_mode);
}

bool dir_open(struct source *s, char *why, size_t why_bytes)
{
	struct dir *d = xcalloc(1, sizeof(*d));

	d->source = s;
	d->fd = -1;
	d->watch.fd = -1;
	d->first_scan = true;
	s->priv = d;
	s->origin.can_wait = s->origin.is_stored = true;
	if (!dir_found(d, why, why_bytes))
		return false;
	s->origin.is_busy = true;
	return true;
}

void dir_start(struct source *s)
{
	struct dir *d = s->priv;

	/* Watch before scanning, so that no change is missed. */
	if (source_follows(s)) {
		watch_start(&d->watch, s->context->loop, s->path, dir_told, d);
		ev_timer_init(&d->look, dir_check, LOOK_S, LOOK_S);
		d->look.data = d;
		ev_timer_start(s->context->loop, &d->look);
	}
	scan_begin(d);
}

void dir_close(struct source *s)
{
	struct dir *d = s->priv;

	if (!d)
		return;
	dir_rings_check(d);
	watch_stop(&d->watch, s->context->loop);
	if (ev_is_active(&d->look))
		ev_timer_stop(s->context->loop, &d->look);
	if (d->scanning)
		closedir(d->scanning);
	while (d->files.nr)
		dir_entry_drop(d, d->files.all[d->files.nr - 1]);
	entries_release(&d->files);
	if (d->fd >= 0)
		close(d->fd);
	free(d->queue);
	free(d);
	s->priv = NULL;
}

const struct source_ops source_directory = {
	.kind = "directory",
	.is_target = true,
	.claims = claims_dir,
	.open = dir_open,
	.start = dir_start,
	.work = dir_work,
	.leave_old = dir_leave_old,
	.close = dir_close,
};
