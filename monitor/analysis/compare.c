/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/analysis/compare.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/analysis/parts.h"
#include "monitor/analysis/signed_ranks.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/order.h"

const char *const compare_verdicts[NR_VERDICTS] = {
	[COMPARE_SLOWER] = "slower",
	[COMPARE_FASTER] = "faster",
	[COMPARE_SAME] = "same",
	[COMPARE_APART] = "apart",
};

const char *const compare_verdict_words[NR_VERDICTS] = {
	[COMPARE_SLOWER] = "slower",
	[COMPARE_FASTER] = "faster",
	[COMPARE_SAME] = "not significant",
	[COMPARE_APART] = "not comparable",
};

static bool part_kind_is(const struct runs *runs, const struct run_part *part, const char *kind,
			 size_t kind_len)
{
	size_t len;
	const char *text = tr2_intern_text(&runs->texts, part->kind, &len);

	return len == kind_len && !memcmp(text, kind, len);
}

static void append_symbol(const struct runs *runs, sym_t text, const char *absent,
			  struct tr2_buf *out)
{
	size_t len;
	const char *bytes = tr2_intern_text(&runs->texts, text, &len);

	if (text == SYM_NONE)
		tr2_buf_addstr(out, absent);
	tr2_buf_add(out, bytes, len);
}

void run_part_format(const struct runs *runs, const struct run_part *part, struct tr2_buf *out)
{
	for (int i = 0; i < NR_PART_KINDS; i++)
		if (part_leads[i] &&
		    part_kind_is(runs, part, part_kind_names[i], strlen(part_kind_names[i]))) {
			tr2_buf_addstr(out, part_leads[i]);
			append_symbol(runs, part->name, "?", out);
			return;
		}
	if (part_kind_is(runs, part, "none", 4)) {
		tr2_buf_addstr(out, "in no region");
		return;
	}
	if (part_kind_is(runs, part, "region", 6)) {
		append_symbol(runs, part->category, "?", out);
		tr2_buf_addch(out, '/');
		append_symbol(runs, part->label, "?", out);
		return;
	}
	append_symbol(runs, part->label, "?", out);
}

void compare_format_name(const struct comparison *c, sym_t name, bool failed, struct tr2_buf *out)
{
	size_t len;
	const char *text = compare_text(c, name, &len);

	if (name == SYM_NONE)
		tr2_buf_addstr(out, "(none)");
	tr2_buf_add(out, text, len);
	if (failed)
		tr2_buf_addstr(out, " (failed)");
}

static sym_t compare_intern(struct comparison *c, const struct runs *runs, sym_t text)
{
	size_t len;
	const char *bytes = tr2_intern_text(&runs->texts, text, &len);

	return text == SYM_NONE ? SYM_NONE : tr2_intern(&c->texts, bytes, len);
}

static int text_compare(const struct comparison *c, sym_t a, sym_t b)
{
	size_t a_len, b_len;
	const char *x = compare_text(c, a, &a_len), *y = compare_text(c, b, &b_len);
	int diff;

	if (a == b)
		return 0;
	if (a == SYM_NONE || b == SYM_NONE)
		return a == SYM_NONE ? -1 : 1;
	diff = memcmp(x, y, a_len < b_len ? a_len : b_len);
	return diff ? diff : (a_len > b_len) - (a_len < b_len);
}

struct compare_entry {
	sym_t name;
	bool failed, in_b;
	uint32_t number;
	ns_t start;
	sym_t sid;
};

/* qsort() passes no context, so each entry points to the comparison. */
struct sorted_entry {
	const struct comparison *of;
	struct compare_entry entry;
};

static int entry_compare(const void *a, const void *b)
{
	const struct comparison *c = ((const struct sorted_entry *)a)->of;
	const struct compare_entry *x = &((const struct sorted_entry *)a)->entry;
	const struct compare_entry *y = &((const struct sorted_entry *)b)->entry;

	if (x->name != y->name)
		return text_compare(c, x->name, y->name);
	if (x->failed != y->failed)
		return x->failed ? 1 : -1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->in_b != y->in_b)
		return x->in_b ? 1 : -1;
	return text_compare(c, x->sid, y->sid);
}

/* Add an entry per run with a wall time above 0; other runs have no ratio. */
static uint32_t compare_add_entries(struct comparison *c, struct sorted_entry *entries, uint32_t nr,
				    const struct runs *runs, bool in_b)
{
	for (uint32_t i = 0; i < runs->nr; i++) {
		const struct run *run = &runs->items[i];

		if (run->wall <= 0)
			continue;
		entries[nr++] =
			(struct sorted_entry){ c,
					       { .name = compare_intern(c, runs, run->name),
						 .failed = run->failed,
						 .in_b = in_b,
						 .number = i,
						 .start = run->start,
						 .sid = compare_intern(c, runs, run->sid) } };
	}
	return nr;
}

static void pairs_add(struct comparison *c, struct compare_group *g,
		      const struct sorted_entry *entries, uint32_t nr)
{
	g->first_pair = c->nr_pairs;
	for (uint32_t i = 0; i + 1 < nr;) {
		const struct compare_entry *x = &entries[i].entry, *y = &entries[i + 1].entry;

		if (x->in_b == y->in_b) {
			i++;
			continue;
		}
		GROW(c->pairs, c->nr_pairs, c->cap_pairs, 64);
		c->pairs[c->nr_pairs++] = (struct compare_pair){
			.a = x->in_b ? y->number : x->number,
			.b = x->in_b ? x->number : y->number,
		};
		i += 2;
	}
	g->nr_pairs = c->nr_pairs - g->first_pair;
}

/* Sorts `values`. */
static void side_compute(struct compare_side *side, double *values, uint32_t nr)
{
	double sum = 0;

	qsort(values, nr, sizeof(*values), order_doubles);
	for (uint32_t i = 0; i < nr; i++)
		sum += values[i];
	side->mean = sum / nr;
	side->p50 = (values[(nr - 1) / 2] + values[nr / 2]) / 2;
}

static void sides_of_pairs(struct comparison *c, struct compare_group *g, double *values)
{
	const struct compare_pair *pairs = &c->pairs[g->first_pair];

	for (uint32_t i = 0; i < g->nr_pairs; i++)
		values[i] = (double)c->a->items[pairs[i].a].wall;
	side_compute(&g->a, values, g->nr_pairs);
	for (uint32_t i = 0; i < g->nr_pairs; i++)
		values[i] = (double)c->b->items[pairs[i].b].wall;
	side_compute(&g->b, values, g->nr_pairs);
}

static void sides_of_all(struct comparison *c, struct compare_group *g, double *values,
			 const struct sorted_entry *entries, uint32_t nr)
{
	for (int in_b = 0; in_b < 2; in_b++) {
		const struct runs *runs = in_b ? c->b : c->a;
		uint32_t found = 0;

		for (uint32_t i = 0; i < nr; i++)
			if (entries[i].entry.in_b == in_b)
				values[found++] = (double)runs->items[entries[i].entry.number].wall;
		side_compute(in_b ? &g->b : &g->a, values, found);
	}
}

static void wall_evaluate(struct comparison *c, struct compare_group *g, double *values)
{
	const struct compare_pair *pairs = &c->pairs[g->first_pair];
	struct signed_ranks ranks;

	for (uint32_t i = 0; i < g->nr_pairs; i++)
		values[i] = log((double)c->b->items[pairs[i].b].wall /
				(double)c->a->items[pairs[i].a].wall);
	signed_ranks(&ranks, values, g->nr_pairs);
	g->p = ranks.p;
	g->shift = expm1(ranks.shift);
	g->low = expm1(ranks.low);
	g->high = expm1(ranks.high);
	g->verdict = COMPARE_SAME;
	if (compare_excludes_0(g) && fabs(g->shift) >= COMPARE_SHIFT)
		g->verdict = g->shift > 0 ? COMPARE_SLOWER : COMPARE_FASTER;
}

struct part_time {
	sym_t kind, label;
	uint32_t pair;
	bool in_b;
	double time;
};

static int held_compare(const void *a, const void *b)
{
	const struct part_time *x = a, *y = b;

	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	if (x->label != y->label)
		return x->label < y->label ? -1 : 1;
	/* sort equal keys by pair, so that sums do not depend on the sort algorithm */
	if (x->pair != y->pair)
		return x->pair < y->pair ? -1 : 1;
	if (x->in_b != y->in_b)
		return x->in_b ? 1 : -1;
	return (x->time > y->time) - (x->time < y->time);
}

static uint32_t held_add(struct comparison *c, struct part_time *held, uint32_t nr, bool in_b,
			 uint32_t number, uint32_t pair, struct tr2_buf *line)
{
	const struct runs *runs = in_b ? c->b : c->a;
	const struct run *run = &runs->items[number];

	for (uint32_t i = 0; i < run->nr_parts; i++) {
		const struct run_part *part = &runs->parts[run->first_part + i];

		tr2_buf_clear(line);
		run_part_format(runs, part, line);
		held[nr++] = (struct part_time){ .kind = compare_intern(c, runs, part->kind),
						 .label = tr2_intern(&c->texts, tr2_buf_cstr(line),
								     line->len),
						 .pair = pair,
						 .in_b = in_b,
						 .time = (double)part->time };
	}
	return nr;
}

/* The parts are sorted by kind and label; the caller frees them. */
static struct part_time *collect_part_times(struct comparison *c, const struct compare_group *g,
					    uint32_t *nr)
{
	const struct compare_pair *pairs = &c->pairs[g->first_pair];
	struct tr2_buf line;
	struct part_time *held;
	size_t all = 0;

	for (uint32_t i = 0; i < g->nr_pairs; i++)
		all += (size_t)c->a->items[pairs[i].a].nr_parts + c->b->items[pairs[i].b].nr_parts;
	held = xreallocarray(NULL, all + 1, sizeof(*held));
	tr2_buf_init(&line, SIZE_MAX / 2);
	*nr = 0;
	for (uint32_t i = 0; i < g->nr_pairs; i++) {
		*nr = held_add(c, held, *nr, false, pairs[i].a, i, &line);
		*nr = held_add(c, held, *nr, true, pairs[i].b, i, &line);
	}
	tr2_buf_release(&line);
	qsort(held, *nr, sizeof(*held), held_compare);
	return held;
}

static struct compare_part part_evaluate(const double *differences, uint32_t nr)
{
	struct compare_part part = { .mean = 0 };
	struct signed_ranks ranks;

	for (uint32_t i = 0; i < nr; i++)
		part.mean += differences[i];
	part.mean /= nr;
	signed_ranks(&ranks, differences, nr);
	part.shift = ranks.shift;
	part.p = ranks.p;
	return part;
}

static bool part_differs(const struct compare_group *g, const struct compare_part *part)
{
	return part->p < COMPARE_P && fabs(part->shift) >= COMPARE_SHIFT * g->a.p50;
}

static void holm_of(struct compare_part *parts, uint32_t nr)
{
	double *p = xreallocarray(NULL, (size_t)nr + 1, sizeof(*p));

	for (uint32_t i = 0; i < nr; i++)
		p[i] = parts[i].p;
	holm_adjust(p, nr);
	for (uint32_t i = 0; i < nr; i++)
		parts[i].p = p[i];
	free(p);
}

struct sorted_part {
	const struct comparison *of;
	struct compare_part part;
};

static int part_compare(const void *a, const void *b)
{
	const struct sorted_part *x = a, *y = b;
	double x_size = fabs(x->part.mean), y_size = fabs(y->part.mean);
	int diff;

	if (x_size != y_size)
		return x_size > y_size ? -1 : 1;
	diff = text_compare(x->of, x->part.label, y->part.label);
	return diff ? diff : text_compare(x->of, x->part.kind, y->part.kind);
}

static void group_parts_sort(struct comparison *c, struct compare_part *parts, uint32_t nr)
{
	struct sorted_part *sorted = xreallocarray(NULL, (size_t)nr + 1, sizeof(*sorted));

	for (uint32_t i = 0; i < nr; i++)
		sorted[i] = (struct sorted_part){ c, parts[i] };
	qsort(sorted, nr, sizeof(*sorted), part_compare);
	for (uint32_t i = 0; i < nr; i++)
		parts[i] = sorted[i].part;
	free(sorted);
}

static void compare_add_part(struct comparison *c, const struct compare_group *g,
			     const struct part_time *held, uint32_t nr, double *differences)
{
	double least = COMPARE_PART * g->a.mean * g->nr_pairs, sums[2] = { 0, 0 };
	struct compare_part part;

	memset(differences, 0, g->nr_pairs * sizeof(*differences));
	for (uint32_t i = 0; i < nr; i++) {
		sums[held[i].in_b] += held[i].time;
		differences[held[i].pair] += held[i].in_b ? held[i].time : -held[i].time;
	}
	if (sums[0] < least && sums[1] < least)
		return;
	part = part_evaluate(differences, g->nr_pairs);
	part.kind = held->kind;
	part.label = held->label;
	GROW(c->parts, c->nr_parts, c->cap_parts, 64);
	c->parts[c->nr_parts++] = part;
}

static void group_parts_add(struct comparison *c, struct compare_group *g, double *differences)
{
	uint32_t nr, end;
	struct part_time *held = collect_part_times(c, g, &nr);
	struct compare_part *parts;

	g->first_part = c->nr_parts;
	for (uint32_t from = 0; from < nr; from = end) {
		for (end = from + 1; end < nr && held[end].kind == held[from].kind &&
				     held[end].label == held[from].label;)
			end++;
		compare_add_part(c, g, &held[from], end - from, differences);
	}
	free(held);
	g->nr_parts = c->nr_parts - g->first_part;
	parts = g->nr_parts ? &c->parts[g->first_part] : NULL;
	holm_of(parts, g->nr_parts);
	group_parts_sort(c, parts, g->nr_parts);
	g->other = g->b.mean - g->a.mean;
	for (uint32_t i = 0; i < g->nr_parts; i++) {
		parts[i].differs = part_differs(g, &parts[i]);
		g->other -= parts[i].mean;
	}
}

bool compare_sum(const struct comparison *c, const struct compare_group *g,
		 bool (*is_asked)(void *data, const struct runs *runs, const struct run_part *part),
		 void *data, struct compare_part *out, double *share)
{
	double sums[2] = { 0, 0 }, *differences;
	bool any = false;

	if (g->verdict == COMPARE_APART)
		return false;
	differences = xcalloc(g->nr_pairs, sizeof(*differences));
	for (uint32_t i = 0; i < 2 * g->nr_pairs; i++) {
		const struct compare_pair *pair = &c->pairs[g->first_pair + i / 2];
		const struct runs *runs = i % 2 ? c->b : c->a;
		const struct run *run = &runs->items[i % 2 ? pair->b : pair->a];

		for (uint32_t k = 0; k < run->nr_parts; k++) {
			const struct run_part *part = &runs->parts[run->first_part + k];

			if (!is_asked(data, runs, part))
				continue;
			any = true;
			sums[i % 2] += (double)part->time;
			differences[i / 2] += (double)(i % 2 ? part->time : -part->time);
		}
	}
	*out = part_evaluate(differences, g->nr_pairs);
	out->kind = out->label = SYM_NONE;
	out->differs = part_differs(g, out);
	*share = fmax(sums[0], sums[1]) / g->nr_pairs / g->a.mean;
	free(differences);
	return any;
}

static void only_add(struct comparison *c, const struct compare_entry *entry, uint32_t runs)
{
	GROW(c->only, c->nr_only, c->cap_only, 16);
	c->only[c->nr_only++] = (struct compare_only){
		.name = entry->name, .failed = entry->failed, .in_b = entry->in_b, .runs = runs
	};
}

static void group_add(struct comparison *c, const struct sorted_entry *entries, uint32_t nr)
{
	struct compare_group g = { .name = entries->entry.name, .failed = entries->entry.failed };
	double *values;
	uint32_t smaller;

	for (uint32_t i = 0; i < nr; i++)
		(entries[i].entry.in_b ? &g.b : &g.a)->runs++;
	if (!g.a.runs || !g.b.runs) {
		only_add(c, &entries->entry, nr);
		return;
	}
	pairs_add(c, &g, entries, nr);
	values = xreallocarray(NULL, nr, sizeof(*values));
	smaller = g.a.runs < g.b.runs ? g.a.runs : g.b.runs;
	g.first_part = c->nr_parts;
	if (g.nr_pairs < COMPARE_MIN_PAIRS || 2ull * g.nr_pairs < smaller) {
		g.verdict = COMPARE_APART;
		g.p = 1;
		sides_of_all(c, &g, values, entries, nr);
	} else {
		sides_of_pairs(c, &g, values);
		wall_evaluate(c, &g, values);
		group_parts_add(c, &g, values);
	}
	free(values);
	GROW(c->groups, c->nr_groups, c->cap_groups, 16);
	c->groups[c->nr_groups++] = g;
}

static void groups_order(struct comparison *c)
{
	struct compare_group *ordered =
		xreallocarray(NULL, (size_t)c->nr_groups + 1, sizeof(*ordered));
	uint32_t nr = 0;

	for (int differ = 1; differ >= 0; differ--)
		for (uint32_t i = 0; i < c->nr_groups; i++)
			if ((c->groups[i].verdict <= COMPARE_FASTER) == differ)
				ordered[nr++] = c->groups[i];
	free(c->groups);
	c->groups = ordered;
	c->cap_groups = c->nr_groups + 1;
}

void compare_make(struct comparison *c, const struct runs *a, const struct runs *b)
{
	struct sorted_entry *entries =
		xreallocarray(NULL, (size_t)a->nr + b->nr + 1, sizeof(*entries));
	uint32_t nr, end;

	*c = (struct comparison){ .a = a, .b = b };
	if (!tr2_intern_init(&c->texts, 0, 0))
		die("out of memory");
	nr = compare_add_entries(c, entries, 0, a, false);
	nr = compare_add_entries(c, entries, nr, b, true);
	qsort(entries, nr, sizeof(*entries), entry_compare);
	for (uint32_t from = 0; from < nr; from = end) {
		for (end = from + 1; end < nr &&
				     entries[end].entry.name == entries[from].entry.name &&
				     entries[end].entry.failed == entries[from].entry.failed;)
			end++;
		group_add(c, &entries[from], end - from);
	}
	free(entries);
	groups_order(c);
}

void compare_release(struct comparison *c)
{
	if (c->texts.by_hash.at)
		tr2_intern_release(&c->texts);
	free(c->groups);
	free(c->pairs);
	free(c->parts);
	free(c->only);
	*c = (struct comparison){ .nr_groups = 0 };
}

static uint64_t text_id(const struct comparison *c, sym_t sym)
{
	size_t len;
	const char *text = compare_text(c, sym, &len);

	return sym == SYM_NONE ? 0 : tr2_hash(text, len);
}

uint64_t compare_group_id(const struct comparison *c, const struct compare_group *g)
{
	return tr2_hash_pair(text_id(c, g->name), g->failed) | 1;
}

uint64_t compare_part_id(const struct comparison *c, const struct compare_part *part)
{
	return tr2_hash_pair(text_id(c, part->kind), text_id(c, part->label)) | 1;
}

ns_t compare_part_time(const struct comparison *c, const struct runs *runs, uint32_t number,
		       const struct compare_part *part)
{
	const struct run *run = &runs->items[number];
	size_t kind_len, label_len;
	const char *kind = compare_text(c, part->kind, &kind_len);
	const char *label = compare_text(c, part->label, &label_len);
	struct tr2_buf line;
	ns_t time = 0;

	tr2_buf_init(&line, SIZE_MAX / 2);
	for (uint32_t i = 0; i < run->nr_parts; i++) {
		const struct run_part *held = &runs->parts[run->first_part + i];

		tr2_buf_clear(&line);
		run_part_format(runs, held, &line);
		if (part_kind_is(runs, held, kind, kind_len) && line.len == label_len &&
		    !memcmp(line.data, label, label_len))
			time += held->time;
	}
	tr2_buf_release(&line);
	return time;
}

void compare_format_percent(struct tr2_buf *out, double share)
{
	double tenths = round(fabs(share) * 1000);
	int64_t whole = (int64_t)fmin(tenths, 1e15);

	/* print the sign of a value rounded to 0, too: the end of an interval may be just below
	 * 0 */
	tr2_buf_addf(out, "%s%" PRId64 ".%" PRId64,
		     share < 0   ? "-"
		     : share > 0 ? "+"
				 : "",
		     whole / 10, whole % 10);
}

void compare_format_verdict(const struct compare_group *g, struct tr2_buf *out)
{
	tr2_buf_addf(out, "%s (%" PRIu32 " pair%s)", compare_verdict_words[g->verdict], g->nr_pairs,
		     g->nr_pairs == 1 ? "" : "s");
}

void compare_format_why(const struct compare_group *g, struct tr2_buf *out)
{
	double half = ceil((g->high - g->low) / 2 * 100);

	if (g->verdict == COMPARE_APART)
		tr2_buf_addstr(out,
			       "recorded one after the other, or too few: changes of the machine's "
			       "load look like a change of the command. Record them alternately: "
			       "see man trace2top-compare");
	else if (g->verdict == COMPARE_SAME && compare_excludes_0(g))
		tr2_buf_addstr(out, "a difference of less than 2 %, too small to matter");
	else if (g->verdict == COMPARE_SAME)
		tr2_buf_addf(out,
			     "no significant difference; a change of more than "
			     "%" PRId64 " %% would have shown",
			     (int64_t)fmin(half, 1e6));
}
