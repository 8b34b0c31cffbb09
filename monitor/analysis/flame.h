/* SPDX-License-Identifier: MIT */
/*
 * Layout of the flame page, without drawing: merges the region trees of a scope into one tree and
 * assigns each node a width.
 *
 *   flame_make()    model -> nodes: equal paths (process, thread, regions) become one node
 *   flame_layout()  a top node -> its subtree level by level, with x0..x1 in 0..1
 *   flame_cells()   x0..x1 -> cells of a row
 *
 * A node's width is its time, or the sum of its children if that is more: threads, child processes
 * and inconsistent traces overlap. So children never exceed their parent, and all widths of a
 * picture have the same scale. The printed figures are the real times.
 *
 * Regions of the first thread are direct children of their process; every other thread is a node.
 * One thread. Building it for 10,000 processes takes some 10 ms.
 */
#ifndef MONITOR_FLAME_H
#define MONITOR_FLAME_H

#include "engine/base/hash_index.h"
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
	FLAME_SAMPLES, /* the CPU samples of a process; `total` and `self` are counts, not times */
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
	uint64_t id;                     /* hash of the node's path: the same in every frame */
	uint32_t parent, child, sibling; /* indexes of nodes; FLAME_NONE: none */
	uint32_t slot;                   /* slot of one of the processes merged in a process node */
	uint8_t kind;                    /* enum flame_kind */
	/* set by flame_layout(): level in the layout; 0 for the top node */
	uint16_t level;
	/* name of the node; for a region: category and label; for a stack frame: where its text
	 * is, as the symbol of the whole stack, and offset and length in it */
	sym_t a, b;
	uint16_t frame_len;
	/* number of processes, threads or completed regions merged in the node */
	uint64_t count;
	uint32_t nr_open;   /* number of live regions or processes in the node */
	uint32_t nr_failed; /* number of failed processes */
	ns_t total, self;   /* time as in the report, plus open regions up to now */
	/* width of the node in ns: total, or the sum of the children's widths if that is more */
	double room;
	double inner;  /* sum of the children's widths, in ns */
	double x0, x1; /* set by flame_layout(): horizontal position, 0 to 1 */
};

struct flame {
	struct flame_node *nodes; /* ro: nodes; if nr > 0, [0] is the node of the whole scope */
	uint32_t nr, cap;
	struct tr2_hash_index by_id; /* private: finds a node by its id */
	uint32_t *order;             /* ro: nodes of the layout by level, left to right */
	uint32_t nr_order;
	uint32_t starts[FLAME_MAX_LEVELS + 1]; /* ro: index in `order` at which each level begins */
	int nr_levels;
	uint32_t nr_hidden; /* ro: number of processes and nodes beyond the limits */
	bool live;          /* ro: a process or region of the graph is live */
};

/* Scope of a flame graph. */
struct flame_of {
	enum flame_scope scope;
	/* FLAME_REGION: all occurrences of this region, in one process or in all */
	sym_t category, label;
	sym_t thread; /* FLAME_THREAD: this thread of the process */
};

/*
 * True if the process has CPU samples: data of category `cpu samples`, with a stack and a count.
 */
bool flame_has_samples(const struct model *model, const struct process *process);

/*
 * True if the data item is a CPU sample. Its key is then the stack, outermost function first,
 * joined by `;`, and its value the count.
 */
bool flame_is_sample(const struct model *model, const struct data_item *item);
int64_t flame_sample_count(const struct model *model, const struct data_item *item);

/* Return the text of a FLAME_NODE_FRAME; valid as long as the model. */
const char *flame_frame(const struct model *model, const struct flame_node *node, size_t *len);

/* Build the nodes from the model, with the limits, process and filter of `what`. */
void flame_make(struct flame *flame, const struct analysis *what, const struct flame_of *of);

/* Lay out the subtree of node `top`, widest first, so that x0..x1 fill 0..1. */
void flame_layout(struct flame *flame, uint32_t top);

/* Get the cells [from, to) that a node covers in a row of `cols` cells; empty if it is too
 * narrow. */
void flame_cells(const struct flame_node *node, int cols, int *from, int *to);

/* Return the node with an id, or FLAME_NONE. */
uint32_t flame_find(const struct flame *flame, uint64_t id);

void flame_release(struct flame *flame);

#endif
