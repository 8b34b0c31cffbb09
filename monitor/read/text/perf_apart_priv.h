/* SPDX-License-Identifier: MIT */
/* What perf_apart.c (the living, the held) and perf_choose.c (whose line is it?) share. */
#ifndef MONITOR_PERF_APART_PRIV_H
#define MONITOR_PERF_APART_PRIV_H

#include "engine/base/buf.h"
#include "monitor/read/text/perf_apart.h"
#include "monitor/read/text/perf_line.h"

/* A start whose command line is long is late itself. */
#define BIRTH_LATE_NS (100 * NS_PER_MS)
/* A version waits for its start: so many lines, so long. */
#define HELD_LINES 64
#define HELD_NS    (100 * NS_PER_MS)

struct held {
	bool is_version;
	uint32_t depth;
	ns_t wall_ns;
	char *line;
	size_t len;
};

struct depth {
	struct text_process **v; /* by birth */
	uint32_t nr, cap;
};

struct perf_apart {
	struct text_source *source;
	struct depth depths[TEXT_MAX_DEPTH + 1];
	struct text_process *silent, *latest; /* the living, by silence */
	uint32_t nr_living;
	struct text_process *ended[TEXT_MAX_ENDED];
	unsigned next_ended;
	struct held held[HELD_LINES + 1];
	unsigned nr_held;
	uint32_t nr_threads, nr_children; /* of all */
	uint64_t turn;                    /* of lines */
	size_t bytes;
	struct tr2_buf words; /* a command line, decoded */
};

void perf_child_hashes(struct perf_apart *a, const struct text_record *rec,
		       struct text_child *child);
void perf_words_keep(struct perf_apart *a, struct text_process *p, const struct text_record *rec);
bool perf_is_sum(unsigned kind);
struct text_process *perf_by_clue(const struct perf_apart *a, const struct text_record *rec,
				  bool must_have_clue);
/* When its process was born, by a line; INT64_MAX: it does not say. */
ns_t perf_birth_of(const struct text_record *rec);
/* When it was born at the latest. */
ns_t perf_born_by(const struct text_record *rec);
struct text_process *perf_choose(const struct perf_apart *a, const struct text_record *rec,
				 ns_t birth);
struct text_process *perf_choose_parent(struct perf_apart *a, uint32_t at_depth,
					const struct text_late *argv);

#endif
