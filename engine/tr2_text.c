/* SPDX-License-Identifier: MIT */
/* Code for the text targets (normal and perf); the event target shares the redaction and the
 * clock. */
#include "config.h"
#include "engine/tr2_target.h"

#include <limits.h>
#include <string.h>

#include "engine/base/platform.h"
#include "engine/tr2_lock.h"
#include "engine/tr2_time.h"

struct tr2_redacted tr2_redact(const char *text)
{
	size_t scheme = 0, stop, colon;

	if (!strncmp(text, "https://", 8))
		scheme = 8;
	else if (!strncmp(text, "http://", 7))
		scheme = 7;
	if (!scheme)
		return (struct tr2_redacted){ 0 };
	stop = scheme + strcspn(text + scheme, "@/");
	colon = scheme + strcspn(text + scheme, ":");
	if (text[stop] != '@' || colon >= stop)
		return (struct tr2_redacted){ 0 };
	return (struct tr2_redacted){ .head_len = colon + 1, .tail_at = stop, .hidden = true };
}

static void text_add_argument(struct tr2_line *out, const char *arg, bool redact)
{
	struct tr2_redacted hide = { 0 };
	size_t len = strlen(arg);

	if (redact)
		hide = tr2_redact(arg);
	if (!hide.hidden && !tr2_needs_quotes(arg, len)) {
		tr2_line_add(out, arg, len);
		return;
	}
	tr2_line_ch(out, '\'');
	if (hide.hidden) {
		tr2_line_quoted(out, arg, hide.head_len);
		TR2_LINE_LIT(out, TR2_REDACTED);
	}
	tr2_line_quoted(out, arg + hide.tail_at, len - hide.tail_at);
	tr2_line_ch(out, '\'');
}

static void text_add_arguments(struct tr2_line *out, const struct tr2_record *rec,
			       const char *const *list, bool spaced)
{
	if (rec->git_cmd) {
		TR2_LINE_LIT(out, "git");
		if (*list || spaced)
			tr2_line_ch(out, ' ');
	}
	for (size_t i = 0; list[i]; i++) {
		if (i)
			tr2_line_ch(out, ' ');
		text_add_argument(out, list[i], rec->redact);
	}
}

static void text_add_plain(struct tr2_line *out, const struct tr2_record *rec, unsigned field)
{
	struct tr2_redacted hide = { 0 };
	const char *text;

	switch (tr2_fields[field].type) {
	case TR2_TYPE_NUM:
	case TR2_TYPE_BOOL:
		tr2_line_int(out, rec->v[field].num);
		return;
	case TR2_TYPE_TIME:
		tr2_line_seconds(out, rec->v[field].num, 0);
		return;
	}
	text = rec->v[field].text;
	if (rec->redact && field == TR2_F_VALUE)
		hide = tr2_redact(text);
	if (hide.hidden) {
		tr2_line_add(out, text, hide.head_len);
		TR2_LINE_LIT(out, TR2_REDACTED);
	}
	tr2_line_str(out, text + hide.tail_at);
}

static void text_add_arrows(struct tr2_line *out, const char *const *list)
{
	for (size_t i = 0; list[i]; i++) {
		if (i)
			TR2_LINE_LIT(out, " <- ");
		tr2_line_str(out, list[i]);
	}
}

static void text_add_errno(struct tr2_line *out, int64_t error)
{
	const char *text = NULL;

	if (error <= INT_MAX)
		text = tr2_platform_error_text((int)error);
	if (text) {
		tr2_line_str(out, text);
	} else {
		TR2_LINE_LIT(out, "Unknown error ");
		tr2_line_int(out, error);
	}
}

static void text_add_field(struct tr2_line *out, const struct tr2_record *rec,
			   const struct tr2_piece *piece, bool spaced)
{
	const union tr2_value *v = &rec->v[piece->field];
	bool is_list = tr2_fields[piece->field].type == TR2_TYPE_LIST;

	switch (piece->how) {
	case TR2_PIECE_PLAIN:
		text_add_plain(out, rec, piece->field);
		break;
	case TR2_PIECE_UNSIGNED:
		tr2_line_uint(out, (uint64_t)v->num);
		break;
	case TR2_PIECE_QUOTED:
		if (is_list)
			text_add_arguments(out, rec, v->list, spaced);
		else
			text_add_argument(out, v->text, false);
		break;
	case TR2_PIECE_ARROWS:
		text_add_arrows(out, v->list);
		break;
	case TR2_PIECE_ERRNO:
		text_add_errno(out, v->num);
		break;
	}
}

static bool is_empty_list(const struct tr2_record *rec, const struct tr2_piece *piece)
{
	return piece->how == TR2_PIECE_QUOTED && tr2_record_has(rec, piece->field) &&
	       tr2_fields[piece->field].type == TR2_TYPE_LIST && !*rec->v[piece->field].list;
}

void tr2_pieces_format(struct tr2_line *out, const struct tr2_record *rec,
		       const struct tr2_piece *piece, bool spaced)
{
	for (; piece->how != TR2_PIECE_END; piece++) {
		if (piece->how != TR2_PIECE_TEXT && !tr2_record_has(rec, piece->field))
			continue;
		if (piece->how == TR2_PIECE_ERRNO && rec->v[piece->field].num <= 0)
			continue;
		tr2_line_add(out, piece->lead, piece->lead_len);
		text_add_field(out, rec, piece, spaced);
		if (spaced || !is_empty_list(rec, piece + 1))
			tr2_line_add(out, piece->tail, piece->tail_len);
	}
}

static void text_write_clock(char *out, unsigned hour, unsigned minute, unsigned second)
{
	tr2_two_digits(out, hour);
	tr2_two_digits(out + 3, minute);
	tr2_two_digits(out + 6, second);
	out[2] = out[5] = ':';
}

/* Mark a cached second as invalid before its text changes, because a signal handler may jump out of
 * the update. */
static void invalidate_second(int64_t *sec)
{
	*sec = INT64_MIN;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void mark_second_valid(int64_t *noted, int64_t sec)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*noted = sec;
}

void tr2_clock_text_update(struct tr2_clock_text *clock, int64_t sec)
{
	struct tr2_civil utc = tr2_civil_of(sec);
	unsigned year = (unsigned)utc.year % 10000;
	char *utc_text = clock->event + 9;

	invalidate_second(&clock->sec);
	memcpy(clock->event, ",\"time\":\"yyyy-mm-ddThh:mm:ss.", TR2_CLOCK_EVENT_LEN);
	tr2_two_digits(utc_text, year / 100);
	tr2_two_digits(utc_text + 2, year % 100);
	tr2_two_digits(utc_text + 5, utc.month);
	tr2_two_digits(utc_text + 8, utc.day);
	text_write_clock(utc_text + 11, utc.hour, utc.minute, utc.second);
	mark_second_valid(&clock->sec, sec);
}

/*
 * Return local time minus UTC, in seconds. It is assumed to change only at full quarters of an
 * hour, and is cached per quarter, for all threads. The engine's lock delays fork() while the C
 * library holds its own lock.
 */
static int64_t utc_offset(int64_t sec)
{
	/* atomic; in the high 14 bits the low bits of the quarter's number, in the low 18 bits the
	 * offset plus 1 << 17; 0: unknown */
	static uint32_t known;
	uint32_t quarter = (uint32_t)(sec / 900) << 18;
	uint32_t word = __atomic_load_n(&known, __ATOMIC_RELAXED);
	sigset_t before;

	if (!word || word >> 18 != quarter >> 18) {
		tr2_lock(&before);
		word = quarter | ((uint32_t)(tr2_utc_offset(sec) + (1 << 17)) & ((1 << 18) - 1));
		tr2_unlock(&before);
		__atomic_store_n(&known, word, __ATOMIC_RELAXED);
	}
	return (int64_t)(word & ((1 << 18) - 1)) - (1 << 17);
}

void tr2_clock_local_update(struct tr2_clock_text *clock, int64_t sec)
{
	struct tr2_civil local;

	invalidate_second(&clock->local_sec);
	if (clock->offset_slot != sec / 900 && clock->offset_slot != TR2_OFFSET_KEPT) {
		clock->offset = utc_offset(sec);
		clock->offset_slot = sec / 900;
	}
	local = tr2_civil_of(sec + clock->offset);
	text_write_clock(clock->local, local.hour, local.minute, local.second);
	mark_second_valid(&clock->local_sec, sec);
}

#define AHEAD_BELIEVED_NS NS_PER_MS
#define AHEAD_ATTEMPTS    4

/*
 * Read both clocks until the readings are at most a microsecond apart, at most AHEAD_ATTEMPTS
 * times, and use the closest pair. A change of the difference by at most a microsecond is ignored,
 * because the clocks are read one after the other.
 */
ns_t tr2_clock_text_wall(struct tr2_clock_text *clock, ns_t now)
{
	ns_t best = INT64_MAX, ahead = 0;

	if (now < clock->ahead_until)
		return now + clock->ahead;
	for (int i = 0; i < AHEAD_ATTEMPTS && best > NS_PER_US; i++) {
		ns_t before = tr2_clock_monotonic(), wall = tr2_clock_wall();
		ns_t gap = tr2_clock_monotonic() - before;

		if (gap < best) {
			best = gap;
			ahead = wall - before - gap / 2;
		}
	}
	if (!clock->ahead_until || ahead - clock->ahead > NS_PER_US ||
	    clock->ahead - ahead > NS_PER_US)
		clock->ahead = ahead;
	clock->ahead_until = now + AHEAD_BELIEVED_NS;
	return now + clock->ahead;
}
