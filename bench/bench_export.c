/* SPDX-License-Identifier: MIT */
/*
 * Cost of report formats, except those that need rules or a missing library: user CPU time of the
 * real program from a file to the report. `text` is the baseline: mostly reading and the model. The
 * runs of the formats alternate.
 */
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
#include "monitor/report/report.h"

#define NR_RUNS 3

static const char *program_name, *data;

/* Return user CPU milliseconds of an export; negative on failure. `keeps`: write to `file`, as
 * formats that need a file always do. */
static double export_user_ms(int exporter, const char *file, bool keeps)
{
	struct rusage usage;
	char format[64];
	int status;
	pid_t pid;

	snprintf(format, sizeof(format), "--format=%s", exporter_words[exporter].word);
	pid = fork();
	if (!pid) {
		execl(program_name, program_name, "--once", data, format, "-o",
		      keeps || exporters[exporter].ops->needs_file ? file : "/dev/null",
		      (char *)NULL);
		_exit(127);
	}
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || status)
		return -1;
	return (double)usage.ru_utime.tv_sec * 1e3 + (double)usage.ru_utime.tv_usec / 1e3;
}

static double export_count_lines(const char *path)
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

static double count_spans(const char *path)
{
	static const char word[] = "\"spanId\":";
	FILE *file = fopen(path, "rb");
	char *line = NULL;
	size_t room = 0;
	double nr = 0;

	while (file && getline(&line, &room, file) > 0)
		for (const char *at = line; (at = strstr(at, word)); at += strlen(word))
			nr++;
	free(line);
	if (file)
		fclose(file);
	return nr;
}

/* Print the spans per second of the format `otlp`; the time of `text` is subtracted. */
static void spans_row(const struct bench_runs *otlp, const struct bench_runs *text, double nr,
		      const char *file)
{
	struct bench_runs rates = { .nr = 0 };
	double spans;

	if (export_user_ms(EXPORTER_OTLP, file, true) < 0)
		return;
	spans = count_spans(file);
	for (unsigned i = 0; i < otlp->nr; i++)
		bench_add(&rates, spans * 1e9 / ((otlp->v[i] - text->v[i]) * nr));
	bench_row("otlp, without text", &rates, "spans/s");
}

int main(void)
{
	const char *build = getenv("BENCH_BUILD");
	struct bench_runs runs[NR_EXPORTERS] = { { .nr = 0 } };
	char program[4096], file[4200];
	double nr;

	data = getenv("BENCH_DATA");
	nr = data ? export_count_lines(data) : 0;
	if (!nr) {
		fputs("bench_export: BENCH_DATA must name a file of events\n", stderr);
		return 2;
	}
	snprintf(program, sizeof(program), "%s/../trace2top", build ? build : "bench");
	snprintf(file, sizeof(file), "%s/bench_export.out", build ? build : "bench");
	program_name = program;
	for (int run = 0; run < NR_RUNS; run++)
		for (int e = 0; e < NR_EXPORTERS; e++) {
			double ms;

			if (exporters[e].ops->needs_rules || exporters[e].ops->library)
				continue;
			ms = export_user_ms(e, file, false);
			if (ms < 0) {
				fprintf(stderr, "bench_export: %s failed\n",
					exporter_words[e].word);
				return 1;
			}
			bench_add(&runs[e], ms * 1e6 / nr);
		}
	printf("export: the whole program, %.0f events\n", nr);
	for (int e = 0; e < NR_EXPORTERS; e++)
		if (runs[e].nr)
			bench_row(exporter_words[e].word, &runs[e], "ns/event");
	spans_row(&runs[EXPORTER_OTLP], &runs[EXPORTER_TEXT], nr, file);
	unlink(file);
	return 0;
}
