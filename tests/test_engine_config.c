/* SPDX-License-Identifier: MIT */
/* Tests of libtrace2's configuration reader, partly by comparison with `git config`. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/buf.h"
#include "engine/tr2_config.h"
#include "engine/tr2_settings.h"

static char home[] = "/tmp/tr2-config-XXXXXX";

static void write_config_file(const char *name, const char *text, size_t len)
{
	char path[PATH_MAX];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", home, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, len, f), len);
	fclose(f);
}

static void write_text(const char *name, const char *text)
{
	write_config_file(name, text, strlen(text));
}

static void append_entry(void *data, const char *key, const char *value, int scope)
{
	struct tr2_buf *out = data;

	(void)scope;
	tr2_buf_addstr(out, key);
	if (value) {
		tr2_buf_addch(out, '\n');
		tr2_buf_addstr(out, value);
	}
	tr2_buf_addch(out, '\0');
}

static void add_scoped(void *data, const char *key, const char *value, int scope)
{
	tr2_buf_addstr(data, tr2_scope_name(scope));
	tr2_buf_addch(data, '\0');
	append_entry(data, key, value, scope);
}

static void capture(struct tr2_buf *out, const char *command, int *status)
{
	FILE *f = popen(command, "r");
	size_t n;

	assert_non_null(f);
	do {
		assert_true(tr2_buf_reserve(out, 4096));
		n = fread(out->data + out->len, 1, 4096, f);
		out->len += n;
	} while (n);
	*status = pclose(f);
}

static void assert_same(struct tr2_buf *ours, struct tr2_buf *git)
{
	if (ours->len != git->len || (ours->len && memcmp(ours->data, git->data, ours->len)))
		for (size_t i = 0; i < ours->len; i++)
			if (!ours->data[i])
				ours->data[i] = '|';
	assert_int_equal(ours->len, git->len);
	if (ours->len)
		assert_memory_equal(ours->data, git->data, ours->len);
	tr2_buf_release(ours);
	tr2_buf_release(git);
}

static bool parse_ok(const char *text, size_t len, struct tr2_buf *out)
{
	int line = 0;
	bool ok = tr2_config_parse(text, len, append_entry, out, &line);

	assert_int_equal(!ok, line > 0);
	return ok;
}

static void parses_texts_like_git(void **state)
{
	static const char *const texts[] = {
		"",
		"\n\n",
		"# only\n;comments\n",
		"[a]b=c\n",
		"[a]\n\tb = c d  \n",
		"[A]\nBcD-1=x",
		"[a \"Sub.X y\"]\nk=v\n",
		"[a \"q\\\"b\\\\s\\x\"]\nk=v\n",
		"[a.B]\nk=v\n[a \t\"B\"]\nk=w\n",
		"[a]\nb\n",
		"[a]\nb   \n[c]d\n",
		"[a]\nb = \n",
		"[a]\nb = \"\"\n",
		"[a]\nb = x # c\n",
		"[a]\nb = x#c\n",
		"[a]\nb = \"x # c\" ; d\n",
		"[a]\nb = \"  x  \"  \n",
		"[a]\nb = p\" q \"r\n",
		"[a]\nb = a \"\"\n",
		"[a]\nb = \\\"x\\\\y\\n\\t\\b\n",
		"[a]\nb = one \\\n  two\n",
		"[a]\nb = one\\\n",
		"[a]\r\nb = c\r\nd\r\n",
		"[a]\nb = c \r \n",
		"\xEF\xBB\xBF[a]\nb=c\n",
		"[a]\nb = \xff\xfe\n",
		"[a]b=c[d]e=f\n",
		"[a][b]c=d\n",
		"[a]b=1\n[a]b=2\n",
		"[a] ; c\nb=1 ; d\n",
		"[a]\n1b=c\n",
		"[a]\nb c=d\n",
		"[a]\nb=\"x\n",
		"[a]\nb=\\q\n",
		"[a\nb=c\n",
		"[]\nb=c\n",
		"[a \"x]\nb=c\n",
		"[a \"x\" ]\nb=c\n",
		"[a_b]\nc=d\n",
		"[a]\nb=c\n!\n",
		"[a]\nb.c=d\n",
		"\xEF\xBB[a]\nb=c\n",
		"[a]b=c\n[bad",
		"[a]\nb=\\",
		"[a]\nb = \"x \\\n y\"\n",
		"[a]\nb = x \\\n # y\n",
		"[ a]\nb=c\n",
		"[a ]\nb=c\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		char command[PATH_MAX + 64];
		struct tr2_buf ours, git;
		bool ok;
		int status;

		tr2_buf_init(&ours, 1 << 20);
		tr2_buf_init(&git, 1 << 20);
		write_text("case", texts[i]);
		snprintf(command, sizeof(command), "git config -f %s/case --list -z 2>/dev/null",
			 home);
		capture(&git, command, &status);
		ok = parse_ok(texts[i], strlen(texts[i]), &ours);
		if (ok != (status == 0))
			print_message("case %zu: %s\n", i, texts[i]);
		assert_int_equal(ok, status == 0);
		if (!ok)
			tr2_buf_release(&ours), tr2_buf_release(&git);
		else
			assert_same(&ours, &git);
	}
}

static void includes_take_effect_in_place(void **state)
{
	struct tr2_buf ours, git;
	int status;

	(void)state;
	write_text(".gitconfig",
		   "[one]a=1\n[include]path=inc\n[include]path=~/sub/inc2\n[include]path=/"
		   "nonexistent\n"
		   "[includeIf \"gitdir:~/repo/\"]path=dir\n[includeIf "
		   "\"gitdir:/elsewhere/\"]path=inc\n"
		   "[includeIf \"gitdir/i:REPO/.git\"]path=dir-i\n"
		   "[includeIf \"onbranch:other/\"]path=inc\n[includeIf \"unknown:x\"]path=inc\n"
		   "[includeIf \"hasconfig:remote.*.url:https://example.com/**\"]path=url\n"
		   "[includeIf "
		   "\"hasconfig:remote.*.url:https://nowhere/**\"]path=inc\n[last]z=9\n");
	write_text("inc", "[inc]a=1\n[one]a=2\n");
	write_text("sub/inc2", "[include]path=inc3\n[inc2]x\n");
	write_text("sub/inc3", "[inc3]y=z\n");
	write_text("dir", "[dir]a=1\n");
	write_text("dir-i", "[diri]a=1\n");
	write_text("url", "[url \"x\"]a=1\n");
	write_text(".config/git/config", "[xdg]a=1\n[include]path=rel\n");
	write_text(".config/git/rel", "[xdg]b=2\n");
	assert_int_equal(system("git init -q $HOME/repo && cd $HOME/repo && "
				"git symbolic-ref HEAD refs/heads/topic && "
				"git config remote.o.url https://example.com/a/b && "
				"git config local.key v"),
			 0);
	assert_int_equal(chdir("repo"), 0);
	setenv("GIT_CONFIG_COUNT", "2", 1);
	setenv("GIT_CONFIG_KEY_0", "Env.One.KEY", 1);
	setenv("GIT_CONFIG_VALUE_0", "v 0", 1);
	setenv("GIT_CONFIG_KEY_1", "env.two", 1);
	setenv("GIT_CONFIG_VALUE_1", "", 1);
	setenv("GIT_CONFIG_PARAMETERS", "'p.a'='it'\\''s' 'p.b'= 'p.C.d=old form' 'p.e'", 1);
	tr2_buf_init(&ours, 1 << 20);
	tr2_buf_init(&git, 1 << 20);
	tr2_config_read_all(add_scoped, &ours);
	capture(&git, "git config --list --includes --show-scope -z", &status);
	assert_int_equal(status, 0);
	assert_same(&ours, &git);
	unsetenv("GIT_CONFIG_COUNT");
	unsetenv("GIT_CONFIG_PARAMETERS");
	assert_int_equal(
		system("git -c user.name=a -c user.email=b@c commit -q --allow-empty -m x &&"
		       "git worktree add -q ../linked 2>/dev/null"),
		0);
	assert_int_equal(chdir("../linked"), 0);
	tr2_config_read_all(add_scoped, &ours);
	capture(&git, "git config --list --includes --show-scope -z", &status);
	assert_same(&ours, &git);
	assert_int_equal(chdir(home), 0);
}

static void self_include_terminates(void **state)
{
	struct tr2_buf ours;

	(void)state;
	tr2_buf_init(&ours, 1 << 20);
	write_text("loop", "[a]b=c\n[include]path=loop\n");
	setenv("GIT_CONFIG_GLOBAL", "loop", 1);
	tr2_config_read_early(append_entry, &ours);
	assert_int_equal(ours.len, 11 * (6 + 18));
	unsetenv("GIT_CONFIG_GLOBAL");
	tr2_buf_release(&ours);
}

static void parses_booleans_and_numbers_like_git(void **state)
{
	static const char *const values[] = { "true", "YES", "On", "false", "no",  "oFF", "0",
					      "1",    "-1",  "2k", "0x1",   "010", "abc", "1x",
					      "k",    "3g",  "0M", "1kk",   "tru", "" };

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		char command[256], got[16] = "";
		struct tr2_buf git;
		bool value = false;
		int status;

		tr2_buf_init(&git, 1 << 20);
		snprintf(command, sizeof(command),
			 "git -c 'x.y=%s' config --type=bool x.y 2>/dev/null", values[i]);
		capture(&git, command, &status);
		if (tr2_config_bool(values[i], &value))
			strcpy(got, value ? "true\n" : "false\n");
		assert_string_equal(got, tr2_buf_cstr(&git));
		tr2_buf_release(&git);
	}
}

static void wraps_and_truncates_numbers_like_git(void **state)
{
	static const struct {
		const char *text;
		int number;
		int narrow; /* result if a long is as small as an int */
		bool is_bool;
	} rows[] = {
		{ "2147483647", INT_MAX, INT_MAX, true },
		{ "2147483648", INT_MIN, INT_MAX, false },
		{ "4294967301", 5, INT_MAX, false },
		{ "-2147483648", INT_MIN, INT_MIN, true },
		{ "-2147483649", INT_MAX, INT_MIN, false },
		{ "-2097152k", -2097152, -2097152, true },
		{ "-2097153k", -2097153, -2097153, false },
		{ " +7x", 7, 7, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct tr2_settings set;
		bool value = false;

		setenv("NUMBER_MAX_FILES", rows[i].text, 1);
		tr2_settings_load(&set, "NUMBER", false);
		assert_int_equal(tr2_settings_int(&set, TR2_S_MAX_FILES),
				 LONG_MAX > INT_MAX ? rows[i].number : rows[i].narrow);
		tr2_settings_release(&set);
		assert_int_equal(tr2_config_bool(rows[i].text, &value), rows[i].is_bool);
		assert_int_equal(value, rows[i].is_bool);
	}
	unsetenv("NUMBER_MAX_FILES");
}

static void environment_overrides_configuration(void **state)
{
	struct tr2_settings set;
	char *target;

	(void)state;
	write_text(".gitconfig", "[trace2]eventTarget=/a\n eventTarget=/b\n eventNesting=5x\n"
				 "perfBrief=2k\nnormalBrief=maybe\nmaxFiles=-3\nperfTarget\n"
				 "[trace2 \"x\"]normalTarget=/c\n[Trace2]ENVVARS = A, B\n");
	write_text(".config/git/config", "[trace2]eventTarget=/xdg\nconfigParams=x.*\n");
	setenv("GIT_TRACE2_PERF_BRIEF", "", 1);
	setenv("GIT_TRACE2_MAX_FILES", " 7", 1);
	setenv("GIT_TRACE2_REDACT", "", 1);
	tr2_settings_load(&set, NULL, true);
	assert_string_equal(tr2_settings_text(&set, TR2_S_EVENT), "/b");
	assert_int_equal(tr2_settings_int(&set, TR2_S_EVENT_NESTING), 5);
	assert_true(tr2_settings_bool(&set, TR2_S_PERF_BRIEF, false));
	assert_false(tr2_settings_bool(&set, TR2_S_NORMAL_BRIEF, false));
	assert_int_equal(tr2_settings_int(&set, TR2_S_MAX_FILES), 7);
	assert_false(tr2_settings_bool(&set, TR2_S_REDACT, true));
	assert_null(tr2_settings_text(&set, TR2_S_NORMAL));
	assert_null(tr2_settings_text(&set, TR2_S_PERF));
	assert_string_equal(tr2_settings_text(&set, TR2_S_ENV_VARS), "A, B");
	assert_string_equal(tr2_settings_text(&set, TR2_S_CONFIG_PARAMS), "x.*");
	tr2_settings_release(&set);
	setenv("GIT_TRACE2_EVENT", "0", 1);
	target = tr2_settings_event_target();
	assert_string_equal(target, "0");
	free(target);
	setenv("GIT_TRACE2_EVENT", "", 1);
	target = tr2_settings_event_target();
	assert_string_equal(target, "/b");
	free(target);
	setenv("OTHER_EVENT", "/o", 1);
	tr2_settings_load(&set, "OTHER", false);
	assert_string_equal(tr2_settings_text(&set, TR2_S_EVENT), "/o");
	assert_null(tr2_settings_text(&set, TR2_S_ENV_VARS));
	tr2_settings_release(&set);
}

static void matches_patterns_like_git(void **state)
{
	static const struct {
		const char *pattern, *text;
		unsigned flags;
		bool match;
	} rows[] = {
		{ "COLOR.U?", "color.ui", TR2_WILD_FOLD, true },
		{ "user.[en]*", "user.email", TR2_WILD_FOLD, true },
		{ "user.[en]*", "user.signingkey", TR2_WILD_FOLD, false },
		{ "remote.*.url", "remote.a/b.c.url", TR2_WILD_FOLD, true },
		{ "*", "a/b.c", 0, true },
		{ "*", "a/b", TR2_WILD_PATH, false },
		{ "a/**/b", "a/b", TR2_WILD_PATH, true },
		{ "a/**/b", "a/x/y/b", TR2_WILD_PATH, true },
		{ "a**b", "a/b", TR2_WILD_PATH, false },
		{ "**/x", "x", TR2_WILD_PATH, true },
		{ "[!a]b", "ab", 0, false },
		{ "[^a]b", "cb", 0, true },
		{ "[a-c]", "b", 0, true },
		{ "[]-]", "]", 0, true },
		{ "[]-]", "-", 0, true },
		{ "[[:digit:]x]", "7", 0, true },
		{ "[[:upper:]]", "a", TR2_WILD_FOLD, true },
		{ "\\*", "*", 0, true },
		{ "\\*", "a", 0, false },
		{ "[a", "a", 0, false },
		{ "", "", 0, true },
		{ "", "a", 0, false },
		{ "a*c*e", "abcde", 0, true },
		{ "A-Z", "a-z", TR2_WILD_FOLD, true },
		{ "a\\", "a\\", 0, false },
		{ "[\\", "\\", 0, false },
		{ "[a[:nope:]]", "a", 0, false },
		{ "[!a[:nope:]]", "b", 0, false },
		{ "[a[:nope", "a", 0, false },
		{ "[a[::]]", "a", 0, false },
		{ "[a[:]", "a", 0, true },
		{ "[a[:]", ":", 0, true },
		{ "[a-\\c]", "b", 0, true },
		{ "[A]", "A", TR2_WILD_FOLD, false },
		{ "[A-Z]", "b", TR2_WILD_FOLD, true },
		{ "\\A", "a", TR2_WILD_FOLD, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (tr2_wildmatch(rows[i].pattern, rows[i].text, rows[i].flags) != rows[i].match)
			fail_msg("%s against %s", rows[i].pattern, rows[i].text);
}

static int make_home(void **state)
{
	char path[PATH_MAX];

	(void)state;
	if (!mkdtemp(home) || chdir(home))
		return -1;
	setenv("HOME", home, 1);
	setenv("GIT_CONFIG_NOSYSTEM", "1", 1);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("GIT_CONFIG_GLOBAL");
	snprintf(path, sizeof(path), "%s/.config", home);
	mkdir(path, 0700);
	mkdir("sub", 0700);
	return mkdir(".config/git", 0700);
}

static int remove_home(void **state)
{
	char command[PATH_MAX];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", home);
	return chdir("/") || system(command);
}

int main(void)
{
	const struct CMUnitTest with_git[] = {
		cmocka_unit_test(parses_texts_like_git),
		cmocka_unit_test(includes_take_effect_in_place),
		cmocka_unit_test(parses_booleans_and_numbers_like_git),
	};
	const struct CMUnitTest alone[] = {
		cmocka_unit_test(self_include_terminates),
		cmocka_unit_test(wraps_and_truncates_numbers_like_git),
		cmocka_unit_test(environment_overrides_configuration),
		cmocka_unit_test(matches_patterns_like_git),
	};
	int failed;

	if (system("git --version >/dev/null 2>&1"))
		return 77;
	failed = cmocka_run_group_tests(with_git, make_home, NULL);
	return failed + cmocka_run_group_tests(alone, NULL, remove_home);
}
