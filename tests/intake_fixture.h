/* SPDX-License-Identifier: MIT */
/*
 * Fixture: an intake thread that reads real files and sockets, and counts of the records that it
 * hands over. Each exit event has a number as its code, so that lost and duplicate events can be
 * identified.
 */
#ifndef TESTS_INTAKE_FIXTURE_H
#define TESTS_INTAKE_FIXTURE_H

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/schema.h"
#include "monitor/intake/intake.h"

#define FIXTURE_DEADLINE_MS 120000

struct fixture {
	struct tr2_intern syms;
	struct journal *journal;
	struct intake *intake;
	int wake[2];
	pthread_mutex_t hold; /* while locked, fixture_woken() blocks the intake thread */
	uint8_t *seen;        /* how often each number below `cap` arrived, at most 255 */
	uint32_t cap;
	uint64_t nr_seen;
	uint64_t nr_gaps, nr_ends, nr_dropped, nr_printf;
};

static inline void fixture_woken(void *data)
{
	struct fixture *f = data;
	ssize_t n;

	pthread_mutex_lock(&f->hold);
	pthread_mutex_unlock(&f->hold);
	n = write(f->wake[1], "", 1);
	(void)n;
}

static inline void fixture_open_keeping(struct fixture *f, const struct source_config *how,
					uint32_t cap, size_t history_bytes)
{
	struct source_config config = *how;

	*f = (struct fixture){ .cap = cap };
	config.wake = fixture_woken;
	config.wake_data = f;
	config.socket_mode = config.socket_mode ? config.socket_mode : 0600;
	pthread_mutex_init(&f->hold, NULL);
	f->seen = calloc(cap, 1);
	if (pipe2(f->wake, O_NONBLOCK | O_CLOEXEC) || !f->seen || !tr2_intern_init(&f->syms, 0, 0))
		abort();
	f->journal = journal_new(history_bytes, fixture_woken, f);
	f->intake = intake_new(f->journal, &f->syms, &config);
}

static inline void fixture_open(struct fixture *f, const struct source_config *how, uint32_t cap)
{
	fixture_open_keeping(f, how, cap, 0);
}

static inline void fixture_count(struct fixture *f, const struct event *ev)
{
	uint64_t number = (uint64_t)ev->v[TR2_F_CODE];

	f->nr_gaps += ev->kind == REC_GAP;
	f->nr_printf += ev->kind == TR2_E_PRINTF;
	f->nr_ends += ev->kind == REC_STREAM_END;
	if (ev->kind == REC_DROPPED)
		f->nr_dropped += (uint64_t)ev->v[FLD_DROPS];
	if (ev->kind != TR2_E_EXIT)
		return;
	f->nr_seen++;
	if (number < f->cap && f->seen[number] < UINT8_MAX)
		f->seen[number]++;
}

static inline void fixture_take(struct fixture *f)
{
	const struct batch *batch;
	struct event ev;

	while ((batch = journal_next(f->journal)))
		for (struct batch_cursor c = batch_begin(batch); batch_next(&c, &ev);)
			fixture_count(f, &ev);
}

/* Wait until fixture_woken() was called, at most until `until_ms`. Returns false if that time was
 * past already, or if poll() fails. */
static inline bool fixture_poll(struct fixture *f, int64_t until_ms)
{
	struct pollfd fd = { .fd = f->wake[0], .events = POLLIN };
	int64_t left = until_ms - tr2_clock_monotonic() / NS_PER_MS;
	char bytes[256];

	if (left <= 0 || poll(&fd, 1, (int)left) < 0)
		return false;
	while (read(f->wake[0], bytes, sizeof(bytes)) > 0)
		;
	return true;
}

static inline int64_t fixture_until(int ms)
{
	return tr2_clock_monotonic() / NS_PER_MS + ms;
}

/* Return false if `done` does not return true within FIXTURE_DEADLINE_MS. */
static inline bool fixture_wait(struct fixture *f, bool (*done)(struct fixture *, void *),
				void *data)
{
	int64_t until = fixture_until(FIXTURE_DEADLINE_MS);

	/* Changes of the statistics do not call fixture_woken(), so they are polled. */
	for (fixture_take(f); !done(f, data); fixture_take(f)) {
		if (fixture_until(0) >= until)
			return false;
		fixture_poll(f, fixture_until(20));
	}
	return true;
}

static inline bool fixture_has_nr(struct fixture *f, void *nr)
{
	return f->nr_seen >= *(uint64_t *)nr;
}

static inline bool fixture_wait_nr(struct fixture *f, uint64_t nr)
{
	return fixture_wait(f, fixture_has_nr, &nr);
}

static inline bool fixture_is_done(struct fixture *f, void *data)
{
	(void)data;
	if (!intake_is_done(f->intake))
		return false;
	fixture_take(f);
	return true;
}

static inline void fixture_close(struct fixture *f)
{
	intake_free(f->intake);
	journal_free(f->journal);
	tr2_intern_release(&f->syms);
	close(f->wake[0]);
	close(f->wake[1]);
	pthread_mutex_destroy(&f->hold);
	free(f->seen);
}

/* Write an exit event with the code `number` and `pad` extra bytes. Returns the length of the
 * line. */
static inline size_t fixture_line(char *to, size_t bytes, unsigned number, unsigned pad)
{
	return (size_t)snprintf(to, bytes,
				"{\"event\":\"exit\",\"sid\":\"s\",\"thread\":\"main\","
				"\"t_abs\":0.5,\"x\":\"%0*u\",\"code\":%u}\n",
				(int)pad + 1, 0u, number);
}

#endif
