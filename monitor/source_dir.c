/* SPDX-License-Identifier: MIT */
/*
 * A directory with one file a process, as Git's directory target makes them. One watch tells of
 * all of them; no descriptor is kept of a file that has not grown for a minute, so that a
 * hundred thousand finished ones cost their entries alone.
 *
 *   scan: names -> entries -> queue (by name with --once, else newest first) -> tail_read()
 *   watch: a name's file changed -> queue; a name came or went -> look what it means now
 *
 * What an entry is, its inode says: a file that gets another name in the directory goes on.
 */
#include "config.h"
#include "monitor/source.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/hash.h"
#include "monitor/die.h"
#include "monitor/source_watch.h"
#include "monitor/tail.h"

#define SENTINEL "git-trace2-discard"
/* Directory entries looked at before other work has its turn. */
#define SCAN_STEP 512
#define LOOK_S 0.5
/* Without a watch that works everywhere, all is looked at again after this, and no more often
 * than a two-hundredth of the time can be spent on it. */
#define RESCAN_NS (5 * NS_PER_SEC)
#define RESCAN_SHARE 200
/* How long a file without a name keeps its place: a rename takes its name away first. */
#define NAMELESS_NS (2 * NS_PER_SEC)

struct entry {
	struct tail tail;
	char *name; /* NULL: it has none any more */
	ns_t nameless_ns; /* monotonic, since when */
	uint32_t scan;	  /* the scan that saw it last */
	uint32_t at;	  /* index in `entries` */
	uint32_t open_at; /* index in `open`, while it has a descriptor */
	bool queued;
};

struct dir {
	struct source *source;
	int fd; /* -1: it is not there */
	dev_t dev;
	ino_t ino;
	struct entry **entries;
	uint32_t nr, cap;
	uint32_t *by_name; /* open addressing, index + 1 */
	uint32_t name_mask;
	struct entry **queue; /* to be read, last one first */
	uint32_t nr_queue, cap_queue;
	struct entry *open[TAIL_MAX_OPEN]; /* those with a descriptor */
	uint32_t nr_open, nr_nameless;
	DIR *scanning;
	uint32_t scan;
	bool first_scan; /* what it finds was there before */
	bool rescan_wanted;
	ns_t scan_begun_ns, scan_due_ns;
	struct watch watch;
	ev_timer look;
};

/* ---- entries ---- */

static void name_slot_put(struct dir *d, uint32_t index)
{
	const char *name = d->entries[index]->name;
	uint32_t at = (uint32_t)tr2_hash(name, strlen(name)) & d->name_mask;

	while (d->by_name[at])
		at = (at + 1) & d->name_mask;
	d->by_name[at] = index + 1;
}

/* The slot that says `index`; every named entry has one. */
static uint32_t name_slot_of(const struct dir *d, uint32_t index)
{
	const char *name = d->entries[index]->name;
	uint32_t at = (uint32_t)tr2_hash(name, strlen(name)) & d->name_mask;

	while (d->by_name[at] != index + 1)
		at = (at + 1) & d->name_mask;
	return at;
}

/* Free the slot of an entry that still has its name; what was pushed behind it moves up. */
static void name_slot_drop(struct dir *d, uint32_t index)
{
	uint32_t at = name_slot_of(d, index);

	d->by_name[at] = 0;
	for (at = (at + 1) & d->name_mask; d->by_name[at]; at = (at + 1) & d->name_mask) {
		uint32_t moved = d->by_name[at] - 1;

		d->by_name[at] = 0;
		name_slot_put(d, moved);
	}
}

static void names_grow(struct dir *d)
{
	while ((d->nr + 1) * 2 > d->name_mask)
		d->name_mask = d->name_mask * 2 + 1;
	free(d->by_name);
	d->by_name = xcalloc((size_t)d->name_mask + 1, sizeof(*d->by_name));
	for (uint32_t i = 0; i < d->nr; i++)
		if (d->entries[i]->name)
			name_slot_put(d, i);
}

static struct entry *entry_by_name(const struct dir *d, const char *name)
{
	uint32_t at = (uint32_t)tr2_hash(name, strlen(name)) & d->name_mask;

	for (; d->by_name[at]; at = (at + 1) & d->name_mask) {
		struct entry *e = d->entries[d->by_name[at] - 1];

		if (e->name && !strcmp(e->name, name))
			return e;
	}
	return NULL;
}

static void entry_queue(struct dir *d, struct entry *e)
{
	if (e->queued)
		return;
	if (d->nr_queue == d->cap_queue) {
		d->cap_queue = d->cap_queue ? d->cap_queue * 2 : 64;
		d->queue = xreallocarray(d->queue, d->cap_queue, sizeof(struct entry *));
	}
	e->queued = true;
	d->queue[d->nr_queue++] = e;
	source_busy(d->source);
}

static void entry_close(struct dir *d, struct entry *e)
{
	if (e->tail.fd < 0)
		return;
	close(e->tail.fd);
	e->tail.fd = -1;
	d->open[e->open_at] = d->open[--d->nr_open];
	d->open[e->open_at]->open_at = e->open_at;
	d->source->live.nr_open--;
}

static bool is_sentinel(const char *name)
{
	return !strcmp(name, SENTINEL);
}

static struct entry *entry_new(struct dir *d, const char *name, const struct stat *st)
{
	struct source *s = d->source;
	struct entry *e = xcalloc(1, sizeof(*e));

	if (!intake_inode_take(s, st, e)) {
		free(e); /* it is read under another name, or by another source */
		return NULL;
	}
	tail_init(&e->tail, st, -1);
	e->tail.need_json = true;
	e->tail.live = !d->first_scan;
	e->name = xstrdup(name);
	e->scan = d->scan;
	if (d->nr == d->cap) {
		d->cap = d->cap ? d->cap * 2 : 64;
		d->entries = xreallocarray(d->entries, d->cap, sizeof(struct entry *));
	}
	e->at = d->nr;
	d->entries[d->nr++] = e;
	if ((d->nr + 1) * 2 > d->name_mask)
		names_grow(d);
	else
		name_slot_put(d, e->at);
	return e;
}

static void entry_drop(struct dir *d, struct entry *e)
{
	struct source *s = d->source;
	struct entry *last;

	if (e->queued)
		for (uint32_t i = 0; i < d->nr_queue; i++)
			if (d->queue[i] == e)
				d->queue[i] = d->queue[--d->nr_queue];
	entry_close(d, e);
	intake_inode_drop(s, e->tail.dev, e->tail.ino, e);
	tail_end(&e->tail, s);
	if (e->name)
		name_slot_drop(d, e->at);
	else
		d->nr_nameless--;
	free(e->name);
	last = d->entries[d->nr - 1];
	if (last != e) {
		uint32_t slot = last->name ? name_slot_of(d, last->at) : 0;

		d->entries[e->at] = last;
		last->at = e->at;
		if (last->name)
			d->by_name[slot] = last->at + 1;
	}
	d->nr--;
	free(e);
}

static void entry_unname(struct dir *d, struct entry *e)
{
	if (!e->name)
		return;
	if (is_sentinel(e->name))
		d->source->live.discard = false;
	name_slot_drop(d, e->at);
	free(e->name);
	e->name = NULL;
	e->nameless_ns = tr2_clock_monotonic();
	d->nr_nameless++;
}

static void entry_rename(struct dir *d, struct entry *e, const char *name)
{
	if (e->name && !strcmp(e->name, name))
		return;
	if (e->name)
		name_slot_drop(d, e->at);
	else
		d->nr_nameless--;
	free(e->name);
	e->name = xstrdup(name);
	name_slot_put(d, e->at);
}

/* What `name` means now. */
static void name_look(struct dir *d, const char *name)
{
	struct entry *known = entry_by_name(d, name), *same;
	struct stat st;

	if (fstatat(d->fd, name, &st, 0) || !S_ISREG(st.st_mode)) {
		if (known)
			entry_unname(d, known);
		return;
	}
	if (known && known->tail.ino == st.st_ino && known->tail.dev == st.st_dev) {
		known->scan = d->scan;
		if (tail_has_changed(&known->tail, &st))
			entry_queue(d, known);
		return;
	}
	if (known)
		entry_unname(d, known);
	if (is_sentinel(name))
		d->source->live.discard = true;
	same = intake_inode_owner(d->source, &st);
	if (same && same->name) {
		struct stat old;

		/* Both names may stand for it; then it is read under the first. */
		if (!fstatat(d->fd, same->name, &old, 0) && old.st_ino == st.st_ino) {
			same->scan = d->scan;
			if (tail_has_changed(&same->tail, &st))
				entry_queue(d, same);
			return;
		}
	}
	if (same)
		entry_rename(d, same, name);
	else
		same = entry_new(d, name, &st);
	if (same) {
		same->scan = d->scan;
		entry_queue(d, same);
	}
}

/* ---- scanning ---- */

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
	if (d->scanning)
		source_busy(d->source);
	else if (fd >= 0)
		close(fd);
}

static void scan_end(struct dir *d)
{
	ns_t now = tr2_clock_monotonic(), took = now - d->scan_begun_ns;

	closedir(d->scanning);
	d->scanning = NULL;
	for (uint32_t i = 0; i < d->nr; i++)
		if (d->entries[i]->name && d->entries[i]->scan != d->scan)
			name_look(d, d->entries[i]->name);
	if (d->first_scan)
		qsort(d->queue, d->nr_queue, sizeof(struct entry *),
		      d->source->intake->config.once ? by_name_backwards : newest_last);
	d->first_scan = false;
	d->scan_due_ns = now + (RESCAN_NS > took * RESCAN_SHARE ? RESCAN_NS : took * RESCAN_SHARE);
}

static void scan_entry(struct dir *d, const struct dirent *ent)
{
	struct stat st;
	struct entry *e;

	if (ent->d_type != DT_REG && ent->d_type != DT_UNKNOWN && ent->d_type != DT_LNK)
		return;
	if (!d->first_scan) {
		name_look(d, ent->d_name);
		return;
	}
	if (fstatat(d->fd, ent->d_name, &st, 0) || !S_ISREG(st.st_mode))
		return;
	e = entry_by_name(d, ent->d_name);
	if (e || !(e = entry_new(d, ent->d_name, &st)))
		return;
	if (is_sentinel(ent->d_name))
		d->source->live.discard = true;
	/* Until it is read, when it was last written tells the order. */
	e->tail.mtime_ns = (int64_t)st.st_mtim.tv_sec * NS_PER_SEC + st.st_mtim.tv_nsec;
	d->source->live.unread_bytes += (uint64_t)st.st_size;
	entry_queue(d, e);
}

/* A step of the scan; true while there is more. */
static bool scan_step(struct dir *d)
{
	for (int i = 0; i < SCAN_STEP; i++) {
		struct dirent *ent = readdir(d->scanning);

		if (!ent) {
			scan_end(d);
			return false;
		}
		scan_entry(d, ent);
	}
	return true;
}

/* ---- reading ---- */

/* Give back the descriptor of whoever grew longest ago. */
static void descriptors_trim(struct dir *d)
{
	struct entry *oldest = NULL;

	if (d->nr_open < TAIL_MAX_OPEN)
		return;
	for (uint32_t i = 0; i < d->nr_open; i++)
		if (!oldest || d->open[i]->tail.grew_ns < oldest->tail.grew_ns)
			oldest = d->open[i];
	if (oldest)
		entry_close(d, oldest);
}

static bool entry_open(struct dir *d, struct entry *e)
{
	struct stat st;

	if (e->tail.fd >= 0)
		return true;
	if (!e->name)
		return false;
	descriptors_trim(d);
	e->tail.fd = openat(d->fd, e->name, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (e->tail.fd < 0) {
		if (errno == EMFILE || errno == ENFILE)
			d->source->live.nr_accept_waits++;
		if (errno != ENOENT)
			source_error(d->source, "%s: %s", e->name, strerror(errno));
		return false;
	}
	e->open_at = d->nr_open;
	d->open[d->nr_open++] = e;
	d->source->live.nr_open++;
	if (fstat(e->tail.fd, &st) || st.st_ino != e->tail.ino || st.st_dev != e->tail.dev) {
		/* The name means another file since; that is looked at when it is told. */
		entry_close(d, e);
		d->rescan_wanted = true;
		return false;
	}
	return true;
}

static void unread_less(struct source *s, off_t bytes)
{
	uint64_t less = bytes > 0 ? (uint64_t)bytes : 0;

	s->live.unread_bytes -= less < s->live.unread_bytes ? less : s->live.unread_bytes;
}

/* Read one queued entry; true where it stays in the queue. */
static bool entry_read(struct dir *d, struct entry *e, size_t *budget)
{
	struct source *s = d->source;
	off_t before = e->tail.offset;
	bool was_live = e->tail.live;
	enum tail_result result;

	if (!entry_open(d, e))
		return false;
	if (s->intake->config.new_only && !e->tail.live && !e->tail.offset) {
		tail_skip(&e->tail, s);
		e->tail.live = true;
	}
	result = tail_read(&e->tail, s, budget);
	unread_less(s, e->tail.offset - before);
	if (result == TAIL_MORE)
		return true;
	if (result == TAIL_ERROR)
		source_error(s, "%s: %s", e->name ? e->name : "(removed)", strerror(errno));
	if (s->intake->config.once) {
		entry_close(d, e);
		tail_end(&e->tail, s);
	} else if (!was_live || e->tail.foreign ||
		   tr2_clock_monotonic() - e->tail.grew_ns > TAIL_ORPHAN_NS) {
		/* What was there before is finished as a rule. */
		entry_close(d, e);
	}
	return false;
}

static bool dir_work(struct source *s, size_t budget)
{
	struct dir *d = s->priv;

	if (d->fd < 0)
		return false;
	if (d->rescan_wanted && !d->scanning)
		scan_begin(d);
	if (d->scanning && scan_step(d))
		return true;
	if (d->scanning || d->first_scan)
		return d->scanning != NULL;
	while (d->nr_queue && budget) {
		struct entry *e = d->queue[d->nr_queue - 1];
		size_t before = budget;

		if (entry_read(d, e, &budget))
			return true;
		/* Looking may have queued others behind it. */
		for (uint32_t i = d->nr_queue; i-- > 0;)
			if (d->queue[i] == e) {
				memmove(&d->queue[i], &d->queue[i + 1],
					(d->nr_queue - i - 1) * sizeof(struct entry *));
				d->nr_queue--;
				break;
			}
		e->queued = false;
		/* Opening a file costs, too. */
		if (before == budget)
			budget -= budget < 4096 ? budget : 4096;
	}
	if (d->nr_queue)
		return true;
	s->live.unread_bytes = 0;
	source_set_state(s, s->intake->config.once ? SOURCE_DONE : SOURCE_FOLLOWING);
	return false;
}

/* ---- what happens to it ---- */

static void dir_lost(struct dir *d)
{
	if (d->fd < 0)
		return;
	if (d->scanning)
		closedir(d->scanning);
	d->scanning = NULL;
	watch_stop(&d->watch, d->source->intake->loop);
	for (uint32_t i = 0; i < d->nr; i++)
		entry_unname(d, d->entries[i]);
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
		e = entry_by_name(d, name);
		if (e && !e->queued)
			entry_queue(d, e);
		if (e)
			break;
		name_look(d, name);
		break;
	case WATCH_NAMES:
		name_look(d, name);
		break;
	}
}

static bool dir_found(struct dir *d, char *why, size_t why_bytes)
{
	struct source *s = d->source;
	struct stat st;
	int fd = open(s->spec, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st)) {
		snprintf(why, why_bytes, "cannot open %s: %s", s->spec, strerror(errno));
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

/* Files without a name: those that still grow are read on, the others are let go. */
static void nameless_look(struct dir *d)
{
	ns_t now = tr2_clock_monotonic();
	struct stat st;

	for (uint32_t i = d->nr_nameless ? d->nr : 0; i-- > 0;) {
		struct entry *e = d->entries[i];

		if (e->name)
			continue;
		if (e->tail.fd >= 0 && !fstat(e->tail.fd, &st) && tail_has_changed(&e->tail, &st))
			entry_queue(d, e);
		else if (e->tail.fd < 0 ? now - e->nameless_ns > NAMELESS_NS :
					  now - e->tail.grew_ns > TAIL_ORPHAN_NS &&
						  now - e->nameless_ns > TAIL_ORPHAN_NS)
			entry_drop(d, e);
	}
}

static void idle_close(struct dir *d)
{
	ns_t now = tr2_clock_monotonic();

	for (uint32_t i = d->nr_open; i-- > 0;)
		if (d->open[i]->name && now - d->open[i]->tail.grew_ns > TAIL_ORPHAN_NS)
			entry_close(d, d->open[i]);
}

static void dir_look(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct dir *d = w->data;
	struct source *s = d->source;
	struct stat st;
	char why[200];

	(void)revents;
	if (d->fd >= 0 && (stat(s->spec, &st) || st.st_dev != d->dev || st.st_ino != d->ino))
		dir_lost(d);
	if (d->fd < 0 && dir_found(d, why, sizeof(why)))
		d->rescan_wanted = true;
	if (d->fd >= 0 && !watch_is_on(&d->watch) &&
	    watch_start(&d->watch, loop, s->spec, dir_told, d))
		d->rescan_wanted = true;
	if (d->fd >= 0 && !d->scanning && tr2_clock_monotonic() > d->scan_due_ns)
		d->rescan_wanted = true;
	nameless_look(d);
	idle_close(d);
	if (d->rescan_wanted || d->nr_queue)
		source_busy(s);
}

static bool claims_dir(const char *spec, const struct stat *st)
{
	(void)spec;
	return st && S_ISDIR(st->st_mode);
}

static bool open_dir(struct source *s, char *why, size_t why_bytes)
{
	struct dir *d = xcalloc(1, sizeof(*d));

	d->source = s;
	d->fd = -1;
	d->watch.fd = -1;
	d->name_mask = 63;
	d->by_name = xcalloc(64, sizeof(*d->by_name));
	d->first_scan = true;
	s->priv = d;
	if (!dir_found(d, why, why_bytes))
		return false;
	s->busy = true;
	return true;
}

static void dir_start(struct source *s)
{
	struct dir *d = s->priv;

	/* The watch comes before the scan, so that nothing falls between them. */
	if (!s->intake->config.once) {
		watch_start(&d->watch, s->intake->loop, s->spec, dir_told, d);
		ev_timer_init(&d->look, dir_look, LOOK_S, LOOK_S);
		d->look.data = d;
		ev_timer_start(s->intake->loop, &d->look);
	}
	scan_begin(d);
	if (!d->scanning) {
		source_error(s, "%s", strerror(errno));
		source_set_state(s, SOURCE_FAILED);
	}
}

static void dir_close(struct source *s)
{
	struct dir *d = s->priv;

	if (!d)
		return;
	watch_stop(&d->watch, s->intake->loop);
	if (ev_is_active(&d->look))
		ev_timer_stop(s->intake->loop, &d->look);
	if (d->scanning)
		closedir(d->scanning);
	while (d->nr)
		entry_drop(d, d->entries[d->nr - 1]);
	if (d->fd >= 0)
		close(d->fd);
	free(d->entries);
	free(d->by_name);
	free(d->queue);
	free(d);
	s->priv = NULL;
}

const struct source_ops source_directory = {
	.kind = "directory",
	.help = "read every trace in a directory, and follow them and new ones",
	.claims = claims_dir,
	.open = open_dir,
	.start = dir_start,
	.work = dir_work,
	.close = dir_close,
};
