/* SPDX-License-Identifier: MIT */
/*
 * Directory sources: source_dir.c for traces, source_rings.c for the ring directories of sockets.
 */
#ifndef MONITOR_SOURCE_DIR_H
#define MONITOR_SOURCE_DIR_H

#include <dirent.h>

#include "monitor/source/source.h"
#include "monitor/source/source_entries.h"
#include "monitor/source/source_watch.h"

struct dir {
	struct source *source;
	int fd; /* descriptor; -1: the path names no directory now */
	dev_t dev;
	ino_t ino;
	struct entries files;
	struct entry **queue; /* entries whose files must be read; the last one is next */
	uint32_t nr_refused;
	uint32_t nr_queue, cap_queue;
	/* number of entries that are symbolic links */
	uint32_t nr_elsewhere;
	DIR *scanning;
	uint32_t scan;
	/* the first scan has not ended: files found now count as existing before the start */
	bool first_scan;
	bool leave_old; /* existing data must be skipped */
	bool rescan_wanted;
	bool has_rings; /* a ring file was read */
	ns_t scan_begun_ns, scan_due_ns;
	struct watch watch;
	ev_timer look;
};

bool dir_open(struct source *source, char *why, size_t why_bytes);
void dir_start(struct source *source);
bool dir_work(struct source *source, size_t budget);
void dir_leave_old(struct source *source);
void dir_close(struct source *source);

void dir_entry_queue(struct dir *dir, struct entry *entry);

/* Stop following ring files that have ended or are invalid. A hidden source also deletes those that
 * ended, because programs wrote them only for trace2top. */
void dir_rings_check(struct dir *dir);

#endif
