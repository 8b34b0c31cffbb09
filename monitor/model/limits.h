/* SPDX-License-Identifier: MIT */
/* Limits of the model. Unless stated otherwise, a maximum applies only if
 * model_config.max_processes is set. */
#ifndef MONITOR_LIMITS_H
#define MONITOR_LIMITS_H

/* Largest limit on the bytes of a model's heap, above which processes are evicted. */
#define MAX_MODEL_BYTES ((size_t)256 << 20)
/* Smallest limit on the bytes of a model's heap; see lookback_model_bytes(). */
#define MIN_MODEL_BYTES ((size_t)16 << 20)
/* Maximum number of items in a list (struct vec) of a process or thread, except `ledger`; also,
 * always, of open regions in `ledger`. */
#define MAX_LIST_ITEMS 10000u
/* Maximum number of threads of a process that are counted by name, although they do not fit into
 * its list. */
#define MAX_CROWD_NAMES 100000u
/* Maximum number of rows of the timings (pairs of category and label), without "(other)". Regions
 * with further pairs are counted under "(other)". */
#define MAX_TIMING_ROWS 4096u
/* Maximum number of cells of the timings, without one of "(other)". */
#define MAX_TIMING_CELLS 65536u
/* Maximum number of pairs of name and depth for which commands of evicted processes are counted.
 * Further ones are counted under "(other)". */
#define MAX_COMMAND_CELLS 4096u
/* Maximum number of names of events that Git does not define. Further ones are counted under
 * "(other)". */
#define MAX_EVENT_NAMES 4096u
/* Maximum number of region events on the time axis of a process. At that number, neighbouring
 * intervals in the older half are merged. */
#define MAX_LEDGER_ENTRIES 65536u
/* Maximum number of nodes of a thread's region tree. Further regions get no node. */
#define MAX_THREAD_NODES 10000u
/* Maximum number of SIDs of evicted processes that are remembered, so that a late event does not
 * create a process again. */
#define MAX_EVICTED_SIDS 1000000u

/* Maximum number of regions with individual durations, if model_config.samples is set. */
#define MAX_REGION_SAMPLES 65536u

/* Maximum number of regions, children and commands with past durations; each takes about 300 bytes.
 * Always applies. */
#define MAX_USUAL_KEYS 4096u

/* Maximum nesting and depth in timings and sums by command; greater values count as the maximum.
 * Always apply. */
#define MAX_CELL_NESTING 255
#define MAX_CELL_DEPTH   255

/* Default bytes of --history, without --once. */
#define DEFAULT_HISTORY_BYTES (256u << 20)
#define DEFAULT_MAX_PROCESSES 10000u
/* Maximum bytes of interned text. */
#define MAX_INTERN_BYTES (64u << 20)

#endif
