/* SPDX-License-Identifier: MIT */
/* texts, pieces and sums of parts */
#include "config.h"

#include "monitor/analysis/parts_priv.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

static const char *string_at(const struct parts *parts, uint32_t nr, size_t *len)
{
	*len = parts->strings[nr].len;
	return *len ? parts->texts.data + parts->strings[nr].at : "";
}

static uint32_t string_hash(const void *data, uint32_t nr)
{
	size_t len;
	const char *bytes = string_at(data, nr, &len);

	return (uint32_t)tr2_hash(bytes, len);
}

static uint32_t parts_string(struct parts *parts, const char *bytes, size_t len)
{
	uint32_t hash = (uint32_t)tr2_hash(bytes, len), nr = parts->nr_strings;

	TR2_HASH_INDEX_EACH(&parts->by_string, hash, at)
	{
		size_t known_len;
		const char *known = string_at(parts, parts->by_string.at[at] - 1, &known_len);

		if (known_len == len && !memcmp(known, bytes, len))
			return parts->by_string.at[at] - 1;
	}
	GROW(parts->strings, parts->nr_strings, parts->cap_strings, 64);
	parts->strings[nr] = (struct parts_text){ (uint32_t)parts->texts.len, (uint32_t)len };
	if (!tr2_buf_add(&parts->texts, bytes, len))
		return 0; /* there are over 4 GiB of texts: return the empty text */
	parts->nr_strings++;
	hash_index_put(&parts->by_string, hash, nr, string_hash, parts);
	return nr;
}

uint32_t parts_string_of(struct parts *parts, struct tr2_buf *text)
{
	return parts_string(parts, tr2_buf_cstr(text), text->len);
}

static uint64_t part_key_hash(uint8_t kind, sym_t category, sym_t label, uint32_t text,
			      uint32_t name)
{
	return tr2_hash_pair((uint64_t)category << 32 | label,
			     tr2_hash_pair((uint64_t)text << 32 | name, kind));
}

static uint32_t part_hash(const void *data, uint32_t nr)
{
	const struct part *part = &((const struct parts *)data)->items[nr];

	return (uint32_t)part_key_hash(part->kind, part->category, part->label, part->text,
				       part->name);
}

/* Return the number of the text of the words, each followed by a blank, with which both command
 * lines begin. */
static uint32_t common_line(struct parts *parts, uint32_t a, uint32_t b)
{
	size_t a_len, b_len, len = 0, words = 0;
	const char *x = string_at(parts, a, &a_len), *y = string_at(parts, b, &b_len);
	char copy[SHELL_LINE_MAX];

	for (; len < a_len && len < b_len && len < sizeof(copy) && x[len] == y[len]; len++)
		if (x[len] == ' ')
			words = len;
	/* copy the text first: adding a text may move the stored texts */
	memcpy(copy, x, words);
	return parts_string(parts, copy, words);
}

static void part_add_line(struct parts *parts, struct part *part, uint32_t line, bool cut)
{
	part->cut |= cut;
	if (part->line == line)
		return;
	part->cut = true;
	part->line = common_line(parts, part->line, line);
}

static uint32_t part_for_key(struct parts *parts, const struct part_key *key)
{
	uint32_t hash =
		(uint32_t)part_key_hash(key->kind, key->category, key->label, key->text, key->name);

	TR2_HASH_INDEX_EACH(&parts->by_key, hash, at)
	{
		const struct part *part = &parts->items[parts->by_key.at[at] - 1];

		if (part->kind == key->kind && part->category == key->category &&
		    part->label == key->label && part->text == key->text && part->name == key->name)
			return parts->by_key.at[at] - 1;
	}
	GROW(parts->items, parts->nr, parts->cap, 32);
	parts->items[parts->nr] = (struct part){ .kind = key->kind,
						 .slot = key->slot,
						 .child = key->child,
						 .category = key->category,
						 .label = key->label,
						 .text = key->text,
						 .name = key->name,
						 .line = key->line,
						 .number = parts->nr };
	hash_index_put(&parts->by_key, hash, parts->nr, part_hash, parts);
	return parts->nr++;
}

void parts_clear(struct parts *parts)
{
	if (!parts->by_string.at) {
		hash_index_init(&parts->by_string, 64);
		hash_index_init(&parts->by_key, 64);
		tr2_buf_init(&parts->texts, UINT32_MAX);
	}
	tr2_hash_index_clear(&parts->by_string);
	tr2_hash_index_clear(&parts->by_key);
	tr2_buf_clear(&parts->texts);
	parts->nr = parts->nr_pieces = parts->nr_strings = 0;
	parts_string(parts, "", 0);
	parts->wall = parts->at_limit = 0;
	parts->begun = NS_NONE;
	parts->live = parts->ended = parts->guessed = parts->stepped = false;
	parts->nesting = NUM_NONE;
	parts->nesting_default = false;
	parts->nr_processes = 0;
}

void parts_give(struct parts *parts, const struct part_key *key, ns_t begin, ns_t end)
{
	struct piece *last = parts->nr_pieces ? &parts->pieces[parts->nr_pieces - 1] : NULL;
	uint32_t nr;

	if (begin >= end)
		return;
	nr = part_for_key(parts, key);
	parts->items[nr].at_limit |= key->at_limit;
	part_add_line(parts, &parts->items[nr], key->line, false);
	if (key->at_limit)
		parts->at_limit += end - begin;
	if (last && last->begin == end && last->part == nr && last->slot == key->slot) {
		last->begin = begin;
		last->time += end - begin;
		last->child = key->child;
		return;
	}
	GROW(parts->pieces, parts->nr_pieces, parts->cap_pieces, 64);
	parts->pieces[parts->nr_pieces++] =
		(struct piece){ begin, end - begin, nr, key->slot, key->child };
}

static int parts_largest_first(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->time != y->time)
		return x->time < y->time ? 1 : -1;
	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->number < y->number ? -1 : x->number > y->number;
}

void parts_sort(struct parts *parts)
{
	tr2_hash_index_clear(&parts->by_key);
	if (parts->nr)
		qsort(parts->items, parts->nr, sizeof(*parts->items), parts_largest_first);
}

static void pieces_sum(struct parts *parts)
{
	for (uint32_t i = 0, j = parts->nr_pieces; i + 1 < j--; i++) {
		struct piece piece = parts->pieces[i];

		parts->pieces[i] = parts->pieces[j];
		parts->pieces[j] = piece;
	}
	for (uint32_t i = 0; i < parts->nr_pieces; i++) {
		const struct piece *piece = &parts->pieces[i];
		struct part *part = &parts->items[piece->part];

		if (!part->pieces++) {
			part->begin = piece->begin;
			part->slot = piece->slot;
			part->child = piece->child;
		}
		part->of_many |= part->slot != piece->slot;
		part->time += piece->time;
	}
}

/* time of one process in a part that several processes share */
struct share {
	/* `first`: index in `pieces` of the process's first piece in the part */
	uint32_t part, slot, first;
	ns_t time;
};

struct shares {
	struct share *at;
	uint32_t nr, cap;
	struct tr2_hash_index by_key;
};

static uint32_t share_hash(const void *data, uint32_t nr)
{
	const struct share *share = &((const struct shares *)data)->at[nr];

	return (uint32_t)tr2_hash_pair(share->part, share->slot);
}

static struct share *share_of(struct shares *shares, const struct piece *piece, uint32_t nr)
{
	uint32_t hash = (uint32_t)tr2_hash_pair(piece->part, piece->slot);

	if (shares->by_key.at)
		TR2_HASH_INDEX_EACH(&shares->by_key, hash, at)
		{
			struct share *share = &shares->at[shares->by_key.at[at] - 1];

			if (share->part == piece->part && share->slot == piece->slot)
				return share;
		}
	GROW(shares->at, shares->nr, shares->cap, 64);
	shares->at[shares->nr] = (struct share){ piece->part, piece->slot, nr, 0 };
	hash_index_put(&shares->by_key, hash, shares->nr, share_hash, shares);
	return &shares->at[shares->nr++];
}

static void processes_choose(struct parts *parts)
{
	struct shares shares = { 0 };

	for (uint32_t i = 0; i < parts->nr_pieces; i++)
		if (parts->items[parts->pieces[i].part].of_many)
			share_of(&shares, &parts->pieces[i], i)->time += parts->pieces[i].time;
	for (uint32_t i = 0; i < parts->nr; i++)
		parts->items[i].best = parts->items[i].of_many ? 0 : parts->items[i].time;
	for (uint32_t i = 0; i < shares.nr; i++) {
		struct part *part = &parts->items[shares.at[i].part];

		if (shares.at[i].time <= part->best)
			continue;
		part->best = shares.at[i].time;
		part->slot = shares.at[i].slot;
		part->child = parts->pieces[shares.at[i].first].child;
	}
	free(shares.at);
	tr2_hash_index_release(&shares.by_key);
}

void parts_finish(struct parts *parts)
{
	uint32_t *to;

	pieces_sum(parts);
	processes_choose(parts);
	parts_sort(parts);
	if (!parts->nr)
		return;
	to = xreallocarray(NULL, parts->nr, sizeof(*to));
	for (uint32_t i = 0; i < parts->nr; i++)
		to[parts->items[i].number] = i;
	for (uint32_t i = 0; i < parts->nr_pieces; i++)
		parts->pieces[i].part = to[parts->pieces[i].part];
	free(to);
}

void parts_add(struct parts *sum, const struct parts *from)
{
	if (!sum->by_string.at) {
		parts_clear(sum);
		sum->ended = true;
		sum->nesting = from->nesting;
	}
	for (uint32_t i = 0; i < from->nr; i++) {
		const struct part *part = &from->items[i];
		struct part_key key = { .kind = part->kind,
					.slot = part->slot,
					.child = part->child,
					.category = part->category,
					.label = part->label };
		const char *bytes;
		struct part *to;
		uint32_t nr;
		size_t len;

		bytes = string_at(from, part->text, &len);
		key.text = parts_string(sum, bytes, len);
		bytes = string_at(from, part->name, &len);
		key.name = parts_string(sum, bytes, len);
		bytes = string_at(from, part->line, &len);
		key.line = parts_string(sum, bytes, len);
		nr = part_for_key(sum, &key);
		to = &sum->items[nr];
		part_add_line(sum, to, key.line, part->cut);
		to->begin = to->number;
		to->time = ns_add(to->time, part->time);
		to->pieces += part->pieces;
		to->at_limit |= part->at_limit;
		if (part->best > to->best) {
			to->best = part->best;
			to->slot = part->slot;
			to->child = part->child;
		}
	}
	sum->wall = ns_add(sum->wall, from->wall);
	sum->at_limit = ns_add(sum->at_limit, from->at_limit);
	sum->live |= from->live;
	sum->ended &= from->ended;
	sum->guessed |= from->guessed;
	sum->stepped |= from->stepped;
	sum->nesting_default |= from->nesting_default;
	if (sum->nesting != from->nesting)
		sum->nesting = NUM_NONE;
	sum->nr_processes += from->nr_processes;
}

void parts_release(struct parts *parts)
{
	if (parts->by_string.at)
		tr2_buf_release(&parts->texts);
	if (parts->tree) {
		free(parts->tree->nodes);
		free(parts->tree->holders);
		free(parts->tree->numbers);
		free(parts->tree->frames);
		free(parts->tree->besides);
		free(parts->tree->beside_pieces);
		free(parts->tree);
	}
	free(parts->items);
	free(parts->pieces);
	free(parts->strings);
	tr2_hash_index_release(&parts->by_string);
	tr2_hash_index_release(&parts->by_key);
	memset(parts, 0, sizeof(*parts));
}

const char *part_category(const struct parts *parts, const struct model *m, const struct part *part,
			  size_t *len)
{
	(void)parts;
	if (part->category != SYM_NONE)
		return model_sym(m, part->category, len);
	*len = 0;
	return NULL;
}

const char *part_label(const struct parts *parts, const struct model *m, const struct part *part,
		       size_t *len)
{
	if (part->kind == PART_REGION && part->label != SYM_NONE)
		return model_sym(m, part->label, len);
	if (part->text)
		return string_at(parts, part->text, len);
	*len = 0;
	return NULL;
}

const char *part_line(const struct parts *parts, const struct part *part, size_t *len)
{
	if (part->line)
		return string_at(parts, part->line, len);
	*len = 0;
	return NULL;
}

const char *part_name(const struct parts *parts, const struct part *part, size_t *len)
{
	if (part->name)
		return string_at(parts, part->name, len);
	*len = 0;
	return NULL;
}
