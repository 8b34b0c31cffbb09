/* SPDX-License-Identifier: MIT */
/* Tests of ring files on disk as the intake follows them. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <dirent.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "monitor/event/source_stats.h"
#include "tests/intake_fixture.h"
#include "tests/ring_maker.h"

#define MANY 200000u

static char dir[] = "/tmp/test_ring_files.XXXXXX";
static char path[128], sock[128], spec[160], rings[160];

static const struct source_config once = { .once = true }, live = { .once = false };

static int setup(void **state)
{
	(void)state;
	memcpy(dir + sizeof(dir) - 7, "XXXXXX", 6);
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/ring", dir);
	snprintf(sock, sizeof(sock), "%s/s", dir);
	snprintf(spec, sizeof(spec), "af_unix:stream:%s", sock);
	snprintf(rings, sizeof(rings), "%s.rings", sock);
	return 0;
}

static int teardown(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command);
}

static void add_ring_file(struct fixture *f, const char *source)
{
	char why[200];

	assert_true(intake_add(f->intake, source, why, sizeof(why)));
	intake_start(f->intake);
}

static struct source_stats ring_stats_of(struct fixture *f)
{
	struct source_stats stats;

	intake_stats(f->intake, 0, &stats);
	return stats;
}

/* data that appears at `path` just after ring_file_is() checked the file; NULL: none */
static const struct maker *just_then;

bool __real_ring_file_is(int fd);
bool __wrap_ring_file_is(int fd);
bool __wrap_ring_file_is(int fd)
{
	bool is = __real_ring_file_is(fd);
	const struct maker *m = just_then;

	just_then = NULL;
	if (m)
		maker_save(m, path);
	return is;
}

static pid_t dead_pid(void)
{
	pid_t pid = fork();

	if (!pid)
		_exit(0);
	waitpid(pid, NULL, 0);
	return pid;
}

/* Create a ring file of process `pid` that the test writes to while it is read. */
static void make_live(struct maker *m, const char *at, uint64_t bytes, unsigned nr_rings, pid_t pid)
{
	size_t len = TR2_RING_HEAD_BYTES + nr_rings * bytes;
	char sid[100], making[128], *file;
	int fd;

	/* The file appears with its head. */
	snprintf(making, sizeof(making), "%s/making", dir);
	fd = open(making, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, (off_t)len), 0);
	file = mmap(NULL, len, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(file != MAP_FAILED);
	close(fd);
	maker_own_sid(sid, sizeof(sid), pid);
	maker_begin_on(m, file, bytes, nr_rings, sid, (uint32_t)pid);
	assert_int_equal(rename(making, at), 0);
}

static void create_live_file(struct maker *m)
{
	munmap(m->file, m->len);
}

static bool has_ends(struct fixture *f, void *nr)
{
	return f->nr_ends >= *(uint64_t *)nr;
}

static void wait_ends(struct fixture *f, uint64_t nr)
{
	assert_true(fixture_wait(f, has_ends, &nr));
}

static bool ring_file_is_gone(struct fixture *f, void *name)
{
	(void)f;
	return access(name, F_OK) != 0;
}

static void assert_each_exit_once(const struct fixture *f, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++)
		assert_int_equal(f->seen[i], 1);
}

static void reads_file_to_end(void **state)
{
	struct fixture f;
	struct maker m;

	(void)state;
	maker_begin(&m, 64 << 10, 3);
	for (unsigned i = 0; i < 1500; i++)
		maker_exit(&m, i % 3, i);
	maker_save(&m, path);
	fixture_open(&f, &once, MANY);
	add_ring_file(&f, path);
	assert_true(fixture_wait(&f, fixture_is_done, NULL));
	assert_each_exit_once(&f, 0, 1500);
	assert_int_equal(f.nr_seen, 1500);
	/* If a file is not marked as closed, the end of a process on another host is unknown. */
	assert_int_equal(f.nr_ends, 0);
	assert_int_equal(ring_stats_of(&f).events, 1500);
	assert_int_equal(ring_stats_of(&f).ring_lost, 0);
	assert_int_equal(ring_stats_of(&f).state, SOURCE_DONE);
	assert_true(ring_stats_of(&f).bytes >= 1500 * 32);
	fixture_close(&f);
	maker_end(&m);
}

static void reports_overwritten_events(void **state)
{
	struct fixture f;
	struct maker m;

	(void)state;
	maker_begin(&m, 16 << 10, 1);
	for (unsigned i = 0; i < 3000; i++)
		maker_exit(&m, 0, i);
	maker_save(&m, path);
	fixture_open(&f, &once, MANY);
	add_ring_file(&f, path);
	assert_true(fixture_wait(&f, fixture_is_done, NULL));
	assert_true(f.nr_dropped > 0);
	assert_int_equal(f.nr_seen + f.nr_dropped, 3000);
	assert_int_equal(ring_stats_of(&f).ring_lost, f.nr_dropped);
	assert_each_exit_once(&f, (unsigned)f.nr_dropped, 3000);
	fixture_close(&f);
	maker_end(&m);
}

static void stream_ends_with_its_program(void **state)
{
	(void)state;
#ifdef TR2_PORTABLE /* the portable build does not know pid namespaces */
	skip();
#endif
	for (int what = 0; what < 6; what++) {
		struct fixture f;
		struct maker m;
		struct stat st;

		unlink(path);
		make_live(&m, path, 16 << 10, 1, what == 1 || what > 3 ? dead_pid() : getpid());
		maker_head(&m)->closed = what == 2;
		/* The pids of another namespace mean nothing here. */
		assert_int_equal(stat("/proc/self/ns/pid", &st), 0);
		if (what > 3)
			maker_head(&m)->pid_namespace = st.st_ino + (what == 4);
		/* The end of a forked child is not that of the process in the SID. */
		maker_head(&m)->pid = what == 3 ? (uint32_t)dead_pid() : maker_head(&m)->pid;
		maker_exit(&m, 0, 1);
		fixture_open(&f, &once, MANY);
		add_ring_file(&f, path);
		assert_true(fixture_wait(&f, fixture_is_done, NULL));
		assert_int_equal(f.nr_seen, 1);
		assert_int_equal(f.nr_ends, what == 1 || what == 2 || what == 5);
		fixture_close(&f);
		create_live_file(&m);
	}
}

static void recognizes_file_that_begins_while_read(void **state)
{
	struct fixture f;
	struct maker m;

	(void)state;
	maker_begin(&m, 16 << 10, 1);
	maker_exit(&m, 0, 1);
	maker_head(&m)->closed = 1;
	fclose(fopen(path, "w"));
	just_then = &m;
	fixture_open(&f, &once, MANY);
	add_ring_file(&f, path);
	assert_true(fixture_wait(&f, fixture_is_done, NULL));
	assert_int_equal(f.nr_seen, 1);
	assert_int_equal(ring_stats_of(&f).foreign, 0);
	fixture_close(&f);
	maker_end(&m);
}

static void follows_file_until_closed(void **state)
{
	struct fixture f;
	struct maker m;
	unsigned at = 0;

	(void)state;
	make_live(&m, path, 128 << 10, 4, getpid());
	fixture_open(&f, &live, MANY);
	add_ring_file(&f, path);
	for (unsigned round = 0; round < 20; round++) {
		for (unsigned i = 0; i < 1000; i++, at++)
			maker_exit(&m, at % 4, at);
		assert_true(fixture_wait_nr(&f, at));
	}
	assert_each_exit_once(&f, 0, at);
	assert_int_equal(f.nr_ends, 0);
	maker_exit(&m, 0, at);
	maker_head(&m)->closed = 1;
	wait_ends(&f, 1);
	assert_int_equal(f.nr_seen, at + 1);
	assert_int_equal(f.nr_dropped, 0);
	fixture_close(&f);
	create_live_file(&m);
}

static void stream_ends_with_its_pid(void **state)
{
	struct fixture f;
	struct maker m;
	pid_t pid;

	(void)state;
#ifdef TR2_PORTABLE /* the portable build does not tell zombies from running processes */
	skip();
#endif
	pid = fork();
	if (!pid) {
		pause();
		_exit(0);
	}
	make_live(&m, path, 16 << 10, 1, pid);
	maker_exit(&m, 0, 1);
	fixture_open(&f, &live, MANY);
	add_ring_file(&f, path);
	assert_true(fixture_wait_nr(&f, 1));
	assert_int_equal(f.nr_ends, 0);
	maker_exit(&m, 0, 2);
	kill(pid, SIGKILL);
	wait_ends(&f, 1);
	assert_int_equal(f.nr_seen, 2);
	waitpid(pid, NULL, 0);
	fixture_close(&f);
	create_live_file(&m);
}

static void new_only_skips_existing_events(void **state)
{
	static const struct source_config config = { .new_only = true };
	struct fixture f;
	struct maker m;

	(void)state;
	make_live(&m, path, 64 << 10, 2, getpid());
	for (unsigned i = 0; i < 1000; i++)
		maker_exit(&m, i % 2, i);
	fixture_open(&f, &config, MANY);
	add_ring_file(&f, path);
	for (unsigned i = 1000; i < 1100; i++)
		maker_exit(&m, i % 2, i);
	assert_true(fixture_wait_nr(&f, 100));
	assert_each_exit_once(&f, 1000, 1100);
	assert_int_equal(f.nr_seen, 100);
	assert_int_equal(f.nr_dropped, 0);
	fixture_close(&f);
	create_live_file(&m);
}

static bool is_foreign(struct fixture *f, void *nr)
{
	return ring_stats_of(f).foreign >= *(uint64_t *)nr;
}

static void rejects_oversized_or_invalid_files(void **state)
{
	(void)state;
	for (int what = 0; what < 3; what++) {
		struct fixture f;
		struct maker m;
		uint64_t one = 1;

		maker_begin(&m, 16 << 10, 1);
		maker_exit(&m, 0, 1);
		if (what == 1)
			maker_head(&m)->version = 9;
		m.len = what == 2 ? 100 : m.len;
		maker_save(&m, path);
		if (!what)
			assert_int_equal(truncate(path, TR2_RING_FILE_MAX + 1), 0);
		fixture_open(&f, &once, MANY);
		add_ring_file(&f, path);
		assert_true(fixture_wait(&f, fixture_is_done, NULL));
		assert_true(is_foreign(&f, &one));
		assert_non_null(strstr(ring_stats_of(&f).error, "ring file"));
		assert_int_equal(f.nr_seen, 0);
		fixture_close(&f);
		maker_end(&m);
	}
}

static void reports_shrunken_file(void **state)
{
	struct fixture f;
	struct maker m;
	uint64_t one = 1;

	(void)state;
	maker_begin(&m, 64 << 10, 1);
	for (unsigned i = 0; i < 100; i++)
		maker_exit(&m, 0, i);
	maker_save(&m, path);
	fixture_open(&f, &live, MANY);
	add_ring_file(&f, path);
	assert_true(fixture_wait_nr(&f, 100));
	assert_int_equal(truncate(path, 3000), 0);
	assert_true(fixture_wait(&f, is_foreign, &one));
	assert_non_null(strstr(ring_stats_of(&f).error, "cut off"));
	fixture_close(&f);
	maker_end(&m);
}

static void reports_truncated_file(void **state)
{
	struct fixture f;
	struct maker m;

	(void)state;
	maker_begin(&m, 64 << 10, 2);
	for (unsigned i = 0; i < 1000; i++)
		maker_exit(&m, i % 2, i);
	maker_head(&m)->closed = 1;
	m.len = TR2_RING_HEAD_BYTES + (64 << 10) + 4096;
	maker_save(&m, path);
	fixture_open(&f, &once, MANY);
	add_ring_file(&f, path);
	assert_true(fixture_wait(&f, fixture_is_done, NULL));
	assert_int_equal(f.nr_seen, 500);
	assert_non_null(strstr(ring_stats_of(&f).error, "cut off"));
	assert_int_equal(ring_stats_of(&f).state, SOURCE_FAILED);
	fixture_close(&f);
	maker_end(&m);
}

static void reads_lines_and_rings_in_directory(void **state)
{
	struct fixture f;
	struct maker m[3];
	char name[200], line[200];
	FILE *lines;

	(void)state;
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s/r%d", dir, i);
		make_live(&m[i], name, 64 << 10, 1, getpid());
		maker_exit(&m[i], 0, i);
	}
	snprintf(name, sizeof(name), "%s/lines", dir);
	lines = fopen(name, "w");
	assert_non_null(lines);
	fwrite(line, 1, fixture_line(line, sizeof(line), 3, 0), lines);
	fflush(lines);
	fixture_open(&f, &live, MANY);
	add_ring_file(&f, dir);
	assert_true(fixture_wait_nr(&f, 4));
	for (unsigned i = 4; i < 304; i++)
		if (i % 4 == 3) {
			fwrite(line, 1, fixture_line(line, sizeof(line), i, 0), lines);
			fflush(lines);
		} else {
			maker_exit(&m[i % 4], 0, i);
		}
	assert_true(fixture_wait_nr(&f, 304));
	assert_each_exit_once(&f, 0, 304);
	for (int i = 0; i < 3; i++)
		maker_head(&m[i])->closed = 1;
	wait_ends(&f, 3);
	fixture_close(&f);
	fclose(lines);
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof(name), "%s/r%d", dir, i);
		assert_int_equal(access(name, F_OK), 0);
		create_live_file(&m[i]);
	}
}

static void reads_and_removes_files_next_to_socket(void **state)
{
	struct fixture f;
	struct maker m[2];
	struct stat st;
	char name[200];

	(void)state;
	fixture_open(&f, &live, MANY);
	add_ring_file(&f, spec);
	assert_int_equal(stat(rings, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0700);
	assert_int_equal(intake_nr_sources(f.intake), 1);
	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s/r%d", rings, i);
		make_live(&m[i], name, 64 << 10, 1, getpid());
		for (unsigned nr = 0; nr < 500; nr++)
			maker_exit(&m[i], 0, i * 500 + nr);
	}
	assert_true(fixture_wait_nr(&f, 1000));
	/* The events count for the source of the socket. */
	assert_int_equal(ring_stats_of(&f).events, 1000);
	assert_int_equal(ring_stats_of(&f).nr_streams, 2);
	for (int i = 0; i < 2; i++)
		maker_head(&m[i])->closed = 1;
	wait_ends(&f, 2);
	for (int i = 0; i < 2; i++) {
		snprintf(name, sizeof(name), "%s/r%d", rings, i);
		assert_true(fixture_wait(&f, ring_file_is_gone, name));
		create_live_file(&m[i]);
	}
	fixture_close(&f);
	assert_each_exit_once(&f, 0, 0);
	assert_int_not_equal(access(rings, F_OK), 0);
}

static void keeps_files_of_live_processes(void **state)
{
	struct fixture f;
	struct maker m;
	char name[200];

	(void)state;
	fixture_open(&f, &live, MANY);
	add_ring_file(&f, spec);
	snprintf(name, sizeof(name), "%s/r", rings);
	make_live(&m, name, 64 << 10, 1, getpid());
	maker_exit(&m, 0, 1);
	assert_true(fixture_wait_nr(&f, 1));
	fixture_close(&f);
	assert_int_equal(access(name, F_OK), 0);
	/* The next start reads the kept file from its beginning, and removes it once it is
	 * closed. */
	maker_exit(&m, 0, 2);
	fixture_open(&f, &live, MANY);
	add_ring_file(&f, spec);
	assert_true(fixture_wait_nr(&f, 2));
	maker_head(&m)->closed = 1;
	assert_true(fixture_wait(&f, ring_file_is_gone, name));
	fixture_close(&f);
	assert_int_not_equal(access(rings, F_OK), 0);
	create_live_file(&m);
}

static void once_reads_until_interrupted(void **state)
{
	struct fixture f;
	struct maker m;
	char name[200];

	(void)state;
	fixture_open(&f, &once, MANY);
	add_ring_file(&f, spec);
	snprintf(name, sizeof(name), "%s/r", rings);
	make_live(&m, name, 64 << 10, 1, getpid());
	for (unsigned i = 0; i < 100; i++)
		maker_exit(&m, 0, i);
	assert_true(fixture_wait_nr(&f, 100));
	for (unsigned i = 100; i < 200; i++)
		maker_exit(&m, 0, i);
	maker_head(&m)->closed = 1;
	intake_drain(f.intake);
	assert_true(fixture_wait(&f, fixture_is_done, NULL));
	assert_each_exit_once(&f, 0, 200);
	fixture_close(&f);
	assert_int_not_equal(access(rings, F_OK), 0);
	create_live_file(&m);
}

/* The journal is full, so the reader has copied data that it did not deliver yet. */
static void reads_to_the_end_when_stopped(void **state)
{
	struct fixture f;
	struct maker m;
	unsigned nr = 0;

	(void)state;
	make_live(&m, path, TR2_RING_MAX_BYTES, 16, getpid());
	for (; nr < 400000; nr++)
		maker_exit(&m, nr % 16, nr);
	fixture_open_keeping(&f, &once, MANY * 3, 1);
	add_ring_file(&f, path);
	while (journal_has_room(f.journal))
		fixture_poll(&f, fixture_until(20));
	for (; nr < 400100; nr++)
		maker_exit(&m, nr % 16, nr);
	intake_stop(f.intake);
	fixture_take(&f);
	assert_each_exit_once(&f, 0, nr);
	assert_int_equal(f.nr_dropped, 0);
	fixture_close(&f);
	create_live_file(&m);
}

static void ignores_foreign_directory(void **state)
{
	static const char *const says[] = { "by other users", "symbolic link", "directory",
					    "another trace2top" };

	(void)state;
	for (int what = 0; what < 4; what++) {
		struct fixture f;
		struct stat before, after;
		int lock = -1;

		if (what == 0)
			assert_int_equal(mkdir(rings, 0700) || chmod(rings, 0720), 0);
		else if (what == 1)
			assert_int_equal(symlink(dir, rings), 0);
		else if (what == 2)
			close(open(rings, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
		else
			assert_int_equal(mkdir(rings, 0700), 0);
		if (what == 3) {
			lock = open(rings, O_RDONLY | O_CLOEXEC);
			assert_int_equal(flock(lock, LOCK_EX), 0);
		}
		assert_int_equal(lstat(rings, &before), 0);
		fixture_open(&f, &live, MANY);
		add_ring_file(&f, spec);
		assert_non_null(strstr(ring_stats_of(&f).error, "no rings"));
		assert_non_null(strstr(ring_stats_of(&f).error, says[what]));
		fixture_close(&f);
		assert_int_equal(lstat(rings, &after), 0);
		assert_int_equal(before.st_ino, after.st_ino);
		if (lock >= 0)
			close(lock);
		assert_int_equal(remove(rings), 0);
	}
}

static void keeps_existing_directory(void **state)
{
	struct fixture f;

	(void)state;
	assert_int_equal(mkdir(rings, 0755) || chmod(rings, 0755), 0);
	fixture_open(&f, &live, MANY);
	add_ring_file(&f, spec);
	assert_string_equal(ring_stats_of(&f).error, "");
	fixture_close(&f);
	assert_int_equal(access(rings, F_OK), 0);
}

struct flat_out_writer {
	struct maker m;
	unsigned number, nr;
	_Atomic bool done;
};

static void *write_flat_out(void *data)
{
	struct flat_out_writer *w = data;

	for (unsigned i = 0; i < w->nr; i++)
		maker_exit(&w->m, w->number, i);
	w->done = true;
	return NULL;
}

static void read_plus_lost_equals_written(void **state)
{
	struct flat_out_writer all[4] = { 0 };
	pthread_t threads[4];
	struct fixture f;
	struct maker m;
	uint64_t nr = 0, one = 1;

	(void)state;
	make_live(&m, path, 16 << 10, 4, getpid());
	fixture_open(&f, &live, MANY);
	add_ring_file(&f, path);
	for (unsigned i = 0; i < 4; i++) {
		all[i] = (struct flat_out_writer){ .m = m, .number = i, .nr = 100000 + i };
		nr += all[i].nr;
		assert_int_equal(pthread_create(&threads[i], NULL, write_flat_out, &all[i]), 0);
	}
	for (unsigned i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	/* The next block shows the last losses. */
	for (unsigned i = 0; i < 4; i++)
		maker_block(&all[i].m, i);
	maker_head(&m)->closed = 1;
	assert_true(fixture_wait(&f, has_ends, &one));
	assert_int_equal(f.nr_seen + f.nr_dropped, nr);
	assert_int_equal(ring_stats_of(&f).malformed, 0);
	print_message("read %llu, lost %llu\n", (unsigned long long)f.nr_seen,
		      (unsigned long long)f.nr_dropped);
	fixture_close(&f);
	create_live_file(&m);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(reads_file_to_end),
		TEST(reports_overwritten_events),
		TEST(stream_ends_with_its_program),
		TEST(recognizes_file_that_begins_while_read),
		TEST(follows_file_until_closed),
		TEST(stream_ends_with_its_pid),
		TEST(new_only_skips_existing_events),
		TEST(rejects_oversized_or_invalid_files),
		TEST(reports_shrunken_file),
		TEST(reports_truncated_file),
		TEST(reads_lines_and_rings_in_directory),
		TEST(reads_and_removes_files_next_to_socket),
		TEST(keeps_files_of_live_processes),
		TEST(once_reads_until_interrupted),
		TEST(reads_to_the_end_when_stopped),
		TEST(ignores_foreign_directory),
		TEST(keeps_existing_directory),
		TEST(read_plus_lost_equals_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
