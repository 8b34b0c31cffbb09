/* SPDX-License-Identifier: MIT */
/* Compressed files: CPU time of the real program on them, compared with the decompressor's own
 * program plus the real program on the plain file. The runs alternate. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

#define NR_RUNS 5

static const struct {
	const char *name, *pack, *unpack;
} kinds[] = {
	{ "gz", "gzip -c", "gzip -dc" },
	{ "xz", "xz -1c", "xz -dc" },
	{ "zst", "zstd -qc", "zstd -qdc" },
};

/* Return CPU milliseconds of a shell command; negative on failure. */
static double command_cpu_ms(const char *command)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (!pid) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		return -1;
	return (double)(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1e3 +
	       (double)(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e3;
}

static void kind_bench(size_t kind, const char *program, const char *data)
{
	struct bench_runs ours = { .nr = 0 }, theirs = { .nr = 0 };
	char packed[] = "/tmp/bench-packed-XXXXXX", command[4][9000], what[64];
	int fd = mkstemp(packed);

	snprintf(command[0], sizeof(command[0]), "%s <'%s' >'%s'", kinds[kind].pack, data, packed);
	snprintf(command[1], sizeof(command[1]), "exec '%s' --once '%s' >/dev/null", program,
		 packed);
	snprintf(command[2], sizeof(command[2]), "exec '%s' --once '%s' >/dev/null", program, data);
	snprintf(command[3], sizeof(command[3]), "exec %s <'%s' >/dev/null", kinds[kind].unpack,
		 packed);
	if (fd < 0 || command_cpu_ms(command[0]) < 0) {
		printf("skipped: %s\n", kinds[kind].pack);
	} else {
		for (int i = 0; i < NR_RUNS; i++) {
			bench_add(&ours, command_cpu_ms(command[1]));
			bench_add(&theirs, command_cpu_ms(command[2]) + command_cpu_ms(command[3]));
		}
		snprintf(what, sizeof(what), "--once of %s", kinds[kind].name);
		bench_row(what, &ours, "ms");
		snprintf(what, sizeof(what), "%s, then --once of the plain file",
			 kinds[kind].unpack);
		bench_row(what, &theirs, "ms");
		printf("%-44s %10.2f\n", "  trace2top / that",
		       bench_median(&ours) / bench_median(&theirs));
	}
	if (fd >= 0)
		close(fd);
	unlink(packed);
}

int main(void)
{
	const char *data = getenv("BENCH_DATA"), *build = getenv("BENCH_BUILD");
	char program[4096];

	snprintf(program, sizeof(program), "%s/../trace2top", build ? build : "bench");
	if (!data) {
		fputs("bench_packed: BENCH_DATA must name a file of events\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		kind_bench(i, program, data);
	return 0;
}
