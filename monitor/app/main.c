/* SPDX-License-Identifier: MIT */
/* trace2top: set up, run, return. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <malloc.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/hash.h"
#include "engine/trace2.h"
#include "monitor/base/complain.h"
#include "monitor/settings/config_file.h"
#include "monitor/base/die.h"
#include "monitor/base/secrets.h"
#include "monitor/app/attach.h"
#include "monitor/app/dump.h"
#include "monitor/app/families.h"
#include "monitor/app/fleet_init.h"
#include "monitor/app/headless.h"
#include "monitor/app/lines.h"
#include "monitor/app/loop.h"
#include "monitor/app/loop_memory.h"
#include "monitor/app/once.h"
#include "monitor/app/version.h"
#include "monitor/settings/options.h"
#include "views/registry/registry.h"
#include "views/ui/setup.h"

/* A mistake in the configuration: for who starts us, and for who then looks at a screen. */
static void mistake(void *data, const char *line)
{
	struct setup *setup = data;

	complain("%s", line);
	if (!*setup->notice)
		snprintf(setup->notice, sizeof(setup->notice), "%s", line);
}

/* A script's report must not depend on who runs it: only a screen heeds the user's own file. */
static char *configure(struct setup *setup, const struct options *options)
{
	bool is_screen = !options->once && !options->keys && !options->dump;
	char *path = options->config ? xstrdup(options->config) : config_file_path();

	setup_init(setup, options, view_table);
	/* What was not read must not be written either: it would lose what stands in it. */
	if (options->no_config || !path || (!options->config && !is_screen))
		return path;
	setup->path = path;
	config_file_read(path, options->config != NULL, setup_take, mistake, setup);
	setup_settle(setup);
	return path;
}

static int run(const struct options *given)
{
	struct setup setup;
	char *path;
	struct options options;
	int status;

	if (given->detach)
		return attach_mend_run();
	if (given->fleet_init)
		return fleet_init_run(given);
	if (!given->attach)
		attach_tell_left();
	path = configure(&setup, given);
	options = setup.options;
	/* A limit on file sizes is an error to tell of, as a full disk is. */
	signal(SIGXFSZ, SIG_IGN);
	/* Whoever starts us may ignore it, and nobody could be waited for then. */
	signal(SIGCHLD, SIG_DFL);
	secrets_redact((enum redaction)options.redact);
	if (options.keys || options.dump)
		status = dump_run(&options, &setup);
	else
		status = lines_are_meant(&options)     ? lines_run(&options, &setup)
			 : options.once                ? once_run(&options)
			 : headless_is_meant(&options) ? headless_run(&options)
						       : loop_run(&options, &setup);
	free(path);
	return status;
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

/*
 * Who starts us may have closed what is standard. Left so, the next that is opened would have
 * its number: a report would go into an event queue, a message into a socket. In the direction
 * that nobody uses, so that to read or write is an error still.
 */
static void standard_descriptors_hold(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

/* What --help and --version print; 1 where it could not be written. */
static int printed(void)
{
	if (!fflush(stdout))
		return 0;
	complain("cannot write to standard output: %s", strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	struct options options;
	char why[400];
	int status = 0;

	trace2_initialize_clock();
	standard_descriptors_hold();
	setlocale(LC_ALL, "");
	tr2_hash_seed_init();
	memory_init();
	loop_memory_init();
	families_init();
	switch (options_parse(&options, argc, argv, why, sizeof(why))) {
	case OPTIONS_HELP:
		options_help(stdout, options.help);
		status = printed();
		break;
	case OPTIONS_VERSION:
		version_print();
		status = printed();
		break;
	case OPTIONS_BAD:
		complain("%s", why);
		status = 2;
		break;
	case OPTIONS_RUN:
		status = run(&options);
		break;
	}
	options_release(&options);
	return trace2_cmd_exit(status);
}
