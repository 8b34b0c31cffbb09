/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/git_config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "monitor/base/die.h"
#include "monitor/base/platform.h"
#include "monitor/base/spawn.h"
#include "monitor/base/umask.h"
#include "monitor/base/visible.h"

#define KEY            "trace2.eventTarget"
#define OUT_MAX_BYTES  (1u << 20)
#define FILE_MAX_BYTES (64u << 20)
#define LOCKED_TRY_MS  50
#define LOCKED_TRIES   (4000 / LOCKED_TRY_MS)
#define NOTHING_THERE  1 /* exit code of `git config` if there is no value */
#define NOTHING_UNSET  5
#define COULD_NOT_LOCK 255

extern char **environ;

/* True for environment variables that Git does not inherit: those of Trace2, LC_ALL, and some that
 * select a repository or its configuration. */
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

static char **make_git_environment(void)
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

static bool format_git_why(char *why, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

static bool format_git_why(char *why, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, GIT_WHY_BYTES, format, ap);
	va_end(ap);
	return false;
}

/* Write the path of Git's global configuration file `i`: 0 is preferred, 1 is used if only it is
 * readable. Returns false if there is no usable path. */
static bool file_name(int i, char path[PATH_MAX])
{
	const char *named = getenv("GIT_CONFIG_GLOBAL"), *home = getenv("HOME");
	const char *xdg = getenv("XDG_CONFIG_HOME");
	int len = -1;

	if (named)
		/* A relative path is relative to `/`, because Git is run there. */
		len = i ? -1 : snprintf(path, PATH_MAX, "%s%s", *named == '/' ? "" : "/", named);
	else if (!i && home)
		len = snprintf(path, PATH_MAX, "%s/.gitconfig", home);
	else if (i == 1 && xdg && *xdg)
		len = snprintf(path, PATH_MAX, "%s/git/config", xdg);
	else if (i == 1 && home)
		len = snprintf(path, PATH_MAX, "%s/.config/git/config", home);
	return len >= 0 && len < PATH_MAX;
}

bool git_config_is_regular(char *why)
{
	char path[PATH_MAX];
	struct stat st;

	for (int i = 0; i < 2; i++) {
		if (!file_name(i, path))
			continue;
		if (stat(path, &st)) {
			if (!lstat(path, &st))
				return format_git_why(
					why, "%.300s is a link to a file that cannot be read",
					path);
		} else if (!S_ISREG(st.st_mode)) {
			return format_git_why(why, "%.300s is not a regular file", path);
		}
	}
	return true;
}

char *git_config_path(char *why)
{
	char path[PATH_MAX], other[PATH_MAX], *full;

	if (!git_config_is_regular(why))
		return NULL;
	if (!file_name(0, path)) {
		format_git_why(why, "$HOME is not set");
		return NULL;
	}
	if (access(path, R_OK) && file_name(1, other) && !access(other, R_OK))
		memcpy(path, other, sizeof(path));
	full = realpath(path, NULL);
	return full ? full : xstrdup(path);
}

static int spawn_git(const char *const *argv, int out, int err, pid_t *pid)
{
	char **env = make_git_environment();
	int failed = spawn_program(argv, -1, out, err, env, pid);

	free(env);
	return failed;
}

static bool read_git_output(int fd, struct tr2_buf *to)
{
	char bytes[4096];
	ssize_t n = read(fd, bytes, sizeof(bytes));

	if (n > 0)
		tr2_buf_add(to, bytes, (size_t)n);
	return n > 0 || (n < 0 && errno == EINTR);
}

static void collect_git_output(int out_fd, struct tr2_buf *out, int err_fd, struct tr2_buf *err)
{
	struct pollfd fds[2] = { { out_fd, POLLIN, 0 }, { err_fd, POLLIN, 0 } };

	while (fds[0].fd >= 0 || fds[1].fd >= 0) {
		if (poll(fds, 2, -1) < 0)
			continue;
		if (fds[0].revents && !read_git_output(out_fd, out))
			fds[0].fd = -1;
		if (fds[1].revents && !read_git_output(err_fd, err))
			fds[1].fd = -1;
	}
}

static void format_git_error(struct tr2_buf *err, char *why)
{
	const char *text = tr2_buf_cstr(err);
	size_t len = strcspn(text, "\n");

	snprintf(why, GIT_WHY_BYTES, "%.*s", (int)(len && len < 350 ? len : 350),
		 len ? text : "git config failed");
	visible_mask(why);
}

/*
 * Run `git -C / ...`, wait for its end and append its output to `out`. Returns the exit code; -1 if
 * git was killed or not run. If the result is not 0, `why` is set.
 */
static int run_git(const char *const *args, struct tr2_buf *out, char *why)
{
	const char *argv[16] = { "git", "-C", "/" };
	struct tr2_buf err;
	int out_pipe[2], err_pipe[2], failed, status = -1;
	pid_t pid;

	if (!git_config_is_regular(why))
		return -1;
	for (int i = 0; args[i]; i++)
		argv[3 + i] = args[i];
	if (platform_pipe(out_pipe, false)) {
		snprintf(why, GIT_WHY_BYTES, "cannot run git: %s", strerror(errno));
		return -1;
	}
	if (platform_pipe(err_pipe, false)) {
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
		collect_git_output(out_pipe[0], out, err_pipe[0], &err);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		format_git_error(&err, why);
		if (WIFSIGNALED(status))
			snprintf(why, GIT_WHY_BYTES, "git was killed by signal %d (%s)",
				 WTERMSIG(status), strsignal(WTERMSIG(status)));
	}
	close(out_pipe[0]);
	close(err_pipe[0]);
	tr2_buf_release(&err);
	return !failed && WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Run a git command that locks the configuration file; again, up to LOCKED_TRIES times, while
 * another process has the lock. */
static int run_git_locked(const char *const *args, char *why)
{
	struct tr2_buf out;
	int code, tries = LOCKED_TRIES;

	tr2_buf_init(&out, OUT_MAX_BYTES);
	while ((code = run_git(args, &out, why)) == COULD_NOT_LOCK && strstr(why, "File exists") &&
	       tries--)
		poll(NULL, 0, LOCKED_TRY_MS);
	tr2_buf_release(&out);
	return code;
}

static bool run_git_ok(const char *const *args, struct tr2_buf *out, char *why)
{
	tr2_buf_clear(out);
	return !run_git(args, out, why);
}

static bool run_git_silently(const char *const *args, char *why)
{
	struct tr2_buf out;
	bool ok;

	tr2_buf_init(&out, OUT_MAX_BYTES);
	ok = run_git_ok(args, &out, why);
	tr2_buf_release(&out);
	return ok;
}

bool git_is_there(char *why)
{
	static const char *const args[] = { "version", NULL };

	return run_git_silently(args, why);
}

bool git_config_exists(void)
{
	static const char *const args[] = { "config", "--global", "--list", "--name-only", NULL };
	char why[GIT_WHY_BYTES];

	return run_git_silently(args, why);
}

static bool all_targets(const char *includes, struct tr2_buf *out, char *why)
{
	const char *args[] = { "config", "--global", includes, "--null", "--get-all", KEY, NULL };
	int code;

	tr2_buf_clear(out);
	code = run_git(args, out, why);
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
	ok = run_git_ok(args, &said, why);
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

void git_config_copy_init(struct git_config_copy *copy)
{
	memset(copy, 0, sizeof(*copy));
	tr2_buf_init(&copy->before, FILE_MAX_BYTES + PATH_MAX * 3);
	tr2_buf_init(&copy->after, FILE_MAX_BYTES + PATH_MAX * 3);
}

void git_config_copy_release(struct git_config_copy *copy)
{
	free(copy->path);
	tr2_buf_release(&copy->before);
	tr2_buf_release(&copy->after);
	memset(copy, 0, sizeof(*copy));
}

static char *lock_name(const char *path)
{
	size_t bytes = strlen(path) + sizeof(".lock");
	char *name = xmalloc(bytes);

	snprintf(name, bytes, "%s.lock", path);
	return name;
}

/* Take Git's lock on the configuration file; again, up to LOCKED_TRIES times, while another process
 * has the lock. Returns -1 with `why` on failure. */
static int lock_take(const char *path, const char *lock, char *why)
{
	int fd, tries = LOCKED_TRIES;

	while ((fd = open(lock, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600)) < 0 &&
	       errno == EEXIST && tries--)
		poll(NULL, 0, LOCKED_TRY_MS);
	if (fd < 0)
		format_git_why(why, "could not lock config file %.250s: %s", path, strerror(errno));
	return fd;
}

/* Read the whole file; if it does not exist, `out` is empty and `existed` is false. */
static bool file_read(const char *path, struct tr2_buf *out, mode_t *mode, bool *existed, char *why)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;
	bool ok;

	tr2_buf_clear(out);
	*existed = fd >= 0;
	*mode = 0;
	if (fd < 0)
		return errno == ENOENT ||
		       format_git_why(why, "cannot read %.300s: %s", path, strerror(errno));
	ok = !fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size <= FILE_MAX_BYTES;
	if (ok) {
		*mode = st.st_mode & 07777;
		while (read_git_output(fd, out))
			;
		ok = out->len == (size_t)st.st_size;
	}
	close(fd);
	return ok || format_git_why(why, "cannot read %.300s", path);
}

static bool lock_commit(int fd, const char *lock, const char *path, struct tr2_buf *bytes,
			mode_t mode, char *why)
{
	const char *data = tr2_buf_cstr(bytes);
	size_t at = 0;
	ssize_t n;

	while (at < bytes->len) {
		n = write(fd, data + at, bytes->len - at);
		if (n > 0)
			at += (size_t)n;
		else if (errno != EINTR)
			break;
	}
	if (at < bytes->len || fchmod(fd, mode) || fsync(fd) || rename(lock, path)) {
		format_git_why(why, "cannot write %.300s: %s", lock, strerror(errno));
		unlink(lock);
		return false;
	}
	return true;
}

/* Append `value` in a section of its own, quoted if needed. Returns false if `to` cannot grow. */
static bool value_append(struct tr2_buf *to, const char *value)
{
	const char *text = tr2_buf_cstr(to);
	bool quoted = strpbrk(value, " \t\"\\;#") != NULL;
	size_t len = to->len;

	if (len && text[len - 1] != '\n')
		tr2_buf_addstr(to, "\n");
	/* A last line that ends with a backslash would continue: end it by an empty line. */
	if (len && (text = tr2_buf_cstr(to), len = to->len, len > 1) &&
	    (text[len - 2] == '\\' || (len > 2 && !memcmp(text + len - 3, "\\\r\n", 3))))
		tr2_buf_addstr(to, "\n");
	tr2_buf_addstr(to, quoted ? "[trace2]\n\teventTarget = \"" : "[trace2]\n\teventTarget = ");
	for (const char *p = value; *p; p++) {
		if (*p == '"' || *p == '\\')
			tr2_buf_add(to, "\\", 1);
		tr2_buf_add(to, p, 1);
	}
	return tr2_buf_addstr(to, quoted ? "\"\n" : "\n");
}

bool git_config_add(const char *value, struct git_config_copy *copy, char *why)
{
	char *path = git_config_path(why), *lock;
	bool ok = false;
	int fd;

	if (!path)
		return false;
	if (strchr(value, '\n')) {
		free(path);
		return format_git_why(why, "the path contains a line feed");
	}
	git_config_copy_release(copy);
	git_config_copy_init(copy);
	lock = lock_name(path);
	fd = lock_take(path, lock, why);
	if (fd >= 0) {
		if (file_read(path, &copy->before, &copy->mode, &copy->existed, why)) {
			if (!copy->existed)
				copy->mode = 0666 & ~umask_get();
			tr2_buf_add(&copy->after, tr2_buf_cstr(&copy->before), copy->before.len);
			ok = value_append(&copy->after, value) ||
			     format_git_why(why, "not enough memory");
			ok = ok && lock_commit(fd, lock, path, &copy->after, copy->mode, why);
			if (!ok)
				unlink(lock);
		} else {
			unlink(lock);
		}
		close(fd);
	}
	free(lock);
	if (ok)
		copy->path = path;
	else
		free(path);
	return ok;
}

bool git_config_restore(const struct git_config_copy *copy, bool *restored, char *why)
{
	struct tr2_buf now, before = copy->before, after = copy->after;
	char *lock;
	mode_t mode;
	bool existed, ok = true;
	int fd;

	*restored = false;
	if (!copy->path)
		return true;
	lock = lock_name(copy->path);
	fd = lock_take(copy->path, lock, why);
	if (fd < 0) {
		free(lock);
		return false;
	}
	tr2_buf_init(&now, FILE_MAX_BYTES + PATH_MAX * 3);
	if (!file_read(copy->path, &now, &mode, &existed, why) || !existed || mode != copy->mode ||
	    now.len != copy->after.len ||
	    memcmp(tr2_buf_cstr(&now), tr2_buf_cstr(&after), now.len)) {
		unlink(lock);
	} else if (copy->existed) {
		ok = *restored = lock_commit(fd, lock, copy->path, &before, copy->mode, why);
	} else {
		ok = *restored =
			!unlink(copy->path) || format_git_why(why, "cannot remove %.300s: %s",
							      copy->path, strerror(errno));
		unlink(lock);
	}
	close(fd);
	tr2_buf_release(&now);
	free(lock);
	return ok;
}

static bool unset_all_values(const char *value, char *why)
{
	const char *args[] = { "config", "--global", "--fixed-value", "--unset-all", KEY,
			       value,    NULL };
	int code = run_git_locked(args, why);

	if (code < 0)
		code = run_git_locked(args, why);
	return !code || code == NOTHING_UNSET;
}

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
	ok = run_git_ok(args, &said, why);
	file = tr2_buf_cstr(&said);
	ok = ok && !strncmp(file, "file:/", 6) && tr2_buf_addstr(out, file + 5);
	tr2_buf_release(&said);
	return ok;
}

void git_config_format_removal(const char *value, char *out, size_t bytes)
{
	char why[GIT_WHY_BYTES], *path = NULL;
	struct tr2_buf file;
	bool found;

	tr2_buf_init(&file, OUT_MAX_BYTES);
	found = file_of(value, &file);
	if (!found)
		path = git_config_path(why);
	snprintf(out, bytes, "remove the line \"eventTarget = %s\" from %s", value,
		 found  ? tr2_buf_cstr(&file)
		 : path ? path
			: "Git's configuration");
	free(path);
	tr2_buf_release(&file);
}

/* Remove the configuration file if it is empty and Git's lock can be taken. */
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
	ok = unset_all_values(value, why);
	if (ok && made)
		empty_remove(tr2_buf_cstr(&file));
	tr2_buf_release(&file);
	return ok;
}
