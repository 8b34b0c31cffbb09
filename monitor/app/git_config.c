/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/git_config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/base/die.h"
#include "monitor/base/spawn.h"

#define KEY            "trace2.eventTarget"
#define OUT_MAX_BYTES  (1u << 20)
#define LOCKED_TRY_MS  50
#define LOCKED_TRIES   (4000 / LOCKED_TRY_MS)
#define NOTHING_THERE  1 /* exit codes of `git config` */
#define NOTHING_UNSET  5
#define COULD_NOT_LOCK 255

extern char **environ;

/* What would make Git look at another configuration, or trace what we ask of it. */
static bool is_left_out(const char *variable)
{
	static const char *const names[] = {
		"GIT_TRACE2",      "GIT_DIR=",          "GIT_WORK_TREE=",
		"GIT_COMMON_DIR=", "GIT_CONFIG_COUNT=", "GIT_CONFIG_PARAMETERS=",
		"GIT_CONFIG=",     "LC_ALL=",           "GIT_DISCOVERY_ACROSS"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strncmp(variable, names[i], strlen(names[i])))
			return true;
	return false;
}

static char **environment(void)
{
	static char none[][24] = { "LC_ALL=C", "GIT_TRACE2=0", "GIT_TRACE2_PERF=0",
				   "GIT_TRACE2_EVENT=0" };
	size_t nr = 0, set = sizeof(none) / sizeof(none[0]);
	char **out;

	while (environ[nr])
		nr++;
	out = xcalloc(nr + set + 1, sizeof(*out));
	for (size_t i = 0; i < set; i++)
		out[i] = none[i];
	for (size_t i = 0, to = set; i < nr; i++)
		if (!is_left_out(environ[i]))
			out[to++] = environ[i];
	return out;
}

static int spawn_git(const char *const *argv, int out, int err, pid_t *pid)
{
	char **env = environment();
	int failed = spawn_program(argv, -1, out, err, env, pid);

	free(env);
	return failed;
}

/* False once nobody can write there any more. */
static bool take(int fd, struct tr2_buf *to)
{
	char bytes[4096];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n > 0)
		tr2_buf_add(to, bytes, (size_t)n);
	return n > 0 || (n < 0 && errno == EINTR);
}

static void collect(int out_fd, struct tr2_buf *out, int err_fd, struct tr2_buf *err)
{
	struct pollfd fds[2] = { { out_fd, POLLIN, 0 }, { err_fd, POLLIN, 0 } };

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[0].revents && !take(out_fd, out))
			fds[0].fd = -1;
		if (fds[1].revents && !take(err_fd, err))
			fds[1].fd = -1;
	}
}

/* The first line of what Git said, without what a terminal would heed. */
static void why_take(struct tr2_buf *err, char *why)
{
	const char *text = tr2_buf_cstr(err);
	size_t len = strcspn(text, "\n");

	snprintf(why, GIT_WHY_BYTES, "%.*s", (int)(len < 350 ? len : 350),
		 len ? text : "git config failed");
	for (char *p = why; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = '?';
}

/*
 * Run `git -C / ...`, to its end; its output is added to `out`. Its exit code; -1 where it could
 * not be run or was killed. `why` says what is wrong where that is not 0.
 */
static int run(const char *const *args, struct tr2_buf *out, char *why)
{
	const char *argv[16] = { "git", "-C", "/" };
	struct tr2_buf err;
	int out_pipe[2], err_pipe[2], failed, status = -1;
	pid_t pid;

	for (int i = 0; args[i]; i++)
		argv[3 + i] = args[i];
	if (pipe2(out_pipe, O_CLOEXEC)) {
		snprintf(why, GIT_WHY_BYTES, "cannot run git: %s", strerror(errno));
		return -1;
	}
	if (pipe2(err_pipe, O_CLOEXEC)) {
		snprintf(why, GIT_WHY_BYTES, "cannot run git: %s", strerror(errno));
		close(out_pipe[0]);
		close(out_pipe[1]);
		return -1;
	}
	failed = spawn_git(argv, out_pipe[1], err_pipe[1], &pid);
	close(out_pipe[1]);
	close(err_pipe[1]);
	tr2_buf_init(&err, OUT_MAX_BYTES);
	if (failed) {
		snprintf(why, GIT_WHY_BYTES, "cannot run git: %s", strerror(failed));
	} else {
		collect(out_pipe[0], out, err_pipe[0], &err);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		why_take(&err, why);
	}
	close(out_pipe[0]);
	close(err_pipe[0]);
	tr2_buf_release(&err);
	return !failed && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* The same for what takes the file's lock, which somebody else may hold for a moment. */
static int run_locked(const char *const *args, char *why)
{
	struct tr2_buf out;
	int code, tries = LOCKED_TRIES;

	tr2_buf_init(&out, OUT_MAX_BYTES);
	while ((code = run(args, &out, why)) == COULD_NOT_LOCK && strstr(why, "File exists") &&
	       tries--)
		poll(NULL, 0, LOCKED_TRY_MS);
	tr2_buf_release(&out);
	return code;
}

static bool asked(const char *const *args, struct tr2_buf *out, char *why)
{
	tr2_buf_clear(out);
	return !run(args, out, why);
}

bool git_is_there(char *why)
{
	static const char *const args[] = { "version", NULL };
	struct tr2_buf out;
	bool ok;

	tr2_buf_init(&out, OUT_MAX_BYTES);
	ok = asked(args, &out, why);
	tr2_buf_release(&out);
	return ok;
}

bool git_config_exists(void)
{
	static const char *const args[] = { "config", "--global", "--list", "--name-only", NULL };
	struct tr2_buf out;
	char why[GIT_WHY_BYTES];
	bool ok;

	tr2_buf_init(&out, OUT_MAX_BYTES);
	ok = asked(args, &out, why);
	tr2_buf_release(&out);
	return ok;
}

static bool all_targets(const char *includes, struct tr2_buf *out, char *why)
{
	const char *args[] = { "config", "--global", includes, "--null", "--get-all", KEY, NULL };
	int code;

	tr2_buf_clear(out);
	code = run(args, out, why);
	return !code || code == NOTHING_THERE;
}

bool git_config_targets(struct tr2_buf *out, char *why)
{
	return all_targets("--no-includes", out, why);
}

bool git_config_all_targets(struct tr2_buf *out, char *why)
{
	return all_targets("--includes", out, why);
}

bool git_config_target(const char *scope, struct tr2_buf *out, struct tr2_buf *origin)
{
	const char *args[] = { "config", scope,   "--includes", "--show-origin",
			       "--null", "--get", KEY,          NULL };
	char why[GIT_WHY_BYTES];
	struct tr2_buf said;
	bool ok;

	tr2_buf_init(&said, OUT_MAX_BYTES);
	ok = asked(args, &said, why);
	if (ok) {
		const char *file = tr2_buf_cstr(&said), *value = file + strlen(file) + 1;

		ok = value < file + said.len;
		tr2_buf_clear(out);
		if (ok)
			tr2_buf_addstr(out, value);
		if (ok && origin) {
			tr2_buf_clear(origin);
			tr2_buf_addstr(origin, strncmp(file, "file:", 5) ? file : file + 5);
		}
	}
	tr2_buf_release(&said);
	return ok;
}

bool git_config_add(const char *value, char *why)
{
	const char *args[] = { "config", "--global", "--add", KEY, value, NULL };

	return !run_locked(args, why);
}

static bool unset(const char *value, char *why)
{
	const char *args[] = { "config", "--global", "--fixed-value", "--unset-all", KEY,
			       value,    NULL };
	int code = run_locked(args, why);

	return !code || code == NOTHING_UNSET;
}

/* The file that `value` stands in. */
static bool file_of(const char *value, struct tr2_buf *out)
{
	const char *args[] = { "config",        "--global",
			       "--no-includes", "--show-origin",
			       "--null",        "--fixed-value",
			       "--get",         KEY,
			       value,           NULL };
	char why[GIT_WHY_BYTES];
	struct tr2_buf said;
	const char *file;
	bool ok;

	tr2_buf_init(&said, OUT_MAX_BYTES);
	ok = asked(args, &said, why);
	file = tr2_buf_cstr(&said);
	ok = ok && !strncmp(file, "file:/", 6) && tr2_buf_addstr(out, file + 5);
	tr2_buf_release(&said);
	return ok;
}

/* Under Git's own lock, so that nobody has just written to it. */
static void empty_remove(const char *file)
{
	size_t bytes = strlen(file) + sizeof(".lock");
	char *lock = xmalloc(bytes);
	struct stat st;
	int fd;

	snprintf(lock, bytes, "%s.lock", file);
	fd = open(lock, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
	if (fd >= 0) {
		if (!lstat(file, &st) && S_ISREG(st.st_mode) && !st.st_size)
			unlink(file);
		unlink(lock);
		close(fd);
	}
	free(lock);
}

bool git_config_unset(const char *value, bool made, char *why)
{
	struct tr2_buf file;
	bool ok;

	tr2_buf_init(&file, OUT_MAX_BYTES);
	made = made && file_of(value, &file);
	ok = unset(value, why);
	if (ok && made)
		empty_remove(tr2_buf_cstr(&file));
	tr2_buf_release(&file);
	return ok;
}
