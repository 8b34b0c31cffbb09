/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/redact/pseudonyms.h"

#include <stdlib.h>

#include "engine/base/hash.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"
#include "monitor/redact/siphash.h"

#define MAX_TEXTS (4u << 20)

static const struct {
	char prefix[6];
	uint8_t prefix_len, nr_digits;
} forms[NR_PSEUDONYMS] = {
#define PSEUDONYM(ID, prefix, nr_digits, doc)                                                      \
	[PSEUDONYM_##ID] = { prefix, sizeof(prefix) - 1, nr_digits },
#include "monitor/redact/pseudonyms.def"
};

struct pseudonyms {
	struct pseudonyms_known {
		uint64_t hash; /* hash of the kind and of the text */
		uint32_t number;
	} * known;
	uint32_t nr, cap;
	struct tr2_hash_index by_hash;
	uint32_t last[NR_PSEUDONYMS]; /* per kind, the last number that was assigned */
	bool has_key;
	struct siphash_key key;
};

struct pseudonyms *pseudonyms_new(void)
{
	struct pseudonyms *all = xcalloc(1, sizeof(*all));

	hash_index_init(&all->by_hash, 1024);
	return all;
}

void pseudonyms_free(struct pseudonyms *all)
{
	if (!all)
		return;
	tr2_hash_index_release(&all->by_hash);
	free(all->known);
	free(all);
}

void pseudonyms_set_key(struct pseudonyms *all, const char *key, size_t len)
{
	struct siphash_key first = { 0, 0 }, second = { 1, 0 };

	all->key.a = siphash(&first, 0, key, len);
	all->key.b = siphash(&second, 0, key, len);
	all->has_key = true;
}

static uint32_t pseudonyms_hash_of(const void *data, uint32_t number)
{
	return (uint32_t)((const struct pseudonyms *)data)->known[number].hash;
}

static uint32_t pseudonyms_number_of(struct pseudonyms *all, enum pseudonym_kind kind,
				     const char *text, size_t len)
{
	uint64_t hash = tr2_hash_pair(tr2_hash(text, len), kind);

	TR2_HASH_INDEX_EACH(&all->by_hash, hash, at)
	{
		const struct pseudonyms_known *known = &all->known[all->by_hash.at[at] - 1];

		if (known->hash == hash)
			return known->number;
	}
	if (all->nr == MAX_TEXTS)
		return 0;
	GROW(all->known, all->nr, all->cap, 256);
	all->known[all->nr] = (struct pseudonyms_known){ hash, ++all->last[kind] };
	hash_index_put(&all->by_hash, (uint32_t)hash, all->nr++, pseudonyms_hash_of, all);
	return all->last[kind];
}

void pseudonyms_add(struct pseudonyms *all, enum pseudonym_kind kind, const char *text, size_t len,
		    struct tr2_buf *out)
{
	uint32_t number = all->has_key ? (uint32_t)siphash(&all->key, kind, text, len)
				       : pseudonyms_number_of(all, kind, text, len);

	/* A host in a SID has eight hexadecimal digits, its pseudonym eight decimal ones. */
	if (kind == PSEUDONYM_HOST)
		number %= 100000000u;

	tr2_buf_add(out, forms[kind].prefix, forms[kind].prefix_len);
	tr2_buf_addu(out, number, forms[kind].nr_digits);
}
