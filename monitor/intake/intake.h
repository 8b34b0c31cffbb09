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
#include "monitor/base/word.h"
#include "monitor/event/source_stats.h"
#include "monitor/history/journal.h"
#include "monitor/nats/nats_link.h"

#define INTAKE_HOLD_MS 10
/* Maximum time --once reads on to empty a socket. */
#define INTAKE_DRAIN_MS 1000

struct intake;
struct replay;

struct intake_config {
	bool once;            /* read everything to its current end, then finish */
	bool new_only;        /* --new: skip existing data */
	int input_format;     /* format of all input, index into reader_words; 0: detect */
	unsigned socket_mode; /* permissions of new sockets */
	/* Standard input and the terminal are read by other code; the command gets neither. */
	bool keeps_input;
	ns_t since;                   /* wall: oldest data to request from servers; 0: all */
	struct nats_link_config nats; /* credentials and options without the URL; borrowed */
	/*
	 * Clock of replayed recordings; borrowed; NULL: no replay. Another thread that changes it
	 * must call intake_replay_changed().
	 */
	struct replay *replay;
	/*
	 * Called on the intake thread when intake_is_done() or statistics change without a new
	 * event. Must not block.
	 */
	void (*wake)(void *data);
	void *wake_data;
};

/* ---- names of sources; any thread ---- */

enum source_kind {
#define SOURCE(ID, spec, help, ops) SOURCE_##ID,
#include "monitor/intake/sources.def"
	NR_SOURCES
};

/* By kind; words as in sources.def. */
extern const struct word source_words[NR_SOURCES];

/*
 * Path within `target` if Git accepts it as a trace target and the source of the same name reads
 * it; else NULL.
 */
const char *intake_target_path(const char *target);

/* Spec of a stream socket at `path`, for sources and Git; malloc()ed. */
char *intake_socket_spec(const char *path);

/* ---- the intake ---- */

/* Create an intake. `journal` and `syms` must outlive it. */
struct intake *intake_new(struct journal *journal, struct tr2_intern *syms,
			  const struct intake_config *config);
/*
 * Stop the thread if it runs, close all sources and remove created files. Data left in sockets is
 * in the journal afterwards. Statistics remain available.
 */
void intake_stop(struct intake *intake);
/* Free it; stops it first if necessary. */
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
 * files and directories, which then wait for the tap. The tap must outlive the intake.
 */
#define INTAKE_MAX_TAPS 6
void intake_add_tap(struct intake *intake, struct tap *tap, bool stored);

/*
 * Read data from a helper program of ours that reads elsewhere (ssh): a recording or any other
 * format. The source owns the descriptors and the process; closing it closes `input` and ends the
 * program. The source fails if the program exits with a status other than 0 or that of its
 * command.
 */
struct relay {
	pid_t pid;
	int data;   /* data from the program */
	int errors; /* its standard error; if it fails, the last line is the source's error */
	int input;  /* its standard input; closing it ends the program; nothing is written */
	/*
	 * It runs a command elsewhere, exits with its status, and mixes the command's output with
	 * its errors. `said`: output already read, malloc()ed, or NULL.
	 */
	bool of_command;
	char *said;
	size_t nr_said;
};

void intake_add_relay(struct intake *intake, const char *spec, const struct relay *relay);
/*
 * How far the clock of a relay's host is ahead of ours, as far as known; 0: no relay, or no data
 * yet. Any thread.
 */
ns_t intake_relay_skew(const struct intake *intake);

/* Start the thread, with all signals blocked. */
void intake_start(struct intake *intake);

/* True if every source ended (`config.once`) and all batches were handed over. Any thread. */
bool intake_is_done(const struct intake *intake);

/*
 * Skip unread data from before we started, count it, and continue with new data. Any thread;
 * returns at once.
 */
void intake_leave_old(struct intake *intake);

/* Notify that the pace of `config.replay` changed. Any thread; returns at once. */
void intake_replay_changed(struct intake *intake);

/*
 * With `config.once`: read sockets until they are empty, then finish. Any thread; returns at once.
 */
void intake_drain(struct intake *intake);

/*
 * intake_suspend(): before the program stops (Ctrl-Z), close and unlink listening sockets so that
 * no writer blocks on them. intake_resume(): create them again and record the gap in the journal.
 * Both wait until done.
 */
void intake_suspend(struct intake *intake);
void intake_resume(struct intake *intake);

/* Number of sources, in the order in which they were added. Any thread. */
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

/* ---- the command ---- */

enum command_state { COMMAND_NONE, COMMAND_RUNNING, COMMAND_ENDED };

/*
 * Get the state, the wait status once it ended (exit status 127 or 126 if it could not be run),
 * and the run time. Any thread.
 */
enum command_state intake_command(struct intake *intake, int *wait_status, ns_t *ran_ns);

/* The same for a relay's command; COMMAND_NONE also if its status is unknown. */
enum command_state intake_relay_command(const struct intake *intake, int *wait_status,
					ns_t *ran_ns);

/*
 * True if a signal killed the command: its pid, the signal, and the wall time of its end. Any
 * thread.
 */
bool intake_command_killed(struct intake *intake, pid_t *pid, int *signo, ns_t *ended);
/* True if all that was read so far is recordings of `-- COMMAND`. Any thread. */
bool intake_is_recorded_command(const struct intake *intake);

/* Wall time of the command's start. */
ns_t intake_command_begun(const struct intake *intake);

/*
 * True if it may be waiting for input: with a screen, it runs, and the last line of its output has
 * been incomplete for a second, or its terminal has echo or canonical mode off. Any thread.
 */
bool intake_command_may_wait(struct intake *intake);

/*
 * Write input to its terminal. Returns the bytes accepted: 0 if it has none or does not read. Any
 * thread; never blocks.
 */
size_t intake_command_type(struct intake *intake, const char *bytes, size_t len);

/* Send a signal to its process group. */
void intake_command_signal(struct intake *intake, int signo);
/* Resize its terminal. */
void intake_command_resize(struct intake *intake, int cols, int rows);

/*
 * Copy the newest output (at most COMMAND_OUTPUT_BYTES) of the command or a relay's command to
 * `out` and return its length. `*version` changes with every byte; if it is unchanged nothing is
 * copied and SIZE_MAX is returned.
 */
#define COMMAND_OUTPUT_BYTES (1u << 20)
size_t intake_command_output(struct intake *intake, char *out, uint64_t *version);

/*
 * Copy output from byte `*at` on, or from the oldest byte kept, and advance `*at`. Returns the
 * length, at most `bytes`. Any thread.
 */
size_t intake_command_read(struct intake *intake, uint64_t *at, char *out, size_t bytes);

#endif
