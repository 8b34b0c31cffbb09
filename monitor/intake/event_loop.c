/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/intake/event_loop.h"

#include <errno.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/shortage.h"

/* A system call of libev failed. Without this callback libev would abort. */
static void event_loop_failed(const char *what)
{
	int error = errno;

	(void)what;
	die("the event loop failed: %s%s", strerror(error), shortage_recover(error));
}

struct ev_loop *event_loop_new(unsigned flags)
{
	struct ev_loop *loop;

	ev_set_syserr_cb(event_loop_failed);
	loop = ev_loop_new(flags);
	if (!loop)
		event_loop_failed(NULL);
	return loop;
}
