/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/base/hash.h"
#include "monitor/model/model_priv.h"

#include <string.h>

/* Maximum length of a list of children without an index by child id. */
#define SEARCHED_CHILDREN 16u

static struct process *applied_process(struct applying *a)
{
	return &a->model->processes[a->slot];
}

/* Append an item to a list of the event's process and return it. A full list drops its oldest
 * item. */
#define LIST_PUSH(a, list, type)                                                                   \
	((struct type *)vec_push(&(a)->model->heap, &applied_process(a)->list,                     \
				 sizeof(struct type), bounded((a)->model, MAX_LIST_ITEMS),         \
				 &(a)->model->dropped.list_items))

static bool list_is_full(struct applying *a, const struct vec *list)
{
	uint32_t max = bounded(a->model, MAX_LIST_ITEMS);

	return max && list->nr >= max;
}

struct text text_of_event(struct applying *a, unsigned field, bool *has)
{
	const char *bytes;
	size_t len;

	*has = event_has(a->ev, field);
	if (!*has)
		return (struct text){ 0 };
	bytes = batch_text(a->batch, a->ev->v[field], &len);
	return text_new(&a->model->heap, bytes, len);
}

static void strings_release(struct model *m, struct strings *s)
{
	uint32_t bytes;

	if (s->nr) {
		memcpy(&bytes, heap_get(&m->heap, s->ref), sizeof(bytes));
		heap_free(&m->heap, s->ref, sizeof(bytes) + bytes);
	}
	*s = (struct strings){ 0 };
}

static struct strings strings_of_event(struct applying *a, unsigned field)
{
	struct strings s = { .known = event_has(a->ev, field) };
	int64_t first, end;
	uint32_t bytes;
	char *piece;

	if (!s.known)
		return s;
	s.nr = batch_list(a->batch, a->ev->v[field], &first) & INT32_MAX;
	if (!s.nr)
		return s;
	end = first;
	for (uint32_t i = 0; i < s.nr; i++)
		end = batch_list_next(a->batch, end);
	bytes = (uint32_t)(end - first);
	s.ref = heap_allocate(&a->model->heap, sizeof(bytes) + bytes);
	piece = heap_get(&a->model->heap, s.ref);
	memcpy(piece, &bytes, sizeof(bytes));
	memcpy(piece + sizeof(bytes), a->batch->text + first, bytes);
	return s;
}

static sym_t thread_name(struct applying *a)
{
	return event_sym(a->ev, TR2_F_THREAD);
}

static void apply_version(struct applying *a)
{
	struct process *p = applied_process(a);

	axis_starts(a);
	if (event_has(a->ev, TR2_F_EVT))
		p->evt = event_sym(a->ev, TR2_F_EVT);
	if (event_has(a->ev, TR2_F_EXE))
		p->exe = event_sym(a->ev, TR2_F_EXE);
}

static void strings_replace(struct applying *a, struct strings *old, unsigned field)
{
	if (!event_has(a->ev, field))
		return;
	strings_release(a->model, old);
	*old = strings_of_event(a, field);
}

static void apply_start(struct applying *a)
{
	strings_replace(a, &applied_process(a)->argv, TR2_F_ARGV);
}

static void apply_exit(struct applying *a)
{
	axis_end(a);
	if (a->ev->kind == TR2_E_ATEXIT)
		usual_process(a);
	process_end_set(a->model, a->slot, END_EXIT, event_get(a->ev, TR2_F_CODE, NUM_NONE),
			applied_process(a)->signo, event_get(a->ev, TR2_F_T_ABS, NS_NONE));
	thread_shrink(a);
}

static void apply_signal(struct applying *a)
{
	axis_end(a);
	usual_process(a);
	process_end_set(a->model, a->slot, END_SIGNAL, NUM_NONE,
			event_get(a->ev, TR2_F_SIGNO, NUM_NONE),
			event_get(a->ev, TR2_F_T_ABS, NS_NONE));
}

static void apply_error(struct applying *a)
{
	struct error_item item = { .fmt = event_sym(a->ev, TR2_F_FMT),
				   .time = event_get(a->ev, TR2_F_TIME, NS_NONE) };

	applied_process(a)->nr_errors++;
	a->model->totals.errors++;
	item.msg = text_of_event(a, TR2_F_MSG, &item.has_msg);
	if (list_is_full(a, &applied_process(a)->errors)) {
		struct error_item *oldest =
			vec_at(&a->model->heap, &applied_process(a)->errors, 0, sizeof(*oldest));
		strip_error_leave(a->model, applied_process(a), oldest);
		text_release(&a->model->heap, &oldest->msg);
	}
	*LIST_PUSH(a, errors, error_item) = item;
}

static void apply_cmd_path(struct applying *a)
{
	if (event_has(a->ev, TR2_F_PATH))
		applied_process(a)->path = event_sym(a->ev, TR2_F_PATH);
}

static void apply_cmd_ancestry(struct applying *a)
{
	strings_replace(a, &applied_process(a)->ancestry, TR2_F_ANCESTRY);
}

static void apply_cmd_name(struct applying *a)
{
	struct process *p = applied_process(a);

	if (event_has(a->ev, TR2_F_NAME))
		p->name = event_sym(a->ev, TR2_F_NAME);
	if (event_has(a->ev, TR2_F_HIERARCHY))
		p->hierarchy = event_sym(a->ev, TR2_F_HIERARCHY);
	usual_named(a->model, p);
}

static void apply_cmd_mode(struct applying *a)
{
	sym_t *to;

	if (!event_has(a->ev, TR2_F_NAME))
		return;
	to = vec_push(&a->model->heap, &applied_process(a)->modes, sizeof(*to),
		      bounded(a->model, MAX_LIST_ITEMS), &a->model->dropped.list_items);
	*to = event_sym(a->ev, TR2_F_NAME);
}

static void apply_alias(struct applying *a)
{
	struct alias_item item = { .alias = event_sym(a->ev, TR2_F_ALIAS) };

	item.argv = strings_of_event(a, TR2_F_ARGV);
	if (list_is_full(a, &applied_process(a)->aliases)) {
		struct alias_item *oldest =
			vec_at(&a->model->heap, &applied_process(a)->aliases, 0, sizeof(*oldest));
		struct strings argv = oldest->argv;

		strings_release(a->model, &argv);
	}
	*LIST_PUSH(a, aliases, alias_item) = item;
}

static void apply_def_repo(struct applying *a)
{
	struct worktree_item item = { .repo = event_get(a->ev, TR2_F_REPO, NUM_NONE),
				      .worktree = event_sym(a->ev, TR2_F_WORKTREE) };

	*LIST_PUSH(a, worktrees, worktree_item) = item;
	usual_named(a->model, applied_process(a));
}

static void apply_def_param(struct applying *a)
{
	struct param_item item = { .param = event_sym(a->ev, TR2_F_PARAM),
				   .scope = event_sym(a->ev, TR2_F_SCOPE) };

	item.value = text_of_event(a, TR2_F_VALUE, &item.has_value);
	if (list_is_full(a, &applied_process(a)->params)) {
		struct param_item *oldest =
			vec_at(&a->model->heap, &applied_process(a)->params, 0, sizeof(*oldest));
		text_release(&a->model->heap, &oldest->value);
	}
	*LIST_PUSH(a, params, param_item) = item;
}

static void apply_data(struct applying *a)
{
	struct data_item item = { .thread = thread_name(a),
				  .category = event_sym(a->ev, TR2_F_CATEGORY),
				  .key = event_sym(a->ev, TR2_F_KEY),
				  .is_json = a->ev->kind == TR2_E_DATA_JSON,
				  .nesting = event_get(a->ev, TR2_F_NESTING, NUM_NONE),
				  .t_abs = event_get(a->ev, TR2_F_T_ABS, NS_NONE),
				  .t_rel = event_get(a->ev, TR2_F_T_REL, NS_NONE) };

	if (item.nesting > a->model->deepest)
		a->model->deepest = item.nesting;
	item.value = text_of_event(a, TR2_F_VALUE, &item.has_value);
	if (list_is_full(a, &applied_process(a)->data)) {
		struct data_item *oldest =
			vec_at(&a->model->heap, &applied_process(a)->data, 0, sizeof(*oldest));
		text_release(&a->model->heap, &oldest->value);
	}
	*LIST_PUSH(a, data, data_item) = item;
}

static void apply_timer(struct applying *a)
{
	bool of_thread = a->ev->kind == TR2_E_TH_TIMER;
	struct timer_item item = { .category = event_sym(a->ev, TR2_F_CATEGORY),
				   .name = event_sym(a->ev, TR2_F_NAME),
				   .thread = of_thread ? thread_name(a) : SYM_NONE,
				   .of_thread = of_thread,
				   .intervals = event_get(a->ev, TR2_F_INTERVALS, NUM_NONE),
				   .total = event_get(a->ev, TR2_F_T_TOTAL, NS_NONE),
				   .min = event_get(a->ev, TR2_F_T_MIN, NS_NONE),
				   .max = event_get(a->ev, TR2_F_T_MAX, NS_NONE) };

	*LIST_PUSH(a, timers, timer_item) = item;
}

static uint64_t counter_key(const struct counter_item *item)
{
	return tr2_hash_pair((uint64_t)item->category << 32 | item->name,
			     (uint64_t)item->thread << 1 | item->of_thread);
}

static void counter_put(struct applying *a, const struct counter_item *item)
{
	struct model *m = a->model;
	struct vec *list = &applied_process(a)->counters;
	uint64_t key = counter_key(item);
	struct long_lists *lists;
	struct counter_item *old;
	struct index index;
	uint32_t number;

	long_lists_make(m, applied_process(a));
	index = long_lists_of(m, applied_process(a))->counters;
	number = index_get(&m->heap, &index, key);
	lists = long_lists_of(m, applied_process(a));
	if (number != INDEX_NONE && number >= lists->counters_gone) {
		old = vec_at(&m->heap, list, number - lists->counters_gone, sizeof(*old));
		if (counter_key(old) == key) {
			*old = *item;
			return;
		}
	}
	lists->counters_gone += list_is_full(a, list);
	number = lists->counters_gone;
	*LIST_PUSH(a, counters, counter_item) = *item;
	if (index.nr > 2 * list->nr)
		index_release(&m->heap, &index);
	for (uint32_t i = index.nr ? list->nr - 1 : 0; i < list->nr; i++) {
		old = vec_at(&m->heap, list, i, sizeof(*old));
		index_put(&m->heap, &index, counter_key(old), number + i);
	}
	long_lists_of(m, applied_process(a))->counters = index;
}

static void apply_counter(struct applying *a)
{
	bool of_thread = a->ev->kind == TR2_E_TH_COUNTER;
	struct counter_item item = { .category = event_sym(a->ev, TR2_F_CATEGORY),
				     .name = event_sym(a->ev, TR2_F_NAME),
				     .thread = of_thread ? thread_name(a) : SYM_NONE,
				     .of_thread = of_thread,
				     .count = event_get(a->ev, TR2_F_COUNT, NUM_NONE) };

	/* In the format EVENT a counter is reported once, at the end of the process or thread.
	 * Other formats may report it repeatedly. */
	if (applied_process(a)->format != SYM_NONE)
		counter_put(a, &item);
	else
		*LIST_PUSH(a, counters, counter_item) = item;
}

static void apply_thread_start(struct applying *a)
{
	struct thread *t = thread_at(a->model, applied_process(a), a->thread);

	t->announced = true;
}

static void apply_thread_exit(struct applying *a)
{
	struct thread *t = thread_at(a->model, applied_process(a), a->thread);

	if (t->is_crowd)
		return;
	if (!t->exited)
		thread_exited(a);
	t->exited = true;
	t->elapsed = event_get(a->ev, TR2_F_T_REL, NS_NONE);
	thread_shrink(a);
}

static void apply_exec(struct applying *a)
{
	struct exec_item item = { .exec_id = event_get(a->ev, TR2_F_EXEC_ID, NUM_NONE),
				  .exe = event_sym(a->ev, TR2_F_EXE),
				  .code = NUM_NONE };

	item.argv = strings_of_event(a, TR2_F_ARGV);
	if (list_is_full(a, &applied_process(a)->execs)) {
		struct exec_item *oldest =
			vec_at(&a->model->heap, &applied_process(a)->execs, 0, sizeof(*oldest));
		struct strings argv = oldest->argv;

		strings_release(a->model, &argv);
	}
	*LIST_PUSH(a, execs, exec_item) = item;
	applied_process(a)->last_is_exec = true;
	process_state_update(a->model, a->slot);
}

static void apply_exec_result(struct applying *a)
{
	const struct vec *execs = &applied_process(a)->execs;
	int64_t id = event_get(a->ev, TR2_F_EXEC_ID, NUM_NONE);

	/* The exec is nearly always the last one. */
	for (uint32_t i = execs->nr; i-- > 0 && execs->nr - i < 1000;) {
		struct exec_item *item = vec_at(&a->model->heap, execs, i, sizeof(*item));

		if (item->exec_id != id)
			continue;
		item->code = event_get(a->ev, TR2_F_CODE, NUM_NONE);
		return;
	}
}

static struct child *applied_child(struct applying *a, uint32_t index)
{
	return vec_at(&a->model->heap, &applied_process(a)->children, index, sizeof(struct child));
}

static uint32_t child_find(struct applying *a, int64_t id)
{
	struct process *p = applied_process(a);
	uint32_t nr = p->children.nr, found;

	if (nr && applied_child(a, nr - 1)->child_id == id)
		return nr - 1;
	if (nr > SEARCHED_CHILDREN) {
		const struct long_lists *lists = long_lists_of(a->model, p);

		found = index_get(&a->model->heap, &lists->children, (uint64_t)id);
		return found == INDEX_NONE || found < lists->children_gone
			       ? INDEX_NONE
			       : found - lists->children_gone;
	}
	for (uint32_t i = 0; i < nr; i++)
		if (applied_child(a, i)->child_id == id)
			return i;
	return INDEX_NONE;
}

static void child_release(struct model *m, struct child *child)
{
	struct child copy = *child;

	strings_release(m, &copy.argv);
	text_release(&m->heap, &copy.cd);
}

/* Add the process's children from index `first` on to the index by child id. If `first` is 0,
 * create the index again. */
static void children_index(struct applying *a, uint32_t first)
{
	struct heap *heap = &a->model->heap;
	struct process *p = applied_process(a);
	struct index index = long_lists_of(a->model, p)->children;
	uint32_t gone = long_lists_of(a->model, p)->children_gone;

	if (!first)
		index_release(heap, &index);
	for (uint32_t i = first; i < p->children.nr; i++)
		index_put(heap, &index, (uint64_t)applied_child(a, i)->child_id, gone + i);
	long_lists_of(a->model, p)->children = index;
}

static struct child *child_get(struct applying *a)
{
	struct process *p = applied_process(a);
	int64_t id = event_get(a->ev, TR2_F_CHILD_ID, NUM_NONE);
	uint32_t index = child_find(a, id);
	struct child *child;

	process_dirty(a->model, a->slot);
	if (index != INDEX_NONE)
		return applied_child(a, index);
	if (list_is_full(a, &p->children)) {
		child_release(a->model, applied_child(a, 0));
		long_lists_of(a->model, p)->children_gone++;
	}
	child = LIST_PUSH(a, children, child);
	*child = (struct child){ .child_id = id,
				 .child_class = SYM_NONE,
				 .hook = SYM_NONE,
				 .use_shell = -1,
				 .pid = NUM_NONE,
				 .code = NUM_NONE,
				 .elapsed = NS_NONE,
				 .ready = SYM_NONE,
				 .ready_elapsed = NS_NONE,
				 .start = NS_NONE,
				 .end = NS_NONE,
				 .start_arrival = a->model->last_arrival,
				 .begin_at = NS_NONE,
				 .ready_at = NS_NONE,
				 .exit_at = NS_NONE,
				 .inside = LEDGER_NONE,
				 .released = INDEX_NONE,
				 .process = SLOT_NONE,
				 .any_process = SLOT_NONE };
	a->model->totals.children++;
	index = p->children.nr - 1;
	if (p->children.nr > SEARCHED_CHILDREN) {
		bool anew = p->children.nr == SEARCHED_CHILDREN + 1;

		long_lists_make(a->model, p);
		anew |= long_lists_of(a->model, p)->children.nr > 2 * p->children.nr;
		children_index(a, anew ? 0 : index);
	}
	return applied_child(a, index);
}

static void apply_child_start(struct applying *a)
{
	struct strings argv = strings_of_event(a, TR2_F_ARGV);
	bool has_cd;
	struct text cd = text_of_event(a, TR2_F_CD, &has_cd);
	struct child *child = child_get(a);

	/* A child with the same id as an earlier one replaces it. */
	child_release(a->model, child);
	child->argv = argv;
	child->cd = cd;
	child->has_cd = has_cd;
	child->child_class = event_sym(a->ev, TR2_F_CHILD_CLASS);
	child->hook = event_sym(a->ev, TR2_F_HOOK_NAME);
	child->use_shell = (int8_t)event_get(a->ev, TR2_F_USE_SHELL, -1);
	child->state = CHILD_RUNNING;
	child->start = event_get(a->ev, TR2_F_TIME, NS_NONE);
	child->start_arrival = a->model->last_arrival;
	child->end = NS_NONE;
	child->pid = child->code = NUM_NONE;
	child->elapsed = child->ready_elapsed = NS_NONE;
	child->has_ready = child->forgotten = false;
	child->ready = SYM_NONE;
	axis_child_start(a, child);
}

/* Return the number of a child, counting evicted ones, too. */
static uint32_t child_number(struct applying *a, const struct child *child)
{
	uint32_t nr = applied_process(a)->children.nr,
		 gone = process_children_gone(a->model, applied_process(a));

	/* The child is nearly always one of the last. */
	for (uint32_t i = nr; i-- > 0 && nr - i <= 64;)
		if (applied_child(a, i) == child)
			return gone + i;
	return gone + child_find(a, child->child_id);
}

static void apply_child_exit(struct applying *a)
{
	struct child *child = child_get(a);

	child->state = CHILD_EXITED;
	if (event_has(a->ev, TR2_F_PID))
		child->pid = a->ev->v[TR2_F_PID];
	child->code = event_get(a->ev, TR2_F_CODE, NUM_NONE);
	child->elapsed = event_get(a->ev, TR2_F_T_REL, NS_NONE);
	child->end = event_get(a->ev, TR2_F_TIME, NS_NONE);
	axis_child_exit(a, child, child_number(a, child));
	usual_child(a, child);
}

static void apply_child_ready(struct applying *a)
{
	struct child *child = child_get(a);

	if (child->state == CHILD_RUNNING)
		child->state = CHILD_READY;
	if (event_has(a->ev, TR2_F_PID))
		child->pid = a->ev->v[TR2_F_PID];
	child->has_ready = true;
	child->ready = event_sym(a->ev, TR2_F_READY);
	child->ready_elapsed = event_get(a->ev, TR2_F_T_REL, NS_NONE);
	axis_child_ready(a, child);
}

#define LIST_EACH(m, list, type, item)                                                             \
	for (uint32_t i_ = 0; i_ < (list)->nr; i_++)                                               \
		for (struct type *item = vec_at(&(m)->heap, (list), i_, sizeof(*item)); item;      \
		     item = NULL)

void process_release_lists(struct model *m, struct process *p)
{
	LIST_EACH(m, &p->errors, error_item, item)
	text_release(&m->heap, &item->msg);
	LIST_EACH(m, &p->params, param_item, item)
	text_release(&m->heap, &item->value);
	LIST_EACH(m, &p->data, data_item, item)
	text_release(&m->heap, &item->value);
	LIST_EACH(m, &p->aliases, alias_item, item)
	strings_release(m, &item->argv);
	LIST_EACH(m, &p->execs, exec_item, item)
	strings_release(m, &item->argv);
	LIST_EACH(m, &p->children, child, item)
	child_release(m, item);
	strings_release(m, &p->argv);
	strings_release(m, &p->ancestry);
	vec_release(&m->heap, &p->modes, sizeof(sym_t));
	vec_release(&m->heap, &p->aliases, sizeof(struct alias_item));
	vec_release(&m->heap, &p->worktrees, sizeof(struct worktree_item));
	vec_release(&m->heap, &p->errors, sizeof(struct error_item));
	vec_release(&m->heap, &p->params, sizeof(struct param_item));
	vec_release(&m->heap, &p->data, sizeof(struct data_item));
	vec_release(&m->heap, &p->timers, sizeof(struct timer_item));
	vec_release(&m->heap, &p->counters, sizeof(struct counter_item));
	vec_release(&m->heap, &p->children, sizeof(struct child));
	vec_release(&m->heap, &p->execs, sizeof(struct exec_item));
	vec_release(&m->heap, &p->axis.ledger, sizeof(struct ledger_entry));
	if (p->long_lists) {
		struct long_lists lists = *long_lists_of(m, p);

		index_release(&m->heap, &lists.children);
		index_release(&m->heap, &lists.threads);
		index_release(&m->heap, &lists.counters);
		heap_free(&m->heap, p->long_lists, sizeof(lists));
	}
}

event_apply *const event_appliers[TR2_NR_EVENTS] = {
	[TR2_E_VERSION] = apply_version,
	[TR2_E_START] = apply_start,
	[TR2_E_EXIT] = apply_exit,
	[TR2_E_ATEXIT] = apply_exit,
	[TR2_E_SIGNAL] = apply_signal,
	[TR2_E_ERROR] = apply_error,
	[TR2_E_CMD_PATH] = apply_cmd_path,
	[TR2_E_CMD_ANCESTRY] = apply_cmd_ancestry,
	[TR2_E_CMD_NAME] = apply_cmd_name,
	[TR2_E_CMD_MODE] = apply_cmd_mode,
	[TR2_E_ALIAS] = apply_alias,
	[TR2_E_CHILD_START] = apply_child_start,
	[TR2_E_CHILD_EXIT] = apply_child_exit,
	[TR2_E_CHILD_READY] = apply_child_ready,
	[TR2_E_EXEC] = apply_exec,
	[TR2_E_EXEC_RESULT] = apply_exec_result,
	[TR2_E_THREAD_START] = apply_thread_start,
	[TR2_E_THREAD_EXIT] = apply_thread_exit,
	[TR2_E_DEF_PARAM] = apply_def_param,
	[TR2_E_DEF_REPO] = apply_def_repo,
	[TR2_E_REGION_ENTER] = region_enter,
	[TR2_E_REGION_LEAVE] = region_leave,
	[TR2_E_DATA] = apply_data,
	[TR2_E_DATA_JSON] = apply_data,
	[TR2_E_TIMER] = apply_timer,
	[TR2_E_TH_TIMER] = apply_timer,
	[TR2_E_COUNTER] = apply_counter,
	[TR2_E_TH_COUNTER] = apply_counter,
};
