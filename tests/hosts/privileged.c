/* SPDX-License-Identifier: MIT */
/*
 * Test host that has more privileges than its caller (setuid, setgid, file capabilities). The
 * caller's variables, home directory and repository must not decide what the host writes, reads or
 * discloses. Needs root.
 */
#include "config.h"
#include "tests/hosts/host.h"

#include <errno.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/xattr.h>

#define NOBODY 65534

static int victim(void)
{
	trace2_set_ring(16384);
	trace2_initialize();
	trace2_cmd_name("victim");
	trace2_data_string("c", NULL, "k", "v");
	printf("%s\n", (trace2_session_id)());
	return trace2_cmd_exit(0);
}

enum means { NOTHING, SETUID, SETGID, CAPABILITY, NR_MEANS };

/* The portable build detects set-user-ID and set-group-ID programs only. */
#ifdef TR2_PORTABLE
#define NR_TESTED CAPABILITY
#else
#define NR_TESTED NR_MEANS
#endif

static const char *const means_names[NR_MEANS] = { "nothing", "setuid", "setgid", "capability" };

static void raise_rights(enum means means)
{
	if (means == SETUID)
		CHECK(!setresuid(NOBODY, 0, 0), "setresuid: %m");
	else if (means == SETGID)
		CHECK(!setresgid(NOBODY, 0, 0), "setresgid: %m");
	else if (means == CAPABILITY)
		CHECK(!setresgid(NOBODY, NOBODY, NOBODY) && !setresuid(NOBODY, NOBODY, NOBODY),
		      "setresuid: %m");
}

static bool make_capable(const char *path)
{
	struct vfs_cap_data cap = {
		.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE,
		.data[0].permitted = 1u << CAP_NET_RAW,
	};
	char command[2 * PATH_MAX];

	snprintf(command, sizeof(command), "cp /proc/%d/exe '%s' && chmod 755 '%s'", (int)getpid(),
		 path, path);
	return !system(command) && !setxattr(path, "security.capability", &cap, sizeof(cap), 0);
}

/* Run this program as a victim that is privileged by `means`, with `variables` ("NAME=VALUE",
 * NULL-terminated). Returns the victim's output, which the caller frees. */
static char *run_victim(enum means means, const char *const *variables)
{
	char out[PATH_MAX], exe[PATH_MAX] = "/proc/self/exe";
	int status;
	pid_t pid;

	snprintf(out, sizeof(out), "%s", host_path("out"));
	if (means == CAPABILITY)
		snprintf(exe, sizeof(exe), "%s", host_path("capable"));
	pid = fork();
	CHECK(pid >= 0, "fork: %m");
	if (!pid) {
		int fd = open(out, O_WRONLY | O_CREAT | O_TRUNC, 0666);

		for (; *variables; variables++)
			putenv((char *)(uintptr_t)*variables);
		dup2(fd, 1);
		dup2(fd, 2);
		raise_rights(means);
		execl(exe, "victim", "victim", NULL);
		_exit(99);
	}
	CHECK(waitpid(pid, &status, 0) == pid, "waitpid: %m");
	CHECK(!status, "the victim, by %s: wait status %x", means_names[means], (unsigned)status);
	return host_read(out);
}

/* The returned text stays valid during the next three calls of this function. */
static const char *format_variable(const char *fmt, const char *path)
{
	static char texts[4][2 * PATH_MAX];
	static unsigned at;
	char *out = texts[at++ % 4];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(out, 2 * PATH_MAX, fmt, path);
#pragma GCC diagnostic pop
	return out;
}

static char loot[PATH_MAX];

static void loot_empty(void)
{
	host_write(loot, "");
	chmod(loot, 0666);
}

/*
 * Try one way to control the program. It must affect an unprivileged program and no privileged one.
 */
static void attempt_control(const char *what, const char *const *variables)
{
	for (enum means means = NOTHING; means < NR_TESTED; means++) {
		char *said, *got;

		if (means == CAPABILITY && access(host_path("capable"), X_OK))
			continue;
		loot_empty();
		said = run_victim(means, variables);
		got = host_read(loot);
		if (means == NOTHING)
			CHECK(*got || strstr(said, "victim"), "%s has no effect", what);
		else
			CHECK(!*got && !strstr(said, "victim") && !strstr(said, "evil"),
			      "%s affects %s: %s%s", what, means_names[means], said, got);
		free(said);
		free(got);
	}
}

static void attempt_all_controls(void)
{
	const char *home = format_variable("HOME=%s", host_dir);
	const char *to_loot[] = { "GIT_TRACE2", "GIT_TRACE2_PERF", "GIT_TRACE2_EVENT" };

	for (size_t i = 0; i < 3; i++) {
		char variable[PATH_MAX + 64];

		snprintf(variable, sizeof(variable), "%s=%s", to_loot[i], loot);
		attempt_control(to_loot[i], (const char *[]){ variable, NULL });
	}
	attempt_control("standard error",
			(const char *[]){ "GIT_TRACE2=1", "GIT_TRACE2_CONFIG_PARAMS=*", NULL });
	attempt_control("HOME", (const char *[]){ home, NULL });
	attempt_control(
		"XDG_CONFIG_HOME",
		(const char *[]){ format_variable("XDG_CONFIG_HOME=%s/xdg", host_dir), NULL });
	attempt_control(
		"GIT_CONFIG_GLOBAL",
		(const char *[]){ format_variable("GIT_CONFIG_GLOBAL=%s/.gitconfig", host_dir),
				  NULL });
	attempt_control(
		"GIT_CONFIG_SYSTEM",
		(const char *[]){ format_variable("GIT_CONFIG_SYSTEM=%s/.gitconfig", host_dir),
				  NULL });
}

static void session_id_is_its_own(void)
{
	const char *const evil[] = { "GIT_TRACE2_PARENT_SID=evil", NULL };

	for (enum means means = NOTHING; means < NR_TESTED; means++) {
		char *said;

		if (means == CAPABILITY && access(host_path("capable"), X_OK))
			continue;
		said = run_victim(means, evil);
		CHECK(!strncmp(said, "evil/", 5) == (means == NOTHING), "%s, session id: %s",
		      means_names[means], said);
		free(said);
	}
}

/* The administrator's settings count, and the caller of a privileged program cannot add any. Runs
 * in a mount namespace with an /etc of its own. */
static void system_configuration_counts(void)
{
	char text[4 * PATH_MAX];
	char *said, *got;

	if (unshare(CLONE_NEWNS) || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL)) {
		printf("left out: /etc/gitconfig, since mounts are not ours: %s\n",
		       strerror(errno));
		return;
	}
	mkdir(host_path("etc"), 0755);
	snprintf(text, sizeof(text),
		 "[trace2]\n\teventTarget = %s\n\tconfigParams = who.*\n[who]\n\tsystem = yes\n"
		 "[include]\n\tpath = ~/.gitconfig\n",
		 loot);
	host_write(host_path("etc/gitconfig"), text);
	snprintf(text, sizeof(text),
		 "cp /etc/ld.so.* '%s'/etc/ 2>/dev/null; mkdir -p '%s'/repo && "
		 "cd '%s'/repo && mkdir -p .git/objects .git/refs && "
		 "echo 'ref: refs/heads/main' >.git/HEAD && "
		 "printf '[core]\\n\\trepositoryformatversion = 0\\n[who]\\n\\tcaller = yes\\n' "
		 ">.git/config",
		 host_dir, host_dir, host_dir);
	CHECK(!system(text), "%s", text);
	host_write(host_path(".gitconfig"), "[who]\n\thome = yes\n");
	if (mount(host_path("etc"), "/etc", NULL, MS_BIND, NULL)) {
		printf("left out: /etc/gitconfig, since it cannot be mounted: %s\n",
		       strerror(errno));
		return;
	}
	CHECK(!chdir(host_path("repo")), "chdir: %m");
	for (enum means means = NOTHING; means < CAPABILITY; means++) {
		loot_empty();
		said = run_victim(
			means,
			(const char *[]){ format_variable("HOME=%s", host_dir),
					  "GIT_TRACE2_PARENT_SID=evil", "GIT_CONFIG_NOSYSTEM=0",
					  "GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=who.env",
					  "GIT_CONFIG_VALUE_0=yes",
					  "GIT_CONFIG_PARAMETERS='who.param'='yes'", NULL });
		got = host_read(loot);
		CHECK(strstr(got, "who.system"), "%s: /etc/gitconfig does not count: %s",
		      means_names[means], got);
		for (size_t i = 0; i < 5; i++) {
			static const char *const callers[] = {
				"who.caller", "who.home", "who.env", "who.param", "evil",
			};

			CHECK(!strstr(got, callers[i]) == (means != NOTHING), "%s: %s: %s",
			      means_names[means], callers[i], got);
		}
		free(said);
		free(got);
	}
}

/*
 * A privileged program writes lines, not ring files, even if the program and a variable request
 * rings. Uses the /etc of system_configuration_counts().
 */
static void rings_are_off(void)
{
	char text[2 * PATH_MAX], command[2 * PATH_MAX];

	if (access("/etc/ld.so.cache", R_OK) || !access("/etc/passwd", F_OK))
		return; /* the machine's /etc */
	snprintf(text, sizeof(text), "[trace2]\n\teventTarget = %s\n", host_path("rings"));
	host_write("/etc/gitconfig", text);
#ifdef TR2_PORTABLE /* the portable build never writes rings */
	return;
#endif
	for (enum means means = NOTHING; means < CAPABILITY; means++) {
		CHECK(!mkdir(host_path("rings"), 0700), "mkdir: %m");
		free(run_victim(means, (const char *[]){ "GIT_TRACE2_EVENT_RING=16k", NULL }));
		snprintf(command, sizeof(command), "cat '%s'/* | head -c 8 | grep -q %s",
			 host_path("rings"), means == NOTHING ? "TR2RING1" : "event");
		CHECK(!system(command), "%s: %s", means_names[means],
		      means == NOTHING ? "no rings" : "rings");
		snprintf(command, sizeof(command), "rm -r '%s'", host_path("rings"));
		CHECK(!system(command), "%s", command);
	}
}

int main(int argc, char **argv)
{
	char config[PATH_MAX + 64];

	(void)argv;
	if (argc > 1)
		return victim();
	if (geteuid() || getuid())
		host_skip("raising privileges needs root");
	host_begin();
	snprintf(loot, sizeof(loot), "%s", host_path("loot"));
	snprintf(config, sizeof(config), "[trace2]\n\teventTarget = %s\n", loot);
	host_write(host_path(".gitconfig"), config);
	CHECK(!mkdir(host_path("xdg"), 0755) && !mkdir(host_path("xdg/git"), 0755), "mkdir: %m");
	host_write(host_path("xdg/git/config"), config);
	if (!make_capable(host_path("capable"))) {
		printf("left out: a file with capabilities: %s\n", strerror(errno));
		unlink(host_path("capable"));
	}
	attempt_all_controls();
	session_id_is_its_own();
	system_configuration_counts();
	rings_are_off();
	return host_end();
}
