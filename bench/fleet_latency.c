/* SPDX-License-Identifier: MIT */
/*
 * fleet_latency URL EVENTS: latency from an event's `time` until the main thread takes the event
 * from the journal. Prints the number of events, and the median and 99th percentile of their
 * latencies in ms. Fails if fewer than EVENTS arrive.
 */
#include "config.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "engine/schema.h"
#include "monitor/intake/intake.h"

#define DEADLINE_MS 60000

static int woken[2];

static void latency_wake(void *data)
{
	ssize_t n = write(woken[1], "", 1);

	(void)data;
	(void)n;
}

static int by_value(const void *a, const void *b)
{
	ns_t x = *(const ns_t *)a, y = *(const ns_t *)b;

	return (x > y) - (x < y);
}

static size_t latency_take_batch(struct journal *journal, ns_t *late, size_t nr, size_t max)
{
	const struct batch *batch;
	struct event ev;

	while ((batch = journal_next(journal))) {
		ns_t now = tr2_clock_wall();

		for (struct batch_cursor c = batch_begin(batch); batch_next(&c, &ev);)
			if (nr < max && event_is_trace2(&ev) && event_has(&ev, TR2_F_TIME))
				late[nr++] = now - ev.v[TR2_F_TIME];
	}
	return nr;
}

int main(int argc, char **argv)
{
	struct source_config config = { .new_only = true,
					.socket_mode = 0600,
					.wake = latency_wake };
	size_t max = argc == 3 ? strtoul(argv[2], NULL, 10) : 0, nr = 0;
	ns_t *late = max ? calloc(max, sizeof(*late)) : NULL;
	struct tr2_intern syms;
	struct journal *journal;
	struct intake *intake;
	char why[300], bytes[256];

	if (!late || pipe2(woken, O_NONBLOCK | O_CLOEXEC) || !tr2_intern_init(&syms, 0, 0)) {
		fputs("fleet_latency URL EVENTS\n", stderr);
		return 2;
	}
	journal = journal_new(0, latency_wake, NULL);
	intake = intake_new(journal, &syms, &config);
	if (!intake_add(intake, argv[1], why, sizeof(why))) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	intake_start(intake);
	while (nr < max) {
		struct pollfd fd = { .fd = woken[0], .events = POLLIN };

		if (poll(&fd, 1, DEADLINE_MS) <= 0)
			break;
		while (read(woken[0], bytes, sizeof(bytes)) > 0)
			;
		nr = latency_take_batch(journal, late, nr, max);
	}
	intake_stop(intake);
	qsort(late, nr, sizeof(*late), by_value);
	if (nr)
		printf("%zu %.1f %.1f\n", nr, (double)late[nr / 2] / 1e6,
		       (double)late[nr * 99 / 100] / 1e6);
	intake_free(intake);
	journal_free(journal);
	tr2_intern_release(&syms);
	free(late);
	return nr < max;
}
