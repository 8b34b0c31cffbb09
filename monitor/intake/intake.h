/* SPDX-License-Identifier: MIT */
/*
 * Intake: the thread that turns bytes into batches. It owns an event loop of its own and all
 * sources. No other thread reads traces.
 *
 *   sockets, FIFOs, pipes --\
 *                            >-- framer, reader --> batch --> journal
 *   files, directories -----/
 *
 * What is traced never waits: whatever a writer could block on is drained before anything else,
 * and never waits for the journal, the model, a screen or a person. Files and directories can
 * wait: they are read under a budget, when nothing else is to be done, and only while the
 * journal has room, so that nothing read from them is dropped.
 *
 * A batch is handed over when a round of reading ends, and while bytes keep coming when it is
 * full or INTAKE_HOLD_MS old; with `config.once` only then.
 *
 * Calls are for the thread that made it, unless they say otherwise. Sources are added before
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
/* How long --once reads on where a socket is to be emptied. */
#define INTAKE_DRAIN_MS 1000

struct intake;
struct replay;

struct intake_config {
	bool once;            /* read everything to its present end, then say done */
	bool new_only;        /* --new: skip what is there already */
	int input_format;     /* what all is read as, by reader_words; 0: first bytes tell */
	unsigned socket_mode; /* permissions of sockets that are made */
	/* Standard input, and the terminal, are read by somebody else: no command gets them. */
	bool keeps_input;
	ns_t since;                   /* wall: what is older is not asked a server for; 0: all is */
	struct nats_link_config nats; /* with what right, but for the URL; borrowed */
	/* What recordings are paced by; borrowed; NULL: nothing. After it was changed by another
	 * thread intake_replay_changed() is called. */
	struct replay *replay;
	/* Called from the intake thread when intake_is_done() or a statistic changed without an
	 * event to tell of it. Must not block. */
	void (*wake)(void *data);
	void *wake_data;
};

/* ---- how sources are named; any thread ---- */

enum source_kind {
#define SOURCE(ID, spec, help, ops) SOURCE_##ID,
#include "monitor/intake/sources.def"
	NR_SOURCES
};

/* By kind; the word is as in sources.def. */
extern const struct word source_words[NR_SOURCES];

/* The path within `target`, where Git takes that as a trace target and a source of the same name
 * would read what it writes; else NULL. */
const char *intake_target_path(const char *target);

/* How a stream socket at `path` is named, for a source and for Git; malloc()ed. */
char *intake_socket_spec(const char *path);

/* ---- the intake ---- */

/* `journal` and `syms` must outlive it. */
struct intake *intake_new(struct journal *journal, struct tr2_intern *syms,
			  const struct intake_config *config);
/* The thread ends, where it runs; all sources are closed, and what was made is removed. What sockets
 * still held is in the journal then. What is known of the sources stays. */
void intake_stop(struct intake *intake);
/* Stops it where that was not done. */
void intake_free(struct intake *intake);

/*
 * Add the source that `spec` names. False, with one line on what is wrong and how to mend it in
 * `why`, where it cannot be; with `config.once` a path that does not exist is such a mistake,
 * else it is waited for. The source is listed either way.
 */
bool intake_add(struct intake *intake, const char *spec, char *why, size_t why_bytes);

/*
 * Run a command traced into a private socket. Forks, so no thread may exist yet. On a screen
 * its terminal is a pseudo-terminal of `cols` x `rows` that is always drained; with
 * `config.once` it keeps standard input, unless `config.keeps_input`, and its output goes to
 * standard error.
 */
bool intake_add_command(struct intake *intake, char **argv, int cols, int rows, char *why,
			size_t why_bytes);

/*
 * What every stream brings goes to `tap`, too, before it is read; with `stored` that of files and
 * directories as well, which then wait for it. It must outlive the intake.
 */
#define INTAKE_MAX_TAPS 6
void intake_add_tap(struct intake *intake, struct tap *tap, bool stored);

/*
 * Read what a program of ours sends, which reads elsewhere (ssh): a recording, or any other
 * content. All of it is the source's from then on; closing it closes `input` and ends the program.
 * It has failed where the program ended otherwise than with status 0, or that of its command.
 */
struct relay {
	pid_t pid;
	int data;   /* what it sends */
	int errors; /* its standard error; where it fails, the last line is the source's error */
	int input; /* its standard input, whose end tells it that we are gone; nothing is written */
	/* It ends with the status of a command that it has run elsewhere, whose output comes with
	 * the errors; what came of both already, malloc()ed, or NULL. */
	bool of_command;
	char *said;
	size_t nr_said;
};

void intake_add_relay(struct intake *intake, const char *spec, const struct relay *relay);
/* How far the clock of a relay's host is before ours, as far as what it sent tells; 0: there is no
 * relay, or nothing came yet. Any thread. */
ns_t intake_relay_skew(const struct intake *intake);

/* Start the thread; all signals are blocked in it. */
void intake_start(struct intake *intake);

/* Has every source come to its end (`config.once`), and was everything handed over? Any thread. */
bool intake_is_done(const struct intake *intake);

/* Leave unread what is still to be read of what was there before we came, and go on with what
 * is new; it is counted. Any thread; returns at once. */
void intake_leave_old(struct intake *intake);

/* The pace of `config.replay` is another now. Any thread; returns at once. */
void intake_replay_changed(struct intake *intake);

/* With `config.once`: take what waits on sockets until they are empty, then be done. Any
 * thread; returns at once. */
void intake_drain(struct intake *intake);

/*
 * Before the program stops (Ctrl-Z): close and unlink listening sockets, so that nobody blocks
 * on them; back again: make them anew and note the gap in the journal. Wait until it is done.
 */
void intake_suspend(struct intake *intake);
void intake_resume(struct intake *intake);

/* The sources in the order in which they were added. Any thread. */
int intake_nr_sources(const struct intake *intake);
/* A snapshot of one, or of all (malloc()ed, `*nr` of them); takes a short lock. Texts live as
 * long as the intake. */
void intake_stats(struct intake *intake, int source, struct source_stats *out);
struct source_stats *intake_all_stats(struct intake *intake, int *nr);

/* Is the file, directory or socket at `path` one of the sources? */
bool intake_has_path(const struct intake *intake, const char *path);

/* Is the directory at `path` one of them, so that a file in it would be read? */
bool intake_reads_directory(const struct intake *intake, const char *path);

/* ---- the command ---- */

enum command_state { COMMAND_NONE, COMMAND_RUNNING, COMMAND_ENDED };

/* Its state, its wait status once it has ended (an exit status of 127 or 126 where it could not
 * be run), and for how long it ran. Any thread. */
enum command_state intake_command(struct intake *intake, int *wait_status, ns_t *ran_ns);

/* The same of the command of a relay: none, too, where it is not known how it ended. */
enum command_state intake_relay_command(const struct intake *intake, int *wait_status,
					ns_t *ran_ns);

/* The wall time at which the command was started. */
ns_t intake_command_begun(const struct intake *intake);

/*
 * May it wait for input? On a screen, where it runs: the last line of its output has had no end for
 * a second, or its terminal does not echo, or does not wait for whole lines. Any thread.
 */
bool intake_command_may_wait(struct intake *intake);

/*
 * Type these bytes at its terminal; how many it took: 0 where it has none, or reads none now. Any
 * thread; never blocks.
 */
size_t intake_command_type(struct intake *intake, const char *bytes, size_t len);

/* Send a signal to its process group. */
void intake_command_signal(struct intake *intake, int signo);
/* Its terminal has another size. */
void intake_command_resize(struct intake *intake, int cols, int rows);

/*
 * Copy the newest output (at most COMMAND_OUTPUT_BYTES) of the command, or of a relay's, to `out`
 * and return its length; `*version` changes with every byte, and nothing is copied while it is the
 * same. SIZE_MAX then.
 */
#define COMMAND_OUTPUT_BYTES (1u << 20)
size_t intake_command_output(struct intake *intake, char *out, uint64_t *version);

/*
 * Copy its output from byte `*at` on, or from the oldest byte that is kept, and move `*at` behind
 * that; how many bytes, at most `bytes`. Any thread.
 */
size_t intake_command_read(struct intake *intake, uint64_t *at, char *out, size_t bytes);

#endif
