/* SPDX-License-Identifier: MIT */
/* What the sources of directories share: source_dir.c, and source_rings.c for those of rings. */
#ifndef MONITOR_SOURCE_DIR_H
#define MONITOR_SOURCE_DIR_H

#include <dirent.h>

#include "monitor/intake/source.h"
#include "monitor/intake/source_entries.h"
#include "monitor/intake/source_watch.h"

struct dir {
	struct source *source;
	int fd; /* -1: it is not there */
	dev_t dev;
	ino_t ino;
	struct entries files;
	struct entry **queue; /* to be read, last one first */
	uint32_t nr_refused;  /* files that cannot be opened */
	uint32_t nr_queue, cap_queue;
	uint32_t nr_elsewhere; /* entries that no watch tells of, at least */
	DIR *scanning;
	uint32_t scan;
	bool first_scan; /* what it finds was there before */
	bool leave_old;  /* what was there before is not to be read */
	bool rescan_wanted;
	bool has_rings; /* or had */
	ns_t scan_begun_ns, scan_due_ns;
	struct watch watch;
	ev_timer look;
};

/* What struct source_ops has. */
bool dir_open(struct source *source, char *why, size_t why_bytes);
void dir_start(struct source *source);
bool dir_work(struct source *source, size_t budget);
void dir_leave_old(struct source *source);
void dir_close(struct source *source);

/* It is to be read; forget it. */
void dir_entry_queue(struct dir *dir, struct entry *entry);
void dir_entry_drop(struct dir *dir, struct entry *entry);

/* Let go of those ring files that are over by now. */
void dir_rings_look(struct dir *dir);

#endif
