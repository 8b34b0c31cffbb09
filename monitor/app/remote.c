/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/remote.h"
#include "monitor/app/remote_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/buf.h"
#include "monitor/base/platform.h"
#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/base/spawn.h"
#include "monitor/read/reader.h"

#define NOT_FOUND  127
#define SSH_FAILED 255
/* Maximum bytes of ssh's stderr that are kept before the trace of a remote command starts. */
#define SAID_MAX_BYTES (64u << 10)

extern char **environ;

/* Append a word in single quotes for a shell; only a single quote needs escaping. */
static void word_add(struct tr2_buf *out, const char *word)
{
	tr2_buf_addstr(out, " '");
	for (; *word; word++)
		if (*word == '\'')
			tr2_buf_addstr(out, "'\\''");
		else
			tr2_buf_addch(out, *word);
	tr2_buf_addch(out, '\'');
}

static void option_add(struct tr2_buf *out, const char *option, const char *value)
{
	struct tr2_buf word;

	tr2_buf_init(&word, SIZE_MAX / 2);
	tr2_buf_addf(&word, "--%s=%s", option, value);
	word_add(out, tr2_buf_cstr(&word));
	tr2_buf_release(&word);
}

/* Shell command that follows a file until EOF on standard input. A tail that has nothing to write
 * would not notice that ssh has ended. */
#define FOLLOW "sh -c 'tail -c +1 -F -- \"$1\" & cat >/dev/null; kill $!' sh"

static const char *tail_path(const struct options *o)
{
	return !o->remote_command && !o->attach && o->nr_sources == 1 && *o->sources[0] == '/'
		       ? o->sources[0]
		       : NULL;
}

static void options_add(struct tr2_buf *out, const struct options *o)
{
	const char *format = reader_words[o->input_format].word;
	char mode[16];

	/* The report of the relay is not used, so its options are not passed on. */
	if (o->once)
		tr2_buf_addstr(out, " --once --max-processes=100 -o /dev/null");
	if (o->new_only)
		tr2_buf_addstr(out, " --new");
	if (o->attach)
		tr2_buf_addstr(out, " --attach");
	if (option_given(o, &o->input_format))
		option_add(out, "input-format", format);
	if (option_given(o, &o->socket_mode)) {
		snprintf(mode, sizeof(mode), "%o", o->socket_mode);
		option_add(out, "socket-mode", mode);
	}
}

static char *remote_command(const struct options *o)
{
	const char *tail = tail_path(o);
	struct tr2_buf out;

	tr2_buf_init(&out, SIZE_MAX / 2);
	tr2_buf_addstr(&out, REMOTE_COPY_PATH);
	if (tail) {
		tr2_buf_addstr(&out, "command -v trace2top >/dev/null 2>&1 || exec ");
		tr2_buf_addstr(&out, o->once ? "cat --" : FOLLOW);
		word_add(&out, tail);
		tr2_buf_addstr(&out, "; ");
	}
	tr2_buf_addstr(&out, "exec trace2top --no-config --record=-");
	options_add(&out, o);
	for (int i = 0; i < o->nr_sources; i++)
		word_add(&out, o->sources[i]);
	for (char **arg = o->remote_command; arg && *arg; arg++) {
		if (arg == o->remote_command)
			tr2_buf_addstr(&out, " --");
		word_add(&out, *arg);
	}
	if (out.failed || !tr2_buf_cstr(&out))
		die_of_memory(out.len);
	return out.data;
}

char *remote_spec(const struct options *o)
{
	struct tr2_buf out;

	tr2_buf_init(&out, SIZE_MAX / 2);
	tr2_buf_addstr(&out, o->remote);
	tr2_buf_addch(&out, ':');
	for (int i = 0; i < o->nr_sources; i++)
		tr2_buf_addf(&out, "%s%s", i ? " " : "", o->sources[i]);
	if (o->attach)
		tr2_buf_addstr(&out, " --attach");
	for (char **arg = o->remote_command; arg && *arg; arg++)
		tr2_buf_addf(&out, " %s%s", arg == o->remote_command ? "-- " : "", *arg);
	if (out.failed || !tr2_buf_cstr(&out))
		die_of_memory(out.len);
	return out.data;
}

static int spawn_ssh(const char *host, const char *command, int in, int out, int err, pid_t *pid)
{
	const char *argv[] = { "ssh", "-T", "--", host, command, NULL };

	return spawn_program(argv, in, out, err, environ, pid);
}

static void close_two(const int fds[2])
{
	close(fds[0]);
	close(fds[1]);
}

/* Start ssh with a socket as its standard output, because wait_for_data() reads with MSG_PEEK. */
static bool ssh_start(const struct options *o, struct relay *relay, char *why, size_t why_bytes)
{
	int data[2], in[2], err[2], failed = 0;
	char *command;

	*relay = (struct relay){ .pid = -1, .of_command = o->remote_command != NULL };
	if (platform_socketpair(SOCK_STREAM, data)) {
		failed = errno;
	} else if (platform_pipe(in, false)) {
		failed = errno;
		close_two(data);
	} else if (platform_pipe(err, false)) {
		failed = errno;
		close_two(data);
		close_two(in);
	} else {
		command = remote_command(o);
		failed = spawn_ssh(o->remote, command, in[0], data[1], err[1], &relay->pid);
		free(command);
		close(in[0]);
		close(data[1]);
		close(err[1]);
		relay->data = data[0];
		relay->input = in[1];
		relay->errors = err[0];
		if (failed) {
			close(data[0]);
			close(in[1]);
			close(err[0]);
		}
	}
	if (failed)
		snprintf(why, why_bytes, "cannot run ssh: %s", strerror(failed));
	return !failed;
}

#define OWN_LINE "trace2top: "

struct hearing {
	struct relay *relay;
	/* stderr also has the traced command's output, so lines are passed on unchanged */
	bool is_output;
	char held[1024];
	size_t nr;
	bool is_there; /* a line of trace2top showed that it runs on the remote host */
};

static void remote_line_format(struct hearing *h, size_t len)
{
	h->is_there |= len > strlen(OWN_LINE) && !memcmp(h->held, OWN_LINE, strlen(OWN_LINE));
	if (h->is_output) {
		fwrite(h->held, 1, len, stderr);
		return;
	}
	while (len && (h->held[len - 1] == '\r' || h->held[len - 1] == '\n'))
		len--;
	if (len)
		complain_print_error("ssh: %.*s", (int)len, h->held);
}

/* If a command is traced, ssh's stderr contains the command's output, which the screen shows. */
static void remote_keep(struct relay *relay, const char *bytes, size_t len)
{
	if (!relay->of_command || relay->nr_said + len > SAID_MAX_BYTES)
		return;
	relay->said = xrealloc(relay->said, relay->nr_said + len);
	memcpy(relay->said + relay->nr_said, bytes, len);
	relay->nr_said += len;
}

/* Pass on lines of ssh's stderr. Returns false at EOF and on error. */
static bool errors_pass(struct hearing *h)
{
	ssize_t n = read(h->relay->errors, h->held + h->nr, sizeof(h->held) - h->nr);
	char *end;

	if (n < 0)
		return errno == EINTR || errno == EAGAIN;
	if (!h->is_output)
		remote_keep(h->relay, h->held + h->nr, (size_t)n);
	h->nr += (size_t)n;
	while ((end = memchr(h->held, '\n', h->nr)) || h->nr == sizeof(h->held) || (!n && h->nr)) {
		size_t len = end ? (size_t)(end - h->held) + 1 : h->nr;

		remote_line_format(h, len);
		memmove(h->held, h->held + len, h->nr - len);
		h->nr -= len;
	}
	return n > 0;
}

/* Wait for the first data of the relay. Returns false if the relay ended before; then `is_there` is
 * true if ssh's stderr has a line of trace2top. */
static bool wait_for_data(struct relay *relay, bool has_screen, bool *is_there)
{
	struct pollfd fds[2] = { { relay->data, POLLIN, 0 }, { relay->errors, POLLIN, 0 } };
	struct hearing hearing = { .relay = relay, .is_output = relay->of_command && !has_screen };
	char first;

	for (;;) {
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[1].revents && !errors_pass(&hearing))
			fds[1].fd = -1;
		if (!fds[0].revents)
			continue;
		/* Read the remaining messages before reporting the end of the relay. */
		if (recv(relay->data, &first, 1, MSG_PEEK) > 0) {
			if (hearing.is_output)
				fwrite(hearing.held, 1, hearing.nr, stderr);
			return true;
		}
		while (fds[1].fd >= 0 && errors_pass(&hearing))
			;
		*is_there = hearing.is_there;
		return false;
	}
}

static void why_it_ended(const struct options *o, int status, bool is_there, char *why,
			 size_t why_bytes)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	if (code == NOT_FOUND && !is_there)
		snprintf(why, why_bytes,
			 "trace2top is not installed on %s; install it there, or follow one file "
			 "by its absolute path",
			 o->remote);
	else if (code == SSH_FAILED)
		snprintf(why, why_bytes, "cannot connect to %s with ssh", o->remote);
	else if (WIFSIGNALED(status))
		snprintf(why, why_bytes, "ssh was killed by signal %d", WTERMSIG(status));
	else
		snprintf(why, why_bytes, "trace2top on %s exited at once with status %d", o->remote,
			 code);
}

/* Give signals their default action, because no files must be removed yet; if `back`, give them
 * the actions `before` again. */
static void signals_default(struct sigaction *before, bool back)
{
	static const int signals[] = { SIGINT, SIGTERM, SIGHUP, SIGTSTP };
	struct sigaction standard = { .sa_handler = SIG_DFL };

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], back ? &before[i] : &standard, back ? NULL : &before[i]);
}

static bool relay_start(const struct options *o, struct relay *relay, bool *missing, char *why,
			size_t why_bytes)
{
	int status = 0;
	bool is_there = false;

	*missing = false;
	if (!ssh_start(o, relay, why, why_bytes))
		return false;
	if (wait_for_data(relay, !o->once && !o->is_headless, &is_there))
		return true;
	close(relay->input);
	close(relay->data);
	close(relay->errors);
	free(relay->said);
	while (waitpid(relay->pid, &status, 0) < 0 && errno == EINTR)
		;
	*missing = WIFEXITED(status) && WEXITSTATUS(status) == NOT_FOUND && !is_there;
	why_it_ended(o, status, is_there, why, why_bytes);
	return false;
}

bool remote_open(const struct options *o, struct relay *relay, char *why, size_t why_bytes)
{
	struct sigaction before[4];
	bool started, missing;

	signals_default(before, false);
	started = relay_start(o, relay, &missing, why, why_bytes) ||
		  (missing && remote_copy_offer(o->remote, why, why_bytes) &&
		   relay_start(o, relay, &missing, why, why_bytes));
	signals_default(before, true);
	return started;
}
