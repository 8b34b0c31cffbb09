/* SPDX-License-Identifier: MIT */
/*
 * Tests which configuration files are searched for requested parameters: compares the scan of a
 * host with the expected result and with that of `git version`. Each row is a script that
 * ends in both scans. Its repository sets mark.here; the file that it may include sets inc.a.
 *
 * `test_engine_repo scan` runs as the host.
 */
#include "config.h"

#include "tests/traced_host.h"

#include "engine/trace2.h"

/* The repository is a copy: `git init` for each row took most of the time. */
#define MAKE_R                                                                                     \
	"cp -R $HOME/../made/. .; "                                                                \
	"mark() { git config -f r/.git/config \"$@\"; }; own() { git config --global \"$@\"; "     \
	"}; "                                                                                      \
	"foreign() { export GIT_TEST_ASSUME_DIFFERENT_OWNER=1; }; "

struct scan_row {
	const char *script;
	bool mark, inc;
	bool newest; /* the expected result is that of Git 2.55; older versions differ */
};

static const struct scan_row rows[] = {
	{ MAKE_R "cd r; $SCAN", true, false, false },
	{ MAKE_R "cd r/sub; $SCAN", true, false, false },
	{ "echo '[inc]a=1' >inc; $SCAN", false, false, false },

	{ MAKE_R "foreign; cd r; $SCAN", false, false, false },
	{ MAKE_R "own safe.directory '*'; foreign; cd r; $SCAN", true, false, false },
	{ MAKE_R "own safe.directory '*'; own --add safe.directory ''; foreign; cd r; $SCAN", false,
	  false, false },
	{ MAKE_R "own safe.directory \"$HOME/r\"; foreign; cd r/sub; $SCAN", true, false, false },
	{ MAKE_R "own safe.directory '~/r'; foreign; cd r; $SCAN", true, false, false },
	{ MAKE_R "own safe.directory \"$HOME/r/sub\"; foreign; cd r/sub; $SCAN", false, false,
	  false },
	{ MAKE_R "own safe.directory \"$HOME/r/\"; foreign; cd r; $SCAN", true, false, true },
	{ MAKE_R "ln -s r link; own safe.directory \"$HOME/link\"; foreign; cd r; $SCAN", true,
	  false, true },
	{ MAKE_R "own safe.directory \"$HOME/*\"; foreign; cd r; $SCAN", true, false, true },
	{ MAKE_R "own safe.directory \"$HOME/r*\"; foreign; cd r; $SCAN", false, false, false },
	{ MAKE_R "own safe.directory .; foreign; cd r; $SCAN", true, false, true },
	{ MAKE_R "own safe.directory .; foreign; cd r/sub; $SCAN", false, false, true },
	{ MAKE_R "own safe.directory ':(optional)~/r'; foreign; cd r; $SCAN", true, false, true },
	{ MAKE_R "mark safe.directory '*'; foreign; cd r; $SCAN", false, false, false },
	{ MAKE_R "export GIT_CONFIG_PARAMETERS=\"'safe.directory'='*'\"; foreign; cd r; $SCAN",
	  true, false, false },
	{ MAKE_R "foreign; cd r; GIT_DIR=.git $SCAN", true, false, false },

	{ MAKE_R "cd r/.git; $SCAN", true, false, false },
	{ "git init -q --bare b; git -C b config mark.here 1; cd b/refs; $SCAN", true, false,
	  false },
	{ "git init -q --bare b; git -C b config mark.here 1; cd b; "
	  "git config --global safe.bareRepository explicit; $SCAN",
	  false, false, false },
	{ "git init -q --bare b; git -C b config mark.here 1; cd b; "
	  "git config --global safe.bareRepository explicit; GIT_DIR=. $SCAN",
	  true, false, false },
	{ "git init -q --bare b; git -C b config mark.here 1; cd b; "
	  "git config safe.bareRepository explicit; $SCAN",
	  true, false, false },
	{ MAKE_R "own safe.bareRepository explicit; cd r/.git; $SCAN", true, false, true },
	{ MAKE_R "own safe.bareRepository explicit; cd r; $SCAN", true, false, false },

	{ MAKE_R "cd r/sub; GIT_CEILING_DIRECTORIES=$HOME/r $SCAN", false, false, false },
	{ MAKE_R "cd r/sub; GIT_CEILING_DIRECTORIES=$HOME/r/ $SCAN", false, false, false },
	{ MAKE_R "cd r/sub; GIT_CEILING_DIRECTORIES=/a:$HOME/r/sub:$HOME $SCAN", true, false,
	  false },
	{ MAKE_R "cd r; GIT_CEILING_DIRECTORIES=$HOME/r $SCAN", true, false, false },
	{ MAKE_R "ln -s r link; cd r/sub; GIT_CEILING_DIRECTORIES=$HOME/link $SCAN", false, false,
	  false },
	{ MAKE_R "ln -s r link; cd r/sub; GIT_CEILING_DIRECTORIES=:$HOME/link $SCAN", true, false,
	  false },
	{ MAKE_R "cd r/sub; GIT_CEILING_DIRECTORIES=r $SCAN", true, false, false },
	{ MAKE_R "cd r/sub; GIT_CEILING_DIRECTORIES=/ $SCAN", true, false, false },

	{ MAKE_R "mark core.repositoryFormatVersion 99; cd r; $SCAN", false, false, false },
	{ MAKE_R "mark core.repositoryFormatVersion 1; cd r; $SCAN", true, false, false },
	{ MAKE_R "mark core.repositoryFormatVersion 1; mark extensions.x 1; cd r; $SCAN", false,
	  false, false },
	{ MAKE_R "mark extensions.x 1; cd r; $SCAN", true, false, false },
	{ MAKE_R "mark extensions.objectFormat sha1; cd r; $SCAN", false, false, false },
	{ MAKE_R "mark core.repositoryFormatVersion 1; mark extensions.objectFormat sha1; cd r; "
		 "$SCAN",
	  true, false, false },
	{ MAKE_R "mark core.repositoryFormatVersion 1; mark extensions.refStorage files://x; cd r; "
		 "$SCAN",
	  true, false, true },
	{ MAKE_R "mark core.repositoryFormatVersion 1; mark extensions.refStorage files:x; cd r; "
		 "$SCAN",
	  false, false, true },
	{ MAKE_R "mark core.repositoryFormatVersion 1; mark extensions.relativeWorktrees 1; "
		 "mark extensions.submodulePathConfig 1; mark extensions.preciousObjects 1; "
		 "cd r; $SCAN",
	  true, false, true },
	{ MAKE_R "mark --unset core.repositoryFormatVersion; mark extensions.objectFormat sha1; "
		 "cd r; $SCAN",
	  true, false, false },
	{ MAKE_R "mark core.repositoryFormatVersion 99; cd r; GIT_DIR=$HOME/r/.git $SCAN", false,
	  false, false },
	{ MAKE_R "rm r/.git/HEAD; cd r; $SCAN", false, false, false },
	{ MAKE_R "echo x >r/.git/HEAD; cd r; $SCAN", false, false, false },
	{ MAKE_R "echo ref: refs/heads/x >r/.git/HEAD; cd r; $SCAN", true, false, false },
	{ MAKE_R "echo 'gitdir: nowhere' >r/sub/.git; cd r/sub; $SCAN", false, false, false },
	{ MAKE_R "mkdir r/sub/.git; cd r/sub; $SCAN", true, false, false },
	{ MAKE_R "cd r; GIT_DIR= $SCAN", false, false, false },
	{ MAKE_R "cd r; GIT_OBJECT_DIRECTORY=/nowhere $SCAN", false, false, false },
	{ MAKE_R "git init -q s; git -C s config other.key 1; cd r; "
		 "GIT_COMMON_DIR=$HOME/s/.git $SCAN",
	  false, false, false },

	{ MAKE_R "export GIT_CONFIG_PARAMETERS=\"'include.path'='$HOME/inc'\"; cd r; $SCAN", true,
	  true, false },
	{ MAKE_R "export GIT_CONFIG_PARAMETERS=\"'include.path=$HOME/inc'\"; cd r; $SCAN", true,
	  true, false },
	{ MAKE_R "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=Include.Path "
		 "GIT_CONFIG_VALUE_0=$HOME/inc; cd r; $SCAN",
	  true, true, false },
	{ MAKE_R "export GIT_CONFIG_COUNT=1 GIT_CONFIG_KEY_0=includeIf.gitdir:r/.path "
		 "GIT_CONFIG_VALUE_0='~/inc'; cd r; $SCAN",
	  true, true, false },
	{ MAKE_R "export GIT_CONFIG_COUNT=2 GIT_CONFIG_KEY_1=remote.o.url GIT_CONFIG_VALUE_1=h/x "
		 "GIT_CONFIG_KEY_0='includeIf.hasconfig:remote.*.url:h/**.path' "
		 "GIT_CONFIG_VALUE_0='~/inc'; $SCAN",
	  false, true, false },
	{ MAKE_R "own includeIf.gitdir:.path '~/inc'; cd r; $SCAN", true, true, false },
	{ MAKE_R "own includeIf.gitdir:.path '~/inc'; $SCAN", false, false, false },
	{ MAKE_R "own includeIf.gitdir/i:.path '~/inc'; cd r; $SCAN", true, true, false },
	{ MAKE_R "own 'includeIf.gitdir:**.path' '~/inc'; GIT_DIR=$HOME/none $SCAN", false, true,
	  false },
	{ MAKE_R "own 'includeIf.gitdir:none.path' '~/inc'; GIT_DIR=none $SCAN", false, true,
	  false },
	{ MAKE_R "mv r/.git s; echo 'gitdir: ../link' >r/.git; ln -s s link; mark() { :; }; "
		 "own includeIf.gitdir:~/s.path '~/inc'; cd r; $SCAN",
	  true, true, false },
	{ MAKE_R "mv r/.git s; echo 'gitdir: ../link' >r/.git; ln -s s link; "
		 "own includeIf.gitdir:~/link.path '~/inc'; cd r; $SCAN",
	  true, false, false },
	{ MAKE_R "mv r/.git s; echo 'gitdir: ../s' >r/.git; "
		 "own includeIf.gitdir:~/r/.path '~/inc'; cd r; $SCAN",
	  true, false, false },
	{ MAKE_R "ln -s r link; own includeIf.gitdir:~/link/.path '~/inc'; cd link; $SCAN", true,
	  true, false },
	{ MAKE_R "ln -s r link; own includeIf.gitdir:~/link/.path '~/inc'; cd link/sub; $SCAN",
	  true, false, false },
	{ MAKE_R "ln -s $HOME $HOME/home; export HOME=$HOME/home; own includeIf.gitdir:~/r/.path "
		 "'~/inc'; cd r; $SCAN",
	  true, true, false },
	{ "mkdir 'd[a]'; cd 'd[a]'; " MAKE_R "echo '[includeIf \"gitdir:./r/\"]path=inc' >conf; "
	  "export GIT_CONFIG_GLOBAL=$PWD/conf; cd r; $SCAN",
	  true, true, false },
	{ "mkdir da 'd[a]'; cd da; " MAKE_R "cp inc ../d*]; cd ..; "
	  "echo '[includeIf \"gitdir:./r/\"]path=inc' >'d[a]/conf'; "
	  "export GIT_CONFIG_GLOBAL=$PWD/d[a]/conf; cd da/r; $SCAN",
	  true, false, false },
	{ MAKE_R
	  "mkdir c; echo '[includeIf \"gitdir:./r/\"]path='$HOME/inc >conf; ln -s ../conf c; "
	  "export GIT_CONFIG_GLOBAL=$HOME/c/conf; cd r; $SCAN",
	  true, true, false },
	{ MAKE_R "git -C r config includeIf.gitdir:./.path '~/inc'; cd r/.git; $SCAN", true, false,
	  false },
	{ MAKE_R "own includeIf.gitdir:~nobody-here/x.path '~/inc'; cd r; $SCAN", true, false,
	  false },

	/* two rows: includes that depend on branches, and a worktree's own file, are ignored */
	{ MAKE_R "own 'includeIf.onbranch:**.path' '~/inc'; cd r; $SCAN", true, false, true },
	{ MAKE_R
	  "git config -f r/.git/config --unset mark.here; mark extensions.worktreeConfig true; "
	  "git -C r config --worktree mark.here 1; cd r; $SCAN",
	  false, false, true },
	{ MAKE_R "git -C r -c user.name=a -c user.email=b commit -q --allow-empty -m x; "
		 "git -C r worktree add -q ../w 2>/dev/null; cd w; $SCAN",
	  true, false, false },

	/* rows with malformed variables */
	{ MAKE_R "export GIT_CONFIG_COUNT=2x GIT_CONFIG_KEY_0=inc.a GIT_CONFIG_VALUE_0=1; $SCAN",
	  false, false, false },
	{ MAKE_R "export GIT_CONFIG_PARAMETERS=\"'i c.b'='1' 'inc.a'='1'\"; $SCAN", false, false,
	  false },
	{ MAKE_R "export GIT_CONFIG_PARAMETERS=\"'inc.1'='1' 'inc.a'='1'\"; $SCAN", false, false,
	  false },
	{ MAKE_R "export GIT_CONFIG_PARAMETERS=\"'inc.a'='1''inc.b'='1'\"; $SCAN", false, false,
	  false },
};

static char self[PATH_MAX], git_target[PATH_MAX];
static bool is_newest;

static void take_parameters(struct tr2_buf *out, const char *path)
{
	struct tr2_buf text;
	const char *at;

	slurp(&text, path);
	tr2_buf_init(out, 1 << 20);
	for (at = tr2_buf_cstr(&text); (at = strstr(at, "\"scope\":")); at++)
		tr2_buf_add(out, at, strcspn(at, "\n") + 1);
	tr2_buf_cstr(out);
	tr2_buf_release(&text);
}

static void check_row(const struct scan_row *row)
{
	struct tr2_buf command, ours, git;
	const char *text;

	tr2_buf_init(&command, 1 << 20);
	assert_true(tr2_buf_addf(&command,
				 "export HOME=%s/home; rm -rf $HOME %s %s; mkdir $HOME; cd $HOME; "
				 "SCAN='sh %s/scan'; { %s; } >/dev/null 2>$HOME/err; :",
				 dir, target, git_target, dir, row->script));
	assert_int_equal(system(tr2_buf_cstr(&command)), 0);
	tr2_buf_release(&command);
	take_parameters(&ours, target);
	text = tr2_buf_cstr(&ours);
	if (!!strstr(text, "\"param\":\"mark.here\"") != row->mark ||
	    !!strstr(text, "\"param\":\"inc.a\"") != row->inc)
		fail_msg("%s\nreported\n%s", row->script, text);
	take_parameters(&git, git_target);
	if ((is_newest || !row->newest) && strcmp(text, tr2_buf_cstr(&git)))
		fail_msg("%s\nreported\n%sgit reported\n%s", row->script, text, tr2_buf_cstr(&git));
	tr2_buf_release(&ours);
	tr2_buf_release(&git);
}

static void scan_reads_same_files_as_git(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		check_row(&rows[i]);
}

/* Only root can let another user really own the repository. */
static void rejects_repository_of_other_user(void **state)
{
	static const struct scan_row foreign[] = {
		{ MAKE_R "chown 12345 r/.git; cd r; $SCAN", false, false, false },
		{ MAKE_R "chown 12345 r; cd r; $SCAN", false, false, false },
		{ MAKE_R "chown 12345 r/.git/config; cd r; $SCAN", true, false, false },
		{ MAKE_R "chown 12345 r; cd r; SUDO_UID=12345 $SCAN", true, false, false },
		{ MAKE_R "chown 12345 r; cd r; SUDO_UID=12345x $SCAN", false, false, false },
		{ MAKE_R
		  "mv r/.git s; echo 'gitdir: ../s' >r/.git; chown 12345 r/.git; cd r; $SCAN",
		  false, false, false },
	};

	(void)state;
	if (geteuid())
		skip();
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		check_row(&foreign[i]);
}

static int scan(void)
{
	trace2_initialize();
	trace2_cmd_list_config();
	return trace2_cmd_exit(0);
}

static int make_scan(void **state)
{
	char real[PATH_MAX];
	struct tr2_buf command;
	bool ok;
	ssize_t n = readlink("/proc/self/exe", real, sizeof(real) - 1);

	if (n < 0 || make_dir(state))
		return -1;
	real[n] = '\0';
	snprintf(self, sizeof(self), "%.4000s scan", real);
	snprintf(git_target, sizeof(git_target), "%s/trace.git", dir);
	unsetenv("GIT_CONFIG_GLOBAL");
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("SUDO_UID");
	setenv("GIT_TRACE2_CONFIG_PARAMS", "*", 1);
	tr2_buf_init(&command, 1 << 20);
	ok = tr2_buf_addf(
		     &command,
		     "cd %s; printf '%%s\\n' 'GIT_TRACE2_EVENT=%s %s' "
		     "'GIT_TRACE2_EVENT=%s exec git version' >scan; mkdir made; cd made; "
		     "git init -q --template= r && git -C r config mark.here 1 && mkdir r/sub && "
		     "echo '[inc]a=1' >inc",
		     dir, target, self, git_target) &&
	     !system(tr2_buf_cstr(&command));
	tr2_buf_release(&command);
	return ok ? 0 : -1;
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scan_reads_same_files_as_git),
		cmocka_unit_test(rejects_repository_of_other_user),
	};

	if (argc > 1 && !strcmp(argv[1], "scan"))
		return scan();
	if (system("git version >/dev/null 2>&1"))
		return 77;
	is_newest = !system("git version | { IFS=' .' read -r a b major minor rest; "
			    "[ $major -gt 2 ] || [ $minor -ge 55 ]; }");
	return cmocka_run_group_tests(tests, make_scan, remove_dir);
}
