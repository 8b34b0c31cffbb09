/* SPDX-License-Identifier: MIT */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/scan.h"
#include "monitor/read/unpack.h"

static const struct packing_ops *const packings[] = {
#define PACKING(name) &packing_##name,
#include "monitor/read/packings.def"
#undef PACKING
	NULL,
};

/*
 * State of one stream. `inside`: from the first byte of a member's magic number to the member's
 * end; `head`: bytes of the magic number received so far; `started`: the whole magic number was
 * passed to the library; `pending`: the library may have more output; `member`: state of the
 * library, or NULL.
 */
struct unpack {
	const struct packing_ops *ops;
	void *member;
	uint8_t head[UNPACK_MAGIC_MAX];
	size_t nr_head;
	bool inside, started, pending, any;
	bool over;
	const char *why; /* error text; if set, no more output is written */
};

const struct packing_ops *packing_at(size_t i)
{
	return packings[i];
}

enum match { NO, SO_FAR, WHOLE };

static enum match packing_match(const struct packing_ops *ops, const uint8_t *bytes, size_t len)
{
	enum match best = NO;

	for (size_t i = 0; i < sizeof(ops->magics) / sizeof(ops->magics[0]); i++) {
		const struct packing_magic *magic = &ops->magics[i];
		size_t nr = len < magic->nr ? len : magic->nr;

		if (!nr || (bytes[0] & magic->mask) != magic->bytes[0] ||
		    memcmp(bytes + 1, magic->bytes + 1, nr - 1) != 0)
			continue;
		if (len >= magic->nr)
			return WHOLE;
		best = SO_FAR;
	}
	return best;
}

const struct packing_ops *packing_of(const char *bytes, size_t len, bool *more)
{
	*more = len == 0;
	for (size_t i = 0; len && packings[i]; i++) {
		enum match what = packing_match(packings[i], (const uint8_t *)bytes, len);

		if (what == WHOLE) {
			*more = false;
			return packings[i];
		}
		*more = *more || what == SO_FAR;
	}
	return NULL;
}

struct unpack *unpack_new(const struct packing_ops *packing)
{
	struct unpack *unpack = packing->begin ? calloc(1, sizeof(*unpack)) : NULL;

	if (!unpack)
		return NULL;
	unpack->ops = packing;
	return unpack;
}

static void member_release(struct unpack *unpack)
{
	if (unpack->member)
		unpack->ops->release(unpack->member);
	unpack->member = NULL;
}

void unpack_free(struct unpack *unpack)
{
	if (!unpack)
		return;
	member_release(unpack);
	free(unpack);
}

static void unpack_damage(struct unpack *unpack, const char *why)
{
	unpack->why = why;
	unpack->inside = unpack->started = unpack->pending = false;
	member_release(unpack);
}

/* Returns the number of output bytes, at most UNPACK_PIECE. */
static size_t unpack_run_step(struct unpack *unpack, const uint8_t **in, size_t *nr_in,
			      unpack_sink *sink, void *data)
{
	static char piece[UNPACK_PIECE + SCAN_PAD];
	struct unpack_io io = { *in, *nr_in, (uint8_t *)piece, UNPACK_PIECE };
	const char *why = NULL;
	enum unpack_step what = unpack->ops->step(unpack->member, &io, &why);
	size_t nr_out = UNPACK_PIECE - io.nr_out;

	/* Without progress another call would loop forever: treat the data as damaged. */
	if (what == STEP_ON && *nr_in && io.nr_in == *nr_in && !nr_out) {
		what = STEP_DAMAGED;
		why = "the compressed data is damaged";
	}
	unpack->pending = what == STEP_ON && io.nr_out == 0;
	*in = io.in;
	*nr_in = io.nr_in;
	if (nr_out)
		sink(data, piece, nr_out);
	if (what == STEP_DAMAGED)
		unpack_damage(unpack, why);
	else if (what == STEP_END)
		unpack->inside = unpack->started = false;
	return nr_out;
}

/* Take a byte of padding or of a magic number. Begin a member if the magic number is complete. */
static void look_for_member(struct unpack *unpack, const uint8_t **in, size_t *nr_in,
			    unpack_sink *sink, void *data)
{
	const struct packing_ops *ops = unpack->ops;
	const uint8_t *head = unpack->head;
	size_t nr_head;
	enum match what;

	if (!unpack->inside && unpack->any && ops->pads && **in == 0) {
		(*in)++;
		(*nr_in)--;
		return;
	}
	unpack->head[unpack->nr_head++] = **in;
	what = packing_match(ops, unpack->head, unpack->nr_head);
	if (what == NO) {
		unpack->over = unpack->any;
		unpack_damage(unpack, unpack->any ? "trailing data after the compressed stream"
						  : "the compressed data is damaged");
		return;
	}
	unpack->inside = true;
	(*in)++;
	(*nr_in)--;
	if (what != WHOLE)
		return;
	if (!unpack->member)
		unpack->member = ops->make();
	if (!unpack->member || !ops->begin(unpack->member)) {
		unpack_damage(unpack, "not enough memory to unpack it");
		return;
	}
	unpack->started = unpack->any = true;
	nr_head = unpack->nr_head;
	unpack->nr_head = 0;
	while (nr_head && unpack->started)
		unpack_run_step(unpack, &head, &nr_head, sink, data);
}

size_t unpack_feed(struct unpack *unpack, const char *bytes, size_t len, size_t budget,
		   unpack_sink *sink, void *data, const char **why)
{
	const uint8_t *in = (const uint8_t *)bytes;
	size_t nr_in = len, nr_out = 0;

	while (!unpack->why && (nr_in || unpack->pending) && nr_out < budget) {
		if (unpack->started)
			nr_out += unpack_run_step(unpack, &in, &nr_in, sink, data);
		else
			look_for_member(unpack, &in, &nr_in, sink, data);
	}
	*why = unpack->why;
	return unpack->why ? len : len - nr_in;
}

bool unpack_pending(const struct unpack *unpack)
{
	return unpack->pending;
}

void unpack_rest(struct unpack *unpack)
{
	if (!unpack->started)
		member_release(unpack);
}

size_t unpack_held(const struct unpack *unpack)
{
	return unpack->member ? unpack->ops->held(unpack->member) : 0;
}

enum unpack_state unpack_state(const struct unpack *unpack)
{
	if (unpack->why)
		return unpack->over ? UNPACK_OVER : UNPACK_DAMAGED;
	return unpack->inside ? UNPACK_INSIDE : UNPACK_BETWEEN;
}

const struct packing_ops *unpack_packing(const struct unpack *unpack)
{
	return unpack->ops;
}
