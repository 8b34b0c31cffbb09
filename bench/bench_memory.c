/* SPDX-License-Identifier: MIT */
/* Memory per event in the journal's batches, and per process in a model that keeps all
 * processes. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/feed.h"
#include "monitor/model/model.h"

struct memory {
	struct model *model;
	uint64_t journal_bytes, events;
};

static void memory_batch_take(struct feed *feed)
{
	struct memory *mem = feed->data;
	struct batch *kept = batch_compact(feed->batch);

	mem->journal_bytes += batch_bytes(kept);
	mem->events += kept->nr_events;
	batch_free(kept);
	model_apply(mem->model, feed->batch);
	batch_free(feed->batch);
	feed->batch = batch_new();
}

int main(void)
{
	static struct tr2_intern syms;
	struct model_config config = { .nesting = -1 };
	struct memory mem = { .events = 0 };
	struct feed feed = { .full = memory_batch_take, .data = &mem };
	size_t len;
	char *bytes = feed_load(getenv("BENCH_DATA"), &len);
	double processes;

	if (!bytes || !tr2_intern_init(&syms, 0, 0)) {
		fputs("bench_memory: BENCH_DATA must name a file of events\n", stderr);
		return 2;
	}
	mem.model = model_new(&syms, &config);
	feed.reader = reader_new(READER_EVENT, &syms);
	feed.batch = batch_new();
	feed_bytes(&feed, bytes, len);
	memory_batch_take(&feed);
	model_settle(mem.model);
	processes = model_nr_processes(mem.model);
	printf("memory: %" PRIu64 " events of %.0f processes\n", mem.events, processes);
	printf("%-44s %10.1f bytes/event    (goal 48)\n", "journal",
	       (double)mem.journal_bytes / (double)mem.events);
	printf("%-44s %10.1f bytes/process  (goal 1024)\n", "model, all it holds",
	       (double)model_bytes(mem.model) / processes);
	printf("%-44s %10.1f bytes/process\n", "  including lists, texts and regions in use",
	       (double)model_heap(mem.model)->used_bytes / processes);
	printf("%-44s %10zu bytes\n", "  including the process itself", sizeof(struct process));
	model_free(mem.model);
	batch_free(feed.batch);
	reader_free(feed.reader);
	tr2_intern_release(&syms);
	free(bytes);
	return 0;
}
