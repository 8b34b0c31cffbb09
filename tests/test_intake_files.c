/* SPDX-License-Identifier: MIT */
/*
 * Tests random schedules of what can happen to log files, such as rotation, and compares the events
 * with those written. Before a step that destroys data the test waits for the reader. A failure
 * prints its seed and its steps. TEST_SCHEDULES=N sets the number of schedules, TEST_SEED=N the
 * seed of the first one (without TEST_SCHEDULES, the only one).
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <ftw.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "tests/intake_fixture.h"

#define NR_SCHEDULES 200
#define NR_PARALLEL  20
#define NR_STEPS     14
#define MAX_EVENTS   8192
#define MAX_LINES    4096
#define NR_LATE      4
#define NR_NAMES     3

struct log {
	char path[256];
	int fd;                /* descriptor of the writer; -1: none */
	unsigned nr_lines;     /* complete lines in the file */
	off_t ends[MAX_LINES]; /* end of each line */
	char partial[400];     /* rest of a line of which a part was written */
};

struct late {
	int fd;
	char partial[400];
};

struct world {
	struct fixture fixture;
	char root[128], dir[200], away[200];
	bool is_dir; /* the source is a directory */
	unsigned seed;
	uint64_t random;
	unsigned next_event, nr_lost, nr_made;
	struct log logs[NR_NAMES];
	unsigned nr_logs;
	struct late late[NR_LATE];
	char steps[8192];
};

static void step_note(struct world *w, const char *fmt, ...)
{
	size_t len = strlen(w->steps);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(w->steps + len, sizeof(w->steps) - len, fmt, ap);
	va_end(ap);
}

static void must(struct world *w, bool ok, const char *what)
{
	if (ok)
		return;
	fprintf(stderr, "%s: %s\nseed %u, steps:%s\n", what, strerror(errno), w->seed, w->steps);
	_exit(1);
}

static unsigned pick(struct world *w, unsigned n)
{
	w->random ^= w->random << 13;
	w->random ^= w->random >> 7;
	w->random ^= w->random << 17;
	return (unsigned)((w->random >> 11) % n);
}

static void put(struct world *w, int fd, const char *bytes, size_t len)
{
	must(w, write(fd, bytes, len) == (ssize_t)len, "write");
}

static void line_ended(struct log *log)
{
	off_t end = lseek(log->fd, 0, SEEK_END);

	if (log->nr_lines < MAX_LINES)
		log->ends[log->nr_lines++] = end;
}

static void partial_finish(struct world *w, struct log *log)
{
	if (!*log->partial)
		return;
	put(w, log->fd, log->partial, strlen(log->partial));
	log->partial[0] = '\0';
	line_ended(log);
}

static void append(struct world *w, struct log *log, unsigned nr)
{
	char line[400];

	partial_finish(w, log);
	for (unsigned i = 0; i < nr && w->next_event < MAX_EVENTS; i++) {
		put(w, log->fd, line,
		    fixture_line(line, sizeof(line), w->next_event++, pick(w, 200)));
		line_ended(log);
	}
}

static void append_partial(struct world *w, struct log *log)
{
	char line[400];
	size_t len, part;

	partial_finish(w, log);
	len = fixture_line(line, sizeof(line), w->next_event++, pick(w, 200));
	part = 1 + pick(w, (unsigned)len - 1);
	put(w, log->fd, line, part);
	strcpy(log->partial, line + part);
}

/* Count a line of which a part was written as lost: it will never be completed. */
static void partial_lose(struct world *w, struct log *log)
{
	w->nr_lost += *log->partial != '\0';
	log->partial[0] = '\0';
}

static void log_open(struct world *w, struct log *log, const char *path)
{
	log->fd = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	must(w, log->fd >= 0, path);
	log->nr_lines = 0;
	log->partial[0] = '\0';
}

/* Keep the file of a log open for late lines: its path was removed or renamed. */
static void log_leave(struct world *w, struct log *log)
{
	struct late *late = &w->late[pick(w, NR_LATE)];

	if (late->fd >= 0) {
		put(w, late->fd, late->partial, strlen(late->partial));
		close(late->fd);
	}
	late->fd = log->fd;
	strcpy(late->partial, log->partial);
	log->fd = -1;
}

static void late_write(struct world *w)
{
	struct late *late = &w->late[pick(w, NR_LATE)];
	char line[400];

	if (late->fd < 0)
		return;
	step_note(w, " late");
	put(w, late->fd, late->partial, strlen(late->partial));
	late->partial[0] = '\0';
	for (unsigned i = pick(w, 5) + 1; i--;)
		put(w, late->fd, line,
		    fixture_line(line, sizeof(line), w->next_event++, pick(w, 99)));
}

static bool is_begun(const struct world *w, unsigned number)
{
	char code[32];

	snprintf(code, sizeof(code), "\"code\":%u}", number);
	for (unsigned i = 0; i < w->nr_logs; i++)
		if (strstr(w->logs[i].partial, code))
			return true;
	for (unsigned i = 0; i < NR_LATE; i++)
		if (strstr(w->late[i].partial, code))
			return true;
	return false;
}

/* Return the number of files whose last line is not complete. */
static unsigned nr_partials(const struct world *w)
{
	unsigned nr = 0;

	for (unsigned i = 0; i < w->nr_logs; i++)
		nr += *w->logs[i].partial != '\0';
	for (unsigned i = 0; i < NR_LATE; i++)
		nr += *w->late[i].partial != '\0';
	return nr;
}

static bool is_caught_up(struct fixture *f, void *data)
{
	struct world *w = data;

	return f->nr_seen + nr_partials(w) + w->nr_lost >= w->next_event;
}

static void catch_up(struct world *w)
{
	if (fixture_wait(&w->fixture, is_caught_up, w))
		return;
	for (unsigned i = 0; i < w->next_event; i++)
		if (!w->fixture.seen[i] && !is_begun(w, i))
			fprintf(stderr, " missing %u", i);
	fprintf(stderr, "\n%llu of %u\n", (unsigned long long)w->fixture.nr_seen, w->next_event);
	must(w, false, "events are missing");
}

static void check_once(struct world *w)
{
	for (unsigned i = 0; i < w->next_event; i++)
		if (w->fixture.seen[i] > 1) {
			fprintf(stderr, "event %u: %u times\n", i, w->fixture.seen[i]);
			must(w, false, "events are doubled");
		}
}

static void do_truncate(struct world *w, struct log *log)
{
	partial_lose(w, log);
	step_note(w, " truncate");
	must(w, !ftruncate(log->fd, 0), "ftruncate");
	log->nr_lines = 0;
	append(w, log, pick(w, 12));
}

static void do_shrink(struct world *w, struct log *log)
{
	unsigned keep = log->nr_lines ? pick(w, log->nr_lines) : 0;
	off_t at = keep ? log->ends[keep - 1] : 0;
	bool within = keep < log->nr_lines && pick(w, 3) == 0;

	partial_lose(w, log);
	step_note(w, " shrink(%u of %u%s)", keep, log->nr_lines, within ? "+" : "");
	must(w, !ftruncate(log->fd, at + within), "ftruncate");
	log->nr_lines = keep;
	if (within) {
		put(w, log->fd, "\n", 1);
		line_ended(log);
	}
	append(w, log, pick(w, 30));
}

static void do_rotate(struct world *w, struct log *log)
{
	char to[300];

	step_note(w, " rotate");
	/* If the source is a directory, the new path may be another file of it. */
	snprintf(to, sizeof(to), "%s/old%u", pick(w, 2) ? w->dir : w->away, w->nr_made++);
	must(w, !rename(log->path, to), "rename");
	log_leave(w, log);
	log_open(w, log, log->path);
	append(w, log, 1 + pick(w, 6));
}

static void do_symlink(struct world *w, struct log *log)
{
	char to[300];

	step_note(w, " symlink");
	snprintf(to, sizeof(to), "%s/real%u", w->away, w->nr_made++);
	must(w, !unlink(log->path), "unlink");
	log_leave(w, log);
	log_open(w, log, to);
	append(w, log, 1 + pick(w, 6));
	must(w, !symlink(to, log->path), "symlink");
	append(w, log, 1 + pick(w, 6));
}

static void do_delete(struct world *w, struct log *log)
{
	step_note(w, " delete");
	must(w, !unlink(log->path), "unlink");
	log_leave(w, log);
	if (pick(w, 2))
		late_write(w);
	log_open(w, log, log->path);
	append(w, log, 1 + pick(w, 6));
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static void remove_all(const char *path)
{
	nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void do_directory(struct world *w)
{
	char to[300];

	step_note(w, " directory");
	if (pick(w, 2)) {
		remove_all(w->dir);
	} else {
		snprintf(to, sizeof(to), "%s/dir%u", w->away, w->nr_made++);
		must(w, !rename(w->dir, to), "rename");
	}
	for (unsigned i = 0; i < w->nr_logs; i++)
		log_leave(w, &w->logs[i]);
	late_write(w);
	must(w, !mkdir(w->dir, 0700), "mkdir");
	for (unsigned i = 0; i < w->nr_logs; i++) {
		log_open(w, &w->logs[i], w->logs[i].path);
		append(w, &w->logs[i], 1 + pick(w, 6));
	}
}

static void step(struct world *w)
{
	struct log *log = &w->logs[pick(w, w->nr_logs)];
	unsigned what = pick(w, 12);

	if (what < 4) {
		step_note(w, " append");
		append(w, log, pick(w, 20));
		return;
	}
	if (what == 4) {
		step_note(w, " partial");
		append_partial(w, log);
		return;
	}
	if (what == 5) {
		late_write(w);
		return;
	}
	catch_up(w);
	if (what == 6)
		do_truncate(w, log);
	else if (what == 7)
		do_shrink(w, log);
	else if (what == 8)
		do_rotate(w, log);
	else if (what == 9)
		do_symlink(w, log);
	else if (what == 10)
		do_delete(w, log);
	else
		do_directory(w);
}

static void world_open(struct world *w, unsigned seed)
{
	const char *tmp = getenv("TMPDIR");
	char why[200];

	*w = (struct world){ .random = seed * 0x9e3779b97f4a7c15ull + 1,
			     .seed = seed,
			     .is_dir = seed & 1 };
	snprintf(w->root, sizeof(w->root), "%s/intake-XXXXXX", tmp ? tmp : "/tmp");
	must(w, mkdtemp(w->root) != NULL, w->root);
	snprintf(w->dir, sizeof(w->dir), "%s/traces", w->root);
	snprintf(w->away, sizeof(w->away), "%s/away", w->root);
	must(w, !mkdir(w->dir, 0700) && !mkdir(w->away, 0700), "mkdir");
	for (int i = 0; i < NR_LATE; i++)
		w->late[i].fd = -1;
	w->nr_logs = w->is_dir ? NR_NAMES : 1;
	for (unsigned i = 0; i < w->nr_logs; i++) {
		snprintf(w->logs[i].path, sizeof(w->logs[i].path), "%s/log%u", w->dir, i);
		log_open(w, &w->logs[i], w->logs[i].path);
		append(w, &w->logs[i], 1 + pick(w, 10));
	}
	fixture_open(&w->fixture, &(struct source_config){ 0 }, MAX_EVENTS);
	must(w,
	     intake_add(w->fixture.intake, w->is_dir ? w->dir : w->logs[0].path, why, sizeof(why)),
	     why);
	intake_start(w->fixture.intake);
}

static void schedule(unsigned seed)
{
	static struct world w;

	world_open(&w, seed);
	for (int i = 0; i < NR_STEPS; i++)
		step(&w);
	for (unsigned i = 0; i < w.nr_logs; i++)
		append(&w, &w.logs[i], 2);
	for (int i = 0; i < NR_LATE; i++)
		if (w.late[i].fd >= 0) {
			put(&w, w.late[i].fd, w.late[i].partial, strlen(w.late[i].partial));
			w.late[i].partial[0] = '\0';
		}
	catch_up(&w);
	for (unsigned i = 0; i < w.nr_logs; i++)
		append(&w, &w.logs[i], 1);
	catch_up(&w);
	check_once(&w);
	fixture_close(&w.fixture);
	for (unsigned i = 0; i < w.nr_logs; i++)
		close(w.logs[i].fd);
	for (int i = 0; i < NR_LATE; i++)
		if (w.late[i].fd >= 0)
			close(w.late[i].fd);
	remove_all(w.root);
}

static unsigned setting(const char *name, unsigned otherwise)
{
	const char *text = getenv(name);

	return text ? (unsigned)strtoul(text, NULL, 10) : otherwise;
}

static pid_t worker(unsigned first, unsigned end)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	for (unsigned seed = first; seed < end; seed += NR_PARALLEL) {
		fprintf(stderr, "seed %u\n", seed);
		schedule(seed);
	}
	_exit(0);
}

static void every_event_arrives_once_in_any_schedule(void **state)
{
	unsigned seed = setting("TEST_SEED", 1);
	unsigned nr = setting("TEST_SCHEDULES", getenv("TEST_SEED") ? 1 : NR_SCHEDULES);
	pid_t pids[NR_PARALLEL];
	int nr_failed = 0;

	(void)state;
	for (unsigned i = 0; i < NR_PARALLEL; i++)
		pids[i] = worker(seed + i, seed + nr);
	for (unsigned i = 0; i < NR_PARALLEL; i++) {
		int status = 1;

		waitpid(pids[i], &status, 0);
		nr_failed += status != 0;
	}
	assert_int_equal(nr_failed, 0);
}

/* Events are handed over while the pipe is open, so that an interrupted report contains them. */
static void once_hands_over_events_of_a_slow_pipe(void **state)
{
	char dir[] = "/tmp/trace2top-fifo-XXXXXX", path[64], why[300], line[200];
	struct source_config config = { .once = true };
	struct fixture f;
	int fd;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/fifo", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	fixture_open(&f, &config, 3);
	assert_true(intake_add(f.intake, path, why, sizeof(why)));
	intake_start(f.intake);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	assert_true(fd >= 0);
	for (unsigned i = 0; i < 3; i++) {
		size_t len = fixture_line(line, sizeof(line), i, 0);

		assert_int_equal(write(fd, line, len), len);
		assert_true(fixture_wait_nr(&f, i + 1));
	}
	close(fd);
	assert_true(fixture_wait(&f, fixture_is_done, NULL));
	assert_int_equal(f.nr_seen, 3);
	fixture_close(&f);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_event_arrives_once_in_any_schedule),
		cmocka_unit_test(once_hands_over_events_of_a_slow_pipe),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
