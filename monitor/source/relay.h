/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_RELAY_H
#define MONITOR_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * A helper program, such as ssh, that trace2top starts to read data on another host. Its output is
 * a recording or any other supported format. The source that reads the output owns the descriptors
 * and the process. The source fails if the program is killed or exits with a status that is neither
 * 0 nor that of the command that it runs.
 */
struct relay {
	pid_t pid;
	int data; /* the program's standard output, which is the data to read */
	/* the program's standard error; if the program fails, its last complete line becomes the
	 * source's error */
	int errors;
	/*
	 * the program's standard input; nothing is written to it, and closing it ends the program
	 */
	int input;
	/*
	 * The program runs a command on the other host and exits with its status. The program's
	 * standard error then also has the command's output. `said`: output that was read before
	 * the source was opened, malloc()ed; NULL: none.
	 */
	bool of_command;
	char *said;
	size_t nr_said;
};

#endif
