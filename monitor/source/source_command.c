/* SPDX-License-Identifier: MIT */
/*
 * The source `-- COMMAND`: runs a command that is traced into a private stream socket. Without
 * --once the command gets a pseudo-terminal, which is read so that the command does not block when
 * it writes.
 */
#include "config.h"
#include "monitor/base/platform.h"
#include "monitor/source/source.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "monitor/base/die.h"
#include "monitor/base/shortage.h"
#include "monitor/source/command_output.h"
#include "monitor/source/listener.h"
#include "monitor/source/private_dir.h"
#include "monitor/source/traced_command.h"

#define NOT_FOUND      127
#define NOT_EXECUTABLE 126
/* Wait status of exit(1), if the real status is unknown. */
#define STATUS_LOST (1 << 8)
/* A last line of output without LF or CR may be a prompt if nothing follows for this long. */
#define ASKS_NS NS_PER_SEC
/* Without pidfds, seconds between checks whether the command has ended. */
#define LOOK_S 0.02

struct traced_command {
	struct source *source;
	struct listener *listener;
	struct private_dir dir;
	char *socket;
	pid_t pid;
	/* the command leads its own process group */
	bool own_group;
	int pty;   /* trace2top's side of the pseudo-terminal; -1: none */
	int pidfd; /* pidfd of the command; -1: none */
	ev_io pty_io, pid_io;
	ev_timer look;
	struct command_output output;

	pthread_mutex_t lock; /* protects `state`, `status` and `ended_ns` */
	enum command_state state;
	int status;
	ns_t begun_ns, ended_ns; /* monotonic times of the command's start and end */
	ns_t begun_wall_ns;      /* wall time of the command's start */
};

/* True if the command's terminal has canonical mode or echo off, as for an editor, a pager or a
 * passphrase prompt. */
static bool takes_keys(const struct traced_command *c)
{
	struct termios is;

	return !tcgetattr(c->pty, &is) && (is.c_lflag & (ECHO | ICANON)) != (ECHO | ICANON);
}

bool traced_command_may_wait(struct traced_command *c)
{
	bool may_wait;

	if (!c || c->pty < 0)
		return false;
	pthread_mutex_lock(&c->lock);
	may_wait = c->state == COMMAND_RUNNING;
	pthread_mutex_unlock(&c->lock);
	return may_wait && (command_output_hangs(&c->output, ASKS_NS) || takes_keys(c));
}

size_t traced_command_type(struct traced_command *c, const char *bytes, size_t len)
{
	ssize_t n = c && c->pty >= 0 ? write(c->pty, bytes, len) : 0;

	return n > 0 ? (size_t)n : 0;
}

static void pty_read(struct ev_loop *loop, ev_io *w, int revents)
{
	struct traced_command *c = w->data;
	char buf[16 << 10];

	(void)revents;
	for (int turn = 0; turn < 16; turn++) {
		ssize_t n = read(w->fd, buf, sizeof(buf));

		if (n > 0) {
			command_output_add(&c->output, buf, (size_t)n);
			continue;
		}
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			break;
		/* EOF or an error, usually EIO: no process has the terminal open. */
		ev_io_stop(loop, w);
		break;
	}
	source_wake(c->source->context);
}

static bool command_reap(struct traced_command *c)
{
	struct source_context *context = c->source->context;
	struct ev_loop *loop = context->loop;
	int status;
	pid_t pid = waitpid(c->pid, &status, WNOHANG);

	if (!pid || (pid < 0 && errno != ECHILD))
		return false;
	/* Read pending output before reporting the end. */
	if (ev_is_active(&c->pty_io))
		pty_read(loop, &c->pty_io, 0);
	/* ECHILD: the command was reaped already, so its status is unknown. */
	if (pid < 0)
		status = STATUS_LOST;
	if (c->pidfd >= 0)
		ev_io_stop(loop, &c->pid_io);
	ev_timer_stop(loop, &c->look);
	pthread_mutex_lock(&c->lock);
	c->state = COMMAND_ENDED;
	c->status = status;
	c->ended_ns = tr2_clock_monotonic();
	pthread_mutex_unlock(&c->lock);
	/* With --once, reading ends with the command. */
	if (context->config.once)
		context->on_ended(context->ended_data);
	source_wake(context);
	return true;
}

static void pid_ended(struct ev_loop *loop, ev_io *w, int revents)
{
	(void)loop;
	(void)revents;
	command_reap(w->data);
}

static void command_poll_pid(struct ev_loop *loop, ev_timer *w, int revents)
{
	(void)loop;
	(void)revents;
	command_reap(w->data);
}

enum command_state traced_command_state(struct traced_command *c, int *wait_status, ns_t *ran_ns)
{
	enum command_state state;

	if (!c)
		return COMMAND_NONE;
	pthread_mutex_lock(&c->lock);
	state = c->state;
	*wait_status = c->status;
	*ran_ns = (state == COMMAND_ENDED ? c->ended_ns : tr2_clock_monotonic()) - c->begun_ns;
	pthread_mutex_unlock(&c->lock);
	return state;
}

bool traced_command_killed(struct traced_command *c, pid_t *pid, int *signo, ns_t *ended)
{
	bool killed;

	if (!c)
		return false;
	pthread_mutex_lock(&c->lock);
	killed = c->state == COMMAND_ENDED && WIFSIGNALED(c->status);
	*pid = c->pid;
	*signo = killed ? WTERMSIG(c->status) : 0;
	*ended = c->begun_wall_ns + (c->ended_ns - c->begun_ns);
	pthread_mutex_unlock(&c->lock);
	return killed;
}

ns_t traced_command_begun(const struct traced_command *c)
{
	return c ? c->begun_wall_ns : NS_NONE;
}

void traced_command_signal(struct traced_command *c, int signo)
{
	bool runs;

	if (!c)
		return;
	pthread_mutex_lock(&c->lock);
	runs = c->state == COMMAND_RUNNING;
	pthread_mutex_unlock(&c->lock);
	if (!runs)
		return;
	/* Send SIGSTOP for SIGTSTP, which the kernel ignores in an orphaned process group such as
	 * the command's. */
	if (signo == SIGTSTP && c->pty >= 0)
		signo = SIGSTOP;
	if (c->own_group)
		kill(-c->pid, signo);
	/* the terminal itself sends SIGINT and SIGTSTP to the command */
	else if (signo != SIGINT && signo != SIGTSTP)
		kill(c->pid, signo);
}

void traced_command_resize(struct traced_command *c, int cols, int rows)
{
	struct winsize size = { .ws_col = (unsigned short)cols, .ws_row = (unsigned short)rows };

	if (c && c->pty >= 0)
		ioctl(c->pty, TIOCSWINSZ, &size);
}

static void child_environment(const char *socket)
{
	char *target = source_socket_spec(socket);

	setenv("GIT_TRACE2_EVENT", target, 1);
	free(target);
	setenv("GIT_TRACE2_EVENT_NESTING", "100", 1);
	setenv("GIT_TRACE2_EVENT_BRIEF", "0", 1);
	unsetenv("GIT_TRACE2_PARENT_SID");
	unsetenv("GIT_TRACE2_PARENT_NAME");
}

static void child_signals(void)
{
	sigset_t none;

	sigemptyset(&none);
	for (int signo = 1; signo < PLATFORM_NSIG; signo++)
		signal(signo, SIG_DFL);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* True if a directory in PATH has a file with the name `name`. Also true if `name` has a slash or
 * PATH is unset. */
static bool program_exists(const char *name)
{
	const char *dirs = getenv("PATH");
	char path[PATH_MAX];
	struct stat st;

	if (strchr(name, '/') || !dirs)
		return true;
	for (;; dirs++) {
		size_t len = strcspn(dirs, ":");

		snprintf(path, sizeof(path), "%.*s%s%s", (int)len, dirs, len ? "/" : "", name);
		if (!stat(path, &st))
			return true;
		dirs += len;
		if (!*dirs)
			return false;
	}
}

/* Use /dev/null as standard input and begin a new session, so that the command cannot read keys
 * typed for trace2top. */
static void input_leave(void)
{
	int fd = open("/dev/null", O_RDONLY);

	setsid();
	if (fd >= 0)
		dup2(fd, STDIN_FILENO);
	if (fd > STDERR_FILENO)
		close(fd);
}

/* If the command cannot be executed, writes errno to the pipe `report` and exits. */
static _Noreturn void child_run(const struct traced_command *c, char **argv, const char *slave,
				int report)
{
	int err, fd;

	child_signals();
	if (slave) {
		setsid();
		fd = open(slave, O_RDWR);
		if (fd >= 0) {
			ioctl(fd, TIOCSCTTY, 0);
			dup2(fd, STDIN_FILENO);
			dup2(fd, STDOUT_FILENO);
			dup2(fd, STDERR_FILENO);
			if (fd > STDERR_FILENO)
				close(fd);
		}
	} else {
		if (c->source->context->config.keeps_input)
			input_leave();
		else if (c->own_group)
			setpgid(0, 0);
		dup2(STDERR_FILENO, STDOUT_FILENO);
	}
	/* Git's pager would wait for keys, but trace2top reads the keyboard. */
	if (slave || c->source->context->config.keeps_input)
		setenv("GIT_PAGER", "cat", 1);
	child_environment(c->socket);
	if (c->source->context->nr_files.rlim_max)
		setrlimit(RLIMIT_NOFILE, &c->source->context->nr_files);
	execvp(argv[0], argv);
	err = errno;
	/*
	 * execvp() also sets EACCES if a directory in PATH cannot be searched; then report ENOENT.
	 */
	if (err == EACCES && !program_exists(argv[0]))
		err = ENOENT;
	if (write(report, &err, sizeof(err)) < 0)
		_exit(NOT_EXECUTABLE);
	_exit(err == ENOENT ? NOT_FOUND : NOT_EXECUTABLE);
}

static int pty_open(int cols, int rows, char *slave, size_t slave_bytes)
{
	struct winsize size = { .ws_col = (unsigned short)cols, .ws_row = (unsigned short)rows };
	int fd = platform_open_terminal(slave, slave_bytes);

	if (fd < 0)
		return -1;
	ioctl(fd, TIOCSWINSZ, &size);
	return fd;
}

static bool private_socket(struct traced_command *c, char *why, size_t why_bytes)
{
	char path[108];

	if (!private_dir_make(&c->dir, why, why_bytes))
		return false;
	snprintf(path, sizeof(path), "%s/" PRIVATE_DIR_SOCKET, c->dir.path);
	c->socket = xstrdup(path);
	c->listener = listener_open(c->source, path, SOCK_STREAM, 0600, why, why_bytes);
	private_dir_hold(&c->dir);
	if (c->listener)
		source_make_rings(c->source, path);
	return c->listener != NULL;
}

/* Return the errno that the child wrote to the pipe; 0: none, usually because execvp() closed the
 * pipe. */
static int exec_error(int report)
{
	int err = 0;
	ssize_t n;

	do
		n = read(report, &err, sizeof(err));
	while (n < 0 && errno == EINTR);
	close(report);
	return n == (ssize_t)sizeof(err) ? err : 0;
}

static bool command_spawn(struct traced_command *c, char **argv, int cols, int rows, char *why,
			  size_t why_bytes)
{
	char slave[64];
	bool has_pty = !c->source->context->config.once;
	int report[2], err;

	c->pty = has_pty ? pty_open(cols, rows, slave, sizeof(slave)) : -1;
	if (has_pty && c->pty < 0) {
		snprintf(why, why_bytes, "cannot make a terminal for the command: %s%s",
			 strerror(errno), shortage_recover(errno));
		return false;
	}
	if (platform_pipe(report, false)) {
		snprintf(why, why_bytes, "cannot start the command: %s%s", strerror(errno),
			 shortage_recover(errno));
		return false;
	}
	c->own_group = has_pty || c->source->context->config.keeps_input || !isatty(STDIN_FILENO);
	c->begun_ns = tr2_clock_monotonic();
	c->begun_wall_ns = tr2_clock_wall();
	c->pid = fork();
	if (c->pid < 0) {
		snprintf(why, why_bytes, "cannot start the command: %s", strerror(errno));
		close(report[0]);
		close(report[1]);
		return false;
	}
	if (!c->pid)
		child_run(c, argv, has_pty ? slave : NULL, report[1]);
	close(report[1]);
	c->state = COMMAND_RUNNING;
	err = exec_error(report[0]);
	if (!err)
		return true;
	waitpid(c->pid, &c->status, 0);
	c->state = COMMAND_ENDED;
	c->ended_ns = tr2_clock_monotonic();
	snprintf(why, why_bytes, "%s: %s", argv[0],
		 err == ENOENT ? "command not found" : strerror(err));
	return false;
}

static bool claims_command(const struct stat *st)
{
	(void)st;
	/* only sources_add_command() creates this kind of source */
	return false;
}

static bool open_command(struct source *s, char *why, size_t why_bytes)
{
	struct traced_command *c = xcalloc(1, sizeof(*c));

	pthread_mutex_init(&c->lock, NULL);
	command_output_init(&c->output);
	c->source = s;
	c->pty = c->pidfd = -1;
	s->priv = c;
	s->context->command = c;
	s->context->output = &c->output;
	source_set_state(s, SOURCE_FOLLOWING);
	return private_socket(c, why, why_bytes);
}

bool source_command_run(struct source *s, char **argv, int cols, int rows, char *why,
			size_t why_bytes)
{
	return open_command(s, why, why_bytes) &&
	       command_spawn(s->priv, argv, cols, rows, why, why_bytes);
}

static void command_start(struct source *s)
{
	struct traced_command *c = s->priv;
	struct ev_loop *loop = s->context->loop;

	listener_start(c->listener);
	if (c->pty >= 0) {
		ev_io_init(&c->pty_io, pty_read, c->pty, EV_READ);
		c->pty_io.data = c;
		ev_io_start(loop, &c->pty_io);
	}
	ev_timer_init(&c->look, command_poll_pid, LOOK_S, LOOK_S);
	c->look.data = c;
	c->pidfd = platform_process_descriptor(c->pid);
	if (c->pidfd < 0) {
		ev_timer_start(loop, &c->look);
		return;
	}
	ev_io_init(&c->pid_io, pid_ended, c->pidfd, EV_READ);
	c->pid_io.data = c;
	ev_io_start(loop, &c->pid_io);
}

static void command_drain(struct source *s)
{
	listener_stop(((struct traced_command *)s->priv)->listener);
}

static bool command_is_empty(struct source *s)
{
	return listener_is_empty(((struct traced_command *)s->priv)->listener);
}

static void command_finish(struct source *s)
{
	listener_hang_up(((struct traced_command *)s->priv)->listener);
}

static void command_close(struct source *s)
{
	struct traced_command *c = s->priv;

	if (!c)
		return;
	s->context->command = NULL;
	s->context->output = NULL;
	if (ev_is_active(&c->pty_io))
		ev_io_stop(s->context->loop, &c->pty_io);
	if (ev_is_active(&c->pid_io))
		ev_io_stop(s->context->loop, &c->pid_io);
	if (ev_is_active(&c->look))
		ev_timer_stop(s->context->loop, &c->look);
	if (c->pty >= 0)
		/* Closing `pty` hangs up the terminal: the kernel sends SIGHUP to its session's
		 * leader and foreground processes. */
		close(c->pty);
	if (c->pidfd >= 0)
		close(c->pidfd);
	if (c->listener)
		listener_close(c->listener);
	private_dir_remove(&c->dir);
	pthread_mutex_destroy(&c->lock);
	command_output_release(&c->output);
	free(c->socket);
	free(c);
	s->priv = NULL;
}

const struct source_ops source_command = {
	.kind = "command",
	.claims = claims_command,
	.open = open_command,
	.start = command_start,
	.drain = command_drain,
	.is_empty = command_is_empty,
	.finish = command_finish,
	.close = command_close,
};
