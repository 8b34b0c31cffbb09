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

/* Spec pattern and help of each kind of source, in the order of sources.def. */
extern const struct word source_words[NR_SOURCES];

/* Return the kind of source that `spec` names. Sets `*path` to the path, or the rest of a URL,
 * within `spec`, or to NULL if it has neither. */
enum source_kind source_kind_of(const char *spec, const char **path);

/*
 * Return the path within `target`, a value of trace2.eventTarget, if Git accepts that value and
 * trace2top accepts the same text as a source; else return NULL.
 */
const char *source_target_path(const char *target);

/* Return the text that names a stream socket at `path`, both as a source of trace2top and as a
 * trace target of Git; malloc()ed. */
char *source_socket_spec(const char *path);

#endif
