/* SPDX-License-Identifier: MIT */
/*
 * One table decides for each piece of the wall time if it was waiting, transfer or local work: the
 * first row that fits counts. A piece is cut where a transport ("pipe") begins or ends, because
 * facts change there.
 */
#include "config.h"

#include "monitor/analysis/remote_time.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/parts_priv.h"
#include "monitor/base/grow.h"
#include "monitor/base/humanize.h"
#include "monitor/base/platform.h"

enum {
	IS_SERVER = 1, /* upload-pack, receive-pack, upload-archive */
	/* index-pack, which receives the pack in its first region of category progress */
	IS_INDEX_PACK = 2,
	/* unpack-objects, which receives the pack in all its regions of category progress */
	IS_UNPACK = 4,
	/* the process talks to the server for a remote helper, or is a remote helper */
	IS_TALKER = 8,
	IS_REMOTE_CURL = 16,
	IS_PUSH = 32,
	IS_TAKER = IS_INDEX_PACK | IS_UNPACK,
};

static const struct remote_name {
	const char *name;
	uint8_t is;
} names[] = {
	{ "upload-pack", IS_SERVER },
	{ "receive-pack", IS_SERVER },
	{ "upload-archive", IS_SERVER },
	{ "index-pack", IS_INDEX_PACK },
	{ "unpack-objects", IS_UNPACK },
	{ "fetch-pack", IS_TALKER },
	{ "send-pack", IS_TALKER },
	{ "http-fetch", IS_TALKER },
	{ "http-push", IS_TALKER },
	{ "remote-curl", IS_TALKER | IS_REMOTE_CURL },
	{ "push", IS_PUSH },
};

/* regions in which Git waits for the other side while a transport runs, unless the trace of the
 * transport shows more */
static const struct remote_region {
	const char *category, *label;
} waiting_regions[] = {
	{ "fetch", "remote_refs" },
	{ "fetch", "fetch_refs" },
	{ "fetch-pack", "negotiation_v0_v1" },
	{ "fetch-pack", "negotiation_v2" },
	{ "negotiation_v0_v1", "round" },
	{ "negotiation_v2", "round" },
	{ "fetch-pack", "negotiate_using_fetch" },
	{ "negotiate_using_fetch", "round" },
	{ "transport_push", "get_refs_list" },
	{ "transport_push", "push_refs" },
	{ "send_pack", "receive_status" },
	{ "send_pack", "push_negotiate" },
};

/*
 * Time in which a pipe (transport) exchanges data, on the axis of the run. The times of one process
 * do not overlap: of several pipes that run at once, the first one has the time.
 */
struct talk {
	ns_t begin, end;
	uint32_t holder;
	bool exact; /* false: only child_exit shows the end */
};

struct remote_walk {
	struct remote_time *to;
	struct parts *parts;
	struct parts_tree *t;
	const struct analysis *what;
	const struct parts_of *of;
	const struct model *m;
	uint8_t *is; /* by node: IS_* */
	/* by node: if IS_TAKER, index of the event that enters its first progress region */
	uint32_t *takes;
	uint32_t *by_slot;
	struct talk *talks;
	/* by node: index in `talks` of the node's first item; after the last node: `nr_talks` */
	uint32_t *first_talk;
	uint32_t nr_talks, cap_talks;
};

struct remote_piece {
	uint8_t kind; /* enum part_kind */
	uint8_t is;
	/* in_pipe: the piece is inside a pipe (transport); of_pipe: the piece is that of the pipe
	 * itself */
	bool in_pipe, of_pipe;
	bool at_server; /* the piece's process is a server in a pipe, or below one */
	/* the piece's process or an ancestor is remote-curl */
	bool in_curl;
	/* the piece is in a region in which its process (IS_TAKER) receives the pack */
	bool takes;
	/* the piece's process (IS_TAKER) receives a pack in a region */
	bool has_takes;
	bool before_takes; /* the piece's process has not begun to receive the pack */
	bool writes_pack;  /* in pack-objects/write-pack-file */
	/* if `writes_pack`: the piece's process was started in a region of category send_pack */
	bool sent;
	bool waits;
	/* The members below may change within the piece, when a pipe begins or ends. */
	/* item of `talks` of the piece's own process that is in progress; NULL: none */
	const struct talk *own;
	bool own_helper; /* the pipe of `own` is a remote helper with traced processes */
	/* a pipe of the piece's process or of an ancestor exchanges data now */
	bool talks;
	bool exact; /* the ends of all pipes that `talks` refers to are exact */
};

enum remote_verdict { REMOTE_WAITING, REMOTE_TRANSFER, REMOTE_LOCAL, REMOTE_AS_PIPE };

static bool remote_is_between(const struct remote_piece *p)
{
	return p->kind == PART_NONE || p->kind == PART_INIT;
}

static bool fits_server(const struct remote_piece *p)
{
	return p->in_pipe && p->at_server;
}

static bool fits_silent_pipe(const struct remote_piece *p)
{
	return p->of_pipe && (p->kind == PART_UNTRACED || p->kind == PART_LOST);
}

static bool fits_start_of_pipe(const struct remote_piece *p)
{
	return p->of_pipe && (p->kind == PART_SPAWN || p->kind == PART_REAP);
}

static bool fits_taking(const struct remote_piece *p)
{
	return p->kind == PART_REGION && (p->is & IS_TAKER) && p->takes;
}

static bool fits_region_of_taker(const struct remote_piece *p)
{
	return p->kind == PART_REGION && (p->is & IS_TAKER);
}

static bool fits_pack_sent(const struct remote_piece *p)
{
	return p->writes_pack && (p->in_pipe || p->sent || p->talks);
}

static bool fits_pack_written(const struct remote_piece *p)
{
	return p->writes_pack;
}

static bool fits_wait_in_pipe(const struct remote_piece *p)
{
	return p->waits && p->in_pipe;
}

static bool fits_wait_for_helper(const struct remote_piece *p)
{
	return p->waits && p->own && p->own_helper;
}

static bool fits_wait_for_pipe(const struct remote_piece *p)
{
	return p->waits && p->own;
}

static bool fits_before_taking(const struct remote_piece *p)
{
	return remote_is_between(p) && p->has_takes && p->before_takes;
}

static bool fits_after_taking(const struct remote_piece *p)
{
	return remote_is_between(p) && p->has_takes;
}

static bool fits_quiet_taker(const struct remote_piece *p)
{
	return remote_is_between(p) && (p->is & IS_TAKER) && (p->in_pipe || p->talks);
}

static bool fits_talker(const struct remote_piece *p)
{
	return p->in_pipe && (p->is & IS_TALKER) && (p->kind == PART_NONE || p->kind == PART_LOST);
}

static bool fits_other_helper(const struct remote_piece *p)
{
	return p->in_pipe && p->kind == PART_UNTRACED && !p->in_curl;
}

static bool fits_all(const struct remote_piece *p)
{
	(void)p;
	return true;
}

static const struct remote_row {
	bool (*fits)(const struct remote_piece *piece);
	enum remote_verdict verdict;
} rows[] = {
	{ fits_server, REMOTE_TRANSFER },         { fits_silent_pipe, REMOTE_WAITING },
	{ fits_start_of_pipe, REMOTE_LOCAL },     { fits_taking, REMOTE_TRANSFER },
	{ fits_region_of_taker, REMOTE_LOCAL },   { fits_pack_sent, REMOTE_TRANSFER },
	{ fits_pack_written, REMOTE_LOCAL },      { fits_wait_in_pipe, REMOTE_WAITING },
	{ fits_wait_for_helper, REMOTE_AS_PIPE }, { fits_wait_for_pipe, REMOTE_WAITING },
	{ fits_before_taking, REMOTE_WAITING },   { fits_after_taking, REMOTE_LOCAL },
	{ fits_quiet_taker, REMOTE_TRANSFER },    { fits_talker, REMOTE_WAITING },
	{ fits_other_helper, REMOTE_WAITING },    { fits_all, REMOTE_LOCAL },
};

static uint8_t process_is(const struct model *m, const struct process *p)
{
	size_t len;
	const char *bytes;

	if (p->name == SYM_NONE)
		return 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (model_sym_is(m, p->name, names[i].name))
			return names[i].is;
	bytes = model_sym(m, p->name, &len);
	return len >= 7 && !memcmp(bytes, "remote-", 7) ? IS_TALKER : 0;
}

static uint32_t first_progress(const struct model *m, const struct process *p)
{
	const struct ledger_entry *ledger = process_ledger(m, p);

	for (uint32_t i = 0; i < p->axis.ledger.nr; i++)
		if (ledger[i].cell != LEDGER_NONE &&
		    model_sym_is(m, model_cell(m, ledger[i].cell)->category, "progress"))
			return i;
	return LEDGER_NONE;
}

static const struct child *node_child(const struct remote_walk *w, const struct part_node *n)
{
	if (n->parent == NO_NODE || n->link == SLOT_NONE || n->link == LINK_EXEC)
		return NULL;
	return process_child(w->m, model_slot(w->m, w->t->nodes[n->parent].slot), n->link);
}

static bool link_is_pipe(const struct remote_walk *w, const struct part_node *n)
{
	const struct child *child = node_child(w, n);

	return child && child_is_pipe(w->m, child);
}

static int node_compare(const void *a, const void *b, void *data)
{
	const struct part_node *nodes = data;
	uint32_t x = nodes[*(const uint32_t *)a].slot, y = nodes[*(const uint32_t *)b].slot;

	return x < y ? -1 : x > y;
}

static uint32_t remote_node_of(const struct remote_walk *w, uint32_t slot)
{
	uint32_t low = 0, high = w->t->nr;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (w->t->nodes[w->by_slot[mid]].slot < slot)
			low = mid + 1;
		else
			high = mid;
	}
	return low < w->t->nr && w->t->nodes[w->by_slot[low]].slot == slot ? w->by_slot[low]
									   : NO_NODE;
}

/* Return the time in which a pipe exchanges data: until the pipe ends; if all its processes have
 * ended and one is a server, until the last of them ended. */
static struct talk talk_of(const struct remote_walk *w, uint32_t node, uint32_t holder)
{
	const struct holder *h = &w->t->holders[holder];
	const struct part_node *n = &w->t->nodes[node];
	const struct process *p = model_slot(w->m, n->slot);
	struct talk talk = { .begin = h->begin, .end = h->end, .holder = holder };
	bool all_ended = h->nr > 0, server = false;
	ns_t last = h->begin;

	for (uint32_t i = h->first; i < h->first + h->nr; i++) {
		uint32_t kid = w->t->holders[i].index;

		all_ended &= w->t->nodes[kid].ended;
		server |= (w->is[kid] & IS_SERVER) != 0;
		last = w->t->holders[i].end > last ? w->t->holders[i].end : last;
	}
	if (all_ended && server && last < talk.end)
		talk.end = last;
	talk.exact = (all_ended && server) || process_child(w->m, p, h->index)->exit_at != h->end;
	talk.begin += n->shift;
	talk.end += n->shift;
	return talk;
}

static int talk_compare(const void *a, const void *b)
{
	const struct talk *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->holder < y->holder ? -1 : x->holder > y->holder;
}

static void talks_make(struct remote_walk *w, uint32_t node)
{
	const struct part_node *n = &w->t->nodes[node];
	uint32_t first = w->nr_talks, to = first;
	ns_t at = INT64_MIN;

	w->first_talk[node] = first;
	for (uint32_t i = n->first; n->shift != NS_NONE && i < n->first + n->nr; i++) {
		if (!w->t->holders[i].pipe)
			continue;
		GROW(w->talks, w->nr_talks, w->cap_talks, 16);
		w->talks[w->nr_talks++] = talk_of(w, node, i);
	}
	if (w->nr_talks > first + 1)
		qsort(w->talks + first, w->nr_talks - first, sizeof(*w->talks), talk_compare);
	for (uint32_t i = first; i < w->nr_talks; i++) {
		struct talk talk = w->talks[i];

		talk.begin = talk.begin > at ? talk.begin : at;
		if (talk.begin >= talk.end)
			continue;
		at = talk.end;
		w->talks[to++] = talk;
	}
	w->nr_talks = to;
}

/* Return the item of `talks` of a node just before `end`; NULL: none. Raises `*begin` to the start
 * of the time for which the result holds. */
static const struct talk *talk_before(const struct remote_walk *w, uint32_t node, ns_t *begin,
				      ns_t end)
{
	uint32_t from = w->first_talk[node], low = from, high = w->first_talk[node + 1];
	const struct talk *talk;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (w->talks[mid].begin < end)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == from)
		return NULL;
	talk = &w->talks[low - 1];
	if (talk->end >= end) {
		*begin = talk->begin > *begin ? talk->begin : *begin;
		return talk;
	}
	*begin = talk->end > *begin ? talk->end : *begin;
	return NULL;
}

static void piece_regions(const struct remote_walk *w, uint32_t node, ns_t begin,
			  struct remote_piece *piece)
{
	const struct part_node *n = &w->t->nodes[node];
	const struct process *p = model_slot(w->m, n->slot);
	const struct ledger_entry *ledger = process_ledger(w->m, p);
	uint32_t low = 0, high = p->axis.ledger.nr, at;
	ns_t own = begin - n->shift;

	while (low < high) {
		uint32_t mid = low + (high - low) / 2;

		if (ledger[mid].at <= own)
			low = mid + 1;
		else
			high = mid;
	}
	if (!low)
		return;
	at = ledger[low - 1].cell == LEDGER_NONE ? ledger[low - 1].outer : low - 1;
	for (; at != LEDGER_NONE; at = ledger[at].outer) {
		const struct timing_cell *cell = model_cell(w->m, ledger[at].cell);

		if (model_sym_is(w->m, cell->category, "progress"))
			piece->takes |= (piece->is & IS_UNPACK) || at == w->takes[node];
		piece->writes_pack |= model_sym_is(w->m, cell->category, "pack-objects") &&
				      model_sym_is(w->m, cell->label, "write-pack-file");
	}
}

static bool region_waits(const struct model *m, const struct part_key *key)
{
	for (size_t i = 0; i < sizeof(waiting_regions) / sizeof(*waiting_regions); i++)
		if (model_sym_is(m, key->category, waiting_regions[i].category) &&
		    model_sym_is(m, key->label, waiting_regions[i].label))
			return true;
	return false;
}

static bool node_is_sent(const struct remote_walk *w, const struct part_node *n)
{
	const struct child *child = node_child(w, n);
	const struct process *parent;
	uint32_t cell;

	if (!child || child->inside == LEDGER_NONE)
		return false;
	parent = model_slot(w->m, w->t->nodes[n->parent].slot);
	cell = process_ledger(w->m, parent)[child->inside].cell;
	return model_sym_is(w->m, model_cell(w->m, cell)->category, "send_pack");
}

static void piece_facts(const struct remote_walk *w, const struct part_key *key, uint32_t node,
			ns_t begin, struct remote_piece *piece)
{
	const struct part_node *n = &w->t->nodes[node];
	bool server = false;

	*piece = (struct remote_piece){ .kind = key->kind, .is = w->is[node] };
	if (key->kind == PART_UNTRACED || key->kind == PART_PERSON)
		piece->of_pipe = key->child != SLOT_NONE &&
				 child_is_pipe(w->m, process_child(w->m, model_slot(w->m, n->slot),
								   key->child));
	else if (key->kind == PART_SPAWN || key->kind == PART_REAP || key->kind == PART_LOST)
		piece->of_pipe = link_is_pipe(w, n);
	piece->in_pipe = piece->of_pipe;
	for (uint32_t i = node; i != NO_NODE; i = w->t->nodes[i].parent) {
		server |= (w->is[i] & IS_SERVER) != 0;
		piece->in_curl |= (w->is[i] & IS_REMOTE_CURL) != 0;
		if (link_is_pipe(w, &w->t->nodes[i])) {
			piece->in_pipe = true;
			piece->at_server = server;
		}
	}
	if ((piece->is & IS_TAKER) && w->takes[node] != LEDGER_NONE) {
		const struct process *p = model_slot(w->m, n->slot);

		piece->has_takes = true;
		piece->before_takes = begin - n->shift < process_ledger(w->m, p)[w->takes[node]].at;
	}
	if (key->kind != PART_REGION)
		return;
	piece_regions(w, node, begin, piece);
	piece->waits = region_waits(w->m, key);
	piece->sent = piece->writes_pack && node_is_sent(w, n);
}

/* Set the members that may change within the piece, for the time just before `end`. Returns since
 * when they hold. */
static ns_t piece_talks(const struct remote_walk *w, uint32_t node, ns_t begin, ns_t end,
			struct remote_piece *piece)
{
	piece->talks = false;
	piece->exact = true;
	piece->own = talk_before(w, node, &begin, end);
	piece->own_helper = false;
	if (piece->own) {
		const struct holder *h = &w->t->holders[piece->own->holder];
		const struct process *p = model_slot(w->m, w->t->nodes[node].slot);
		size_t len;
		const char *class =
			model_sym(w->m, process_child(w->m, p, h->index)->child_class, &len);

		piece->own_helper = h->nr && len >= 7 && !memcmp(class, "remote-", 7);
	}
	for (uint32_t i = node; i != NO_NODE; i = w->t->nodes[i].parent) {
		const struct talk *talk = talk_before(w, i, &begin, end);

		piece->talks |= talk != NULL;
		piece->exact &= !talk || talk->exact;
	}
	return begin;
}

static void piece_judge(void *data, const struct part_key *key, ns_t begin, ns_t end)
{
	struct remote_walk *w = data;
	uint32_t node = key->slot == SLOT_NONE ? NO_NODE : remote_node_of(w, key->slot);
	struct remote_piece piece;

	if (node == NO_NODE) {
		w->to->local += end - begin;
		return;
	}
	piece_facts(w, key, node, begin, &piece);
	while (begin < end) {
		ns_t from = piece_talks(w, node, begin, end, &piece);
		const struct remote_row *row = rows;

		while (!row->fits(&piece))
			row++;
		switch (row->verdict) {
		case REMOTE_WAITING:
			w->to->waiting += end - from;
			break;
		case REMOTE_TRANSFER:
			w->to->transfer += end - from;
			w->to->bound |= row->fits == fits_quiet_taker && !piece.exact;
			break;
		case REMOTE_LOCAL:
			w->to->local += end - from;
			break;
		case REMOTE_AS_PIPE:
			/* this piece is outside any pipe; those of the walk are inside one, so
			 * recursion ends */
			parts_walk_child(w->parts, w->what, w->of, node, piece.own->holder, from,
					 end, piece_judge, w);
			break;
		}
		end = from;
	}
}

bool remote_time_make(struct remote_time *to, struct parts *parts, const struct analysis *what,
		      const struct parts_of *of)
{
	struct parts_tree *t = parts->tree;
	struct remote_walk w = {
		.to = to, .parts = parts, .t = t, .what = what, .of = of, .m = what->model
	};

	*to = (struct remote_time){ 0 };
	if (!t->has_pipe)
		return false;
	w.is = xcalloc(t->nr, sizeof(*w.is));
	w.takes = xcalloc(t->nr, sizeof(*w.takes));
	w.by_slot = xcalloc(t->nr, sizeof(*w.by_slot));
	w.first_talk = xcalloc(t->nr + 1, sizeof(*w.first_talk));
	for (uint32_t i = 0; i < t->nr; i++) {
		const struct process *p = model_slot(w.m, t->nodes[i].slot);

		w.is[i] = process_is(w.m, p);
		w.takes[i] = w.is[i] & IS_TAKER ? first_progress(w.m, p) : LEDGER_NONE;
		w.by_slot[i] = i;
		to->sends |= (w.is[i] & IS_PUSH) != 0;
	}
	platform_sort(w.by_slot, t->nr, sizeof(*w.by_slot), node_compare, t->nodes);
	for (uint32_t i = 0; i < t->nr; i++)
		talks_make(&w, i);
	w.first_talk[t->nr] = w.nr_talks;
	/* go backward in time, because parts_walk_child() needs this order */
	parts_walk_again(parts);
	for (uint32_t i = parts->nr_pieces; i-- > 0;) {
		const struct piece *piece = &parts->pieces[i];
		const struct part *part = &parts->items[piece->part];
		struct part_key key = { .kind = part->kind,
					.category = part->category,
					.label = part->label,
					.slot = piece->slot,
					.child = piece->child };

		piece_judge(&w, &key, piece->begin, piece->begin + piece->time);
	}
	free(w.is);
	free(w.takes);
	free(w.by_slot);
	free(w.first_talk);
	free(w.talks);
	return true;
}

static void sum_format(const char *name, ns_t sum, struct tr2_buf *out)
{
	if (sum)
		tr2_buf_addf(out, "%s%s %s", out->len ? ", " : "", name, human_duration(sum).text);
}

void remote_time_format(const struct remote_time *remote, struct tr2_buf *out)
{
	sum_format("waiting", remote->waiting, out);
	sum_format(remote->sends   ? "sending"
		   : remote->bound ? "receiving and resolving"
				   : "receiving",
		   remote->transfer, out);
	sum_format("local", remote->local, out);
}
