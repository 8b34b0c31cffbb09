/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/text/text_record.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/jw.h"
#include "monitor/base/die.h"
#include "monitor/base/json.h"
#include "monitor/base/platform.h"
#include "monitor/base/scan.h"
#include "monitor/read/text/text_memo.h"

bool text_number(const char *p, const char *end, int64_t *out, const char **behind)
{
	bool negative = p < end && *p == '-', fits = true;
	const char *from = p += negative;
	uint64_t v = 0;

	for (; p < end && scan_is_digit(*p); p++)
		fits &= !__builtin_mul_overflow(v, 10, &v) &&
			!__builtin_add_overflow(v, (uint64_t)(*p - '0'), &v);
	*behind = p;
	if (p == from || !fits || v > INT64_MAX)
		return false;
	*out = negative ? -(int64_t)v : (int64_t)v;
	return true;
}

bool text_seconds(const char *p, const char *end, ns_t *out, const char **behind)
{
	int64_t seconds, scale = NS_PER_SEC;
	ns_t ns;

	while (p < end && *p == ' ')
		p++;
	if (!text_number(p, end, &seconds, &p) || seconds < 0)
		return *behind = p, false;
	if (__builtin_mul_overflow(seconds, NS_PER_SEC, &ns))
		return *behind = p, false;
	if (p < end && *p == '.') {
		if (end - p > 6 && scan_is_digits8(scan_load6(p + 1))) {
			ns = ns_add(ns, (ns_t)scan_digits8(scan_load6(p + 1)) * NS_PER_US);
			p += 7;
			scale = NS_PER_US;
		} else {
			p++;
		}
		for (; p < end && scan_is_digit(*p); p++) {
			scale /= 10;
			ns = ns_add(ns, (*p - '0') * scale);
		}
	}
	*behind = p;
	*out = ns;
	return true;
}

/* Mask of the colons of HH:MM:SS as read by scan_load8(). */
#define COLONS_AT ((0xffull << 16) | (0xffull << 40))

bool text_time_of_day(const char *p, ns_t *out)
{
	uint64_t text = scan_load8(p), micros = scan_load6(p + 9);
	uint64_t digits = (text & ~COLONS_AT) | (SCAN_ONES * '0' & COLONS_AT);
	int hours = (p[0] - '0') * 10 + (p[1] - '0');
	int minutes = (p[3] - '0') * 10 + (p[4] - '0');
	int seconds = (p[6] - '0') * 10 + (p[7] - '0');

	if ((text & COLONS_AT) != (SCAN_ONES * ':' & COLONS_AT) || !scan_is_digits8(digits) ||
	    p[8] != '.' || !scan_is_digits8(micros) || hours > 23 || minutes > 59 || seconds > 60)
		return false;
	*out = ((hours * 60 + minutes) * 60LL + seconds) * NS_PER_SEC +
	       scan_digits8(micros) * NS_PER_US;
	return true;
}

bool text_word(const char **at, const char *end, char *out, size_t *len)
{
	const char *p = *at;
	char *to = out;

	while (p < end && *p == ' ')
		p++;
	if (p == end)
		return *at = p, false;
	while (p < end && *p != ' ') {
		if (*p == '\'') {
			const char *from = p + 1;

			p = memchr(from, '\'', (size_t)(end - from));
			p = p ? p : end;
			memcpy(to, from, (size_t)(p - from));
			to += p - from;
			p += p < end;
			continue;
		}
		p += *p == '\\' && p + 1 < end;
		*to++ = *p++;
	}
	*len = (size_t)(to - out);
	*at = p;
	return true;
}

bool text_quote_state(bool is_open, const char *p, const char *end)
{
	if (!is_open && !memchr(p, '\'', (size_t)(end - p)))
		return false;
	while (p < end) {
		if (is_open) {
			p = memchr(p, '\'', (size_t)(end - p));
			if (!p)
				return true;
			is_open = false;
		} else if (*p == '\\') {
			p++;
		} else {
			is_open = *p == '\'';
		}
		p++;
	}
	return is_open;
}

void text_json_scan(struct text_json_state *s, const char *p, const char *end)
{
	for (; p < end; p++) {
		if (s->in_string) {
			if (s->is_escaped)
				s->is_escaped = false;
			else if (*p == '\\')
				s->is_escaped = true;
			else
				s->in_string = *p != '"';
			continue;
		}
		s->in_string = *p == '"';
		if (*p == '{' || *p == '[')
			s->depth += s->depth < UINT32_MAX;
		else if ((*p == '}' || *p == ']') && s->depth)
			s->depth--;
	}
}

void text_note(struct text_record *rec, unsigned field, unsigned how, const char *at, size_t len)
{
	if (rec->nr_late == sizeof(rec->late) / sizeof(rec->late[0]))
		return;
	rec->late[rec->nr_late++] = (struct text_late){ { at, len }, (uint8_t)field, (uint8_t)how };
}

const struct text_late *text_noted(const struct text_record *rec, unsigned field)
{
	for (unsigned i = 0; i < rec->nr_late; i++)
		if (rec->late[i].field == field)
			return &rec->late[i];
	return NULL;
}

/* Return how many bytes of a lead or tail must match. Git 2.22 and 2.23 write lists without
 * brackets, so a bracket at its end is optional. */
static size_t needed(const char *text, size_t len)
{
	return len && (text[len - 1] == '[' || text[len - 1] == ']') ? len - 1 : len;
}

/* Return the length that matches of the lead or tail `text` at `p`, or -1. */
static ptrdiff_t matched(const char *p, const char *end, const char *text, size_t len)
{
	size_t least = needed(text, len), left = (size_t)(end - p);

	if (left < least || memcmp(p, text, least))
		return -1;
	if (least < len && left > least && p[least] == text[least])
		least++;
	return (ptrdiff_t)least;
}

/* Return the end of the value at `p`: where its tail or the lead of a later piece begins, else
 * `end`. */
static const char *value_end(const struct tr2_piece *piece, const char *p, const char *end)
{
	const char *found = end, *hit;
	size_t len;

	if (piece->tail_len && piece[1].how == TR2_PIECE_END) {
		hit = end - piece->tail_len;
		return hit >= p && !memcmp(hit, piece->tail, piece->tail_len) ? hit : end;
	}
	if (piece->tail_len) {
		len = needed(piece->tail, piece->tail_len);
		hit = platform_find(p, (size_t)(end - p), piece->tail, len);
		return hit ? hit : end;
	}
	for (piece++; piece->how != TR2_PIECE_END; piece++) {
		len = needed(piece->lead, piece->lead_len);
		hit = len ? platform_find(p, (size_t)(found - p), piece->lead, len) : NULL;
		if (hit)
			found = hit;
	}
	return found;
}

/* Return the end of a quoted word: the first blank or tail outside quotes. */
static const char *word_end(const struct tr2_piece *piece, const char *p, const char *end)
{
	bool quoted = false;

	for (; p < end; p++) {
		if (*p == '\'')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (*p == '\\' && p + 1 < end)
			p++;
		else if (*p == ' ' || (piece->tail_len && *p == *piece->tail))
			break;
	}
	return p;
}

static sym_t quoted_sym(const struct text_names *names, const char *p, const char *end)
{
	size_t len = 0;
	char *word = xmalloc((size_t)(end - p) + SCAN_PAD);
	sym_t sym;

	text_word(&p, end, word, &len);
	sym = tr2_intern(names->syms, word, len);
	free(word);
	return sym;
}

static const char *text_take_value(const struct text_names *names, const struct tr2_piece *piece,
				   const char *p, const char *end, struct text_record *rec)
{
	unsigned type = tr2_fields[piece->field].type, field = piece->field;
	const char *to;
	int64_t v;

	switch (type) {
	case TR2_TYPE_NUM:
		if (text_number(p, end, &v, &to))
			event_set(&rec->ev, field, v);
		return to;
	case TR2_TYPE_TIME:
		if (text_seconds(p, end, &v, &to))
			event_set(&rec->ev, field, v);
		return to;
	case TR2_TYPE_LIST:
		to = value_end(piece, p, end);
		text_note(rec, field, piece->how, p, (size_t)(to - p));
		return to;
	default:
		break;
	}
	if (piece->how == TR2_PIECE_QUOTED) {
		to = word_end(piece, p, end);
		if (type == TR2_TYPE_SYM)
			event_set(&rec->ev, field, quoted_sym(names, p, to));
		else
			text_note(rec, field, piece->how, p, (size_t)(to - p));
		return to;
	}
	to = value_end(piece, p, end);
	if (type == TR2_TYPE_SYM)
		event_set(&rec->ev, field, memo_sym(names->memo, names->syms, p, (size_t)(to - p)));
	else
		text_note(rec, field, piece->how, p, (size_t)(to - p));
	return to;
}

void text_take_pieces(const struct text_names *names, const struct tr2_piece *piece,
		      struct text_slice text, struct text_record *rec)
{
	const char *p = text.at, *end = text.at + text.len;

	for (; piece->how != TR2_PIECE_END && p < end; piece++) {
		ptrdiff_t lead = matched(p, end, piece->lead, piece->lead_len), tail;
		const char *behind;

		if (lead < 0)
			continue;
		if (piece->how == TR2_PIECE_TEXT) {
			p += lead;
			continue;
		}
		if (piece->how == TR2_PIECE_ERRNO)
			return;
		behind = text_take_value(names, piece, p + lead, end, rec);
		tail = matched(behind, end, piece->tail, piece->tail_len);
		/*
		 * Without its tail (a semicolon) the word is not the directory of a child: drop it.
		 */
		if (tail < 0 && piece->how == TR2_PIECE_QUOTED && piece[1].how != TR2_PIECE_END &&
		    rec->nr_late) {
			rec->nr_late--;
			continue;
		}
		p = behind + (tail < 0 ? 0 : tail);
	}
}

static uint32_t text_put_list(struct batch *batch, const struct text_late *late)
{
	const char *p = late->text.at, *end = p + late->text.len, *arrow;
	uint32_t list = batch_list_begin(batch), nr = 0;
	size_t len;

	if (late->how == TR2_PIECE_ARROWS) {
		for (; p < end; p = arrow ? arrow + 4 : end) {
			arrow = platform_find(p, (size_t)(end - p), " <- ", 4);
			batch_add_text(batch, p, (size_t)((arrow ? arrow : end) - p));
			nr++;
		}
	} else {
		while (p < end &&
		       text_word(&p, end, batch_reserve_text(batch, (size_t)(end - p)), &len)) {
			batch_commit_text(batch, len);
			nr++;
		}
	}
	batch_list_end(batch, list, nr);
	return list;
}

/* Add JSON to the batch: unchanged if it is valid, otherwise as a string. */
static uint32_t text_put_json(struct batch *batch, struct text_slice text)
{
	struct diag why;
	struct json_check check = { .base = text.at, .why = &why };
	const char *behind = json_skip(&check, text.at, 1);
	struct tr2_buf as_string;
	struct tr2_jw jw;
	uint32_t at;

	if (behind && behind == text.at + text.len)
		return batch_add_text(batch, text.at, text.len);
	tr2_buf_init(&as_string, SIZE_MAX / 2);
	tr2_jw_init(&jw, &as_string, 0);
	tr2_jw_string(&jw, text.at, text.len);
	at = batch_add_text(batch, as_string.data, as_string.len);
	tr2_buf_release(&as_string);
	return at;
}

static uint32_t text_put_quoted(struct batch *batch, struct text_slice text)
{
	const char *p = text.at;
	size_t len = 0;

	text_word(&p, text.at + text.len, batch_reserve_text(batch, text.len), &len);
	return batch_commit_text(batch, len);
}

void text_put(struct text_record *rec, struct batch *batch)
{
	for (unsigned i = 0; i < rec->nr_late; i++) {
		const struct text_late *late = &rec->late[i];
		uint32_t at;

		if (tr2_fields[late->field].type == TR2_TYPE_LIST)
			at = text_put_list(batch, late);
		else if (late->how == TR2_PIECE_QUOTED)
			at = text_put_quoted(batch, late->text);
		else if (rec->ev.kind == TR2_E_DATA_JSON)
			at = text_put_json(batch, late->text);
		else
			at = batch_add_text(batch, late->text.at, late->text.len);
		event_set(&rec->ev, late->field, at);
	}
	batch_add(batch, &rec->ev);
}
