/* SPDX-License-Identifier: MIT */
/*
 * trace2_replay SCRIPT: plays a script of Trace2 API calls through libtrace2.
 *
 * One call per line, with arguments separated by tabs. `-` is NULL if the argument may be NULL; \n
 * \t \r \\ \xHH are escapes; a line that begins with '#' is a comment. `@FILE LINE` sets the source
 * location of the following calls, in every thread. Children, repositories, timers and counters are
 * named by slot numbers.
 *
 *	start ARG...			name|mode|path TEXT		ancestry NAME...
 *	alias NAME ARG...		set_config KEY VALUE		param NAME VALUE [SCOPE]
 *	list_config			list_env_vars			def_repo REPO WORKTREE
 *	enter|leave CATEGORY LABEL [REPO [MESSAGE]]
 *	data|int CATEGORY REPO KEY VALUE		json CATEGORY REPO KEY PRETTY
 *	child_start CHILD CLASS HOOK DIR GIT_CMD USE_SHELL ARG...
 *	child_exit CHILD PID CODE	child_ready CHILD PID STATE
 *	exec EXE ARG...			exec_result ID CODE
 *	printf TEXT			error FORMAT [ARG...]
 *	timer_start|timer_stop TIMER	counter COUNTER VALUE
 *	thread_start NAME		thread_exit
 *	thread SCRIPT			run SCRIPT in a new thread, and wait for it
 *	exit CODE			report the exit code, and continue
 *	return CODE			report it and exit
 *	raise SIGNAL			abort
 *
 * Events that a player linked with Git 2.55 (tr2oracle.c) emits by itself, and timers and counters,
 * have the source locations of that player, so that the lines can be compared with its output.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/trace2.h"
#include "engine/trace2_child.h"
#include "engine/trace2_json.h"
#include "engine/trace2_param.h"
#include "engine/trace2_repo.h"

#define MAX_ARGS         4096
#define MAX_SLOTS        4096
#define PLAYER           "tr2oracle.c"
#define PLAYER_EXIT_LINE 159

static struct child_process children[MAX_SLOTS];
static char *child_strings[MAX_SLOTS][3];
static struct repository repos[MAX_SLOTS];
static char place_file[65536] = PLAYER;
static int place_line = 1;
static const char *script_dir;

struct args {
	int nr;
	char *v[MAX_ARGS + 1];
};

static const char compact[] = "{\"a\\\"b\":\"x\\ny\",\"n\":-5,\"d\":1.24,\"t\":true,\"z\":null,"
			      "\"l\":[\"  two  spaces\\n  x\",7]}";
static const char pretty[] = "{\n  \"a\\\"b\": \"x\\ny\",\n  \"n\": -5,\n  \"d\": 1.24,\n"
			     "  \"t\": true,\n  \"z\": null,\n  \"l\": [\n"
			     "    \"  two  spaces\\n  x\",\n    7\n  ]\n}";

static void play_file(const char *name);

#define PLACE place_file, place_line

static const char *arg(const struct args *args, int i)
{
	return i < args->nr ? args->v[i] : "";
}

/* Return an argument; NULL if it is `-` or missing. */
static const char *opt(const struct args *args, int i)
{
	return i < args->nr && strcmp(args->v[i], "-") ? args->v[i] : NULL;
}

static int num(const struct args *args, int i)
{
	return (int)strtoll(arg(args, i), NULL, 0);
}

static int slot(const struct args *args, int i)
{
	int n = num(args, i);

	if (n < 0 || n >= MAX_SLOTS) {
		fprintf(stderr, "trace2_replay: no slot %d\n", n);
		exit(2);
	}
	return n;
}

static struct repository *repo(const struct args *args, int i)
{
	return opt(args, i) ? &repos[slot(args, i)] : NULL;
}

static const char **args_from(struct args *args, int i)
{
	args->v[args->nr] = NULL;
	return (const char **)(args->v + (i < args->nr ? i : args->nr));
}

static char *copy_arg(const char *text)
{
	return text ? strdup(text) : NULL;
}

static void do_start(struct args *a)
{
	trace2_cmd_start_fl(PLACE, args_from(a, 1));
}

static void do_name(struct args *a)
{
	trace2_cmd_name_fl(PLACE, arg(a, 1));
}

static void do_mode(struct args *a)
{
	trace2_cmd_mode_fl(PLACE, arg(a, 1));
}

static void do_path(struct args *a)
{
	trace2_cmd_path_fl(PLACE, arg(a, 1));
}

static void do_ancestry(struct args *a)
{
	trace2_cmd_ancestry_fl(PLACE, args_from(a, 1));
}

static void do_alias(struct args *a)
{
	trace2_cmd_alias_fl(PLACE, arg(a, 1), args_from(a, 2));
}

static void do_set_config(struct args *a)
{
	trace2_cmd_set_config_fl(PLACE, arg(a, 1), opt(a, 2));
}

static void do_param(struct args *a)
{
	struct key_value_info kvi = { .scope = num(a, 3) };

	trace2_def_param_fl(PLACE, arg(a, 1), opt(a, 2), &kvi);
}

static void do_list_config(struct args *a)
{
	(void)a;
	trace2_cmd_list_config_fl(PLACE);
}

static void do_list_env_vars(struct args *a)
{
	(void)a;
	trace2_cmd_list_env_vars_fl(PLACE);
}

static void do_def_repo(struct args *a)
{
	struct repository *r = &repos[slot(a, 1)];

	if (!r->worktree)
		r->worktree = copy_arg(opt(a, 2));
	trace2_def_repo_fl(PLACE, r);
}

static void do_enter(struct args *a)
{
	if (opt(a, 4))
		trace2_region_enter_printf_fl(PLACE, opt(a, 1), opt(a, 2), repo(a, 3), "%s",
					      a->v[4]);
	else
		trace2_region_enter_fl(PLACE, opt(a, 1), opt(a, 2), repo(a, 3));
}

static void do_leave(struct args *a)
{
	if (opt(a, 4))
		trace2_region_leave_printf_fl(PLACE, opt(a, 1), opt(a, 2), repo(a, 3), "%s",
					      a->v[4]);
	else
		trace2_region_leave_fl(PLACE, opt(a, 1), opt(a, 2), repo(a, 3));
}

static void do_data(struct args *a)
{
	trace2_data_string_fl(PLACE, arg(a, 1), repo(a, 2), arg(a, 3), arg(a, 4));
}

static void do_int(struct args *a)
{
	trace2_data_intmax_fl(PLACE, arg(a, 1), repo(a, 2), arg(a, 3),
			      strtoimax(arg(a, 4), NULL, 0));
}

static void do_json(struct args *a)
{
	struct json_writer jw = { .pretty = num(a, 4) };

	jw.json = jw.pretty ? pretty : compact;
	trace2_data_json_fl(PLACE, arg(a, 1), repo(a, 2), arg(a, 3), &jw);
}

static void do_child_start(struct args *a)
{
	int n = slot(a, 1);
	struct child_process *cmd = &children[n];

	for (int i = 0; i < 3; i++) {
		free(child_strings[n][i]);
		child_strings[n][i] = copy_arg(opt(a, i + 2));
	}
	cmd->trace2_child_class = child_strings[n][0];
	cmd->trace2_hook_name = child_strings[n][1];
	cmd->dir = child_strings[n][2];
	cmd->git_cmd = num(a, 5) != 0;
	cmd->use_shell = num(a, 6) != 0;
	cmd->argv = args_from(a, 7);
	trace2_child_start_fl(PLACE, cmd);
	cmd->argv = NULL;
}

static void do_child_exit(struct args *a)
{
	struct child_process *cmd = &children[slot(a, 1)];

	cmd->pid = num(a, 2);
	trace2_child_exit_fl(PLACE, cmd, num(a, 3));
}

static void do_child_ready(struct args *a)
{
	struct child_process *cmd = &children[slot(a, 1)];

	cmd->pid = num(a, 2);
	trace2_child_ready_fl(PLACE, cmd, arg(a, 3));
}

static void do_exec(struct args *a)
{
	printf("exec_id %d\n", trace2_exec_fl(PLACE, opt(a, 1), args_from(a, 2)));
	fflush(stdout);
}

static void do_exec_result(struct args *a)
{
	trace2_exec_result_fl(PLACE, num(a, 1), num(a, 2));
}

static void do_printf(struct args *a)
{
	if (opt(a, 1))
		trace2_printf_fl(PLACE, "%s", a->v[1]);
	else
		trace2_printf_fl(PLACE, NULL);
}

static void error_va(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_cmd_error_va_fl(PLACE, fmt, ap);
	va_end(ap);
}

static void do_error(struct args *a)
{
	error_va(opt(a, 1), arg(a, 2), arg(a, 3), arg(a, 4), arg(a, 5));
}

static void do_timer_start(struct args *a)
{
	trace2_timer_start(num(a, 1));
}

static void do_timer_stop(struct args *a)
{
	trace2_timer_stop(num(a, 1));
}

static void do_counter(struct args *a)
{
	const char *text = arg(a, 2);

	trace2_counter_add(num(a, 1), *text == '-' ? (uint64_t)strtoll(text, NULL, 0)
						   : strtoull(text, NULL, 0));
}

static void do_thread_start(struct args *a)
{
	trace2_thread_start_fl(PLACE, arg(a, 1));
}

static void do_thread_exit(struct args *a)
{
	(void)a;
	trace2_thread_exit_fl(PLACE);
}

static void *thread_main(void *data)
{
	play_file(data);
	return NULL;
}

static void do_thread(struct args *a)
{
	pthread_t thread;

	if (pthread_create(&thread, NULL, thread_main, a->v[1]) || pthread_join(thread, NULL)) {
		fprintf(stderr, "trace2_replay: no thread\n");
		exit(2);
	}
}

static void do_exit(struct args *a)
{
	trace2_cmd_exit_fl(PLACE, num(a, 1));
}

static void do_return(struct args *a)
{
	/* Git's exit() truncates the status to 8 bits. */
	exit(trace2_cmd_exit_fl(PLAYER, PLAYER_EXIT_LINE, num(a, 1) & 0xff));
}

static void do_raise(struct args *a)
{
	raise(num(a, 1));
}

static void do_abort(struct args *a)
{
	(void)a;
	abort();
}

static const struct replay_word {
	const char *name;
	int nr_args; /* minimum number of arguments */
	void (*play)(struct args *args);
} words[] = {
	{ "start", 0, do_start },
	{ "name", 1, do_name },
	{ "cmd_name", 1, do_name },
	{ "mode", 1, do_mode },
	{ "cmd_mode", 1, do_mode },
	{ "path", 1, do_path },
	{ "cmd_path", 1, do_path },
	{ "ancestry", 0, do_ancestry },
	{ "cmd_ancestry", 0, do_ancestry },
	{ "alias", 1, do_alias },
	{ "set_config", 2, do_set_config },
	{ "param", 1, do_param },
	{ "def_param", 1, do_param },
	{ "list_config", 0, do_list_config },
	{ "list_env", 0, do_list_env_vars },
	{ "list_env_vars", 0, do_list_env_vars },
	{ "def_repo", 1, do_def_repo },
	{ "repo", 1, do_def_repo },
	{ "enter", 0, do_enter },
	{ "region_enter", 0, do_enter },
	{ "leave", 0, do_leave },
	{ "region_leave", 0, do_leave },
	{ "data", 4, do_data },
	{ "string", 4, do_data },
	{ "int", 4, do_int },
	{ "intmax", 4, do_int },
	{ "json", 3, do_json },
	{ "child_start", 1, do_child_start },
	{ "child_exit", 3, do_child_exit },
	{ "child_ready", 3, do_child_ready },
	{ "exec", 0, do_exec },
	{ "exec_result", 2, do_exec_result },
	{ "printf", 1, do_printf },
	{ "error", 0, do_error },
	{ "timer_start", 1, do_timer_start },
	{ "timer_stop", 1, do_timer_stop },
	{ "counter", 2, do_counter },
	{ "counter_add", 2, do_counter },
	{ "thread_start", 1, do_thread_start },
	{ "thread_exit", 0, do_thread_exit },
	{ "thread", 1, do_thread },
	{ "threads", 1, do_thread },
	{ "spawn", 1, do_thread },
	{ "run", 1, do_thread },
	{ "exit", 1, do_exit },
	{ "cmd_exit", 1, do_exit },
	{ "return", 1, do_return },
	{ "raise", 1, do_raise },
	{ "abort", 0, do_abort },
};

static void unescape_arg(char *s)
{
	char *out = s;

	for (; *s; s++) {
		char hex[3] = "";

		if (*s != '\\' || !s[1]) {
			*out++ = *s;
			continue;
		}
		switch (*++s) {
		case 'n':
			*out++ = '\n';
			break;
		case 't':
			*out++ = '\t';
			break;
		case 'r':
			*out++ = '\r';
			break;
		case 'x':
			memcpy(hex, s + 1, s[1] ? 2 : 0);
			*out++ = (char)strtoul(hex, NULL, 16);
			s += strlen(hex);
			break;
		default:
			*out++ = *s;
		}
	}
	*out = '\0';
}

static void set_place(char *text)
{
	char *blank = strrchr(text, ' '), *tab = strrchr(text, '\t');

	if (tab && (!blank || tab > blank))
		blank = tab;
	if (blank) {
		*blank = '\0';
		place_line = (int)strtoll(blank + 1, NULL, 0);
	}
	unescape_arg(text);
	snprintf(place_file, sizeof(place_file), "%s", strcmp(text, "-") ? text : "");
}

static void split(struct args *args, char *line)
{
	args->nr = 0;
	while (args->nr < MAX_ARGS) {
		char *tab = strchr(line, '\t');

		if (tab)
			*tab = '\0';
		unescape_arg(line);
		args->v[args->nr++] = line;
		if (!tab)
			break;
		line = tab + 1;
	}
	args->v[args->nr] = NULL;
}

static void play_line(char *line)
{
	struct args *args;

	line[strcspn(line, "\n")] = '\0';
	if (!*line || *line == '#')
		return;
	if (*line == '@') {
		set_place(line + 1);
		return;
	}
	args = malloc(sizeof(*args));
	if (!args)
		exit(2);
	split(args, line);
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (!strcmp(words[i].name, args->v[0]) && args->nr > words[i].nr_args) {
			words[i].play(args);
			free(args);
			return;
		}
	fprintf(stderr, "trace2_replay: cannot play '%s' with %d arguments\n", args->v[0],
		args->nr - 1);
	exit(2);
}

/* `name` is a path, or a name in the directory of the first script, there also without its suffix
 * .sub or .script. */
static FILE *open_script(const char *name)
{
	FILE *f = fopen(name, "r");
	char path[4096];

	for (int i = 0; !f && i < 3; i++) {
		static const char *const forms[] = { "%s%s", "%s%s.sub", "%s%s.script" };

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		snprintf(path, sizeof(path), forms[i], script_dir, name);
#pragma GCC diagnostic pop
		f = fopen(path, "r");
	}
	return f;
}

static void play_file(const char *name)
{
	FILE *f = open_script(name);
	char *line = NULL;
	size_t cap = 0;

	if (!f) {
		fprintf(stderr, "trace2_replay: %s: %s\n", name, strerror(errno));
		exit(2);
	}
	while (getline(&line, &cap, f) > 0)
		play_line(line);
	free(line);
	fclose(f);
}

static void abort_like_git(const char *message)
{
	fprintf(stderr, "BUG: %s\n", message);
	abort();
}

static void declare_git_sums(void)
{
	trace2_timer_declare("test", "test1", 0);
	trace2_timer_declare("test", "test2", 1);
	trace2_counter_declare("test", "test1", 0);
	trace2_counter_declare("test", "test2", 1);
	trace2_counter_declare("packed-refs", "jumps_made", 0);
	trace2_counter_declare("reftable", "reseeks_made", 0);
	trace2_counter_declare("fsync", "writeout-only", 0);
	trace2_counter_declare("fsync", "hardware-flush", 0);
}

int main(int argc, char **argv)
{
	char *dir, *slash;

	trace2_initialize_clock();
	if (argc != 2) {
		fprintf(stderr, "usage: trace2_replay SCRIPT\n");
		return 2;
	}
	dir = strdup(argv[1]);
	slash = strrchr(dir, '/');
	if (slash)
		slash[1] = '\0';
	script_dir = slash ? dir : "";
	declare_git_sums();
	trace2_set_version("2.55.0.618.g1a3e64c6c4");
	trace2_set_bug_handler(abort_like_git);
	trace2_initialize_fl("common-init.c", 77);
	trace2_cmd_start_fl("common-init.c", 78, (const char **)argv);
	trace2_collect_process_info(TRACE2_PROCESS_INFO_STARTUP);
	play_file(argv[1]);
	free(dir);
	return trace2_cmd_exit_fl(PLAYER, PLAYER_EXIT_LINE, 0);
}
