/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_ARGUMENTS_H
#define MONITOR_ARGUMENTS_H

#include <stddef.h>

#include "monitor/model/model.h"

/*
 * Return the first word of the command line after the command's name that is not an option. If the
 * name is not in the command line, return the first such word after the program. NULL: none. The
 * model owns the text.
 */
const char *process_argument(const struct model *model, const struct process *process, size_t *len);

/*
 * Return the subcommand of a process, a word that subcommands.def lists for its command, such as
 * "pop" of `git stash pop`, also from an alias. NULL: none. The model owns the text.
 */
const char *process_subcommand(const struct model *model, const struct process *process,
			       size_t *len);

#endif
