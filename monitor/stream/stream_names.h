/* SPDX-License-Identifier: MIT */
/* Base names of streams, kept until stream_names_release(). For the intake thread, or others while
 * it does not run. */
#ifndef MONITOR_STREAM_NAMES_H
#define MONITOR_STREAM_NAMES_H

#include <stdint.h>

#include "engine/base/intern.h"

struct stream_name {
	/* rw: counter of processes in streams of that name (struct reader_stream) */
	uint32_t nr_processes;
	char text[];
};

struct stream_names {
	struct tr2_intern names;    /* private */
	struct stream_name **named; /* private: by symbol */
	uint32_t nr_named;
};

void stream_names_init(struct stream_names *names);
void stream_names_release(struct stream_names *names);
/* Return the entry of the base name of `path`, without a suffix such as ".gz". */
struct stream_name *stream_names_get(struct stream_names *names, const char *path);

#endif
