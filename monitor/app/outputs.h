/* SPDX-License-Identifier: MIT */
/*
 * What a run passes on beside what it shows: a recording, and tees. Loop thread.
 */
#ifndef MONITOR_OUTPUTS_H
#define MONITOR_OUTPUTS_H

#include <stdbool.h>
#include <stddef.h>

#include "monitor/intake/intake.h"
#include "monitor/send/recorder.h"
#include "monitor/send/tee.h"
#include "monitor/settings/options.h"

#define OUTPUTS_MAX_TEES 5 /* those of the options, and one more */

struct outputs {
	struct recorder *recorder; /* NULL: none */
	struct tee *tees[OUTPUTS_MAX_TEES];
	const char *tee_specs[OUTPUTS_MAX_TEES]; /* borrowed */
	int nr_tees;
	bool failed; /* private: it was told of */
};

/* Is what is recorded to go through the redactor, not as it came? */
bool outputs_are_redacted(const struct options *options);

/* Open what the options ask for, as taps of the intake, whose sources were added. `wake` is called
 * from their threads when one of them stopped. False, with a line of `why`. */
bool outputs_open(struct outputs *outputs, const struct options *options, struct intake *intake,
		  void (*wake)(void *data), void *wake_data, char *why, size_t why_bytes);
/* The same of one whose target is asked for (tee_new_asking()). */
struct tee *outputs_add_asking_tee(struct outputs *outputs, struct intake *intake,
				   char *(*ask)(void *data), void *data);
/* Start their threads; no command is to be started any more. */
void outputs_start(struct outputs *outputs);
/* Is there any that goes on? */
bool outputs_go_on(const struct outputs *outputs);
/* Can what is to be recorded not be written any more? */
bool outputs_record_stopped(const struct outputs *outputs);
/* The intake puts nothing any more: write what there is, and tell of what is missing, a line each
 * on stderr. False where something is. */
bool outputs_end(struct outputs *outputs, const struct options *options);

#endif
