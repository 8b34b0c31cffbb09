/* SPDX-License-Identifier: MIT */
/*
 * The intake: the thread that turns bytes of traces into batches of events. It owns an event loop
 * and all sources.
 *
 *   sockets, FIFOs, pipes --\
 *                            >-- splitter, reader --> batch --> journal
 *   files, directories -----/
 *
 * Sources on which programs could block, such as sockets, are read first. Files and directories are
 * read only while the journal has space, so that it drops none of their data.
 *
 * A batch is handed over after a round of reading, or, to save hand-overs, when it is full or about
 * INTAKE_HOLD_MS old.
 *
 * Only for the thread that created the intake, unless stated otherwise. Add sources before
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

/* `journal` and `syms` must outlive the intake. */
struct intake *intake_new(struct journal *journal, struct tr2_intern *syms,
			  const struct source_config *config);
/* Stop the intake thread, close all sources and remove their sockets. Data that had arrived in
 * sockets is handed to the journal. Statistics remain available. */
void intake_stop(struct intake *intake);
/* Stop the intake, if necessary, and free it. */
void intake_free(struct intake *intake);

/* Add the source that `spec` names. Returns false with an error and advice in `why`; the source is
 * added even then. */
bool intake_add(struct intake *intake, const char *spec, char *why, size_t why_bytes);

/*
 * Start a command whose trace goes to a private socket, and add a source for it. Forks, so no
 * thread may exist yet. The command gets a pseudo-terminal of `cols` x `rows`, but with
 * `config.once` none: its output then goes to standard error.
 */
bool intake_add_command(struct intake *intake, char **argv, int cols, int rows, char *why,
			size_t why_bytes);

/*
 * Copy the bytes of streams to `tap`, before they are parsed. Bytes of files and directories are
 * copied only if `stored`; reading those then waits for space. The tap must outlive the intake. At
 * most TAPS_MAX taps.
 */
void intake_add_tap(struct intake *intake, struct tap *tap, bool stored);

/* Add a source `spec` that reads the output of a relay. */
void intake_add_relay(struct intake *intake, const char *spec, const struct relay *relay);
/* Return an estimate of the ns by which the clock of the relay's host is ahead of this host's; 0:
 * unknown. Any thread. */
ns_t intake_relay_skew(const struct intake *intake);

/* Start the intake thread, which blocks signals as thread_signals_block() does. */
void intake_start(struct intake *intake);

/* True if, with `config.once`, all sources have ended and all batches were handed over. Any
 * thread. */
bool intake_is_done(const struct intake *intake);

/* Skip unread old data, such as data that existed before trace2top started. Any thread; does not
 * wait. */
void intake_leave_old(struct intake *intake);

/* Call after a change of the clock `config.replay`. Any thread; does not wait. */
void intake_replay_changed(struct intake *intake);

/* With `config.once`: read sockets and pipes until they are empty, for a limited time, then end
 * sources that would not end by themselves. Any thread; does not wait. */
void intake_drain(struct intake *intake);

/*
 * Before trace2top is stopped (Ctrl-Z), close listening sockets and their connections, except those
 * of the command, and remove the sockets' paths, so that no traced program blocks on them.
 * Afterwards, create the sockets again and record the time between as a gap. Both functions wait
 * for the intake thread.
 */
void intake_suspend(struct intake *intake);
void intake_resume(struct intake *intake);

/* Return the number of sources, without hidden ones. Any thread. */
int intake_nr_sources(const struct intake *intake);
/* Copy the statistics of one source, or of all but hidden ones into a malloc()ed array of `*nr`.
 * Their texts are valid until the intake is freed. */
void intake_stats(struct intake *intake, int source, struct source_stats *out);
struct source_stats *intake_all_stats(struct intake *intake, int *nr);

/* True if a source reads the file, directory, FIFO or socket at `path`. */
bool intake_has_path(const struct intake *intake, const char *path);

/* True if a source reads the directory at `path`. */
bool intake_reads_directory(const struct intake *intake, const char *path);

/* ---- commands; any thread ---- */

/* See traced_command.h. The command is that of intake_add_command(). */
enum command_state intake_command(struct intake *intake, int *wait_status, ns_t *ran_ns);
bool intake_command_killed(struct intake *intake, pid_t *pid, int *signo, ns_t *ended);
ns_t intake_command_begun(const struct intake *intake);
bool intake_command_may_wait(struct intake *intake);
size_t intake_command_type(struct intake *intake, const char *bytes, size_t len);
void intake_command_signal(struct intake *intake, int signo);
void intake_command_resize(struct intake *intake, int cols, int rows);

/* Get the state, wait status and run time of the command of a relay. COMMAND_NONE: no command, or
 * status unknown. */
enum command_state intake_relay_command(const struct intake *intake, int *wait_status,
					ns_t *ran_ns);
/* True if recordings were read and all their sources are commands that trace2top ran (`--
 * COMMAND`). */
bool intake_is_recorded_command(const struct intake *intake);

/*
 * Copy the newest output (at most COMMAND_OUTPUT_BYTES) of the command here or at a relay to `out`,
 * and return its length. Returns SIZE_MAX if there is no command, or no new output since
 * `*version`. Updates `*version`.
 */
size_t intake_command_output(struct intake *intake, char *out, uint64_t *version);

/* Copy up to `bytes` of the command's output to `out`, from byte number `*at` of all output or the
 * oldest byte kept. Advances `*at`. Returns the copied length. */
size_t intake_command_read(struct intake *intake, uint64_t *at, char *out, size_t bytes);

#endif
