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
	FLAME_SAMPLES, /* the CPU samples of a process; total and self are counts, not times */
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
	uint32_t slot;                   /* one of the processes merged in a process node */
	uint8_t kind;                    /* enum flame_kind */
	uint16_t level;                  /* set by flame_layout(): 0 for the top */
	sym_t a, b; /* name; for a region category and label; for a frame the location of its
		     * text: the symbol of a folded stack, and offset and length in it */
	uint16_t frame_len;
	uint64_t count;     /* number of processes, threads, or completed regions */
	uint32_t nr_open;   /* number of live regions or processes in it */
	uint32_t nr_failed; /* processes */
	ns_t total, self;   /* as in the report, plus open regions up to now */
	double room;        /* ns: total, or the sum of the children's widths if that is more */
	double inner;       /* ns: sum of the children's widths */
	double x0, x1;      /* set by flame_layout() */
};

struct flame {
	struct flame_node *nodes; /* ro: [0] is the node of the scope, if nr */
	uint32_t nr, cap;
	struct tr2_hash_index by_id; /* private */
	uint32_t *order;             /* ro: laid out nodes by level, left to right */
	uint32_t nr_order;
	uint32_t starts[FLAME_MAX_LEVELS + 1]; /* ro: index in `order` of each level */
	int nr_levels;
	uint32_t nr_hidden; /* ro: processes and nodes over the limits */
	bool live;          /* ro: something in it is live */
};

/* Scope of a flame graph. */
struct flame_of {
	enum flame_scope scope;
	sym_t category, label; /* FLAME_REGION: all its occurrences in the process, or in all */
	sym_t thread;          /* FLAME_THREAD: in the process */
};

/*
 * True if the process has CPU samples: data of category `cpu samples` with folded stack and count.
 */
bool flame_has_samples(const struct model *model, const struct process *process);

/*
 * True if the datum is a sample. Its key is then the stack, outermost first, joined by `;`, and its
 * value the count.
 */
bool flame_is_sample(const struct model *model, const struct data_item *item);
int64_t flame_sample_count(const struct model *model, const struct data_item *item);

/* The text of a FLAME_NODE_FRAME; valid as long as the model. */
const char *flame_frame(const struct model *model, const struct flame_node *node, size_t *len);

/* Build from the model, with the limits, process and filter of `what`. */
void flame_make(struct flame *flame, const struct analysis *what, const struct flame_of *of);

/* Lay out the subtree of `top`, widest first, so that x0..x1 fill 0..1. */
void flame_layout(struct flame *flame, uint32_t top);

/* The cells [from, to) of a row of `cols` that a node covers; empty if it is too narrow. */
void flame_cells(const struct flame_node *node, int cols, int *from, int *to);

/* The node with an id, or FLAME_NONE. */
uint32_t flame_find(const struct flame *flame, uint64_t id);

void flame_release(struct flame *flame);

#endif
