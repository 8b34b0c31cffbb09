/* SPDX-License-Identifier: MIT */
/*
 * Statistics per group of processes, such as all of one name: their number, durations and failures.
 * One thread.
 */
#ifndef MONITOR_COMMANDS_H
#define MONITOR_COMMANDS_H

#include "engine/base/buf.h"
#include "engine/base/hash_index.h"
#include "monitor/attribute/attribute.h"
#include "monitor/model/model.h"

/*
 * Attributes by whose values processes are grouped. Their texts are borrowed and must outlive the
 * rows.
 */
#define COMMANDS_MAX_BY 4
struct commands_by {
	struct attribute_ref of[COMMANDS_MAX_BY];
	unsigned nr;
};

static inline struct commands_by commands_by(enum attribute attribute)
{
	return (struct commands_by){ .of = { { .attribute = attribute } }, .nr = 1 };
}
#define COMMANDS_BY_NAME commands_by(ATTRIBUTE_NAME)

static inline bool commands_is_by(const struct commands_by *by, enum attribute attribute)
{
	return by->nr == 1 && by->of[0].attribute == attribute;
}

/* Parse at most COMMANDS_MAX_BY attributes, each with its key if it has one, separated by commas.
 * Borrows `text`. Returns NULL if valid, else the start of the attribute that is invalid or one
 * too many. */
const char *commands_by_parse(struct commands_by *out, const char *text);
/* Append the attributes in the form that commands_by_parse() accepts. */
void commands_by_format(const struct commands_by *by, struct tr2_buf *out);

struct command {
	uint64_t id; /* id of the group; the same in every model of a run of trace2top */
	/* values of the group's attributes, joined by " · "; NULL: none; valid until the next
	 * commands_make() */
	const char *text;
	size_t len;
	uint64_t count; /* number of processes that are not running */
	/* number of running processes; no other figure includes running processes */
	uint64_t running;
	uint64_t failed; /* number of processes with an exit code other than 0 */
	uint64_t timed;  /* number of processes in `count` with a known duration */
	ns_t total;
	ns_t min, max; /* shortest and longest duration; NS_NONE: `timed` is 0 */
	/* latest `end` of the processes in `count`; NS_NONE: unknown */
	ns_t last;
	/* one of the group's processes; SLOT_NONE: all were evicted */
	uint32_t slot;
	bool is_kept;
	uint32_t first, nr_kept; /* private: range of the row's durations */
	/* private: index + 1 of the row's first cell of evicted processes with durations; 0:
	 * none */
	uint32_t first_left;
};

#define COMMANDS_MAX_TEXT 512u

#define COMMANDS_NAMED 64

struct commands {
	struct command *items; /* ro: rows; groups with evicted processes first */
	uint32_t nr, cap;
	struct commands_by by; /* ro; all members after it are private */
	uint64_t by_hash;
	struct tr2_buf line;
	struct tr2_hash_index by_id;
	int64_t depth;
	/* row of each process, in the order of slots; UINT32_MAX: see commands_row_of_timed() */
	uint32_t *groups;
	ns_t *durations;
	uint32_t nr_groups, cap_groups, cap_durations;
	char *texts; /* texts of the groups, unless grouped by name alone */
	uint32_t nr_texts, cap_texts;
	/* per cell of evicted processes with durations: index + 1 of the row's next one; 0: none */
	uint32_t *left;
	uint32_t cap_left;
	struct commands_named {
		sym_t name;
		uint32_t row;
	} named[COMMANDS_NAMED]; /* cache that finds a row by the symbol of its name */
	/* histogram of the durations of one row; zero outside the range sums_min..sums_max */
	uint64_t *sums;
	ns_t sums_min, sums_max;
	uint32_t summed; /* index + 1 of the row whose histogram `sums` is; 0: none */
};

struct commands_of {
	const struct model *model; /* settled */
	int64_t depth;             /* maximum depth of a process that is counted; -1: no limit */
	/* Selects processes within `depth`; NULL: all. Evicted processes are counted only if `keep`
	 * is NULL and processes are grouped by name alone. */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
};

/* `out` must be all zeros or the result of an earlier call. */
void commands_make(struct commands *out, const struct commands_of *of, struct commands_by by);

/*
 * Return the nearest-rank quantile (0 < q <= 1) of a row's durations, accurate to 1 %; NS_NONE if
 * `timed` is 0. The model must not have changed since commands_make().
 */
ns_t commands_quantile(struct commands *commands, const struct model *model, uint32_t row,
		       double q);

/*
 * Return the histogram (hist.h) of a row's durations, valid until the next call with `commands`.
 */
const uint64_t *commands_sums(struct commands *commands, const struct model *model, uint32_t row);

/* Append the name of the group of a process; "(none)" if the group has no name. */
void commands_format_group(const struct model *model, const struct process *process,
			   struct commands_by by, struct tr2_buf *out);

struct command_group {
	uint64_t id;
	const char *text; /* NULL: the group's attributes have no values */
	size_t len;
};

/* Return the group of a process. The text of the group is borrowed from the model or from `line`,
 * which the call may overwrite. */
struct command_group commands_group_of(const struct model *model, const struct process *process,
				       const struct commands_by *by, struct tr2_buf *line);

uint64_t commands_group(const struct model *model, const struct process *process,
			struct commands_by by);

/*
 * Return the row of the process that is number `index` in the order of slots; SLOT_NONE if the
 * process is not counted, is running or has no known duration. The model must not have changed
 * since commands_make().
 */
uint32_t commands_row_of_timed(const struct commands *commands, uint32_t index);

void commands_release(struct commands *commands);

#endif
