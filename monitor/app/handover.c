/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/utf8.h"
#include "monitor/base/die.h"
#include "monitor/base/platform.h"

#define TOLD " Foreground command: Ctrl-] returns to trace2top "
/* Interval in seconds of checks whether the editor has ended. */
#define LOOK_S 0.05
/* exit status of a shell that did not find the command */
#define NOT_THERE 127

static void foreground_rewind(void *data)
{
	((struct handover *)data)->at = 0;
}

static size_t foreground_output(void *data, char *out, size_t bytes)
{
	struct handover *handover = data;

	return intake_command_read(handover->intake, &handover->at, out, bytes);
}

static size_t foreground_input(void *data, const char *bytes, size_t len)
{
	struct handover *handover = data;

	return intake_command_type(handover->intake, bytes, len);
}

void handover_resized(const struct handover *handover)
{
	int cols, rows;

	terminal_size(&cols, &rows);
	rows -= handover->to == LENT_COMMAND ? TERMINAL_FOREGROUND_ROWS : 0;
	intake_command_resize(handover->intake, cols, rows);
}

void handover_command(struct handover *handover)
{
	const struct terminal_foreground foreground = { foreground_rewind, foreground_output,
							foreground_input, handover, TOLD };

	handover->to = LENT_COMMAND;
	terminal_hand_over(handover->terminal, &foreground);
	handover_resized(handover);
}

void handover_key(struct handover *handover, const struct key_event *key)
{
	char bytes[4];

	if (key->key == TERMINAL_FOREGROUND_KEY)
		handover_end(handover);
	else if (key->key < KEY_CODE_FIRST)
		intake_command_type(handover->intake, bytes, tr2_utf8_encode(key->key, bytes));
}

static void handover_take_back(struct handover *handover, const char *notice)
{
	handover->to = LENT_NOBODY;
	handover_resized(handover);
	terminal_resume(handover->terminal);
	handover->back(handover->data, notice);
}

void handover_end(struct handover *handover)
{
	if (handover->to == LENT_COMMAND)
		handover_take_back(handover, NULL);
}

/* Editors that expect FILE:LINE instead of `+LINE FILE`, and the option before FILE:LINE; NULL:
 * none. */
static const struct {
	const char *name, *option;
} other_editors[] = {
	{ "code", "-g" },  { "codium", "-g" }, { "hx", NULL },
	{ "helix", NULL }, { "subl", NULL },   { "zed", NULL },
};

static const char *editor_words(void)
{
	const char *names[] = { "VISUAL", "EDITOR" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *words = getenv(names[i]);

		if (words && words[strspn(words, " \t")])
			return words;
	}
	return "vi";
}

/* True if the last path component of the first word in `words` is `name`. */
static bool is_editor(const char *words, const char *name)
{
	size_t len, name_len = strlen(name);

	words += strspn(words, " \t");
	len = strcspn(words, " \t");
	return len >= name_len && !memcmp(words + len - name_len, name, name_len) &&
	       (len == name_len || words[len - name_len - 1] == '/');
}

struct call {
	const char *argv[8];
	char script[4096], place[PATH_MAX + 32], line[32];
};

/* The path is an argument, not part of the shell's script, and starts with '/', so that the editor
 * does not take it for an option. */
static void call_make(struct call *call, const char *path, int64_t line)
{
	const char *words = editor_words(), *option = call->line, *place = path;
	int nr = 0;

	snprintf(call->script, sizeof(call->script), "%s \"$@\"", words);
	snprintf(call->place, sizeof(call->place), "%s:%" PRId64, path, line);
	snprintf(call->line, sizeof(call->line), "+%" PRId64, line);
	for (size_t i = 0; i < sizeof(other_editors) / sizeof(*other_editors); i++)
		if (is_editor(words, other_editors[i].name)) {
			option = other_editors[i].option;
			place = call->place;
		}
	*call->argv = "sh";
	call->argv[++nr] = "-c";
	call->argv[++nr] = call->script;
	call->argv[++nr] = words;
	if (line > 0 && option)
		call->argv[++nr] = option;
	call->argv[++nr] = line > 0 ? place : path;
	call->argv[++nr] = NULL;
}

static _Noreturn void call_run(const struct call *call)
{
	sigset_t none;
	int tty;

	sigemptyset(&none);
	for (int signo = 1; signo < PLATFORM_NSIG; signo++)
		signal(signo, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
	/* Standard input may be data; then open the terminal for the editor. */
	tty = isatty(STDIN_FILENO) ? -1 : open("/dev/tty", O_RDWR);
	if (tty >= 0)
		dup2(tty, STDIN_FILENO);
	execv("/bin/sh", (char *const *)call->argv);
	_exit(NOT_THERE);
}

static bool find_file(const char *file, char path[PATH_MAX], char *why, size_t why_bytes)
{
	char here[PATH_MAX];
	struct stat st;
	size_t len;

	if (!realpath(".", here) || !realpath(file, path)) {
		snprintf(why, why_bytes,
			 "%s not found; start trace2top in the source tree of the program", file);
		return false;
	}
	len = strcmp(here, "/") ? strlen(here) : 0;
	if (strncmp(path, here, len) || path[len] != '/' || stat(path, &st) ||
	    !S_ISREG(st.st_mode)) {
		snprintf(why, why_bytes, "%s is not a file below the working directory", file);
		return false;
	}
	return true;
}

static void editor_check(struct ev_loop *ev, ev_timer *w, int revents)
{
	struct handover *handover = w->data;
	char notice[300];
	int status;
	pid_t pid = waitpid(handover->editor, &status, WNOHANG);

	(void)revents;
	if (!pid || (pid < 0 && errno == EINTR))
		return;
	ev_timer_stop(ev, w);
	sigaction(SIGQUIT, &handover->quit_was, NULL);
	if (pid > 0 && WIFEXITED(status) && WEXITSTATUS(status) == NOT_THERE)
		snprintf(notice, sizeof(notice), "editor '%.200s' not found; set EDITOR",
			 editor_words());
	else
		snprintf(notice, sizeof(notice), "editor '%.200s' failed", editor_words());
	handover_take_back(handover, pid > 0 && !status ? NULL : notice);
}

bool handover_editor(struct handover *handover, const char *file, int64_t line, char *why,
		     size_t why_bytes)
{
	struct sigaction ignored = { .sa_handler = SIG_IGN };
	char path[PATH_MAX];
	struct call call;

	if (!find_file(file, path, why, why_bytes))
		return false;
	call_make(&call, path, line);
	terminal_suspend(handover->terminal);
	handover->editor = fork();
	if (!handover->editor)
		call_run(&call);
	if (handover->editor < 0) {
		snprintf(why, why_bytes, "cannot start the editor: %s", strerror(errno));
		terminal_resume(handover->terminal);
		return false;
	}
	handover->to = LENT_EDITOR;
	/* Ctrl-\, like Ctrl-C, is for the editor only. */
	sigaction(SIGQUIT, &ignored, &handover->quit_was);
	ev_timer_init(&handover->look, editor_check, LOOK_S, LOOK_S);
	handover->look.data = handover;
	ev_timer_start(handover->ev, &handover->look);
	return true;
}
