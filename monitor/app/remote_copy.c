/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/remote_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/buf.h"
#include "engine/tr2_sha1.h"
#include "monitor/base/die.h"
#include "monitor/base/platform.h"
#include "monitor/base/spawn.h"

/* Exit statuses of the shell script COPY_SCRIPT. */
#define OTHER_MACHINE 3
#define NOT_COPIED    4

/*
 * Shell script that stores its standard input as the program on the remote host. $1: version of
 * trace2top; $2: required system and machine; $3: SHA-1 of the program, which detects a truncated
 * copy. The file gets its final name last, so that no other run starts an incomplete program.
 */
#define COPY_SCRIPT                                                                                \
	"d=${XDG_CACHE_HOME:-$HOME/.cache}/trace2top/$1 f=$d/trace2top.$$; "                       \
	"[ \"$(uname -sm)\" = \"$2\" ] || exit 3; umask 077; "                                     \
	"mkdir -p \"$d\" && cat >\"$f\" && [ \"$(sha1sum <\"$f\")\" = \"$3  -\" ] && "             \
	"chmod 700 \"$f\" && mv -f \"$f\" \"$d/trace2top\" || { rm -f \"$f\"; exit 4; }"

extern char **environ;

/* Return the path of the standalone program on this host; NULL if there is none. */
static const char *standalone_path(void)
{
#ifdef STANDALONE
	return "/proc/self/exe";
#else
	return access(STANDALONE_PATH, R_OK) ? NULL : STANDALONE_PATH;
#endif
}

/* Map the file `path`. Returns NULL on error; otherwise munmap() frees it. */
static char *map_program(const char *path, size_t *bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	char *map;

	if (fd < 0)
		return NULL;
	map = fstat(fd, &st) ? MAP_FAILED
			     : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	*bytes = (size_t)st.st_size;
	return map == MAP_FAILED ? NULL : map;
}

/* ---- hosts to which the user refused to copy the program ---- */

/* Return the path of the list of these hosts, one host per line; NULL if there is no home
 * directory. The caller frees it. */
static char *declined_path(void)
{
	const char *cache = getenv("XDG_CACHE_HOME"), *below = "";
	char path[PATH_MAX];

	if (!cache || *cache != '/') {
		cache = getenv("HOME");
		below = "/.cache";
	}
	if (!cache || *cache != '/' ||
	    snprintf(path, sizeof(path), "%s%s/trace2top/no-copy", cache, below) >=
		    (int)sizeof(path))
		return NULL;
	return xstrdup(path);
}

static bool host_declined(const char *path, const char *host)
{
	FILE *file = path ? fopen(path, "re") : NULL;
	bool found = false;
	char line[300];

	while (file && !found && fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		found = !strcmp(line, host);
	}
	if (file)
		fclose(file);
	return found;
}

/* Add a host to the list of refused hosts. If that fails, the user is asked again the next time. */
static void decline_host(char *path, const char *host)
{
	char *slash = path ? strrchr(path, '/') : NULL, *parent;
	FILE *file;

	if (!slash)
		return;
	*slash = '\0';
	parent = strrchr(path, '/');
	*parent = '\0';
	mkdir(path, 0700);
	*parent = '/';
	mkdir(path, 0700);
	*slash = '/';
	file = fopen(path, "ae");
	if (!file)
		return;
	fprintf(file, "%s\n", host);
	fclose(file);
}

/* ---- asking the user, and copying the program ---- */

static bool user_agrees(const char *host, size_t bytes)
{
	char answer[80] = "";

	fprintf(stderr,
		"trace2top is not installed on %s. Copy this program (%.1f MB) to "
		"~/.cache/trace2top "
		"there? [y/N] ",
		host, (double)bytes / 1e6);
	return fgets(answer, sizeof(answer), stdin) && (*answer == 'y' || *answer == 'Y');
}

/* Return the remote shell command that stores the program. The caller releases it. */
static struct tr2_buf copy_command(const char *program, size_t bytes)
{
	struct tr2_buf command;
	struct utsname name;
	uint8_t digest[20];

	tr2_buf_init(&command, 4096);
	uname(&name);
	tr2_sha1(program, bytes, digest);
	tr2_buf_addf(&command, "exec sh -c '%s' sh %s '%s %s' ", COPY_SCRIPT, PACKAGE_VERSION,
		     name.sysname, name.machine);
	for (size_t i = 0; i < sizeof(digest); i++)
		tr2_buf_addf(&command, "%02x", digest[i]);
	return command;
}

/* Write the program to ssh. SIGPIPE must be ignored. */
static void write_program(int fd, const char *program, size_t bytes)
{
	for (ssize_t n; bytes; program += n, bytes -= (size_t)n) {
		n = write(fd, program, bytes);
		if (n < 0 && errno != EINTR)
			return;
		n = n < 0 ? 0 : n;
	}
}

/* Run ssh with the program as its input. Returns ssh's wait status as waitpid() reports it, or -1
 * if ssh could not be run. */
static int run_copy(const char *host, const char *program, size_t bytes)
{
	struct tr2_buf command = copy_command(program, bytes);
	const char *argv[] = { "ssh", "-T", "--", host, tr2_buf_cstr(&command), NULL };
	struct sigaction before, ignored = { .sa_handler = SIG_IGN };
	int in[2], status = -1, failed;
	pid_t pid;

	if (platform_pipe(in, false)) {
		tr2_buf_release(&command);
		return -1;
	}
	failed = spawn_program(argv, in[0], STDERR_FILENO, STDERR_FILENO, environ, &pid);
	close(in[0]);
	if (!failed) {
		sigaction(SIGPIPE, &ignored, &before);
		write_program(in[1], program, bytes);
		sigaction(SIGPIPE, &before, NULL);
	}
	close(in[1]);
	while (!failed && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	tr2_buf_release(&command);
	errno = failed;
	return failed ? -1 : status;
}

static bool copy_program(const char *host, const char *program, size_t bytes, char *why,
			 size_t why_bytes)
{
	int status = run_copy(host, program, bytes);
	int code = status >= 0 && WIFEXITED(status) ? WEXITSTATUS(status) : -1;

	if (!code)
		return true;
	if (code == OTHER_MACHINE)
		snprintf(why, why_bytes,
			 "%s has another system or processor, so this program cannot run there; "
			 "install trace2top on it",
			 host);
	else if (code == NOT_COPIED)
		snprintf(why, why_bytes,
			 "the program could not be stored on %s: check the free space of its home",
			 host);
	else
		snprintf(why, why_bytes, "the program was not copied to %s: ssh failed", host);
	return false;
}

bool remote_copy_offer(const char *host, char *why, size_t why_bytes)
{
	const char *path = standalone_path();
	char *declined, *program;
	size_t bytes = 0;
	bool copied = false;

	if (!path || !isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return false;
	declined = declined_path();
	program = host_declined(declined, host) ? NULL : map_program(path, &bytes);
	if (program && user_agrees(host, bytes))
		copied = copy_program(host, program, bytes, why, why_bytes);
	else if (program)
		decline_host(declined, host);
	if (program)
		munmap(program, bytes);
	free(declined);
	return copied;
}
