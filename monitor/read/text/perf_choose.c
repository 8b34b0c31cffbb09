/* SPDX-License-Identifier: MIT */
/* Choose the process that wrote a PERF line, and the parent of a new process. */
#include "config.h"

#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/platform.h"
#include "monitor/read/text/perf_apart_priv.h"

/*
 * A line's time is usually less than BIRTH_AFTER_NS later, or BIRTH_BEFORE_NS earlier, than the
 * process's start time plus t_abs.
 */
#define BIRTH_AFTER_NS  (100 * NS_PER_MS)
#define BIRTH_BEFORE_NS (200 * NS_PER_US)
/* Tolerance of start times, in ns, for a forked child that continues an ended process's trace. */
#define BIRTH_FORKED_NS (5 * NS_PER_MS)

static const char *last_component(const char *word, size_t *len)
{
	const char *slash = platform_find_last(word, '/', *len);

	if (!slash)
		return word;
	*len -= (size_t)(slash + 1 - word);
	return slash + 1;
}

/*
 * Return a hash of the quoted words, without the directories of the first. If there is only one
 * word, `*only` is its decoded text, else NULL.
 */
static uint64_t argv_words_hash(struct tr2_buf *room, struct text_slice text,
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

void perf_child_hashes(struct perf_apart *a, const struct text_record *rec,
		       struct text_child *child)
{
	const struct text_late *argv = text_noted(rec, TR2_F_ARGV);
	struct text_slice only;
	struct tr2_buf copy;

	if (!argv)
		return;
	child->argv = argv_words_hash(&a->words, argv->text, &only);
	/* The word may be a command line that a shell splits into words. */
	if (!only.at || !memchr(only.at, ' ', only.len))
		return;
	tr2_buf_init(&copy, SIZE_MAX / 2);
	tr2_buf_add(&copy, only.at, only.len);
	child->as_split =
		argv_words_hash(&a->words, (struct text_slice){ copy.data, copy.len }, &only);
	tr2_buf_release(&copy);
}

void perf_words_keep(struct perf_apart *a, struct text_process *p, const struct text_record *rec)
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

/* True if one of the command line's first words, without directories and "git-", is `name`. */
static bool perf_has_name(const struct text_process *p, const char *name, size_t len)
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

/* True if the hierarchy `whole` is the hierarchy `above` plus `name`. */
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

bool perf_is_sum(unsigned kind)
{
	return kind == TR2_E_TIMER || kind == TR2_E_TH_TIMER || kind == TR2_E_COUNTER ||
	       kind == TR2_E_TH_COUNTER;
}

static bool may_follow_exit(unsigned kind)
{
	return kind == TR2_E_CHILD_EXIT || kind == TR2_E_DATA_JSON || kind == TR2_E_ATEXIT ||
	       perf_is_sum(kind);
}

static bool perf_has_child(const struct text_process *p, int64_t id, bool is_exec)
{
	for (uint32_t i = p->nr_children; i-- > 0;)
		if (p->children[i].id == id && p->children[i].is_exec == is_exec)
			return true;
	return false;
}

/* True if the dots before the message, and a region that ends, fit the thread's open regions. */
static bool dots_fit(const struct text_thread *thread, const struct text_record *rec)
{
	uint32_t open = thread ? thread->nr_open : 0, dots = rec->nr_dots;
	const struct text_region *region;
	unsigned kind = rec->ev.kind;

	if (perf_is_sum(kind))
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
		/* the innermost region is not stored */
		return true;
	region = &thread->regions[thread->nr - 1];
	return region->category == event_sym(&rec->ev, TR2_F_CATEGORY) &&
	       region->label == event_sym(&rec->ev, TR2_F_LABEL);
}

static bool perf_time_fits(const struct text_process *p, const struct text_thread *thread,
			   const struct text_record *rec)
{
	unsigned kind = rec->ev.kind;

	if (thread && event_has(&rec->ev, TR2_F_T_ABS) && rec->ev.v[TR2_F_T_ABS] < thread->last_abs)
		return false;
	if (p->has_exited ? !may_follow_exit(kind) : kind == TR2_E_ATEXIT)
		return false;
	if (!dots_fit(thread, rec))
		return false;
	if (kind == TR2_E_CHILD_EXIT || kind == TR2_E_CHILD_READY)
		return perf_has_child(p, event_get(&rec->ev, TR2_F_CHILD_ID, -1), false);
	return true;
}

/* Return how well clues of the line match the process; 0: none matches. */
static unsigned perf_clue(const struct perf_apart *a, const struct text_process *p,
			  const struct text_thread *thread, const struct text_record *rec)
{
	const struct tr2_intern *syms = a->source->names.syms;
	sym_t name = event_sym(&rec->ev, TR2_F_NAME);
	const char *text;
	size_t len;

	switch (rec->ev.kind) {
	case TR2_E_CMD_NAME:
		text = tr2_intern_text(syms, name, &len);
		return 4u * (len && perf_has_name(p, text, len)) +
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

/* How well a process matches. Members are compared in order; the greatest rank is the best. */
struct rank {
	/* 0: no process */
	unsigned how;
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

static bool perf_knows_thread(const struct text_thread *thread, const struct text_record *rec)
{
	return rec->ev.kind == TR2_E_THREAD_START || thread;
}

static uint32_t born_after(const struct depth *depth, ns_t birth)
{
	uint32_t low = 0, high = depth->nr;

	while (low < high) {
		uint32_t middle = (low + high) / 2;

		if (depth->v[middle]->birth <= birth)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Choose among processes that started near `birth`, nearest first. The search ends at a matching
 * process that knows the line's thread.
 */
static struct text_process *by_birth(const struct perf_apart *a, const struct text_record *rec,
				     ns_t birth)
{
	const struct depth *depth = &a->depths[rec->depth];
	sym_t name = event_sym(&rec->ev, TR2_F_THREAD);
	struct rank best = { 0 };
	struct text_process *found = NULL;
	uint32_t above = born_after(depth, birth), below = above;

	while (best.how < 3 || !best.knows) {
		ns_t before = above < depth->nr ? ns_sub(depth->v[above]->birth, birth) : INT64_MAX;
		ns_t after = below ? ns_sub(birth, depth->v[below - 1]->birth) : INT64_MAX;
		bool is_before = before <= after;
		const struct text_thread *thread;
		struct text_process *p;
		struct rank rank;

		if (is_before ? before >= BIRTH_LATE_NS : after >= BIRTH_AFTER_NS)
			break;
		p = is_before ? depth->v[above++] : depth->v[--below];
		thread = text_thread_find(p, name);
		rank = (struct rank){ .near = is_before ? -before : -after };
		rank.how = !perf_time_fits(p, thread, rec)          ? 1
			   : is_before && before >= BIRTH_BEFORE_NS ? 2
								    : 3;
		rank.knows = rank.how > 1 && perf_knows_thread(thread, rec);
		if (ranks_above(&rank, &best)) {
			best = rank;
			found = p;
		}
	}
	return found;
}

struct text_process *perf_by_clue(const struct perf_apart *a, const struct text_record *rec,
				  bool must_have_clue)
{
	const struct depth *depth = &a->depths[rec->depth];
	sym_t name = event_sym(&rec->ev, TR2_F_THREAD);
	unsigned least = rec->ev.kind == TR2_E_CMD_NAME ? 4 : 1;
	struct rank best = { 0 };
	struct text_process *found = NULL;

	for (uint32_t i = 0; i < depth->nr; i++) {
		struct text_process *p = depth->v[i];
		const struct text_thread *thread = text_thread_find(p, name);
		struct rank rank = { .knows = perf_knows_thread(thread, rec),
				     .clue = perf_clue(a, p, thread, rec),
				     .near = (int64_t)p->last_turn };

		if (must_have_clue && rank.clue < least)
			continue;
		rank.how = 1u + perf_time_fits(p, thread, rec);
		if (must_have_clue && rank.how < 2)
			continue;
		if (ranks_above(&rank, &best)) {
			best = rank;
			found = p;
		}
	}
	return found;
}

/* Choose an ended process, whose trace a forked child may continue. If `birth` is INT64_MAX, choose
 * the process with the latest line. */
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

ns_t perf_birth_of(const struct text_record *rec)
{
	if (rec->wall_ns == NS_NONE || !event_has(&rec->ev, TR2_F_T_ABS))
		return INT64_MAX;
	return ns_sub(rec->wall_ns, rec->ev.v[TR2_F_T_ABS]);
}

ns_t perf_born_by(const struct text_record *rec)
{
	return rec->wall_ns == NS_NONE ? INT64_MAX : rec->wall_ns;
}

struct text_process *perf_choose(const struct perf_apart *a, const struct text_record *rec,
				 ns_t birth)
{
	struct text_process *p;

	if (birth == INT64_MAX) {
		p = perf_by_clue(a, rec, false);
		return p ? p : by_ended(a, rec, birth);
	}
	p = by_birth(a, rec, birth);
	if (!p)
		p = by_ended(a, rec, birth);
	return p ? p : by_latest(a, rec->depth);
}

struct text_process *perf_choose_parent(struct perf_apart *a, uint32_t at_depth,
					const struct text_late *argv)
{
	const struct depth *depth = at_depth ? &a->depths[at_depth - 1] : NULL;
	struct text_process *found = NULL;
	struct text_child *claimed = NULL;
	struct rank best = { 0 };
	struct text_slice only;
	uint64_t hash = argv ? argv_words_hash(&a->words, argv->text, &only) : 0;

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
