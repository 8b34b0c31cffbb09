/* SPDX-License-Identifier: MIT */
/* Tests of processes and events that come from agents. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/tr2_sha1.h"
#include "monitor/analysis/live.h"
#include "monitor/app/liveness.h"
#include "monitor/history/journal_order.h"
#include "tests/journal_script.h"

static const struct model_config config = { .nesting = -1 };

static struct journal *journal_of(struct script *s, struct model *m)
{
	struct journal *journal = journal_new(1 << 20, NULL, NULL);
	const struct batch *batch;

	for (unsigned i = 0; i < s->nr_batches; i++)
		journal_push(journal, s->batches[i]);
	s->nr_batches = 0;
	script_cut(s);
	while ((batch = journal_next(journal)))
		model_apply(m, batch);
	model_settle(m);
	return journal;
}

static void assigns_a_process_to_the_agent_of_its_first_event(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_init(&s);
	script_agent_stream(&s, 1, 0, true, "lab.one");
	script_event(&s, "start", "s1", 0, "");
	script_agent_stream(&s, 2, 0, true, "lab.two");
	script_event(&s, "start", "s2", 0, "");
	script_event(&s, "exit", "s1", 1, "'code':0");
	script_stream(&s, 3, 0, true);
	script_event(&s, "start", "s3", 0, "");
	m = script_model(&s, -1, 0);
	assert_true(script_sym_is(m, script_process(m, "s1")->agent, "lab.one"));
	assert_true(script_sym_is(m, script_process(m, "s2")->agent, "lab.two"));
	assert_int_equal(script_process(m, "s3")->agent, SYM_NONE);
	assert_true(model_has_agents(m));
	model_free(m);
	script_release(&s);
}

static void keeps_one_agent_across_connections(void **state)
{
	struct script s;
	struct model *m;

	(void)state;
	script_init(&s);
	script_agent_stream(&s, 1, 0, true, "lab.one");
	script_event(&s, "start", "s1", 0, "");
	script_agent_stream(&s, 2, 0, true, "lab.one");
	script_event(&s, "start", "s2", 0, "");
	m = script_model(&s, -1, 0);
	assert_false(model_has_agents(m));
	model_free(m);
	script_release(&s);
}

/* The clock of the first agent's host is 20 minutes slow, that of the second 20 minutes fast. */
static void running_durations_use_the_clock_of_the_host(void **state)
{
	ns_t now = SCRIPT_T0_SECONDS * NS_PER_SEC + 2000 * NS_PER_SEC;
	const struct process *p, *q;
	const struct batch *batch;
	struct journal *journal;
	struct script s;
	struct model *m;

	(void)state;
	script_init(&s);
	m = model_new(&s.syms, &config);
	s.skew = 1200;
	script_agent_stream(&s, 1, 1990, true, "lab.one");
	script_event(&s, "start", "s1", 790, "");
	script_event(&s, "child_start", "s1", 794, "'child_id':0,'argv':['c']");
	s.skew = -1200;
	script_agent_stream(&s, 2, 1993, true, "lab.two");
	script_event(&s, "start", "s2", 3193, "");
	script_event(&s, "region_enter", "s2", 3198, "'nesting':1,'category':'c','label':'l'");
	journal = journal_of(&s, m);
	for (int pass = 0; pass < 2; pass++) {
		p = script_process(m, "s1");
		q = script_process(m, "s2");
		assert_int_equal(p->start, SCRIPT_T0_SECONDS * NS_PER_SEC + 790 * NS_PER_SEC);
		assert_int_equal(process_time(p, now), 10 * NS_PER_SEC);
		assert_int_equal(child_time(p, process_child(m, p, 0), now), 6 * NS_PER_SEC);
		assert_int_equal(process_time(q, now), 7 * NS_PER_SEC);
		assert_int_equal(region_time(q, thread_open(m, process_thread(m, q, 0), 0), now),
				 2 * NS_PER_SEC);
		assert_int_equal(thread_end(q, process_thread(m, q, 0), now),
				 now + 1200 * NS_PER_SEC);
		/* Sorting the journal must not change the times. */
		assert_true(journal_order_sort(journal, NULL, NULL));
		model_free(m);
		m = model_new(&s.syms, &config);
		for (uint64_t seq = journal_first_seq(journal); seq < journal_end_seq(journal);
		     seq++) {
			batch = journal_at(journal, seq);
			model_apply(m, batch);
		}
	}
	model_free(m);
	journal_free(journal);
	script_release(&s);
}

/* The clock of the second host is 100 seconds slow. */
static void orders_agents_by_the_server_time(void **state)
{
	static const char *const order[] = { "s1", "s2", "s1", "s2", "s3" };
	const struct batch *batch;
	struct journal *journal;
	struct script s;
	struct model *m;
	struct event ev;
	unsigned nr = 0;

	(void)state;
	script_init(&s);
	m = model_new(&s.syms, &config);
	script_stream(&s, 3, 3000, false);
	script_event(&s, "start", "s3", 500, "");
	script_agent_stream(&s, 1, 100, false, "lab.one");
	script_event(&s, "start", "s1", 99, "");
	script_agent_stream(&s, 2, 101, false, "lab.two");
	script_event(&s, "start", "s2", 1, "");
	script_agent_stream(&s, 1, 102, false, "lab.one");
	script_event(&s, "exit", "s1", 101, "'code':0");
	script_agent_stream(&s, 2, 103, false, "lab.two");
	script_event(&s, "exit", "s2", 3, "'code':0");
	journal = journal_of(&s, m);
	assert_true(journal_order_sort(journal, NULL, NULL));
	model_free(m);
	m = model_new(&s.syms, &config);
	for (uint64_t seq = journal_first_seq(journal); seq < journal_end_seq(journal); seq++) {
		batch = journal_at(journal, seq);
		model_apply(m, batch);
		for (struct batch_cursor c = batch_begin(batch); batch_next(&c, &ev);) {
			const char *sid;
			size_t len;

			if (!event_is_trace2(&ev))
				continue;
			sid = batch_sid_text(batch, (uint32_t)ev.v[TR2_F_SID], &len);
			assert_true(nr < 5 && !strncmp(sid, order[nr], len));
			nr++;
		}
	}
	assert_int_equal(nr, 5);
	model_settle(m);
	assert_true(script_sym_is(m, script_process(m, "s1")->agent, "lab.one"));
	assert_true(script_sym_is(m, script_process(m, "s2")->agent, "lab.two"));
	assert_int_equal(script_process(m, "s3")->agent, SYM_NONE);
	model_free(m);
	journal_free(journal);
	script_release(&s);
}

static void host_part(char out[12])
{
	char name[256] = "";
	uint8_t digest[20];

	gethostname(name, sizeof(name) - 1);
	tr2_sha1(name, strlen(name), digest);
	snprintf(out, 12, "H%02x%02x%02x%02x", digest[0], digest[1], digest[2], digest[3]);
}

/* Containers may share a host name, so a process from an agent may have the pid of a local one. */
static void never_checks_the_pid_of_an_agent(void **state)
{
	const char *agents[] = { NULL, "lab.one" };

	(void)state;
#ifdef TR2_PORTABLE /* the portable build does not know when processes started */
	skip();
#endif
	for (int i = 0; i < 2; i++) {
		struct liveness liveness = { 0 };
		struct journal *journal;
		struct script s;
		struct model *m;
		char sid[80], host[12];
		int nr = 0;

		host_part(host);
		snprintf(sid, sizeof(sid), "20380102T030400.000000Z-%s-P%08x", host, getpid());
		script_init(&s);
		m = model_new(&s.syms, &config);
		script_agent_stream(&s, 1, 0, true, agents[i]);
		script_event(&s, "start", sid, 0, "");
		journal = journal_of(&s, m);
		liveness_check(&liveness, m, journal);
		for (const struct batch *batch; (batch = journal_next(journal));) {
			struct event ev;

			for (struct batch_cursor c = batch_begin(batch); batch_next(&c, &ev);)
				nr += ev.kind == REC_PID_SEEN;
		}
		assert_int_equal(nr, !agents[i]);
		model_free(m);
		journal_free(journal);
		script_release(&s);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(assigns_a_process_to_the_agent_of_its_first_event),
		cmocka_unit_test(running_durations_use_the_clock_of_the_host),
		cmocka_unit_test(keeps_one_agent_across_connections),
		cmocka_unit_test(orders_agents_by_the_server_time),
		cmocka_unit_test(never_checks_the_pid_of_an_agent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
