/* SPDX-License-Identifier: MIT */
/*
 * A version line begins a process, but says nothing of its birth; the next start of its depth does.
 * So it is held until then, and with it what could be of that process and says no time. Every other
 * line is of the living process that ranks best (struct rank), and changes what is known of it.
 *
 * Invariant: each living process is in the list of its depth, in the order of births, and in the
 * list by silence; each that has ended is in `ended` alone. What is in `held` is of no process yet.
 */
#include "config.h"
#include "monitor/read/text/perf_apart.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/read/text/perf_line.h"

/* A line's time is taken after its t_abs: so much later at most, a little earlier by rounding. */
#define BIRTH_AFTER_NS  (100 * NS_PER_MS)
#define BIRTH_BEFORE_NS (200 * NS_PER_US)
/* A start whose command line is long is late itself. */
#define BIRTH_LATE_NS (100 * NS_PER_MS)
/* What a fork that goes on may differ from the process that has ended. */
#define BIRTH_FORKED_NS (5 * NS_PER_MS)
/* A version waits for its start: so many lines, so long. */
#define HELD_LINES 64
#define HELD_NS    (100 * NS_PER_MS)

struct held {
	bool is_version;
	uint32_t depth;
	ns_t wall_ns, time_of_day;
	char *line;
	size_t len;
};

struct depth {
	struct text_process **v; /* by birth */
	uint32_t nr, cap;
};

struct perf_apart {
	struct text_source *source;
	struct depth depths[TEXT_MAX_DEPTH + 1];
	struct text_process *silent, *latest; /* the living, by silence */
	uint32_t nr_living;
	struct text_process *ended[TEXT_MAX_ENDED];
	unsigned next_ended;
	struct held held[HELD_LINES + 1];
	unsigned nr_held;
	uint32_t nr_threads, nr_children; /* of all */
	uint64_t turn;                    /* of lines */
	size_t bytes;
	struct tr2_buf words; /* a command line, decoded */
};

struct perf_apart *perf_apart_new(struct text_source *source)
{
	struct perf_apart *a = xcalloc(1, sizeof(*a));

	a->source = source;
	a->bytes = sizeof(*a);
	tr2_buf_init(&a->words, SIZE_MAX / 2);
	return a;
}

void perf_apart_free(struct perf_apart *a)
{
	if (!a)
		return;
	for (struct text_process *p = a->silent, *next; p; p = next) {
		next = p->next;
		text_process_free(p);
	}
	for (unsigned i = 0; i < TEXT_MAX_ENDED; i++)
		text_process_free(a->ended[i]);
	for (unsigned i = 0; i <= TEXT_MAX_DEPTH; i++)
		free(a->depths[i].v);
	for (unsigned i = 0; i < a->nr_held; i++)
		free(a->held[i].line);
	tr2_buf_release(&a->words);
	free(a);
}

size_t perf_apart_bytes(const struct perf_apart *a)
{
	return a->bytes + a->words.cap;
}

/* ---- the living and the ended ---- */

static void silence_remove(struct perf_apart *a, struct text_process *p)
{
	*(p->prev ? &p->prev->next : &a->silent) = p->next;
	*(p->next ? &p->next->prev : &a->latest) = p->prev;
}

static void silence_add(struct perf_apart *a, struct text_process *p)
{
	p->prev = a->latest;
	p->next = NULL;
	*(a->latest ? &a->latest->next : &a->silent) = p;
	a->latest = p;
}

static uint32_t depth_find(const struct depth *depth, const struct text_process *p)
{
	uint32_t i = depth->nr;

	while (i && depth->v[i - 1] != p)
		i--;
	return i - 1;
}

/* The one at `i` may be in the wrong place: its birth is earlier than was thought. */
static void depth_sort(struct depth *depth, uint32_t i)
{
	struct text_process *p = depth->v[i];

	for (; i && depth->v[i - 1]->birth > p->birth; i--)
		depth->v[i] = depth->v[i - 1];
	depth->v[i] = p;
}

static void end_process(struct perf_apart *a, struct text_process *p)
{
	struct depth *depth = &a->depths[p->depth];
	uint32_t i = depth_find(depth, p);
	struct text_process **place = &a->ended[a->next_ended++ % TEXT_MAX_ENDED];

	memmove(depth->v + i, depth->v + i + 1, (depth->nr - i - 1) * sizeof(*depth->v));
	depth->nr--;
	silence_remove(a, p);
	p->prev = p->next = NULL;
	a->nr_living--;
	a->nr_threads -= p->nr_threads;
	a->nr_children -= p->nr_children;
	a->bytes -= p->bytes;
	text_process_shrink(p);
	if (*place)
		a->bytes -= (*place)->bytes;
	text_process_free(*place);
	*place = p;
	a->bytes += p->bytes;
}

static struct text_process *new_process(struct perf_apart *a, uint32_t at_depth,
					const struct text_process *parent, ns_t birth)
{
	struct depth *depth = &a->depths[at_depth];
	struct text_process *p;

	while (a->nr_living >= TEXT_MAX_LIVING ||
	       (a->nr_living && a->bytes > TEXT_MAX_APART_BYTES))
		end_process(a, a->silent == parent && parent->next ? parent->next : a->silent);
	p = text_process_new(a->source, parent, at_depth);
	if (parent)
		p->parent_hierarchy = parent->hierarchy;
	p->birth = birth;
	GROW(depth->v, depth->nr, depth->cap, 4);
	depth->v[depth->nr] = p;
	depth_sort(depth, depth->nr++);
	silence_add(a, p);
	a->nr_living++;
	a->bytes += p->bytes;
	return p;
}

/* ---- command lines ---- */

static const char *last_component(const char *word, size_t *len)
{
	const char *slash = memrchr(word, '/', *len);

	if (!slash)
		return word;
	*len -= (size_t)(slash + 1 - word);
	return slash + 1;
}

/* A hash of the words that stand quoted in the text, the program without its directories. If there
 * is one, `*only` is where it stands decoded. */
static uint64_t words_hash(struct tr2_buf *room, struct text_slice text,
			   struct text_slice *only)
{
	const char *p = text.at, *end = p + text.len, *word;
	uint64_t hash = 1;
	unsigned nr = 0;
	size_t len;

	tr2_buf_clear(room);
	if (!tr2_buf_reserve(room, text.len + 1))
		die_of_memory(text.len);
	*only = (struct text_slice){ NULL, 0 };
	while (text_word(&p, end, room->data, &len)) {
		*only = (struct text_slice){ nr ? NULL : room->data, nr ? 0 : len };
		word = nr++ ? room->data : last_component(room->data, &len);
		hash = tr2_hash_pair(hash, tr2_hash(word, len));
	}
	return hash;
}

static void child_hashes(struct perf_apart *a, const struct text_record *rec,
			 struct text_child *child)
{
	const struct text_late *argv = text_noted(rec, TR2_F_ARGV);
	struct text_slice only;
	struct tr2_buf copy;

	if (!argv)
		return;
	child->argv = words_hash(&a->words, argv->text, &only);
	/* A shell would split it. */
	if (!only.at || !memchr(only.at, ' ', only.len))
		return;
	tr2_buf_init(&copy, SIZE_MAX / 2);
	tr2_buf_add(&copy, only.at, only.len);
	child->as_split =
		words_hash(&a->words, (struct text_slice){ copy.data, copy.len }, &only);
	tr2_buf_release(&copy);
}

static void words_keep(struct perf_apart *a, struct text_process *p,
		       const struct text_record *rec)
{
	const struct text_late *argv = text_noted(rec, TR2_F_ARGV);
	const char *at, *end;
	size_t len;

	if (!argv)
		return;
	at = argv->text.at;
	end = at + argv->text.len;
	tr2_buf_clear(&a->words);
	if (!tr2_buf_reserve(&a->words, argv->text.len + 1))
		die_of_memory(argv->text.len);
	for (unsigned i = 0; i < TEXT_WORDS; i++) {
		free(p->words[i]);
		p->words[i] = NULL;
		if (!text_word(&at, end, a->words.data, &len) || len > 256)
			continue;
		p->words[i] = xmalloc(len + 1);
		memcpy(p->words[i], a->words.data, len);
		p->words[i][len] = '\0';
	}
}

/* Is the name one of its first words, or the last part of one's path, or behind "git-"? */
static bool is_named(const struct text_process *p, const char *name, size_t len)
{
	for (unsigned i = 0; i < TEXT_WORDS; i++) {
		const char *word = p->words[i];
		size_t word_len = word ? strlen(word) : 0;

		if (!word || word_len < len || memcmp(word + word_len - len, name, len) != 0)
			continue;
		word_len -= len;
		if (!word_len || word[word_len - 1] == '/' ||
		    (word_len >= 4 && !memcmp(word + word_len - 4, "git-", 4)))
			return true;
	}
	return false;
}

/* Is `whole` the hierarchy `above` and a name below it? */
static bool is_below(const struct tr2_intern *syms, sym_t whole, sym_t above, sym_t name)
{
	size_t whole_len, above_len, name_len;
	const char *text = tr2_intern_text(syms, whole, &whole_len);
	const char *above_text = tr2_intern_text(syms, above, &above_len);
	const char *name_text = tr2_intern_text(syms, name, &name_len);

	if (above == SYM_NONE)
		return whole == name;
	return whole_len == above_len + 1 + name_len && !memcmp(text, above_text, above_len) &&
	       text[above_len] == '/' && !memcmp(text + above_len + 1, name_text, name_len);
}

/* ---- whose line is it? ---- */

static bool is_sum(unsigned kind)
{
	return kind == TR2_E_TIMER || kind == TR2_E_TH_TIMER || kind == TR2_E_COUNTER ||
	       kind == TR2_E_TH_COUNTER;
}

static bool may_follow_exit(unsigned kind)
{
	return kind == TR2_E_CHILD_EXIT || kind == TR2_E_DATA_JSON || kind == TR2_E_ATEXIT ||
	       is_sum(kind);
}

static bool has_child(const struct text_process *p, int64_t id, bool is_exec)
{
	for (uint32_t i = p->nr_children; i-- > 0;)
		if (p->children[i].id == id && p->children[i].is_exec == is_exec)
			return true;
	return false;
}

/* Do the dots in front of its message agree with the regions that the thread has open? */
static bool dots_fit(const struct text_thread *thread, const struct text_record *rec)
{
	uint32_t open = thread ? thread->nr_open : 0, dots = rec->nr_dots;
	const struct text_region *region;
	unsigned kind = rec->ev.kind;

	if (is_sum(kind))
		return true;
	if (perf_is_free(kind))
		return dots >= 2 * open;
	if (kind == TR2_E_ATEXIT || kind == TR2_E_THREAD_EXIT)
		return !dots || dots == 2 * open;
	if (kind != TR2_E_REGION_LEAVE)
		return dots == 2 * open;
	if (!open || dots != 2 * (open - 1))
		return false;
	if (thread->nr < open)
		return true; /* too many for us to remember */
	region = &thread->regions[thread->nr - 1];
	return region->category == event_sym(&rec->ev, TR2_F_CATEGORY) &&
	       region->label == event_sym(&rec->ev, TR2_F_LABEL);
}

static bool fits(const struct text_process *p, const struct text_thread *thread,
		 const struct text_record *rec)
{
	unsigned kind = rec->ev.kind;

	if (thread && event_has(&rec->ev, TR2_F_T_ABS) &&
	    rec->ev.v[TR2_F_T_ABS] < thread->last_abs)
		return false;
	if (p->has_exited ? !may_follow_exit(kind) : kind == TR2_E_ATEXIT)
		return false;
	if (!dots_fit(thread, rec))
		return false;
	if (kind == TR2_E_CHILD_EXIT || kind == TR2_E_CHILD_READY)
		return has_child(p, event_get(&rec->ev, TR2_F_CHILD_ID, -1), false);
	return true;
}

/* How much a line without t_abs speaks for it; beyond 0: it does. */
static unsigned clue(const struct perf_apart *a, const struct text_process *p,
		     const struct text_thread *thread, const struct text_record *rec)
{
	const struct tr2_intern *syms = a->source->names.syms;
	sym_t name = event_sym(&rec->ev, TR2_F_NAME);
	const char *text;
	size_t len;

	switch (rec->ev.kind) {
	case TR2_E_CMD_NAME:
		text = tr2_intern_text(syms, name, &len);
		return 4u * (len && is_named(p, text, len)) +
		       2u * is_below(syms, event_sym(&rec->ev, TR2_F_HIERARCHY),
				     p->has_name ? p->hierarchy : p->parent_hierarchy, name) +
		       1u * !p->has_name;
	case TR2_E_DEF_REPO:
		return !p->has_repo;
	case TR2_E_CMD_ANCESTRY:
		return !p->has_ancestry;
	case TR2_E_DEF_PARAM:
		return p->last_kind == TR2_E_CMD_NAME || p->last_kind == TR2_E_DEF_PARAM;
	case TR2_E_TIMER:
	case TR2_E_COUNTER:
		return p->has_exited;
	case TR2_E_TH_TIMER:
	case TR2_E_TH_COUNTER:
		return thread && thread->is_open;
	default:
		return 0;
	}
}

/* Compared from the front; the greatest is the one. */
struct rank {
	unsigned how; /* it fits, or may be meant; 0: no */
	unsigned knows, clue;
	int64_t near;
};

static bool ranks_above(const struct rank *x, const struct rank *y)
{
	if (x->how != y->how)
		return x->how > y->how;
	if (x->knows != y->knows)
		return x->knows > y->knows;
	if (x->clue != y->clue)
		return x->clue > y->clue;
	return x->near > y->near;
}

static bool knows(const struct text_thread *thread, const struct text_record *rec)
{
	return rec->ev.kind == TR2_E_THREAD_START || thread;
}

/* Of those whose birth is near enough. */
static struct text_process *by_birth(const struct perf_apart *a, const struct text_record *rec,
				     ns_t birth)
{
	const struct depth *depth = &a->depths[rec->depth];
	sym_t name = event_sym(&rec->ev, TR2_F_THREAD);
	struct rank best = { 0 };
	struct text_process *found = NULL;
	uint32_t low = 0, high = depth->nr;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (depth->v[middle]->birth < ns_add(birth, BIRTH_LATE_NS))
			low = middle + 1;
		else
			high = middle;
	}
	while (low-- > 0) {
		struct text_process *p = depth->v[low];
		ns_t after = ns_sub(birth, p->birth);
		const struct text_thread *thread;
		struct rank rank = { .near = -(after < 0 ? -after : after) };

		if (after >= BIRTH_AFTER_NS)
			break;
		thread = text_thread_find(p, name);
		rank.how = !fits(p, thread, rec) ? 1 : after <= -BIRTH_BEFORE_NS ? 2 : 3;
		rank.knows = rank.how > 1 && knows(thread, rec);
		if (ranks_above(&rank, &best)) {
			best = rank;
			found = p;
		}
	}
	return found;
}

static struct text_process *by_clue(const struct perf_apart *a, const struct text_record *rec,
				    bool must_have_clue)
{
	const struct depth *depth = &a->depths[rec->depth];
	sym_t name = event_sym(&rec->ev, TR2_F_THREAD);
	struct rank best = { 0 };
	struct text_process *found = NULL;

	for (uint32_t i = 0; i < depth->nr; i++) {
		struct text_process *p = depth->v[i];
		const struct text_thread *thread = text_thread_find(p, name);
		struct rank rank = { .how = 1u + fits(p, thread, rec),
				     .knows = knows(thread, rec),
				     .clue = clue(a, p, thread, rec),
				     .near = (int64_t)p->last_turn };

		if (must_have_clue && (rank.how < 2 || !rank.clue ||
				       (rec->ev.kind == TR2_E_CMD_NAME && rank.clue < 4)))
			continue;
		if (ranks_above(&rank, &best)) {
			best = rank;
			found = p;
		}
	}
	return found;
}

/* Of those that have ended: a child of fork that goes on; `birth` INT64_MAX: any, the latest. */
static struct text_process *by_ended(const struct perf_apart *a, const struct text_record *rec,
				     ns_t birth)
{
	struct text_process *found = NULL;
	ns_t best = INT64_MAX;

	for (unsigned i = 0; i < TEXT_MAX_ENDED; i++) {
		struct text_process *p = a->ended[i];
		ns_t off;

		if (!p || p->depth != rec->depth)
			continue;
		off = birth == INT64_MAX ? -(ns_t)p->last_turn : ns_sub(birth, p->birth);
		off = birth != INT64_MAX && off < 0 ? -off : off;
		if ((birth == INT64_MAX || off <= BIRTH_FORKED_NS) && off < best) {
			best = off;
			found = p;
		}
	}
	return found;
}

static struct text_process *by_latest(const struct perf_apart *a, uint32_t at_depth)
{
	const struct depth *depth = &a->depths[at_depth];
	struct text_process *found = NULL;

	for (uint32_t i = 0; i < depth->nr; i++)
		if (!found || depth->v[i]->last_turn > found->last_turn)
			found = depth->v[i];
	return found;
}

/* When its process was born, by a line; INT64_MAX: it does not say. */
static ns_t birth_of(const struct text_record *rec)
{
	if (rec->wall_ns == NS_NONE || !event_has(&rec->ev, TR2_F_T_ABS))
		return INT64_MAX;
	return ns_sub(rec->wall_ns, rec->ev.v[TR2_F_T_ABS]);
}

/* When it was born at the latest. */
static ns_t born_by(const struct text_record *rec)
{
	return rec->wall_ns == NS_NONE ? INT64_MAX : rec->wall_ns;
}

static struct text_process *choose(const struct perf_apart *a, const struct text_record *rec,
				   ns_t birth)
{
	struct text_process *p;

	if (birth == INT64_MAX) {
		p = by_clue(a, rec, false);
		return p ? p : by_ended(a, rec, birth);
	}
	p = by_birth(a, rec, birth);
	if (!p)
		p = by_ended(a, rec, birth);
	return p ? p : by_latest(a, rec->depth);
}

/* ---- whose child is it? ---- */

static struct text_process *choose_parent(struct perf_apart *a, uint32_t at_depth,
					  const struct text_late *argv)
{
	const struct depth *depth = at_depth ? &a->depths[at_depth - 1] : NULL;
	struct text_process *found = NULL;
	struct text_child *claimed = NULL;
	struct rank best = { 0 };
	struct text_slice only;
	uint64_t hash = argv ? words_hash(&a->words, argv->text, &only) : 0;

	for (uint32_t i = 0; depth && i < depth->nr; i++) {
		struct text_process *p = depth->v[i];

		for (uint32_t n = 0; n < p->nr_children; n++) {
			struct text_child *child = &p->children[n];
			bool equal = child->is_exec ||
				     (argv && (child->argv == hash || child->as_split == hash));
			struct rank rank = { .how = 1u + equal,
					     .knows = !child->is_claimed,
					     .near = (int64_t)child->turn };

			if (ranks_above(&rank, &best)) {
				best = rank;
				found = p;
				claimed = child;
			}
		}
	}
	if (claimed)
		claimed->is_claimed = true;
	return found;
}

/* ---- what a line changes ---- */

static struct text_thread *thread_of(struct perf_apart *a, struct text_process *p, sym_t name)
{
	struct text_thread *thread = text_thread_find(p, name);

	if (thread)
		return thread;
	if (p->nr_threads < TEXT_MAX_THREADS && a->nr_threads < TEXT_MAX_ALL_THREADS) {
		a->nr_threads++;
		return text_thread_add(p, name);
	}
	for (uint32_t i = 0; i < p->nr_threads; i++) {
		thread = &p->threads[i];
		if (thread->is_open)
			continue;
		p->nr_regions -= thread->nr;
		*thread = (struct text_thread){ .name = name,
						.is_open = true,
						.last_abs = NS_NONE,
						.regions = thread->regions,
						.cap = thread->cap };
		return thread;
	}
	return NULL;
}

/* So many regions are open now. */
static void regions_cut(struct text_process *p, struct text_thread *thread, uint32_t nr_open)
{
	thread->nr_open = nr_open;
	if (thread->nr > nr_open) {
		p->nr_regions -= thread->nr - nr_open;
		thread->nr = nr_open;
	}
}

static void region_push(struct text_process *p, struct text_thread *thread,
			const struct text_record *rec)
{
	uint32_t cap = thread->cap;

	if (thread->nr == thread->nr_open && p->nr_regions < TEXT_MAX_REGIONS) {
		GROW(thread->regions, thread->nr, thread->cap, 4);
		p->bytes += (thread->cap - cap) * sizeof(*thread->regions);
		p->nr_regions++;
		thread->regions[thread->nr++] =
			(struct text_region){ event_sym(&rec->ev, TR2_F_CATEGORY),
					      event_sym(&rec->ev, TR2_F_LABEL) };
	}
	thread->nr_open++;
}

static void accept_thread(struct perf_apart *a, struct text_process *p, struct text_record *rec)
{
	struct text_thread *thread = thread_of(a, p, event_sym(&rec->ev, TR2_F_THREAD));
	unsigned kind = rec->ev.kind;

	if (perf_is_free(kind))
		perf_take_free(&a->source->names, thread ? thread->nr_open : 0, rec);
	if (!thread)
		return;
	if (event_has(&rec->ev, TR2_F_T_ABS) && rec->ev.v[TR2_F_T_ABS] > thread->last_abs)
		thread->last_abs = rec->ev.v[TR2_F_T_ABS];
	if (kind == TR2_E_THREAD_START || kind == TR2_E_THREAD_EXIT) {
		thread->is_open = kind == TR2_E_THREAD_START;
		regions_cut(p, thread, 0);
	} else if (!is_sum(kind) && !perf_is_free(kind) && kind != TR2_E_ATEXIT) {
		regions_cut(p, thread, rec->nr_dots / 2);
	}
	if (kind == TR2_E_REGION_ENTER)
		region_push(p, thread, rec);
}

static void child_begins(struct perf_apart *a, struct text_process *p,
			 const struct text_record *rec, bool is_exec)
{
	struct text_child *child;

	if (p->nr_children >= TEXT_MAX_CHILDREN || a->nr_children >= TEXT_MAX_ALL_CHILDREN)
		return;
	a->nr_children++;
	child = text_child_add(p);
	*child = (struct text_child){
		.id = event_get(&rec->ev, is_exec ? TR2_F_EXEC_ID : TR2_F_CHILD_ID, -1),
		.is_exec = is_exec,
		.turn = a->turn
	};
	child_hashes(a, rec, child);
}

static void child_ends(struct perf_apart *a, struct text_process *p, int64_t id, bool is_exec)
{
	for (uint32_t i = p->nr_children; i-- > 0;) {
		if (p->children[i].id != id || p->children[i].is_exec != is_exec)
			continue;
		text_child_remove(p, i);
		a->nr_children--;
		return;
	}
}

static void accept_kind(struct perf_apart *a, struct text_process *p,
			const struct text_record *rec)
{
	const struct event *ev = &rec->ev;

	switch (ev->kind) {
	case TR2_E_START:
		p->has_start = true;
		words_keep(a, p, rec);
		break;
	case TR2_E_EXIT:
		p->has_exited = true;
		break;
	case TR2_E_CMD_NAME:
		p->has_name = true;
		p->hierarchy = event_sym(ev, TR2_F_HIERARCHY);
		break;
	case TR2_E_CMD_ANCESTRY:
		p->has_ancestry = true;
		break;
	case TR2_E_DEF_REPO:
		p->has_repo = true;
		break;
	case TR2_E_CHILD_START:
	case TR2_E_EXEC:
		child_begins(a, p, rec, ev->kind == TR2_E_EXEC);
		break;
	case TR2_E_CHILD_EXIT:
		child_ends(a, p, event_get(ev, TR2_F_CHILD_ID, -1), false);
		break;
	case TR2_E_EXEC_RESULT:
		child_ends(a, p, event_get(ev, TR2_F_EXEC_ID, -1), true);
		break;
	default:
		break;
	}
	p->last_kind = ev->kind;
}

static bool is_living(const struct perf_apart *a, const struct text_process *p)
{
	return p->prev || a->silent == p;
}

/* It is this one's. */
static void accept_line(struct perf_apart *a, struct text_process *p, struct text_record *rec)
{
	ns_t birth = birth_of(rec);
	size_t bytes = p->bytes;

	p->last_turn = ++a->turn;
	if (!is_living(a, p)) {
		if (perf_is_free(rec->ev.kind))
			perf_take_free(&a->source->names, 0, rec);
		text_deliver(a->source, p, rec);
		return;
	}
	silence_remove(a, p);
	silence_add(a, p);
	if (birth < p->birth && (p->birth == INT64_MAX || p->birth - birth < BIRTH_LATE_NS)) {
		uint32_t i = depth_find(&a->depths[p->depth], p);

		p->birth = birth;
		depth_sort(&a->depths[p->depth], i);
	}
	accept_thread(a, p, rec);
	accept_kind(a, p, rec);
	a->bytes += p->bytes - bytes;
	text_deliver(a->source, p, rec);
	if (rec->ev.kind == TR2_E_ATEXIT || rec->ev.kind == TR2_E_SIGNAL)
		end_process(a, p);
}

static void dispatch(struct perf_apart *a, struct text_record *rec)
{
	ns_t birth = birth_of(rec);
	struct text_process *p = choose(a, rec, birth);

	if (!p)
		p = new_process(a, rec->depth, NULL, birth == INT64_MAX ? born_by(rec) : birth);
	accept_line(a, p, rec);
}

/* ---- what is held ---- */

static void hold(struct perf_apart *a, const struct text_record *rec, const char *line,
		 size_t len)
{
	struct held *held = &a->held[a->nr_held++];

	*held = (struct held){ .is_version = rec->ev.kind == TR2_E_VERSION,
			       .depth = rec->depth,
			       .wall_ns = rec->wall_ns,
			       .time_of_day = rec->time_of_day,
			       .line = xmalloc(len + 1 + SCAN_PAD),
			       .len = len };
	memcpy(held->line, line, len);
	memset(held->line + len, '\n', 1 + SCAN_PAD);
	a->bytes += len;
}

/* Take the one at `i` out; its line must be freed. */
static struct held unhold(struct perf_apart *a, unsigned i, struct text_record *rec)
{
	struct held held = a->held[i];

	memmove(a->held + i, a->held + i + 1, (--a->nr_held - i) * sizeof(held));
	a->bytes -= held.len;
	perf_line(&a->source->names, held.line, held.len, rec);
	rec->wall_ns = held.wall_ns;
	return held;
}

/* The first held version of a depth; -1: none. */
static int held_version(const struct perf_apart *a, uint32_t depth)
{
	for (unsigned i = 0; i < a->nr_held; i++)
		if (a->held[i].is_version && a->held[i].depth == depth)
			return (int)i;
	return -1;
}

/* A version and the start that is its own. */
static void begin_process(struct perf_apart *a, unsigned i, struct text_record *start)
{
	struct text_record rec;
	struct held held = unhold(a, i, &rec);
	ns_t birth = start ? birth_of(start) : born_by(&rec);
	struct text_process *parent =
		choose_parent(a, rec.depth, start ? text_noted(start, TR2_F_ARGV) : NULL);
	struct text_process *p = new_process(a, rec.depth, parent, birth);

	accept_line(a, p, &rec);
	free(held.line);
	if (start)
		accept_line(a, p, start);
}

/* Deliver the one at `i` without what it waits for. */
static void release(struct perf_apart *a, unsigned i)
{
	struct text_record rec;
	struct held held;

	if (a->held[i].is_version) {
		begin_process(a, i, NULL);
		return;
	}
	held = unhold(a, i, &rec);
	dispatch(a, &rec);
	free(held.line);
}

static void release_depth(struct perf_apart *a, uint32_t depth)
{
	for (unsigned i = 0; i < a->nr_held;) {
		if (a->held[i].depth == depth && !a->held[i].is_version)
			release(a, i);
		else
			i++;
	}
}

void perf_apart_flush(struct perf_apart *a)
{
	while (a->nr_held)
		release(a, 0);
}

void perf_apart_take(struct perf_apart *a, struct text_record *rec, const char *line,
		     size_t len)
{
	int version;

	while (a->nr_held && (a->nr_held > HELD_LINES - 1 ||
			      (rec->wall_ns != NS_NONE && a->held[0].wall_ns != NS_NONE &&
			       ns_sub(rec->wall_ns, a->held[0].wall_ns) > HELD_NS)))
		release(a, 0);
	if (rec->ev.kind == TR2_E_VERSION) {
		hold(a, rec, line, len);
		return;
	}
	version = a->nr_held ? held_version(a, rec->depth) : -1;
	if (version >= 0 && rec->ev.kind == TR2_E_START) {
		begin_process(a, (unsigned)version, rec);
		release_depth(a, rec->depth);
		return;
	}
	if (version >= 0 && !event_has(&rec->ev, TR2_F_T_ABS) && !by_clue(a, rec, true)) {
		hold(a, rec, line, len);
		return;
	}
	dispatch(a, rec);
}
