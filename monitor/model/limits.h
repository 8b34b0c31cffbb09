/* SPDX-License-Identifier: MIT */
/*
 * The bounds of the model. Each has a counter in struct model_dropped that the program shows. All
 * of them apply if --max-processes bounds the model; with --once alone only the last group applies.
 */
#ifndef MONITOR_LIMITS_H
#define MONITOR_LIMITS_H

/* Heap size of a bounded model above which processes are evicted, if its copies are not bounded by
 * a history. */
#define MAX_MODEL_BYTES ((size_t)256 << 20)
/* The same for a small history; see lookback_model_bytes(). */
#define MIN_MODEL_BYTES ((size_t)16 << 20)
/* Maximum number of items per list of a process; the newest are kept. */
#define MAX_LIST_ITEMS 10000u
/*
 * Threads of a process that do not fit into its list but are recognised by name, so that each is
 * counted once.
 */
#define MAX_CROWD_NAMES 100000u
/* Rows of the timings: (category, label) pairs. Regions of further pairs are counted under
 * "(other)". */
#define MAX_TIMING_ROWS 4096u
/* Cells of the timings: (category, label, nesting, depth). */
#define MAX_TIMING_CELLS 65536u
/* (name, depth) pairs for the commands of evicted processes. Commands of further pairs are
 * counted under "(other)". */
#define MAX_COMMAND_CELLS 4096u
/* Names of events that Git does not define. Events of further names are counted under "(other)". */
#define MAX_EVENT_NAMES 4096u
/*
 * Region events of a process's first thread that are kept on its time axis. If the list is full,
 * its older half is made coarser.
 */
#define MAX_LEDGER_ENTRIES 65536u
/* Nodes of a thread's region tree. Further regions are counted under "(other)". */
#define MAX_THREAD_NODES 10000u
/* Remembered SIDs of evicted processes, so that a late event does not create a process. */
#define MAX_EVICTED_SIDS 1000000u

/* Regions whose durations are kept individually, if the configuration requests it; the newest
 * are kept. */
#define MAX_REGION_SAMPLES 65536u

/* Number of regions, children and commands whose past durations are kept, 300 bytes each.
 * Applies with --once, too. */
#define MAX_USUAL_KEYS 4096u

/* Timings of a greater nesting or depth than this are counted as one. */
#define MAX_CELL_NESTING 255
#define MAX_CELL_DEPTH   255

/* Memory that the screen uses for looking back, by default. */
#define DEFAULT_HISTORY_BYTES (256u << 20)
#define DEFAULT_MAX_PROCESSES 10000u
/* Bytes of interned text if the model is bounded; otherwise the limit is 16 million symbols. */
#define MAX_INTERN_BYTES (64u << 20)

#endif
