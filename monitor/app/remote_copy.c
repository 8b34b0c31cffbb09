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

#define NOT_WANTED 3
#define NOT_COPIED 4

/*
 * Shell script that stores the program on the remote host. It prints two lines, the system and
 * processor, and the directory; if it then reads a line, it stores the rest of its input. $1:
 * version of trace2top; $2: SHA-1 of the program, which detects a truncated copy. The file gets its
 * final name last, so that no incomplete program is started.
 */
#define COPY_SCRIPT                                                                                \
	"d=${XDG_CACHE_HOME:-$HOME/.cache}/trace2top/$1 f=$d/trace2top.$$; "                       \
	"uname -sm; printf \"%s\\n\" \"$d\"; read -r go || exit 3; umask 077; "                    \
	"mkdir -p \"$d\" && cat >\"$f\" && [ \"$(sha1sum <\"$f\")\" = \"$2  -\" ] && "             \
	"chmod 700 \"$f\" && mv -f \"$f\" \"$d/trace2top\" || { rm -f \"$f\"; exit 4; }"

extern char **environ;

/* Return the path of the standalone program on this host; NULL: none usable. */
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

/* Return the path of the list of refused hosts, one per line; NULL: none. The caller frees the
 * path. */
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

/* Add a host to the list of refused hosts. If that fails, the user is asked again next time. */
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

struct copier {
	pid_t pid;
	int in; /* standard input of the script */
	FILE *out;
	char *processor, *dir;
};

static bool user_agrees(const char *host, const char *dir, size_t bytes)
{
	char answer[80] = "";

	fprintf(stderr,
		"trace2top is not installed on %s. Copy this program (%.1f MB) to %s there? [y/N] ",
		host, (double)bytes / 1e6, dir);
	return fgets(answer, sizeof(answer), stdin) && (*answer == 'y' || *answer == 'Y');
}

static struct tr2_buf copy_command(const char *program, size_t bytes)
{
	struct tr2_buf command;
	uint8_t digest[20];

	tr2_buf_init(&command, 4096);
	tr2_sha1(program, bytes, digest);
	tr2_buf_addf(&command, "exec sh -c '%s' sh %s ", COPY_SCRIPT, PACKAGE_VERSION);
	for (size_t i = 0; i < sizeof(digest); i++)
		tr2_buf_addf(&command, "%02x", digest[i]);
	return command;
}

static char *read_line(FILE *out)
{
	char line[PATH_MAX + 2];

	if (!out || !fgets(line, sizeof(line), out))
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	/* Control characters of another host must not change this terminal. */
	for (char *c = line; *c; c++)
		if ((unsigned char)*c < ' ' || *c == '\177')
			*c = '?';
	return xstrdup(line);
}

static bool copier_start(struct copier *copier, const char *host, const char *program, size_t bytes)
{
	struct tr2_buf command = copy_command(program, bytes);
	const char *argv[] = { "ssh", "-T", "--", host, tr2_buf_cstr(&command), NULL };
	int in[2] = { -1, -1 }, out[2] = { -1, -1 };
	bool started = !platform_pipe(in, false) && !platform_pipe(out, false) &&
		       !spawn_program(argv, in[0], out[1], STDERR_FILENO, environ, &copier->pid);

	if (in[0] >= 0)
		close(in[0]);
	if (out[1] >= 0)
		close(out[1]);
	if (started) {
		copier->in = in[1];
		copier->out = fdopen(out[0], "r");
		copier->processor = read_line(copier->out);
		copier->dir = read_line(copier->out);
	} else if (in[1] >= 0) {
		close(in[1]);
	}
	if (out[0] >= 0 && (!started || !copier->out))
		close(out[0]);
	tr2_buf_release(&command);
	return started;
}

static int copier_end(struct copier *copier)
{
	int status = 0;

	close(copier->in);
	if (copier->out)
		fclose(copier->out);
	free(copier->processor);
	free(copier->dir);
	while (waitpid(copier->pid, &status, 0) < 0 && errno == EINTR)
		;
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void write_program(int fd, const char *program, size_t bytes)
{
	struct sigaction before, ignored = { .sa_handler = SIG_IGN };
	ssize_t n;

	sigaction(SIGPIPE, &ignored, &before);
	while ((n = write(fd, "y\n", 2)) < 0 && errno == EINTR)
		;
	for (; n >= 0 && bytes; program += n, bytes -= (size_t)n) {
		n = write(fd, program, bytes);
		if (n < 0 && errno == EINTR)
			n = 0;
	}
	sigaction(SIGPIPE, &before, NULL);
}

static bool processor_is_own(const char *processor)
{
	struct utsname name;
	char own[sizeof(name.sysname) + sizeof(name.machine)];

	uname(&name);
	snprintf(own, sizeof(own), "%s %s", name.sysname, name.machine);
	return !strcmp(processor, own);
}

static bool offer_program(const char *host, const char *program, size_t bytes, char *declined,
			  char *why, size_t why_bytes)
{
	struct copier copier;
	int code;

	if (!copier_start(&copier, host, program, bytes)) {
		snprintf(why, why_bytes, "the program was not copied to %s: cannot run ssh", host);
		return false;
	}
	if (copier.dir && !processor_is_own(copier.processor))
		snprintf(why, why_bytes,
			 "%s has another system or processor (%.80s), so this program cannot run "
			 "there; install trace2top on it",
			 host, copier.processor);
	else if (copier.dir && user_agrees(host, copier.dir, bytes))
		write_program(copier.in, program, bytes);
	else if (copier.dir)
		decline_host(declined, host);
	code = copier_end(&copier);
	if (code == NOT_COPIED)
		snprintf(why, why_bytes,
			 "the program could not be stored on %s: check the free space of its home",
			 host);
	else if (code && code != NOT_WANTED)
		snprintf(why, why_bytes, "the program was not copied to %s: ssh failed", host);
	return !code;
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
	if (program) {
		copied = offer_program(host, program, bytes, declined, why, why_bytes);
		munmap(program, bytes);
	}
	free(declined);
	return copied;
}
