/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/stream/playback.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"
#include "monitor/base/replay.h"
#include "monitor/read/recording.h"
#include "monitor/stream/origin.h"
#include "monitor/stream/stream.h"
#include "monitor/stream/streams.h"

#define MIN(a, b) ((a) < (b) ? (a) : (b))

/* Number of bytes by which each piece of an entry reduces the budget in addition to its data, so
 * that empty entries are limited, too. */
#define ENTRY_COST 16u
/* Maximum number of bytes of a BYTES entry that are fed to a stream at once. */
#define PIECE_BYTES (64u << 10)
/* Above this number of struct streams, those without state are freed. */
#define KEPT_STREAMS 256u
/* Number of first bytes that distinguish a head frame from a chunk frame. */
#define TAG_END        16u
#define NAME_MAX_BYTES 255u

/* A stream of the recording, with the data from which its struct stream can be created again. */
struct played {
	uint32_t id;     /* number in the recording */
	uint32_t number; /* number in the journal */
	/* struct stream of the recorded stream; NULL: none, can be created from the other
	 * members */
	struct stream *stream;
	char *name; /* NULL: none */
	int64_t peer_pid;
	uint64_t user; /* uid of the writing user plus 1, as in struct recording_open; 0: unknown */
	sym_t agent;
	ns_t reference_ns;
	uint32_t flags;
	int8_t forced; /* index of a given format; -1: none */
	uint8_t format;
	bool started, foreign, is_new;
};

struct playback {
	struct stream *carrier;
	/* The current frame: not complete yet, or of the chunk whose entries are being delivered.
	 * `frame.bytes` is 0 until the frame's size is known. */
	char *part;
	size_t nr_part, cap_part;
	struct recording_frame frame;
	enum recording_check what;
	uint64_t done, skip;
	/* The chunk whose entries are being delivered, and its next entry. */
	struct recording_chunk *chunk;
	bool in_chunk, has_entry;
	struct recording_entry entry;
	char *data;
	size_t data_used;
	struct stream *behind;
	const char *why;
	/* the recorded streams that have not ended, in any order */
	struct played *all;
	uint32_t nr, cap, nr_structs, evict_at;
	struct tr2_hash_index by_id;
};

static uint32_t playback_id_hash(uint32_t id)
{
	return id * 2654435761u;
}

static uint32_t played_hash(const void *data, uint32_t at)
{
	return playback_id_hash(((const struct playback *)data)->all[at].id);
}

static struct played *played_find(struct playback *p, uint32_t id)
{
	if (!p->by_id.nr)
		return NULL;
	TR2_HASH_INDEX_EACH(&p->by_id, playback_id_hash(id), at)
	if (p->all[p->by_id.at[at] - 1].id == id)
		return &p->all[p->by_id.at[at] - 1];
	return NULL;
}

static void struct_free(struct playback *p, struct played *pl)
{
	if (!pl->stream)
		return;
	stream_release(pl->stream);
	free(pl->stream);
	pl->stream = NULL;
	p->nr_structs--;
}

/* The last stream moves to the place of the removed one. */
static void played_remove(struct playback *p, struct played *pl)
{
	uint32_t at = (uint32_t)(pl - p->all), last = --p->nr;

	struct_free(p, pl);
	free(pl->name);
	tr2_hash_index_remove(&p->by_id,
			      tr2_hash_index_place(&p->by_id, playback_id_hash(pl->id), at),
			      played_hash, p);
	if (at == last)
		return;
	p->by_id.at[tr2_hash_index_place(&p->by_id, playback_id_hash(p->all[last].id), last)] =
		at + 1;
	p->all[at] = p->all[last];
}

/*
 * Update the difference of the relay's clock to this host's clock. The time in transit makes a
 * difference too small, so the largest difference is the most exact one.
 */
static void skew_note(struct streams *all, ns_t arrival)
{
	ns_t skew = arrival - tr2_clock_wall();

	if (arrival != NS_NONE && (all->relay_skew_ns == NS_NONE || skew > all->relay_skew_ns))
		all->relay_skew_ns = skew;
}

static struct stream *stream_of(struct playback *p, struct played *pl)
{
	struct origin *o = p->carrier->origin;
	struct stream *stream = pl->stream;

	if (!stream) {
		stream = pl->stream = xcalloc(1, sizeof(*stream));
		p->nr_structs++;
		if (pl->is_new) {
			stream_init(stream, o);
			pl->number = stream->number;
			pl->is_new = false;
		} else {
			stream_init_again(stream, o, pl->number);
		}
		stream->name = pl->name ? pl->name : o->stats.spec;
		stream->about.peer_pid = pl->peer_pid;
		stream->agent = pl->agent;
		stream->has_uid = pl->user != 0;
		stream->uid = (uid_t)(pl->user - 1);
		stream->about.one_process = (pl->flags & OPEN_ONE_PROCESS) != 0;
		stream->about.reference_ns = pl->reference_ns;
		if (pl->flags & OPEN_REFUSES)
			stream_refuse_others(stream);
		if (pl->forced >= 0)
			stream_force(stream, (unsigned)pl->forced);
		if (pl->started)
			stream_go_on(stream, pl->format);
		stream->goes_on |= pl->foreign;
	}
	stream->live = o->streams->replay || o->is_relay;
	stream->about.is_skipped = p->carrier->about.is_skipped;
	stream->played_ns = p->entry.arrival_ns;
	if (o->is_relay)
		skew_note(o->streams, stream->played_ns);
	return stream;
}

/*
 * Note if a recorded stream that was fed is behind or skipped. Frees its struct stream if that has
 * no state and there are too many.
 */
static void stream_fed(struct playback *p, struct played *pl)
{
	struct stream *stream = pl->stream;

	pl->foreign |= stream->splitter.foreign;
	if (stream->is_behind) {
		p->behind = stream;
		return;
	}
	if (p->nr_structs <= KEPT_STREAMS || stream->own || stream_has_state(stream))
		return;
	pl->started |= !pl->foreign;
	pl->format = stream->format;
	struct_free(p, pl);
}

static void played_end(struct playback *p, struct played *pl, bool closed)
{
	struct stream *stream = stream_of(p, pl);

	stream_end(stream, closed);
	played_remove(p, pl);
}

static void end_all(struct playback *p)
{
	while (p->nr)
		played_end(p, &p->all[p->nr - 1], false);
	p->evict_at = 0;
}

static struct played *played_add(struct playback *p, uint32_t id)
{
	struct played *pl;

	if (p->nr == PLAYBACK_MAX_STREAMS) {
		p->evict_at %= p->nr;
		played_end(p, &p->all[p->evict_at++], false);
	}
	GROW(p->all, p->nr, p->cap, 16);
	pl = &p->all[p->nr];
	*pl = (struct played){
		.id = id, .is_new = true, .agent = SYM_NONE, .reference_ns = NS_NONE, .forced = -1
	};
	hash_index_put(&p->by_id, playback_id_hash(id), p->nr++, played_hash, p);
	return pl;
}

/* Return the recorded stream with this number, added if new. Without an OPEN entry, most of its
 * properties are unknown. */
static struct played *played_get(struct playback *p, uint32_t id)
{
	struct played *pl = played_find(p, id);

	return pl ? pl : played_add(p, id);
}

static int playback_format(struct recorded_text word)
{
	for (unsigned i = 0; i < nr_readers; i++)
		if (strlen(reader_words[i + 1].word) == word.len &&
		    !memcmp(reader_words[i + 1].word, word.text, word.len))
			return (int)i;
	return -1;
}

static void play_source(struct playback *p)
{
	struct streams *all = p->carrier->origin->streams;
	struct recording_source source;

	if (!recording_source_unpack(p->entry.text, &source))
		return;
	if (source.kind.len == strlen("command") && !memcmp(source.kind.text, "command", 7))
		all->recorded_commands = true;
	else
		all->recorded_others = true;
}

static void play_open(struct playback *p)
{
	struct recording_open open;
	struct played *pl;
	size_t len;

	if (!recording_open_unpack(p->entry.text, &open)) {
		p->why = "an entry of the recording is damaged";
		return;
	}
	pl = played_find(p, p->entry.stream);
	/* With OPEN_GOES_ON, an OPEN entry for an open stream only continues it. */
	if (pl && open.flags & OPEN_GOES_ON)
		return;
	if (pl)
		played_end(p, pl, false);
	pl = played_add(p, p->entry.stream);
	len = MIN(open.name.len, NAME_MAX_BYTES);
	pl->name = xcalloc(1, len + 1);
	memcpy(pl->name, open.name.text, len);
	pl->peer_pid = open.peer_pid;
	pl->user = open.user;
	if (open.agent.len)
		pl->agent = tr2_intern(p->carrier->origin->streams->syms, open.agent.text,
				       MIN(open.agent.len, NAME_MAX_BYTES));
	pl->reference_ns = open.reference_ns;
	pl->flags = open.flags;
	pl->forced = (int8_t)playback_format(open.format);
	if (pl->forced >= 0 && open.flags & OPEN_GOES_ON && !readers[pl->forced]->per_stream) {
		pl->started = true;
		pl->format = (uint8_t)pl->forced;
		pl->forced = -1;
	}
}

static void play_bytes(struct playback *p)
{
	struct played *pl = played_get(p, p->entry.stream);
	size_t len = MIN(p->entry.len - p->data_used, PIECE_BYTES);
	char *bytes = p->data + p->data_used;

	p->data_used += len;
	if (pl->foreign) {
		p->carrier->origin->framed.nr_bytes += len;
		return;
	}
	stream_feed(stream_of(p, pl), bytes, len);
	stream_fed(p, pl);
}

static void play_datagram(struct playback *p)
{
	struct played *pl = played_get(p, p->entry.stream);
	size_t len = p->entry.len;
	/* stream_datagram() may write an LF over the byte after the datagram, which may be of the
	 * next entry, so restore it. */
	char kept = p->data[len];

	p->data_used = len;
	if (p->entry.flags & RECORDED_LF && len)
		len--;
	stream_datagram(stream_of(p, pl), p->data, len, p->entry.flags & RECORDED_CUT);
	p->data[p->entry.len] = kept;
	stream_fed(p, pl);
}

static void play_end(struct playback *p)
{
	struct played *pl = played_get(p, p->entry.stream);
	size_t len = p->entry.text.len;
	char *rest;

	if (len && !pl->foreign) {
		rest = xcalloc(1, len + SPLITTER_PAD);
		memcpy(rest, p->entry.text.text, len);
		stream_feed(stream_of(p, pl), rest, len);
		free(rest);
	}
	played_end(p, pl, (p->entry.flags & RECORDED_CLOSED) != 0);
	p->behind = NULL;
}

static void play_format(struct playback *p)
{
	struct played *pl = played_find(p, p->entry.stream);
	int format = playback_format(p->entry.text);

	if (!pl || !pl->stream || format < 0)
		return;
	stream_decide(pl->stream, (unsigned)format);
	stream_fed(p, pl);
}

static void add_record(struct playback *p, struct event *ev, struct recorded_text msg)
{
	struct origin *o = p->carrier->origin;
	struct streams *all = o->streams;

	if (p->carrier->about.is_skipped)
		return;
	batcher_set_safe(&all->out, o->can_wait);
	event_set(ev, FLD_ARRIVAL, p->entry.arrival_ns);
	if (msg.len)
		event_set(ev, TR2_F_MSG, batch_add_text(all->out.batch, msg.text, msg.len));
	batch_add(all->out.batch, ev);
}

static void play_gap(struct playback *p)
{
	struct event ev = { .kind = REC_GAP };
	struct recorded_text why = p->entry.text;

	why.len = MIN(why.len, NAME_MAX_BYTES);
	event_set(&ev, FLD_T_GAP, p->entry.gap_ns < 0 ? 0 : p->entry.gap_ns);
	add_record(p, &ev, why);
	taps_gap(&p->carrier->origin->streams->taps, p->entry.arrival_ns, p->entry.gap_ns, why.text,
		 why.len);
}

static void play_dropped(struct playback *p)
{
	struct event ev = { .kind = REC_DROPPED };

	event_set(&ev, FLD_DROPS, (int64_t)MIN(p->entry.lines, (uint64_t)INT64_MAX));
	add_record(p, &ev, (struct recorded_text){ 0 });
	taps_dropped(&p->carrier->origin->streams->taps, p->entry.arrival_ns, p->entry.lines,
		     p->entry.bytes);
}

static void play(struct playback *p)
{
	switch (p->entry.kind) {
	case RECORDED_SOURCE:
		play_source(p);
		break;
	case RECORDED_OPEN:
		play_open(p);
		break;
	case RECORDED_FORMAT:
		play_format(p);
		break;
	case RECORDED_BYTES:
		play_bytes(p);
		break;
	case RECORDED_DATAGRAM:
		play_datagram(p);
		break;
	case RECORDED_END:
		play_end(p);
		break;
	case RECORDED_GAP:
		play_gap(p);
		break;
	case RECORDED_DROPPED:
		play_dropped(p);
		break;
	}
}

static void playback_stop(struct playback *p, const char *why)
{
	if (!p->why)
		p->why = why;
	p->in_chunk = p->has_entry = false;
	recording_chunk_close(p->chunk);
	free(p->part);
	p->part = NULL;
	p->nr_part = p->cap_part = 0;
}

static void frame_done(struct playback *p)
{
	p->done += p->frame.bytes;
	p->frame.bytes = 0;
	p->nr_part = 0;
	if (p->cap_part > PIECE_BYTES) {
		free(p->part);
		p->part = NULL;
		p->cap_part = 0;
	}
}

static bool playback_is_due(struct playback *p)
{
	struct origin *o = p->carrier->origin;
	struct replay *replay = o->streams->replay;

	if (!replay || !p->has_entry || p->data_used)
		return true;
	o->is_not_due =
		!replay_is_due(replay, p->entry.arrival_ns, tr2_clock_monotonic(), &o->due_ns);
	return !o->is_not_due;
}

/* Parse the next entry of the chunk, unless the current entry is not delivered completely. Returns
 * false if there is none. */
static bool next_entry(struct playback *p)
{
	const char *why;

	if (p->has_entry)
		return true;
	p->data_used = 0;
	p->has_entry = recording_next(p->chunk, &p->entry, &p->data, &why);
	if (p->has_entry)
		return true;
	if (why) {
		playback_stop(p, why);
		return false;
	}
	p->in_chunk = false;
	recording_chunk_close(p->chunk);
	frame_done(p);
	return false;
}

/* Returns false if a stream is behind or the next entry is not due yet. */
static bool playback_deliver(struct playback *p, size_t *budget)
{
	while (*budget && p->in_chunk) {
		size_t before = p->has_entry ? p->data_used : 0;

		if (!next_entry(p))
			return true;
		if (!playback_is_due(p))
			return false;
		play(p);
		if (p->why) {
			playback_stop(p, NULL);
			return true;
		}
		*budget -= MIN(*budget, p->data_used - before + ENTRY_COST);
		p->has_entry = p->data_used < p->entry.len;
		if (p->behind)
			return false;
	}
	return true;
}

static void frame_whole(struct playback *p)
{
	const char *why;

	if (p->what == LOOK_HEAD) {
		/* A run of the recorder begins here: its streams are numbered from the start. */
		end_all(p);
		frame_done(p);
	} else if (recording_chunk_open(p->chunk, p->part, p->nr_part, &why)) {
		p->in_chunk = true;
	} else {
		playback_stop(p, why);
	}
}

static size_t part_wants(const struct playback *p)
{
	if (p->frame.bytes)
		return (size_t)p->frame.bytes;
	return p->nr_part < TAG_END ? TAG_END : RECORDING_FRAME_BYTES;
}

static void part_check(struct playback *p)
{
	struct recording_frame frame = { 0 };

	p->what = recording_check(p->part, p->nr_part, &frame);
	if (p->what == LOOK_NO)
		playback_stop(
			p, p->done ? "unexpected data in the recording"
				   : "the recording is of a version that this trace2top does not "
				     "read");
	else if (p->what != LOOK_MORE)
		p->frame = frame;
}

static size_t collect(struct playback *p, const char *bytes, size_t len)
{
	size_t wants = part_wants(p), nr = MIN(len, wants - p->nr_part);

	if (p->cap_part < wants) {
		p->part = xrealloc(p->part, wants);
		p->cap_part = wants;
	}
	memcpy(p->part + p->nr_part, bytes, nr);
	p->nr_part += nr;
	if (p->nr_part < wants)
		return nr;
	if (!p->frame.bytes)
		part_check(p);
	if (p->frame.bytes && p->nr_part == p->frame.bytes)
		frame_whole(p);
	return nr;
}

size_t playback_feed(struct playback *p, const char *bytes, size_t len, size_t *budget,
		     const char **why)
{
	size_t used = (size_t)MIN(p->skip, (uint64_t)len);

	p->skip -= used;
	while (!p->why && *budget) {
		if (p->in_chunk) {
			if (!playback_deliver(p, budget))
				break;
			continue;
		}
		if (used == len)
			break;
		used += collect(p, bytes + used, len - used);
	}
	*why = p->why;
	return p->why ? len : used;
}

struct playback *playback_new(struct stream *carrier)
{
	struct playback *p = xcalloc(1, sizeof(*p));

	p->carrier = carrier;
	p->chunk = recording_chunk_new();
	if (!p->chunk)
		p->why = "it is a recording, and libzstd was left out of this trace2top";
	return p;
}

void playback_free(struct playback *p)
{
	if (!p)
		return;
	while (p->nr)
		played_remove(p, &p->all[p->nr - 1]);
	free(p->all);
	tr2_hash_index_release(&p->by_id);
	recording_chunk_free(p->chunk);
	free(p->part);
	free(p);
}

bool playback_has_more(const struct playback *p)
{
	return p->in_chunk || p->behind;
}

bool playback_catch_up(struct playback *p)
{
	if (p->behind && !stream_catch_up(p->behind))
		return false;
	p->behind = NULL;
	return playback_is_due(p);
}

void playback_again(struct playback *p)
{
	p->skip = p->done;
	/* The chunk in memory is complete and was delivered in part: continue with it, and skip its
	 * bytes. */
	if (p->in_chunk) {
		p->skip += p->frame.bytes;
		return;
	}
	p->nr_part = 0;
	p->frame.bytes = 0;
}

bool playback_end(struct playback *p)
{
	p->behind = NULL;
	end_all(p);
	return p->why || !p->nr_part;
}
