/* SPDX-License-Identifier: MIT */
/*
 * A file that is written whole or not at all: what is written goes into another one beside it,
 * which takes its name at the end. Where that cannot be (a device, a FIFO, a file with other
 * names or another owner, a directory that nobody may write to) the file itself is written, and
 * emptied where that fails. Nothing is ever left that looks like a report and is half of one.
 */
#ifndef MONITOR_WHOLE_FILE_H
#define MONITOR_WHOLE_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct whole_file {
	FILE *to;   /* rw: write to it; NULL where it could not be made */
	char *path; /* private: what its name is to be, links resolved */
	char *temp; /* private: what it is called until then; NULL: it is the file itself */
};

/* Begin to write `path`; false with errno. */
bool whole_file_open(struct whole_file *file, const char *path);

/*
 * The end, of one that could not be opened, too. `ok`: everything was written well. False with
 * errno where it was not, or cannot be kept; errno is left as it is where `ok` was false.
 */
bool whole_file_close(struct whole_file *file, bool ok);

#endif
