/* SPDX-License-Identifier: MIT */
/* Private interface of perf_apart.c and perf_choose.c. */
#ifndef MONITOR_PERF_APART_PRIV_H
#define MONITOR_PERF_APART_PRIV_H

#include "engine/base/buf.h"
#include "monitor/read/text/perf_apart.h"
#include "monitor/read/text/perf_line.h"

/* Tolerance for start times, in ns: a start line with a long command line is written late. */
#define BIRTH_LATE_NS (100 * NS_PER_MS)
/* Maximum number of held lines, and maximum time, in ns, from the oldest of them to a new line. */
#define HELD_LINES 64
#define HELD_NS    (100 * NS_PER_MS)

struct perf_held {
	bool is_version;
	uint32_t depth;
	ns_t wall_ns;
	char *line;
	size_t len;
};

struct depth {
	/* live processes, in order of their start time */
	struct text_process **v;
	uint32_t nr, cap;
};

struct perf_apart {
	struct text_source *source;
	struct depth depths[TEXT_MAX_DEPTH + 1];
	/* both ends of the list of live processes, in order of their last line */
	struct text_process *silent, *latest;
	uint32_t nr_living;
	struct text_process *ended[TEXT_MAX_ENDED];
	unsigned next_ended;
	struct perf_held held[HELD_LINES + 1];
	unsigned nr_held;
	uint32_t nr_threads, nr_children; /* of all live processes together */
	/* number of the last line that was assigned to a process */
	uint64_t turn;
	size_t bytes;
	struct tr2_buf words; /* buffer for a decoded command line */
};

void perf_child_hashes(struct perf_apart *a, const struct text_record *rec,
		       struct text_child *child);
void perf_words_keep(struct perf_apart *a, struct text_process *p, const struct text_record *rec);
bool perf_is_sum(unsigned kind);
struct text_process *perf_by_clue(const struct perf_apart *a, const struct text_record *rec,
				  bool must_have_clue);
/* Return the start time of the line's process; INT64_MAX: unknown. */
ns_t perf_birth_of(const struct text_record *rec);
/* Return the latest possible start time of the line's process; INT64_MAX: unknown. */
ns_t perf_born_by(const struct text_record *rec);
struct text_process *perf_choose(const struct perf_apart *a, const struct text_record *rec,
				 ns_t birth);
struct text_process *perf_choose_parent(struct perf_apart *a, uint32_t at_depth,
					const struct text_late *argv);

#endif
