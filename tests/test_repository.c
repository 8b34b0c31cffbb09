/* SPDX-License-Identifier: MIT */
/* Tests of repositories, also damaged or hostile ones. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/base/repository.h"

static char top[200];

/* Make the directories above a path of the worktree, and return the path. */
static const char *path_of(const char *name)
{
	static char path[400];

	snprintf(path, sizeof(path), "%s/%s", top, name);
	for (char *at = path + strlen(top) + 1; (at = strchr(at, '/')); *at++ = '/') {
		*at = '\0';
		mkdir(path, 0700);
	}
	return path;
}

static void write_file(const char *name, const void *bytes, size_t len)
{
	FILE *file = fopen(path_of(name), "wb");

	assert_non_null(file);
	assert_int_equal(fwrite(bytes, 1, len, file), len);
	assert_int_equal(fclose(file), 0);
}

static struct repository_facts look(void)
{
	struct repository_facts facts;

	repository_look(top, strlen(top), &facts);
	return facts;
}

static int repository_setup(void **state)
{
	const char *dir = getenv("TMPDIR");

	(void)state;
	snprintf(top, sizeof(top), "%s/test_repository.XXXXXX", dir ? dir : "/tmp");
	return mkdtemp(top) ? 0 : -1;
}

static int repository_teardown(void **state)
{
	char command[300];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf '%s'", top);
	return system(command);
}

static void reports_nothing_without_a_repository(void **state)
{
	struct repository_facts facts;

	(void)state;
	assert_false(look().known);
	repository_look("relative", 8, &facts);
	assert_false(facts.known);
	repository_look("/a\0b", 4, &facts);
	assert_false(facts.known);
	repository_look("", 0, &facts);
	assert_false(facts.known);
	/* .git files: a link that leads nowhere, one to itself, and one without a path. */
	write_file(".git", "gitdir: /nowhere/at/all\n", 24);
	assert_false(look().known);
	write_file(".git", "gitdir: .git", 12);
	assert_false(look().known);
	write_file(".git", "gitdir: ", 8);
	assert_false(look().known);
}

static void finds_bare_repositories(void **state)
{
	struct repository_facts facts;
	char path[400];

	(void)state;
	write_file("a.git/HEAD", "ref: refs/heads/main\n", 21);
	write_file("a.git/objects/pack/pack-a.idx", "", 0);
	snprintf(path, sizeof(path), "%s/a", top);
	repository_look(path, strlen(path), &facts);
	assert_false(facts.known);
	write_file("a.git/refs/heads/main", "x", 1);
	repository_look(path, strlen(path), &facts);
	assert_true(facts.known);
	assert_int_equal(facts.packs, 1);
	snprintf(path, sizeof(path), "%s/a.git", top);
	repository_look(path, strlen(path), &facts);
	assert_true(facts.known);
	assert_int_equal(facts.loose_refs, 1);
}

static void does_not_block_on_a_fifo(void **state)
{
	(void)state;
	assert_int_equal(mkfifo(path_of(".git"), 0600), 0);
	assert_false(look().known);
	assert_int_equal(unlink(path_of(".git")), 0);
	assert_int_equal(mkfifo(path_of(".git/objects/info/commit-graph"), 0600), 0);
	assert_true(look().known);
	assert_false(look().path_filters);
	assert_int_equal(mkfifo(path_of(".git/commondir"), 0600), 0);
	assert_true(look().known);
}

static void detects_filters_only_in_the_table_of_a_commit_graph(void **state)
{
	static const char table[] = "CGPH\1\1\2\0OIDF\0\0\0\0\0\0\0\0BIDX\0\0\0\0\0\0\0\0";
	static const char no_chunks[] = "CGPH\1\1\0\0BIDX\0\0\0\0\0\0\0\0";

	(void)state;
	for (size_t len = 0; len < sizeof(table); len++) {
		write_file(".git/objects/info/commit-graph", table, len);
		assert_true(look().commit_graph);
		assert_int_equal(look().path_filters, len >= 8 + 2 * 12);
	}
	write_file(".git/objects/info/commit-graph", no_chunks, sizeof(no_chunks) - 1);
	assert_false(look().path_filters);
	write_file(".git/objects/info/commit-graph", "XXXX\1\1\1\0BIDX\0\0\0\0\0\0\0\0", 20);
	assert_false(look().path_filters);
}

static void counts_refs_and_objects(void **state)
{
	static const char zeros[4000];
	struct repository_facts facts;
	char name[100];

	(void)state;
	for (int i = 0; i < 30; i++) {
		snprintf(name, sizeof(name), ".git/refs/heads/a%d/b", i);
		write_file(name, zeros, 41);
	}
	write_file(".git/packed-refs", zeros, 640);
	write_file(".git/objects/17/aa", zeros, 1);
	write_file(".git/objects/17/bb", zeros, 1);
	write_file(".git/objects/pack/pack-a.idx", zeros, 1072 + 28 * 50);
	write_file(".git/objects/pack/pack-a.bitmap", zeros, 1);
	write_file(".git/objects/pack/pack-b.idx", zeros, 3);
	facts = look();
	assert_int_equal(facts.loose_refs, 30);
	assert_int_equal(facts.refs, 40);
	assert_int_equal(facts.objects, 2 * 256 + 50);
	assert_int_equal(facts.packs, 2);
	assert_true(facts.bitmaps);
	assert_false(facts.midx);
	assert_false(facts.alternates);
	assert_false(facts.commit_graph);
	write_file(".git/objects/pack/multi-pack-index", zeros, 1);
	write_file(".git/objects/info/alternates", "/x\n", 3);
	assert_true(look().midx);
	assert_true(look().alternates);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, repository_setup, repository_teardown)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(reports_nothing_without_a_repository),
		TEST(finds_bare_repositories),
		TEST(does_not_block_on_a_fifo),
		TEST(detects_filters_only_in_the_table_of_a_commit_graph),
		TEST(counts_refs_and_objects),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
