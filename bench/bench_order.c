/* SPDX-License-Identifier: MIT */
/* Time order: CPU time and peak memory of sorting the events of a directory with one file per
 * process, read newest first. Once with one day per copy of the data; once with all copies at the
 * same time. */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bench/bench.h"
#include "bench/feed.h"
#include "bench/split.h"
#include "monitor/history/journal_order.h"
#include "monitor/history/lookback.h"

#define MAX_EVENTS 1000000u

struct order_reading {
	struct journal *journal;
	struct model *live;
	uint32_t file;
};

/* Change the date of a line to a day that depends on the host in its SID. */
static void time_move(char *line, const char *sid)
{
	char *time = strstr(line, "\"time\":\"");
	const char *host = strstr(sid, "-H");
	unsigned copy = host ? (unsigned)strtoul(host + 2, NULL, 16) : 0;
	char date[24];

	if (!time)
		return;
	snprintf(date, sizeof(date), "%04u-%02u-%02u", 2000 + copy / 300 % 20, 1 + copy / 25 % 12,
		 1 + copy % 25);
	memcpy(time + 8, date, 10);
}

static void order_stream_say(struct feed *feed)
{
	struct event ev = { .kind = REC_STREAM };

	event_set(&ev, FLD_STREAM, ((struct order_reading *)feed->data)->file);
	event_set(&ev, FLD_SOURCE, 0);
	event_set(&ev, FLD_ARRIVAL, tr2_clock_wall());
	event_set(&ev, FLD_LIVE, 0);
	batch_add(feed->batch, &ev);
}

static void order_batch_hand(struct feed *feed)
{
	struct order_reading *r = feed->data;
	const struct batch *batch;

	journal_push(r->journal, feed->batch);
	while ((batch = journal_next(r->journal)))
		model_apply(r->live, batch);
	feed->batch = journal_take(r->journal);
	order_stream_say(feed);
}

/* Read the files newest first, as a source reads a directory. */
static void directory_read(const struct split *d, const char *bytes, struct feed *feed)
{
	struct order_reading *r = feed->data;
	char *buf = xmalloc(FEED_CHUNK_BYTES * 8 + SPLITTER_PAD);

	feed->batch = journal_take(r->journal);
	for (uint32_t i = d->nr_files; i-- > 0;) {
		size_t len = 0;

		r->file = i;
		order_stream_say(feed);
		for (uint32_t l = d->files[i].first; l != SPLIT_NONE; l = d->lines[l].next) {
			if (len + d->lines[l].len > FEED_CHUNK_BYTES * 8) {
				feed_lines(feed, buf, len);
				len = 0;
			}
			memcpy(buf + len, bytes + d->lines[l].at, d->lines[l].len);
			len += d->lines[l].len;
		}
		feed_lines(feed, buf, len);
	}
	order_batch_hand(feed);
	free(buf);
}

static double status_mb(const char *what)
{
	FILE *from = fopen("/proc/self/status", "re");
	char line[200];
	double kb = 0;

	while (from && fgets(line, sizeof(line), from))
		if (!strncmp(line, what, strlen(what)))
			kb = strtod(line + strlen(what) + 1, NULL);
	if (from)
		fclose(from);
	return kb / 1024;
}

/* Reset VmHWM, the peak memory. */
static void peak_reset(void)
{
	int fd = open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC);

	malloc_trim(0);
	if (fd < 0 || write(fd, "5", 1) != 1)
		fputs("bench_order: the peak includes everything before\n", stderr);
	if (fd >= 0)
		close(fd);
}

static void order_measure(const char *what, bool days)
{
	static struct tr2_intern syms;
	const struct model_config config = { .nesting = -1, .max_processes = 10000 };
	struct order_reading r = { .journal = journal_new(SIZE_MAX / 2, NULL, NULL) };
	struct feed feed = { .full = order_batch_hand, .data = &r };
	struct journal_stats before, after;
	struct split d;
	struct model *anew;
	struct lookback *past;
	double begun, ordered, held;
	size_t len;
	char *bytes = feed_load(getenv("BENCH_DATA"), &len);

	if (!bytes || !tr2_intern_init(&syms, 0, 0)) {
		fputs("bench_order: BENCH_DATA must name a file of events\n", stderr);
		exit(2);
	}
	r.live = model_new(&syms, &config);
	past = lookback_new(r.journal, &syms, &config);
	feed.reader = reader_new(READER_EVENT, &syms);
	split_make(&d, bytes, len, MAX_EVENTS, days ? time_move : NULL);
	directory_read(&d, bytes, &feed);
	free(bytes);
	journal_stats(r.journal, &before);
	peak_reset();
	held = status_mb("VmRSS:");
	begun = bench_cpu_ns();
	journal_order_sort(r.journal, NULL, NULL);
	ordered = bench_cpu_ns();
	printf("order: %s: %u events of %u files, %.1f MB of journal\n", what, d.nr_lines,
	       d.nr_files, (double)before.bytes / 1e6);
	journal_stats(r.journal, &after);
	printf("%-44s %10.1f ms         (%.0f ns/event)\n", "  sorted by time",
	       (ordered - begun) / 1e6, (ordered - begun) / d.nr_lines);
	printf("%-44s %10.1f MB         (%.2f of the journal)\n", "  additional peak memory",
	       status_mb("VmHWM:") - held,
	       (status_mb("VmHWM:") - held) * 1048576 / (double)before.bytes);
	printf("%-44s %10.1f MB         (%+.1f %%)\n", "  journal afterwards",
	       (double)after.bytes / 1e6, ((double)after.bytes / (double)before.bytes - 1) * 100);
	begun = bench_cpu_ns();
	anew = lookback_replay(past, NULL);
	printf("%-44s %10.1f ms\n", "  recomputing the live model", (bench_cpu_ns() - begun) / 1e6);
	model_free(anew);
	lookback_free(past);
	model_free(r.live);
	batch_free(feed.batch);
	journal_free(r.journal);
	reader_free(feed.reader);
	tr2_intern_release(&syms);
	split_release(&d);
}

int main(void)
{
	order_measure("one day per copy", true);
	order_measure("all copies at the same time", false);
	return 0;
}
