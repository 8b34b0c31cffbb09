/* SPDX-License-Identifier: MIT */
/* Hidden source that reads the ring directory of a socket; users see only the socket's source. */
#include "config.h"
#include "monitor/source/source_dir.h"

static bool open_rings(struct source *s, char *why, size_t why_bytes)
{
	if (!dir_open(s, why, why_bytes))
		return false;
	s->follows = true;
	s->origin.is_stored = false;
	return true;
}

static void finish_rings(struct source *s)
{
	struct dir *d = s->priv;

	d->rescan_wanted = true;
	for (uint32_t i = 0; i < d->files.nr; i++)
		if (d->files.all[i]->tail.ring)
			dir_entry_queue(d, d->files.all[i]);
	while (dir_work(s, SIZE_MAX))
		;
	dir_rings_check(d);
	source_set_state(s, SOURCE_DONE);
}

const struct source_ops source_rings = {
	.kind = "rings",
	.open = open_rings,
	.start = dir_start,
	.work = dir_work,
	.leave_old = dir_leave_old,
	.finish = finish_rings,
	.close = dir_close,
};
