/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/hash.h"
#include "engine/trace2.h"
#include "monitor/base/platform.h"
#include "monitor/base/print_error.h"
#include "monitor/settings/config_file.h"
#include "monitor/base/die.h"
#include "monitor/base/secrets.h"
#include "monitor/base/umask.h"
#include "monitor/app/attach.h"
#include "monitor/app/dump.h"
#include "monitor/app/option_tables.h"
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

/* Print an error on stderr; the screen later shows the first error, too. */
static void mistake(void *data, const char *line)
{
	struct setup *setup = data;

	complain_print_error("%s", line);
	if (!*setup->notice)
		snprintf(setup->notice, sizeof(setup->notice), "%s", line);
}

/* Read the configuration file, unless --no-config is given. --once, --keys and --dump use only a
 * file that --config names, so that reports of scripts do not depend on the user. */
static char *configure(struct setup *setup, const struct options *options)
{
	bool is_screen = !options->once && !options->keys && !options->dump;
	char *path = options->config ? xstrdup(options->config) : config_file_path();

	setup_init(setup, options, view_table);
	/* Do not store the path of a file that was not read: saving settings would lose its
	 * contents. */
	if (options->no_config || !path || (!options->config && !is_screen))
		return path;
	setup->path = path;
	config_file_read(path, options->config != NULL, setup_take, mistake, setup);
	setup_settle(setup);
	return path;
}

/* Split a command line at its blanks. If it has special characters of a shell, return the words
 * that pass it to a shell. */
static char **command_words(char *text)
{
	static char shell[] = "sh", option[] = "-c";
	char **words = xcalloc(strlen(text) / 2 + 4, sizeof(*words)), *rest = NULL;
	int nr = 0;

	if (strpbrk(text, "\"'\\$`*?[#~&;|<>(){}!")) {
		words[nr++] = shell;
		words[nr++] = option;
		words[nr++] = text;
		return words;
	}
	for (char *word = strtok_r(text, " \t", &rest); word; word = strtok_r(NULL, " \t", &rest))
		words[nr++] = word;
	return words;
}

/* True if --filter, --group-by or --difference may name the attribute 'user', or other users may
 * write to sockets. */
static bool asks_for_users(const struct options *o)
{
	const char *texts[] = { o->filter, o->group_by, o->difference };

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		if (texts[i] && strstr(texts[i], "user"))
			return true;
	return o->socket_mode & 077;
}

static void report_missing(const struct options *o, struct setup *setup)
{
	bool is_socket = o->attach;

	for (int i = 0; i < o->nr_sources; i++)
		is_socket |= !strncmp(o->sources[i], "af_unix:", strlen("af_unix:"));
	if (is_socket && !o->remote && asks_for_users(o) && !platform_has_peers())
		mistake(setup,
			"this build cannot find out which user and process write to a socket, so "
			"the attribute 'user' is unknown");
}

/* Run the screen, and again with the user's choice on the start screen, if any. */
static int screen_run(struct options *options, struct setup *setup)
{
	struct loop_start start = { false };
	char **command = NULL;
	int status;

	options->may_choose = true;
	status = loop_run(options, setup, &start);
	if (!start.asked)
		return status;
	options->may_choose = false;
	if (start.kind == UI_START_ATTACH) {
		options->attach = true;
	} else if (start.kind == UI_START_COMMAND) {
		command = options->command = command_words(start.text);
	} else {
		options->sources = &start.text;
		options->nr_sources = 1;
	}
	report_missing(options, setup);
	status = loop_run(options, setup, &start);
	free(command);
	free(start.text);
	return status;
}

static int main_run(const struct options *given)
{
	struct setup setup;
	char *path;
	struct options options;
	int status;

	if (given->detach)
		return attach_detach_run();
	if (given->fleet_init)
		return fleet_init_run(given);
	if (!given->attach)
		attach_report_left();
	path = configure(&setup, given);
	options = setup.options;
	report_missing(&options, &setup);
	/* Exceeding the limit on file sizes must be an error of writing, like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	/* If the parent ignored SIGCHLD, waiting for children would fail. */
	signal(SIGCHLD, SIG_DFL);
	secrets_redact((enum redaction)options.redact);
	if (options.keys || options.dump)
		status = dump_run(&options, &setup);
	else
		status = lines_are_meant(&options)     ? lines_run(&options, &setup)
			 : options.once                ? once_run(&options)
			 : headless_is_meant(&options) ? headless_run(&options)
						       : screen_run(&options, &setup);
	free(path);
	return status;
}

/*
 * Open standard descriptors that the parent closed, because files opened later would get their
 * numbers. They are opened for the opposite direction, so that reading standard input and writing
 * standard output still fail.
 */
static void standard_descriptors_hold(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

static int printed(void)
{
	if (!fflush(stdout))
		return 0;
	complain_print_error("cannot write to standard output: %s", strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	struct options options;
	char why[400];
	int status = 0;

	trace2_initialize_clock();
	standard_descriptors_hold();
	umask_get(); /* umask_get() must be called before other threads exist */
	setlocale(LC_ALL, "");
	tr2_hash_seed_init();
	platform_limit_malloc();
	loop_memory_init();
	option_tables_init();
	switch (options_parse(&options, argc, argv, why, sizeof(why))) {
	case OPTIONS_HELP:
		options_help(stdout, options.help);
		status = printed();
		break;
	case OPTIONS_VERSION:
		version_print();
		status = printed();
		break;
	case OPTIONS_WORDS:
		options_print_words(stdout, options.words_of);
		status = printed();
		break;
	case OPTIONS_BAD:
		complain_print_error("%s", why);
		status = 2;
		break;
	case OPTIONS_RUN:
		status = main_run(&options);
		break;
	}
	options_release(&options);
	return trace2_cmd_exit(status);
}
