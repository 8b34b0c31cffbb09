/* SPDX-License-Identifier: MIT */
/* A relay: a helper program that trace2top starts to read data on another host. */
#ifndef MONITOR_RELAY_H
#define MONITOR_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * A helper program such as ssh that trace2top starts. Its output is a recording or any other
 * supported format. The source that reads the output owns the descriptors and the process; closing
 * the source closes `input`, which ends the program. The source fails if the program is killed or
 * exits with a status that is neither 0 nor that of the command that it runs.
 */
struct relay {
	pid_t pid;
	int data; /* descriptor of the program's standard output, which is the data to read */
	/* descriptor of the program's standard error; if the program fails, the last complete line
	 * of it becomes the source's error */
	int errors;
	/* descriptor of the program's standard input; nothing is written to it, and closing it ends
	 * the program */
	int input;
	/*
	 * True if the program runs a command on the other host and exits with the status of that
	 * command. The program's standard error then contains also the output of the command.
	 * `said` is output that was read before the source was opened, malloc()ed; NULL: none.
	 */
	bool of_command;
	char *said;
	size_t nr_said;
};

#endif
