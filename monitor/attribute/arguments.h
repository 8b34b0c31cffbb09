/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_ARGUMENTS_H
#define MONITOR_ARGUMENTS_H

#include <stddef.h>

#include "monitor/model/model.h"

/* Return the first word after the name that is not an option. The name may not be in the command
 * line: then the first word after the program. NULL: none. The text is borrowed from the model. */
const char *process_argument(const struct model *model, const struct process *process, size_t *len);

/*
 * Return the subcommand of a process (subcommands.def), such as "pop" of `git stash pop`, also if it
 * comes from an alias; NULL: none. The text is borrowed from the model.
 */
const char *process_subcommand(const struct model *model, const struct process *process,
			       size_t *len);

#endif
