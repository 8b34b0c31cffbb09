/* SPDX-License-Identifier: MIT */
/*
 * Every bound of the model, with its unit. Each has a counter in struct model_dropped that a
 * person can see. They hold where --max-processes bounds the model; with --once alone nothing
 * but the last group is bounded.
 */
#ifndef MONITOR_LIMITS_H
#define MONITOR_LIMITS_H

/* Bytes of the heap of a bounded model. Above this, processes are evicted as by --max-processes. */
#define MAX_MODEL_BYTES ((size_t)256 << 20)
/* Items that a list of one process keeps, the newest ones. */
#define MAX_LIST_ITEMS 10000u
/* Threads of one process beyond that list that are told apart, so that each is counted once. */
#define MAX_CROWD_NAMES 100000u
/* Rows of the timings, (category, label) pairs; the rest is under "(other)". */
#define MAX_TIMING_ROWS 4096u
/* Cells below them: (category, label, nesting, depth). */
#define MAX_TIMING_CELLS 65536u
/* (name, depth) of the commands of processes that have left; the rest is under "(other)". */
#define MAX_COMMAND_CELLS 4096u
/* Event names that are no Git event's; the rest is under "(other)". */
#define MAX_EVENT_NAMES 4096u
/* Region events of a process's first thread that its ledger keeps; beyond, the older half is made
 * coarser. */
#define MAX_LEDGER_ENTRIES 65536u
/* Region nodes of one thread; the rest is under "(other)". */
#define MAX_THREAD_NODES 10000u
/* SIDs of evicted processes that are remembered, so that a late event makes no new process. */
#define MAX_EVICTED_SIDS 1000000u

/* Regions whose durations are kept one by one, where that is asked for; the newest ones. */
#define MAX_REGION_SAMPLES 65536u

/* Things whose durations are remembered: 300 bytes each. With --once, too. */
#define MAX_USUAL_KEYS 4096u

/* Nesting and depth from which timings are kept together: deeper ones are not told apart. */
#define MAX_CELL_NESTING 255
#define MAX_CELL_DEPTH   255

/* Memory: what the screen keeps by default. */
#define DEFAULT_HISTORY_BYTES (256u << 20)
#define DEFAULT_MAX_PROCESSES 10000u
/* Interned text: 16 million symbols, or this many bytes where the model is bounded. */
#define MAX_INTERN_BYTES (64u << 20)

#endif
