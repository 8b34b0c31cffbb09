/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/settings/config_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/utf8.h"
#include "monitor/base/die.h"
#include "monitor/base/platform.h"
#include "monitor/base/umask.h"
#include "monitor/base/visible.h"

#define MAX_LINE_BYTES   2048
#define MAX_QUOTED_BYTES 60

struct parse {
	const char *path;
	int line, nr_mistakes;
	config_take *take;
	config_tell *tell;
	void *data;
};

char *config_file_path(void)
{
	const char *home = getenv("XDG_CONFIG_HOME"), *below = "";
	char path[PATH_MAX];

	if (!home || *home != '/') {
		home = getenv("HOME");
		below = "/.config";
	}
	if (!home || *home != '/' ||
	    snprintf(path, sizeof(path), "%s%s/trace2top/config", home, below) >= (int)sizeof(path))
		return NULL;
	return xstrdup(path);
}

static void config_file_report(struct parse *p, const char *why)
{
	struct tr2_buf line, safe;

	if (p->nr_mistakes++ > CONFIG_MAX_MISTAKES)
		return;
	tr2_buf_init(&line, SIZE_MAX / 2);
	tr2_buf_init(&safe, SIZE_MAX / 2);
	tr2_buf_addstr(&line, p->path);
	if (p->line)
		tr2_buf_addf(&line, ":%d", p->line);
	tr2_buf_addf(&line, ": %s",
		     p->nr_mistakes > CONFIG_MAX_MISTAKES ? "more errors follow" : why);
	text_visible(&safe, line.data, line.len);
	p->tell(p->data, tr2_buf_cstr(&safe));
	tr2_buf_release(&line);
	tr2_buf_release(&safe);
}

static bool is_text(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (((unsigned char)text[i] < 0x20 && text[i] != '\t') || text[i] == 0x7f)
			return false;
	return tr2_utf8_valid_prefix(text, len) == len;
}

static bool config_file_is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* Return the first `len` bytes of `text` without blanks at both ends. Writes a NUL into `text`. */
static char *trim(char *text, size_t len)
{
	while (len && config_file_is_blank(text[len - 1]))
		len--;
	text[len] = '\0';
	while (config_file_is_blank(*text))
		text++;
	return text;
}

static void config_file_take_line(struct parse *p, const char *text, size_t len)
{
	char line[MAX_LINE_BYTES + 1], why[400] = "", *equals, *key;

	while (len && config_file_is_blank(text[len - 1]))
		len--;
	while (len && config_file_is_blank(*text)) {
		text++;
		len--;
	}
	if (!len || *text == '#')
		return;
	if (len > MAX_LINE_BYTES || !is_text(text, len)) {
		config_file_report(p, len > MAX_LINE_BYTES
					      ? "the line is too long for a setting; remove it"
					      : "the line is not text; remove it");
		return;
	}
	memcpy(line, text, len);
	line[len] = '\0';
	equals = strchr(line, '=');
	if (!equals) {
		snprintf(why, sizeof(why),
			 "'%.*s' is not a setting; write key = value, or # before a comment",
			 MAX_QUOTED_BYTES, line);
		config_file_report(p, why);
		return;
	}
	key = trim(line, (size_t)(equals - line));
	/* Formatting the reason is expensive: give it no room if it will not be reported. */
	if (!p->take(p->data, key, trim(equals + 1, strlen(equals + 1)), why,
		     p->nr_mistakes < CONFIG_MAX_MISTAKES ? sizeof(why) : 1))
		config_file_report(p, why);
}

void config_parse(const char *text, size_t len, const char *path, config_take *take,
		  config_tell *tell_line, void *data)
{
	struct parse p = { path, 0, 0, take, tell_line, data };

	while (len) {
		const char *newline = memchr(text, '\n', len);
		size_t nr = newline ? (size_t)(newline - text) : len;
		size_t taken = newline ? nr + 1 : nr;

		p.line++;
		config_file_take_line(&p, text, nr);
		text += taken;
		len -= taken;
	}
}

/* Read a little more than CONFIG_MAX_BYTES at most, so that the caller notices a longer file.
 * Returns false with errno on error. */
static bool config_file_read_some(int fd, struct tr2_buf *out)
{
	struct stat st;
	char bytes[4096];
	ssize_t n = 1;

	if (fstat(fd, &st) < 0)
		return false;
	if (!S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return false;
	}
	while (n > 0 && out->len <= CONFIG_MAX_BYTES) {
		n = read(fd, bytes, sizeof(bytes));
		if (n > 0)
			tr2_buf_add(out, bytes, (size_t)n);
		else if (n < 0 && errno == EINTR)
			n = 1;
	}
	return n >= 0;
}

bool config_file_text(const char *path, struct tr2_buf *out)
{
	/* opening a FIFO or a device must not block */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), saved;
	bool ok = fd >= 0 && config_file_read_some(fd, out);

	saved = errno;
	if (fd >= 0)
		close(fd);
	errno = saved;
	return ok;
}

/* Return the number of bytes to parse: all, but of more than CONFIG_MAX_BYTES the complete lines
 * within that limit. */
static size_t counted(const struct tr2_buf *text)
{
	size_t len = text->len > CONFIG_MAX_BYTES ? CONFIG_MAX_BYTES : text->len;

	while (text->len > CONFIG_MAX_BYTES && len && text->data[len - 1] != '\n')
		len--;
	return len;
}

bool config_file_read(const char *path, bool must, config_take *take, config_tell *tell_line,
		      void *data)
{
	struct parse p = { path, 0, 0, take, tell_line, data };
	struct tr2_buf text;
	char why[200];
	bool ok;

	tr2_buf_init(&text, SIZE_MAX / 2);
	ok = config_file_text(path, &text);
	if (!ok && (must || (errno != ENOENT && errno != ENOTDIR))) {
		snprintf(why, sizeof(why), "cannot read the configuration: %s",
			 errno == EINVAL ? "not a regular file" : strerror(errno));
		config_file_report(&p, why);
	}
	if (ok && text.len > CONFIG_MAX_BYTES) {
		snprintf(why, sizeof(why),
			 "too large for a configuration; only the first %u KiB are read",
			 CONFIG_MAX_BYTES >> 10);
		config_file_report(&p, why);
	}
	if (ok)
		config_parse(text.data, counted(&text), path, take, tell_line, data);
	tr2_buf_release(&text);
	return ok;
}

static bool make_directories(const char *path)
{
	char dir[PATH_MAX];

	if (snprintf(dir, sizeof(dir), "%s", path) >= (int)sizeof(dir)) {
		errno = ENAMETOOLONG;
		return false;
	}
	for (char *slash = dir + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(dir, 0777) < 0 && errno != EEXIST)
			return false;
		*slash = '/';
	}
	return true;
}

static bool config_file_write_all(int fd, const char *text, size_t len)
{
	while (len) {
		ssize_t n = write(fd, text, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		text += n;
		len -= (size_t)n;
	}
	return fsync(fd) == 0;
}

static mode_t mode_of(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 ? st.st_mode & 0777 : 0666 & ~umask_get();
}

static bool replace(const char *path, const char *text, size_t len)
{
	char temp[PATH_MAX];
	struct stat st;
	int fd, saved;
	bool ok;

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		errno = S_ISDIR(st.st_mode) ? EISDIR : EINVAL;
		return false;
	}
	if (snprintf(temp, sizeof(temp), "%s.XXXXXX", path) >= (int)sizeof(temp)) {
		errno = ENAMETOOLONG;
		return false;
	}
	fd = platform_make_temporary(temp);
	if (fd < 0)
		return false;
	ok = config_file_write_all(fd, text, len) && fchmod(fd, mode_of(path)) == 0;
	ok = close(fd) == 0 && ok;
	ok = ok && rename(temp, path) == 0;
	saved = errno;
	if (!ok)
		unlink(temp);
	errno = saved;
	return ok;
}

bool config_file_write(const char *path, const char *text, size_t len)
{
	char *real;
	bool ok;

	if (!make_directories(path))
		return false;
	real = realpath(path, NULL);
	if (!real && errno != ENOENT)
		return false;
	ok = replace(real ? real : path, text, len);
	free(real);
	return ok;
}
