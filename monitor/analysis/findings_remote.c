/* SPDX-License-Identifier: MIT */
/* Findings for Git users about waiting for the other side of a connection. */
#include "config.h"
#include "monitor/analysis/findings_check.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/base/humanize.h"

/*
 * Report the time from the start of a transport to its first answer, which the HTTP helper also
 * reports. `beside`: time spent waiting for something that has a finding of its own.
 */
static void check_setup(struct looking *l, bool (*is_transport)(const char *child_class),
			ns_t beside)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);
		const struct data_item *answer =
			datum_of(l, l->slots[i], "transfer", "negotiated-version");

		for (uint32_t k = 0; answer && k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);
			char child_class[32];

			sym_copy(l->m, child->child_class, child_class, sizeof(child_class));
			if (!is_transport(child_class) || child->begin_at == NS_NONE ||
			    answer->t_abs == NS_NONE ||
			    ns_sub(answer->t_abs, beside) <= child->begin_at)
				continue;
			report_finding(
				l, l->slots[i], answer->t_abs - child->begin_at - beside,
				"%s from its start to the first answer",
				human_duration(answer->t_abs - child->begin_at - beside).text);
			return;
		}
	}
}

static bool is_ssh(const char *child_class)
{
	return !strcmp(child_class, "transport/ssh");
}

void check_ssh_setup(struct looking *l)
{
	check_setup(l, is_ssh, 0);
}

static bool is_http(const char *child_class)
{
	return !strcmp(child_class, "remote-http") || !strcmp(child_class, "remote-https");
}

/* Return the first child of a transport class that `match` selects and that was traced; NULL: none.
 * `*slot` is set to its parent. */
static const struct child *find_transport(const struct looking *l,
					  bool (*match)(const char *child_class), uint32_t *slot)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);

		for (uint32_t k = 0; k < p->children.nr; k++) {
			const struct child *child = process_child(l->m, p, k);
			char child_class[32];

			sym_copy(l->m, child->child_class, child_class, sizeof(child_class));
			if (!match(child_class) || !child->nr_processes)
				continue;
			*slot = l->slots[i];
			return child;
		}
	}
	return NULL;
}

void check_http_setup(struct looking *l)
{
	/* Git may have waited for a password meanwhile. */
	check_setup(l, is_http, held_of_kind(l, PART_PERSON) + held_by_credential_helpers(l));
}

/* Older Git (2.39) has no region for the answer: it waits in the region around it. */
static bool in_receive_status(const char *category, const char *label)
{
	return (!strcmp(category, "send_pack") && !strcmp(label, "receive_status")) ||
	       (!strcmp(category, "transport_push") && !strcmp(label, "push_refs"));
}

void check_slow_server(struct looking *l)
{
	ns_t held = held_in(l, in_receive_status);

	/* A hook of the server that is traced has a finding of its own. */
	if (held && !root_has_finding(l, FINDING_SLOW_HOOK))
		report_finding(l, l->root, held, "waited for its answer");
}

void check_slow_http(struct looking *l)
{
	uint32_t slot;
	const struct child *child = find_transport(l, is_http, &slot);
	struct tr2_buf words;
	ns_t held = child ? held_waiting(l) : 0;

	/* The first answer, rounds of requests and the answer to a push have findings of their own. */
	if (!held || !can_hold(l, held) || root_has_finding(l, FINDING_HTTP_SETUP) ||
	    root_has_finding(l, FINDING_NEGOTIATION_ROUNDS) ||
	    root_has_finding(l, FINDING_SLOW_SERVER))
		return;
	tr2_buf_init(&words, 4096);
	append_words(l->m, &child->argv, &words);
	report_finding(l, slot, held, "%.*s", (int)words.len, words.data);
	tr2_buf_release(&words);
}
