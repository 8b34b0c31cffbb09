/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_path.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/tr2_env.h"

#define PREFIX       "/usr"
#define PASSWD_BYTES 4096

static bool add_home_of(struct tr2_buf *out, const char *name, size_t len)
{
	struct passwd pw, *found = NULL;
	struct tr2_buf user;
	char *memory = malloc(PASSWD_BYTES);
	bool ok;

	tr2_buf_init(&user, TR2_PATH_MAX_BYTES);
	ok = memory && tr2_buf_add(&user, name, len) &&
	     !getpwnam_r(tr2_buf_cstr(&user), &pw, memory, PASSWD_BYTES, &found) && found &&
	     tr2_buf_addstr(out, found->pw_dir);
	tr2_buf_release(&user);
	free(memory);
	return ok;
}

bool tr2_path_expand(struct tr2_buf *out, const char *path, bool real_home)
{
	size_t user = strcspn(path, "/");
	const char *home;

	if (!strncmp(path, "%(prefix)/", 10))
		return tr2_buf_addstr(out, PREFIX) && tr2_buf_addstr(out, path + 9);
	if (*path != '~')
		return tr2_buf_addstr(out, path);
	if (user > 1)
		return add_home_of(out, path + 1, user - 1) && tr2_buf_addstr(out, path + user);
	home = tr2_env("HOME");
	if (!home || !(real_home ? tr2_path_real(out, home) : tr2_buf_addstr(out, home)))
		return false;
	return tr2_buf_addstr(out, path + user);
}

static bool add_existing(struct tr2_buf *out, const char *path)
{
	char *real = realpath(path, NULL);
	bool ok;

	if (!real)
		return false; /* errno is set */
	ok = tr2_buf_addstr(out, real);
	free(real);
	return ok;
}

bool tr2_path_real(struct tr2_buf *out, const char *path)
{
	size_t len = strlen(path), from;
	struct tr2_buf parent;
	bool ok;

	if (add_existing(out, path))
		return true;
	if (errno != ENOENT || !len)
		return false;
	while (len > 1 && path[len - 1] == '/')
		len--;
	for (from = len; from > 0 && path[from - 1] != '/'; from--)
		;
	tr2_buf_init(&parent, TR2_PATH_MAX_BYTES);
	ok = (from ? tr2_buf_add(&parent, path, from) : tr2_buf_addch(&parent, '.')) &&
	     add_existing(out, tr2_buf_cstr(&parent)) &&
	     (out->data[out->len - 1] == '/' || tr2_buf_addch(out, '/')) &&
	     tr2_buf_add(out, path + from, len - from);
	tr2_buf_release(&parent);
	return ok;
}

bool tr2_path_absolute(struct tr2_buf *out, const char *path)
{
	const char *pwd = tr2_env("PWD");
	struct stat here, there;
	char *cwd;
	bool ok;

	if (*path == '/')
		return tr2_buf_addstr(out, path);
	cwd = getcwd(NULL, 0);
	if (!cwd)
		return false;
	if (!pwd || stat(cwd, &here) || stat(pwd, &there) || here.st_dev != there.st_dev ||
	    here.st_ino != there.st_ino)
		pwd = cwd;
	ok = tr2_buf_addstr(out, pwd) &&
	     (out->data[out->len - 1] == '/' || tr2_buf_addch(out, '/')) &&
	     tr2_buf_addstr(out, path);
	free(cwd);
	return ok;
}

bool tr2_path_dirname(struct tr2_buf *out, const char *file)
{
	const char *slash = strrchr(file, '/');

	return !slash || tr2_buf_add(out, file, (size_t)(slash - file) + 1);
}

bool tr2_file_read(struct tr2_buf *out, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat st;
	ssize_t n = -1;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && !S_ISDIR(st.st_mode)) {
		do {
			if (!tr2_buf_reserve(out, 4096))
				break;
			n = read(fd, out->data + out->len, 4096);
			if (n > 0)
				out->len += (size_t)n;
		} while (n > 0 || (n < 0 && errno == EINTR));
	}
	close(fd);
	return n == 0;
}
