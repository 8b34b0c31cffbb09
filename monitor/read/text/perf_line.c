/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/read/text/perf_line.h"

#include <string.h>

#include "monitor/base/platform.h"
#include "monitor/base/scan.h"
#include "monitor/read/text/perf_guess.h"
#include "monitor/read/text/text_memo.h"

#define TIME_BYTES TEXT_TIME_BYTES
/* Columns of a line, each followed by a bar. Lines in brief form have no PLACE. */
enum { PLACE, DEPTH, THREAD, EVENT, REPO, T_ABS, T_REL, CATEGORY, NR_COLUMNS };

#define BLANKS (SCAN_ONES * ' ')

#define CATEGORY_BYTES 12

static struct text_slice trimmed(const char *p, const char *end)
{
	while (p < end && *p == ' ')
		p++;
	while (end - p >= 8 && scan_load8(end - 8) == BLANKS)
		end -= 8;
	while (p < end && end[-1] == ' ')
		end--;
	return (struct text_slice){ p, (size_t)(end - p) };
}

/* Bytes that usually contain all columns of a line; a multiple of 64. */
#define MAPPED_BYTES 192

/*
 * Bitmap of the bytes that are not blank, among the first MAPPED_BYTES of a line. The extra word
 * allows reading 64 bits from any position.
 */
struct text_map {
	const char *line;
	uint64_t words[MAPPED_BYTES / 64 + 1];
	size_t nr; /* bytes of the line that the bitmap covers */
};

/*
 * Find the first `most` bars (`|`) and return their number. With SSE2, also fills `map` if it is
 * not NULL.
 */
static unsigned find_bars(const char *line, const char *end, const char **bars, unsigned most,
			  struct text_map *map)
{
	const char *p = line;
	unsigned nr = 0;

#if SCAN_SSE2
	const __m128i bar = _mm_set1_epi8('|'), blank = _mm_set1_epi8(' ');

	for (; p < end && nr < most; p += 16) {
		__m128i v = _mm_loadu_si128((const __m128i *)(const void *)p);
		unsigned hits = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, bar));
		size_t at = (size_t)(p - line);

		if (map && at < MAPPED_BYTES) {
			uint64_t text =
				(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(v, blank)) ^ 0xffffu;

			map->words[at / 64] |= text << at % 64;
			map->nr = at + 16;
		}
		for (; hits && nr < most; hits &= hits - 1) {
			const char *hit = p + __builtin_ctz(hits);

			if (hit >= end)
				return nr;
			bars[nr++] = hit;
		}
	}
#else
	(void)map;
	while (nr < most && (p = memchr(p, '|', (size_t)(end - p))))
		bars[nr++] = p++;
#endif
	return nr;
}

static inline struct text_slice trimmed_by(const struct text_map *map, const char *p,
					   const char *end)
{
	size_t from = (size_t)(p - map->line), len = (size_t)(end - p);
	uint64_t text;

	if (from + len >= map->nr || len > 63)
		return trimmed(p, end);
	text = map->words[from / 64] >> from % 64 | map->words[from / 64 + 1] << 1
									      << (63 - from % 64);
	text &= (1ull << len) - 1;
	if (!text)
		return (struct text_slice){ end, 0 };
	from = (size_t)__builtin_ctzll(text);
	return (struct text_slice){ p + from, 64 - (size_t)__builtin_clzll(text) - from };
}

/* Parse the place `file.c:123`; a file name may contain colons. */
static void perf_take_place(const struct text_names *names, struct text_slice place,
			    struct text_record *rec)
{
	struct memo_entry want, *entry = NULL;
	const char *end = place.at + place.len, *colon, *behind;
	int64_t line = NUM_NONE;
	sym_t file;

	if (!place.len)
		return;
	if (place.len <= MEMO_TEXT_BYTES) {
		entry = memo_at(names->memo->places, place.at, place.len, &want);
		if (__builtin_expect(memo_is(entry, &want), 1)) {
			event_set(&rec->ev, TR2_F_FILE, entry->v[0]);
			event_set(&rec->ev, TR2_F_LINE, entry->v[1]);
			return;
		}
	}
	colon = platform_find_last(place.at, ':', place.len);
	if (!colon || !text_number(colon + 1, end, &line, &behind) || behind != end) {
		line = NUM_NONE;
		colon = end;
	}
	file = tr2_intern(names->syms, place.at, (size_t)(colon - place.at));
	event_set(&rec->ev, TR2_F_FILE, file);
	if (line == NUM_NONE)
		return;
	event_set(&rec->ev, TR2_F_LINE, line);
	if (entry && line >= 0 && line <= INT32_MAX && file != names->syms->sym_other) {
		*entry = want;
		entry->v[0] = file;
		entry->v[1] = (uint32_t)line;
	}
}

/* Parse a region's message after its dots, usually `label:LABEL MSG`. */
static void perf_take_region(const struct text_names *names, const char *p, const char *end,
			     struct text_slice category, struct text_record *rec)
{
	static const struct {
		char name[12];
		uint8_t len;
	} whole[] = { { "progress", 8 }, { "diff", 4 }, { "merge", 5 } };
	const char *blank;

	if (end - p < 6 || memcmp(p, "label:", 6)) {
		p += p < end && *p == ' ';
		if (p < end)
			text_note(rec, TR2_F_MSG, TR2_PIECE_PLAIN, p, (size_t)(end - p));
		return;
	}
	p += 6;
	/* In some categories Git's labels contain blanks, and no message follows. */
	for (unsigned i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		if (category.len == whole[i].len &&
		    !memcmp(category.at, whole[i].name, category.len)) {
			while (p < end && end[-1] == ' ')
				end--;
			event_set(&rec->ev, TR2_F_LABEL,
				  memo_sym(names->memo, names->syms, p, (size_t)(end - p)));
			return;
		}
	blank = memchr(p, ' ', (size_t)(end - p));
	if (!blank)
		blank = end;
	event_set(&rec->ev, TR2_F_LABEL,
		  memo_sym(names->memo, names->syms, p, (size_t)(blank - p)));
	if (end - blank > 1)
		text_note(rec, TR2_F_MSG, TR2_PIECE_PLAIN, blank + 1, (size_t)(end - blank - 1));
}

static void perf_take_data(const struct text_names *names, const char *p, const char *end,
			   struct text_record *rec)
{
	const char *colon = memchr(p, ':', (size_t)(end - p));

	if (!colon)
		colon = end;
	event_set(&rec->ev, TR2_F_KEY, memo_sym(names->memo, names->syms, p, (size_t)(colon - p)));
	if (colon == end)
		return;
	colon++;
	while (rec->ev.kind == TR2_E_DATA_JSON && colon < end && end[-1] == ' ')
		end--;
	text_note(rec, TR2_F_VALUE, TR2_PIECE_PLAIN, colon, (size_t)(end - colon));
}

bool perf_is_free(unsigned kind)
{
	return kind == TR2_E_ERROR || kind == TR2_E_PRINTF || kind == TR2_E_CMD_PATH ||
	       kind == REC_UNKNOWN;
}

static void perf_take_message(const struct text_names *names, struct text_slice category,
			      struct text_record *rec)
{
	const char *p = rec->message.at, *end = p + rec->message.len;

	while (p < end && *p == '.')
		p++;
	rec->nr_dots = (uint32_t)(p - rec->message.at);
	if (rec->ev.kind == TR2_E_DATA || rec->ev.kind == TR2_E_DATA_JSON)
		p -= rec->nr_dots % 2;
	switch (rec->ev.kind) {
	case TR2_E_REGION_ENTER:
	case TR2_E_REGION_LEAVE:
		event_set(&rec->ev, TR2_F_NESTING, 1 + rec->nr_dots / 2);
		perf_take_region(names, p, end, category, rec);
		break;
	case TR2_E_DATA:
	case TR2_E_DATA_JSON:
		event_set(&rec->ev, TR2_F_NESTING, 1 + rec->nr_dots / 2);
		perf_take_data(names, p, end, rec);
		break;
	default:
		if (perf_is_free(rec->ev.kind))
			break;
		text_take_pieces(names, tr2_events[rec->ev.kind].perf,
				 (struct text_slice){ p, (size_t)(end - p) }, rec);
	}
}

void perf_take_free(const struct text_names *names, uint32_t nr_open, struct text_record *rec)
{
	size_t dots = rec->nr_dots / 2 < nr_open ? rec->nr_dots / 2 * 2 : 2 * (size_t)nr_open;
	struct text_slice text = { rec->message.at + dots, rec->message.len - dots };

	if (rec->ev.kind < TR2_NR_EVENTS)
		text_take_pieces(names, tr2_events[rec->ev.kind].perf, text, rec);
	else if (text.len)
		text_note(rec, TR2_F_MSG, TR2_PIECE_PLAIN, text.at, text.len);
}

static bool perf_take_lettered(struct text_slice column, char letter, int64_t *out)
{
	const char *end = column.at + column.len, *behind;

	return column.len > 1 && *column.at == letter && scan_is_digit(column.at[1]) &&
	       text_number(column.at + 1, end, out, &behind) && behind == end;
}

static bool perf_take_time(struct text_slice column, unsigned field, struct text_record *rec)
{
	const char *end = column.at + column.len, *behind;
	ns_t ns;

	if (!column.len)
		return true;
	if (text_seconds(column.at, end, &ns, &behind))
		event_set(&rec->ev, field, ns);
	/* A number that does not fit is treated as absent. */
	return scan_is_digit(*column.at);
}

static bool is_time(const char *p, const char *end)
{
	return end - p > TIME_BYTES && p[2] == ':' && p[8] == '.' && p[TIME_BYTES] == ' ';
}

/*
 * Classify a line that is not a PERF record: TEXT_BAD if it looks like a record of another format.
 */
static enum text_line perf_other_line(const char *p, const char *end)
{
	ns_t time;

	if ((is_time(p, end) && text_time_of_day(p, &time)) ||
	    (end - p > 10 && !memcmp(p, "{\"event\":\"", 10)))
		return TEXT_BAD;
	return TEXT_OTHER;
}

static void perf_take_category(const struct text_names *names, struct text_slice c,
			       struct text_record *rec)
{
	bool is_scope = rec->ev.kind == TR2_E_DEF_PARAM;

	if (!c.len)
		return;
	if (is_scope && c.len >= 6 && !memcmp(c.at, "scope:", 6))
		c = (struct text_slice){ c.at + 6, c.len - 6 };
	event_set(&rec->ev, is_scope ? TR2_F_SCOPE : TR2_F_CATEGORY,
		  memo_sym(names->memo, names->syms, c.at, c.len));
}

/* Read a line whose head is stored; parse its tail if that is not stored. Returns false if the
 * whole line must be parsed. */
static bool perf_line_guessed(const struct text_names *names, const char *line, size_t len,
			      struct text_record *rec)
{
	const char *head = line + TIME_BYTES + 1, *end = line + len, *p;
	struct perf_guesses *guesses = &names->memo->guesses;
	struct perf_columns *columns = &rec->known.columns;
	struct perf_head *known;
	struct text_slice category;

	if (len < TIME_BYTES + 1 + PERF_HEAD_MIN_BYTES)
		return false;
	known = perf_head_find(guesses, head, (size_t)(end - head));
	if (!known)
		return false;
	p = head + known->len;
	if (end - p < PERF_COLUMNS_BYTES || !perf_columns(p, columns))
		return false;
	p += PERF_COLUMNS_BYTES;
	perf_head_take(known, columns, rec);
	if (perf_tail_take(guesses, known, p, (size_t)(end - p), rec))
		return true;
	if (end - p < CATEGORY_BYTES + 3 || !perf_is_bar(p + CATEGORY_BYTES) ||
	    memchr(p, '|', CATEGORY_BYTES)) {
		rec->ev.mask = 0;
		return false;
	}
	category = trimmed(p, p + CATEGORY_BYTES);
	perf_take_category(names, category, rec);
	rec->message.at = p + CATEGORY_BYTES + 3;
	rec->message.len = (size_t)(end - rec->message.at);
	perf_take_message(names, category, rec);
	perf_tail_learn(guesses, known, p, end, rec);
	return true;
}

enum text_line perf_line(const struct text_names *names, const char *line, size_t len, ns_t wall,
			 struct text_record *rec)
{
	const char *bars[NR_COLUMNS], *end = line + len, *from[NR_COLUMNS + 1];
	bool brief = len && *line == 'd';
	unsigned first = brief ? DEPTH : PLACE, kind;
	struct text_slice column[NR_COLUMNS];
	struct text_map map;
	struct perf_head *head;
	int64_t n;

	rec->ev.mask = 0;
	rec->nr_late = 0;
	rec->time_of_day = NS_NONE;
	rec->wall_ns = wall;
	rec->known.tail = NULL;
	rec->head = NULL;
	if (!brief && wall == NS_NONE &&
	    (!is_time(line, end) || !text_time_of_day(line, &rec->time_of_day)))
		return perf_other_line(line, end);
	if (!brief && perf_line_guessed(names, line, len, rec))
		return TEXT_RECORD;
	map = (struct text_map){ .line = line };
	if (find_bars(line, end, bars + first, NR_COLUMNS - first, &map) < NR_COLUMNS - first)
		return perf_other_line(line, end);
	from[first] = brief ? line : line + TIME_BYTES + 1;
	for (unsigned i = first; i < NR_COLUMNS; i++) {
		column[i] = trimmed_by(&map, from[i], bars[i]);
		from[i + 1] = bars[i] + 1;
	}
	if (!perf_take_lettered(column[DEPTH], 'd', &n) || !column[EVENT].len)
		return perf_other_line(line, end);
	if (n > TEXT_MAX_DEPTH)
		return TEXT_BAD;
	rec->depth = (uint32_t)n;
	if (!perf_take_time(column[T_ABS], TR2_F_T_ABS, rec) ||
	    !perf_take_time(column[T_REL], TR2_F_T_REL, rec))
		return perf_other_line(line, end);
	kind = memo_kind_find(names->memo, column[EVENT].at, column[EVENT].len);
	rec->ev.kind = kind < TR2_NR_EVENTS ? (uint8_t)kind : REC_UNKNOWN;
	if (kind >= TR2_NR_EVENTS)
		event_set(&rec->ev, FLD_EVENT,
			  tr2_intern(names->syms, column[EVENT].at, column[EVENT].len));
	if (!brief)
		perf_take_place(names, column[PLACE], rec);
	event_set(&rec->ev, TR2_F_THREAD,
		  memo_sym(names->memo, names->syms, column[THREAD].at, column[THREAD].len));
	if (perf_take_lettered(column[REPO], 'r', &n))
		event_set(&rec->ev, TR2_F_REPO, n);
	perf_take_category(names, column[CATEGORY], rec);
	line = from[NR_COLUMNS];
	line += line < end && *line == ' ';
	rec->message = (struct text_slice){ line, (size_t)(end - line) };
	perf_take_message(names, column[CATEGORY], rec);
	/* Do not learn from a line without the blanks that Git writes after bars. */
	head = brief || *from[REPO] != ' ' || *from[CATEGORY] != ' '
		       ? NULL
		       : perf_head_learn(&names->memo->guesses, from[PLACE], from[REPO] + 1, rec);
	if (head)
		perf_tail_learn(&names->memo->guesses, head, from[CATEGORY] + 1, end, rec);
	return TEXT_RECORD;
}

bool perf_is_line(const char *line, size_t len)
{
	const char *bars[NR_COLUMNS];
	int64_t depth;

	return find_bars(line, line + len, bars, NR_COLUMNS, NULL) == NR_COLUMNS &&
	       !memchr(line, '\n', (size_t)(bars[NR_COLUMNS - 1] - line)) &&
	       perf_take_lettered(trimmed(bars[PLACE] + 1, bars[DEPTH]), 'd', &depth);
}

enum probe perf_probe(const char *bytes, size_t len, bool is_all)
{
	static const char shape[] = "00:00:00.000000 ";
	const char *end = memchr(bytes, '\n', len), *bars[NR_COLUMNS];
	bool brief = *bytes == 'd';
	unsigned nr = NR_COLUMNS - brief, event = EVENT - brief, nr_bars;
	struct text_slice name;
	size_t at = 1;

	if (brief) {
		while (at < len && scan_is_digit(bytes[at]))
			at++;
		for (unsigned i = 0; at > 1 && i < 3 && at < len && bytes[at] == " | "[i]; i++)
			at++;
		if (at < len && (at < 5 || memcmp(bytes + at - 3, " | ", 3)))
			return PROBE_NO;
	} else {
		for (at = 0; at < len && at < sizeof(shape) - 1; at++)
			if (shape[at] == '0' ? !scan_is_digit(bytes[at]) : bytes[at] != shape[at])
				return PROBE_NO;
	}
	nr_bars = find_bars(bytes, end ? end : bytes + len, bars, nr, NULL);
	if (nr_bars < nr) {
		/* The first column usually ends by byte 50, so longer input without a bar is not
		 * PERF. */
		if (end || (is_all && (len < 10 || (!nr_bars && len > 50))))
			return PROBE_NO;
		return is_all ? PROBE_MAYBE : PROBE_MORE;
	}
	name = trimmed(bars[event - 1] + 1, bars[event]);
	for (unsigned kind = 0; kind < TR2_NR_EVENTS; kind++)
		if (strlen(tr2_events[kind].wire) == name.len &&
		    !memcmp(tr2_events[kind].wire, name.at, name.len))
			return PROBE_YES;
	return PROBE_NO;
}
