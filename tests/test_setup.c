/* SPDX-License-Identifier: MIT */
/* Tests of the configuration file and of its settings. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/app/option_tables.h"
#include "monitor/settings/config_file.h"
#include "monitor/settings/option_values.h"
#include "views/registry/registry.h"
#include "views/ui/setup.h"
#include "views/ui/views.h"

static struct setup setup;
static char told[2000], dir[64], path[200];
static int nr_told;

static void tell(void *data, const char *line)
{
	(void)data;
	snprintf(told, sizeof(told), "%s", line);
	nr_told++;
}

static void fresh(void)
{
	struct options options;

	options_init(&options);
	setup_init(&setup, &options, view_table);
	told[0] = '\0';
	nr_told = 0;
}

static void parse(const char *text)
{
	fresh();
	config_parse(text, strlen(text), "config", setup_take, tell, &setup);
}

static const char *said(const char *key)
{
	static struct tr2_buf out = { .max = 4096 };

	tr2_buf_clear(&out);
	setup_say(&setup, key, &out);
	return tr2_buf_cstr(&out);
}

static void write_file(const char *text, size_t len)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), (ssize_t)len);
	close(fd);
}

static bool read_back(void)
{
	fresh();
	return config_file_read(path, false, setup_take, tell, &setup);
}

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/trace2top-setup-XXXXXX");
	snprintf(path, sizeof(path), "%s/config", mkdtemp(dir) ? dir : "/nowhere");
	return 0;
}

static int remove_dir(void **state)
{
	char command[128];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", dir);
	return system(command);
}

static void every_key_accepts_its_values(void **state)
{
	char key[64], help[SETUP_HELP_BYTES], value[512], why[200];
	int i = 0;

	(void)state;
	for (fresh(); setup_key(&setup, i, key, help); i++) {
		snprintf(value, sizeof(value), "%s", said(key));
		assert_true(setup_take(&setup, key, value, why, sizeof(why)));
		assert_string_equal(said(key), value);
		assert_true(strlen(help) > 10);
	}
	assert_in_range(i, 15, 63); /* setup.c has space for 64 keys */
}

static void settings_match_the_command_line(void **state)
{
	(void)state;
	parse("# mine\n\n  theme = light\nascii=yes\ncolor = never\nmouse = no\ninterval = "
	      "250\r\n"
	      "nesting = 3\ndepth = all\nhistory = 64M\nmax-processes = 500\npage = timings");
	assert_int_equal(nr_told, 0);
	assert_string_equal(said("theme"), "light");
	assert_true(setup.options.ascii);
	assert_int_equal(setup.options.color, COLOUR_NEVER);
	assert_false(setup.options.mouse);
	assert_int_equal(setup.options.interval_ms, 250);
	assert_int_equal(setup.options.nesting, 3);
	assert_int_equal(setup.options.depth, LIMIT_ALL);
	assert_int_equal(setup.options.history_bytes, 64 << 20);
	assert_int_equal(setup.options.max_processes, 500);
	assert_string_equal(said("page"), "timings");
}

static void command_line_takes_precedence(void **state)
{
	static char *argv[] = { (char *)"trace2top", (char *)"--interval=20", (char *)"-n2", NULL };
	static const char text[] = "interval = 500\nnesting = 7\ndepth = 1\ninterval = 1\n";
	struct options options;
	char why[100];

	(void)state;
	assert_int_equal(options_parse(&options, 3, argv, why, sizeof(why)), OPTIONS_RUN);
	setup_init(&setup, &options, view_table);
	config_parse(text, strlen(text), "config", setup_take, tell, &setup);
	assert_int_equal(setup.options.interval_ms, 20);
	assert_int_equal(setup.options.nesting, 2);
	assert_int_equal(setup.options.depth, 1);
	/* An error in a setting that the command line overrides is reported, too. */
	assert_non_null(strstr(told, "config:4: interval: '1'"));
	options_release(&options);
}

/* Begin with the command line `argv`, and with a configuration file that has `text`. */
static void begin(char **argv, int argc, const char *text)
{
	struct options options;
	char why[100];

	assert_int_equal(options_parse(&options, argc, argv, why, sizeof(why)), OPTIONS_RUN);
	setup_init(&setup, &options, view_table);
	setup.path = path;
	write_file(text, strlen(text));
	assert_true(config_file_read(path, false, setup_take, tell, &setup));
	setup_settle(&setup);
	options_release(&options);
}

/* Returns the messages. */
static const char *reread(const char *text, bool changes)
{
	static char line[300];

	write_file(text, strlen(text));
	assert_int_equal(setup_reread(&setup, line, sizeof(line)), changes);
	return line;
}

static void reread_settings_apply_except_those_set_on_screen(void **state)
{
	static char *argv[] = { (char *)"trace2top", (char *)"--interval=20", NULL };

	(void)state;
	begin(argv, 2, "theme = light\nnesting = 3\ninterval = 500\n");
	assert_string_equal(reread("theme = light\nnesting = 3\ninterval = 500\n", false), "");
	assert_string_equal(reread("theme = mono\ninterval = 700\nprocesses.sort = elapsed\n"
				   "processes.columns = pid command\ncursor = yes\n",
				   true),
			    "The configuration was reread");
	assert_string_equal(said("theme"), "mono");
	/* the default: the key was removed */
	assert_string_equal(said("nesting"), "all");
	assert_string_equal(said("interval"), "20"); /* --interval takes precedence */
	assert_string_equal(said("processes.sort"), "time");
	assert_string_equal(said("processes.columns"), "pid command");
	assert_true(setup.options.cursor);

	/* Values of a key that may be repeated are replaced. */
	reread("findings.off = lock-held\n", true);
	assert_string_equal(said("findings.off"), "lock-held");
	reread("findings.off = slow-hook\n", true);
	assert_string_equal(said("findings.off"), "slow-hook");
	reread("theme = mono\nprocesses.sort = elapsed\n", true);
	assert_string_equal(said("findings.off"), "none");

	/* A change on the screen that was not saved stays when the file changes. */
	setup.options.mouse = false;
	setup.options.theme = THEME_DARK;
	assert_string_equal(reread("theme = light\ndepth = 2\n", true),
			    "The configuration was reread");
	assert_string_equal(said("theme"), "dark");
	assert_string_equal(said("mouse"), "no");
	assert_string_equal(said("depth"), "2");
	assert_string_equal(said("processes.sort"), "auto");

	/* The change is saved, so the file can change the setting again. */
	assert_true(setup_save(&setup));
	assert_string_equal(reread("theme = light\ndepth = 2\n", true),
			    "The configuration was reread");
	assert_string_equal(said("theme"), "light");
	assert_string_equal(said("mouse"), "yes");
}

static void reports_settings_that_need_a_restart(void **state)
{
	static char *argv[] = { (char *)"trace2top", NULL };

	(void)state;
	begin(argv, 1, "theme = light\n");
	assert_string_equal(reread("theme = light\nhistory = 64M\nmax-processes = 50\n", true),
			    "The configuration was reread; from the next start: history, "
			    "max-processes");
	assert_string_equal(said("history"), "64M");
}

static void rereading_reports_errors_and_uses_the_rest(void **state)
{
	static char *argv[] = { (char *)"trace2top", NULL };
	const char *line;

	(void)state;
	begin(argv, 1, "theme = light\n");
	line = reread("theme = pink\ninterval = 50\nbogus = 1\n", true);
	assert_non_null(strstr(line, "config:1: theme: 'pink' is not valid"));
	assert_string_equal(said("interval"), "50");
	assert_string_equal(said("theme"), "auto");
}

static void missing_file_changes_nothing(void **state)
{
	static char *argv[] = { (char *)"trace2top", NULL };
	char line[300];

	(void)state;
	begin(argv, 1, "theme = light\n");
	assert_int_equal(unlink(path), 0);
	assert_false(setup_reread(&setup, line, sizeof(line)));
	assert_string_equal(line, "");
	assert_string_equal(said("theme"), "light");
	assert_int_equal(mkdir(path, 0700), 0);
	assert_false(setup_reread(&setup, line, sizeof(line)));
	assert_non_null(strstr(line, "cannot read"));
	assert_int_equal(rmdir(path), 0);
}

static void errors_name_the_line_and_the_remedy(void **state)
{
	static const struct {
		const char *text, *wanted;
	} cases[] = {
		{ "theme = dark\ncolour = never\n",
		  "config:2: unknown key 'colour': did you mean 'color'?" },
		{ "bogus = 1", "config:1: unknown key 'bogus': remove it" },
		{ "teme = dark", "config:1: unknown key 'teme': did you mean 'theme'?" },
		{ "nonsense-beyond-help = 1",
		  "config:1: unknown key 'nonsense-beyond-help': remove it" },
		{ "theme = puce",
		  "config:1: theme: 'puce' is not valid; use one of auto|dark|light" },
		{ "interval = 3", "interval: '3' is not valid; use milliseconds from 10" },
		{ "ascii = maybe", "ascii: 'maybe' is not valid; use yes or no" },
		{ "ascii", "config:1: 'ascii' is not a setting; write key = value" },
		{ "processes.sort = size",
		  "cannot sort by 'size'; expected auto, or one of start repo d pid" },
		{ "processes.columns = pid size",
		  "unknown column 'size'; expected some of start repo d pid state" },
		{ "processes.columns = pid pid", "the column 'pid' is listed twice" },
		{ "processes.columns = pid:0", "invalid width in 'pid:0'; expected 1 to 200" },
		{ "\033[31m = 1", "config:1: the line is not text" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		parse(cases[i].text);
		assert_int_equal(nr_told, 1);
		if (!strstr(told, cases[i].wanted))
			fail_msg("'%s' has no '%s'", told, cases[i].wanted);
		assert_null(strchr(told, '\033'));
	}
}

static void invalid_lines_do_not_affect_others(void **state)
{
	(void)state;
	parse("theme = puce\nnothing\nascii = yes\n\001\002\ninterval = 50\n");
	assert_int_equal(nr_told, 3);
	assert_true(setup.options.ascii);
	assert_int_equal(setup.options.interval_ms, 50);
}

static void accepts_every_theme_and_page(void **state)
{
	char value[64], why[100];

	(void)state;
	fresh();
	for (int i = 0; i < NR_THEMES; i++) {
		assert_true(setup_take(&setup, "theme", theme_words[i].word, why, sizeof(why)));
		assert_int_equal(setup.options.theme, i);
	}
	setup.options.theme = 0;
	option_step(&setup.options, option_setting_named("theme"), -1);
	assert_int_equal(setup.options.theme, NR_THEMES - 1);
	for (int i = 0; i == 0 || setup.options.page; i++) {
		bool is_view = false;

		snprintf(value, sizeof(value), "%s", said("page"));
		for (int id = 0; id < NR_VIEWS; id++)
			is_view |= view_words[id].word && !strcmp(view_words[id].word, value);
		assert_true(is_view);
		option_step(&setup.options, option_setting_named("page"), 1);
	}
}

static void stepping_wraps_around_and_stays_valid(void **state)
{
	const struct option_row *row;
	char value[64], why[100];

	(void)state;
	for (int step = -1; step <= 1; step += 2)
		for (int i = 0; (row = option_setting(i)); i++) {
			fresh();
			for (int n = 0; n < 100; n++) {
				option_step(&setup.options, row, step);
				option_format(&setup.options, row, value, sizeof(value));
				assert_true(setup_take(&setup, option_setting_name(row), value, why,
						       sizeof(why)));
			}
		}
}

static int nr_shown_at_first(const struct view_ops *ops)
{
	int nr = 0;

	for (int i = 0; i < ops->nr_columns; i++)
		nr += !ops->columns[i].hidden;
	return nr;
}

static void columns_are_chosen_ordered_and_widened(void **state)
{
	const struct view_ops *ops = view_table[VIEW_PROCESSES];
	struct column out[MAX_COLUMNS];
	uint8_t index[MAX_COLUMNS];

	(void)state;
	parse("processes.columns = command:30, pid state\nprocesses.sort = -elapsed\n");
	assert_int_equal(nr_told, 0);
	assert_int_equal(arrangement_columns(&setup.views[VIEW_PROCESSES], ops->columns,
					     ops->nr_columns, out, index),
			 3);
	assert_string_equal(out[0].title, "COMMAND");
	assert_int_equal(out[0].min_cells, 30);
	assert_true(out[0].exact);
	assert_string_equal(out[1].title, "PID");
	assert_string_equal(out[2].title, "STATE");
	assert_string_equal(said("processes.columns"), "command:30 pid state");
	assert_string_equal(said("processes.sort"), "-time");
	parse("processes.columns = auto\n");
	assert_int_equal(arrangement_columns(&setup.views[VIEW_PROCESSES], ops->columns,
					     ops->nr_columns, out, index),
			 nr_shown_at_first(ops));
}

static void columns_may_be_hidden_by_default(void **state)
{
	static const struct column own[] = { { .title = "A", .min_cells = 1 },
					     { .title = "B", .min_cells = 1, .hidden = true },
					     { .title = "C", .min_cells = 1 } };
	struct arrangement arrangement = { .sort = SORT_NATURAL };
	struct tr2_buf text = { .max = 100 };
	struct column out[MAX_COLUMNS];
	uint8_t index[MAX_COLUMNS];
	char why[100];

	(void)state;
	assert_int_equal(arrangement_columns(&arrangement, own, 3, out, index), 2);
	assert_string_equal(out[1].title, "C");
	arrangement_begin(&arrangement, own, 3);
	assert_true(arrangement.at[1].hidden);
	assert_int_equal(arrangement_columns(&arrangement, own, 3, out, index), 2);
	arrangement_format(&arrangement, own, &text);
	assert_string_equal(tr2_buf_cstr(&text), "");

	arrangement.at[1].hidden = false; /* done by the user on the setup page */
	arrangement_format(&arrangement, own, &text);
	assert_string_equal(tr2_buf_cstr(&text), "a b c");
	arrangement_clear(&arrangement);
	assert_true(arrangement_parse(&arrangement, own, 3, "a b c", why, sizeof(why)));
	assert_int_equal(arrangement_columns(&arrangement, own, 3, out, index), 3);
	assert_true(arrangement_parse(&arrangement, own, 3, "default", why, sizeof(why)));
	assert_int_equal(arrangement_columns(&arrangement, own, 3, out, index), 2);
	tr2_buf_release(&text);
}

/* An error text ends with whole names, or with " ..." after a whole name. */
static void errors_name_whole_columns(void **state)
{
	static const struct column own[] = { { .title = "alpha" },
					     { .title = "beta" },
					     { .title = "gamma", .no_sort = true },
					     { .title = "delta" } };
	static const char
		*const all = "unknown column 'x'; expected some of alpha beta gamma delta",
		       *const sortable = "cannot sort by 'x'; expected auto, or one of alpha "
					 "beta delta";
	struct arrangement arrangement = { .sort = SORT_NATURAL };
	char why[100];

	(void)state;
	for (size_t bytes = 50; bytes <= sizeof(why); bytes++)
		for (int sorts = 0; sorts < 2; sorts++) {
			const char *whole = sorts ? sortable : all, *dots;
			size_t len = strlen(whole);

			assert_false(
				sorts ? arrangement_parse_sort(&arrangement, own, 4, "x", why,
							       bytes)
				      : arrangement_parse(&arrangement, own, 4, "x", why, bytes));
			if (bytes > len) {
				assert_string_equal(why, whole);
				continue;
			}
			dots = strstr(why, " ...");
			assert_non_null(dots);
			assert_int_equal(dots[4], 0);
			len = (size_t)(dots - why);
			assert_memory_equal(why, whole, len);
			assert_int_equal(whole[len], ' ');
		}
}

static void reports_and_skips_invalid_files(void **state)
{
	char *big = calloc(1, CONFIG_MAX_BYTES * 3);

	(void)state;
	assert_false(read_back()); /* a missing default file is not reported */
	assert_int_equal(nr_told, 0);
	fresh();
	assert_false(config_file_read(path, true, setup_take, tell, &setup));
	assert_int_equal(nr_told, 1); /* a missing file that the user named is an error */

	assert_int_equal(mkdir(path, 0700), 0);
	assert_false(read_back());
	assert_int_equal(nr_told, 1);
	assert_int_equal(rmdir(path), 0);

	assert_int_equal(symlink("config", path), 0);
	assert_false(read_back());
	assert_int_equal(nr_told, 1);
	assert_int_equal(unlink(path), 0);

	assert_int_equal(mkfifo(path, 0600), 0);
	assert_false(read_back()); /* reading does not wait for a writer of the FIFO */
	assert_non_null(strstr(told, "not a regular file"));
	assert_int_equal(unlink(path), 0);

	write_file(big, CONFIG_MAX_BYTES * 3); /* a line of NUL bytes */
	assert_int_equal(truncate(path, (off_t)1 << 30), 0);
	assert_true(read_back());
	assert_int_equal(nr_told, 1);
	assert_non_null(strstr(told, "first 64 KiB"));

	memset(big, '\n', CONFIG_MAX_BYTES * 3);
	for (size_t i = 0; i + 2 < CONFIG_MAX_BYTES * 3; i += 3)
		memcpy(big + i, "x=", 2);
	write_file(big, CONFIG_MAX_BYTES * 3);
	assert_true(read_back());
	assert_int_equal(nr_told, 1 + CONFIG_MAX_MISTAKES + 1);
	assert_non_null(strstr(told, "more errors"));
	free(big);
}

static void save(void)
{
	setup.path = path;
	assert_true(setup_save(&setup));
}

static void written_settings_are_read_back(void **state)
{
	char deep[160];

	(void)state;
	parse("theme = mono\nprocesses.columns = pid command:40\ntimings.sort = -self\nmouse = "
	      "no\n");
	snprintf(deep, sizeof(deep), "%s/a/b/config", dir);
	snprintf(path, sizeof(path), "%s", deep);
	save();
	assert_true(read_back());
	assert_int_equal(nr_told, 0);
	assert_string_equal(said("theme"), "mono");
	assert_string_equal(said("processes.columns"), "pid command:40");
	assert_string_equal(said("timings.sort"), "-self");
	assert_false(setup.options.mouse);
	snprintf(path, sizeof(path), "%s/config", dir);
}

static void comments_and_unknown_lines_are_kept(void **state)
{
	static const char before[] = "# mine\ntheme = dark\n\nfuture-key = 7\n   # and this\n";
	struct tr2_buf text;

	(void)state;
	write_file(before, strlen(before));
	assert_true(read_back());
	setup.options.theme = THEME_MONO;
	setup.options.ascii = true;
	save();
	tr2_buf_init(&text, SIZE_MAX / 2);
	assert_true(config_file_text(path, &text));
	assert_string_equal(tr2_buf_cstr(&text),
			    "# mine\ntheme = mono\n\nfuture-key = 7\n   # and this\n"
			    "ascii = yes\n");
	tr2_buf_release(&text);
}

static void writing_keeps_links_and_permissions_and_leaves_no_temporary_file(void **state)
{
	char real[128], link_text[128], command[200];
	struct stat st;

	(void)state;
	fresh();
	snprintf(real, sizeof(real), "%s/dotfile", dir);
	write_file("theme = light\n", 14);
	assert_int_equal(rename(path, real), 0);
	assert_int_equal(chmod(real, 0640), 0);
	assert_int_equal(symlink("dotfile", path), 0);
	save();
	assert_int_equal(lstat(path, &st), 0);
	assert_true(S_ISLNK(st.st_mode));
	assert_true(readlink(path, link_text, sizeof(link_text)) == 7);
	assert_int_equal(stat(real, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0640);
	assert_true(st.st_size > 0);
	snprintf(command, sizeof(command), "test $(ls -A '%s' | wc -l) -eq 2", dir);
	assert_int_equal(system(command), 0);
}

static void a_file_that_cannot_be_replaced_stays_as_it_was(void **state)
{
	char below[160];

	(void)state;
	write_file("theme = light\n", 14);
	snprintf(below, sizeof(below), "%s/config/trace2top/config", dir); /* a path below a file */
	assert_false(config_file_write(below, "x", 1));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(mkdir(path, 0700), 0);
	assert_false(config_file_write(path, "x", 1));
	assert_int_equal(errno, EISDIR);
	assert_int_equal(rmdir(path), 0);
}

static void a_file_that_is_too_large_is_not_overwritten(void **state)
{
	size_t len = CONFIG_MAX_BYTES + 1;
	char *comments = malloc(len);
	struct stat st;

	(void)state;
	assert_non_null(comments);
	memset(comments, '#', len);
	write_file(comments, len);
	setup.path = path;
	assert_false(setup_save(&setup));
	assert_int_equal(errno, EFBIG);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, len);
	assert_int_equal(unlink(path), 0);
	free(comments);
}

static void path_follows_the_environment(void **state)
{
	char *found;

	(void)state;
	setenv("HOME", "/home/someone", 1);
	setenv("XDG_CONFIG_HOME", "/etc/xdg-mine", 1);
	found = config_file_path();
	assert_string_equal(found, "/etc/xdg-mine/trace2top/config");
	free(found);
	setenv("XDG_CONFIG_HOME", "relative/is/ignored", 1);
	found = config_file_path();
	assert_string_equal(found, "/home/someone/.config/trace2top/config");
	free(found);
	unsetenv("XDG_CONFIG_HOME");
	unsetenv("HOME");
	assert_null(config_file_path());
}

int main(void)
{
	const struct CMUnitTest tests[] = {
#define IN_DIR(name) cmocka_unit_test_setup_teardown(name, make_dir, remove_dir)
		cmocka_unit_test(every_key_accepts_its_values),
		cmocka_unit_test(settings_match_the_command_line),
		cmocka_unit_test(command_line_takes_precedence),
		cmocka_unit_test_setup_teardown(reread_settings_apply_except_those_set_on_screen,
						make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(reports_settings_that_need_a_restart, make_dir,
						remove_dir),
		cmocka_unit_test_setup_teardown(rereading_reports_errors_and_uses_the_rest,
						make_dir, remove_dir),
		cmocka_unit_test_setup_teardown(missing_file_changes_nothing, make_dir, remove_dir),
		cmocka_unit_test(errors_name_the_line_and_the_remedy),
		cmocka_unit_test(invalid_lines_do_not_affect_others),
		cmocka_unit_test(accepts_every_theme_and_page),
		cmocka_unit_test(stepping_wraps_around_and_stays_valid),
		cmocka_unit_test(columns_are_chosen_ordered_and_widened),
		cmocka_unit_test(columns_may_be_hidden_by_default),
		cmocka_unit_test(errors_name_whole_columns),
		IN_DIR(reports_and_skips_invalid_files),
		IN_DIR(written_settings_are_read_back),
		IN_DIR(comments_and_unknown_lines_are_kept),
		IN_DIR(writing_keeps_links_and_permissions_and_leaves_no_temporary_file),
		IN_DIR(a_file_that_cannot_be_replaced_stays_as_it_was),
		IN_DIR(a_file_that_is_too_large_is_not_overwritten),
		cmocka_unit_test(path_follows_the_environment),
	};

	option_tables_init();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
