/* SPDX-License-Identifier: MIT */
/*
 * Statistics per command: number of processes of a name, durations, failures. Includes processes
 * that were evicted from the model (by name), so that the figures are complete. Plain rows for a
 * pane, for reports, and for past durations of a command. One thread; 0.1 us per process.
 */
#ifndef MONITOR_COMMANDS_H
#define MONITOR_COMMANDS_H

#include "engine/base/buf.h"
#include "engine/base/hash_index.h"
#include "monitor/model/model.h"

/* How processes are grouped. The name is the process's name as reported. */
enum commands_by {
	COMMANDS_BY_NAME,
	COMMANDS_BY_ARGUMENT, /* the name and the first argument that is not an option: `fetch
			       * r3` */
	COMMANDS_BY_WORKTREE,
	COMMANDS_BY_HOST,
	COMMANDS_BY_AGENT,
	COMMANDS_BY_EXE,
	NR_COMMANDS_BY
};

struct command {
	uint64_t id;      /* of the group: the same in every model of a run */
	const char *text; /* borrowed until the next commands_make(); NULL: none */
	size_t len;
	uint64_t count;   /* processes that have ended */
	uint64_t running; /* not included in any other figure */
	uint64_t failed;  /* exit code other than 0 */
	uint64_t timed;   /* of `count`: the duration is known */
	ns_t total;
	ns_t min, max;           /* NS_NONE if `timed` is 0 */
	ns_t last;               /* wall time of the last event of a process that has ended;
				  * NS_NONE */
	uint32_t first, nr_kept; /* private: durations of processes in the model */
	uint32_t first_left;     /* private: evicted processes: last cell + 1 */
};

#define COMMANDS_NAMED 64

struct commands {
	struct command *items; /* ro: in order of first occurrence */
	uint32_t nr, cap;
	enum commands_by by; /* private, as all below */
	struct tr2_hash_index by_id;
	int64_t depth;
	uint32_t *groups; /* row number of each process, by slot order */
	ns_t *durations;
	uint32_t nr_groups, cap_groups, cap_durations;
	char *texts; /* texts of groups with composed names */
	uint32_t nr_texts, cap_texts;
	uint32_t *left; /* by cell of the model: previous cell of the same row + 1; 0: none */
	uint32_t cap_left;
	struct commands_named {
		sym_t name;
		uint32_t row;    /* + 1; 0: none */
	} named[COMMANDS_NAMED]; /* recently found rows, by name */
	uint64_t *sums;          /* a histogram; zero outside sums_min..sums_max */
	ns_t sums_min, sums_max;
	uint32_t summed; /* the row of the histogram + 1; 0: out of date */
};

/* Selects the processes to count. */
struct commands_of {
	const struct model *model; /* settled */
	int64_t depth;             /* maximum depth; -1: all */
	/* NULL: all. If set, or if not grouped by name only, evicted processes are not counted. */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
};

/* Fill `out`, which must be all zero or filled before. */
void commands_make(struct commands *out, const struct commands_of *of, enum commands_by by);

/*
 * The nearest-rank quantile of a row (0 < q <= 1), accurate to 1 %; NS_NONE if `timed` is 0. The
 * model must not have changed.
 */
ns_t commands_quantile(struct commands *commands, const struct model *model, uint32_t row,
		       double q);

/*
 * The row's histogram (hist.h), valid until the next call of this function or commands_quantile().
 */
const uint64_t *commands_sums(struct commands *commands, const struct model *model, uint32_t row);

/* Append the name of a process's group; "(none)" if it has no name. */
void commands_format_group(const struct model *model, const struct process *process,
			   enum commands_by by, struct tr2_buf *out);

/* The id of the row of a process's group. */
uint64_t commands_group(const struct model *model, const struct process *process,
			enum commands_by by);

void commands_release(struct commands *commands);

#endif
