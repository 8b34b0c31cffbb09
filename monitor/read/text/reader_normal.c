/* SPDX-License-Identifier: MIT */
/*
 * Reader of Git's NORMAL target: one line of text per event, without depth, threads, regions and
 * data. If several processes write to one stream, the process of a line is guessed.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/read/text/normal_line.h"
#include "monitor/read/text/text_lines.h"

struct normal_reader {
	/* must be the first member: functions cast its address to the whole struct */
	struct text_lines lines;
	/* the stream's process, if only one writes to it */
	struct text_process *only;
	/* both ends of the list of live processes, in order of their first line */
	struct text_process *oldest, *newest;
	struct text_process *ended; /* the process that ended last */
	uint32_t nr_living, nr_children;
	uint64_t turn;
	size_t bytes;
};

static const struct tr2_piece *normal_pieces(unsigned kind)
{
	return tr2_events[kind].normal;
}

static enum text_line normal_parse_line(struct text_lines *lines, const char *text, size_t len,
					struct text_record *rec)
{
	bool may_be_brief = !lines->has_record || lines->is_brief;

	return normal_line(&lines->source.names, may_be_brief, text, len, rec);
}

static void unlink_living(struct normal_reader *r, struct text_process *p)
{
	*(p->prev ? &p->prev->next : &r->oldest) = p->next;
	*(p->next ? &p->next->prev : &r->newest) = p->prev;
	r->nr_living--;
}

static void normal_end_process(struct normal_reader *r, struct text_process *p)
{
	unlink_living(r, p);
	r->nr_children -= p->nr_children;
	r->bytes -= p->bytes;
	text_process_shrink(p);
	text_process_free(r->ended);
	r->ended = p;
}

static struct text_process *silent_longest(const struct normal_reader *r)
{
	struct text_process *found = r->oldest;

	for (struct text_process *p = r->oldest; p; p = p->next)
		if (p->last_turn < found->last_turn)
			found = p;
	return found;
}

static struct text_process *normal_new_process(struct normal_reader *r, struct text_process *parent,
					       ns_t birth)
{
	uint32_t depth = parent ? parent->depth + 1 : 0;
	struct text_process *p = text_process_new(&r->lines.source, parent, depth);

	while (r->nr_living >= TEXT_MAX_LIVING || (r->nr_living && r->bytes > TEXT_MAX_APART_BYTES))
		normal_end_process(r, silent_longest(r));
	p->birth = birth;
	p->prev = r->newest;
	*(r->newest ? &r->newest->next : &r->oldest) = p;
	r->newest = p;
	r->nr_living++;
	r->bytes += p->bytes;
	return p;
}

static struct text_process *new_version(struct normal_reader *r, const struct text_record *rec)
{
	struct text_process *parent = r->newest;

	while (parent && (!parent->nr_children || parent->depth >= TEXT_MAX_DEPTH))
		parent = parent->prev;
	return normal_new_process(r, parent, rec->wall_ns);
}

static ns_t normal_distance(ns_t a, ns_t b)
{
	ns_t off = a == NS_NONE || b == NS_NONE ? 0 : ns_sub(a, b);

	return off < 0 ? -off : off;
}

/* Return the live process with this `has_exited` whose start is nearest to `begin`; of equally near
 * processes the newest. */
static struct text_process *by_begin(const struct normal_reader *r, bool has_exited, ns_t begin)
{
	struct text_process *found = NULL;

	for (struct text_process *p = r->newest; p; p = p->prev)
		if (p->has_exited == has_exited &&
		    (!found ||
		     normal_distance(p->birth, begin) < normal_distance(found->birth, begin)))
			found = p;
	return found;
}

static struct text_process *by_child(const struct normal_reader *r, int64_t id, ns_t begin,
				     uint32_t *child)
{
	struct text_process *found = NULL;
	ns_t best = INT64_MAX;

	for (struct text_process *p = r->newest; p; p = p->prev)
		for (uint32_t i = p->nr_children; i-- > 0;) {
			ns_t off = normal_distance(p->children[i].begin, begin);

			if (p->children[i].id != id || (found && off >= best))
				continue;
			best = off;
			found = p;
			*child = i;
		}
	return found;
}

static ns_t begin_of(const struct text_record *rec, unsigned field)
{
	if (rec->wall_ns == NS_NONE || !event_has(&rec->ev, field))
		return NS_NONE;
	return ns_sub(rec->wall_ns, rec->ev.v[field]);
}

static struct text_process *newest(const struct normal_reader *r, bool has_exited)
{
	struct text_process *p = r->newest;

	while (p && p->has_exited != has_exited)
		p = p->prev;
	return p;
}

static struct text_process *normal_choose_process(struct normal_reader *r,
						  const struct text_record *rec, uint32_t *child)
{
	struct text_process *p;

	switch (rec->ev.kind) {
	case TR2_E_VERSION:
		return new_version(r, rec);
	case TR2_E_EXIT:
	case TR2_E_SIGNAL:
		return by_begin(r, false, begin_of(rec, TR2_F_T_ABS));
	case TR2_E_ATEXIT:
		return by_begin(r, true, begin_of(rec, TR2_F_T_ABS));
	case TR2_E_CHILD_EXIT:
	case TR2_E_CHILD_READY:
		return by_child(r, event_get(&rec->ev, TR2_F_CHILD_ID, -1),
				begin_of(rec, TR2_F_T_REL), child);
	case TR2_E_TIMER:
	case TR2_E_TH_TIMER:
	case TR2_E_COUNTER:
	case TR2_E_TH_COUNTER:
		p = newest(r, true);
		if (p)
			return p;
		break;
	default:
		break;
	}
	p = newest(r, false);
	if (!p)
		p = r->newest ? r->newest : r->ended;
	return p ? p : normal_new_process(r, NULL, rec->wall_ns);
}

static void normal_on_child_begin(struct normal_reader *r, struct text_process *p,
				  const struct text_record *rec)
{
	if (p == r->ended || p->nr_children >= TEXT_MAX_CHILDREN ||
	    r->nr_children >= TEXT_MAX_ALL_CHILDREN)
		return;
	r->nr_children++;
	*text_child_add(p) = (struct text_child){ .id = event_get(&rec->ev, TR2_F_CHILD_ID, -1),
						  .begin = rec->wall_ns };
	r->bytes += sizeof(struct text_child);
}

static void normal_take_of_many(struct normal_reader *r, struct text_record *rec)
{
	uint32_t child = 0;
	struct text_process *p = normal_choose_process(r, rec, &child);
	unsigned kind = rec->ev.kind;

	if (!p) {
		r->lines.source.counts->nr_ignored++;
		return;
	}
	p->last_turn = ++r->turn;
	text_deliver(&r->lines.source, p, rec);
	if (kind == TR2_E_CHILD_START)
		normal_on_child_begin(r, p, rec);
	if (kind == TR2_E_CHILD_EXIT) {
		text_child_remove(p, child);
		r->nr_children--;
		r->bytes -= sizeof(struct text_child);
	}
	p->has_exited |= kind == TR2_E_EXIT;
	if (kind == TR2_E_ATEXIT || kind == TR2_E_SIGNAL)
		normal_end_process(r, p);
}

static void normal_take_record(struct text_lines *lines, struct text_record *rec, const char *text,
			       size_t len)
{
	struct normal_reader *r = (struct normal_reader *)lines;

	(void)text;
	(void)len;
	if (!lines->source.stream->one_process) {
		normal_take_of_many(r, rec);
		return;
	}
	if (!r->only)
		r->only = text_process_new(&lines->source, NULL, 0);
	text_deliver(&lines->source, r->only, rec);
}

static const struct text_format format = {
	.word = "normal",
	.kinds = normal_kinds,
	.pieces = normal_pieces,
	.line = normal_parse_line,
	.take = normal_take_record,
};

static void normal_begin(void *state, struct tr2_intern *syms, const struct reader_stream *stream)
{
	text_lines_begin(&((struct normal_reader *)state)->lines, &format, syms, stream);
}

static size_t normal_read_lines(void *state, const char *bytes, size_t len, struct batch *batch,
				struct read_counts *counts, read_bad_fn *bad, void *bad_data)
{
	return text_lines_read(&((struct normal_reader *)state)->lines, bytes, len, batch, counts,
			       bad, bad_data);
}

static void normal_finish(void *state, bool is_quiet, struct read_counts *counts, read_bad_fn *bad,
			  void *bad_data)
{
	if (!is_quiet)
		text_lines_end(&((struct normal_reader *)state)->lines, counts, bad, bad_data);
}

static size_t normal_held_bytes(const void *state)
{
	const struct normal_reader *r = state;

	return text_lines_bytes(&r->lines) + r->bytes + (r->only ? r->only->bytes : 0) +
	       (r->ended ? r->ended->bytes : 0);
}

static void normal_release(void *state)
{
	struct normal_reader *r = state;

	for (struct text_process *p = r->oldest, *next; p; p = next) {
		next = p->next;
		text_process_free(p);
	}
	text_process_free(r->ended);
	text_process_free(r->only);
	text_lines_release(&r->lines);
}

const struct reader_ops reader_normal_ops = {
	.state_bytes = sizeof(struct normal_reader),
	.framing = FRAME_LINES,
	.per_stream = true,
	.is_twin = true,
	.probe = normal_probe,
	.begin = normal_begin,
	.read_lines = normal_read_lines,
	.finish = normal_finish,
	.held_bytes = normal_held_bytes,
	.release = normal_release,
};
