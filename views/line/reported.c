/* SPDX-License-Identifier: MIT */
/* The report of a process has a state: KNOWN (nothing was reported), STARTED or COUNTED (its start
 * was reported with its command, or counted for a merged line), at last ENDED, also directly after
 * KNOWN. */
#include "config.h"
#include "views/line/reported.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/analysis/errors.h"
#include "monitor/analysis/live.h"
#include "monitor/analysis/parts.h"
#include "monitor/analysis/format_text.h"
#include "monitor/base/grow.h"
#include "monitor/base/humanize.h"
#include "monitor/base/platform.h"
#include "views/line/sentence.h"

enum told_state { TOLD_KNOWN, TOLD_STARTED, TOLD_COUNTED, TOLD_ENDED };

struct reported_change {
	uint32_t slot;
	bool ends;
	ns_t time;
};

/* Durations after which a sentence reports that a process is still waiting for a known reason. */
static const ns_t wait_times[] = { 5 * NS_PER_SEC, 30 * NS_PER_SEC, 120 * NS_PER_SEC };
#define NR_WAIT_TIMES (sizeof(wait_times) / sizeof(*wait_times))

/* A process that started longer ago than this is reported as running, not as started. */
#define STARTED_NS (2 * NS_PER_SEC)
/* Number of events of a process after which its start is reported even without a command line. */
#define EVENTS_WAITED 3
/* Maximum number of processes (a failed one and its descendants) among which a reason of the
 * failure is searched. */
#define MAX_BELOW 1000u

void reported_init(struct reported *told, int64_t depth, bool ascii)
{
	*told = (struct reported){ .depth = depth, .ascii = ascii, .version = UINT64_MAX };
	pace_init(&told->pace);
}

void reported_release(struct reported *told)
{
	free(told->processes);
	free(told->changes);
	tr2_hash_index_release(&told->by_hash);
	waits_release(&told->waits);
}

static uint32_t reported_hash_of(const void *data, uint32_t number)
{
	return (uint32_t)((const struct reported *)data)->processes[number].handle.sid_hash;
}

static struct reported_process *reported_find(const struct reported *told, struct handle handle)
{
	if (!told->by_hash.at)
		return NULL;
	TR2_HASH_INDEX_EACH(&told->by_hash, handle.sid_hash, at)
	{
		struct reported_process *p = &told->processes[told->by_hash.at[at] - 1];

		if (handle_equal(p->handle, handle))
			return p;
	}
	return NULL;
}

static struct reported_process *reported_take(struct reported *told, struct handle handle)
{
	struct reported_process *p = reported_find(told, handle);

	if (p)
		return p;
	GROW(told->processes, told->nr, told->cap, 64);
	told->processes[told->nr] = (struct reported_process){ .handle = handle };
	if (!tr2_hash_index_put(&told->by_hash, (uint32_t)handle.sid_hash, told->nr,
				reported_hash_of, told))
		die("out of memory");
	return &told->processes[told->nr++];
}

static uint64_t reported_number_of(struct reported *told, struct reported_process *p)
{
	if (!p->number)
		p->number = ++told->last_number;
	return p->number;
}

uint64_t reported_number(struct reported *told, struct handle process)
{
	return reported_number_of(told, reported_take(told, process));
}

struct handle reported_process(const struct reported *told, uint64_t number)
{
	for (uint32_t i = 0; number && i < told->nr; i++)
		if (told->processes[i].number == number)
			return told->processes[i].handle;
	return HANDLE_NONE;
}

/* Remove processes that the model has evicted, once the evicted ones may be half of all. */
static void forget(struct reported *told, const struct model *model)
{
	uint32_t to = 0;

	if (told->nr < 2 * told->nr_kept + 1024)
		return;
	for (uint32_t i = 0; i < told->nr; i++)
		if (model_process(model, model_handle_here(model, told->processes[i].handle)))
			told->processes[to++] = told->processes[i];
	told->nr = told->nr_kept = to;
	tr2_hash_index_clear(&told->by_hash);
	for (uint32_t i = 0; i < to; i++)
		tr2_hash_index_put(&told->by_hash, reported_hash_of(told, i), i, reported_hash_of,
				   told);
}

static void reported_add_text(struct reported *told, struct tr2_buf *text, int cells,
			      struct tr2_buf *out)
{
	sentence_text(out, tr2_buf_cstr(text), text->len, cells, told->ascii);
}

/* Append a process's command line without the program's directory, or its name if it has no command
 * line. */
static void add_command(struct reported *told, const struct model *model, const struct process *p,
			struct tr2_buf *out)
{
	struct tr2_buf text = { .max = SAY_MAX_BYTES };
	struct strings_cursor argv = strings_begin(model, &p->argv);
	const char *program, *slash;
	size_t name_len, len;

	program = strings_next(&argv, &len);
	if (program) {
		slash = platform_find_last(program, '/', len);
		if (slash && (size_t)(slash - program) + 1 < len) {
			len -= (size_t)(slash + 1 - program);
			program = slash + 1;
		}
		tr2_buf_add(&text, program, len);
		if (argv.left)
			tr2_buf_addch(&text, ' ');
		format_strings(model, &p->argv, 1, &text);
	} else {
		format_command(model, p, &text, &name_len);
	}
	reported_add_text(told, &text, SENTENCE_COMMAND, out);
	tr2_buf_release(&text);
}

static void add_name(struct reported *told, const struct model *model, const struct process *p,
		     struct tr2_buf *out)
{
	struct tr2_buf text = { .max = SAY_MAX_BYTES };

	format_command_name(model, p, &text);
	reported_add_text(told, &text, SENTENCE_COMMAND, out);
	tr2_buf_release(&text);
}

/* Append the parent, ", under 3: ", if it is known, else ", ". */
static void add_parent(struct reported *told, const struct model *model, const struct process *p,
		       struct tr2_buf *out)
{
	if (p->parent == SLOT_NONE)
		tr2_buf_addstr(out, ", ");
	else
		tr2_buf_addf(out, ", under %" PRIu64 ": ",
			     reported_number(told, model_handle(model, p->parent)));
}

/* Return `root` if it reported an error, or else the first descendant, in the order of
 * model_tree_next(), that did; NULL: none of the first MAX_BELOW did. */
static const struct process *process_with_error(const struct model *model, uint32_t root)
{
	uint32_t left = MAX_BELOW;

	for (uint32_t s = root; s != SLOT_NONE && left--; s = model_tree_next(model, root, s, NULL))
		if (model_slot(model, s)->errors.nr)
			return model_slot(model, s);
	return NULL;
}

/* Append the process's last error or, if it failed without one, the last error of a descendant. An
 * error is not appended twice in succession: a parent often fails for the same reason. */
static void add_last_error(struct reported *told, const struct model *model, uint32_t slot,
			   const char *before, struct tr2_buf *out)
{
	const struct process *p = model_slot(model, slot);
	struct tr2_buf text = { .max = SAY_MAX_BYTES };
	const struct process *of =
		p->errors.nr || process_failed(p) ? process_with_error(model, slot) : NULL;
	uint64_t id = of ? tr2_hash_pair(of->sid_hash, of->nr_errors) : 0;

	if (!of || id == told->last_error)
		return;
	told->last_error = id;
	error_format(model, PROCESS_ITEM(model, &of->errors, error_item, of->errors.nr - 1), &text);
	tr2_buf_addstr(out, before);
	reported_add_text(told, &text, SENTENCE_MESSAGE, out);
	tr2_buf_release(&text);
}

static bool is_trouble(const struct process *p)
{
	return process_failed(p) || p->state == STATE_SIGNALED;
}

static void add_end(const struct process *p, struct tr2_buf *out)
{
	if (process_failed(p))
		tr2_buf_addf(out, " failed with code %" PRId64, p->code);
	else if (p->state == STATE_EXITED)
		tr2_buf_addstr(out, " done");
	else if (p->state == STATE_SIGNALED && p->signo != NUM_NONE)
		tr2_buf_addf(out, " ended by signal %" PRId64, p->signo);
	else if (p->state == STATE_SIGNALED)
		tr2_buf_addstr(out, " ended by a signal");
	else if (p->state == STATE_REPLACED)
		tr2_buf_addstr(out, " became another program");
	else if (p->state == STATE_UNTRACED)
		tr2_buf_addstr(out, " traced no more");
	else
		tr2_buf_addstr(out, " lost");
}

static void add_time(const struct process *p, ns_t now, const char *before, struct tr2_buf *out)
{
	ns_t time = process_time(p, now);

	if (time != NS_NONE)
		tr2_buf_addf(out, "%s%s", before, human_duration(time).text);
}

static void format_start(struct reported *told, struct reported_process *of,
			 const struct analysis *what, const struct process *p, struct tr2_buf *out)
{
	ns_t time = process_time(p, what->now);
	uint32_t number_at = (uint32_t)(of - told->processes);

	tr2_buf_addf(out, "%" PRIu64, reported_number_of(told, of));
	if (time != NS_NONE && time > STARTED_NS)
		tr2_buf_addf(out, " running for %s", human_duration(time).text);
	else
		tr2_buf_addstr(out, " started");
	add_parent(told, what->model, p, out);
	add_command(told, what->model, p, out);
	told->processes[number_at].state = TOLD_STARTED;
}

static void format_end(struct reported *told, struct reported_process *of,
		       const struct analysis *what, uint32_t slot, struct tr2_buf *out)
{
	const struct process *p = model_slot(what->model, slot);
	uint32_t number_at = (uint32_t)(of - told->processes);

	tr2_buf_addf(out, "%" PRIu64, reported_number_of(told, of));
	if (of->state == TOLD_STARTED) {
		tr2_buf_addch(out, ' ');
		add_name(told, what->model, p, out);
	} else {
		add_parent(told, what->model, p, out);
		add_command(told, what->model, p, out);
		tr2_buf_addch(out, ',');
	}
	add_end(p, out);
	add_time(p, what->now, " after ", out);
	if (p->state == STATE_LOST)
		tr2_buf_addstr(out, ": no end event");
	add_last_error(told, what->model, slot,
		       is_trouble(p) || p->state == STATE_LOST ? ": " : ", with an error: ", out);
	told->processes[number_at].state = TOLD_ENDED;
}

static bool is_spoken_of(const struct reported *told, const struct analysis *what, uint32_t slot)
{
	const struct process *p = model_slot(what->model, slot);

	return p->live && (told->depth < 0 || p->depth <= told->depth) &&
	       (!what->filter || filter_process(what->filter, what->model, slot));
}

static void reported_gather(struct reported *told, const struct analysis *what)
{
	const struct model *m = what->model;

	told->nr_changes = 0;
	for (uint32_t s = model_first_slot(m); s != SLOT_NONE; s = model_next_slot(m, s)) {
		const struct process *p = model_slot(m, s);
		bool ended = p->state != STATE_RUNNING;
		const struct reported_process *was;

		if (!is_spoken_of(told, what, s))
			continue;
		was = reported_find(told, model_handle(m, s));
		if (was && (was->state == TOLD_ENDED || (was->state != TOLD_KNOWN && !ended)))
			continue;
		if (!ended && !p->argv.known && p->nr_events < EVENTS_WAITED)
			continue;
		GROW(told->changes, told->nr_changes, told->cap_changes, 64);
		told->changes[told->nr_changes++] =
			(struct reported_change){ s, ended, ended && was ? p->end : p->start };
	}
}

static int by_time(const void *a, const void *b)
{
	const struct reported_change *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? -1 : 1;
	return x->slot < y->slot ? -1 : x->slot > y->slot;
}

static enum pace_rank rank_of(const struct process *p, bool ends)
{
	if (ends && is_trouble(p))
		return PACE_TROUBLE;
	return p->depth ? PACE_BELOW : PACE_TOP;
}

static void reported_count(struct reported *told, struct reported_process *of,
			   const struct process *p, bool ends, ns_t monotonic)
{
	enum pace_rank rank = rank_of(p, ends);

	if (of->state == TOLD_KNOWN)
		pace_count(&told->pace, monotonic, rank, PACE_STARTED);
	if (ends)
		pace_count(&told->pace, monotonic, rank, is_trouble(p) ? PACE_FAILED : PACE_DONE);
	of->state = ends ? TOLD_ENDED : TOLD_COUNTED;
}

static void reported_report(struct reported *told, const struct analysis *what,
			    const struct reported_change *change, ns_t monotonic,
			    struct tr2_buf *out)
{
	const struct process *p = model_slot(what->model, change->slot);
	struct reported_process *of = reported_take(told, model_handle(what->model, change->slot));

	if (!pace_has_room(&told->pace, monotonic, rank_of(p, change->ends))) {
		reported_count(told, of, p, change->ends, monotonic);
		return;
	}
	if (change->ends)
		format_end(told, of, what, change->slot, out);
	else
		format_start(told, of, what, p, out);
	tr2_buf_addch(out, '\n');
	pace_said(&told->pace, monotonic);
}

static unsigned times_reached(ns_t since)
{
	unsigned nr = 0;

	while (since != NS_NONE && nr < NR_WAIT_TIMES && since >= wait_times[nr])
		nr++;
	return nr;
}

static uint64_t wait_id(const struct model *model, const struct wait *wait)
{
	uint64_t who = model_slot(model, wait->slot)->sid_hash;

	return tr2_hash_pair(tr2_hash_pair(who, (uint64_t)wait->category << 32 | wait->label),
			     (uint64_t)wait->kind << 32 | wait->child);
}

static void format_wait(struct reported *told, struct reported_process *of,
			const struct analysis *what, const struct wait *wait, struct tr2_buf *out)
{
	const struct process *told_of = model_process(what->model, of->handle);
	const struct process *p = model_slot(what->model, wait->slot);
	struct tr2_buf text = { .max = SAY_MAX_BYTES };

	tr2_buf_addf(out, "%" PRIu64 " ", reported_number_of(told, of));
	if (told_of && told_of != p) {
		add_name(told, what->model, told_of, out);
		tr2_buf_addstr(out, SAY_BELOW);
	}
	add_name(told, what->model, p, out);
	tr2_buf_addstr(out, wait->kind == WAIT_REGION ? ": in " : ": waits for ");
	wait_format(what->model, wait, &text);
	reported_add_text(told, &text, SENTENCE_COMMAND, out);
	tr2_buf_release(&text);
	if (wait->kind == WAIT_PERSON)
		tr2_buf_addstr(out, ", a person,");
	tr2_buf_addf(out, " for %s\n", human_duration(wait->since / NS_PER_SEC * NS_PER_SEC).text);
}

/* Each process in the chain told->waits waits for the next one. Return the report of the innermost
 * process that has a report without an end and that news may name, or NULL. */
static struct reported_process *teller(const struct reported *told, const struct analysis *what)
{
	struct reported_process *best = NULL;

	for (uint32_t i = 0; i < told->waits.nr; i++) {
		uint32_t slot = told->waits.items[i].slot;
		struct reported_process *of = reported_find(told, model_handle(what->model, slot));

		if (of && of->state != TOLD_ENDED && is_spoken_of(told, what, slot))
			best = of;
	}
	return best;
}

static void check_at_wait(struct reported *told, const struct analysis *what, uint32_t root,
			  ns_t monotonic, struct tr2_buf *out)
{
	const struct wait *wait;
	struct reported_process *of;
	unsigned reached;
	uint64_t id;

	waits_make(&told->waits, what, root);
	of = teller(told, what);
	if (!of)
		return;
	wait = &told->waits.items[told->waits.nr - 1];
	id = wait_id(what->model, wait);
	if (of->wait != id)
		of->wait_told = 0;
	of->wait = id;
	reached = wait->kind == WAIT_THINKING ? 0 : times_reached(wait->since);
	if (reached <= of->wait_told || !pace_has_room(&told->pace, monotonic, PACE_BELOW))
		return;
	of->wait_told = (uint8_t)reached;
	format_wait(told, of, what, wait, out);
	pace_said(&told->pace, monotonic);
}

void reported_check(struct reported *told, const struct analysis *what, ns_t monotonic,
		    struct tr2_buf *out)
{
	const struct model *m = what->model;
	enum human_form form = human_set_form(HUMAN_WORDS);

	if (pace_merged(&told->pace, monotonic, false, out))
		tr2_buf_addch(out, '\n');
	if (told->version != model_version(m)) {
		told->version = model_version(m);
		reported_gather(told, what);
		if (told->nr_changes)
			qsort(told->changes, told->nr_changes, sizeof(*told->changes), by_time);
		for (uint32_t i = 0; i < told->nr_changes; i++)
			reported_report(told, what, &told->changes[i], monotonic, out);
		forget(told, m);
	}
	for (uint32_t s = model_first_root(m); s != SLOT_NONE; s = model_next_sibling(m, s))
		if (process_is_live(model_slot(m, s)) && waits_begin_at(m, s))
			check_at_wait(told, what, s, monotonic, out);
	human_set_form(form);
}

void reported_end(struct reported *told, ns_t monotonic, struct tr2_buf *out)
{
	if (pace_merged(&told->pace, monotonic, true, out))
		tr2_buf_addch(out, '\n');
}
