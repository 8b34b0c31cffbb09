/* SPDX-License-Identifier: MIT */
/* Names of sources, as the user gives them. Any thread. */
#ifndef MONITOR_SOURCE_KIND_H
#define MONITOR_SOURCE_KIND_H

#include "monitor/base/word.h"

enum source_kind {
#define SOURCE(ID, spec, help, ops) SOURCE_##ID,
#include "monitor/source/sources.def"
	NR_SOURCES
};

/* Words of the kinds of sources, as in sources.def. */
extern const struct word source_words[NR_SOURCES];

/* Return the kind of the source `spec`; sets `*path` to the path within it, NULL if none. */
enum source_kind source_kind_of(const char *spec, const char **path);

/*
 * Return the path within `target` if Git accepts it as a trace target and trace2top reads the
 * source of the same name; else NULL.
 */
const char *source_target_path(const char *target);

/* Return the spec of a stream socket at `path`, for sources and Git; malloc()ed. */
char *source_socket_spec(const char *path);

#endif
