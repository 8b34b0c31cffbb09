/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/attach.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "engine/base/clock.h"
#include "engine/base/platform.h"
#include "engine/tr2_settings.h"
#include "monitor/app/cleanup.h"
#include "monitor/app/own_socket.h"
#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/source/ring_dir.h"

#define REMOVAL_BYTES 5000

struct attach {
	/* the socket of --attach, as the spec of a source and as a target of Git */
	char *spec;
	struct cleanup *cleanup;
	_Atomic enum { ATTACH_NEW, ATTACH_ON, ATTACH_OFF } state;
	char *before;
};

/* True if certainly no process listens on the socket `path`. */
static bool is_dead(const char *path)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	bool dead;
	int fd;

	if (strlen(path) >= sizeof(addr.sun_path))
		return true;
	memcpy(addr.sun_path, path, strlen(path) + 1);
	fd = tr2_platform_socket(AF_UNIX, SOCK_STREAM, true);
	if (fd < 0)
		return false;
	dead = connect(fd, (const struct sockaddr *)&addr, sizeof(addr)) &&
	       (errno == ECONNREFUSED || errno == ENOENT || errno == ENOTDIR);
	close(fd);
	return dead;
}

static void socket_remove(const char *path)
{
	struct stat st;

	if (!lstat(path, &st) && S_ISSOCK(st.st_mode) && st.st_uid == geteuid())
		unlink(path);
	ring_dir_sweep(AT_FDCWD, path);
}

/*
 * Remove from Git's configuration the values of --attach of this host and boot whose socket no
 * process listens on. Returns the number of removed values, or -1 with `why`. `detaching`: print
 * how to remove a value whose removal failed, and values of other hosts and boots.
 */
static int remove_left_values(bool detaching, char *why)
{
	char removal[REMOVAL_BYTES];
	struct tr2_buf all;
	int nr = 0;

	tr2_buf_init(&all, SIZE_MAX / 2);
	if (!git_config_targets(&all, why))
		nr = -1;
	for (const char *value = tr2_buf_cstr(&all), *end = value + all.len; value < end && nr >= 0;
	     value += strlen(value) + 1) {
		const char *path = own_target_path(value);

		if (!path)
			continue;
		if (!own_target_is_here(value)) {
			if (detaching)
				complain_print_error(
					"%s was set on another host or before a restart, and is "
					"kept; if nothing uses it, run: git config --global "
					"--fixed-value --unset-all trace2.eventTarget '%s'",
					value, value);
			continue;
		}
		if (!is_dead(path))
			continue;
		nr = git_config_unset(value, own_target_is_made(value), why) ? nr + 1 : -1;
		if (nr >= 0) {
			socket_remove(path);
		} else if (detaching) {
			git_config_format_removal(value, removal, sizeof(removal));
			complain_print_error(
				"no process uses %s; run trace2top --detach later, or %s", path,
				removal);
		}
	}
	tr2_buf_release(&all);
	return nr;
}

/* Return true if Git's configuration has a lock file, after printing the file's name. */
static bool report_lock(void)
{
	char why[GIT_WHY_BYTES], *path = git_config_path(why), lock[PATH_MAX + 8];
	struct stat st;
	bool found;

	if (!path)
		return false;
	snprintf(lock, sizeof(lock), "%s.lock", path);
	found = !lstat(lock, &st);
	if (found)
		complain_print_error("%s exists, so Git's configuration cannot be changed; if no "
				     "git is running, remove this file",
				     lock);
	free(path);
	return found;
}

int attach_detach_run(void)
{
	bool locked;
	char why[GIT_WHY_BYTES];
	int nr;

	if (!git_is_there(why) || (nr = remove_left_values(true, why)) < 0) {
		complain_print_error("cannot detach: %s", why);
		report_lock();
		return 2;
	}
	locked = report_lock();
	if (nr)
		printf("detached: removed %d unused value%s of trace2.eventTarget\n", nr,
		       nr == 1 ? "" : "s");
	else if (!locked)
		printf("nothing to detach\n");
	return fflush(stdout) || locked ? 1 : 0;
}

void attach_report_left(void)
{
	char *target = tr2_settings_event_target();
	const char *path = target ? own_target_path(target) : NULL;

	if (path && !own_target_is_here(target))
		complain_print_error("--attach set trace2.eventTarget on another host or before a "
				     "restart; trace2top --detach prints how to remove it");
	else if (path && is_dead(path))
		complain_print_error("a killed trace2top left trace2.eventTarget in Git's "
				     "configuration; run trace2top --detach to remove it");
	free(target);
}

static bool can_forward_to(const char *target)
{
	return *target == '/' || !strncmp(target, "af_unix:", strlen("af_unix:"));
}

/*
 * Return the last target before this monitor's value in the global configuration (the last of all
 * if that value is missing), else the system configuration's. NULL: none, or neither a path nor a
 * socket. Ignores values of killed monitors.
 */
static char *before_read(const struct attach *a)
{
	struct tr2_buf values, value;
	char why[GIT_WHY_BYTES], *before = NULL;
	bool found = false;

	tr2_buf_init(&values, SIZE_MAX / 2);
	tr2_buf_init(&value, SIZE_MAX / 2);
	if (git_config_all_targets(&values, why))
		for (const char *v = tr2_buf_cstr(&values), *end = v + values.len;
		     v < end && strcmp(v, a->spec); v += strlen(v) + 1) {
			const char *path = own_target_path(v);

			if (path && is_dead(path))
				continue;
			found = true;
			free(before);
			before = can_forward_to(v) ? xstrdup(v) : NULL;
		}
	if (!found && git_config_target("--system", &value, NULL) &&
	    can_forward_to(tr2_buf_cstr(&value)))
		before = xstrdup(tr2_buf_cstr(&value));
	tr2_buf_release(&values);
	tr2_buf_release(&value);
	return before;
}

char *attach_before(void *data)
{
	struct attach *a = data;

	if (a->state != ATTACH_OFF) {
		free(a->before);
		a->before = before_read(a);
	}
	return a->before ? xstrdup(a->before) : NULL;
}

/*
 * True if Git can read no global configuration file, or if --attach created it. The target stores
 * this, so that removing the last value can remove the file.
 */
static bool is_made(void)
{
	struct tr2_buf all;
	char why[GIT_WHY_BYTES];
	bool made = !git_config_exists();

	tr2_buf_init(&all, SIZE_MAX / 2);
	if (git_config_targets(&all, why))
		for (const char *value = tr2_buf_cstr(&all), *end = value + all.len; value < end;
		     value += strlen(value) + 1)
			made |= own_target_path(value) && own_target_is_made(value);
	tr2_buf_release(&all);
	return made;
}

struct attach *attach_open(char *why)
{
	struct attach *a = xcalloc(1, sizeof(*a));
	char said[GIT_WHY_BYTES];
	const char *over = getenv("GIT_TRACE2_EVENT");

	if (!git_config_is_regular(said)) {
		snprintf(why, GIT_WHY_BYTES, "cannot attach: %.300s", said);
	} else if (!git_is_there(said)) {
		snprintf(why, GIT_WHY_BYTES, "--attach needs git: %.300s", said);
	} else if (remove_left_values(false, said) < 0) {
		snprintf(why, GIT_WHY_BYTES, "--attach cannot read Git's configuration: %.300s",
			 said);
	} else if ((a->spec = own_target(is_made(), why, GIT_WHY_BYTES))) {
		a->cleanup = cleanup_new(a->spec, own_target_path(a->spec), why);
		if (a->cleanup && over && *over)
			complain_print_error("GIT_TRACE2_EVENT is set and overrides "
					     "trace2.eventTarget: Git commands from this shell are "
					     "not traced; run: unset GIT_TRACE2_EVENT");
		if (a->cleanup)
			return a;
	}
	attach_close(a);
	return NULL;
}

const char *attach_spec(const struct attach *a)
{
	return a->spec;
}

bool attach_on(struct attach *a, char *why)
{
	char said[GIT_WHY_BYTES];

	if (cleanup_on(a->cleanup, said)) {
		a->state = ATTACH_ON;
		return true;
	}
	snprintf(why, GIT_WHY_BYTES, "cannot attach: %.300s", said);
	return false;
}

void attach_off(struct attach *a)
{
	char why[GIT_WHY_BYTES], removal[REMOVAL_BYTES];

	if (a->state != ATTACH_ON)
		return;
	/* Set the state first: once the value is removed, attach_before() would mistake later
	 * values for earlier ones. */
	a->state = ATTACH_OFF;
	if (cleanup_off(a->cleanup, why))
		return;
	git_config_format_removal(a->spec, removal, sizeof(removal));
	complain_print_error("cannot detach: %s; run trace2top --detach later, or %s", why,
			     removal);
}

void attach_close(struct attach *a)
{
	if (!a)
		return;
	attach_off(a);
	cleanup_free(a->cleanup);
	free(a->spec);
	free(a->before);
	free(a);
}
