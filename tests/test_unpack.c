/* SPDX-License-Identifier: MIT */
/* Tests of compressed input in several formats and pieces, also if it is damaged. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/buf.h"
#include "monitor/read/unpack.h"

#define BUDGET (1u << 20)

static const struct packer {
	const char *name, *command;
} packers[] = {
	{ "gz", "gzip -nc" },
	{ "xz", "xz -c" },
	{ "zst", "zstd -qc" },
};

static const struct packing_ops *kind(const char *name)
{
	for (size_t i = 0; packing_at(i); i++)
		if (!strcmp(packing_at(i)->name, name))
			return packing_at(i);
	fail_msg("no kind %s", name);
	return NULL;
}

static void unpack_test_take(void *data, const char *bytes, size_t len)
{
	assert_in_range(len, 1, UNPACK_PIECE);
	assert_true(tr2_buf_add(data, bytes, len));
}

static void unpack_test_pack(const char *command, const char *text, size_t len, struct tr2_buf *out)
{
	char line[256], name[] = "/tmp/unpack-XXXXXX", bytes[4096];
	int fd = mkstemp(name);
	FILE *from;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, len), len);
	close(fd);
	snprintf(line, sizeof(line), "%s <%s", command, name);
	from = popen(line, "r");
	assert_non_null(from);
	for (size_t n; (n = fread(bytes, 1, sizeof(bytes), from)) > 0;)
		assert_true(tr2_buf_add(out, bytes, n));
	if (pclose(from) != 0)
		skip(); /* the program is not installed */
	unlink(name);
}

static void write_lines(struct tr2_buf *text, unsigned nr)
{
	char line[128];

	for (unsigned i = 0; i < nr; i++) {
		int n = snprintf(line, sizeof(line), "{\"event\":\"data\",\"n\":%u,\"x\":%u}\n", i,
				 i * 2654435761u);

		assert_true(tr2_buf_add(text, line, (size_t)n));
	}
}

/* Unpack `in` in pieces of `cut` bytes. Returns the error, or NULL. */
static const char *unpack_all(const struct packing_ops *ops, const struct tr2_buf *in, size_t cut,
			      size_t budget, struct tr2_buf *out, enum unpack_state *state)
{
	struct unpack *unpack = unpack_new(ops);
	const char *why = NULL;

	assert_non_null(unpack);
	tr2_buf_clear(out);
	for (size_t at = 0; at < in->len || unpack_pending(unpack);) {
		size_t len = in->len - at < cut ? in->len - at : cut;

		at += unpack_feed(unpack, in->data + at, len, budget, unpack_test_take, out, &why);
		if (why)
			break;
	}
	*state = unpack_state(unpack);
	assert_ptr_equal(unpack_packing(unpack), ops);
	unpack_free(unpack);
	return why;
}

static void unpack_test_need(const struct packer *packer)
{
	if (!kind(packer->name)->begin)
		skip(); /* the program was built without the format */
}

static struct tr2_buf text, packed, out;

static int unpack_test_begin(void **state)
{
	(void)state;
	text.max = packed.max = out.max = SIZE_MAX / 2;
	tr2_buf_clear(&text);
	tr2_buf_clear(&packed);
	tr2_buf_clear(&out);
	return 0;
}

static int unpack_test_release(void **state)
{
	(void)state;
	tr2_buf_release(&text);
	tr2_buf_release(&packed);
	tr2_buf_release(&out);
	return 0;
}

static void every_split_of_two_members_gives_the_text(void **state)
{
	const struct packer *packer = *state;
	const struct packing_ops *ops = kind(packer->name);
	enum unpack_state end;
	bool more;

	unpack_test_need(packer);
	write_lines(&text, 300);
	unpack_test_pack(packer->command, text.data, text.len, &packed);
	unpack_test_pack(packer->command, text.data, 0, &packed);
	unpack_test_pack(packer->command, text.data, text.len, &packed);
	for (size_t n = 0; n < 8; n++) {
		const struct packing_ops *found = packing_of(packed.data, n, &more);

		if (found)
			assert_ptr_equal(found, ops);
		else
			assert_true(more);
	}
	for (size_t cut = 1; cut <= packed.len; cut += cut < 40 ? 1 : 1 + cut / 2) {
		assert_null(unpack_all(ops, &packed, cut, BUDGET, &out, &end));
		assert_int_equal(end, UNPACK_BETWEEN);
		assert_int_equal(out.len, 2 * text.len);
		assert_memory_equal(out.data, text.data, text.len);
		assert_memory_equal(out.data + text.len, text.data, text.len);
	}
}

static void truncated_data_gives_a_prefix(void **state)
{
	const struct packer *packer = *state;
	enum unpack_state end;
	size_t whole;

	unpack_test_need(packer);
	write_lines(&text, 300);
	unpack_test_pack(packer->command, text.data, text.len, &packed);
	whole = packed.len;
	for (packed.len = 1; packed.len < whole; packed.len++) {
		assert_null(unpack_all(kind(packer->name), &packed, 64, BUDGET, &out, &end));
		assert_int_equal(end, UNPACK_INSIDE);
		assert_in_range(out.len, 0, text.len);
		if (out.len)
			assert_memory_equal(out.data, text.data, out.len);
	}
}

static void reports_trailing_data_and_keeps_the_text(void **state)
{
	const struct packer *packer = *state;
	enum unpack_state end;
	const char *why;

	unpack_test_need(packer);
	write_lines(&text, 10);
	unpack_test_pack(packer->command, text.data, text.len, &packed);
	assert_true(tr2_buf_add(&packed, "garbage", 7));
	for (size_t cut = 1; cut < packed.len; cut += 7) {
		why = unpack_all(kind(packer->name), &packed, cut, BUDGET, &out, &end);
		assert_non_null(why);
		assert_non_null(strstr(why, "after the compressed stream"));
		assert_int_equal(end, UNPACK_OVER);
		assert_int_equal(out.len, text.len);
	}
}

static void reports_damage_and_never_adds_text(void **state)
{
	const struct packer *packer = *state;
	enum unpack_state end;
	unsigned told = 0;

	unpack_test_need(packer);
	write_lines(&text, 300);
	unpack_test_pack(packer->command, text.data, text.len, &packed);
	for (size_t at = 10; at < packed.len; at += 13) {
		packed.data[at] ^= 0x20;
		if (unpack_all(kind(packer->name), &packed, 512, BUDGET, &out, &end)) {
			assert_int_equal(end, UNPACK_DAMAGED);
			told++;
		} else if (end == UNPACK_BETWEEN) {
			/* The changed bit has no meaning, such as one of a time in the head. */
			assert_int_equal(out.len, text.len);
		}
		packed.data[at] ^= 0x20;
	}
	assert_true(told > 0);
}

static void limits_a_compression_bomb_to_the_budget(void **state)
{
	const struct packer *packer = *state;
	const struct packing_ops *ops = kind(packer->name);
	const size_t size = (getenv("COUNTS_ALL") ? 64u : 16u) << 20;
	struct unpack *unpack;
	uint64_t all = 0;

	unpack_test_need(packer);
	text.len = 0;
	{
		char *blanks = calloc(1, size);

		assert_non_null(blanks);
		memset(blanks, '\n', size);
		unpack_test_pack(packer->command, blanks, size, &packed);
		free(blanks);
	}
	unpack = unpack_new(ops);
	assert_non_null(unpack);
	for (size_t at = 0; at < packed.len || unpack_pending(unpack);) {
		const char *why;

		tr2_buf_clear(&out);
		at += unpack_feed(unpack, packed.data + at, packed.len - at, BUDGET,
				  unpack_test_take, &out, &why);
		assert_null(why);
		assert_in_range(out.len, 0, BUDGET + UNPACK_PIECE);
		all += out.len;
	}
	assert_int_equal(all, size);
	assert_int_equal(unpack_state(unpack), UNPACK_BETWEEN);
	unpack_free(unpack);
}

static void accepts_zero_padding_if_the_format_allows_it(void **state)
{
	const struct packer *packer = *state;
	const struct packing_ops *ops = kind(packer->name);
	enum unpack_state end;
	const char *why;

	unpack_test_need(packer);
	write_lines(&text, 3);
	unpack_test_pack(packer->command, text.data, text.len, &packed);
	assert_true(tr2_buf_add(&packed, "\0\0\0\0", 4));
	why = unpack_all(ops, &packed, 5, BUDGET, &out, &end);
	if (ops->pads)
		assert_null(why);
	else
		assert_non_null(why);
	assert_int_equal(out.len, text.len);
}

static void plain_text_has_no_kind(void **state)
{
	static const char *const plain[] = { "{\"event\"", "12:00:00.", "go 1.22 trace",
					     "\x1f\x8b\x07" };
	bool more = true;

	(void)state;
	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++) {
		assert_null(packing_of(plain[i], strlen(plain[i]), &more));
		assert_false(more);
	}
	assert_null(packing_of("", 0, &more));
	assert_true(more);
}

static void skippable_frames_belong_to_zstd(void **state)
{
	static const char skipped[] = "\x5e\x2a\x4d\x18\x03\0\0\0abc";
	enum unpack_state end;
	bool more;

	(void)state;
	unpack_test_need(&packers[2]);
	assert_true(tr2_buf_add(&packed, skipped, sizeof(skipped) - 1));
	assert_ptr_equal(packing_of(packed.data, packed.len, &more), kind("zst"));
	write_lines(&text, 3);
	unpack_test_pack(packers[2].command, text.data, text.len, &packed);
	assert_true(tr2_buf_add(&packed, skipped, sizeof(skipped) - 1));
	for (size_t cut = 1; cut < 20; cut++) {
		assert_null(unpack_all(kind("zst"), &packed, cut, BUDGET, &out, &end));
		assert_int_equal(end, UNPACK_BETWEEN);
		assert_int_equal(out.len, text.len);
	}
}

#define EACH(test)                                                                                 \
	{ #test " gz", test, unpack_test_begin, unpack_test_release, (void *)&packers[0] },        \
		{ #test " xz", test, unpack_test_begin, unpack_test_release,                       \
		  (void *)&packers[1] },                                                           \
	{                                                                                          \
#test " zst", test, unpack_test_begin, unpack_test_release, (void *)&packers[2]    \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		EACH(every_split_of_two_members_gives_the_text),
		EACH(truncated_data_gives_a_prefix),
		EACH(reports_trailing_data_and_keeps_the_text),
		EACH(reports_damage_and_never_adds_text),
		EACH(limits_a_compression_bomb_to_the_budget),
		EACH(accepts_zero_padding_if_the_format_allows_it),
		cmocka_unit_test(plain_text_has_no_kind),
		cmocka_unit_test_setup_teardown(skippable_frames_belong_to_zstd, unpack_test_begin,
						unpack_test_release),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
