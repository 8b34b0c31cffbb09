/* SPDX-License-Identifier: MIT */
/*
 * The intake: the thread that turns bytes of traces into batches of events. It owns an event loop
 * and all sources. While it runs, no other thread reads traces.
 *
 *   sockets, FIFOs, pipes --\
 *                            >-- splitter, reader --> batch --> journal
 *   files, directories -----/
 *
 * trace2top does not block the programs that write traces: everything that a program could block on
 * is read first, and that reading never waits for the journal, the model, the screen or the user.
 * Files and directories can wait. They are read within a budget, when nothing else is pending, and
 * only while the journal has space, so the journal drops none of their data.
 *
 * A batch is handed over when a round of reading ends. While bytes keep coming, and always with
 * `config.once`, it is handed over when it is full or INTAKE_HOLD_MS old.
 *
 * Only the thread that created the intake may call these functions, unless stated otherwise. Add
 * sources before intake_start().
 */
#ifndef MONITOR_INTAKE_H
#define MONITOR_INTAKE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/clock.h"
#include "engine/base/intern.h"
#include "monitor/base/tap.h"
#include "monitor/event/source_stats.h"
#include "monitor/history/journal.h"
#include "monitor/source/relay.h"
#include "monitor/source/source_config.h"
#include "monitor/source/source_kind.h"
#include "monitor/source/traced_command.h"

#define INTAKE_HOLD_MS 10

struct intake;

/* ---- functions for the thread that created the intake ---- */

/* Create an intake. `journal` and `syms` must outlive it. */
struct intake *intake_new(struct journal *journal, struct tr2_intern *syms,
			  const struct source_config *config);
/*
 * Stop the intake thread if it runs, close all sources and remove the sockets that they created.
 * Data that had arrived in sockets is in the journal afterwards. Statistics remain available.
 */
void intake_stop(struct intake *intake);
/* Free the intake. Calls intake_stop() first if it was not called. */
void intake_free(struct intake *intake);

/*
 * Add the source that `spec` names. Returns false with an error and advice in `why`. If its path
 * does not exist, that is an error with `config.once`; otherwise the source waits for the path. The
 * source is in the list of sources even after an error.
 */
bool intake_add(struct intake *intake, const char *spec, char *why, size_t why_bytes);

/*
 * Start a command whose trace goes to a private socket, and add the source that reads it. Forks, so
 * no thread may exist yet. Without `config.once` the command gets a pseudo-terminal of `cols` x
 * `rows`, whose output is always read. With `config.once` there is none: the command keeps standard
 * input, unless `config.keeps_input`, and its output goes to standard error.
 */
bool intake_add_command(struct intake *intake, char **argv, int cols, int rows, char *why,
			size_t why_bytes);

/*
 * Copy the bytes of every stream to `tap` before they are parsed. If `stored`, this includes the
 * bytes of files and directories, whose reading then waits until the tap has space; otherwise these
 * bytes are not copied. The tap must outlive the intake. At most TAPS_MAX taps.
 */
void intake_add_tap(struct intake *intake, struct tap *tap, bool stored);

/* Add a source that reads the output of a relay from the relay's descriptors. `spec` is the name of
 * the source. */
void intake_add_relay(struct intake *intake, const char *spec, const struct relay *relay);
/*
 * Return how far the clock of the relay's host is ahead of this host's clock, in ns; 0: there is no
 * relay, or no data has arrived. Any thread.
 */
ns_t intake_relay_skew(const struct intake *intake);

/* Start the intake thread. Signals are blocked in it (thread_signals_block()). */
void intake_start(struct intake *intake);

/*
 * True if, with `config.once`, every source has ended and all batches were handed over. Any thread.
 */
bool intake_is_done(const struct intake *intake);

/*
 * Skip unread data that existed before trace2top started, count it as left out, and continue with
 * new data. Any thread; returns before that is done.
 */
void intake_leave_old(struct intake *intake);

/* Notify the intake thread that the speed of the clock `config.replay` has changed. Any thread;
 * does not wait. */
void intake_replay_changed(struct intake *intake);

/*
 * With `config.once`: read sockets until they are empty, for a limited time, then end the sources
 * that would otherwise never end. Any thread; returns before that is done.
 */
void intake_drain(struct intake *intake);

/*
 * intake_suspend(): close listening sockets with their connections and remove their paths before
 * trace2top is stopped (Ctrl-Z), so that no traced program blocks on them. intake_resume(): create
 * the sockets again and record the time between as a gap in the journal. Both return after the
 * intake thread has done that, or at once if it does not run.
 */
void intake_suspend(struct intake *intake);
void intake_resume(struct intake *intake);

/* Return the number of sources, without hidden ones. Sources are numbered in the order in which
 * they were added. Any thread. */
int intake_nr_sources(const struct intake *intake);
/*
 * Copy the statistics of one source, or of all sources into a malloc()ed array of `*nr` items.
 * Takes a lock for a short time. Texts in the statistics are valid until the intake is freed.
 */
void intake_stats(struct intake *intake, int source, struct source_stats *out);
struct source_stats *intake_all_stats(struct intake *intake, int *nr);

/* True if a source reads the file, directory or socket at `path`. */
bool intake_has_path(const struct intake *intake, const char *path);

/* True if a source reads the directory at `path`, so that it reads files in it, too. */
bool intake_reads_directory(const struct intake *intake, const char *path);

/* ---- the command that trace2top or a relay runs; functions for any thread ---- */

/* These functions call those of traced_command.h with the command of intake_add_command(). */
enum command_state intake_command(struct intake *intake, int *wait_status, ns_t *ran_ns);
bool intake_command_killed(struct intake *intake, pid_t *pid, int *signo, ns_t *ended);
ns_t intake_command_begun(const struct intake *intake);
bool intake_command_may_wait(struct intake *intake);
size_t intake_command_type(struct intake *intake, const char *bytes, size_t len);
void intake_command_signal(struct intake *intake, int signo);
void intake_command_resize(struct intake *intake, int cols, int rows);

/* Get the state, wait status and run time of the command that a relay runs. COMMAND_NONE: the relay
 * runs no command, or the command's status is unknown. */
enum command_state intake_relay_command(const struct intake *intake, int *wait_status,
					ns_t *ran_ns);
/* True if something was read and all of it was recordings of a command that trace2top ran (`--
 * COMMAND`). */
bool intake_is_recorded_command(const struct intake *intake);

/*
 * Copy the newest output (at most COMMAND_OUTPUT_BYTES) of the command that runs here or at a relay
 * to `out`, and return its length. `*version` changes with every byte of output. If it is unchanged
 * since the last call, or if there is no command, copies nothing and returns SIZE_MAX.
 */
size_t intake_command_output(struct intake *intake, char *out, uint64_t *version);

/*
 * Copy up to `bytes` of the command's output to `out`, starting at byte number `*at` of all output,
 * or at the oldest byte that is kept. Advances `*at`. Returns the copied length. Any thread.
 */
size_t intake_command_read(struct intake *intake, uint64_t *at, char *out, size_t bytes);

#endif
