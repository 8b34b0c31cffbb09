/* SPDX-License-Identifier: MIT */
/*
 * intake: the thread that turns bytes into batches. It owns an event loop and all sources. No
 * other thread reads traces.
 *
 *   sockets, FIFOs, pipes --\
 *                            >-- splitter, reader --> batch --> journal
 *   files, directories -----/
 *
 * Writers are not held up by trace2top: everything a writer could block on is read first, and
 * reading never waits for the journal, the model, the screen or the user. Files and directories
 * can wait: they are read within a budget, when nothing else is pending, and only while the
 * journal has space, so none of their data is dropped.
 *
 * A batch is handed over when a round of reading ends. While bytes keep coming, and always with
 * `config.once`, it is handed over when it is full or INTAKE_HOLD_MS old.
 *
 * Functions are for the thread that created the intake unless stated otherwise. Add sources before
 * intake_start().
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

/* ---- the intake: functions for the thread that created it ---- */

/* Create an intake. `journal` and `syms` must outlive it. */
struct intake *intake_new(struct journal *journal, struct tr2_intern *syms,
			  const struct source_config *config);
/*
 * Stop the thread if it runs, close all sources and remove created files. Data left in sockets is
 * in the journal afterwards. Statistics remain available.
 */
void intake_stop(struct intake *intake);
/* Free the intake; stops it first if necessary. */
void intake_free(struct intake *intake);

/*
 * Add the source `spec`. Returns false with an error and advice in `why`. A path that does not
 * exist is an error with `config.once`; otherwise it is waited for. The source is listed in either
 * case.
 */
bool intake_add(struct intake *intake, const char *spec, char *why, size_t why_bytes);

/*
 * Run a command traced into a private socket. Forks, so no thread may exist yet. With a screen its
 * terminal is a pseudo-terminal of `cols` x `rows` that is always drained. With `config.once` it
 * keeps standard input, unless `config.keeps_input`, and its output goes to standard error.
 */
bool intake_add_command(struct intake *intake, char **argv, int cols, int rows, char *why,
			size_t why_bytes);

/*
 * Copy the bytes of every stream to `tap` before they are parsed. With `stored` also those of
 * files and directories, which then wait for the tap. The tap must outlive the intake. At most
 * TAPS_MAX taps.
 */
void intake_add_tap(struct intake *intake, struct tap *tap, bool stored);

/* Add the source of a relay, whose data is at its descriptors. `spec` is its name. */
void intake_add_relay(struct intake *intake, const char *spec, const struct relay *relay);
/*
 * Return how far the clock of a relay's host is ahead of this host's; 0: no relay, or no data yet.
 * Any thread.
 */
ns_t intake_relay_skew(const struct intake *intake);

/* Start the intake thread, with all signals blocked. */
void intake_start(struct intake *intake);

/* True if every source ended (`config.once`) and all batches were handed over. Any thread. */
bool intake_is_done(const struct intake *intake);

/*
 * Skip unread data from before we started, count it, and continue with new data. Any thread;
 * returns at once.
 */
void intake_leave_old(struct intake *intake);

/* Notify that the speed of `config.replay` changed. Any thread; returns at once. */
void intake_replay_changed(struct intake *intake);

/*
 * With `config.once`: read sockets until they are empty, then finish. Any thread; returns at once.
 */
void intake_drain(struct intake *intake);

/*
 * intake_suspend(): before the program stops (Ctrl-Z), close and unlink listening sockets so that
 * no traced program blocks on them. intake_resume(): create them again and record the gap in the
 * journal. Both wait until done.
 */
void intake_suspend(struct intake *intake);
void intake_resume(struct intake *intake);

/* Return the number of sources. Sources are numbered in the order in which they were added. Any
 * thread. */
int intake_nr_sources(const struct intake *intake);
/*
 * Copy the statistics of one source, or of all (malloc()ed, `*nr` of them). Takes a short lock.
 * Texts live as long as the intake.
 */
void intake_stats(struct intake *intake, int source, struct source_stats *out);
struct source_stats *intake_all_stats(struct intake *intake, int *nr);

/* True if the file, directory or socket at `path` is a source. */
bool intake_has_path(const struct intake *intake, const char *path);

/* True if the directory at `path` is a source, so that files in it are read. */
bool intake_reads_directory(const struct intake *intake, const char *path);

/* ---- the command that trace2top, or a relay, runs; any thread ---- */

/* These do the same as the functions of traced_command.h, for the command of
 * intake_add_command(). */
enum command_state intake_command(struct intake *intake, int *wait_status, ns_t *ran_ns);
bool intake_command_killed(struct intake *intake, pid_t *pid, int *signo, ns_t *ended);
ns_t intake_command_begun(const struct intake *intake);
bool intake_command_may_wait(struct intake *intake);
size_t intake_command_type(struct intake *intake, const char *bytes, size_t len);
void intake_command_signal(struct intake *intake, int signo);
void intake_command_resize(struct intake *intake, int cols, int rows);

/* Get the state, wait status and run time of the command that a relay runs; COMMAND_NONE also if
 * its status is unknown. */
enum command_state intake_relay_command(const struct intake *intake, int *wait_status,
					ns_t *ran_ns);
/* True if everything that was read so far is recordings of a command that trace2top ran (`--
 * COMMAND`). */
bool intake_is_recorded_command(const struct intake *intake);

/*
 * Copy the newest output (at most COMMAND_OUTPUT_BYTES) of the command that runs here or at a relay
 * to `out` and return its length. `*version` changes with every byte; if it is unchanged nothing is
 * copied and SIZE_MAX is returned.
 */
size_t intake_command_output(struct intake *intake, char *out, uint64_t *version);

/*
 * Copy output of the command from byte `*at` on, or from the oldest byte that is kept, and advance
 * `*at`. Returns the length, at most `bytes`. Any thread.
 */
size_t intake_command_read(struct intake *intake, uint64_t *at, char *out, size_t bytes);

#endif
