/* SPDX-License-Identifier: MIT */
/*
 * What the flame page draws, before it is drawn: the model's trees of regions merged into one
 * tree of a scope, and how much room each of its nodes has.
 *
 *   flame_make()    model -> nodes: equal paths (process, thread, regions) become one node
 *   flame_layout()  a node to be the top -> its subtree level by level, with x0..x1 in 0..1
 *   flame_cells()   x0..x1 -> cells of a row
 *
 * A node's room is its time, or that of its children where they are more: threads, child
 * processes and deviant traces overlap. So children never exceed their parent, whatever came,
 * and all rooms of one picture have one scale. The figures said beside are the true ones.
 *
 * The first thread's regions stand directly in their process; every other thread is a node.
 * One thread. Making it over 10,000 processes takes some 10 ms.
 */
#ifndef MONITOR_FLAME_H
#define MONITOR_FLAME_H

#include "engine/base/slots.h"
#include "monitor/analysis/analysis.h"

#define FLAME_NONE       UINT32_MAX
#define FLAME_MAX_NODES  50000u
#define FLAME_MAX_LEVELS 200

enum flame_scope {
	FLAME_PROCESS,
	FLAME_TREE,
	FLAME_ALL,
	FLAME_REGION,
	FLAME_THREAD,
	FLAME_SAMPLES, /* of the process, if it has some: total and self are counts, not times */
	NR_FLAME_SCOPES
};

enum flame_kind {
	FLAME_NODE_ALL,
	FLAME_NODE_PROCESS,
	FLAME_NODE_THREAD,
	FLAME_NODE_REGION,
	FLAME_NODE_FRAME
};

struct flame_node {
	uint64_t id;                     /* of its path: the same in every frame */
	uint32_t parent, child, sibling; /* indices, FLAME_NONE */
	uint32_t slot;                   /* a process: one of those that it stands for */
	uint8_t kind;                    /* enum flame_kind */
	uint16_t level;                  /* by flame_layout(): 0 for the top */
	sym_t a, b; /* name; of a region category and label; of a frame where its text is: the
			* symbol of a folded stack, and the offset and length in it */
	uint16_t frame_len;
	uint64_t count;     /* processes, threads, or completed regions */
	uint32_t nr_open;   /* live regions or processes among them, ticking */
	uint32_t nr_failed; /* processes */
	ns_t total, self;   /* as the report counts, and what is open now */
	double room;        /* ns: total, or the children's rooms where these are more */
	double inner;       /* ns: the children's rooms */
	double x0, x1;      /* by flame_layout() */
};

struct flame {
	struct flame_node *nodes; /* ro: [0] is the scope's own, if nr */
	uint32_t nr, cap;
	struct tr2_slots by_id; /* private */
	uint32_t *order;        /* ro: the laid out nodes level by level, from left to right */
	uint32_t nr_order;
	uint32_t starts[FLAME_MAX_LEVELS + 1]; /* ro: where each level begins in order */
	int nr_levels;
	uint32_t nr_hidden; /* ro: processes and nodes beyond the limits */
	bool live;          /* ro: something in it ticks */
};

/* What a flame is of. */
struct flame_of {
	enum flame_scope scope;
	sym_t category, label; /* FLAME_REGION: all of it in the process, or in all */
	sym_t thread;          /* FLAME_THREAD: of the process */
};

/* Has the process CPU samples? They are data of category `cpu samples`: folded stack, count. */
bool flame_has_samples(const struct model *model, const struct process *process);

/* Is that one? Its key is the stack then, outermost first, joined by `;`; how often it was seen. */
bool flame_is_sample(const struct model *model, const struct data_item *item);
int64_t flame_sample_count(const struct model *model, const struct data_item *item);

/* The text of a FLAME_NODE_FRAME; valid as long as the model. */
const char *flame_frame(const struct model *model, const struct flame_node *node, size_t *len);

/* Gather from the model, within the limits, of the process and processes of `what`. */
void flame_make(struct flame *flame, const struct analysis *what, const struct flame_of *of);

/* Lay out the subtree of `top`: widest first, so that x0 and x1 fill 0..1. */
void flame_layout(struct flame *flame, uint32_t top);

/* The cells [from, to) of a row of `cols` that a node takes; none where it is too narrow. */
void flame_cells(const struct flame_node *node, int cols, int *from, int *to);

/* The node of an id, FLAME_NONE. */
uint32_t flame_find(const struct flame *flame, uint64_t id);

void flame_release(struct flame *flame);

#endif
