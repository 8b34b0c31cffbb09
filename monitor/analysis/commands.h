/* SPDX-License-Identifier: MIT */
/*
 * Statistics per command: number of processes of a name, their durations and failures. Includes
 * processes that were evicted from the model (by name), so that the figures are complete. One
 * thread; 0.1 us per process.
 */
#ifndef MONITOR_COMMANDS_H
#define MONITOR_COMMANDS_H

#include "engine/base/buf.h"
#include "engine/base/hash_index.h"
#include "monitor/attribute/attribute.h"
#include "monitor/model/model.h"

/*
 * How processes are grouped: by the values of one or more attributes. The texts of keys are
 * borrowed and must outlive the rows.
 */
#define COMMANDS_MAX_BY 4
struct commands_by {
	struct attribute_ref of[COMMANDS_MAX_BY];
	unsigned nr;
};

/* Group by one attribute without a key. By name, processes that left the model are included. */
static inline struct commands_by commands_by(enum attribute attribute)
{
	return (struct commands_by){ .of = { { .attribute = attribute } }, .nr = 1 };
}
#define COMMANDS_BY_NAME commands_by(ATTRIBUTE_NAME)

static inline bool commands_is_by(const struct commands_by *by, enum attribute attribute)
{
	return by->nr == 1 && by->of[0].attribute == attribute;
}

/* Parse "ATTRIBUTE[,ATTRIBUTE]": words of attributes that group, with their key if they have one.
 * Borrows `text`. Returns NULL, or the start of the part that is not valid. */
const char *commands_by_parse(struct commands_by *out, const char *text);
/* Append the attributes as commands_by_parse() accepts them. */
void commands_by_format(const struct commands_by *by, struct tr2_buf *out);

struct command {
	uint64_t id; /* id of the group: the same in every model of a run */
	/* values of the group, joined by " · ", or NULL; borrowed until the next commands_make() */
	const char *text;
	size_t len;
	uint64_t count;   /* processes that have ended */
	uint64_t running; /* running processes, which no other figure includes */
	uint64_t failed;  /* processes with an exit code other than 0 */
	uint64_t timed;   /* of `count`: the duration is known */
	ns_t total;
	ns_t min, max;           /* NS_NONE if `timed` is 0 */
	ns_t last;               /* wall time of the last event of a process that has ended;
				  * NS_NONE */
	uint32_t slot;           /* a process of the group; SLOT_NONE: all left the model */
	bool is_kept;            /* private: its text is in `texts` */
	uint32_t first, nr_kept; /* private: index of the durations of its processes */
	uint32_t first_left;     /* private: evicted processes: index of the last cell + 1 */
};

#define COMMANDS_NAMED 64

struct commands {
	struct command *items; /* ro: rows in order of first occurrence */
	uint32_t nr, cap;
	struct commands_by by; /* private, as all members below */
	uint64_t by_hash;
	struct tr2_buf line; /* the text of a group */
	struct tr2_hash_index by_id;
	int64_t depth;
	uint32_t *groups; /* row of each process, in the order of slots */
	ns_t *durations;
	uint32_t nr_groups, cap_groups, cap_durations;
	char *texts; /* texts of groups that are not by name */
	uint32_t nr_texts, cap_texts;
	/* by cell of the model's evicted commands: previous cell of the same row + 1; 0: none */
	uint32_t *left;
	uint32_t cap_left;
	struct commands_named {
		sym_t name;
		uint32_t row;    /* index of the row + 1; 0: none */
	} named[COMMANDS_NAMED]; /* cache of rows by the symbol of the name */
	uint64_t *sums;          /* the histogram of one row; zero outside sums_min..sums_max */
	ns_t sums_min, sums_max;
	uint32_t summed; /* index + 1 of the row that `sums` is of; 0: none */
};

/* Selects the processes that commands_make() counts. */
struct commands_of {
	const struct model *model; /* the model; model_settle() was called */
	int64_t depth;             /* maximum depth; -1: all */
	/* Callback: true to count a process; NULL: all are counted. If set, or if not grouped by
	 * name only, evicted processes are not counted. */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
};

/* Compute the statistics in `out`, which must be all zeros or the result of an earlier call. */
void commands_make(struct commands *out, const struct commands_of *of, struct commands_by by);

/*
 * Return the nearest-rank quantile (0 < q <= 1) of a row's durations, accurate to 1 %; NS_NONE if
 * `timed` is 0. The model must not have changed.
 */
ns_t commands_quantile(struct commands *commands, const struct model *model, uint32_t row,
		       double q);

/*
 * Return the histogram (hist.h) of a row's durations, valid until the next call of this function or
 * commands_quantile().
 */
const uint64_t *commands_sums(struct commands *commands, const struct model *model, uint32_t row);

/* Append the name of a process's group; "(none)" if it has no name. */
void commands_format_group(const struct model *model, const struct process *process,
			   struct commands_by by, struct tr2_buf *out);

/* Return the id of the row that a process belongs to. */
uint64_t commands_group(const struct model *model, const struct process *process,
			struct commands_by by);

/* Return the row of a process; SLOT_NONE: it has none. The model must not have changed. */
uint32_t commands_row_of(const struct commands *commands, const struct model *model,
			 const struct process *process);

/*
 * Return the row of the process that is number `index` in the order of slots; SLOT_NONE if it is
 * not counted, is running or has no known duration. The model must not have changed.
 */
uint32_t commands_row_of_timed(const struct commands *commands, uint32_t index);

void commands_release(struct commands *commands);

#endif
