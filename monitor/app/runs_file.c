/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/runs_file.h"

#include <ev.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/buf.h"
#include "monitor/analysis/runs_line.h"
#include "monitor/analysis/runs_of_model.h"
#include "monitor/app/session.h"
#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/base/scan.h"
#include "monitor/base/whole_file.h"
#include "monitor/intake/event_loop.h"

/* Bytes read to detect a baseline file, and maximum bytes of each read of the file. */
#define SEEMS_BYTES (64u << 10)

struct reading {
	struct runs *runs;
	uint64_t lines, bad, first_bad;
	const char *why;
};

/* Parse one line, which ends with LF; SCAN_PAD readable bytes follow the line. */
static void line_read(struct reading *r, const char *line)
{
	const char *why;

	r->lines++;
	if (runs_line_read(r->runs, line, &why) != RUNS_LINE_BAD)
		return;
	if (!r->bad++) {
		r->first_bad = r->lines;
		r->why = why;
	}
}

static void long_line_read(struct reading *r)
{
	r->lines++;
	if (!r->bad++) {
		r->first_bad = r->lines;
		r->why = "longer than 16 MiB";
	}
}

/* Read the lines of a baseline file; skip oversized lines. Returns false with errno on error. */
static bool lines_read(struct reading *r, int fd)
{
	struct tr2_buf buf;
	bool skips = false;
	ssize_t got;

	tr2_buf_init(&buf, RUNS_LINE_MAX_BYTES + SEEMS_BYTES + SCAN_PAD + 1);
	for (;;) {
		char *line, *lf;

		if (!tr2_buf_reserve(&buf, SEEMS_BYTES + SCAN_PAD + 1))
			die_of_memory(buf.len);
		got = read(fd, buf.data + buf.len, SEEMS_BYTES);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0 || (!got && !buf.len))
			break;
		buf.len += (size_t)got;
		/* The last line may lack an LF. */
		if (!got)
			buf.data[buf.len++] = '\n';
		line = buf.data;
		while ((lf = memchr(line, '\n', (size_t)(buf.data + buf.len - line)))) {
			if (!skips)
				line_read(r, line);
			skips = false;
			line = lf + 1;
		}
		buf.len -= (size_t)(line - buf.data);
		memmove(buf.data, line, buf.len);
		if (buf.len > RUNS_LINE_MAX_BYTES) {
			if (!skips)
				long_line_read(r);
			skips = true;
		}
		if (skips)
			buf.len = 0;
		if (!got)
			break;
	}
	tr2_buf_release(&buf);
	return got >= 0;
}

static bool runs_read(struct runs *runs, int fd, const char *path)
{
	struct reading reading = { .runs = runs };
	bool ok = lines_read(&reading, fd);

	if (reading.bad)
		complain_print_error(
			"%s: %" PRIu64 " of %" PRIu64 " lines are not runs; line %" PRIu64 ": %s",
			path, reading.bad, reading.lines, reading.first_bad, reading.why);
	return ok;
}

static bool seems_runs(int fd)
{
	char *bytes = xmalloc(SEEMS_BYTES);
	ssize_t got = pread(fd, bytes, SEEMS_BYTES, 0);
	bool seems = false;

	for (char *at = bytes, *end = bytes + (got > 0 ? got : 0); at < end && !seems;) {
		char *lf = memchr(at, '\n', (size_t)(end - at));

		seems = runs_line_seems(at, (size_t)(end - at));
		at = lf ? lf + 1 : end;
	}
	free(bytes);
	return seems;
}

struct base_trace {
	struct session session;
	struct options options;
	char *spec, *specs[2];
	struct ev_loop *loop;
	ev_async wake;
	struct base_trace *next;
};

static void runs_file_woken(void *data)
{
	struct base_trace *t = data;

	ev_async_send(t->loop, &t->wake);
}

static void runs_file_on_wake(struct ev_loop *loop, ev_async *w, int revents)
{
	struct base_trace *t = w->data;
	bool done = intake_is_done(t->session.intake);

	(void)revents;
	session_apply(&t->session, 0);
	if (done)
		ev_break(loop, EVBREAK_ALL);
}

static void trace_run(struct base_trace *t)
{
	ev_async_init(&t->wake, runs_file_on_wake);
	t->wake.data = t;
	ev_async_start(t->loop, &t->wake);
	session_read(&t->session);
	runs_file_woken(t);
	ev_run(t->loop, 0);
	session_apply(&t->session, 0);
	ev_async_stop(t->loop, &t->wake);
}

static void set_base_options(struct base_trace *t, const struct options *given)
{
	struct options *options = &t->options;

	options_init(options);
	options->once = true;
	options->input_format = given->input_format;
	options->nesting = given->nesting;
	options->keep_durations = true;
	options->sources = t->specs;
	options->nr_sources = 1;
}

/* Return false with `why` if the trace's only source failed, or had data of which nothing could be
 * read. */
static bool source_is_read(const struct session *session, char *why, size_t why_bytes)
{
	struct source_stats st;

	intake_stats(session->intake, 0, &st);
	source_stats_format_unread(&st, why, why_bytes);
	if (!*why && st.state == SOURCE_FAILED)
		snprintf(why, why_bytes, "%s", st.error);
	return !*why;
}

static void base_trace_free(struct base_trace *t)
{
	session_close(&t->session);
	if (t->loop)
		ev_loop_destroy(t->loop);
	free(t->spec);
	free(t);
}

static void keep_base_trace(struct base_trace *t, struct base_trace **kept)
{
	session_end_reading(&t->session);
	ev_loop_destroy(t->loop);
	t->loop = NULL;
	t->next = *kept;
	*kept = t;
}

static bool trace_read(struct runs *runs, const char *path, const struct options *given,
		       struct base_trace **kept, char *why, size_t why_bytes)
{
	struct base_trace *t = xcalloc(1, sizeof(*t));
	char wrong[400] = "it cannot be opened";
	bool ok;

	t->spec = t->specs[0] = xstrdup(path);
	t->loop = event_loop_new(EVFLAG_AUTO);
	set_base_options(t, given);
	ok = session_open(&t->session, &t->options, runs_file_woken, t) && !t->session.failed;
	if (ok) {
		struct runs_choice choice = { .all_over = true,
					      .durations = t->options.keep_durations };
		struct analysis what = { .model = t->session.model,
					 .limits = { -1, -1 },
					 .process = HANDLE_NONE };

		trace_run(t);
		model_settle(t->session.model);
		what.now = model_last_time(t->session.model);
		runs_add_model(runs, NULL, &what, &choice);
		ok = source_is_read(&t->session, wrong, sizeof(wrong));
	}
	if (!ok)
		snprintf(why, why_bytes, "--compare: %s: %s", path, wrong);
	if (ok && kept && model_bytes(t->session.model) <= BASE_MODEL_MAX_BYTES)
		keep_base_trace(t, kept);
	else
		base_trace_free(t);
	return ok;
}

const struct base_trace *base_trace_next(const struct base_trace *t)
{
	return t->next;
}

const struct model *base_trace_model(const struct base_trace *t)
{
	return t->session.model;
}

void base_traces_free(struct base_trace *first)
{
	while (first) {
		struct base_trace *next = first->next;

		base_trace_free(first);
		first = next;
	}
}

bool runs_file_read(struct runs *runs, const char *path, const struct options *options,
		    struct base_trace **kept, char *why, size_t why_bytes)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	uint32_t before = runs->nr + runs->nr_repeated;
	struct stat st;
	bool ok;

	if (fd < 0 || fstat(fd, &st)) {
		snprintf(why, why_bytes, "--compare: %s: %s", path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	if (!S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode)) {
		snprintf(why, why_bytes,
			 "--compare: %s is not a file or directory; use a file of runs, a trace, "
			 "or a directory of traces",
			 path);
		close(fd);
		return false;
	}
	if (S_ISREG(st.st_mode) && seems_runs(fd)) {
		ok = runs_read(runs, fd, path);
		if (!ok)
			snprintf(why, why_bytes, "--compare: %s: %s", path, strerror(errno));
	} else {
		ok = trace_read(runs, path, options, kept, why, why_bytes);
	}
	close(fd);
	if (ok && runs->nr + runs->nr_repeated == before) {
		snprintf(why, why_bytes, "--compare: %s contains no ended run; use another BASE",
			 path);
		ok = false;
	}
	return ok;
}

bool runs_file_append(const struct runs *runs, const char *path)
{
	int fd = open(path,
		      O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY |
			      whole_file_nofollow(path),
		      0600);
	bool ok = fd >= 0;
	struct tr2_buf line;

	tr2_buf_init(&line, SIZE_MAX / 2);
	for (uint32_t i = 0; ok && i < runs->nr; i++) {
		ssize_t wrote;

		tr2_buf_clear(&line);
		runs_line_write(runs, i, &line);
		do
			wrote = write(fd, line.data, line.len);
		while (wrote < 0 && errno == EINTR);
		/* Stop after a partial write: the next line would be appended to it and be
		 * malformed, too. */
		ok = wrote == (ssize_t)line.len;
		if (wrote >= 0 && !ok)
			errno = ENOSPC;
	}
	tr2_buf_release(&line);
	if (fd >= 0 && close(fd) && ok)
		ok = false;
	return ok;
}
