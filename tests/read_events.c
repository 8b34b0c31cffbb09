/* SPDX-License-Identifier: MIT */
/*
 * Print the records that a reader produces from standard input, one per line, as JSON with times in
 * nanoseconds.
 *
 *   read_events [CUT] <FILE   in pieces of CUT bytes (default: all at once)
 *
 * The last line has the counters.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/jw.h"
#include "monitor/event/event_json.h"
#include "monitor/read/reader.h"

struct read_events_run {
	struct tr2_intern syms;
	struct reader *reader;
	struct batch *batch;
	struct read_counts counts;
	struct tr2_buf out;
};

static void bad(void *data, const char *record, size_t len, const struct diag *why)
{
	(void)data;
	fprintf(stderr, "%s: %.*s\n", why->message, (int)len, record);
}

static void print_list(struct tr2_jw *jw, const struct batch *batch, int64_t list)
{
	int64_t item;
	uint32_t nr = batch_list(batch, list, &item);

	tr2_jw_array(jw);
	for (; nr; nr--) {
		size_t len;
		const char *text = batch_text(batch, item, &len);

		tr2_jw_string(jw, text, len);
		item = batch_list_next(batch, item);
	}
	tr2_jw_end_array(jw);
}

static void print_event(struct read_events_run *run, const struct event *ev)
{
	struct tr2_jw jw;
	const char *text;
	size_t len;

	tr2_buf_clear(&run->out);
	tr2_jw_init(&jw, &run->out, 0);
	tr2_jw_object(&jw);
	text = event_name(&run->syms, ev, &len);
	tr2_jw_key(&jw, "event");
	if (ev->kind == REC_ABOUT) {
		tr2_jw_string(&jw, "about", 5);
		tr2_jw_key(&jw, "about");
		tr2_jw_int(&jw, event_get(ev, FLD_ABOUT, 0));
		tr2_jw_key(&jw, "format");
		text = tr2_intern_text(&run->syms, event_sym(ev, FLD_FORMAT), &len);
	}
	tr2_jw_string(&jw, text, len);
	for (unsigned field = 0; field < TR2_NR_FIELDS; field++) {
		if (!event_has(ev, field))
			continue;
		tr2_jw_key(&jw, tr2_fields[field].wire);
		switch (tr2_fields[field].type) {
		case TR2_TYPE_SYM:
			text = tr2_intern_text(&run->syms, (sym_t)ev->v[field], &len);
			tr2_jw_string(&jw, text, len);
			break;
		case TR2_TYPE_SID:
			text = batch_sid_text(run->batch, (uint32_t)ev->v[field], &len);
			tr2_jw_string(&jw, text, len);
			break;
		case TR2_TYPE_TEXT:
			text = batch_text(run->batch, ev->v[field], &len);
			tr2_jw_string(&jw, text, len);
			break;
		case TR2_TYPE_LIST:
			print_list(&jw, run->batch, ev->v[field]);
			break;
		default:
			tr2_jw_int(&jw, ev->v[field]);
		}
	}
	tr2_jw_end_object(&jw);
	fwrite(run->out.data, 1, run->out.len, stdout);
	putchar('\n');
}

static void flush(struct read_events_run *run)
{
	struct batch_cursor cursor = batch_begin(run->batch);
	struct event ev;

	while (batch_next(&cursor, &ev))
		print_event(run, &ev);
	batch_clear(run->batch);
}

static void read_events_pump(struct read_events_run *run)
{
	while (reader_pump(run->reader, run->batch, &run->counts, bad, NULL))
		flush(run);
	flush(run);
}

int main(int argc, char **argv)
{
	size_t cut = argc > 1 ? strtoul(argv[1], NULL, 10) : SIZE_MAX, have = 0, at = 0, len = 0;
	struct reader_stream stream = { .name = "stream",
					.reference_ns = 0,
					.nr_processes = &(uint32_t){ 0 } };
	char *bytes = NULL;
	struct read_events_run run = { 0 };
	int kind = DETECT_MORE;

	for (size_t n = 1; n; len += n) {
		bytes = realloc(bytes, len + 65536 + READER_PAD);
		n = bytes ? fread(bytes + len, 1, 65536, stdin) : 0;
	}
	if (!bytes || !tr2_intern_init(&run.syms, 0, 0))
		return 1;
	tr2_buf_init(&run.out, 64 << 20);
	run.batch = batch_new();
	/* Drop a byte order mark, as the splitter does. */
	if (len >= 3 && !memcmp(bytes, "\xef\xbb\xbf", 3))
		at = have = 3;
	while (have < len) {
		have += cut < len - have ? cut : len - have;
		if (kind == DETECT_MORE)
			kind = reader_detect(
				FORMATS_ALL, bytes + at,
				have - at < SPLITTER_PROBE_BYTES ? have - at : SPLITTER_PROBE_BYTES,
				have == len || have >= SPLITTER_PROBE_BYTES);
		if (kind < 0)
			continue;
		if (!run.reader)
			run.reader = reader_new_of((unsigned)kind, &run.syms,
						   readers[kind]->per_stream ? &stream : NULL);
		for (size_t used = 1; used && at < have; at += used) {
			size_t whole = have - at;

			if (run.reader->ops->framing == FRAME_LINES) {
				const char *lf = memrchr(bytes + at, '\n', whole);

				whole = lf ? (size_t)(lf + 1 - bytes) - at : 0;
				used = whole ? reader_lines(run.reader, bytes + at, whole,
							    run.batch, &run.counts, bad, NULL)
					     : 0;
			} else {
				used = reader_bytes(run.reader, bytes + at, whole, run.batch,
						    &run.counts, bad, NULL);
			}
			read_events_pump(&run);
		}
	}
	/* The last line has no LF, so it is malformed. */
	if (run.reader && run.reader->ops->framing == FRAME_LINES && at < len)
		run.counts.nr_malformed++;
	if (run.reader) {
		reader_finish(run.reader, false, &run.counts, bad, NULL);
		read_events_pump(&run);
	}
	printf("{\"format\":\"%s\",\"events\":%llu,\"malformed\":%llu,\"oversized\":%llu,"
	       "\"continued\":%llu,"
	       "\"ignored\":%llu,\"unknown\":%llu,\"lost_generations\":%llu,\"bytes_left\":%zu}"
	       "\n",
	       kind < 0 ? "none" : reader_words[kind + 1].word,
	       (unsigned long long)run.counts.nr_events,
	       (unsigned long long)run.counts.nr_malformed,
	       (unsigned long long)run.counts.nr_oversized,
	       (unsigned long long)run.counts.nr_continued,
	       (unsigned long long)run.counts.nr_ignored, (unsigned long long)run.counts.nr_unknown,
	       (unsigned long long)run.counts.nr_lost, len - at);
	reader_free(run.reader);
	batch_free(run.batch);
	tr2_buf_release(&run.out);
	tr2_intern_release(&run.syms);
	free(bytes);
	return fflush(stdout) ? 1 : 0;
}
