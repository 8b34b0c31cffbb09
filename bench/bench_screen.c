/* SPDX-License-Identifier: MIT */
/*
 * The real program on a terminal of 200x60: time to the first screen with a directory of 100,000
 * finished traces; CPU time while idle; and latency of an event from write(2) to the terminal at
 * 100,000 events per second.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utmp.h>

#include "bench/bench.h"

#define NR_FILES      100000
#define NR_STARTS     5
#define IDLE_S        5
#define LATENCY_S     8
#define TICKS_A_S     1000 /* ticks per second; the writer writes once per tick */
#define EVENTS_A_TICK 100
#define TICKS_A_MARK  3

static const char marks[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";
#define NR_MARKS  (sizeof(marks) - 1)
#define MARK_TEXT 12 /* number of times that a mark repeats its character */

struct bench_screen {
	pid_t pid;
	int fd;
	char last; /* last character of the output, and how many times in succession it came */
	unsigned repeated;
};

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

static bool bench_screen_open(struct bench_screen *s, const char *program, const char *source)
{
	struct winsize size = { .ws_col = 200, .ws_row = 60 };

	*s = (struct bench_screen){ .fd = -1 };
	s->pid = forkpty(&s->fd, NULL, NULL, &size);
	if (s->pid)
		return s->pid > 0;
	setenv("TERM", "xterm-256color", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	execl(program, program, source, (char *)NULL);
	_exit(127);
}

/* Read the next output of the program; wait for it until `until`. Returns its length; 0: none;
 * negative: the program has ended. */
static ssize_t screen_read(struct bench_screen *s, double until, char *buf, size_t size)
{
	struct pollfd poll_fd = { .fd = s->fd, .events = POLLIN };
	double left = until - now_ms();
	struct timespec wait = { .tv_nsec = left > 0 ? (long)(left * 1e6) % 1000000000 : 0,
				 .tv_sec = left > 0 ? (time_t)(left / 1e3) : 0 };
	ssize_t len;

	if (ppoll(&poll_fd, 1, &wait, NULL) <= 0)
		return 0;
	len = read(s->fd, buf, size);
	return len > 0 ? len : -1;
}

static bool screen_pass(struct bench_screen *s, double until)
{
	static char buf[1 << 16];
	ssize_t len = 0;

	while (now_ms() < until && (len = screen_read(s, until, buf, sizeof(buf))) >= 0)
		;
	return len >= 0;
}

static void bench_screen_close(struct bench_screen *s)
{
	kill(s->pid, SIGTERM);
	screen_pass(s, now_ms() + 5000);
	close(s->fd);
	waitpid(s->pid, NULL, 0);
}

static double process_cpu_ms(pid_t pid)
{
	unsigned long user = 0, system = 0;
	char path[64];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	file = fopen(path, "r");
	if (file && fscanf(file, "%*d %*s %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu",
			   &user, &system) != 2)
		user = system = 0;
	if (file)
		fclose(file);
	return (double)(user + system) * 1e3 / (double)sysconf(_SC_CLK_TCK);
}

static void directory_fill(int dir)
{
	for (int i = 0; i < NR_FILES; i++) {
		char name[64], text[1024];
		int fd, len;

		snprintf(name, sizeof(name), "20260102T1228%02d.%06dZ-H6b1a4c2e-P%08x",
			 i / 1000 % 60, i, (unsigned)i);
		len = snprintf(
			text, sizeof(text),
			"{\"event\":\"start\",\"sid\":\"%s\",\"thread\":\"main\","
			"\"time\":\"2026-01-02T12:28:%02d.%06dZ\",\"file\":\"common-main.c\","
			"\"line\":50,\"t_abs\":0.001,\"argv\":[\"git\",\"status\"]}\n"
			"{\"event\":\"exit\",\"sid\":\"%s\",\"thread\":\"main\","
			"\"time\":\"2026-01-02T12:28:%02d.%06dZ\",\"file\":\"git.c\","
			"\"line\":713,\"t_abs\":0.002,\"code\":0}\n",
			name, i / 1000 % 60, i, name, i / 1000 % 60, i);
		fd = openat(dir, name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
		if (fd < 0 || write(fd, text, (size_t)len) != len) {
			perror("bench_screen");
			exit(1);
		}
		close(fd);
	}
}

static void directory_empty(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *ent;

	while (dir && (ent = readdir(dir)))
		unlinkat(dirfd(dir), ent->d_name, 0);
	if (dir)
		closedir(dir);
	rmdir(path);
}

/* Start the program and wait at most 10 s for as much output as a whole screen has. Returns the
 * time in ms; -1 on failure. */
static double first_screen_ms(struct bench_screen *s, const char *program, const char *source)
{
	static char buf[1 << 16];
	double begun = now_ms();
	ssize_t len, all = 0;

	if (!bench_screen_open(s, program, source))
		return -1;
	while (all < 1500 && (len = screen_read(s, begun + 10000, buf, sizeof(buf))) > 0)
		all += len;
	return now_ms() - begun;
}

static void idle(struct bench_screen *s)
{
	double before, cpu = process_cpu_ms(s->pid), begun = now_ms();

	/* Reading is complete if a second uses little CPU time. Wait about a minute at most. */
	do {
		before = cpu;
		screen_pass(s, now_ms() + 1000);
		cpu = process_cpu_ms(s->pid);
	} while (cpu - before > 50 && now_ms() - begun < 60000);
	screen_pass(s, now_ms() + 2000);
	before = process_cpu_ms(s->pid);
	screen_pass(s, now_ms() + IDLE_S * 1000);
	printf("%-44s %10.2f %% of a processor, over %d s\n", "idle with 100,000 finished files",
	       (process_cpu_ms(s->pid) - before) / (IDLE_S * 1000.) * 100, IDLE_S);
}

static void starts_measure(const char *program, const char *source)
{
	struct bench_runs runs = { .nr = 0 };
	struct bench_screen s;

	for (int i = 0; i < NR_STARTS; i++) {
		bench_add(&runs, first_screen_ms(&s, program, source));
		if (i == NR_STARTS - 1)
			idle(&s);
		bench_screen_close(&s);
	}
	bench_row("first screen, directory of 100,000 files", &runs, "ms");
}

struct marker {
	double written_ms[NR_MARKS]; /* time of writing each mark; 0: seen, or not written */
	unsigned next;
	struct bench_runs latencies;
};

static int event_put(char *to, size_t size, unsigned number, unsigned process, const char *event,
		     const char *more)
{
	return snprintf(to, size,
			"{\"event\":\"%s\",\"sid\":\"20260102T122800.000000Z-H6b1a4c2e-P%08x\","
			"\"thread\":\"main\",\"time\":\"2026-01-02T12:28:%02d.%06dZ\","
			"\"file\":\"read-cache.c\",\"line\":2374%s}\n",
			event, process, (int)(number / 1000000 % 60), (int)(number % 1000000),
			more);
}

static void mark_write(char *to, size_t size, char mark, int *len, unsigned number)
{
	char argv[64] = ",\"t_abs\":0.001,\"argv\":[\"";
	size_t at = strlen(argv);

	memset(argv + at, mark, MARK_TEXT);
	memcpy(argv + at + MARK_TEXT, "\"]", 3);
	*len += event_put(to, size, number, 1, "start", argv);
}

static void tick_write(int fd, struct marker *m, unsigned tick)
{
	static const char region[] = ",\"nesting\":1,\"category\":\"index\",\"label\":\"refresh\"";
	static char buf[1 << 16];
	unsigned number = tick * EVENTS_A_TICK;
	int len = 0;

	for (unsigned i = 0; i < EVENTS_A_TICK - 1; i++)
		len += event_put(buf + len, sizeof(buf) - (size_t)len, number + i, 2 + i / 2 % 8,
				 i % 2 ? "region_leave" : "region_enter", region);
	if (tick % TICKS_A_MARK == 0) {
		mark_write(buf + len, sizeof(buf) - (size_t)len, marks[m->next], &len, number);
		m->written_ms[m->next] = now_ms();
		m->next = (m->next + 1) % NR_MARKS;
	}
	for (int at = 0; at < len;) {
		ssize_t n = write(fd, buf + at, (size_t)(len - at));

		if (n < 0 && errno != EINTR)
			exit(1);
		at += n > 0 ? (int)n : 0;
	}
}

/* Note that the mark `which` is on the screen, and with it all that was written before it. */
static void mark_seen(struct marker *m, unsigned which)
{
	double now = now_ms(), written = m->written_ms[which];

	if (!written)
		return;
	for (unsigned i = 0; i < NR_MARKS; i++) {
		unsigned at = (which + NR_MARKS - i) % NR_MARKS;

		if (!m->written_ms[at] || m->written_ms[at] > written)
			break;
		bench_add(&m->latencies, now - m->written_ms[at]);
		m->written_ms[at] = 0;
	}
}

static void output_track_last(struct bench_screen *s, struct marker *m, const char *buf,
			      ssize_t len)
{
	for (ssize_t i = 0; i < len; i++) {
		const char *mark;

		s->repeated = buf[i] == s->last ? s->repeated + 1 : 1;
		s->last = buf[i];
		if (s->repeated == MARK_TEXT && (mark = strchr(marks, buf[i])) && *mark)
			mark_seen(m, (unsigned)(mark - marks));
	}
}

static void latency_measure(const char *program, const char *fifo)
{
	static char buf[1 << 16];
	static struct marker m;
	struct bench_screen s;
	double begun;
	int fd;

	if (!bench_screen_open(&s, program, fifo))
		return;
	fd = open(fifo, O_WRONLY | O_CLOEXEC);
	screen_pass(&s, now_ms() + 500);
	begun = now_ms();
	for (unsigned tick = 0; tick < LATENCY_S * TICKS_A_S; tick++) {
		double due = begun + (tick + 1) * 1e3 / TICKS_A_S;
		ssize_t len;

		tick_write(fd, &m, tick);
		while ((len = screen_read(&s, due, buf, sizeof(buf))) > 0)
			output_track_last(&s, &m, buf, len);
	}
	printf("%-44s %10.0f events/s written\n", "latency",
	       LATENCY_S * TICKS_A_S * EVENTS_A_TICK / (now_ms() - begun) * 1e3);
	bench_row("  from write(2) to the terminal", &m.latencies, "ms");
	if (m.latencies.nr)
		printf("%-44s %10.1f ms  (goal 50)\n", "  99 % of events within",
		       m.latencies.v[m.latencies.nr * 99 / 100]);
	close(fd);
	bench_screen_close(&s);
}

int main(void)
{
	const char *build = getenv("BENCH_BUILD");
	char program[4096], path[] = "/tmp/bench_screen.XXXXXX", fifo[64];
	int dir;

	snprintf(program, sizeof(program), "%s/../trace2top", build ? build : "bench");
	if (access(program, X_OK) || !mkdtemp(path)) {
		fprintf(stderr, "bench_screen: %s: %s\n", program, strerror(errno));
		return 1;
	}
	puts("screen: the real program at 200x60");
	snprintf(fifo, sizeof(fifo), "%s/fifo", path);
	if (!mkfifo(fifo, 0600))
		latency_measure(program, fifo);
	unlink(fifo);
	dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	directory_fill(dir);
	starts_measure(program, path);
	close(dir);
	directory_empty(path);
	return 0;
}
