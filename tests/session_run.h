/* SPDX-License-Identifier: MIT */
/*
 * A session and its screen without a loop and a terminal, for tests of the real data path. Include
 * after cmocka.h.
 */
#ifndef TESTS_SESSION_RUN_H
#define TESTS_SESSION_RUN_H

#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include "monitor/app/screen.h"

#define RUN_DEADLINE_MS 120000

struct session_run {
	struct options options;
	struct session session;
	struct screen screen;
	char spec[4096], dir[64]; /* the source; the directory of the test */
	const char *sources[1];
	int wake[2];
	const char *what;
	/* how often work asked to continue; how often it may continue */
	unsigned nr_asked, allowed;
};

static inline void run_woken(void *data)
{
	ssize_t n = write(((struct session_run *)data)->wake[1], "", 1);

	(void)n;
}

static inline bool run_asked(void *data, const char *what, uint64_t done, uint64_t total)
{
	struct session_run *r = data;

	assert_true(done <= total && total);
	r->what = what;
	return r->nr_asked++ < r->allowed;
}

/* Fail if `until` has passed; else wait for run_woken(), at most RUN_DEADLINE_MS. */
static inline void run_wait(struct session_run *r, ns_t until)
{
	struct pollfd fd = { .fd = r->wake[0], .events = POLLIN };
	char bytes[64];

	assert_true(tr2_clock_monotonic() < until);
	if (poll(&fd, 1, RUN_DEADLINE_MS) > 0 && read(fd.fd, bytes, sizeof(bytes)) < 0)
		fail();
}

/* Open the screen and the source r->spec, to read it to its end (`once`) or follow it. Returns
 * false if that fails. */
static inline bool run_open(struct session_run *r, bool once)
{
	int status;

	r->sources[0] = r->spec;
	r->options = (struct options){ .once = once,
				       .top = LIMIT_ALL,
				       .nesting = LIMIT_ALL,
				       .depth = LIMIT_ALL,
				       .since = NS_NONE,
				       .history_bytes = 64 << 20,
				       .max_processes = -1,
				       .sources = (char **)(uintptr_t)r->sources,
				       .nr_sources = 1 };
	if (pipe2(r->wake, O_CLOEXEC) || !session_open(&r->session, &r->options, run_woken, r))
		return false;
	screen_init(&r->screen, &r->session);
	if (!session_start(&r->session, 120, 40, &status))
		return false;
	screen_open(&r->screen, 120, 40, false);
	r->screen.asked = run_asked;
	r->screen.asked_data = r;
	return true;
}

static inline void run_close(struct session_run *r)
{
	screen_close(&r->screen);
	session_close(&r->session);
	close(r->wake[0]);
	close(r->wake[1]);
}

/* Draw frames until no work in parts is left, at most 100, and return the screen as text. */
static inline const char *run_text(struct session_run *r)
{
	static struct tr2_buf out = { .max = 1 << 20 };

	for (int frames = 0; frames < 100; frames++) {
		screen_order(&r->screen);
		screen_draw(&r->screen, model_last_time(r->session.model), r->screen.begun_ns);
		if (!ui_is_working(r->screen.ui))
			break;
	}
	tr2_buf_clear(&out);
	surface_dump(r->screen.surface, &out);
	return tr2_buf_cstr(&out);
}

static inline void run_press(struct session_run *r, uint32_t key)
{
	run_text(r);
	screen_key(&r->screen, &(struct key_event){ .key = key });
}

#endif
