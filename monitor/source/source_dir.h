/* SPDX-License-Identifier: MIT */
/* Private interface of the directory sources: source_dir.c, and source_rings.c for ring files. */
#ifndef MONITOR_SOURCE_DIR_H
#define MONITOR_SOURCE_DIR_H

#include <dirent.h>

#include "monitor/source/source.h"
#include "monitor/source/source_entries.h"
#include "monitor/source/source_watch.h"

struct dir {
	struct source *source;
	int fd; /* descriptor of the directory; -1: it does not exist */
	dev_t dev;
	ino_t ino;
	struct entries files;
	struct entry **queue; /* files to read; the last one is read first */
	uint32_t nr_refused;  /* number of files that cannot be opened */
	uint32_t nr_queue, cap_queue;
	uint32_t nr_elsewhere; /* number of entries that the watch does not cover */
	DIR *scanning;
	uint32_t scan;
	bool first_scan; /* the first scan: files existed before trace2top started */
	bool leave_old;  /* skip existing data of files */
	bool rescan_wanted;
	bool has_rings; /* the directory has or had ring files */
	ns_t scan_begun_ns, scan_due_ns;
	struct watch watch;
	ev_timer look;
};

/* Members of struct source_ops for both kinds of directories. */
bool dir_open(struct source *source, char *why, size_t why_bytes);
void dir_start(struct source *source);
bool dir_work(struct source *source, size_t budget);
void dir_leave_old(struct source *source);
void dir_close(struct source *source);

/* Queue the file of an entry for reading. */
void dir_entry_queue(struct dir *dir, struct entry *entry);

/*
 * Stop following the ring files that have ended. If the source is hidden, also remove them: they
 * were written only for trace2top.
 */
void dir_rings_check(struct dir *dir);

#endif
