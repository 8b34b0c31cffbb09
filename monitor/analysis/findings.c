/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/findings_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "engine/base/hash.h"
#include "monitor/analysis/format_text.h"
#include "monitor/analysis/remote_time.h"
#include "monitor/base/grow.h"
#include "monitor/base/platform.h"
#include "monitor/base/secrets.h"

const char *const finding_level_names[NR_LEVELS] = { "cost", "trouble", "note", "program" };

const struct finding_row finding_rows[NR_FINDING_IDS] = {
#define ROOT false
#define ALL  true
#define FINDING(ID, word_, level_, of, share_, floor_ms, check, title_, advice_)                   \
	[FINDING_##ID] = { .word = word_,                                                          \
			   .level = LEVEL_##level_,                                                \
			   .of_all = of,                                                           \
			   .share = share_,                                                        \
			   .floor = (floor_ms) * (ns_t)NS_PER_MS,                                  \
			   .title = title_,                                                        \
			   .advice = advice_ },
#include "monitor/analysis/findings.def"
#undef ROOT
#undef ALL
};

const struct word finding_words[NR_FINDING_IDS] = {
#define FINDING(ID, word, ...) { word, NULL },
#include "monitor/analysis/findings.def"
};

typedef void look_fn(struct looking *l);

static look_fn *const looks[NR_FINDING_IDS] = {
#define FINDING(ID, word, level, of, share, floor_ms, check, title, advice) check_##check,
#include "monitor/analysis/findings.def"
};

_Static_assert(NR_FINDING_IDS <= 64, "findings.off needs one bit per id");

int finding_find(const char *word, size_t len)
{
	for (int i = 0; i < NR_FINDING_IDS; i++)
		if (strlen(finding_rows[i].word) == len && !memcmp(finding_rows[i].word, word, len))
			return i;
	return -1;
}

void findings_clear(struct findings *f)
{
	f->nr = f->nr_looks = 0;
	if (f->begun)
		f->texts.len = 0;
}

void findings_release(struct findings *f)
{
	free(f->items);
	if (f->begun)
		tr2_buf_release(&f->texts);
	*f = (struct findings){ .off = f->off };
}

static bool same_evidence(const struct findings *f, const struct finding *a,
			  const struct finding *b)
{
	return a->id == b->id && a->root.slot == b->root.slot && a->length == b->length &&
	       !memcmp(f->texts.data + a->evidence, f->texts.data + b->evidence, a->length);
}

static void findings_append(struct findings *f, const struct finding *new)
{
	/* the findings of a root are few and adjacent */
	for (uint32_t i = f->nr; i-- && f->items[i].root.slot == new->root.slot;)
		if (same_evidence(f, &f->items[i], new)) {
			f->items[i].count++;
			f->items[i].held = ns_add(f->items[i].held, new->held);
			f->texts.len = new->evidence;
			return;
		}
	GROW(f->items, f->nr, f->cap, 16);
	f->items[f->nr++] = *new;
}

static void texts_begin(struct findings *f)
{
	if (!f->begun)
		tr2_buf_init(&f->texts, UINT32_MAX / 2);
	f->begun = true;
}

void findings_add(struct findings *to, const struct findings *from, uint32_t first, uint32_t nr)
{
	for (uint32_t i = first; i < first + nr; i++) {
		struct finding finding = from->items[i];

		texts_begin(to);
		finding.evidence = (uint32_t)to->texts.len;
		tr2_buf_add(&to->texts, from->texts.data + from->items[i].evidence, finding.length);
		GROW(to->items, to->nr, to->cap, 16);
		to->items[to->nr++] = finding;
	}
}

/* maximum number of findings per row and root; a hostile tree could have any number */
#define MAX_OF_ROOT 100

void report_finding(struct looking *l, uint32_t slot, ns_t held, const char *fmt, ...)
{
	const struct finding_row *row = &finding_rows[l->id];
	struct findings *f = l->out;
	struct finding new = {
		.id = l->id,
		.root = l->root == SLOT_NONE ? HANDLE_NONE : model_handle(l->m, l->root),
		.process = slot == SLOT_NONE ? HANDLE_NONE : model_handle(l->m, slot),
		.held = held,
		.wall = l->parts ? l->parts->wall : 0,
		.count = 1
	};
	uint32_t same = 0;
	va_list ap;

	if (row->share && !can_hold(l, held))
		return;
	for (uint32_t i = f->nr; i-- && f->items[i].root.slot == l->root;)
		same += f->items[i].id == l->id;
	if (same >= MAX_OF_ROOT)
		return;
	texts_begin(f);
	new.evidence = (uint32_t)f->texts.len;
	va_start(ap, fmt);
	tr2_buf_vaddf(&f->texts, fmt, ap);
	va_end(ap);
	new.length = (uint32_t)f->texts.len - new.evidence;
	findings_append(f, &new);
}

ns_t held_in(const struct looking *l, bool (*match)(const char *category, const char *label))
{
	ns_t held = 0;

	for (uint32_t i = 0; i < l->parts->nr; i++) {
		const struct part *part = &l->parts->items[i];
		char category[64], label[64];

		if (part->kind != PART_REGION)
			continue;
		sym_copy(l->m, part->category, category, sizeof(category));
		sym_copy(l->m, part->label, label, sizeof(label));
		if (match(category, label))
			held += part->time;
	}
	return held;
}

ns_t *held_by_process(const struct looking *l,
		      bool (*match)(const struct looking *l, const struct part *part))
{
	ns_t *held = xcalloc(l->span, sizeof(*held));
	bool *is = xcalloc((size_t)l->parts->nr + 1, sizeof(*is));
	uint32_t index;

	for (uint32_t i = 0; i < l->parts->nr; i++)
		is[i] = match(l, &l->parts->items[i]);
	for (uint32_t i = 0; i < l->parts->nr_pieces; i++)
		if (is[l->parts->pieces[i].part] && span_index(l, l->parts->pieces[i].slot, &index))
			held[index] += l->parts->pieces[i].time;
	free(is);
	return held;
}

bool part_is_none(const struct looking *l, const struct part *part)
{
	(void)l;
	return part->kind == PART_NONE;
}

ns_t held_of_kind(const struct looking *l, enum part_kind kind)
{
	ns_t held = 0;

	for (uint32_t i = 0; i < l->parts->nr; i++)
		if (l->parts->items[i].kind == kind)
			held += l->parts->items[i].time;
	return held;
}

bool can_hold(const struct looking *l, ns_t most)
{
	const struct finding_row *row = &finding_rows[l->id];

	return most >= row->floor && (double)most * 100 >= (double)l->parts->wall * row->share;
}

ns_t child_most(const struct looking *l, const struct child *child)
{
	return child->elapsed != NS_NONE ? child->elapsed : l->parts->wall;
}

ns_t held_below(const struct looking *l,
		bool (*match)(const struct model *m, const struct process *parent,
			      const struct child *child, const void *data),
		const void *data)
{
	ns_t held = 0;

	/* parents come before their children, so the result of a process's parent is known */
	for (uint32_t i = 0; i < l->nr; i++) {
		uint32_t slot = l->slots[i];
		const struct process *p = model_slot(l->m, slot), *parent;
		bool is_root = slot == l->root;
		bool *below = &l->below[slot - l->lowest];

		*below = !is_root && l->below[p->parent - l->lowest];
		if (is_root || *below || p->link == SLOT_NONE)
			continue;
		parent = model_slot(l->m, p->parent);
		*below = match(l->m, parent, process_child(l->m, parent, p->link), data);
	}
	for (uint32_t i = 0; i < l->parts->nr_pieces; i++) {
		const struct piece *piece = &l->parts->pieces[i];
		const struct process *p;
		uint32_t index;

		if (!span_index(l, piece->slot, &index))
			continue;
		p = model_slot(l->m, piece->slot);
		if (l->below[index] ||
		    (piece->child != SLOT_NONE && piece->child < p->children.nr &&
		     match(l->m, p, process_child(l->m, p, piece->child), data)))
			held += piece->time;
	}
	return held;
}

ns_t held_in_processes(const struct looking *l,
		       bool (*match)(const struct model *m, const struct process *parent,
				     const struct process *process, const void *data),
		       const void *data)
{
	ns_t held = 0;
	uint32_t index;

	for (uint32_t i = 0; i < l->nr; i++) {
		uint32_t slot = l->slots[i];
		const struct process *p = model_slot(l->m, slot);
		bool is_root = slot == l->root;

		l->below[slot - l->lowest] =
			!is_root && (l->below[p->parent - l->lowest] ||
				     match(l->m, model_slot(l->m, p->parent), p, data));
	}
	for (uint32_t i = 0; i < l->parts->nr_pieces; i++)
		if (span_index(l, l->parts->pieces[i].slot, &index) && l->below[index])
			held += l->parts->pieces[i].time;
	return held;
}

bool symbol_equals(const struct model *m, sym_t sym, const char *text)
{
	return model_sym_is(m, sym, text);
}

void sym_copy(const struct model *m, sym_t sym, char *out, size_t bytes)
{
	size_t len = 0;
	const char *text = sym == SYM_NONE ? "" : model_sym(m, sym, &len);

	/* a text that does not fit counts as empty: checks look for shorter words */
	if (len >= bytes)
		len = 0;
	memcpy(out, text, len);
	out[len] = '\0';
}

const struct data_item *datum_of(const struct looking *l, uint32_t slot, const char *category,
				 const char *key)
{
	const struct process *p = model_slot(l->m, slot);

	for (uint32_t i = 0; i < p->data.nr; i++) {
		const struct data_item *item = PROCESS_ITEM(l->m, &p->data, data_item, i);

		if (symbol_equals(l->m, item->key, key) &&
		    (!category || symbol_equals(l->m, item->category, category)))
			return item;
	}
	return NULL;
}

int64_t datum_number(const struct looking *l, const struct data_item *datum, int64_t otherwise)
{
	char text[24] = "", *end;
	int64_t number;

	if (!datum || !datum->has_value || datum->value.len >= sizeof(text))
		return otherwise;
	memcpy(text, model_text(l->m, datum->value), datum->value.len);
	number = strtoll(text, &end, 10);
	return end == text || *end ? otherwise : number;
}

bool has_word(const struct model *m, const struct strings *list, const char *word)
{
	struct strings_cursor at = strings_begin(m, list);
	size_t len, wanted = strlen(word);
	const char *item;

	while ((item = strings_next(&at, &len)))
		if (len == wanted && !memcmp(item, word, len))
			return true;
	return false;
}

bool has_prefix(const struct model *m, const struct strings *list, const char *prefix)
{
	struct strings_cursor at = strings_begin(m, list);
	size_t len, wanted = strlen(prefix);
	const char *item;

	while ((item = strings_next(&at, &len)))
		if (len >= wanted && !memcmp(item, prefix, wanted))
			return true;
	return false;
}

/* maximum bytes of a word in a finding; no word is added after so many bytes */
#define MAX_WORDS_BYTES 200

void append_words(const struct model *m, const struct strings *list, struct tr2_buf *out)
{
	struct strings_cursor at = strings_begin(m, list);
	size_t len, begin = out->len;
	const char *item;

	while ((item = strings_next(&at, &len)) && out->len - begin < MAX_WORDS_BYTES) {
		if (out->len > begin)
			tr2_buf_addch(out, ' ');
		format_cut(item, len, MAX_WORDS_BYTES, out);
	}
}

/* True if the text has the name of the hook as a whole word before a blank or comma. */
static bool names_hook(const char *text, const char *hook, size_t len)
{
	for (const char *at = text; len && (at = platform_find(at, strlen(at), hook, len));
	     at += len)
		if ((at == text || at[-1] == ' ') && (at[len] == ' ' || at[len] == ','))
			return true;
	return false;
}

static const struct known_cause {
	uint8_t id;
	const char *evidence, *advice;
} known_causes[] = {
	{ FINDING_MANY_REFS, "loose refs now",
	  "git pack-refs --all, or git gc; delete unneeded refs, on the server too" },
	{ FINDING_HISTORY_WALK, "no commit-graph now",
	  "git commit-graph write --reachable --changed-paths (Git 2.27); git maintenance start "
	  "keeps it up to date" },
	{ FINDING_HISTORY_WALK, "changed-path filter",
	  "git commit-graph write --reachable --changed-paths (Git 2.27)" },
	{ FINDING_HISTORY_WALK, "no multi-pack-index now",
	  "git multi-pack-index write (Git 2.20), or git gc, which makes one pack of them" },
};

const char *finding_advice(const struct findings *f, const struct finding *finding)
{
	const char *advice = finding_rows[finding->id].advice, *rest = strchr(advice, ';');
	size_t len;
	const char *evidence = finding_evidence(f, finding, &len);

	/* the first clause of the advice applies only to the hooks that it names */
	if (finding->id == FINDING_SLOW_HOOK && rest && !names_hook(advice, evidence, len))
		return rest + 2;
	for (size_t i = 0; i < sizeof(known_causes) / sizeof(*known_causes); i++)
		if (known_causes[i].id == finding->id &&
		    platform_find(evidence, len, known_causes[i].evidence,
				  strlen(known_causes[i].evidence)))
			return known_causes[i].advice;
	return advice;
}

bool root_has_finding(const struct looking *l, enum finding_id id)
{
	const struct findings *f = l->out;

	for (uint32_t i = f->nr; i-- && f->items[i].root.slot == l->root;)
		if (f->items[i].id == id)
			return true;
	return false;
}

uint64_t string_list_hash(const struct model *m, const struct strings *list)
{
	struct strings_cursor at = strings_begin(m, list);
	uint64_t hash = list->nr;
	const char *item;
	size_t len;

	while ((item = strings_next(&at, &len)))
		hash = tr2_hash_mix(hash ^ 0x9e3779b97f4a7c15ull, tr2_hash(item, len));
	return hash;
}

bool ended_well(const struct process *p)
{
	return p->end_by == END_EXIT && p->code == 0;
}

/* Fill `slots` with the processes of the tree, parents before children. */
static void tree_take(struct looking *l)
{
	uint32_t cap = 0;

	GROW(l->slots, 0, cap, 16);
	l->slots[l->nr++] = l->root;
	for (uint32_t i = 0; i < l->nr; i++)
		for (uint32_t slot = model_slot(l->m, l->slots[i])->first_child; slot != SLOT_NONE;
		     slot = model_next_sibling(l->m, slot)) {
			GROW(l->slots, l->nr, cap, 16);
			l->slots[l->nr++] = slot;
		}
}

static void run_looks(struct looking *l, bool of_all)
{
	for (int id = 0; id < NR_FINDING_IDS; id++) {
		if (finding_rows[id].of_all != of_all || l->out->off >> id & 1 ||
		    (!of_all && finding_rows[id].floor > l->parts->wall))
			continue;
		l->id = (uint8_t)id;
		looks[id](l);
	}
}

/* True if the process ended after less time than PARTS_LIMIT_MIN and than each `floor` that is not
 * 0. */
static bool is_short(const struct process *p)
{
	ns_t least = PARTS_LIMIT_MIN;

	for (int id = 0; id < NR_FINDING_IDS; id++)
		if (finding_rows[id].floor && finding_rows[id].floor < least)
			least = finding_rows[id].floor;
	return p->end_by != END_NONE && process_elapsed(p) != NS_NONE && process_elapsed(p) < least;
}

static struct parts_of root_parts_of(const struct findings_of *of, uint32_t root)
{
	return (struct parts_of){ .slot = root,
				  .begun = NS_NONE,
				  .wall = NS_NONE,
				  .all_over = of->all_over,
				  .own_command = of->own_command };
}

static struct analysis without_limits(const struct findings_of *of)
{
	struct analysis what = *of->what;

	what.limits = (struct timing_limits){ -1, -1 };
	return what;
}

ns_t held_waiting(const struct looking *l)
{
	struct analysis what = without_limits(l->of);
	struct parts_of of = root_parts_of(l->of, l->root);
	struct remote_time remote = { .waiting = 0 };

	if (l->made)
		remote_time_make(&remote, l->made, &what, &of);
	return remote.waiting;
}

void findings_of_root(struct findings *f, const struct findings_of *of, uint32_t root,
		      struct parts *scratch)
{
	struct parts none = { 0 };
	struct analysis what = without_limits(of);
	struct parts_of parts_of = root_parts_of(of, root);
	struct looking l = { .out = f,
			     .m = of->what->model,
			     .of = of,
			     .parts = &none,
			     .root = root,
			     .lowest = root };
	uint32_t highest = root;

	if (is_short(model_slot(l.m, root))) {
		none.wall = process_elapsed(model_slot(l.m, root));
	} else {
		parts_make(scratch, &what, &parts_of);
		l.parts = l.made = scratch;
	}
	tree_take(&l);
	for (uint32_t i = 0; i < l.nr; i++) {
		highest = l.slots[i] > highest ? l.slots[i] : highest;
		l.lowest = l.slots[i] < l.lowest ? l.slots[i] : l.lowest;
	}
	l.span = highest - l.lowest + 1;
	l.below = xcalloc(l.span, sizeof(*l.below));
	run_looks(&l, false);
	free(l.below);
	free(l.slots);
}

void findings_of_all(struct findings *f, const struct findings_of *of)
{
	struct looking l = { .out = f, .m = of->what->model, .of = of, .root = SLOT_NONE };

	run_looks(&l, true);
}

static bool process_name_is(const struct model *m, struct handle process, const char *name)
{
	const struct process *p = model_process(m, process);

	return !name || (p && model_sym_is(m, p->name, name));
}

uint64_t findings_nr_of(const struct findings *f, const struct model *m, struct handle root,
			const char *id, const char *name)
{
	uint64_t nr = 0;

	for (uint32_t i = 0; i < f->nr; i++) {
		const struct finding *finding = &f->items[i];

		if (handle_equal(finding->root, root) &&
		    (!id || !strcmp(id, finding_rows[finding->id].word)) &&
		    process_name_is(m, finding->process, name))
			nr += finding->count;
	}
	return nr;
}

uint64_t findings_count(void *data, uint32_t root, const char *id, const char *name)
{
	struct findings_counter *c = data;

	if (!c->begun || c->root != root) {
		findings_clear(&c->findings);
		if (root == SLOT_NONE)
			findings_of_all(&c->findings, &c->of);
		else
			findings_of_root(&c->findings, &c->of, root, &c->parts);
		c->root = root;
		c->begun = true;
	}
	return findings_nr_of(
		&c->findings, c->of.what->model,
		root == SLOT_NONE ? HANDLE_NONE : model_handle(c->of.what->model, root), id, name);
}

void findings_count_release(struct findings_counter *c)
{
	findings_release(&c->findings);
	parts_release(&c->parts);
}

void finding_format_process(const struct model *m, const struct process *p, struct tr2_buf *out)
{
	size_t len = 0;
	const char *leaf = p->hierarchy != SYM_NONE ? hierarchy_leaf(m, p->hierarchy, &len) : NULL;

	if (leaf && len && *leaf != '_') {
		format_ancestors(m, p, out);
		secrets_add(out, leaf, len, SAY_MAX_BYTES / 4);
	} else if (leaf) {
		format_process(m, p, out);
	} else {
		format_process_hierarchy(m, p, out);
	}
}

static int compare_findings(const void *a, const void *b)
{
	const struct finding *x = a, *y = b;
	bool xs = finding_is_urgent(x), ys = finding_is_urgent(y);

	if (xs != ys)
		return xs ? -1 : 1;
	if (x->held != y->held)
		return x->held > y->held ? -1 : 1;
	if (x->id != y->id)
		return x->id < y->id ? -1 : 1;
	/* evidence texts are appended in order, so the offset shows which finding came first */
	return x->evidence < y->evidence ? -1 : x->evidence > y->evidence;
}

void findings_sort(struct findings *f)
{
	if (f->nr)
		qsort(f->items, f->nr, sizeof(*f->items), compare_findings);
}
