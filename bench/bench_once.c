/* SPDX-License-Identifier: MIT */
/* User CPU time of the real program from a file to its report, compared with simdjson's On-Demand
 * parser, which reads nine fields of the same lines and stores nothing. The runs alternate. */
#include "config.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

#define NR_RUNS       7
#define NR_REFERENCES 4

static const char *const reference_names[NR_REFERENCES] = {
	"simdjson, fields in order, line by line",
	"simdjson, fields in order, whole file",
	"simdjson, fields by name, line by line",
	"simdjson, fields by name, whole file",
};

/* Return user CPU milliseconds of the program; negative on failure. */
static double once_user_ms(const char *program, const char *option, const char *file)
{
	struct rusage usage;
	int status;
	pid_t pid = fork();

	if (!pid) {
		int null = open("/dev/null", O_WRONLY);

		dup2(null, 1);
		execl(program, program, "--once", file, option, (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		return -1;
	return (double)usage.ru_utime.tv_sec * 1e3 + (double)usage.ru_utime.tv_usec / 1e3;
}

static bool references(const char *program, const char *file, double *ns)
{
	char command[8400];
	FILE *pipe;
	bool ok;

	if (access(program, X_OK))
		return false;
	snprintf(command, sizeof(command), "'%s' '%s'", program, file);
	pipe = popen(command, "r");
	ok = pipe && fscanf(pipe, "%lf %lf %lf %lf", ns, ns + 1, ns + 2, ns + 3) == 4;
	if (pipe)
		pclose(pipe);
	return ok;
}

static double once_count_lines(const char *path)
{
	static char buf[1 << 20];
	FILE *file = fopen(path, "rb");
	double nr = 0;
	size_t len;

	while (file && (len = fread(buf, 1, sizeof(buf), file)))
		for (char *p = buf; (p = memchr(p, '\n', (size_t)(buf + len - p))); p++)
			nr++;
	if (file)
		fclose(file);
	return nr;
}

int main(void)
{
	const char *data = getenv("BENCH_DATA"), *build = getenv("BENCH_BUILD");
	struct bench_runs bounded = { .nr = 0 }, all = { .nr = 0 };
	struct bench_runs refs[NR_REFERENCES] = { { .nr = 0 } };
	char program[4096], reference[4096];
	double ns[NR_REFERENCES], nr = data ? once_count_lines(data) : 0;

	snprintf(program, sizeof(program), "%s/../trace2top", build ? build : "bench");
	snprintf(reference, sizeof(reference), "%s/ref_simdjson", build ? build : "bench");
	if (!nr) {
		fputs("bench_once: BENCH_DATA must name a file of events\n", stderr);
		return 2;
	}
	for (int i = 0; i < NR_RUNS; i++) {
		double ours = once_user_ms(program, "--max-processes=1000", data);

		if (ours < 0) {
			fprintf(stderr, "bench_once: %s failed\n", program);
			return 1;
		}
		bench_add(&bounded, ours * 1e6 / nr);
		bench_add(&all, once_user_ms(program, NULL, data) * 1e6 / nr);
		if (references(reference, data, ns))
			for (int r = 0; r < NR_REFERENCES; r++)
				bench_add(&refs[r], ns[r]);
	}
	printf("once: the whole program, %.0f events\n", nr);
	bench_row("--once --max-processes=1000", &bounded, "ns/event");
	bench_row("--once", &all, "ns/event");
	for (int r = 0; r < NR_REFERENCES && refs[r].nr; r++) {
		bench_row(reference_names[r], &refs[r], "ns/event");
		printf("%-44s %10.2f bounded, %.2f unbounded\n", "  trace2top / simdjson",
		       bench_median(&bounded) / bench_median(&refs[r]),
		       bench_median(&all) / bench_median(&refs[r]));
	}
	if (!refs[0].nr)
		puts("skipped: simdjson");
	return 0;
}
