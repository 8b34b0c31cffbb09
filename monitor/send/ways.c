/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/ways.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

static uint32_t key_hash(uint32_t stream, const char *sid, size_t len)
{
	return sid ? (uint32_t)tr2_hash(sid, len) : stream * 2654435761u;
}

static uint32_t ways_hash_of(const void *data, uint32_t at)
{
	const struct way *way = ((const struct ways *)data)->all[at];

	return key_hash(way->stream, way->sid, way->sid ? strlen(way->sid) : 0);
}

struct way *ways_find(const struct ways *ways, uint32_t stream, const char *sid, size_t len)
{
	if (!ways->by_key.nr)
		return NULL;
	TR2_HASH_INDEX_EACH(&ways->by_key, key_hash(stream, sid, len), at)
	{
		struct way *way = ways->all[ways->by_key.at[at] - 1];

		if (sid ? way->sid && strlen(way->sid) == len && !memcmp(way->sid, sid, len)
			: !way->sid && way->stream == stream)
			return way;
	}
	return NULL;
}

struct way *ways_get(struct ways *ways, uint32_t stream, const char *sid, size_t len)
{
	struct way *way = ways_find(ways, stream, sid, len);

	if (way)
		return way;
	way = xcalloc(1, sizeof(*way));
	way->stream = stream;
	if (sid) {
		way->sid = xcalloc(1, len + 1);
		memcpy(way->sid, sid, len);
	}
	tr2_buf_init(&way->held, SIZE_MAX / 2);
	outlet_init(&way->outlet);
	GROW(ways->all, ways->nr, ways->cap, 16);
	ways->all[ways->nr] = way;
	hash_index_put(&ways->by_key, key_hash(stream, sid, len), ways->nr++, ways_hash_of, ways);
	return way;
}

void ways_remove(struct ways *ways, uint32_t at)
{
	struct way *way = ways->all[at];
	uint32_t last = --ways->nr;

	tr2_hash_index_remove(&ways->by_key,
			      tr2_hash_index_place(&ways->by_key, ways_hash_of(ways, at), at),
			      ways_hash_of, ways);
	if (at != last) {
		ways->by_key
			.at[tr2_hash_index_place(&ways->by_key, ways_hash_of(ways, last), last)] =
			at + 1;
		ways->all[at] = ways->all[last];
	}
	outlet_release(&way->outlet);
	tr2_buf_release(&way->held);
	free(way->sid);
	free(way);
}

void ways_release(struct ways *ways)
{
	free(ways->all);
	tr2_hash_index_release(&ways->by_key);
}
