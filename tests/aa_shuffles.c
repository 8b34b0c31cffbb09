/* SPDX-License-Identifier: MIT */
/*
 * aa_shuffles SHUFFLES FILE: check that compare finds hardly any difference between two sets of
 * runs of one command that were recorded alternately. FILE contains the runs, one per line; the
 * first half of its lines is one set. Each shuffle swaps the runs of pairs at random and compares.
 * Exits with status 1 if more than 2 % of the shuffles report a different wall time, or more than
 * 2 % a different part; with 99 on an error, such as too few pairs.
 */
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/compare.h"
#include "monitor/analysis/runs_line.h"
#include "monitor/base/scan.h"

#define MAX_LINES 1000u

static char *lines[MAX_LINES];
static uint32_t nr_lines;

static void lines_read(const char *path)
{
	FILE *from = fopen(path, "r");
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while (from && nr_lines < MAX_LINES && (len = getline(&line, &room, from)) > 0) {
		char *kept = calloc((size_t)len + SCAN_PAD, 1);

		memcpy(kept, line, (size_t)len);
		lines[nr_lines++] = kept;
	}
	free(line);
	if (from)
		fclose(from);
}

/* Return the number of pairs; their `a` and `b` are line numbers from 0. */
static uint32_t pairs_find(struct compare_pair *pairs)
{
	struct runs sets[2];
	struct comparison c;
	const char *why;
	uint32_t nr;

	for (int i = 0; i < 2; i++)
		runs_init(&sets[i]);
	for (uint32_t i = 0; i < nr_lines; i++)
		if (runs_line_read(&sets[i >= nr_lines / 2], lines[i], &why) != RUNS_LINE_ADDED)
			exit(99);
	compare_make(&c, &sets[0], &sets[1]);
	nr = c.nr_groups == 1 ? c.groups[0].nr_pairs : 0;
	for (uint32_t i = 0; i < nr; i++) {
		pairs[i] = c.pairs[i];
		pairs[i].b += nr_lines / 2;
	}
	compare_release(&c);
	for (int i = 0; i < 2; i++)
		runs_release(&sets[i]);
	return nr;
}

static bool is_called_different(const struct compare_pair *pairs, uint32_t nr, uint64_t *seed,
				bool *part)
{
	struct runs sets[2];
	struct comparison c;
	const char *why;
	bool different;

	for (int i = 0; i < 2; i++)
		runs_init(&sets[i]);
	for (uint32_t i = 0; i < nr; i++) {
		bool turned;

		*seed = *seed * 6364136223846793005ull + 1442695040888963407ull;
		turned = *seed >> 63;
		runs_line_read(&sets[turned], lines[pairs[i].a], &why);
		runs_line_read(&sets[!turned], lines[pairs[i].b], &why);
	}
	compare_make(&c, &sets[0], &sets[1]);
	if (c.nr_groups != 1 || c.groups[0].verdict == COMPARE_APART)
		exit(99);
	different = c.groups[0].verdict != COMPARE_SAME;
	*part = false;
	for (uint32_t i = 0; i < c.nr_parts; i++)
		*part |= c.parts[i].differs;
	compare_release(&c);
	for (int i = 0; i < 2; i++)
		runs_release(&sets[i]);
	return different;
}

int main(int argc, char **argv)
{
	struct compare_pair pairs[MAX_LINES];
	unsigned shuffles, walls = 0, parts = 0;
	uint64_t seed = 20261122;
	uint32_t nr;

	if (argc != 3)
		return 99;
	shuffles = (unsigned)strtoul(argv[1], NULL, 10);
	lines_read(argv[2]);
	nr = pairs_find(pairs);
	for (unsigned i = 0; i < shuffles; i++) {
		bool part;

		walls += is_called_different(pairs, nr, &seed, &part);
		parts += part;
	}
	printf("%u shuffles of %u pairs: %u walls and parts of %u called different\n", shuffles, nr,
	       walls, parts);
	for (uint32_t i = 0; i < nr_lines; i++)
		free(lines[i]);
	return nr < COMPARE_MIN_PAIRS || walls * 50 > shuffles || parts * 50 > shuffles;
}
