/* SPDX-License-Identifier: MIT */
/*
 * Merge the region trees or CPU samples of a scope into one tree, and lay it out as a flame graph.
 *
 *   flame_make()    model -> nodes: equal paths (process, thread, regions or stack) become one node
 *   flame_layout()  a top node -> its subtree level by level, each node with x0..x1 in 0..1
 *   flame_cells()   x0..x1 -> cells of a row
 *
 * A node's width is its time, or the sum of its children's widths if that is more, for example
 * because child processes overlap.
 *
 * In FLAME_PROCESS, FLAME_TREE and FLAME_ALL, the outermost regions of a process's main thread
 * (process_main_thread()) are direct children of its node; other threads are nodes. One thread.
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
	/* the CPU samples of a process; `total` and `self` of nodes are numbers of samples */
	FLAME_SAMPLES,
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
	/* hash of the node's path */
	uint64_t id;
	/* indexes of the node's parent, first child and next sibling; FLAME_NONE: none */
	uint32_t parent, child, sibling;
	/* one of the processes that are merged in a process node */
	uint32_t slot;
	uint8_t kind; /* enum flame_kind */
	/* level in the layout, 0 for the top node */
	uint16_t level;
	/* name of the node; for a region its category and label; for a stack frame the symbol of
	 * the whole stack, and the offset of the frame's text in it */
	sym_t a, b;
	uint16_t frame_len;
	/* number of processes, threads, completed regions or CPU samples merged in the node */
	uint64_t count;
	uint32_t nr_open;   /* of a process or region node: number of live ones merged in it */
	uint32_t nr_failed; /* of a process node: number that failed or died by a signal */
	/* times in ns, of live regions up to process_now(); for FLAME_SAMPLES, numbers of
	 * samples */
	ns_t total, self;
	/* width of the node: `total`, or `inner` if that is more */
	double room;
	double inner;  /* sum of the children's widths */
	double x0, x1; /* left and right end of the node in the layout, from 0 to 1 */
};

struct flame {
	/* ro: if nr > 0, nodes[0] is the node of the whole scope */
	struct flame_node *nodes;
	uint32_t nr, cap;
	struct tr2_hash_index by_id; /* private */
	/* ro: indexes of the nodes of the layout, by level, then from left to right */
	uint32_t *order;
	uint32_t nr_order;
	/* ro: index in `order` at which each level begins */
	uint32_t starts[FLAME_MAX_LEVELS + 1];
	int nr_levels;
	/* ro: not 0 if FLAME_MAX_NODES, a limit of the analysis or (except for FLAME_REGION) its
	 * filter left something out */
	uint32_t nr_hidden;
	bool live; /* ro: a process, thread or region of the graph is live */
};

struct flame_of {
	enum flame_scope scope;
	/* for FLAME_REGION: the region, in one process or several */
	sym_t category, label;
	sym_t thread; /* for FLAME_THREAD: name of the thread of the process */
};

/*
 * True if the process has CPU samples (flame_is_sample()) and the format of its trace is not EVENT.
 */
bool flame_has_samples(const struct model *model, const struct process *process);

/*
 * True if the data item is a CPU sample: data of category `cpu samples`. Its key is the stack,
 * outermost function first, joined by `;`; its value is the count.
 */
bool flame_is_sample(const struct model *model, const struct data_item *item);
int64_t flame_sample_count(const struct model *model, const struct data_item *item);

/* Return the text of a FLAME_NODE_FRAME, valid as long as the model. */
const char *flame_frame(const struct model *model, const struct flame_node *node, size_t *len);

/* Build the nodes, with the limits, process and filter of `what`. */
void flame_make(struct flame *flame, const struct analysis *what, const struct flame_of *of);

/* Lay out the subtree of node `top` from 0 to 1; the widest children of a node come first. */
void flame_layout(struct flame *flame, uint32_t top);

/* Get the cells [from, to) of a node in a row of `cols` cells; empty if the node is too narrow. */
void flame_cells(const struct flame_node *node, int cols, int *from, int *to);

uint32_t flame_find(const struct flame *flame, uint64_t id);

void flame_release(struct flame *flame);

#endif
