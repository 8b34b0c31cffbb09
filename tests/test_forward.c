/* SPDX-License-Identifier: MIT */
/* Tests of the parts of an agent that need no threads. */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>
#ifdef HAVE_ZSTD
#include <zstd.h>
#endif

#include "monitor/send/forward_ack.h"
#include "monitor/send/forward_batch.h"
#include "monitor/send/forward_queue.h"
#include "monitor/send/spool.h"

#define MS NS_PER_MS

static void fill(struct forward_batch *b, size_t bytes, ns_t now)
{
	char *line = malloc(bytes);

	assert_non_null(line);
	memset(line, 'x', bytes);
	line[bytes - 1] = '\n';
	forward_batch_add(b, line, bytes, now);
	free(line);
}

static void test_batch_due(void **state)
{
	struct forward_batch b;

	(void)state;
	forward_batch_init(&b, 1000 * MS);
	assert_int_equal(forward_batch_due(&b, true), NS_NONE);
	/* The first batch is sent 100 ms after its first line. */
	fill(&b, 10, 5000 * MS);
	fill(&b, 10, 5090 * MS);
	assert_int_equal(forward_batch_due(&b, true), 5100 * MS);
	/* While a message is unacknowledged, a batch of this size is not sent. */
	assert_int_equal(forward_batch_due(&b, false), NS_NONE);
	forward_batch_left(&b, 5100 * MS);
	assert_int_equal(forward_batch_due(&b, true), NS_NONE);
	/* At most one batch per second is sent, unless it is full. */
	fill(&b, 10, 5150 * MS);
	assert_int_equal(forward_batch_due(&b, true), 6100 * MS);
	forward_batch_left(&b, 6100 * MS);
	/* After a pause, a batch is sent 100 ms after its first line again. */
	fill(&b, 10, 9000 * MS);
	assert_int_equal(forward_batch_due(&b, true), 9100 * MS);
	/* A full batch is sent at once unless a message is unacknowledged; a batch of
	 * WIRE_MAX_LINES bytes also then. */
	fill(&b, FORWARD_FULL_BYTES, 9010 * MS);
	assert_true(forward_batch_due(&b, true) <= 9010 * MS);
	assert_int_equal(forward_batch_due(&b, false), NS_NONE);
	fill(&b, WIRE_MAX_LINES - FORWARD_FULL_BYTES, 9020 * MS);
	assert_true(forward_batch_due(&b, false) <= 9020 * MS);
	assert_false(forward_batch_takes(&b, 1));
	forward_batch_left(&b, 9020 * MS);
	assert_true(forward_batch_takes(&b, WIRE_MAX_UNPACKED));
	forward_batch_release(&b);
}

#ifdef HAVE_ZSTD

struct packed {
	char text[WIRE_MAX_UNPACKED + 1];
	size_t len;
	uint64_t events, messages, largest;
};

static void message(void *data, uint64_t events, char *bytes, size_t len)
{
	struct packed *p = data;
	unsigned long long says = ZSTD_getFrameContentSize(bytes, len);
	size_t nr = ZSTD_decompress(p->text + p->len, sizeof(p->text) - p->len, bytes, len);

	assert_false(ZSTD_isError(nr));
	assert_true(says == nr);
	p->len += nr;
	p->events += events;
	p->messages++;
	p->largest = len > p->largest ? len : p->largest;
	free(bytes);
}

/* One of the incompressible lines does not fit into a message of 5,000 bytes. */
static void test_pack(void **state)
{
	struct forward_packer *packer = forward_packer_new();
	struct packed *p = calloc(1, sizeof(*p));
	char *lines = malloc(200000), *at = lines;
	uint64_t lost = 0;
	size_t big_at = 0, big = 0;

	(void)state;
	srandom(7);
	for (int i = 0; i < 100; i++) {
		size_t nr = i == 50 ? 100000 : 500;

		if (i == 50) {
			big_at = (size_t)(at - lines);
			big = nr;
		}
		for (size_t k = 0; k + 1 < nr; k++)
			*at++ = (char)(' ' + random() % 90);
		*at++ = '\n';
	}
	forward_pack(packer, lines, (size_t)(at - lines), 1 << 20, message, p, &lost);
	assert_int_equal(p->messages, 1);
	assert_int_equal(p->events, 100);
	assert_int_equal(p->len, at - lines);
	assert_memory_equal(p->text, lines, p->len);
	memset(p, 0, sizeof(*p));
	forward_pack(packer, lines, (size_t)(at - lines), 5000, message, p, &lost);
	assert_int_equal(lost, 1);
	assert_int_equal(p->events, 99);
	assert_true(p->messages > 5);
	assert_true(p->largest <= 5000);
	memmove(lines + big_at, lines + big_at + big, (size_t)(at - lines) - big_at - big);
	assert_int_equal(p->len, (size_t)(at - lines) - big);
	assert_memory_equal(p->text, lines, p->len);
	free(lines);
	free(p);
	forward_packer_free(packer);
}

#endif

static uint64_t next_seq;

static void push(struct forward_queue *q, uint64_t events, size_t len)
{
	struct wire_id id = { 1000, next_seq++ };
	struct wire_head head = { .wall_ns = 1, .events = events };
	char *bytes = malloc(len);

	assert_non_null(bytes);
	memset(bytes, (int)('a' + id.seq % 26), len);
	forward_queue_push(q, &id, &head, bytes, len);
}

/* Take the messages of a queue. Returns the number of events that they report as lost. */
static uint64_t take_all(struct forward_queue *q, uint64_t *events, uint64_t *filtered)
{
	struct forward_message *m;
	uint64_t lost = 0, last = 0;

	while ((m = forward_queue_first(q))) {
		assert_true(m->id.seq >= last);
		last = m->id.seq;
		for (size_t i = 0; i < m->len; i++)
			assert_int_equal(m->bytes[i], 'a' + m->id.seq % 26);
		*events += m->head.events;
		lost += m->head.lost;
		*filtered += m->head.filtered;
		forward_queue_done(q);
	}
	return lost;
}

static void test_queue_drops_oldest(void **state)
{
	uint64_t events = 0, filtered = 0;
	struct forward_queue q;

	(void)state;
	next_seq = 0;
	forward_queue_init(&q, 1000, NULL);
	push(&q, 10, 300);
	assert_int_equal(forward_queue_first(&q)->id.seq, 0);
	q.filtered = 4;
	push(&q, 20, 300); /* dropped; a later message reports its filtered events */
	forward_queue_lose(&q, 3);
	push(&q, 30, 300); /* dropped, too */
	push(&q, 40, 300);
	assert_int_equal(q.nr, 3);
	push(&q, 50, 300);
	/* A new message never replaces the one that is being sent. */
	assert_int_equal(q.first->id.seq, 0);
	assert_int_equal(q.first->next->id.seq, 3);
	assert_int_equal(q.first->next->head.lost, 20 + 30 + 3);
	assert_int_equal(q.lost_ever, 20 + 30 + 3);
	assert_int_equal(take_all(&q, &events, &filtered), 53);
	assert_int_equal(events, 10 + 40 + 50);
	assert_int_equal(filtered, 4);
	/* A message larger than the limit is accepted, and those not being sent are dropped. */
	push(&q, 1, 600);
	push(&q, 2, 5000);
	assert_int_equal(q.nr, 1);
	assert_int_equal(q.first->head.lost, 1);
	/* The next message reports as lost the events of a dropped message, and those that the
	 * dropped message reported. */
	forward_queue_drop_first(&q);
	assert_int_equal(q.bytes, 0);
	push(&q, 5, 10);
	assert_int_equal(q.first->head.lost, 3);
	forward_queue_release(&q);
}

#define OTHER_UID 65534 /* a user that is not root */

static char dir[64];

static int setup(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "test_forward.XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	char path[400];

	(void)state;
	if (!getuid() && seteuid(0))
		return -1;
	while (d && (e = readdir(d))) {
		snprintf(path, sizeof(path), "%s/%s", dir, e->d_name);
		unlink(path);
	}
	closedir(d);
	return rmdir(dir);
}

static struct spool *open_spool(void)
{
	char why[300];
	struct spool *s = spool_open(dir, why, sizeof(why));

	if (!s)
		fail_msg("%s", why);
	return s;
}

static unsigned count_files(void)
{
	DIR *d = opendir(dir);
	struct dirent *e;
	unsigned nr = 0;

	while ((e = readdir(d)))
		nr += *e->d_name != '.';
	closedir(d);
	return nr;
}

/* Users who can write to the directory of the spool could add messages. */
static void test_spool_refuses_writable_directory(void **state)
{
	char why[300], path[200];
	struct wire_head head = { .events = 1 };
	struct wire_id id = { .run = 1 };
	struct spool *s;

	(void)state;
	assert_int_equal(chmod(dir, 0770), 0);
	assert_null(spool_open(dir, why, sizeof(why)));
	assert_non_null(strstr(why, "is writable by other users"));
	assert_int_equal(chmod(dir, 0700), 0);
	/* A FIFO with the name of the temporary file does not prevent writing. */
	s = open_spool();
	snprintf(path, sizeof(path), "%s/.writing", dir);
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_true(spool_write(s, &id, &head, "x", 1));
	spool_remove(s, &id);
	spool_close(s);
}

/* The next run first sends, in order, the messages that were left because the server was
 * unreachable. */
static void test_spool_resumes(void **state)
{
	uint64_t events = 0, filtered = 0;
	struct forward_queue q;
	struct stat st;
	char path[200], why[300];

	(void)state;
	next_seq = 0;
	forward_queue_init(&q, 1000, open_spool());
	/* The directory of the spool can be locked only once. */
	assert_null(spool_open(dir, why, sizeof(why)));
	assert_non_null(strstr(why, "another trace2top"));
	for (int i = 0; i < 12; i++)
		push(&q, 10, 100);
	/* Memory must hold at most half of `max_bytes`; the other messages must be on disk. */
	assert_int_equal(q.bytes, 500);
	assert_int_equal(count_files(), 7);
	forward_queue_lose(&q, 7);
	push(&q, 1, 100);
	forward_queue_end(&q);
	assert_int_equal(q.lost_ever, 7);
	forward_queue_release(&q);
	assert_int_equal(count_files(), 13);
	snprintf(path, sizeof(path), "%s/0000000000000001000-0000000000", dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);

	forward_queue_init(&q, 1000, open_spool());
	assert_int_equal(q.nr, 13);
	next_seq = 100;
	push(&q, 1000, 100);
	assert_int_equal(take_all(&q, &events, &filtered), 7);
	assert_int_equal(events, 12 * 10 + 1 + 1000);
	assert_int_equal(count_files(), 0);
	forward_queue_release(&q);
}

static void tear(const char *name, off_t len)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", dir, name);
	assert_int_equal(truncate(path, len), 0);
}

/* Truncated files are not sent; their events are reported as lost if their number is known. */
static void test_spool_torn(void **state)
{
	uint64_t events = 0, filtered = 0;
	struct forward_queue q;
	char path[200];

	(void)state;
	next_seq = 0;
	forward_queue_init(&q, 0, open_spool());
	for (int i = 0; i < 5; i++)
		push(&q, 10, 100);
	forward_queue_end(&q);
	forward_queue_release(&q);
	tear("0000000000000001000-0000000001", WIRE_HEAD_BYTES + 99);
	tear("0000000000000001000-0000000002", WIRE_HEAD_BYTES - 1);
	tear("0000000000000001000-0000000003", 0);
	snprintf(path, sizeof(path), "%s/notes", dir);
	close(open(path, O_CREAT | O_WRONLY, 0600));
	forward_queue_init(&q, 1000, open_spool());
	assert_int_equal(q.nr, 2);
	assert_int_equal(q.lost, 10);
	push(&q, 1, 10);
	assert_int_equal(take_all(&q, &events, &filtered), 10);
	assert_int_equal(events, 21);
	/* Files of other programs stay. */
	assert_int_equal(count_files(), 1);
	/* The events of a file that another program removes are reported as lost. */
	for (int i = 0; i < 3; i++)
		push(&q, 10, 100);
	forward_queue_end(&q);
	snprintf(path, sizeof(path), "%s/0000000000000001000-%010d", dir, 7);
	assert_int_equal(unlink(path), 0);
	events = 0;
	assert_int_equal(take_all(&q, &events, &filtered), 10);
	assert_int_equal(events, 20);
	forward_queue_release(&q);
}

static void test_spool_keeps_unreadable_messages(void **state)
{
	struct forward_queue q;
	char path[200];

	(void)state;
	/* Root can read any file. */
	if (!geteuid() && (chown(dir, OTHER_UID, (gid_t)-1) || seteuid(OTHER_UID)))
		skip();
	next_seq = 0;
	forward_queue_init(&q, 0, open_spool());
	push(&q, 10, 100);
	push(&q, 20, 100);
	forward_queue_end(&q);
	forward_queue_release(&q);
	snprintf(path, sizeof(path), "%s/0000000000000001000-0000000000", dir);
	assert_int_equal(chmod(path, 0), 0);
	forward_queue_init(&q, 1000, open_spool());
	assert_int_equal(q.nr, 1);
	assert_int_equal(q.lost, 0);
	forward_queue_release(&q);
	assert_int_equal(chmod(path, 0600), 0);
	forward_queue_init(&q, 1000, open_spool());
	assert_int_equal(q.nr, 2);
	forward_queue_release(&q);
}

static void test_spool_rewrites_head(void **state)
{
	struct forward_queue q;

	(void)state;
	next_seq = 0;
	forward_queue_init(&q, 0, open_spool());
	push(&q, 10, 100);
	push(&q, 20, 100);
	push(&q, 30, 100);
	forward_queue_end(&q);
	forward_queue_drop_first(&q);
	assert_int_equal(q.first->head.lost, 10);
	forward_queue_release(&q);
	forward_queue_init(&q, 0, open_spool());
	assert_int_equal(q.nr, 2);
	assert_int_equal(q.first->head.lost, 10);
	assert_int_equal(q.first->head.events, 20);
	forward_queue_release(&q);
}

static void descriptors(bool some)
{
	static struct rlimit before;
	struct rlimit none;

	if (!some)
		assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
	none = before;
	none.rlim_cur = some ? before.rlim_cur : 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
}

static void test_spool_waits_for_descriptors(void **state)
{
	uint64_t events = 0, filtered = 0;
	struct forward_queue q;
	struct spool *spool;

	(void)state;
	next_seq = 0;
	forward_queue_init(&q, 0, open_spool());
	for (int i = 0; i < 3; i++)
		push(&q, 10, 100);
	forward_queue_end(&q);
	descriptors(false);
	assert_null(forward_queue_first(&q));
	assert_int_equal(q.read_error, EMFILE);
	descriptors(true);
	assert_int_equal(q.nr, 3);
	assert_int_equal(q.lost_ever, 0);
	/* The message that is being sent still has its file. */
	assert_non_null(forward_queue_first(&q));
	assert_int_equal(q.read_error, 0);
	descriptors(false);
	forward_queue_end(&q);
	descriptors(true);
	assert_int_equal(q.lost_ever, 0);
	forward_queue_release(&q);
	assert_int_equal(count_files(), 3);
	/* Files that cannot be read at startup stay for the next run. */
	spool = open_spool();
	descriptors(false);
	forward_queue_init(&q, 0, spool);
	descriptors(true);
	assert_int_equal(q.nr, 0);
	forward_queue_release(&q);
	assert_int_equal(count_files(), 3);
	forward_queue_init(&q, 0, open_spool());
	assert_int_equal(take_all(&q, &events, &filtered), 0);
	assert_int_equal(events, 30);
	assert_int_equal(count_files(), 0);
	forward_queue_release(&q);
}

static void test_spool_rewrites_head_at_the_end(void **state)
{
	struct forward_queue q;

	(void)state;
	next_seq = 0;
	forward_queue_init(&q, 0, open_spool());
	push(&q, 10, 100);
	push(&q, 20, 100);
	forward_queue_end(&q);
	descriptors(false);
	forward_queue_drop_first(&q);
	descriptors(true);
	forward_queue_end(&q);
	forward_queue_release(&q);
	forward_queue_init(&q, 0, open_spool());
	assert_int_equal(q.nr, 1);
	assert_int_equal(q.first->head.lost, 10);
	forward_queue_release(&q);
}

static void test_acks(void **state)
{
	static const struct {
		const char *text;
		enum forward_ack ack;
		const char *why;
	} rows[] = {
		{ "{\"stream\":\"EVENTS\",\"seq\":7}", FORWARD_STORED, "" },
		{ "{\"stream\":\"EVENTS\", \"seq\": 7, \"duplicate\": true}", FORWARD_STORED, "" },
		{ "{\"type\":\"x\",\"error\":{\"code\":503,\"err_code\":10077,"
		  "\"description\":\"maximum bytes exceeded\"},\"stream\":\"EVENTS\",\"seq\":0}",
		  FORWARD_REFUSED, "maximum bytes exceeded" },
		{ "{\"error\":{}}", FORWARD_REFUSED, "no reason given" },
		{ "{\"error\":null}", FORWARD_REFUSED, "no reason given" },
		{ "{\"error\":{\"description\":\"a\\u001b[2Jb\"}}", FORWARD_REFUSED, "a?[2Jb" },
		{ "", FORWARD_UNCLEAR, "" },
		{ "+ACK", FORWARD_UNCLEAR, "" },
		{ "{}", FORWARD_UNCLEAR, "" },
		{ "{\"seq\":\"7\"}", FORWARD_UNCLEAR, "" },
		{ "{\"seq\":7", FORWARD_UNCLEAR, "" },
		{ "{\"seq\":7,}", FORWARD_UNCLEAR, "" },
		{ "{\"a\":{\"seq\":7}}", FORWARD_UNCLEAR, "" },
		{ "[7]", FORWARD_UNCLEAR, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		char why[100] = "";

		assert_int_equal(
			forward_ack_parse(rows[i].text, strlen(rows[i].text), why, sizeof(why)),
			rows[i].ack);
		assert_string_equal(why, rows[i].why);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_batch_due),
#ifdef HAVE_ZSTD
		cmocka_unit_test(test_pack),
#endif
		cmocka_unit_test(test_queue_drops_oldest),
		cmocka_unit_test_setup_teardown(test_spool_refuses_writable_directory, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_spool_resumes, setup, teardown),
		cmocka_unit_test_setup_teardown(test_spool_torn, setup, teardown),
		cmocka_unit_test_setup_teardown(test_spool_keeps_unreadable_messages, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_spool_rewrites_head, setup, teardown),
		cmocka_unit_test_setup_teardown(test_spool_waits_for_descriptors, setup, teardown),
		cmocka_unit_test_setup_teardown(test_spool_rewrites_head_at_the_end, setup,
						teardown),
		cmocka_unit_test(test_acks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
