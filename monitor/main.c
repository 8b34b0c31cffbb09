/* SPDX-License-Identifier: MIT */
/* trace2top: set up, run, return. */
#include "config.h"

#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>

#include "engine/base/hash.h"
#include "engine/trace2.h"
#include "monitor/dump.h"
#include "monitor/loop.h"
#include "monitor/loop_memory.h"
#include "monitor/once.h"
#include "monitor/options.h"

static int run(const struct options *options)
{
	/* A limit on file sizes is an error to tell of, as a full disk is. */
	signal(SIGXFSZ, SIG_IGN);
	if (options->keys || options->dump)
		return dump_run(options);
	return options->once ? once_run(options) : loop_run(options);
}

/*
 * Batches are made by one thread and freed by another, and come and go by the hundred thousand
 * bytes. One arena, and large pieces mapped one by one, give back what was freed; left alone,
 * the C library comes to hold twice what the bounds allow.
 */
static void memory_init(void)
{
#ifdef M_ARENA_MAX
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_THRESHOLD, 128 << 10);
#endif
}

int main(int argc, char **argv)
{
	struct options options;
	char why[400];
	int status = 0;

	trace2_initialize_clock();
	setlocale(LC_ALL, "");
	tr2_hash_seed_init();
	memory_init();
	loop_memory_init();
	switch (options_parse(&options, argc, argv, why, sizeof(why))) {
	case OPTIONS_HELP:
		options_help(stdout);
		break;
	case OPTIONS_VERSION:
		printf("trace2top %s\n", PACKAGE_VERSION);
		break;
	case OPTIONS_BAD:
		fprintf(stderr, "trace2top: %s\n", why);
		status = 2;
		break;
	case OPTIONS_RUN:
		status = run(&options);
		break;
	}
	options_release(&options);
	return trace2_cmd_exit(status);
}
