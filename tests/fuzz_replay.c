/* SPDX-License-Identifier: MIT */
/*
 * main() of fuzz targets without a fuzzer: passes each file of the seed corpus (tests/fuzz/NAME for
 * a program named fuzz_NAME), or the files given as arguments, to the target once.
 */
#include "config.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int replay_file(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0, cap = 0, nr;

	if (!file) {
		perror(path);
		return 1;
	}
	do {
		if (cap - size < 4096)
			data = realloc(data, cap = cap * 2 + 8192);
		if (!data)
			return 1;
		nr = fread(data + size, 1, cap - size, file);
		size += nr;
	} while (nr);
	fclose(file);
	/* Copy into memory of the exact size, so that a sanitizer detects reads beyond the end. */
	uint8_t *exact = malloc(size ? size : 1);

	if (!exact)
		return 1;
	memcpy(exact, data, size);
	free(data);
	LLVMFuzzerTestOneInput(exact, size);
	free(exact);
	return 0;
}

static int replay_dir(const char *dir)
{
	DIR *listing = opendir(dir);
	struct dirent *entry;
	unsigned nr = 0;
	int bad = 0;

	while (listing && (entry = readdir(listing))) {
		char path[4096 + 256];

		if (entry->d_name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "%s/%s", dir, entry->d_name);
		bad |= replay_file(path);
		nr++;
	}
	if (listing)
		closedir(listing);
	if (!nr)
		fprintf(stderr, "%s: no seeds\n", dir);
	return bad || !nr;
}

int main(int argc, char **argv)
{
	const char *top = getenv("abs_top_srcdir");
	const char *name = strstr(strrchr(argv[0], '/') ? strrchr(argv[0], '/') : argv[0], "fuzz_");
	char dir[4096];
	int bad = 0;

	for (int i = 1; i < argc; i++)
		bad |= replay_file(argv[i]);
	if (argc > 1 || !name)
		return bad || !name;
	snprintf(dir, sizeof(dir), "%s/tests/fuzz/%s", top ? top : ".", name + 5);
	return replay_dir(dir);
}
