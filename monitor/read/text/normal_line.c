/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/text/normal_line.h"
#include "monitor/base/platform.h"
#include "monitor/read/text/text_memo.h"

#include <string.h>

#include "monitor/base/scan.h"
#include "monitor/read/text/perf_line.h"

#define TIME_BYTES 15 /* HH:MM:SS.uuuuuu */
/* column of the message, unless its place (file and line) is longer */
#define MESSAGE_AT 50

static size_t word_len(const char *p, const char *end)
{
	const char *from = p;

	while (p < end && *p != ' ' && *p != '[')
		p++;
	return (size_t)(p - from);
}

/* Get the first word of the messages of a kind of event. Returns its length; 0: none. */
static size_t kind_word(unsigned kind, const char **word)
{
	const struct tr2_piece *piece = &tr2_events[kind].normal[0];

	*word = piece->lead;
	if (tr2_events[kind].targets != TR2_TARGETS_NPE || piece->how == TR2_PIECE_END)
		return 0;
	return word_len(piece->lead, piece->lead + piece->lead_len);
}

void normal_kinds(struct text_memo *memo)
{
	for (unsigned kind = 0; kind < TR2_NR_EVENTS; kind++) {
		char padded[MEMO_KIND_BYTES + SCAN_PAD] = "";
		const char *word;
		size_t len = kind_word(kind, &word);

		if (!len)
			continue;
		memcpy(padded, word, len);
		memo_kind_add(memo, padded, len, kind);
	}
}

static bool begins_with_time(const char *p, const char *end, ns_t *time)
{
	return end - p > TIME_BYTES && p[TIME_BYTES] == ' ' && text_time_of_day(p, time);
}

/* Find the message of a line that begins with a time. Sets `*place` to the place before the
 * message. */
static const char *normal_message_of(const char *line, const char *end, struct text_slice *place)
{
	const char *p = line + TIME_BYTES + 1, *blank = memchr(p, ' ', (size_t)(end - p));

	if (!blank)
		blank = end;
	*place = (struct text_slice){ p, (size_t)(blank - p) };
	if (blank - line >= MESSAGE_AT)
		return blank < end ? blank + 1 : end;
	return end - line > MESSAGE_AT ? line + MESSAGE_AT : end;
}

static void normal_take_place(const struct text_names *names, struct text_slice place,
			      struct text_record *rec)
{
	const char *end = place.at + place.len,
		   *colon = platform_find_last(place.at, ':', place.len), *behind;
	int64_t line;

	if (!colon || !text_number(colon + 1, end, &line, &behind) || behind != end)
		return;
	event_set(&rec->ev, TR2_F_FILE,
		  memo_sym(names->memo, names->syms, place.at, (size_t)(colon - place.at)));
	event_set(&rec->ev, TR2_F_LINE, line);
}

enum text_line normal_line(const struct text_names *names, bool may_be_brief, const char *line,
			   size_t len, struct text_record *rec)
{
	const char *end = line + len, *p = line;
	struct text_slice place = { p, 0 };
	const struct tr2_piece *piece;
	unsigned kind;
	size_t word;

	rec->ev.mask = 0;
	rec->nr_late = 0;
	rec->known.tail = NULL;
	rec->head = NULL;
	rec->nr_dots = rec->depth = 0;
	rec->time_of_day = rec->wall_ns = NS_NONE;
	if (begins_with_time(line, end, &rec->time_of_day)) {
		if (perf_is_line(line, len))
			return TEXT_BAD;
		p = normal_message_of(line, end, &place);
	} else if (!may_be_brief) {
		return len > 10 && !memcmp(line, "{\"event\":\"", 10) ? TEXT_BAD : TEXT_OTHER;
	}
	word = word_len(p, end);
	kind = memo_kind_find(names->memo, p, word);
	if (kind >= TR2_NR_EVENTS && rec->time_of_day == NS_NONE)
		return TEXT_OTHER;
	rec->ev.kind = kind < TR2_NR_EVENTS ? (uint8_t)kind : TR2_E_PRINTF;
	normal_take_place(names, place, rec);
	rec->message = (struct text_slice){ p, (size_t)(end - p) };
	piece = tr2_events[rec->ev.kind].normal;
	/* Older versions of Git leave out one word (a scope) of the first piece. */
	if (kind < TR2_NR_EVENTS &&
	    ((size_t)(end - p) < piece->lead_len || memcmp(p, piece->lead, piece->lead_len)))
		p += word;
	text_take_pieces(names, piece, (struct text_slice){ p, (size_t)(end - p) }, rec);
	return TEXT_RECORD;
}

enum probe normal_probe(const char *bytes, size_t len, bool is_all)
{
	static const char shape[] = "00:00:00.000000 ";
	const char *end = memchr(bytes, '\n', len), *message, *word;
	struct text_slice place;
	size_t nr;

	for (size_t at = 0; at < len && at < sizeof(shape) - 1; at++)
		if (shape[at] == '0' ? !scan_is_digit(bytes[at]) : bytes[at] != shape[at])
			return PROBE_NO;
	if (!end && !is_all)
		return PROBE_MORE;
	end = end ? end : bytes + len;
	if ((size_t)(end - bytes) < sizeof(shape) - 1)
		return PROBE_NO;
	if (perf_is_line(bytes, (size_t)(end - bytes)))
		return PROBE_NO;
	message = normal_message_of(bytes, end, &place);
	nr = word_len(message, end);
	for (unsigned kind = 0; kind < TR2_NR_EVENTS; kind++)
		if (nr && kind_word(kind, &word) == nr && !memcmp(word, message, nr))
			return PROBE_YES;
	return PROBE_MAYBE;
}
