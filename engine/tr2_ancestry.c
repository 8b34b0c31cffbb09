/* SPDX-License-Identifier: MIT */
/* Names of the ancestor processes, read from /proc. On systems other than Linux no ancestors are
 * known and no cmd_ancestry event is emitted. */
#include "config.h"
#include "engine/tr2_state.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Bytes to read from /proc/PID/stat: enough for pid, name, state and parent. */
#define STAT_BYTES 64

/* Read the name of `pid` (any bytes) and its parent. Returns false on error. */
static bool read_proc_stat(long pid, char name[TR2_COMM_BYTES], long *parent)
{
	char path[64], text[STAT_BYTES + 1], *open_paren, *close_paren;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%ld/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, text, STAT_BYTES);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	open_paren = strchr(text, '(');
	close_paren = strrchr(text, ')');
	if (!open_paren || !close_paren || close_paren < open_paren || strlen(close_paren) < 5)
		return false;
	*close_paren = '\0';
	snprintf(name, TR2_COMM_BYTES, "%s", open_paren + 1);
	*parent = strtol(close_paren + 4, NULL, 10);
	return true;
}

bool tr2_ancestry(struct tr2_ancestry *out)
{
	long pid = getppid();
	int nr = 0;

	while (pid > 0 && nr < TR2_ANCESTRY_MAX - 1 && read_proc_stat(pid, out->mem[nr], &pid)) {
		out->names[nr] = out->mem[nr];
		nr++;
	}
	out->names[nr] = NULL;
	return nr > 0;
}
