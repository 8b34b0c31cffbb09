/* SPDX-License-Identifier: MIT */
/*
 * The recording and the tees of a run. Used by the loop thread.
 */
#ifndef MONITOR_OUTPUTS_H
#define MONITOR_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/intake/intake.h"
#include "monitor/send/recorder.h"
#include "monitor/send/tee.h"
#include "monitor/settings/options.h"

#define OUTPUTS_MAX_TEES 5 /* tees of --tee, and one for --attach */

struct outputs {
	struct recorder *recorder; /* NULL: no recording */
	struct tee *tees[OUTPUTS_MAX_TEES];
	const char *tee_specs[OUTPUTS_MAX_TEES]; /* names of the tees' targets; borrowed */
	int nr_tees;
	/* private: the recording failed */
	bool failed;
	/* private: numbers of removals and renamings of the recording's file that were reported */
	unsigned reported_removed, reported_renamed;
};

bool outputs_are_redacted(const struct options *options);

/*
 * Open the outputs that the options request, as taps of the intake (except a redacted recording).
 * The sources of the intake must have been added. The recorder's thread calls `wake` if recording
 * stops or its file was removed or renamed. Returns false with one line in `why` on error.
 */
bool outputs_open(struct outputs *outputs, const struct options *options, struct intake *intake,
		  void (*wake)(void *data), void *wake_data, char *why, size_t why_bytes);
/* Add a tee whose target `ask` returns (tee_new_asking()). */
struct tee *outputs_add_asking_tee(struct outputs *outputs, struct intake *intake,
				   char *(*ask)(void *data), void *data);
/* Start the threads of the outputs. After this no command may be started. */
void outputs_start(struct outputs *outputs);
/* True if there is a tee, or a recording that has not stopped. */
bool outputs_go_on(const struct outputs *outputs);
bool outputs_record_stopped(const struct outputs *outputs);
/* True if the recording's file was removed or renamed, and created again. */
bool outputs_record_restarted(const struct outputs *outputs);
/* Print a line on stderr if the recording's file was removed or renamed since the last call. */
void outputs_report(struct outputs *outputs, const struct options *options);
/*
 * Write the rest of the outputs, close them, and print on stderr what was lost. Call it after
 * intake has stopped. Returns false if the recorder has an error (recorder_stats()) or the
 * recording's file was removed, but not because a slow output lost lines.
 */
bool outputs_end(struct outputs *outputs, const struct options *options);

#endif
