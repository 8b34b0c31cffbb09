/* SPDX-License-Identifier: MIT */
/* A helper program that trace2top runs and that reads elsewhere. */
#ifndef MONITOR_RELAY_H
#define MONITOR_RELAY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/*
 * A helper program that trace2top runs and that reads elsewhere (ssh): it sends a recording or any
 * other format. The source owns the descriptors and the process; closing it closes `input` and ends
 * the program. The source fails if the program exits with a status other than 0 or that of its
 * command.
 */
struct relay {
	pid_t pid;
	int data; /* the program's standard output: the data */
	/* the program's standard error; if the program fails, the last line is the error of the
	 * source */
	int errors;
	/* the program's standard input; closing it ends the program; nothing is written */
	int input;
	/*
	 * The program runs a command on the other host, exits with its status, and mixes the
	 * command's output with its errors. `said`: output that was read already, malloc()ed, or
	 * NULL.
	 */
	bool of_command;
	char *said;
	size_t nr_said;
};

#endif
