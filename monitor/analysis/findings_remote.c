/* SPDX-License-Identifier: MIT */
/* findings about connections to other repositories */
#include "config.h"
#include "monitor/analysis/findings_check.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/analysis/format_text.h"
#include "monitor/base/humanize.h"
#include "monitor/base/platform.h"

/*
 * Report the time from the start of a transport to its first answer, the version of the protocol.
 * `beside`: time in ns to subtract, in which Git waited for something else.
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

/* Return the first transport that `match` selects and that has a traced process; NULL: none. Sets
 * `*slot` to its parent. */
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
	/* subtract the time in which Git may have waited for a password */
	check_setup(l, is_http, held_of_kind(l, PART_PERSON) + held_by_credential_helpers(l));
}

/* A Git without the region receive_status waits for the server's answer in push_refs. */
static bool in_receive_status(const char *category, const char *label)
{
	return (!strcmp(category, "send_pack") && !strcmp(label, "receive_status")) ||
	       (!strcmp(category, "transport_push") && !strcmp(label, "push_refs"));
}

void check_slow_server(struct looking *l)
{
	ns_t held = held_in(l, in_receive_status);

	/* a slow-hook finding may account for the same time */
	if (held && !root_has_finding(l, FINDING_SLOW_HOOK))
		report_finding(l, l->root, held, "waited for its answer");
}

void check_slow_http(struct looking *l)
{
	uint32_t slot;
	const struct child *child = find_transport(l, is_http, &slot);
	struct tr2_buf words;
	ns_t held = child ? held_waiting(l) : 0;

	/* other findings report parts of the waiting: for the first answer, for rounds of requests,
	 * or for the answer to a push */
	if (!held || !can_hold(l, held) || root_has_finding(l, FINDING_HTTP_SETUP) ||
	    root_has_finding(l, FINDING_NEGOTIATION_ROUNDS) ||
	    root_has_finding(l, FINDING_SLOW_SERVER))
		return;
	tr2_buf_init(&words, 4096);
	append_words(l->m, &child->argv, &words);
	report_finding(l, slot, held, "%.*s", (int)words.len, words.data);
	tr2_buf_release(&words);
}

#define ERROR_BYTES 200

static bool is_below_child(const struct model *m, uint32_t slot, uint32_t parent, uint32_t child)
{
	const struct process *p = model_slot(m, slot);

	while (p->parent != SLOT_NONE && p->parent != parent)
		p = model_slot(m, p->parent);
	return p->parent == parent && p->link == child;
}

/*
 * Return the error that probably explains why child number `child` of process `*slot` failed; NULL:
 * none. Sets `*slot` to the process that reported the error.
 */
static const struct error_item *transport_error(const struct looking *l, uint32_t *slot,
						uint32_t child)
{
	uint32_t parent = *slot;

	for (uint32_t i = 0; i < l->nr; i++)
		if (looking_process(l, i)->errors.nr &&
		    is_below_child(l->m, l->slots[i], parent, child))
			*slot = l->slots[i];
	if (!model_slot(l->m, *slot)->errors.nr)
		return NULL;
	return PROCESS_ITEM(l->m, &model_slot(l->m, *slot)->errors, error_item,
			    model_slot(l->m, *slot)->errors.nr - 1);
}

/* True if the transport's parent failed, and the transport failed or has neither child_exit nor
 * child_ready. */
static bool pipe_failed(const struct looking *l, const struct process *p, const struct child *child)
{
	if (!child_is_pipe(l->m, child) || child->begin_at == NS_NONE)
		return false;
	if (child->exit_at == NS_NONE && child->ready_at == NS_NONE)
		return process_failed(p);
	return process_failed(p) && child->code != NUM_NONE && child->code != 0;
}

/* Return the line that ends before offset `*len`, without trailing blanks and line ends. Sets
 * `*len` to the start of the line. */
static const char *output_line_before(const char *output, size_t *len, size_t *line_len)
{
	size_t end = *len, begin;

	while (end && strchr("\r\n ", output[end - 1]))
		end--;
	for (begin = end; begin && output[begin - 1] != '\n' && output[begin - 1] != '\r';)
		begin--;
	*len = begin;
	*line_len = end - begin;
	return output + begin;
}

/*
 * Append the line before Git's error in the output of the command or, if the output does not have
 * that error, the last line.
 */
static void append_output_line(const struct looking *l, const char *msg, size_t msg_len,
			       struct tr2_buf *out)
{
	size_t len = l->of->output_len, line_len = 0;
	const char *output = l->of->output, *line = output, *own = NULL;

	if (!output || !l->of->own_command)
		return;
	own = msg_len ? platform_find(output, len, msg, msg_len) : NULL;
	if (own) {
		/* skip the line of Git's error itself */
		len = (size_t)(own - output);
		output_line_before(output, &len, &line_len);
	}
	line = output_line_before(output, &len, &line_len);
	if (!line_len)
		return;
	tr2_buf_addstr(out, "; output: ");
	format_cut(line, line_len, ERROR_BYTES, out);
}

static void report_remote_failed(struct looking *l, uint32_t slot, uint32_t number)
{
	const struct child *child = process_child(l->m, model_slot(l->m, slot), number);
	const struct error_item *error = transport_error(l, &slot, number);
	struct tr2_buf text;

	tr2_buf_init(&text, 4096);
	format_child_name(l->m, child, &text);
	if (error && error->has_msg) {
		const char *msg = model_text(l->m, error->msg);
		const char *lf = memchr(msg, '\n', error->msg.len);
		size_t len = lf ? (size_t)(lf - msg) : error->msg.len;

		tr2_buf_addstr(&text, ": ");
		format_cut(msg, len, ERROR_BYTES, &text);
		append_output_line(l, msg, len, &text);
	} else {
		if (child->code != NUM_NONE)
			tr2_buf_addf(&text, " exited with %" PRId64, child->code);
		append_output_line(l, NULL, 0, &text);
	}
	report_finding(l, slot, 0, "%.*s", (int)text.len, text.data);
	tr2_buf_release(&text);
}

void check_remote_failed(struct looking *l)
{
	for (uint32_t i = 0; i < l->nr; i++) {
		const struct process *p = looking_process(l, i);

		for (uint32_t k = 0; k < p->children.nr; k++) {
			if (!pipe_failed(l, p, process_child(l->m, p, k)))
				continue;
			report_remote_failed(l, l->slots[i], k);
			return;
		}
	}
}
