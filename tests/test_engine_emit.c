/* SPDX-License-Identifier: MIT */
/*
 * Tests of the engine, mostly inside a host program, which the tests fork and trace. The host must
 * continue whatever happens to the destination.
 */
#include "config.h"

#include "tests/traced_host.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include "engine/trace2.h"
#include "engine/trace2_child.h"
#include "engine/trace2_param.h"
#include "engine/trace2_repo.h"
#include "engine/tr2_sha1.h"

#define NR_THREADS    16
#define NR_PER_THREAD 500

/* A host that exits with 7, or with 99 if trace2_data_intmax() changed errno. */
static int busy_host(void)
{
	trace2_initialize();
	for (int i = 0; i < 50; i++) {
		trace2_region_enter("c", "l", NULL);
		errno = 12345;
		trace2_data_intmax("c", NULL, "k", i);
		if (errno != 12345)
			return 99;
		trace2_region_leave("c", "l", NULL);
	}
	return trace2_cmd_exit(7);
}

static int naming_host(void)
{
	trace2_initialize();
	errno = 12345;
	trace2_cmd_name("host");
	trace2_collect_process_info(TRACE2_PROCESS_INFO_STARTUP);
	return trace2_cmd_exit(errno == 12345 ? 7 : 99);
}

static void errno_is_preserved_by_calls_that_read_files(void **state)
{
	(void)state;
	setenv("GIT_TRACE2_CONFIG_PARAMS", "user.*", 1);
	setenv("GIT_CONFIG_GLOBAL", "/nonexistent/config", 1);
	assert_int_equal(run_host("/dev/null", naming_host), 7);
	setenv("GIT_CONFIG_GLOBAL", "", 1);
	unsetenv("GIT_TRACE2_CONFIG_PARAMS");
}

static void host_survives_failing_destination(void **state)
{
	const char *const values[] = { "/dev/full",
				       "/nonexistent/x",
				       "yes",
				       "rel/path",
				       "9",
				       "af_unix:/nonexistent",
				       "af_unix:rel",
				       "af_unix:",
				       "/proc/1/x",
				       "af_unix:stream:/dev/null",
				       "af_unix:dgram:/dev/null" };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		assert_int_equal(run_host(values[i], busy_host), 7);
}

/* SIGXFSZ kills a host that exceeds its file size limit; the trace must not cause that. */
static int size_limited_host(void)
{
	struct rlimit limit = { 1000, 1000 };

	setrlimit(RLIMIT_FSIZE, &limit);
	return busy_host();
}

static void host_survives_file_size_limit(void **state)
{
	(void)state;
	unlink(target);
	assert_int_equal(run_host(target, size_limited_host), 7);
	assert_int_equal(count_in(target, "\"event\":\"version\""), 1);
	assert_int_equal(count_in(target, "\"event\":\"atexit\""), 0);
}

static int quiet_host(void)
{
	int fd = open(target, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	dup2(fd, STDERR_FILENO);
	return busy_host();
}

static void prints_warnings_only_with_debug_setting(void **state)
{
	(void)state;
	assert_int_equal(run_host("yes", quiet_host), 7);
	assert_int_equal(count_in(target, "warning"), 0);
	setenv("GIT_TRACE2_DST_DEBUG", "1", 1);
	assert_int_equal(run_host("yes", quiet_host), 7);
	assert_int_equal(count_in(target, "warning: trace2: unknown value for 'GIT_TRACE2_EVENT': "
					  "'yes'\n"),
			 1);
	assert_int_equal(run_host("/dev/full", quiet_host), 7);
	assert_int_equal(count_in(target, "warning: unable to write trace to 'GIT_TRACE2_EVENT': "
					  "No space left on device\n"),
			 1);
	unsetenv("GIT_TRACE2_DST_DEBUG");
}

static void host_survives_bad_configuration(void **state)
{
	char config[PATH_MAX];
	FILE *f;

	(void)state;
	snprintf(config, sizeof(config), "%s/config", dir);
	f = fopen(config, "w");
	fprintf(f, "[trace2]\n\teventTarget = %s\n\teventBrief = true\n[broken\n", target);
	fclose(f);
	unlink(target);
	setenv("GIT_CONFIG_GLOBAL", config, 1);
	assert_int_equal(run_host("", busy_host), 7);
	assert_int_equal(count_in(target, "\"event\":\"atexit\""), 1);
	assert_int_equal(count_in(target, "\"file\""), 0);
	setenv("GIT_TRACE2_REDACT", "maybe", 1);
	assert_int_equal(run_host("0", busy_host), 7);
	assert_int_equal(run_host("", busy_host), 7);
	unsetenv("GIT_TRACE2_REDACT");
	setenv("GIT_CONFIG_GLOBAL", "", 1);
}

static int listening;

static int listen_at(const char *path, int type)
{
	struct sockaddr_un sa = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	unlink(path);
	snprintf(sa.sun_path, sizeof(sa.sun_path), "%s", path);
	assert_int_equal(bind(fd, (struct sockaddr *)&sa, sizeof(sa)), 0);
	if (type == SOCK_STREAM)
		assert_int_equal(listen(fd, 5), 0);
	return fd;
}

static int deserted_host(void)
{
	trace2_initialize();
	trace2_printf("one");
	shutdown(accept(listening, NULL, NULL), SHUT_RDWR);
	shutdown(listening, SHUT_RDWR); /* shutdown() also affects the parent's copy */
	return busy_host();
}

static void host_survives_closed_receiver(void **state)
{
	char path[PATH_MAX], value[PATH_MAX + 16];

	(void)state;
	snprintf(path, sizeof(path), "%s/sock", dir);
	for (int i = 0; i < 3; i++) {
		static const char *const forms[] = { "af_unix:", "af_unix:stream:",
						     "af_unix:dgram:" };

		listening = listen_at(path, i == 2 ? SOCK_DGRAM : SOCK_STREAM);
		snprintf(value, sizeof(value), "%s%s", forms[i], path);
		assert_int_equal(run_host(value, deserted_host), 7);
		close(listening);
	}
	unlink(path);
}

static void sends_one_event_per_datagram(void **state)
{
	char path[PATH_MAX], value[PATH_MAX + 16], text[4096];
	int fd, nr = 0;
	ssize_t n;

	(void)state;
	snprintf(path, sizeof(path), "%s/dgram", dir);
	/* the value has no socket type, so libtrace2 detects it */
	snprintf(value, sizeof(value), "af_unix:%s", path);
	fd = listen_at(path, SOCK_DGRAM);
	if (!fork()) {
		setenv("GIT_TRACE2_EVENT", value, 1);
		trace2_initialize();
		exit(trace2_cmd_exit(0));
	}
	while (nr < 3 && (n = recv(fd, text, sizeof(text), 0)) > 0) {
		assert_int_equal(text[n - 1], '\n');
		nr++;
	}
	wait(NULL);
	assert_int_equal(nr, 3);
	close(fd);
	unlink(path);
}

static int broken_pipe_host(void)
{
	int ends[2];

	if (pipe(ends))
		return 98;
	dup2(ends[1], 5);
	close(ends[1]);
	trace2_initialize();
	close(ends[0]);
	return busy_host();
}

static void survives_broken_pipe(void **state)
{
	(void)state;
	assert_int_equal(run_host("5", broken_pipe_host), 7);
}

static int descriptor_host(void)
{
	int low = open("/dev/null", O_RDONLY), ours = -1;
	struct stat want, got;

	close(low);
	trace2_initialize();
	if (open("/dev/null", O_RDONLY) != low)
		return 1; /* libtrace2 must use a high descriptor number */
	if (stat(target, &want))
		return 2;
	for (int fd = 3; fd < 1024; fd++)
		if (!fstat(fd, &got) && got.st_ino == want.st_ino)
			ours = fd;
	if (ours < 64)
		return 3;
	return fcntl(ours, F_GETFD) & FD_CLOEXEC ? 0 : 4;
}

static void uses_high_descriptor_numbers(void **state)
{
	(void)state;
	assert_int_equal(run_host(target, descriptor_host), 0);
}

static int removed_dir_host(void)
{
	char command[PATH_MAX];

	trace2_initialize();
	snprintf(command, sizeof(command), "rm -rf %s/sub", dir);
	return system(command) ? 97 : busy_host();
}

static int full_host(void)
{
	setenv("GIT_TRACE2", getenv("GIT_TRACE2_EVENT"), 1);
	setenv("GIT_TRACE2_PERF", getenv("GIT_TRACE2_EVENT"), 1);
	return busy_host();
}

static int capture_int(const char *command)
{
	FILE *f = popen(command, "r");
	int n = -1;

	if (fscanf(f, "%d", &n) != 1)
		n = -1;
	pclose(f);
	return n;
}

static void creates_one_file_per_process(void **state)
{
	char sub[256], command[512];

	(void)state;
	snprintf(sub, sizeof(sub), "%s/sub", dir);
	mkdir(sub, 0700);
	assert_int_equal(run_host(sub, full_host), 7);
	snprintf(command, sizeof(command), "ls %s | wc -l", sub);
	assert_int_equal(capture_int(command), 3);
	snprintf(command, sizeof(command), "grep -l 'event.:.version' %s/*.2 | wc -l", sub);
	assert_int_equal(capture_int(command), 1);
	/* "." and ".." count for GIT_TRACE2_MAX_FILES: one more file is created, then the
	 * sentinel, then nothing. */
	setenv("GIT_TRACE2_MAX_FILES", "6", 1);
	snprintf(command, sizeof(command), "ls %s | wc -l", sub);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(run_host(sub, busy_host), 7);
		assert_int_equal(capture_int(command), i == 0 ? 4 : 5);
	}
	snprintf(command, sizeof(command), "%s/git-trace2-discard", sub);
	assert_int_equal(count_in(command, "\"event\":\"too_many_files\""), 1);
	unsetenv("GIT_TRACE2_MAX_FILES");
	assert_int_equal(run_host(sub, removed_dir_host), 7);
}

static void *emit_worker_lines(void *data)
{
	(void)data;
	trace2_thread_start("w");
	for (int i = 0; i < NR_PER_THREAD; i++) {
		trace2_region_enter_printf("t", "r", NULL, "%d", i);
		trace2_counter_add(0, 1);
		trace2_timer_start(0);
		trace2_data_string("t", NULL, "k", "v\"\\\n");
		trace2_timer_stop(0);
		trace2_region_leave("t", "r", NULL);
	}
	trace2_thread_exit();
	return NULL;
}

static void *idle_worker(void *data)
{
	(void)data;
	trace2_printf("who am I");
	return NULL;
}

static int threaded_host(void)
{
	pthread_t threads[NR_THREADS + 1];

	trace2_counter_declare("t", "c", 0);
	trace2_timer_declare("t", "t", 1);
	trace2_initialize();
	for (int i = 0; i < NR_THREADS; i++)
		pthread_create(&threads[i], NULL, emit_worker_lines, NULL);
	pthread_create(&threads[NR_THREADS], NULL, idle_worker, NULL);
	for (int i = 0; i <= NR_THREADS; i++)
		pthread_join(threads[i], NULL);
	return 0;
}

static void threads_write_complete_lines(void **state)
{
	char text[128];

	(void)state;
	unlink(target);
	assert_int_equal(run_host(target, threaded_host), 0);
	assert_whole_lines(target, false);
	assert_int_equal(count_in(target, "\"event\":\"thread_exit\""), NR_THREADS);
	assert_int_equal(count_in(target, "\"event\":\"data\""), NR_THREADS * NR_PER_THREAD);
	assert_int_equal(count_in(target, "\"event\":\"th_timer\""), NR_THREADS);
	assert_int_equal(count_in(target, ":unknown\""), 1);
	snprintf(text, sizeof(text), "\"name\":\"c\",\"count\":%d}", NR_THREADS * NR_PER_THREAD);
	assert_int_equal(count_in(target, text), 1);
	snprintf(text, sizeof(text), "\"name\":\"t\",\"intervals\":%d,",
		 NR_THREADS * NR_PER_THREAD);
	assert_int_equal(count_in(target, text), 1);
}

static int killed_host(void)
{
	pthread_t thread;

	trace2_initialize();
	pthread_create(&thread, NULL, emit_worker_lines, NULL);
	for (int i = 0; i < 300; i++)
		trace2_printf("%d", i);
	return raise(SIGKILL);
}

static void killed_host_leaves_complete_lines(void **state)
{
	(void)state;
	unlink(target);
	assert_int_equal(run_host(target, killed_host), 128 + SIGKILL);
	assert_whole_lines(target, true);
	assert_int_equal(count_in(target, "\"event\":\"printf\""), 300);
	assert_int_equal(count_in(target, "atexit"), 0);
}

static int simple_forking_host(void)
{
	pid_t pid;
	int status;

	trace2_initialize();
	trace2_region_enter("a", "a", NULL);
	pid = fork();
	if (!pid) {
		trace2_printf("in the child");
		exit(trace2_cmd_exit(3));
	}
	waitpid(pid, &status, 0);
	trace2_region_leave("a", "a", NULL);
	return trace2_cmd_exit(WEXITSTATUS(status));
}

static int forking_host_with_sid(void)
{
	trace2_set_fork_sid(1);
	return simple_forking_host();
}

static void forked_child_continues_as_in_git(void **state)
{
	struct tr2_buf text;
	char sid[128];

	(void)state;
	unlink(target);
	assert_int_equal(run_host(target, simple_forking_host), 3);
	assert_int_equal(count_in(target, "\"event\":\"version\""), 1);
	assert_int_equal(count_in(target, "\"event\":\"atexit\""), 2);
	unlink(target);
	assert_int_equal(run_host(target, forking_host_with_sid), 3);
	assert_int_equal(count_in(target, "\"event\":\"version\""), 2);
	slurp(&text, target);
	assert_int_equal(sscanf(strstr(text.data, "\"sid\":\""), "\"sid\":\"%100[^\"]", sid), 1);
	strcat(sid, "/");
	assert_int_equal(count(text.data, sid), 4); /* the events version, printf, exit, atexit */
	tr2_buf_release(&text);
}

static int sigpipe_host(void)
{
	trace2_initialize();
	raise(SIGPIPE);
	return 0;
}

static void on_pipe(int signo)
{
	(void)signo;
}

static int own_sigpipe_host(void)
{
	signal(SIGPIPE, on_pipe);
	return sigpipe_host();
}

static void handles_sigpipe_only_if_unhandled(void **state)
{
	(void)state;
	unlink(target);
	assert_int_equal(run_host(target, sigpipe_host), 128 + SIGPIPE);
	assert_int_equal(count_in(target, "\"signo\":13}"), 1);
	unlink(target);
	assert_int_equal(run_host(target, own_sigpipe_host), 0);
	assert_int_equal(count_in(target, "signo"), 0);
	assert_int_equal(count_in(target, "\"event\":\"atexit\""), 1);
}

static int nr_bugs;

static void on_bug(const char *message)
{
	if (!strncmp(message, "no open regions", 15))
		nr_bugs++;
}

static int misusing_host(void)
{
	trace2_set_bug_handler(on_bug);
	trace2_initialize();
	trace2_region_leave("c", "l", NULL);
	trace2_region_leave("c", "l", NULL);
	trace2_region_leave("c", "l", NULL);
	trace2_timer_stop(42);
	trace2_counter_add(-1, 1);
	return nr_bugs;
}

static void reports_misuse(void **state)
{
	(void)state;
	unlink(target);
	assert_int_equal(run_host(target, misusing_host), 2);
	assert_int_equal(count_in(target, "\"event\":\"error\""), 4);
}

static int null_host(void)
{
	const char *nothing[] = { NULL };

	trace2_initialize();
	trace2_cmd_start(NULL);
	trace2_cmd_start(nothing);
	trace2_cmd_name(NULL);
	trace2_cmd_mode(NULL);
	trace2_cmd_path(NULL);
	trace2_cmd_alias(NULL, NULL);
	trace2_cmd_ancestry(NULL);
	trace2_cmd_set_config(NULL, NULL);
	trace2_def_param(NULL, NULL);
	trace2_def_repo(NULL);
	trace2_child_start(NULL);
	trace2_child_ready(NULL, NULL);
	trace2_child_exit(NULL, 3);
	trace2_exec(NULL, NULL);
	trace2_thread_start(NULL);
	trace2_thread_exit();
	trace2_region_enter(NULL, NULL, NULL);
	trace2_data_string(NULL, NULL, NULL, NULL);
	trace2_data_intmax(NULL, NULL, NULL, 1);
	trace2_data_json(NULL, NULL, NULL, NULL);
	trace2_region_leave(NULL, NULL, NULL);
	trace2_timer_declare(NULL, NULL, 1);
	return trace2_cmd_exit(3);
}

static void accepts_null_everywhere(void **state)
{
	(void)state;
	unlink(target);
	assert_int_equal(run_host(target, null_host), 3);
	assert_whole_lines(target, false);
	assert_int_equal(count_in(target, "\"event\":\"child_"), 3);
	assert_int_equal(count_in(target, "\"pid\":-1"), 2);
	assert_int_equal(count_in(target, "\"event\":\"data_json\""), 1);
}

struct host_child {
	int number;
	uint64_t since;
};

static void read_host_child(struct child_process *cmd, void *sink)
{
	struct host_child *child = (struct host_child *)(void *)cmd;
	static const char *const argv[] = { "x", "https://u:secret@h/", NULL };

	trace2_child_fields(sink, &child->number, &child->since, 77, "mine", NULL, NULL, 0, 0,
			    argv);
}

static int own_types_host(void)
{
	struct host_child child = { -1, 0 };
	struct repository repo = { "/w", 0 };
	struct key_value_info kvi = { TRACE2_SCOPE_LOCAL };

	trace2_set_child_reader(read_host_child);
	trace2_set_prefix("GIT_TRACE2");
	trace2_initialize();
	trace2_child_start((struct child_process *)(void *)&child);
	trace2_child_exit((struct child_process *)(void *)&child, 5);
	trace2_def_repo(&repo);
	trace2_def_repo(&repo);
	trace2_def_param("p", "v");
	trace2_def_param("p", "v", &kvi);
	return child.number == 0 && child.since && repo.trace2_repo_id == 1 ? 0 : 1;
}

static void reads_structures_of_hosts(void **state)
{
	(void)state;
	unlink(target);
	assert_int_equal(run_host(target, own_types_host), 0);
	assert_int_equal(count_in(target, "\"child_class\":\"mine\",\"use_shell\":false,"
					  "\"argv\":[\"x\",\"https://u:<REDACTED>@h/\"]"),
			 1);
	assert_int_equal(count_in(target, "\"pid\":77,\"code\":5"), 1);
	assert_int_equal(count_in(target, "\"event\":\"def_repo\""), 1);
	assert_int_equal(count_in(target, "\"scope\":\"unknown\",\"param\":\"p\""), 1);
	assert_int_equal(count_in(target, "\"scope\":\"local\",\"param\":\"p\""), 1);
}

static void computes_sha1(void **state)
{
	static const uint8_t abc[4] = { 0xa9, 0x99, 0x3e, 0x36 };
	static const uint8_t empty[4] = { 0xda, 0x39, 0xa3, 0xee };
	static const uint8_t million[4] = { 0x34, 0xaa, 0x97, 0x3c };
	uint8_t digest[20];
	char *a = malloc(1000000);

	(void)state;
	tr2_sha1("abc", 3, digest);
	assert_memory_equal(digest, abc, 4);
	tr2_sha1("", 0, digest);
	assert_memory_equal(digest, empty, 4);
	memset(a, 'a', 1000000);
	tr2_sha1(a, 1000000, digest);
	assert_memory_equal(digest, million, 4);
	free(a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errno_is_preserved_by_calls_that_read_files),
		cmocka_unit_test(host_survives_failing_destination),
		cmocka_unit_test(host_survives_file_size_limit),
		cmocka_unit_test(prints_warnings_only_with_debug_setting),
		cmocka_unit_test(host_survives_bad_configuration),
		cmocka_unit_test(host_survives_closed_receiver),
		cmocka_unit_test(sends_one_event_per_datagram),
		cmocka_unit_test(survives_broken_pipe),
		cmocka_unit_test(uses_high_descriptor_numbers),
		cmocka_unit_test(creates_one_file_per_process),
		cmocka_unit_test(threads_write_complete_lines),
		cmocka_unit_test(killed_host_leaves_complete_lines),
		cmocka_unit_test(forked_child_continues_as_in_git),
		cmocka_unit_test(handles_sigpipe_only_if_unhandled),
		cmocka_unit_test(reports_misuse),
		cmocka_unit_test(accepts_null_everywhere),
		cmocka_unit_test(reads_structures_of_hosts),
		cmocka_unit_test(computes_sha1),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
