/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_RELAY_H
#define MONITOR_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * A helper program, such as ssh, that trace2top starts to read data on another host. Its output is
 * a recording or another supported format. The source that reads the output owns the descriptors
 * and the process.
 */
struct relay {
	pid_t pid;
	int data; /* reads the program's standard output: the data */
	/* reads the program's standard error, whose last line may describe a failure */
	int errors;
	/* writes to the program's standard input; closing it ends the program */
	int input;
	/*
	 * The program runs a command on the other host and exits with its status; `errors` then
	 * also has the command's output. `said`: output read before the source was opened,
	 * malloc()ed; NULL: none.
	 */
	bool of_command;
	char *said;
	size_t nr_said;
};

#endif
