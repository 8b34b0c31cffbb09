/* SPDX-License-Identifier: MIT */
/*
 * Tests of a directory of old traces on the screen: they are read newest first, and shown in time
 * order when looking back.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/read/reader.h"
#include "tests/session_run.h"

#define NR_FILES   60u
#define NR_REGIONS 30u /* regions per file, which has 5 + 2 * NR_REGIONS events */
#define A_FILE     (5u + 2 * NR_REGIONS)
#define NR_EVENTS  (NR_FILES * A_FILE)

/*
 * Return the time of event `number` of file `file`, in microseconds: one file starts per second and
 * takes two and a half seconds.
 */
static int64_t time_us(unsigned file, unsigned number)
{
	return file * 1000000ll + number * 2500000ll / A_FILE;
}

struct trace {
	FILE *to;
	unsigned file, sid, number;
};

static void put_string(struct trace *t, const char *event, const char *more)
{
	int64_t us = time_us(t->file, t->number++);

	fprintf(t->to,
		"{\"event\":\"%s\",\"sid\":\"20260102T030400.%06uZ-H00000000-P%08x\","
		"\"thread\":\"main\",\"time\":\"2026-01-02T03:%02d:%02d.%06dZ\"%s}\n",
		event, t->sid, 0x1000 + t->sid, 4 + (int)(us / 60000000), (int)(us / 1000000 % 60),
		(int)(us % 1000000), more);
}

static void path_of(const struct session_run *r, unsigned file, char path[96])
{
	snprintf(path, 96, "%s/trace-%03u", r->dir, file);
}

static void trace_write(FILE *to, unsigned file, unsigned sid)
{
	struct trace t = { to, file, sid, 0 };
	char more[200];

	put_string(&t, "version", ",\"evt\":\"3\",\"exe\":\"2.55\"");
	put_string(&t, "start", ",\"t_abs\":0.001,\"argv\":[\"git\",\"x\"]");
	snprintf(more, sizeof(more), ",\"name\":\"cmd%03u\",\"hierarchy\":\"cmd%03u\"", sid, sid);
	put_string(&t, "cmd_name", more);
	for (unsigned i = 0; i < NR_REGIONS; i++) {
		const char *region = ",\"repo\":1,\"nesting\":1,\"category\":\"c\",\"label\":"
				     "\"%s\"%s";
		const char *label = (i + sid) % 3 ? "often" : "seldom";
		char took[40];

		snprintf(took, sizeof(took), ",\"t_rel\":0.%06u", 10000 + sid * 100 + i);

		snprintf(more, sizeof(more), region, label, "");
		put_string(&t, "region_enter", more);
		snprintf(more, sizeof(more), region, label, took);
		put_string(&t, "region_leave", more);
	}
	put_string(&t, "exit", ",\"t_abs\":2.4,\"code\":0");
	put_string(&t, "atexit", ",\"t_abs\":2.4,\"code\":0");
	assert_int_equal(t.number, A_FILE);
}

static void file_write(const struct session_run *r, unsigned file)
{
	struct timespec times[2] = { { .tv_sec = 1000000 + file }, { .tv_sec = 1000000 + file } };
	char path[96];
	FILE *to;

	path_of(r, file, path);
	to = fopen(path, "we");
	assert_non_null(to);
	trace_write(to, file, file);
	fclose(to);
	assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

/* Add a trace with the times of the trace file number `file`. */
static void old_trace_comes(struct session_run *r, unsigned file, unsigned sid)
{
	struct reader *reader = reader_new(READER_EVENT, &r->session.syms);
	struct batch *batch = journal_take(r->session.journal);
	struct event ev = { .kind = REC_STREAM };
	struct read_counts counts = { 0 };
	char *text = NULL;
	size_t len;
	FILE *to = open_memstream(&text, &len);

	trace_write(to, file, sid);
	for (int i = 0; i < READER_PAD; i++)
		fputc('\0', to);
	fclose(to);
	event_set(&ev, FLD_STREAM, 1000 + sid);
	event_set(&ev, FLD_SOURCE, 0);
	event_set(&ev, FLD_ARRIVAL, tr2_clock_wall());
	event_set(&ev, FLD_LIVE, 0);
	batch_add(batch, &ev);
	reader_lines(reader, text, len - READER_PAD, batch, &counts, NULL, NULL);
	assert_int_equal(counts.nr_events, A_FILE);
	journal_push(r->session.journal, batch);
	if (!screen_is_paused(&r->screen))
		session_apply(&r->session, 0);
	reader_free(reader);
	free(text);
}

static unsigned nr_before(int64_t us)
{
	unsigned nr = 0;

	for (unsigned file = 0; file < NR_FILES; file++)
		for (unsigned i = 0; i < A_FILE; i++)
			nr += time_us(file, i) < us;
	return nr;
}

static void wait_events(struct session_run *r, uint64_t nr)
{
	ns_t until = tr2_clock_monotonic() + RUN_DEADLINE_MS * NS_PER_MS;

	while (model_totals(r->session.model)->events < nr) {
		run_wait(r, until);
		session_apply(&r->session, 0);
	}
	assert_int_equal(model_totals(r->session.model)->events, nr);
}

static int setup(void **state)
{
	struct session_run *r = calloc(1, sizeof(*r));

	*state = r;
	setenv("TZ", "UTC", 1);
	snprintf(r->dir, sizeof(r->dir), "/tmp/story-XXXXXX");
	if (!mkdtemp(r->dir))
		return -1;
	strcpy(r->spec, r->dir);
	r->allowed = UINT32_MAX;
	for (unsigned i = 0; i < NR_FILES; i++)
		file_write(r, i);
	if (!run_open(r, false))
		return -1;
	wait_events(r, NR_EVENTS);
	return 0;
}

static int teardown(void **state)
{
	struct session_run *r = *state;
	char path[96];

	run_close(r);
	for (unsigned i = 0; i < NR_FILES; i++) {
		path_of(r, i, path);
		unlink(path);
	}
	if (rmdir(r->dir))
		return -1;
	free(r);
	return 0;
}

static void type(struct session_run *r, const char *keys)
{
	for (; *keys; keys++)
		run_press(r, (uint32_t)*keys);
}

static void look_at(struct session_run *r, int64_t us)
{
	char keys[40];

	snprintf(keys, sizeof(keys), "@2026-01-02 03:%02d:%02d.%06d\r", 4 + (int)(us / 60000000),
		 (int)(us / 1000000 % 60), (int)(us % 1000000));
	type(r, keys);
}

/* Return the line of the screen that contains `what`; "" if there is none. */
static const char *line_with(struct session_run *r, const char *what)
{
	static char line[1000];
	const char *screen = run_text(r), *at = strstr(screen, what), *end;

	*line = '\0';
	if (!at)
		return line;
	while (at > screen && at[-1] != '\n')
		at--;
	end = strchr(at, '\n');
	snprintf(line, sizeof(line), "%.*s", (int)(end - at), at);
	return line;
}

static bool is_on(struct session_run *r, const char *what, const char *name)
{
	return strstr(line_with(r, what), name) != NULL;
}

static void format_number(unsigned number, char text[24])
{
	if (number < 1000)
		snprintf(text, 24, "%u", number);
	else
		snprintf(text, 24, "%u,%03u", number / 1000, number % 1000);
}

static void a_time_is_found_in_a_directory(void **state)
{
	static const int64_t times[] = { 30500000, 1, 61000000, 12345678, 12345677 };
	struct session_run *r = *state;

	assert_true(journal_is_disordered(r->session.journal));
	for (size_t i = 0; i < sizeof(times) / sizeof(*times); i++) {
		char wanted[60], number[24];

		look_at(r, times[i]);
		assert_int_equal(lookback_position(r->screen.past), nr_before(times[i]));
		format_number(nr_before(times[i]), number);
		snprintf(wanted, sizeof(wanted), " %s of 3,900 ", number);
		if (!strstr(run_text(r), wanted))
			fail_msg("%s is not on\n%s", wanted, run_text(r));
		assert_null(strstr(run_text(r), "No earlier events"));
	}
	assert_false(journal_is_disordered(r->session.journal));
	assert_int_equal(journal_era(r->session.journal), 1);
}

static void seconds_and_events_go_by_time(void **state)
{
	struct session_run *r = *state;
	int64_t end = time_us(NR_FILES - 1, A_FILE - 1);

	run_press(r, '[');
	assert_string_equal(r->what, "Looking back");
	assert_int_equal(lookback_position(r->screen.past), NR_EVENTS - 1);
	run_press(r, ']');
	run_press(r, '{');
	assert_int_equal(lookback_position(r->screen.past), nr_before(end - 1000000));
	run_press(r, '{');
	assert_in_range(lookback_position(r->screen.past), nr_before(end - 2050000),
			nr_before(end - 2000000));
	for (int i = 0; i < 70; i++)
		run_press(r, '{');
	assert_int_equal(lookback_position(r->screen.past), 0);
	/* Steps stop at the beginning and continue from there. */
	run_press(r, '{');
	assert_int_equal(lookback_position(r->screen.past), 0);
	run_press(r, '}');
	assert_int_equal(lookback_position(r->screen.past), nr_before(1000000));
}

static void a_time_shows_processes_that_had_begun_and_not_ended(void **state)
{
	struct session_run *r = *state;

	look_at(r, 30100000);
	assert_int_equal(model_totals(r->screen.past_model)->processes, 31);
	assert_int_equal(model_totals(r->screen.past_model)->by_state[STATE_RUNNING], 3);
	assert_int_equal(model_totals(r->screen.past_model)->by_state[STATE_EXITED], 28);
	assert_non_null(strstr(run_text(r), "cmd028"));
	assert_null(strstr(run_text(r), "cmd031"));
}

static void looking_back_to_the_end_shows_the_live_state(void **state)
{
	struct session_run *r = *state;
	const struct model *past;

	run_press(r, '[');
	run_press(r, ']');
	past = r->screen.past_model;
	assert_int_equal(lookback_position(r->screen.past), NR_EVENTS);
	for (uint32_t slot = model_first_slot(past); slot != SLOT_NONE;
	     slot = model_next_slot(past, slot)) {
		struct handle there = model_handle(past, slot);

		assert_int_equal(model_handle_here(r->session.model, there).slot, slot);
	}
	assert_int_equal(model_totals(past)->regions, model_totals(r->session.model)->regions);
	assert_int_equal(model_last_time(r->session.model), model_last_time(past));
	run_press(r, KEY_CODE_END);
	assert_null(r->screen.past_model);
}

static void selection_and_marks_stay_on_their_process(void **state)
{
	struct session_run *r = *state;
	const char *chosen = "cmd050", *marked = "cmd055";

	/* Marked rows are on top. */
	for (int i = 0; i < 200 && !is_on(r, "│▸", marked); i++)
		run_press(r, KEY_CODE_DOWN);
	assert_true(is_on(r, "│▸", marked));
	run_press(r, 'm');
	for (int i = 0; i < 200 && !is_on(r, "│▸", chosen); i++)
		run_press(r, KEY_CODE_DOWN);
	for (int way = 0; way < 3; way++) {
		if (way == 1)
			look_at(r, 58900000);
		if (way == 2)
			run_press(r, KEY_CODE_END);
		assert_true(is_on(r, "│▸", chosen));
		assert_true(is_on(r, "│◆", marked));
		assert_int_equal(journal_era(r->session.journal), way > 0);
	}
}

static void event_log_of_a_directory_is_in_the_order_of_time(void **state)
{
	struct session_run *r = *state;
	char first[16] = "", last[16] = "";
	unsigned nr = 0;

	run_press(r, 'e');
	assert_true(r->nr_asked > 2);
	assert_string_equal(r->what, "Replaying the sorted history");
	assert_int_equal(journal_era(r->session.journal), 1);
	run_press(r, 'a');
	run_press(r, 'a');
	run_press(r, KEY_CODE_HOME);
	for (int pages = 0; pages < 200; pages++) {
		char before[16] = "";

		for (const char *at = run_text(r); (at = strstr(at, "03:0")); at += 12) {
			snprintf(last, sizeof(last), "%.12s", at);
			if (last[8] != '.')
				continue;
			assert_true(strcmp(last, before) >= 0);
			if (!*before && strcmp(last, first) < 0)
				fail_msg("%s after %s", last, first);
			if (!*before)
				snprintf(first, sizeof(first), "%s", last);
			snprintf(before, sizeof(before), "%s", last);
			nr++;
		}
		run_press(r, KEY_CODE_PAGE_DOWN);
	}
	assert_true(nr >= NR_EVENTS);
	assert_string_equal(last, "03:05:01.461");
}

static void new_events_come_last_and_need_no_sort(void **state)
{
	struct session_run *r = *state;
	char path[96];

	look_at(r, 30500000);
	run_press(r, KEY_CODE_END);
	assert_int_equal(journal_era(r->session.journal), 1);
	path_of(r, 7, path);
	FILE *to = fopen(path, "ae");

	assert_non_null(to);
	trace_write(to, 80, 7);
	fclose(to);
	wait_events(r, NR_EVENTS + A_FILE);
	file_write(r, NR_FILES);
	wait_events(r, NR_EVENTS + 2 * A_FILE);
	assert_false(journal_is_disordered(r->session.journal));
	look_at(r, time_us(80, 10));
	assert_int_equal(lookback_position(r->screen.past), NR_EVENTS + 10);
	/* Old events keep their positions. */
	look_at(r, 12345678);
	assert_int_equal(lookback_position(r->screen.past), nr_before(12345678));
	assert_int_equal(journal_era(r->session.journal), 1);
	path_of(r, NR_FILES, path);
	assert_int_equal(unlink(path), 0);
}

/* Cancel after each possible number of steps, until the work completes. */
static void all_works_after_a_cancelled_sort(void **state)
{
	struct session_run *r = *state;
	unsigned nr_moved = 0;

	for (r->allowed = 0; journal_is_disordered(r->session.journal); r->allowed++) {
		uint64_t era = journal_era(r->session.journal);

		r->nr_asked = 0;
		run_press(r, '[');
		if (!journal_is_disordered(r->session.journal))
			break;
		assert_null(r->screen.past_model);
		assert_false(screen_is_paused(&r->screen));
		assert_non_null(strstr(run_text(r), "Cancelled"));
		assert_non_null(strstr(run_text(r), "FILE"));
		assert_int_equal(model_totals(r->session.model)->events, NR_EVENTS);
		/* The log is readable, and sorting is not tried all the time. */
		r->nr_asked = 0;
		run_press(r, 'e');
		assert_non_null(strstr(run_text(r), " > Events"));
		unsigned nr_asked = r->nr_asked;

		run_press(r, KEY_CODE_UP);
		run_press(r, KEY_CODE_UP);
		assert_int_equal(r->nr_asked, nr_asked);
		run_press(r, KEY_ESC);
		nr_moved += journal_era(r->session.journal) > era;
	}
	/* At least one sort was cancelled after something had moved. */
	assert_true(nr_moved > 0);
	r->allowed = UINT32_MAX;
	look_at(r, 30500000);
	assert_int_equal(lookback_position(r->screen.past), nr_before(30500000));
}

static void record_stays_the_same_when_its_log_is_sorted(void **state)
{
	struct session_run *r = *state;
	char *before, time[16];

	/* The log is sorted when it opens; here sorting may not continue. */
	r->allowed = 0;
	run_press(r, 'e');
	run_press(r, KEY_CODE_UP);
	run_press(r, KEY_CODE_UP);
	run_press(r, 'm');
	run_press(r, KEY_CODE_UP);
	run_press(r, '\r');
	before = strdup(line_with(r, "\"time\""));
	assert_true(strlen(before) > 20);
	r->allowed = UINT32_MAX;
	run_press(r, '[');
	run_press(r, KEY_CODE_END);
	assert_int_equal(journal_era(r->session.journal), 1);
	assert_string_equal(line_with(r, "\"time\""), before);
	/* In the log the record is still selected, and its mark is on the screen. */
	run_press(r, KEY_ESC);
	snprintf(time, sizeof(time), "%.12s", strstr(before, "T03:") + 1);
	free(before);
	assert_true(is_on(r, "│▸", time));
	assert_true(strlen(line_with(r, "│◆")) > 20);
}

static void log_stays_on_its_event_while_old_traces_come(void **state)
{
	struct session_run *r = *state;
	char *chosen, *marked;

	run_press(r, 'e');
	run_press(r, 'a');
	run_press(r, 'a');
	run_press(r, KEY_CODE_UP);
	run_press(r, 'm');
	run_press(r, KEY_CODE_UP);
	chosen = strdup(line_with(r, "│▸"));
	marked = strdup(line_with(r, "│◆"));
	assert_true(strlen(chosen) > 20 && strlen(marked) > 20);
	assert_non_null(strstr(run_text(r), "event 3898 of 3900"));
	old_trace_comes(r, 20, 100);
	assert_true(journal_is_disordered(r->session.journal));
	/* The page does not sort before the time of the next attempt. */
	r->screen.order_again_ns = INT64_MAX - 1;
	run_text(r);
	assert_int_equal(journal_era(r->session.journal), 1);
	r->screen.order_again_ns = 0;
	run_text(r);
	assert_int_equal(journal_era(r->session.journal), 2);
	assert_true(r->screen.order_again_ns > 0);
	assert_non_null(strstr(run_text(r), "event 3963 of 3965"));
	assert_string_equal(line_with(r, "│▸"), chosen);
	assert_string_equal(line_with(r, "│◆"), marked);
	/* Without the log no sorting is needed; looking back needs it again. */
	run_press(r, KEY_ESC);
	r->screen.order_again_ns = 0;
	old_trace_comes(r, 30, 101);
	run_text(r);
	assert_int_equal(journal_era(r->session.journal), 2);
	look_at(r, time_us(30, 1));
	assert_int_equal(journal_era(r->session.journal), 3);
	assert_int_equal(lookback_position(r->screen.past), nr_before(time_us(30, 1)) + A_FILE + 1);
	free(chosen);
	free(marked);
}

static void pages_read_the_journal_again_after_a_sort(void **state)
{
	static const char *const ways[] = { "3\r", "ta" };
	struct session_run *r = *state;

	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		char *before;

		/* Sorting replaces several batches by fewer. */
		for (unsigned n = 0; n < 3; n++)
			old_trace_comes(r, 3 * i + n, 110 + 3 * i + n);
		type(r, ways[i]);
		before = strdup(strstr(run_text(r), "┌"));
		run_press(r, 'e');
		assert_int_equal(journal_era(r->session.journal), i + 1);
		run_press(r, KEY_ESC);
		assert_string_equal(strstr(run_text(r), "┌"), before);
		free(before);
		old_trace_comes(r, 58 + i, 100 + i);
		before = strdup(strstr(run_text(r), "┌"));
		run_press(r, KEY_ESC);
		run_press(r, '1');
		type(r, ways[i]);
		assert_string_equal(strstr(run_text(r), "┌"), before);
		free(before);
		run_press(r, KEY_ESC);
		run_press(r, '1');
	}
}

/* Sorting changes the slots of processes. */
static void pages_stay_on_their_process(void **state)
{
	static const char *const ways[] = { "S", "\r", "t", "F", "3a" };
	struct session_run *r = *state;

	for (unsigned i = 0; i < sizeof(ways) / sizeof(*ways); i++) {
		char *before;

		for (int n = 0; n < 200 && !is_on(r, "│▸", "cmd055"); n++)
			run_press(r, KEY_CODE_DOWN);
		type(r, ways[i]);
		before = strdup(strstr(run_text(r), "┌"));
		run_press(r, 'e');
		assert_int_equal(journal_era(r->session.journal), i + 1);
		run_press(r, KEY_ESC);
		assert_string_equal(strstr(run_text(r), "┌"), before);
		free(before);
		run_press(r, KEY_ESC);
		if (i + 1 == sizeof(ways) / sizeof(*ways))
			break;
		run_press(r, '1');
		run_press(r, KEY_CODE_HOME);
		/* The next trace changes slots again. */
		old_trace_comes(r, i, 100 + i);
	}
}

/* Input that is faster than applying does not block the user. */
static void applying_new_events_can_be_cancelled(void **state)
{
	struct session_run *r = *state;
	struct journal_stats stats;

	run_press(r, '[');
	for (unsigned i = 0; i < 5; i++)
		old_trace_comes(r, 5 * i, 100 + i);
	run_text(r);
	r->allowed = r->nr_asked;
	run_press(r, ']');
	assert_non_null(strstr(run_text(r), "Cancelled"));
	journal_stats(r->session.journal, &stats);
	assert_int_equal(stats.waiting_events, 5 * A_FILE);
	r->allowed = UINT32_MAX;
	run_press(r, ']');
	journal_stats(r->session.journal, &stats);
	assert_int_equal(stats.waiting_events, 0);
	assert_int_equal(lookback_end(r->screen.past), NR_EVENTS + 5 * A_FILE);
	assert_non_null(strstr(run_text(r), " of 4,225 "));
}

static void rows_of_regions_stay_selected(void **state)
{
	struct session_run *r = *state;

	run_press(r, '3');
	run_press(r, KEY_CODE_DOWN);
	assert_true(is_on(r, "▸c/", "seldom"));
	look_at(r, time_us(59, 1));
	assert_int_equal(journal_era(r->session.journal), 1);
	assert_true(is_on(r, "▸c/", "seldom"));
	run_press(r, KEY_CODE_END);
	assert_true(is_on(r, "▸c/", "seldom"));
	old_trace_comes(r, 5, 100);
	run_press(r, '\r');
	for (int n = 0; n < 200 && !is_on(r, "│▸", "cmd058"); n++)
		run_press(r, KEY_CODE_DOWN);
	assert_true(is_on(r, "│▸", "cmd058"));
	run_press(r, '[');
	assert_int_equal(journal_era(r->session.journal), 2);
	run_press(r, KEY_CODE_END);
	assert_true(is_on(r, "│▸", "cmd058"));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
	const struct CMUnitTest tests[] = {
		TEST(a_time_is_found_in_a_directory),
		TEST(seconds_and_events_go_by_time),
		TEST(a_time_shows_processes_that_had_begun_and_not_ended),
		TEST(looking_back_to_the_end_shows_the_live_state),
		TEST(selection_and_marks_stay_on_their_process),
		TEST(event_log_of_a_directory_is_in_the_order_of_time),
		TEST(new_events_come_last_and_need_no_sort),
		TEST(all_works_after_a_cancelled_sort),
		TEST(record_stays_the_same_when_its_log_is_sorted),
		TEST(log_stays_on_its_event_while_old_traces_come),
		TEST(pages_stay_on_their_process),
		TEST(applying_new_events_can_be_cancelled),
		TEST(rows_of_regions_stay_selected),
		TEST(pages_read_the_journal_again_after_a_sort),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
