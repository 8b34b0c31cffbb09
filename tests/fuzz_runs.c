/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: read the input as lines of a baseline file, and as rules. A run that is written and
 * read must be the same. Comparing a set with itself must give only finite numbers. The error of a
 * rule must have printable text and a column inside the rule or at its end.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/compare.h"
#include "monitor/analysis/rules.h"
#include "monitor/analysis/runs_line.h"
#include "monitor/base/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void fuzz_runs_expect(bool ok)
{
	if (!ok)
		abort();
}

static void try_line(struct runs *runs, const char *line)
{
	struct runs before = *runs;
	const char *why;
	enum runs_line result = runs_line_read(runs, line, &why);

	fuzz_runs_expect((result == RUNS_LINE_BAD) == (why != NULL));
	fuzz_runs_expect(runs->nr == before.nr + (result == RUNS_LINE_ADDED));
	if (result != RUNS_LINE_ADDED)
		fuzz_runs_expect(runs->nr_parts == before.nr_parts &&
				 runs->nr_things == before.nr_things &&
				 runs->nr_durations == before.nr_durations);
}

static void write_and_read(const struct runs *runs)
{
	struct tr2_buf line, again;
	struct runs copy;
	const char *why;

	runs_init(&copy);
	tr2_buf_init(&line, SIZE_MAX / 2);
	tr2_buf_init(&again, SIZE_MAX / 2);
	for (uint32_t i = 0; i < runs->nr; i++) {
		tr2_buf_clear(&line);
		tr2_buf_clear(&again);
		runs_line_write(runs, i, &line);
		tr2_buf_fill(&line, '\0', SCAN_PAD);
		fuzz_runs_expect(memchr(line.data, '\n', line.len) ==
				 line.data + line.len - SCAN_PAD - 1);
		/* Two SIDs may become equal when their bytes are converted to text. */
		if (runs_line_read(&copy, line.data, &why) == RUNS_LINE_KNOWN)
			continue;
		fuzz_runs_expect(!why);
		runs_line_write(&copy, copy.nr - 1, &again);
		fuzz_runs_expect(again.len == line.len - SCAN_PAD &&
				 !memcmp(again.data, line.data, again.len));
	}
	tr2_buf_release(&line);
	tr2_buf_release(&again);
	runs_release(&copy);
}

static void try_compare(const struct runs *runs)
{
	struct comparison c;

	compare_make(&c, runs, runs);
	for (uint32_t i = 0; i < c.nr_groups; i++) {
		const struct compare_group *g = &c.groups[i];

		fuzz_runs_expect(isfinite(g->shift) && isfinite(g->low) && isfinite(g->high));
		fuzz_runs_expect(g->p >= 0 && g->p <= 1 && isfinite(g->other));
		fuzz_runs_expect(g->low <= g->high);
	}
	compare_release(&c);
}

static void try_rule(const char *text)
{
	struct rules rules = { .nr = 0 };
	struct rule_error error;

	if (!rules_add(&rules, text, &error)) {
		fuzz_runs_expect(error.column <= strlen(text) && *error.message && !rules.nr);
		for (const char *c = error.message; *c; c++)
			fuzz_runs_expect((unsigned char)*c >= 0x20 && *c != 0x7f);
	}
	rules_release(&rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(size + 1 + SCAN_PAD, 1), *line, *lf;
	struct runs runs;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\n';
	runs_init(&runs);
	runs_line_seems(text, size);
	for (line = text; (lf = memchr(line, '\n', (size_t)(text + size + 1 - line)));
	     line = lf + 1)
		try_line(&runs, line);
	write_and_read(&runs);
	try_compare(&runs);
	runs_release(&runs);
	for (line = text; (lf = memchr(line, '\n', (size_t)(text + size + 1 - line)));
	     line = lf + 1) {
		*lf = '\0';
		try_rule(line);
	}
	free(text);
	return 0;
}
