/* SPDX-License-Identifier: MIT */
/* Kinds of sources and the specs that name sources. Any thread. */
#ifndef MONITOR_SOURCE_KIND_H
#define MONITOR_SOURCE_KIND_H

#include "monitor/base/word.h"

enum source_kind {
#define SOURCE(ID, spec, help, ops) SOURCE_##ID,
#include "monitor/source/sources.def"
	NR_SOURCES
};

extern const struct word source_words[NR_SOURCES];

/* Return the kind of source that `spec` names. Sets `*path` to the path, or the rest of a URL,
 * within `spec`; NULL: neither. */
enum source_kind source_kind_of(const char *spec, const char **path);

/*
 * Return the path within `target` if both Git, as trace2.eventTarget, and trace2top, as a source,
 * accept it; else NULL.
 */
const char *source_target_path(const char *target);

/* Return the spec that names a stream socket, for trace2top and for Git; malloc()ed. */
char *source_socket_spec(const char *path);

#endif
