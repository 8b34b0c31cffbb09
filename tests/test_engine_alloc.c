/* SPDX-License-Identifier: MIT */
/*
 * Tests of libtrace2 without memory: whichever allocation fails, alone or with all later ones, the
 * host continues and its exit status does not change. The linker redirects libtrace2's allocations
 * to this program (--wrap).
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/hash_index.h"
#include "engine/trace2.h"
#include "engine/trace2_child.h"

#define HOST_STATUS 42
#define HOST_ERRNO  12345 /* libtrace2 must not change errno */

static _Atomic long left; /* allocations until one fails; 0: none fails */
static bool goes_on;

void *__real_malloc(size_t bytes);
void *__real_calloc(size_t nr, size_t bytes);
void *__real_realloc(void *old, size_t bytes);
void *__wrap_malloc(size_t bytes);
void *__wrap_calloc(size_t nr, size_t bytes);
void *__wrap_realloc(void *old, size_t bytes);

static bool allocation_fails(void)
{
	if (left <= 0 || --left > 0)
		return false;
	left = goes_on;
	errno = ENOMEM;
	return true;
}

void *__wrap_malloc(size_t bytes)
{
	return allocation_fails() ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t nr, size_t bytes)
{
	return allocation_fails() ? NULL : __real_calloc(nr, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
	return allocation_fails() ? NULL : __real_realloc(old, bytes);
}

static void *alloc_worker(void *data)
{
	errno = HOST_ERRNO;
	trace2_thread_start("worker");
	for (int i = 0; i < 120; i++)
		trace2_region_enter("c", "deep", NULL);
	trace2_data_intmax("c", NULL, "k", 7);
	for (int i = 0; i < 120; i++)
		trace2_region_leave("c", "deep", NULL);
	trace2_thread_exit();
	return errno == HOST_ERRNO ? data : NULL;
}

/* Run a host that makes many API calls. Its n-th allocation fails, with `on` also all later
 * ones. */
static void alloc_host(long nth, bool on)
{
	static char longer[5000];
	const char *argv[] = { "host", longer, NULL };
	struct child_process child = TRACE2_CHILD_PROCESS_INIT;
	bool keeps_errno;
	pthread_t thread;
	void *result;

	memset(longer, 'x', sizeof(longer) - 1);
	goes_on = on;
	left = nth;
	errno = HOST_ERRNO;
	trace2_timer_declare("category", "name", 1);
	trace2_session_id();
	trace2_initialize_clock();
	trace2_initialize();
	trace2_cmd_start(argv);
	trace2_cmd_name("host");
	trace2_cmd_set_config("user.name", "x");
	child.argv = argv;
	trace2_child_start(&child);
	trace2_child_exit(&child, 0);
	keeps_errno = errno == HOST_ERRNO;
	if (!pthread_create(&thread, NULL, alloc_worker, &left) && !pthread_join(thread, &result))
		keeps_errno &= result != NULL;
	errno = HOST_ERRNO;
	trace2_printf("%s", longer);
	trace2_cmd_exit(HOST_STATUS);
	exit(keeps_errno && errno == HOST_ERRNO ? HOST_STATUS : 99);
}

/* Create a repository around the host, which searches its configuration for requested keys. */
static const char make_repository[] =
	"mkdir -p d/.git/objects d/.git/refs d/sub && echo ref: refs/heads/x >d/.git/HEAD && "
	"printf '[user]\\nname=x\\n[include]path=more\\n[includeIf \"gitdir:./\"]path=more\\n"
	"[includeIf \"hasconfig:remote.*.url:u*\"]path=more\\n[remote \"o\"]url=u\\n' "
	">d/.git/config && "
	"printf '[user]\\nemail=y\\n' >d/.git/more";

static void host_survives_any_failed_allocation(void **state)
{
	char dir[] = "/tmp/trace2-alloc-XXXXXX", path[64], command[64];
	int status;

	(void)state;
	assert_non_null(mkdtemp(dir));
	assert_int_equal(chdir(dir), 0);
	assert_int_equal(system(make_repository), 0);
	assert_int_equal(chdir("d/sub"), 0);
	snprintf(path, sizeof(path), "%s/trace", dir);
	setenv("GIT_CEILING_DIRECTORIES", "/tmp/nowhere:/", 1);
	setenv("GIT_TRACE2", path, 1);
	setenv("GIT_TRACE2_PERF", path, 1);
	setenv("GIT_TRACE2_EVENT", path, 1);
	setenv("GIT_TRACE2_CONFIG_PARAMS", "user.*", 1);
	setenv("GIT_TRACE2_ENV_VARS", "PATH,HOME", 1);
	for (long nth = 1; nth <= 300; nth++)
		for (int on = 0; on < 2; on++) {
			pid_t pid = fork();

			if (!pid)
				alloc_host(nth, on);
			assert_int_equal(waitpid(pid, &status, 0), pid);
			if (!WIFEXITED(status) || WEXITSTATUS(status) != HOST_STATUS)
				print_error("allocation %ld, on %d: wait status %x\n", nth, on,
					    (unsigned)status);
			assert_true(WIFEXITED(status));
			assert_int_equal(WEXITSTATUS(status), HOST_STATUS);
		}
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	assert_int_equal(chdir("/") || system(command), 0);
}

static uint32_t hash_of_number(const void *data, uint32_t number)
{
	(void)data;
	return number;
}

static void a_hash_index_without_memory_stays_empty(void **state)
{
	struct tr2_hash_index index = { 0 };

	(void)state;
	goes_on = true;
	left = 1;
	assert_false(tr2_hash_index_put(&index, 0, 0, hash_of_number, NULL));
	assert_false(tr2_hash_index_put(&index, 0, 0, hash_of_number, NULL));
	left = 0;
	assert_true(tr2_hash_index_put(&index, 0, 0, hash_of_number, NULL));
	assert_int_equal(tr2_hash_index_place(&index, 0, 0), 0);
	tr2_hash_index_release(&index);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(host_survives_any_failed_allocation),
		cmocka_unit_test(a_hash_index_without_memory_stays_empty),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
