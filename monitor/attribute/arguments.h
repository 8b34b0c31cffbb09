/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_ARGUMENTS_H
#define MONITOR_ARGUMENTS_H

#include <stddef.h>

#include "monitor/model/model.h"

/*
 * Return the first word of the command line after the command's name, or after the program if the
 * line lacks that name, that does not begin with `-`. NULL: none. The model owns the text.
 */
const char *process_argument(const struct model *model, const struct process *process, size_t *len);

/*
 * Return the subcommand of a process, such as "pop" of `git stash pop`, from its command line or an
 * alias: a word that subcommands.def lists for its command. NULL: none. The model owns the text.
 */
const char *process_subcommand(const struct model *model, const struct process *process,
			       size_t *len);

#endif
