/* SPDX-License-Identifier: MIT */
/* Tests of the recorder's thread if its output fails, or if its file is removed, renamed or
 * replaced. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
/* cmocka.h must follow the headers that it needs. */
#include <cmocka.h>

#include "monitor/read/recording.h"
#include "monitor/send/record_file.h"
#include "monitor/send/recorder.h"

/* Time after which a test that hangs is killed. */
#define ALARM_S 60

static char folder[] = "/tmp/test_recorder.XXXXXX";
static char path[64], old[64];
static struct tap_state tapped;

static void put(struct tap *tap, enum tap_kind kind, const char *bytes, size_t len)
{
	struct tap_entry entry = { .kind = kind, .bytes = bytes, .len = (uint32_t)len };

	tap_put(tap, 0, &tapped, &entry);
}

static void put_open(struct tap *tap)
{
	struct recording_open open = { .name = { "x", 1 }, .format = { "", 0 } };
	struct tr2_buf text;

	tr2_buf_init(&text, SIZE_MAX / 2);
	recording_open_pack(&text, &open);
	put(tap, TAP_OPEN, text.data, text.len);
	tr2_buf_release(&text);
}

static void put_line(struct tap *tap, size_t len)
{
	static uint32_t seed = 1;
	char *line = malloc(len);

	assert_non_null(line);
	for (size_t i = 0; i < len; i++) {
		seed = seed * 1664525 + 1013904223;
		line[i] = (char)(seed >> 24);
	}
	line[len - 1] = '\n';
	put(tap, TAP_BYTES, line, len);
	free(line);
}

static void wait_for_bytes(struct recorder *r, uint64_t bytes)
{
	struct recorder_stats stats;

	do {
		usleep(1000);
		recorder_stats(r, &stats);
		assert_false(stats.has_stopped);
	} while (stats.bytes < bytes);
}

static struct recorder *begin(uint64_t max_bytes)
{
	struct recorder_config config = { .path = path, .max_bytes = max_bytes };
	struct recorder *r;
	char why[300];

	tapped = (struct tap_state){ 0 };
	r = recorder_new(&config, why, sizeof(why));
	if (!r)
		fail_msg("%s", why);
	recorder_start(r);
	put_open(recorder_tap(r));
	return r;
}

static void gives_up_an_unread_pipe_at_the_end(void **state)
{
	struct recorder *r;
	int fd, waiting = 0;

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	fd = open(path, O_RDONLY | O_NONBLOCK);
	assert_true(fd >= 0);
	r = begin(0);
	put_line(recorder_tap(r), 1 << 20);
	/* The pipe accepts less than this line, so the recorder is still writing at the end. */
	while (waiting < fcntl(fd, F_GETPIPE_SZ) / 2) {
		usleep(1000);
		assert_int_equal(ioctl(fd, FIONREAD, &waiting), 0);
	}
	recorder_end(r);
	recorder_free(r);
	close(fd);
	unlink(path);
}

static void reports_a_fifo_without_a_reader(void **state)
{
	struct recorder_config config = { .path = path };
	char why[300];

	(void)state;
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_null(recorder_new(&config, why, sizeof(why)));
	assert_non_null(strstr(why, "no program reads the FIFO"));
	unlink(path);
}

/* Wait until the recorder has noticed so many removals and renames of its file, or stopped. */
static void wait_for_change(struct recorder *r, unsigned removed, unsigned renamed)
{
	struct recorder_stats stats;

	do {
		usleep(1000);
		recorder_stats(r, &stats);
	} while (!stats.has_stopped && (stats.removed < removed || stats.renamed < renamed));
}

static void check_recording(const char *name, off_t at_least)
{
	ns_t first, last;
	struct stat st;

	assert_true(record_file_bounds(name, &first, &last));
	assert_int_equal(stat(name, &st), 0);
	assert_true(st.st_size >= at_least);
}

static void starts_a_removed_file_again(void **state)
{
	struct recorder_stats stats;
	struct recorder *r;

	(void)state;
	r = begin(0);
	put_line(recorder_tap(r), 1000);
	wait_for_bytes(r, 1000);
	unlink(path);
	wait_for_change(r, 1, 0);
	put_line(recorder_tap(r), 2000);
	recorder_end(r);
	recorder_stats(r, &stats);
	assert_false(stats.has_stopped);
	assert_int_equal(stats.removed, 1);
	recorder_free(r);
	check_recording(path, 2000);
	unlink(path);
}

static void notices_a_removed_file_at_the_end(void **state)
{
	struct recorder_stats stats;
	struct recorder *r;

	(void)state;
	r = begin(0);
	put_line(recorder_tap(r), 1000);
	wait_for_bytes(r, 1000);
	unlink(path);
	recorder_end(r);
	recorder_stats(r, &stats);
	assert_int_equal(stats.removed, 1);
	recorder_free(r);
	unlink(path);
}

static void starts_a_new_file_after_a_rename(void **state)
{
	struct recorder_stats stats;
	struct recorder *r;

	(void)state;
	r = begin(0);
	put_line(recorder_tap(r), 1000);
	wait_for_bytes(r, 1000);
	assert_int_equal(rename(path, old), 0);
	wait_for_change(r, 0, 1);
	put_line(recorder_tap(r), 2000);
	recorder_end(r);
	recorder_stats(r, &stats);
	assert_false(stats.has_stopped);
	assert_int_equal(stats.removed, 0);
	recorder_free(r);
	check_recording(old, 1000);
	check_recording(path, 2000);
	unlink(path);
	unlink(old);
}

static void stops_if_another_file_replaces_the_recording(void **state)
{
	struct recorder_stats stats;
	struct recorder *r;
	char text[16] = "";
	FILE *f = fopen(old, "w");

	(void)state;
	assert_non_null(f);
	fputs("precious\n", f);
	fclose(f);
	r = begin(0);
	put_line(recorder_tap(r), 1000);
	wait_for_bytes(r, 1000);
	assert_int_equal(rename(old, path), 0);
	wait_for_change(r, 1, 1);
	put_line(recorder_tap(r), 2000);
	recorder_end(r);
	recorder_stats(r, &stats);
	assert_true(stats.has_stopped);
	assert_non_null(strstr(stats.error, "is not a recording"));
	recorder_free(r);
	f = fopen(path, "r");
	assert_non_null(f);
	assert_non_null(fgets(text, sizeof(text), f));
	fclose(f);
	assert_string_equal(text, "precious\n");
	unlink(path);
}

static void size_limit(rlim_t bytes)
{
	struct rlimit limit;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
	limit.rlim_cur = bytes;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

/* A full file is renamed and a new one started, but not if nothing more can be written. */
static void full_disk_keeps_the_recording_valid(void **state)
{
	struct recorder *r;
	struct recorder_stats stats;
	struct stat st, now;

	(void)state;
	close(open(old, O_WRONLY | O_CREAT, 0600));
	r = begin(RECORDER_MIN_BYTES);
	put_line(recorder_tap(r), 300 << 10);
	wait_for_bytes(r, 300 << 10);
	put_line(recorder_tap(r), 230 << 10);
	wait_for_bytes(r, 530 << 10);
	assert_int_equal(stat(path, &st), 0);
	size_limit((rlim_t)st.st_size);
	put_line(recorder_tap(r), 100);
	do {
		usleep(1000);
		recorder_stats(r, &stats);
	} while (!stats.has_stopped);
	recorder_end(r);
	size_limit(RLIM_INFINITY);
	assert_int_equal(stat(path, &now), 0);
	assert_int_equal(now.st_ino, st.st_ino);
	assert_int_equal(now.st_size, st.st_size);
	assert_int_equal(stat(old, &now), 0);
	assert_int_equal(now.st_size, 0);
	recorder_free(r);
	unlink(path);
	unlink(old);
}

static void keeps_a_file_that_cannot_be_restarted(void **state)
{
	struct rlimit limit, none;
	struct record_file file;
	struct stat st, now;
	char why[300];

	(void)state;
	assert_true(record_file_open(&file, path, why, sizeof(why)));
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	assert_false(record_file_renew(&file));
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(stat(path, &now), 0);
	assert_int_equal(now.st_ino, st.st_ino);
	record_file_close(&file);
	unlink(path);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(gives_up_an_unread_pipe_at_the_end),
		cmocka_unit_test(reports_a_fifo_without_a_reader),
		cmocka_unit_test(starts_a_removed_file_again),
		cmocka_unit_test(notices_a_removed_file_at_the_end),
		cmocka_unit_test(starts_a_new_file_after_a_rename),
		cmocka_unit_test(stops_if_another_file_replaces_the_recording),
		cmocka_unit_test(full_disk_keeps_the_recording_valid),
		cmocka_unit_test(keeps_a_file_that_cannot_be_restarted),
	};
	int failed;

	if (!recording_is_built())
		return 77;
	signal(SIGXFSZ, SIG_IGN);
	alarm(ALARM_S);
	if (!mkdtemp(folder))
		return 1;
	snprintf(path, sizeof(path), "%s/r", folder);
	snprintf(old, sizeof(old), "%s/r.old", folder);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	rmdir(folder);
	return failed;
}
