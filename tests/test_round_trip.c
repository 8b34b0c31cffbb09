/* SPDX-License-Identifier: MIT */
/* Tests that the monitor's reader reads what the event target writes. */
#include "config.h"

#include "engine/tr2_state.h"
#include "engine/tr2_target.h"
#include "tests/reader_fixture.h"

#define SID     "p\"q/20261121T024842.436496Z-H89e495e7-P00000058"
#define WALL_NS INT64_C(1795229322436576000)

static const char *const items[] = { "git", "a b", "", "q\"b\\s\n\t\x01\x1f", "caf\xc3\xa9", NULL };

/* Return a text that differs from those of other fields. */
static const char *unique_text(unsigned field)
{
	static char text[64];

	if (field == TR2_F_VALUE)
		return "{\"k\":[1,\"x\"]}";
	snprintf(text, sizeof(text), "f%u \"\\\b\f\n\r\t\x01 \xe2\x82\xac", field);
	return text;
}

static int64_t num_of(unsigned field)
{
	return field % 2 ? -(int64_t)field * 1000003 : (int64_t)field * 7919;
}

/* A text is stored in `kept`. */
static void set_field(struct tr2_record *rec, unsigned field, char kept[][64])
{
	switch (tr2_fields[field].type) {
	case TR2_TYPE_LIST:
		tr2_record_list(rec, field, items);
		break;
	case TR2_TYPE_NUM:
	case TR2_TYPE_TIME:
		tr2_record_num(rec, field, num_of(field));
		break;
	case TR2_TYPE_BOOL:
		tr2_record_num(rec, field, 1);
		break;
	default:
		strcpy(kept[field], unique_text(field));
		tr2_record_text(rec, field, kept[field]);
	}
}

static void want_text(struct tr2_buf *want, const char *text)
{
	tr2_buf_addf(want, "[%s]", text);
}

static void want_field(struct tr2_buf *want, unsigned field)
{
	tr2_buf_addf(want, " %s=", tr2_fields[field].wire);
	switch (tr2_fields[field].type) {
	case TR2_TYPE_LIST:
		tr2_buf_addch(want, '(');
		for (size_t i = 0; items[i]; i++)
			want_text(want, items[i]);
		tr2_buf_addch(want, ')');
		break;
	case TR2_TYPE_NUM:
		tr2_buf_addf(want, "%lld", (long long)num_of(field));
		break;
	case TR2_TYPE_TIME:
		tr2_buf_addf(want, "%lld", (long long)num_of(field) * 1000);
		break;
	case TR2_TYPE_BOOL:
		tr2_buf_addch(want, '1');
		break;
	default:
		want_text(want, unique_text(field));
	}
}

static bool in_row(const struct tr2_event_desc *row, unsigned field)
{
	for (unsigned i = 0; i < row->nr_fields; i++)
		if (row->fields[i].id == field)
			return true;
	return field == TR2_F_REPO;
}

/* The fields of the expected event are in the order of their numbers. */
static void want_event(struct tr2_buf *want, unsigned kind, bool brief)
{
	bool has_time = !brief || kind == TR2_E_VERSION || kind == TR2_E_ATEXIT;

	tr2_buf_clear(want);
	tr2_buf_addf(want, "%s sid=[" SID "] thread=[th01:w\"x]", tr2_events[kind].wire);
	if (has_time)
		tr2_buf_addf(want, " time=%lld", (long long)WALL_NS);
	if (!brief)
		tr2_buf_addstr(want, " file=[src/a \"b\".c] line=-7");
	for (unsigned field = TR2_F_REPO; field < TR2_NR_FIELDS; field++)
		if (in_row(&tr2_events[kind], field))
			want_field(want, field);
	tr2_buf_addch(want, '\n');
}

static void format_kind(struct tr2_line *line, struct tr2_thread *self, unsigned kind, bool brief)
{
	static char kept[TR2_NR_FIELDS][64];
	struct tr2_record rec = {
		.kind = kind, .file = "src/a \"b\".c", .line = -7, .wall = WALL_NS
	};

	set_field(&rec, TR2_F_REPO, kept);
	for (unsigned i = 0; i < tr2_events[kind].nr_fields; i++)
		set_field(&rec, tr2_events[kind].fields[i].id, kept);
	line->len = 0;
	tr2_event_ops.format(line, &rec, self, brief);
	tr2_line_add(line, "", 1);
}

static void reads_back_every_kind(void **state)
{
	struct reader_fixture *f = *state;
	char memory[1024];
	struct tr2_line prefix = { .data = memory, .cap = sizeof(memory), .fixed = true };
	struct tr2_thread self = { .clock.sec = INT64_MIN, .clock.offset_slot = INT64_MIN };
	struct tr2_line line = { 0 };
	struct tr2_buf want;

	tr2_state.sid = SID;
	tr2_thread_add_prefix(&prefix, "th01:w\"x");
	self.prefix = memory;
	self.prefix_len = prefix.len;
	tr2_buf_init(&want, 1 << 20);
	for (unsigned kind = 0; kind < TR2_NR_EVENTS; kind++)
		for (int brief = 0; brief < 2; brief++) {
			format_kind(&line, &self, kind, brief);
			want_event(&want, kind, brief);
			assert_string_equal(good(f, line.data), tr2_buf_cstr(&want));
		}
	tr2_buf_release(&want);
	tr2_line_release(&line);
}

/* Signal handlers rely on this: reading the time zone takes a lock. */
static void kept_offset_holds_in_all_quarters(void **state)
{
	struct tr2_clock_text clock = { .offset = 12345, .offset_slot = TR2_OFFSET_KEPT };

	(void)state;
	tr2_clock_local_update(&clock, 899);
	assert_memory_equal(clock.local, "03:40:44", 8);
	tr2_clock_local_update(&clock, 900);
	assert_memory_equal(clock.local, "03:40:45", 8);
	assert_int_equal(clock.offset, 12345);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		READER_TEST(reads_back_every_kind),
		cmocka_unit_test(kept_offset_holds_in_all_quarters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
