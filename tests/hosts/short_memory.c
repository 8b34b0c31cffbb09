/* SPDX-License-Identifier: MIT */
/*
 * Test host in which some allocations of libtrace2 fail for a while. Later events must be correct.
 * The linker redirects libtrace2's allocations to this program (--wrap). Each allocation ends less
 * than 16 bytes before an inaccessible page and is unmapped when it is freed.
 */
#include "config.h"
#include "tests/hosts/host.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

#define HOST_STATUS 42
#define PAGE        ((size_t)4096)
#ifdef SANITIZED
#define WINDOW_STEP 7
#else
#define WINDOW_STEP (1 + window_from / 8)
#endif

struct block {
	size_t nr_bytes, mapped;
	char *map;
	uint64_t pad;
};

static _Atomic long nth, first_bad, nr_bad; /* allocations [first_bad, first_bad + nr_bad) fail */

void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t nr, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);
char *__wrap_strdup(const char *text);
void __wrap_free(void *old);

static struct block *host_block_of(void *memory)
{
	return (struct block *)memory - 1;
}

void *__wrap_malloc(size_t bytes)
{
	size_t room = ((bytes + 15) & ~(size_t)15) + sizeof(struct block);
	size_t mapped = (room + PAGE - 1) / PAGE * PAGE;
	long now = ++nth;
	struct block *block;
	char *map;

	if (now >= first_bad && now < first_bad + nr_bad)
		return NULL;
	map = mmap(NULL, mapped + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (map == MAP_FAILED || mprotect(map + mapped, PAGE, PROT_NONE))
		abort();
	block = (struct block *)(void *)(map + mapped - room);
	*block = (struct block){ .nr_bytes = bytes, .mapped = mapped + PAGE, .map = map };
	memset(block + 1, 0x5a, bytes);
	return block + 1;
}

void __wrap_free(void *old)
{
	if (old && munmap(host_block_of(old)->map, host_block_of(old)->mapped))
		abort();
}

void *__wrap_calloc(size_t nr, size_t bytes)
{
	void *memory = __wrap_malloc(nr * bytes);

	return memory ? memset(memory, 0, nr * bytes) : NULL;
}

void *__wrap_realloc(void *old, size_t bytes)
{
	void *memory = __wrap_malloc(bytes);
	size_t before = old ? host_block_of(old)->nr_bytes : 0;

	if (!memory)
		return NULL;
	if (old)
		memcpy(memory, old, before < bytes ? before : bytes);
	__wrap_free(old);
	return memory;
}

char *__wrap_strdup(const char *text)
{
	char *copy = __wrap_malloc(strlen(text) + 1);

	return copy ? strcpy(copy, text) : NULL;
}

static void fail_from(long from, long nr)
{
	nth = 0;
	nr_bad = nr;
	first_bad = from;
}

static void trace_to(const char *name)
{
	setenv("GIT_TRACE2_PERF", host_path("perf"), 1);
	setenv("GIT_TRACE2_EVENT", host_path(name), 1);
	setenv("GIT_TRACE2_EVENT_NESTING", "1000000", 1);
}

static void nest(int depth)
{
	for (int i = 0; i < depth; i++)
		trace2_region_enter("c", "deep", NULL);
	trace2_data_intmax("c", NULL, "depth", depth);
	for (int i = 0; i < depth; i++)
		trace2_region_leave("c", "deep", NULL);
}

static void *memory_worker(void *data)
{
	trace2_data_intmax("c", NULL, "unnamed", 1);
	trace2_thread_start("worker");
	nest(250);
	trace2_thread_exit();
	trace2_data_intmax("c", NULL, "unnamed", 2);
	return data;
}

static long window_from, window_nr;

static void uses_all_calls(void)
{
	static char longer[9000];
	const char *argv[] = { "host", longer, NULL };
	pthread_t thread;

	memset(longer, 'x', sizeof(longer) - 1);
	trace_to("event");
	fail_from(window_from, window_nr);
	trace2_counter_declare("c", "n", 1);
	trace2_initialize();
	trace2_initialize();
	trace2_cmd_start(argv);
	trace2_cmd_name("host");
	if (!pthread_create(&thread, NULL, memory_worker, NULL))
		pthread_join(thread, NULL);
	nest(1200);
	trace2_printf("%s", longer);
	exit(trace2_cmd_exit(HOST_STATUS));
}

/* Regions entered while memory is short are counted, even if their start cannot be stored. */
static void nests_deeply_meanwhile(void)
{
	trace_to("deep");
	trace2_initialize();
	nr_bad = 1000000;
	for (int i = 0; i < 600; i++)
		trace2_region_enter("c", "counted", NULL);
	nr_bad = 0;
	for (int i = 0; i < 600; i++)
		trace2_region_enter("c", "noted", NULL);
	for (int i = 0; i < 1200; i++)
		trace2_region_leave("c", "left", NULL);
	trace2_data_string("c", NULL, "k", "end");
	exit(HOST_STATUS);
}

static void *named_meanwhile(void *data)
{
	trace2_data_intmax("c", NULL, "unnamed", 1);
	nr_bad = 1000000;
	trace2_thread_start("worker");
	nr_bad = 0;
	return data;
}

static void starts_a_thread_meanwhile(void)
{
	pthread_t thread;

	trace_to("named");
	trace2_initialize();
	CHECK(!pthread_create(&thread, NULL, named_meanwhile, NULL), "pthread_create");
	pthread_join(thread, NULL);
	exit(HOST_STATUS);
}

static void initializes_again(void)
{
	trace_to("again");
	fail_from(1, 1000000);
	trace2_initialize();
	nr_bad = 0;
	trace2_initialize();
	trace2_data_string("c", NULL, "k", "traced");
	exit(HOST_STATUS);
}

static void forks_meanwhile(void)
{
	int status;
	pid_t pid;

	trace_to("forked");
	trace2_set_fork_sid(1);
	trace2_initialize();
	pid = fork();
	if (!pid) {
		fail_from(1, 3);
		for (int i = 0; i < 10; i++)
			trace2_data_string("c", NULL, "k", "of the child");
		exit(0);
	}
	CHECK(waitpid(pid, &status, 0) == pid && !status, "the child");
	exit(HOST_STATUS);
}

static void assert_times_are_sane(const char *path)
{
	char *text = host_read(path);

	for (const char *at = text; (at = strstr(at, "\"t_rel\":")); at += 8)
		CHECK(strtod(at + 8, NULL) < 100, "%.60s", at);
	free(text);
}

int main(void)
{
	static const long windows[] = { 1, 2, 4, 30, 100000 };
	char *text;

	host_begin();
	CHECK(host_run(nests_deeply_meanwhile) == HOST_STATUS, "nests deeply");
	CHECK(host_count(host_path("deep"), "\"end\"") == 1, "the trace ends before the host");
	assert_times_are_sane(host_path("deep"));
	CHECK(host_run(starts_a_thread_meanwhile) == HOST_STATUS, "starts a thread");
	CHECK(host_run(initializes_again) == HOST_STATUS, "initializes again");
	CHECK(host_count(host_path("again"), "traced") == 1, "tracing is off");
	CHECK(host_run(forks_meanwhile) == HOST_STATUS, "forks");
	text = host_read(host_path("forked"));
	CHECK(strstr(text, "of the child"), "the child is not traced");
	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
		CHECK(!strstr(line, "of the child") || strstr(line, "/20"),
		      "under its parent's session id: %s", line);
	free(text);
	for (window_from = 1; window_from <= 40; window_from += WINDOW_STEP)
		for (size_t i = 0; i < sizeof(windows) / sizeof(*windows); i++) {
			window_nr = windows[i];
			CHECK(host_run(uses_all_calls) == HOST_STATUS,
			      "allocations %ld to %ld failed", window_from,
			      window_from + window_nr - 1);
			assert_times_are_sane(host_path("event"));
			unlink(host_path("event"));
			unlink(host_path("perf"));
		}
	return host_end();
}
