/* SPDX-License-Identifier: MIT */
/*
 * Measures whether traced programs wait for the monitor, in several of its states.
 *
 * Loops of Git commands traced into the monitor, alternating with the same loop traced into a file:
 * the median ratio of NR_PAIRS pairs and its 95 % bootstrap interval. Two loops that are both
 * traced into a file show the noise of the machine.
 *
 * A non-blocking writer sends an event every GAP_NS and counts EAGAIN, which means that it would
 * have blocked. NR_RUNS runs, each with a new monitor. `only a reader` is a process that only
 * reads: EAGAIN is unavoidable if the reader loses its processor for too long.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "bench/bench.h"

#define NR_PAIRS     101
#define NR_COMMANDS  4
#define NR_RESAMPLES 2000
#define NR_EVENTS    40000
#define NR_RUNS      10
#define GAP_NS       7500

enum state {
	RUNNING,
	PAUSED,
	LOOKING_BACK,
	STOPPED,
	REPORTING,
	TEEING,
	RECORDING,
	BARE,
	NR_STATES
};

static const char *const state_names[NR_STATES] = {
	[RUNNING] = "running",
	[PAUSED] = "paused",
	[LOOKING_BACK] = "in the past",
	[STOPPED] = "flow-stopped",
	[REPORTING] = "writing a report",
	[TEEING] = "tee, not reading",
	[RECORDING] = "recording",
	[BARE] = "only a reader",
};

static char scratch[64] = "/tmp/nowait-XXXXXX", program[4096];

static double wall_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e9 + (double)ts.tv_nsec;
}

static void fatal(const char *what)
{
	fprintf(stderr, "bench_nowait: %s: %s\n", what, strerror(errno));
	exit(1);
}

struct monitor {
	enum state state;
	pid_t pid, drainer;
	int pty;
	char paths[2][128]; /* stream, dgram */
	int collector;      /* listening socket of a tee's collector; -1: none */
	char tee[160];
};

static int connect_writer(const char *path, int type)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, type | SOCK_CLOEXEC, 0);

	strncpy(addr.sun_path, path, sizeof(addr.sun_path) - 1);
	if (fd >= 0 && !connect(fd, (struct sockaddr *)&addr, sizeof(addr)))
		return fd;
	close(fd);
	return -1;
}

static void monitor_exec(const struct monitor *m)
{
	char specs[2][160];

	snprintf(specs[0], sizeof(specs[0]), "af_unix:stream:%s", m->paths[0]);
	snprintf(specs[1], sizeof(specs[1]), "af_unix:dgram:%s", m->paths[1]);
	setsid();
	setenv("TERM", "xterm-256color", 1);
	if (chdir(scratch))
		_exit(1);
	if (m->state == TEEING)
		execl(program, "trace2top", m->tee, specs[0], specs[1], (char *)NULL);
	if (m->state == RECORDING)
		execl(program, "trace2top", "--record=recording", specs[0], specs[1], (char *)NULL);
	execl(program, "trace2top", specs[0], specs[1], (char *)NULL);
	_exit(127);
}

static void collector_open(struct monitor *m)
{
	struct sockaddr_un addr = { .sun_family = AF_UNIX };

	snprintf(addr.sun_path, sizeof(addr.sun_path), "%s/collector", scratch);
	snprintf(m->tee, sizeof(m->tee), "--tee=af_unix:stream:%s", addr.sun_path);
	unlink(addr.sun_path);
	m->collector = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (bind(m->collector, (struct sockaddr *)&addr, sizeof(addr)) || listen(m->collector, 128))
		fatal("cannot create a collector");
}

static void bare_run(const struct monitor *m)
{
	static char buf[1 << 18];
	struct pollfd fds[3];

	for (int i = 0; i < 2; i++) {
		struct sockaddr_un addr = { .sun_family = AF_UNIX };

		fds[i].events = POLLIN;
		fds[i].fd = socket(AF_UNIX, i ? SOCK_DGRAM : SOCK_STREAM, 0);
		strncpy(addr.sun_path, m->paths[i], sizeof(addr.sun_path) - 1);
		if (bind(fds[i].fd, (struct sockaddr *)&addr, sizeof(addr)) ||
		    (!i && listen(fds[i].fd, 5)))
			_exit(1);
	}
	fds[2] = (struct pollfd){ .fd = -1, .events = POLLIN };
	while (poll(fds, 3, -1) > 0) {
		if (fds[0].revents)
			fds[2].fd = accept(fds[0].fd, NULL, NULL);
		if (fds[1].revents)
			while (recv(fds[1].fd, buf, sizeof(buf), MSG_DONTWAIT) > 0)
				;
		if (fds[2].revents && read(fds[2].fd, buf, sizeof(buf)) <= 0)
			fds[2].fd = -1;
	}
	_exit(0);
}

/* Start a process that reads the terminal; return its pid. */
static pid_t drain_terminal(int pty)
{
	char buf[65536];
	pid_t pid = fork();

	if (pid)
		return pid;
	while (read(pty, buf, sizeof(buf)) > 0)
		;
	_exit(0);
}

static void send_key(const struct monitor *m, char c)
{
	if (write(m->pty, &c, 1) != 1)
		fatal("cannot send a key");
}

/* Press a key that keeps the monitor busy if it writes reports or looks back. */
static void provoke(const struct monitor *m, unsigned i)
{
	if (m && m->state == REPORTING)
		send_key(m, 'w');
	if (m && m->state == LOOKING_BACK)
		send_key(m, "{[{]"[i % 4]);
}

static void monitor_start(struct monitor *m, enum state state)
{
	struct winsize size = { .ws_col = 120, .ws_row = 40 };
	int fd;

	*m = (struct monitor){ .state = state,
			       .pty = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC),
			       .collector = -1 };
	if (state == TEEING)
		collector_open(m);
	snprintf(m->paths[0], sizeof(m->paths[0]), "%s/stream", scratch);
	snprintf(m->paths[1], sizeof(m->paths[1]), "%s/dgram", scratch);
	if (m->pty < 0 || grantpt(m->pty) || unlockpt(m->pty))
		fatal("cannot create a terminal");
	ioctl(m->pty, TIOCSWINSZ, &size);
	m->pid = fork();
	if (!m->pid && state == BARE)
		bare_run(m);
	if (!m->pid) {
		fd = open(ptsname(m->pty), O_RDWR);
		dup2(fd, 0);
		dup2(fd, 1);
		setsid();
		ioctl(fd, TIOCSCTTY, 0);
		monitor_exec(m);
	}
	/* The first output of the monitor shows that it draws. */
	if (state != BARE && poll(&(struct pollfd){ .fd = m->pty, .events = POLLIN }, 1, 5000) < 1)
		fatal("the monitor shows nothing");
	if (state != STOPPED)
		m->drainer = drain_terminal(m->pty);
	while ((fd = connect_writer(m->paths[1], SOCK_DGRAM)) < 0)
		if (waitpid(m->pid, NULL, WNOHANG))
			fatal("the monitor did not start");
	close(fd);
	while ((fd = connect_writer(m->paths[0], SOCK_STREAM)) < 0)
		;
	close(fd);
	if (state == PAUSED || state == LOOKING_BACK)
		send_key(m, ' ');
}

static void monitor_stop(struct monitor *m)
{
	kill(m->pid, SIGTERM);
	waitpid(m->pid, NULL, 0);
	if (m->drainer) {
		kill(m->drainer, SIGKILL);
		waitpid(m->drainer, NULL, 0);
	}
	close(m->pty);
	if (m->collector >= 0)
		close(m->collector);
	unlink("recording");
	unlink(m->paths[0]);
	unlink(m->paths[1]);
}

static const char *const commands[NR_COMMANDS][5] = {
	{ "git", "status" },
	{ "git", "log", "--stat", "-p" },
	{ "git", "add", "--renormalize", "." },
	{ "git", "rev-list", "--objects", "--all" },
};

static void repository_make(void)
{
	char script[1000];

	snprintf(script, sizeof(script),
		 "cd %s && git init -q . && git config user.name b && git config user.email "
		 "b@b && "
		 "for c in 1 2 3 4 5; do for f in $(seq 1 80); do echo $c.$f >>file$f; done; "
		 "git add . && git commit -qm $c || exit 1; done",
		 scratch);
	if (system(script))
		fatal("cannot create a repository");
	if (chdir(scratch))
		fatal(scratch);
}

static double git_loop(const char *target)
{
	double begun = wall_ns();

	for (int i = 0; i < NR_COMMANDS; i++) {
		pid_t pid = fork();

		if (!pid) {
			setenv("GIT_TRACE2_EVENT", target, 1);
			if (!freopen("/dev/null", "w", stdout))
				_exit(1);
			execvp("git", (char **)(uintptr_t)commands[i]);
			_exit(127);
		}
		waitpid(pid, NULL, 0);
	}
	return wall_ns() - begun;
}

static double nowait_median(double *v, unsigned nr)
{
	qsort(v, nr, sizeof(*v), bench_compare);
	return v[nr / 2];
}

static void bootstrap_interval(const double *ratios, double *low, double *high)
{
	static double medians[NR_RESAMPLES], sample[NR_PAIRS];

	for (unsigned i = 0; i < NR_RESAMPLES; i++) {
		for (unsigned k = 0; k < NR_PAIRS; k++)
			sample[k] = ratios[(unsigned)random() % NR_PAIRS];
		medians[i] = nowait_median(sample, NR_PAIRS);
	}
	qsort(medians, NR_RESAMPLES, sizeof(*medians), bench_compare);
	*low = medians[NR_RESAMPLES / 40];
	*high = medians[NR_RESAMPLES - NR_RESAMPLES / 40];
}

static void pairs_row(const struct monitor *m, const char *what, const char *target,
		      const char *file)
{
	double ratios[NR_PAIRS], low, high;

	for (unsigned i = 0; i < NR_PAIRS; i++) {
		provoke(m, i);
		double first = git_loop(i & 1 ? target : file);
		double second = git_loop(i & 1 ? file : target);

		ratios[i] = i & 1 ? first / second : second / first;
	}
	bootstrap_interval(ratios, &low, &high);
	printf("%-44s %10.3f            [%.3f .. %.3f] of %d pairs\n", what,
	       nowait_median(ratios, NR_PAIRS), low, high, NR_PAIRS);
	fflush(stdout);
}

struct refusals {
	unsigned nr, nr_stretches;
	unsigned nr_runs; /* number of runs in which any event was refused */
};

static const char event[] =
	"{\"event\":\"region_enter\",\"sid\":\"20261121T101112.131415Z-H00000000-P00000001\","
	"\"thread\":\"main\",\"time\":\"2026-11-21T10:11:12.131415Z\",\"file\":\"a.c\","
	"\"line\":1,\"repo\":1,\"nesting\":1,\"category\":\"c\",\"label\":\"l\"}\n";

static void writer_run(const struct monitor *m, int type, struct refusals *sum)
{
	int fd = connect_writer(m->paths[type == SOCK_DGRAM], type);
	unsigned before = sum->nr;
	bool refused = false;
	double next = wall_ns();

	fcntl(fd, F_SETFL, O_NONBLOCK);
	for (unsigned i = 0; i < NR_EVENTS; i++) {
		bool again;

		if (i % (NR_EVENTS / 20) == 0)
			provoke(m, i / (NR_EVENTS / 20));
		while (wall_ns() < next)
			;
		again = send(fd, event, sizeof(event) - 1, MSG_NOSIGNAL) < 0 && errno == EAGAIN;
		sum->nr += again;
		sum->nr_stretches += again && !refused;
		refused = again;
		next = wall_ns() + GAP_NS;
	}
	close(fd);
	sum->nr_runs += sum->nr != before;
}

static void writer_row(enum state state, int type)
{
	struct refusals sum = { 0 };
	struct monitor m;

	for (int i = 0; i < NR_RUNS; i++) {
		monitor_start(&m, state);
		writer_run(&m, type, &sum);
		monitor_stop(&m);
	}
	printf("EAGAIN, %-12s %-22s %10u            of %d events; in %u intervals, %u of %d "
	       "runs\n",
	       type == SOCK_DGRAM ? "dgram" : "stream", state_names[state], sum.nr,
	       NR_RUNS * NR_EVENTS, sum.nr_stretches, sum.nr_runs, NR_RUNS);
	fflush(stdout);
}

static void loops(const char *file)
{
	char spec[160], name[80];
	struct monitor m;

	pairs_row(NULL, "git loop, file : file", file, file);
	for (enum state state = RUNNING; state < NR_STATES; state++)
		for (int dgram = 0; dgram < 2 && state != REPORTING; dgram++) {
			monitor_start(&m, state);
			snprintf(spec, sizeof(spec), "af_unix:%s:%s", dgram ? "dgram" : "stream",
				 m.paths[dgram]);
			snprintf(name, sizeof(name), "git loop, %s %s : file",
				 dgram ? "dgram" : "stream", state_names[state]);
			pairs_row(&m, name, spec, file);
			monitor_stop(&m);
		}
}

/* Run the writers in the state named `only`; NULL: in all states. */
static void writers(const char *only)
{
	for (enum state state = RUNNING; state < NR_STATES; state++)
		for (int dgram = 0; dgram < 2 && (!only || !strcmp(only, state_names[state]));
		     dgram++)
			writer_row(state, dgram ? SOCK_DGRAM : SOCK_STREAM);
}

/* Arguments: `loops` or `writers` selects one part; the name of a state after `writers` selects
 * that state. */
int main(int argc, char **argv)
{
	const char *build = getenv("BENCH_BUILD"), *only = argc > 1 ? argv[1] : "";
	char file[128], command[256], *top;

	signal(SIGPIPE, SIG_IGN);
	snprintf(command, sizeof(command), "%s/../trace2top", build ? build : "bench");
	top = realpath(command, program);
	if (!top || !mkdtemp(scratch))
		fatal(command);
	snprintf(file, sizeof(file), "%s/trace", scratch);
	repository_make();
	if (!*only || !strcmp(only, "loops"))
		loops(file);
	if (!*only || !strcmp(only, "writers"))
		writers(argc > 2 ? argv[2] : NULL);
	snprintf(command, sizeof(command), "rm -rf %s", scratch);
	return system(command) != 0;
}
