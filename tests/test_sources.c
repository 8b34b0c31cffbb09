/* SPDX-License-Identifier: MIT */
/* Tests of source kinds and of the spellings in sources.def that select them. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <sys/stat.h>

#include "monitor/base/word.h"
#include "monitor/intake/intake_priv.h"
#include "monitor/source/source.h"
#include "tests/intake_fixture.h"

#define SOURCE(ID, spec, help, ops) extern const struct source_ops ops;
#include "monitor/source/sources.def"

static const struct source_ops *const ops_of[] = {
#define SOURCE(ID, spec, help, ops) &ops,
#include "monitor/source/sources.def"
};

static char dir[] = "/tmp/trace2top-sources-XXXXXX";

static int nothing(const char *path)
{
	(void)path;
	return 0;
}

static int file(const char *path)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	return fd < 0 ? -1 : close(fd);
}

static int directory(const char *path)
{
	return mkdir(path, 0700);
}

static int fifo(const char *path)
{
	return mkfifo(path, 0600);
}

static int (*const makes[])(const char *path) = { nothing, file, directory, fifo };

static void spell(enum source_kind kind, const char *path, char *spec, size_t bytes)
{
	const struct word *word = &source_words[kind];
	size_t before = word_fixed(word);

	snprintf(spec, bytes, "%.*s%s", (int)before, word->word, word->word[before] ? path : "");
}

static bool is_reached(enum source_kind kind, const char *spec, const char *path)
{
	struct source_config once = { .once = true };
	struct fixture f;
	struct source *source;
	char why[200];
	bool ok;

	fixture_open(&f, &once, 1);
	ok = intake_add(f.intake, spec, why, sizeof(why));
	source = f.intake->sources.items[0];
	ok = ok && source->ops == ops_of[kind] &&
	     !strcmp(source->origin.stats.kind, source->ops->kind) &&
	     (source_words[kind].word[word_fixed(&source_words[kind])]
		      ? source->path && !strcmp(source->path, path)
		      : !source->path);
	fixture_close(&f);
	return ok;
}

static bool is_reached_somehow(enum source_kind kind)
{
	char path[100], spec[200];

	/* The name of a server is not a path. */
	if (kind == SOURCE_NATS || kind == SOURCE_NATS_TLS) {
		spell(kind, "127.0.0.1/lab.one", spec, sizeof(spec));
		return nats_link_missing() || is_reached(kind, spec, "127.0.0.1/lab.one");
	}
	for (size_t i = 0; i < sizeof(makes) / sizeof(*makes); i++) {
		snprintf(path, sizeof(path), "%s/%d-%zu", dir, (int)kind, i);
		assert_int_equal(makes[i](path), 0);
		spell(kind, path, spec, sizeof(spec));
		if (is_reached(kind, spec, path))
			return true;
	}
	return false;
}

static void every_row_is_selected_by_its_prefix(void **state)
{
	int input = dup(STDIN_FILENO), pipe_ends[2];

	(void)state;
	assert_int_equal(pipe2(pipe_ends, O_CLOEXEC), 0);
	dup2(pipe_ends[0], STDIN_FILENO);
	for (int kind = 0; kind < NR_SOURCES; kind++)
		if (kind != SOURCE_COMMAND && !is_reached_somehow(kind))
			fail_msg("no source is reached by %s", source_words[kind].word);
	dup2(input, STDIN_FILENO);
	close(input);
	close(pipe_ends[0]);
	close(pipe_ends[1]);
}

static void opens_a_command_by_its_call(void **state)
{
	char word[] = "true", *argv[] = { word, NULL };
	struct source_config once = { .once = true };
	struct fixture f;
	const char *path;
	char why[200];

	(void)state;
	fixture_open(&f, &once, 1);
	assert_true(intake_add_command(f.intake, argv, 80, 24, why, sizeof(why)));
	assert_ptr_equal(f.intake->sources.items[0]->ops, ops_of[SOURCE_COMMAND]);
	fixture_close(&f);
	assert_int_equal(source_kind_of("-- true", &path), SOURCE_FILE);
}

static void treats_other_words_as_paths(void **state)
{
	static const char *const specs[] = { "nosuch:/nowhere",
					     "af_unix",
					     "af_unixx:/nowhere",
					     "AF_UNIX:/nowhere",
					     "stream:/nowhere",
					     "-x",
					     "" };
	struct source_config once = { .once = true };
	const char *path;
	char why[200];

	(void)state;
	for (size_t i = 0; i < sizeof(specs) / sizeof(*specs); i++) {
		struct fixture f;

		assert_int_equal(source_kind_of(specs[i], &path), SOURCE_FILE);
		assert_ptr_equal(path, specs[i]);
		fixture_open(&f, &once, 1);
		assert_false(intake_add(f.intake, specs[i], why, sizeof(why)));
		assert_non_null(strstr(why, specs[i]));
		fixture_close(&f);
	}
}

static void refuses_a_prefix_without_a_path(void **state)
{
	struct source_config config = { 0 };
	char spec[100], why[200];

	(void)state;
	for (int kind = 0; kind < NR_SOURCES; kind++) {
		const struct word *word = &source_words[kind];
		struct fixture f;

		if (kind == SOURCE_COMMAND || !word->word[word_fixed(word)])
			continue;
		spell(kind, "", spec, sizeof(spec));
		fixture_open(&f, &config, 1);
		assert_false(intake_add(f.intake, spec, why, sizeof(why)));
		assert_non_null(strstr(why, "a path is missing behind"));
		fixture_close(&f);
	}
}

static void targets_are_accepted_by_git(void **state)
{
	char *spec = source_socket_spec("/run/t2.sock");

	(void)state;
	assert_string_equal(spec, "af_unix:stream:/run/t2.sock");
	assert_string_equal(source_target_path(spec), "/run/t2.sock");
	free(spec);
	assert_string_equal(source_target_path("/var/log/t2"), "/var/log/t2");
	assert_string_equal(source_target_path("af_unix:dgram:rel"), "rel");
	assert_string_equal(source_target_path("af_unix:/a:b"), "/a:b");
	assert_string_equal(source_target_path(dir), dir);
	assert_null(source_target_path("relative"));
	assert_null(source_target_path("2"));
	assert_null(source_target_path("-"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_is_selected_by_its_prefix),
		cmocka_unit_test(opens_a_command_by_its_call),
		cmocka_unit_test(treats_other_words_as_paths),
		cmocka_unit_test(refuses_a_prefix_without_a_path),
		cmocka_unit_test(targets_are_accepted_by_git),
	};
	char command[100];
	int failed;

	if (!mkdtemp(dir))
		return 99;
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	snprintf(command, sizeof(command), "rm -rf %s", dir);
	return system(command) ? 99 : failed;
}
