/* SPDX-License-Identifier: MIT */
/*
 * The deputy: it does the owner's work while that one waits or does not come, never while it
 * works, and sleeps when nothing comes; an intake whose thread is held up still reads sockets.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <linux/sockios.h>

#include "monitor/intake/deputy.h"
#include "monitor/intake/realtime.h"
#include "monitor/intake/intake_priv.h"
#include "monitor/intake/source.h"
#include "tests/intake_fixture.h"

/* The kernel takes some 170 that nobody reads. */
#define NR_EVENTS 2000
#define NR_ROUNDS 20
/* Many ticks. */
#define WORK_MS     10
#define NR_TRIES    50
#define PATIENCE_MS 200

/* ---- alone ---- */

struct job {
	struct deputy *deputy;
	sem_t done;     /* once for each time that it was done in the owner's place */
	uint64_t bytes; /* that the owner tells of */
};

static uint64_t stand_in(void *data)
{
	struct job *job = data;

	sem_post(&job->done);
	return 0;
}

static void *probe(void *permitted)
{
	*(bool *)permitted = realtime_begin();
	return NULL;
}

static void skip_where_not_permitted(void)
{
	bool permitted = false;
	pthread_t thread;

	assert_int_equal(pthread_create(&thread, NULL, probe, &permitted), 0);
	pthread_join(thread, NULL);
	if (!permitted)
		skip();
}

/* That limit ends who is busy at such a priority for longer. */
static void nobody_is_real_time_whose_time_is_limited(void **state)
{
	struct rlimit before, limit;
	struct deputy *deputy;
	bool permitted = false;
	pthread_t thread;

	(void)state;
	skip_where_not_permitted();
	assert_int_equal(getrlimit(RLIMIT_RTTIME, &before), 0);
	limit = before;
	limit.rlim_cur = 1000000;
	assert_int_equal(setrlimit(RLIMIT_RTTIME, &limit), 0);
	assert_int_equal(pthread_create(&thread, NULL, probe, &permitted), 0);
	pthread_join(thread, NULL);
	deputy = deputy_new(stand_in, NULL);
	assert_int_equal(setrlimit(RLIMIT_RTTIME, &before), 0);
	assert_false(permitted);
	assert_null(deputy);
}

static void job_begin(struct job *job)
{
	skip_where_not_permitted();
	*job = (struct job){ .bytes = 0 };
	sem_init(&job->done, 0, 0);
	job->deputy = deputy_new(stand_in, job);
	assert_non_null(job->deputy);
}

static void job_end(struct job *job)
{
	deputy_free(job->deputy);
	sem_destroy(&job->done);
}

/* As if so much had come that a burst has begun; what is called already is not called again. */
static void call(struct deputy *deputy, uint64_t *bytes)
{
	deputy_watch(deputy, *bytes, 0);
	*bytes += DEPUTY_BURST_BYTES;
	deputy_watch(deputy, *bytes, 0);
}

static bool wait_done(struct job *job, int ms)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_nsec += ms * NS_PER_MS;
	until.tv_sec += until.tv_nsec / NS_PER_SEC;
	until.tv_nsec %= NS_PER_SEC;
	while (sem_timedwait(&job->done, &until))
		if (errno == ETIMEDOUT)
			return false;
	return true;
}

/* By an owner who does not come. */
static bool call_and_wait(struct job *job)
{
	for (int tries = 0; tries < FIXTURE_DEADLINE_MS / 5; tries++) {
		call(job->deputy, &job->bytes);
		if (wait_done(job, 5))
			return true;
	}
	return false;
}

static void it_stands_in_for_an_owner_who_does_not_come(void **state)
{
	struct job job;

	(void)state;
	job_begin(&job);
	deputy_release(job.deputy);
	assert_true(call_and_wait(&job));
	assert_true(call_and_wait(&job));
	deputy_acquire(job.deputy);
	job_end(&job);
}

/* What is late makes it sleep no later: a wrong pass is possible, a wrong failure is not. */
static void it_sleeps_when_nothing_comes(void **state)
{
	struct job job;
	int nr = 1;

	(void)state;
	job_begin(&job);
	deputy_release(job.deputy);
	assert_true(call_and_wait(&job));
	while (nr <= 3 * DEPUTY_QUIET_TICKS && wait_done(&job, PATIENCE_MS))
		nr++;
	assert_in_range(nr, DEPUTY_QUIET_TICKS / 2, 3 * DEPUTY_QUIET_TICKS - 1);
	deputy_acquire(job.deputy);
	job_end(&job);
}

static void it_never_stands_in_while_the_owner_works(void **state)
{
	struct job job;

	(void)state;
	job_begin(&job);
	for (int i = 0; i < NR_ROUNDS; i++) {
		deputy_release(job.deputy);
		assert_true(call_and_wait(&job));
		deputy_acquire(job.deputy);
		while (!sem_trywait(&job.done))
			;
		call(job.deputy, &job.bytes);
		assert_false(wait_done(&job, WORK_MS));
	}
	job_end(&job);
}

static void one_that_was_never_called_ends(void **state)
{
	struct job job;

	(void)state;
	job_begin(&job);
	job_end(&job);
	deputy_free(NULL);
}

/* ---- an intake whose thread is held up ---- */

static char dir[128], path[200], spec[240];
static sem_t held, go;

static int setup(void **state)
{
	const char *tmp = getenv("TMPDIR");

	(void)state;
	snprintf(dir, sizeof(dir), "%s/deputy-XXXXXX", tmp && strlen(tmp) < 60 ? tmp : "/tmp");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/sock", dir);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

/* In the intake thread, and where that waits: none of its locks is held. */
static void hold_up(int signo)
{
	(void)signo;
	sem_post(&held);
	while (sem_wait(&go))
		;
}

static int connect_to(int type)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	strcpy(addr.sun_path, path);
	assert_int_equal(connect(fd, (struct sockaddr *)&addr, sizeof(addr)), 0);
	return fd;
}

static bool say(int fd, unsigned number)
{
	char line[300];
	size_t len = fixture_line(line, sizeof(line), number, 0);

	return send(fd, line, len, MSG_NOSIGNAL) == (ssize_t)len;
}

static void intake_open(struct fixture *f, int type)
{
	struct sigaction action = { .sa_handler = hold_up };
	char why[200] = "";

	skip_where_not_permitted();
	sem_init(&held, 0, 0);
	sem_init(&go, 0, 0);
	/* One of those that are never blocked. */
	sigaction(SIGFPE, &action, NULL);
	snprintf(spec, sizeof(spec), "af_unix:%s:%s", type == SOCK_DGRAM ? "dgram" : "stream",
		 path);
	fixture_open(f, &(struct intake_config){ .once = false }, NR_EVENTS);
	if (!intake_add(f->intake, spec, why, sizeof(why)))
		fail_msg("%s", why);
	intake_start(f->intake);
	intake_suspend(f->intake); /* returns when the thread has begun */
	intake_resume(f->intake);
	assert_non_null(f->intake->urgent.deputy);
}

static void intake_close(struct fixture *f)
{
	fixture_close(f);
	signal(SIGFPE, SIG_DFL);
	sem_destroy(&held);
	sem_destroy(&go);
}

static void hold(struct fixture *f)
{
	assert_int_equal(pthread_kill(f->intake->thread, SIGFPE), 0);
	while (sem_wait(&held))
		;
}

/* From *number on, as long as somebody reads. */
static void say_all(struct fixture *f, int fd, unsigned *number)
{
	static uint64_t bytes;
	struct pollfd ready = { .fd = fd, .events = POLLOUT };

	while (*number < NR_EVENTS) {
		if (say(fd, *number)) {
			++*number;
			continue;
		}
		assert_int_equal(errno, EAGAIN);
		call(f->intake->urgent.deputy, &bytes);
		if (poll(&ready, 1, PATIENCE_MS) != 1)
			return;
	}
}

/*
 * Nearly always the thread waits when it is held. Where it did not, it has its lock: let go,
 * and begin again; where nobody reads in its place that is so each time.
 */
static void held_up_and_read_all_the_same(int type)
{
	unsigned number = 1, most = 0;
	struct fixture f;
	int fd;

	intake_open(&f, type);
	fd = connect_to(type);
	assert_true(say(fd, 0));
	assert_true(fixture_wait_nr(&f, 1));
	for (int tries = 0; number < NR_EVENTS && tries < NR_TRIES; tries++) {
		unsigned from = number;

		hold(&f);
		say_all(&f, fd, &number);
		sem_post(&go);
		most = number - from > most ? number - from : most;
		assert_true(fixture_wait_nr(&f, number));
	}
	assert_int_equal(number, NR_EVENTS);
	/* Far more than the kernel takes. */
	assert_in_range(most, NR_EVENTS / 4, NR_EVENTS);
	for (unsigned i = 0; i < NR_EVENTS; i++)
		assert_int_equal(f.seen[i], 1);
	close(fd);
	intake_close(&f);
}

static void stream_is_read_while_the_thread_is_held_up(void **state)
{
	(void)state;
	held_up_and_read_all_the_same(SOCK_STREAM);
}

static void dgram_is_read_while_the_thread_is_held_up(void **state)
{
	(void)state;
	held_up_and_read_all_the_same(SOCK_DGRAM);
}

static bool has_ended(struct fixture *f, void *nr)
{
	return f->nr_ends == *(uint64_t *)nr;
}

/* The deputy is the first to see its end, and the thread the one who says so. */
static void connection_that_ends_meanwhile_ends_once(void **state)
{
	unsigned number = 2;
	struct source_stats stats;
	struct fixture f;
	uint64_t one = 1, two = 2;
	int short_one, long_one;

	(void)state;
	intake_open(&f, SOCK_STREAM);
	short_one = connect_to(SOCK_STREAM);
	long_one = connect_to(SOCK_STREAM);
	assert_true(say(long_one, 0));
	assert_true(fixture_wait_nr(&f, 1));
	for (int tries = 0; number < NR_EVENTS && tries < NR_TRIES; tries++) {
		hold(&f);
		if (!tries) {
			assert_true(say(short_one, 1));
			close(short_one);
		}
		say_all(&f, long_one, &number);
		sem_post(&go);
		assert_true(fixture_wait_nr(&f, number));
		assert_true(fixture_wait(&f, has_ended, &one));
	}
	close(long_one);
	assert_true(fixture_wait(&f, has_ended, &two));
	for (unsigned i = 0; i < NR_EVENTS; i++)
		assert_int_equal(f.seen[i], 1);
	intake_suspend(f.intake); /* publishes */
	intake_stats(f.intake, 0, &stats);
	assert_int_equal(stats.nr_open, 0);
	assert_int_equal(stats.malformed, 0);
	assert_string_equal(stats.error, "");
	intake_close(&f);
}

static void intake_ends_while_its_deputy_is_awake(void **state)
{
	struct fixture f;

	(void)state;
	for (int i = 0; i < 20; i++) {
		unsigned number = 0;
		int fd;

		intake_open(&f, SOCK_STREAM);
		fd = connect_to(SOCK_STREAM);
		while (number < NR_EVENTS && say(fd, number))
			number++;
		intake_close(&f);
		close(fd);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define TEST(name)        cmocka_unit_test(name)
#define INTAKE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
		TEST(nobody_is_real_time_whose_time_is_limited),
		TEST(it_stands_in_for_an_owner_who_does_not_come),
		TEST(it_sleeps_when_nothing_comes),
		TEST(it_never_stands_in_while_the_owner_works),
		TEST(one_that_was_never_called_ends),
		INTAKE_TEST(stream_is_read_while_the_thread_is_held_up),
		INTAKE_TEST(dgram_is_read_while_the_thread_is_held_up),
		INTAKE_TEST(connection_that_ends_meanwhile_ends_once),
		INTAKE_TEST(intake_ends_while_its_deputy_is_awake),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
