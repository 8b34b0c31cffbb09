/* SPDX-License-Identifier: MIT */
/*
 * Statistics by command: how many processes of a name there were, how long they ran, how many
 * failed. Of those that are kept and, by name, of those that have left the model, so that the
 * figures are whole however few are kept. Plain rows, for a pane, for reports, and for whoever
 * asks what is usual for a command. One thread; 0.1 us a process.
 */
#ifndef MONITOR_COMMANDS_H
#define MONITOR_COMMANDS_H

#include "engine/base/buf.h"
#include "engine/base/slots.h"
#include "monitor/model/model.h"

/* What they are grouped by; the name is that of the process, as it came. */
enum commands_by {
	COMMANDS_BY_NAME,
	COMMANDS_BY_ARGUMENT, /* the name and the first argument that is no option: `fetch r3` */
	COMMANDS_BY_WORKTREE,
	COMMANDS_BY_HOST,
	COMMANDS_BY_AGENT,
	COMMANDS_BY_EXE,
	NR_COMMANDS_BY
};

struct command {
	uint64_t id;      /* of its group: the same in every model of a run */
	const char *text; /* borrowed until the next commands_make(); NULL: it has none */
	size_t len;
	uint64_t count;   /* those that have ended */
	uint64_t running; /* these are in no other figure */
	uint64_t failed;  /* exited with a code other than 0 */
	uint64_t timed;   /* of `count`: how long they ran is known */
	ns_t total;
	ns_t min, max;           /* NS_NONE without any timed */
	ns_t last;               /* wall time of the last event of one that has ended; NS_NONE */
	uint32_t first, nr_kept; /* private: the durations of those that are kept */
	uint32_t first_left;     /* private: of those that have left the model, the last cell + 1 */
};

#define COMMANDS_NAMED 64

struct commands {
	struct command *items; /* ro: in the order in which they were found */
	uint32_t nr, cap;
	enum commands_by by; /* private, as all below */
	struct tr2_slots by_id;
	int64_t depth;
	uint32_t *groups; /* of each process, by the order of slots: number of its row */
	ns_t *durations;
	uint32_t nr_groups, cap_groups, cap_durations;
	char *texts; /* of groups whose text is put together */
	uint32_t nr_texts, cap_texts;
	uint32_t *left; /* by cell of the model: the one before of the same row + 1; 0 */
	uint32_t cap_left;
	struct commands_named {
		sym_t name;
		uint32_t row;    /* + 1; 0: none */
	} named[COMMANDS_NAMED]; /* rows that were found last, by name */
	uint64_t *sums;          /* a histogram; zeros but from sums_min to sums_max */
	ns_t sums_min, sums_max;
	uint32_t summed; /* the row that it is of + 1; 0: none as it is now */
};

/* Which processes count. */
struct commands_of {
	const struct model *model; /* settled */
	int64_t depth;             /* the deepest; -1: all */
	/* NULL: all. With it, or grouped by anything but the name, only those count that are kept. */
	bool (*keep)(void *data, const struct model *model, uint32_t slot);
	void *keep_data;
};

/* Fill in `out`, which is all zeros or was filled in before. */
void commands_make(struct commands *out, const struct commands_of *of, enum commands_by by);

/*
 * The nearest-rank quantile of a row (0 < q <= 1), at most 1 % off; NS_NONE without any timed. The
 * model must be as it was.
 */
ns_t commands_quantile(struct commands *commands, const struct model *model, uint32_t row,
		       double q);

/* Its histogram (hist.h), valid until the next call of this or of commands_quantile(). */
const uint64_t *commands_sums(struct commands *commands, const struct model *model, uint32_t row);

/* Append what the group of a process is called; "(none)" where it has no name. */
void commands_say_group(const struct model *model, const struct process *process,
			enum commands_by by, struct tr2_buf *out);

/* The group that a process is in: the id of its row. */
uint64_t commands_group(const struct model *model, const struct process *process,
			enum commands_by by);

void commands_release(struct commands *commands);

#endif
