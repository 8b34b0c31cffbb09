/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/text/perf_guess.h"

#include <string.h>

#include "monitor/base/scan.h"
#include "monitor/read/text/perf_line.h"
#include "monitor/read/text/text_record.h"

#define BLANKS (SCAN_ONES * ' ')
/* Fields whose values are not in tails. */
#define COMMON_FIELDS                                                                              \
	(FIELD_BIT(TR2_F_SID) | FIELD_BIT(TR2_F_THREAD) | FIELD_BIT(TR2_F_TIME) |                  \
	 BATCH_SITE_FIELDS | FIELD_BIT(TR2_F_REPO) | FIELD_BIT(TR2_F_T_ABS) |                      \
	 FIELD_BIT(TR2_F_T_REL))

#define NR_HEADS (1u << PERF_HEAD_BITS)

static uint32_t head_hash(const char *head)
{
	uint64_t hash = scan_load8(head) * 0x9e3779b97f4a7c15ull;

	hash ^= scan_load8(head + 8) * 0xa0761d6478bd642full;
	hash ^= scan_load8(head + 16) * 0xe7037ed1a0b428dbull;
	hash ^= scan_load8(head + 31) * 0x8ebc6af09c88c6e3ull;
	hash ^= (scan_load8(head + 37) ^ scan_load8(head + 63)) * 0x589965cc75374cc3ull;
	return (uint32_t)((hash ^ hash >> 29) * 0x9e3779b97f4a7c15ull >> (64 - PERF_HEAD_BITS));
}

_Static_assert(PERF_HEAD_MIN_BYTES >= 63 + 8, "the hashed bytes are in the head");

struct perf_head *perf_head_find(struct perf_guesses *guesses, const char *text, size_t len)
{
	uint32_t at = head_hash(text);

	for (unsigned i = 0; i < 2; i++) {
		struct perf_head *head = &guesses->heads[(at + i) % NR_HEADS];

		if (head->len && len >= head->len && scan_equal(text, head->text, head->len))
			return head;
	}
	return NULL;
}

struct perf_head *perf_head_learn(struct perf_guesses *guesses, const char *text, const char *end,
				  const struct text_record *rec)
{
	size_t len = (size_t)(end - text);
	int64_t line = event_has(&rec->ev, TR2_F_LINE) ? rec->ev.v[TR2_F_LINE] : -1;
	struct perf_head *head;
	uint32_t at;

	if (guesses->is_fixed || len < PERF_HEAD_MIN_BYTES || len > PERF_HEAD_BYTES ||
	    rec->ev.kind == REC_UNKNOWN || line > INT32_MAX || line < -1 ||
	    (line < 0) == event_has(&rec->ev, TR2_F_FILE))
		return NULL;
	at = head_hash(text);
	if (guesses->heads[at].len)
		at = (at + 1) % NR_HEADS;
	head = &guesses->heads[at];
	*head = (struct perf_head){ .len = (uint8_t)len,
				    .kind = rec->ev.kind,
				    .depth = (uint16_t)rec->depth,
				    .thread = event_sym(&rec->ev, TR2_F_THREAD),
				    .file = event_sym(&rec->ev, TR2_F_FILE),
				    .line = (int32_t)line };
	memcpy(head->text, text, len);
	return head;
}

void perf_head_take(const struct perf_head *head, const struct perf_columns *columns,
		    struct text_record *rec)
{
	struct event *ev = &rec->ev;

	ev->kind = head->kind;
	rec->depth = head->depth;
	ev->mask = columns->fields;
	ev->v[TR2_F_REPO] = columns->repo;
	ev->v[TR2_F_T_ABS] = columns->t_abs_us * NS_PER_US;
	ev->v[TR2_F_T_REL] = columns->t_rel_us * NS_PER_US;
	event_set(ev, TR2_F_THREAD, head->thread);
	if (head->line < 0)
		return;
	event_set(ev, TR2_F_FILE, head->file);
	event_set(ev, TR2_F_LINE, head->line);
}

static inline bool guess_take_time(const char *p, unsigned field, struct perf_columns *columns,
				   uint32_t *us)
{
	uint64_t micros = scan_load6(p + 3);
	uint32_t tens = p[0] == ' ' ? 0 : (uint32_t)(p[0] - '0');

	if (!perf_is_bar(p + 9))
		return false;
	if (scan_load8(p) == BLANKS && p[8] == ' ') {
		*us = 0;
		return true;
	}
	if (tens > 9 || !scan_is_digit(p[1]) || p[2] != '.' || !scan_is_digits8(micros))
		return false;
	columns->fields |= FIELD_BIT(field);
	*us = (10 * tens + (uint32_t)(p[1] - '0')) * 1000000 + scan_digits8(micros);
	return true;
}

static inline bool guess_take_repo(const char *p, struct perf_columns *columns)
{
	columns->repo = 0;
	if (!perf_is_bar(p + 3))
		return false;
	if (p[0] == ' ')
		return p[1] == ' ' && p[2] == ' ';
	if (p[0] != 'r' || !scan_is_digit(p[1]) || (p[2] != ' ' && !scan_is_digit(p[2])))
		return false;
	columns->fields |= FIELD_BIT(TR2_F_REPO);
	columns->repo = (uint32_t)(p[1] - '0');
	if (p[2] != ' ')
		columns->repo = 10 * columns->repo + (uint32_t)(p[2] - '0');
	return true;
}

static inline bool guess_take_columns(const char *p, struct perf_columns *columns)
{
	columns->fields = 0;
	return guess_take_repo(p, columns) &&
	       guess_take_time(p + 6, TR2_F_T_ABS, columns, &columns->t_abs_us) &&
	       guess_take_time(p + 18, TR2_F_T_REL, columns, &columns->t_rel_us);
}

bool perf_columns(const char *p, struct perf_columns *columns)
{
	return guess_take_columns(p, columns);
}

static uint16_t tail_hash(unsigned kind, const char *text, size_t len)
{
	uint64_t hash = kind + 1 + len * 0xa0761d6478bd642full;
	struct scan_word16 word;

	for (; len > 16; len -= 16, text += 16)
		hash = (hash ^ scan_load8(text) ^ scan_load8(text + 8) * 0xe7037ed1a0b428dbull) *
		       0x9e3779b97f4a7c15ull;
	word = scan_word16(text, len);
	hash = (hash ^ hash >> 32 ^ word.lo ^ word.hi * 0xe7037ed1a0b428dbull) *
	       0x9e3779b97f4a7c15ull;
	return (uint16_t)(hash >> (64 - PERF_TAIL_BITS));
}

static inline bool is_tail(const struct perf_tail *tail, unsigned kind, const char *text,
			   size_t len)
{
	return tail->len && tail->kind == kind && len >= tail->len &&
	       scan_equal(text, tail->text, tail->len);
}

/*
 * Return the stored tail at `text`, or NULL. The tail `head->tail` is compared first; else all
 * `len` bytes, up to the end of the line, are looked up.
 */
static struct perf_tail *tail_find(struct perf_guesses *guesses, struct perf_head *head,
				   const char *text, size_t len)
{
	struct perf_tail *tail = &guesses->tails[head->tail];
	uint16_t at;

	if (is_tail(tail, head->kind, text, len) &&
	    (tail->text_field ? len > tail->len : len == tail->len))
		return tail;
	if (!len || len > PERF_TAIL_BYTES)
		return NULL;
	at = tail_hash(head->kind, text, len);
	tail = &guesses->tails[at];
	if (tail->len != len || tail->text_field || !is_tail(tail, head->kind, text, len))
		return NULL;
	head->tail = at;
	return tail;
}

/* Copy the values of the tail from the record. Values of fields in `late` are offsets in a batch,
 * and are stored relative to `texts`. Returns false if the tail cannot store the values. */
static bool values_learn(struct perf_tail *tail, const struct text_record *rec, uint64_t late,
			 uint32_t texts)
{
	uint64_t fields = rec->ev.mask & ~COMMON_FIELDS;
	unsigned nr = 0;

	if (__builtin_popcountll(fields) > (int)PERF_TAIL_FIELDS ||
	    late & (FIELD_BIT(TR2_F_T_REL) - 1))
		return false;
	memset(tail->nr, 0, sizeof(tail->nr));
	tail->late = 0;
	for (uint64_t left = fields; left; left &= left - 1) {
		unsigned field = (unsigned)__builtin_ctzll(left);
		unsigned part = (field > TR2_F_T_ABS) + (field > TR2_F_T_REL);
		int64_t v = rec->ev.v[field];

		if (late >> field & 1) {
			v -= texts;
			tail->late |= (uint8_t)(1u << tail->nr[part]);
		}
		/* Values that a batch packs in another form are not stored. */
		if (v < 0 || v > INT32_MAX || tr2_fields[field].type == TR2_TYPE_TIME)
			return false;
		tail->nr[part]++;
		tail->values[nr++] = (uint32_t)v;
	}
	tail->fields = fields;
	return true;
}

/* Return a slot with this text but without values; it is free until `len` is set. */
static struct perf_tail *tail_new(struct perf_guesses *guesses, struct perf_head *head,
				  struct text_slice text, const struct text_record *rec)
{
	struct perf_tail *tail;

	head->tail = tail_hash(head->kind, text.at, text.len);
	tail = &guesses->tails[head->tail];
	tail->len = 0;
	tail->kind = head->kind;
	tail->text_field = 0;
	tail->texts_len = 0;
	tail->message_at = (uint8_t)(rec->message.at - text.at);
	tail->nr_dots = (uint8_t)rec->nr_dots;
	memcpy(tail->text, text.at, text.len);
	return tail;
}

void perf_tail_learn(struct perf_guesses *guesses, struct perf_head *head, const char *text,
		     const char *end, struct text_record *rec)
{
	const struct text_late *late = &rec->late[0];
	struct text_slice whole = { text, (size_t)(end - text) };
	unsigned kind = rec->ev.kind, field = 0;
	struct perf_tail *tail;

	/* If a message may begin with dots, its line does not show how many: do not store it. */
	if (guesses->is_fixed || perf_is_free(kind))
		return;
	/* End the tail before a datum's value or a region's message, which usually differ. */
	if (rec->nr_late == 1 && late->text.len &&
	    (kind == TR2_E_DATA ||
	     (late->field == TR2_F_MSG && event_has(&rec->ev, TR2_F_LABEL)))) {
		field = late->field;
		whole.len = (size_t)(late->text.at - text);
	}
	if (!whole.len || whole.len > PERF_TAIL_BYTES)
		return;
	if (rec->nr_late && !field) {
		rec->head = kind == TR2_E_DATA_JSON ? NULL : head;
		rec->tail = whole;
		return;
	}
	/* An open quote at the end: the record may continue in the next line. */
	if (!field && text_quote_state(false, rec->message.at, end))
		return;
	tail = tail_new(guesses, head, whole, rec);
	if (!values_learn(tail, rec, 0, 0))
		return;
	tail->len = (uint8_t)whole.len;
	tail->text_field = (uint8_t)field;
}

void perf_tail_learn_texts(struct perf_guesses *guesses, const struct text_record *rec,
			   const struct batch *batch)
{
	int64_t from = batch->nr_text_bytes, len;
	struct perf_tail *tail;
	uint64_t late = 0;

	for (unsigned i = 0; i < rec->nr_late; i++) {
		late |= FIELD_BIT(rec->late[i].field);
		if (rec->ev.v[rec->late[i].field] < from)
			from = rec->ev.v[rec->late[i].field];
	}
	len = batch->nr_text_bytes - from;
	if (!len || len > PERF_TEXT_BYTES || memchr(rec->tail.at, '\n', rec->tail.len))
		return;
	tail = tail_new(guesses, rec->head, rec->tail, rec);
	if (!values_learn(tail, rec, late, (uint32_t)from))
		return;
	memcpy(tail->texts, batch->text + from, (size_t)len);
	tail->texts_len = (uint8_t)len;
	tail->len = (uint8_t)rec->tail.len;
}

bool perf_tail_take(struct perf_guesses *guesses, struct perf_head *head, const char *text,
		    size_t len, struct text_record *rec)
{
	struct perf_tail *tail = tail_find(guesses, head, text, len);
	const uint32_t *value;
	uint64_t left;

	/* The caller needs the texts of a record, except those of cmd_ancestry. */
	if (!tail || (tail->late && head->kind != TR2_E_CMD_ANCESTRY))
		return false;
	rec->known.head = head;
	rec->known.tail = tail;
	rec->known.text = (struct text_slice){ text + tail->len, len - tail->len };
	rec->nr_dots = tail->nr_dots;
	rec->message = (struct text_slice){ text + tail->message_at, len - tail->message_at };
	value = tail->values;
	left = tail->fields;
	rec->ev.mask |= left;
	for (; left; left &= left - 1)
		rec->ev.v[__builtin_ctzll(left)] = *value++;
	return true;
}

/* Copies PERF_TAIL_FIELDS values, because a constant size is fast. */
static inline uint32_t *values_put(uint32_t *to, const uint32_t **value, unsigned nr)
{
	memcpy(to, *value, PERF_TAIL_FIELDS * sizeof(*to));
	*value += nr;
	return to + nr;
}

static inline void texts_put(struct batch *batch, const struct perf_tail *tail)
{
	char *to = batch_reserve_text(batch, PERF_TEXT_BYTES) - BATCH_TEXT_HEAD_BYTES;

	memcpy(to, tail->texts, PERF_TEXT_BYTES);
	batch->nr_text_bytes += tail->texts_len;
}

static inline bool known_put(const struct perf_known *known, struct batch *batch, uint32_t sid,
			     int64_t wall_us)
{
	const struct perf_columns *columns = &known->columns;
	const struct perf_head *head = known->head;
	const struct perf_tail *tail = known->tail;
	uint32_t *to = batch_record_room(batch) + 1, texts = batch->nr_text_bytes;
	const uint32_t *value = tail->values;
	uint64_t mask = tail->fields | columns->fields | FIELD_BIT(TR2_F_SID) |
			FIELD_BIT(TR2_F_THREAD) | FIELD_BIT(TR2_F_TIME);

	*to++ = sid;
	*to++ = head->thread;
	if (!batch_clock_word(batch, wall_us, to++))
		return false;
	if (head->line >= 0) {
		to[0] = head->file;
		to[1] = (uint32_t)head->line;
		to = batch_site_fold(batch, to + 2);
		mask |= BATCH_SITE_FIELDS;
	}
	if (columns->fields & FIELD_BIT(TR2_F_REPO))
		*to++ = columns->repo;
	to = values_put(to, &value, tail->nr[0]);
	if (columns->fields & FIELD_BIT(TR2_F_T_ABS))
		*to++ = columns->t_abs_us;
	to = values_put(to, &value, tail->nr[1]);
	if (columns->fields & FIELD_BIT(TR2_F_T_REL))
		*to++ = columns->t_rel_us;
	to = values_put(to, &value, tail->nr[2]);
	if (tail->text_field) {
		*to++ = batch_add_text(batch, known->text.at, known->text.len);
		mask |= FIELD_BIT(tail->text_field);
	} else if (tail->texts_len) {
		for (unsigned late = tail->late; late; late &= late - 1)
			to[(int)__builtin_ctz(late) - tail->nr[2]] += texts;
		texts_put(batch, tail);
	}
	batch_record_commit(batch, head->kind, mask, to);
	return true;
}

bool perf_known_put(struct text_record *rec, struct batch *batch, uint32_t sid)
{
	const struct perf_tail *tail = rec->known.tail;
	uint32_t texts = batch->nr_text_bytes, nr = 0;

	if (known_put(&rec->known, batch, sid, rec->wall_ns / NS_PER_US))
		return true;
	if (tail->text_field)
		text_note(rec, tail->text_field, TR2_PIECE_PLAIN, rec->known.text.at,
			  rec->known.text.len);
	if (!tail->late)
		return false;
	texts_put(batch, tail);
	for (uint64_t left = tail->fields & ~(FIELD_BIT(TR2_F_T_REL) - 1); left; left &= left - 1)
		if (tail->late >> nr++ & 1)
			rec->ev.v[__builtin_ctzll(left)] += texts;
	return false;
}

/* The tail `head->tail` is compared before the end of the line is searched. */
static struct perf_tail *tail_of_line(struct perf_guesses *guesses, struct perf_head *head,
				      const char *text, const char *end, const char **lf)
{
	struct perf_tail *tail = &guesses->tails[head->tail];

	if (is_tail(tail, head->kind, text, (size_t)(end - text) - 1)) {
		*lf = text + tail->len;
		if (!tail->text_field && **lf == '\n')
			return tail;
	}
	*lf = memchr(text, '\n', (size_t)(end - text));
	tail = tail_find(guesses, head, text, (size_t)(*lf - text));
	return tail && (*lf)[-1] != '\r' ? tail : NULL;
}

/* Find the head at `text` (at least `len` bytes). If it is the head that followed the last tail,
 * also predict the tail. */
static inline struct perf_head *head_of_line(struct perf_guesses *guesses, const char *text,
					     size_t len, const struct perf_last *last)
{
	if (last->tail) {
		struct perf_head *head = &guesses->heads[last->tail->next_head];

		if (head->len && len >= head->len && scan_equal(text, head->text, head->len)) {
			head->tail = last->tail->next_tail;
			return head;
		}
	}
	return perf_head_find(guesses, text, len);
}

const char *perf_guess(struct perf_guesses *guesses, const char *p, const char *end,
		       const struct perf_last *last, struct perf_known *known)
{
	const char *text = p + TEXT_TIME_BYTES + 1, *lf;

	known->head = head_of_line(guesses, text, (size_t)(end - text) - PERF_COLUMNS_BYTES, last);
	if (!known->head || !guess_take_columns(text + known->head->len, &known->columns))
		return NULL;
	text += known->head->len + PERF_COLUMNS_BYTES;
	if (text == end)
		return NULL;
	known->tail = tail_of_line(guesses, known->head, text, end, &lf);
	if (!known->tail)
		return NULL;
	text += known->tail->len;
	known->text = (struct text_slice){ text, (size_t)(lf - text) };
	return lf + 1;
}

bool perf_guess_put(struct perf_guesses *guesses, const struct perf_known *known,
		    struct batch *batch, uint32_t sid, int64_t wall_us, struct perf_last *last)
{
	if (!known_put(known, batch, sid, wall_us))
		return false;
	if (last->tail) {
		last->tail->next_head = (uint16_t)(known->head - guesses->heads);
		last->tail->next_tail = (uint16_t)(known->tail - guesses->tails);
	}
	*last = (struct perf_last){ known->head, known->tail };
	return true;
}
