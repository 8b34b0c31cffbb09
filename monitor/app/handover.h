/* SPDX-License-Identifier: MIT */
/*
 * Hand the terminal over to the command that trace2top runs, until the command ends, the user
 * presses Ctrl-] or trace2top is stopped, or to an editor until it ends. The screen is not drawn
 * meanwhile, but events are applied unless it is paused.
 *
 * The command has a pseudo-terminal of its own; the terminal thread copies its bytes, see
 * terminal_hand_over(). An editor gets trace2top's terminal. The editor stays in the same process
 * group, so that Ctrl-Z stops both; Ctrl-C and Ctrl-\ affect the editor only.
 *
 * Used by the loop thread.
 */
#ifndef MONITOR_HANDOVER_H
#define MONITOR_HANDOVER_H

#include <ev.h>

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "monitor/intake/intake.h"
#include "views/terminal/terminal.h"

enum lent_to { LENT_NOBODY, LENT_COMMAND, LENT_EDITOR };

struct handover {
	struct ev_loop *ev;
	struct terminal *terminal;
	struct intake *intake;
	/* Called after trace2top has taken its terminal back; `notice` is an error message or
	 * NULL. */
	void (*back)(void *data, const char *notice);
	void *data;
	enum lent_to to; /* ro: who has the terminal */
	/* The following members are private. */
	pid_t editor;
	ev_timer look;
	struct sigaction quit_was;
	/* position up to which the command's output was copied; the terminal thread uses it while
	 * the command has the terminal */
	uint64_t at;
};

void handover_command(struct handover *handover);

/* Handle a key while the command has the terminal: a key that was typed before the handover, or the
 * key that returns to trace2top. */
void handover_key(struct handover *handover, const struct key_event *key);

void handover_resized(const struct handover *handover);

/* Take the terminal back from the command, if the command has it. */
void handover_end(struct handover *handover);

/*
 * Open a file named by a trace in an editor, at `line` (0: no line). Returns false with one line in
 * `why` if the editor cannot be started, or if the file is not a regular file below the working
 * directory, because names in traces are not trusted.
 */
bool handover_editor(struct handover *handover, const char *file, int64_t line, char *why,
		     size_t why_bytes);

#endif
