/* SPDX-License-Identifier: MIT */
/* Output of the readers in bench_formats.c and bench_traces.c: a batch and a bounded model. */
#ifndef BENCH_TARGET_H
#define BENCH_TARGET_H

#include <inttypes.h>

#include "bench/bench.h"
#include "bench/feed.h"
#include "monitor/model/model.h"

struct bench_target {
	struct tr2_intern syms;
	struct model *model;
	struct feed feed;
	uint32_t nr_processes;
	void *shared;
};

static inline void target_apply(struct feed *feed)
{
	struct bench_target *t = feed->data;

	model_apply(t->model, feed->batch);
	batch_clear(feed->batch);
}

static inline struct bench_target *target_new(void)
{
	struct bench_target *t = calloc(1, sizeof(*t));

	if (!t || !tr2_intern_init(&t->syms, 0, 0))
		exit(1);
	t->model =
		model_new(&t->syms, &(struct model_config){ .nesting = -1, .max_processes = 1000 });
	t->feed = (struct feed){ .batch = batch_new(), .full = target_apply, .data = t };
	return t;
}

static inline struct reader_stream target_stream(struct bench_target *t, const char *name,
						 bool one_process)
{
	return (struct reader_stream){ .name = name,
				       .one_process = one_process,
				       .reference_ns = 1795262400 * NS_PER_SEC,
				       .nr_processes = &t->nr_processes,
				       .shared = &t->shared };
}

/* Feed all bytes of a stream through a new reader. */
static inline void target_feed(struct bench_target *t, unsigned kind,
			       const struct reader_stream *stream, const char *bytes, size_t len)
{
	t->feed.reader = reader_new_of(kind, &t->syms, stream);
	feed_bytes(&t->feed, bytes, len);
	reader_finish(t->feed.reader, false, &t->feed.counts, NULL, NULL);
	feed_pump(&t->feed);
	reader_free(t->feed.reader);
}

/* Return the CPU nanoseconds since `from` and free the target. Sets `*nr` to the number of
 * events. */
static inline double target_end(struct bench_target *t, double from, double *nr)
{
	double ns;

	target_apply(&t->feed);
	ns = bench_cpu_ns() - from;
	*nr = (double)t->feed.counts.nr_events;
	if (*nr == 0 || t->feed.counts.nr_malformed)
		printf("%.0f events, %" PRIu64 " malformed\n", *nr, t->feed.counts.nr_malformed);
	batch_free(t->feed.batch);
	model_free(t->model);
	tr2_intern_release(&t->syms);
	free(t->shared);
	free(t);
	return ns;
}

#endif
