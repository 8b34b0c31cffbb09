/* SPDX-License-Identifier: MIT */
/*
 * Wildcard patterns as Git matches them. Only ASCII letters are case-folded, so that the result
 * does not depend on the host program's locale.
 */
#include "config.h"
#include "engine/tr2_config.h"

#include <string.h>

/* Approximate maximum number of '*' expansions per match: a hostile pattern could take exponential
 * time. */
#define WILD_MAX_STEPS 1000000

struct wild {
	unsigned flags;
	int steps;
};

static int wild_fold(const struct wild *w, int c)
{
	return (w->flags & TR2_WILD_FOLD) && c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c;
}

/* Result of matching a part of a pattern against one byte; MALFORMED: the pattern matches
 * nothing. */
enum wild_result { OTHER, MATCHED, MALFORMED };

static enum wild_result wild_result_of(bool matched)
{
	return matched ? MATCHED : OTHER;
}

static enum wild_result in_class(const char *name, size_t len, int c, bool fold_case)
{
	bool up = c >= 'A' && c <= 'Z', low = c >= 'a' && c <= 'z', digit = c >= '0' && c <= '9';
	bool graph = c > ' ' && c < 0x7F, alnum = up || low || digit;
	int l = up ? c + 32 : c;
	const struct {
		const char *name;
		bool is;
	} classes[] = {
		{ "alnum", alnum },
		{ "alpha", up || low },
		{ "blank", c == ' ' || c == '\t' },
		{ "cntrl", c < ' ' || c == 0x7F },
		{ "digit", digit },
		{ "graph", graph },
		{ "lower", low },
		{ "print", graph || c == ' ' },
		{ "punct", graph && !alnum },
		{ "space", c == ' ' || (c >= '\t' && c <= '\r') },
		{ "upper", up || (fold_case && low) },
		{ "xdigit", digit || (l >= 'a' && l <= 'f') },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (strlen(classes[i].name) == len && !memcmp(classes[i].name, name, len))
			return wild_result_of(classes[i].is);
	return MALFORMED;
}

static bool in_range(const struct wild *w, int c, int from, int to)
{
	if (c >= from && c <= to)
		return true;
	return (w->flags & TR2_WILD_FOLD) && c >= 'a' && c <= 'z' && c - 32 >= from && c - 32 <= to;
}

/*
 * Match one member of a set at `*pattern` and advance past it: a byte, the end of a range that
 * began with `*previous` (0: no range may begin), or a named class. If case is ignored, `c` is in
 * lower case; ranges and [:upper:] also match its upper case, a single byte does not.
 */
static enum wild_result wild_match_member(const struct wild *w, const char **pattern, int *previous,
					  int c)
{
	const char *p = *pattern;
	int from = *previous, to;

	*previous = 0;
	if (p[0] == '[' && p[1] == ':') {
		const char *name = p + 2, *end = strchr(name, ']');

		if (!end)
			return MALFORMED;
		if (end > name && end[-1] == ':') {
			*pattern = end + 1;
			return in_class(name, (size_t)(end - name) - 1, c,
					w->flags & TR2_WILD_FOLD);
		}
	}
	if (p[0] == '-' && from && p[1] && p[1] != ']')
		p++;
	else
		from = 0;
	if (*p == '\\')
		p++;
	to = (unsigned char)*p;
	if (!to)
		return MALFORMED;
	*pattern = p + 1;
	if (from)
		return wild_result_of(in_range(w, c, from, to));
	*previous = to;
	return wild_result_of(c == to);
}

/* Match one byte against the set after '['. Advances `*pattern` past the ']'. */
static enum wild_result wild_match_set(const struct wild *w, const char **pattern, int c)
{
	bool negated = **pattern == '!' || **pattern == '^', matched = false;
	int previous = 0;

	if (negated)
		++*pattern;
	do {
		enum wild_result member = wild_match_member(w, pattern, &previous, c);

		if (member == MALFORMED)
			return MALFORMED;
		matched |= member == MATCHED;
	} while (**pattern != ']');
	++*pattern;
	return wild_result_of(matched != negated && (c != '/' || !(w->flags & TR2_WILD_PATH)));
}

static bool wild_match(struct wild *w, const char *start, const char *p, const char *t);

/*
 * Match the rest of a pattern that begins with stars. The stars begin at `star` and end before `p`.
 */
static bool wild_match_star(struct wild *w, const char *start, const char *star, const char *p,
			    const char *t)
{
	bool slash = !(w->flags & TR2_WILD_PATH);

	if (!slash && p - star >= 2 && (star == start || star[-1] == '/') &&
	    (!*p || *p == '/' || (p[0] == '\\' && p[1] == '/'))) {
		/* A path component "**" also matches zero directories: try to match without the '/'
		 * after it. */
		if (*p == '/' && wild_match(w, start, p + 1, t))
			return true;
		slash = true;
	}
	for (;; t++) {
		if (wild_match(w, start, p, t))
			return true;
		if (!*t || (*t == '/' && !slash) || ++w->steps > WILD_MAX_STEPS)
			return false;
	}
}

static bool wild_match(struct wild *w, const char *start, const char *p, const char *t)
{
	for (; *p; t++) {
		int c = wild_fold(w, (unsigned char)*t);

		if (*p == '*') {
			const char *star = p;

			while (*p == '*')
				p++;
			return wild_match_star(w, start, star, p, t);
		}
		if (!c)
			return false;
		if (*p == '?') {
			if (c == '/' && (w->flags & TR2_WILD_PATH))
				return false;
			p++;
		} else if (*p == '[') {
			p++;
			if (wild_match_set(w, &p, c) != MATCHED)
				return false;
		} else if (*p == '\\') {
			p++;
			if (!*p || (unsigned char)*p++ != c)
				return false;
		} else if (wild_fold(w, (unsigned char)*p++) != c) {
			return false;
		}
	}
	return !*t;
}

bool tr2_wildmatch(const char *pattern, const char *text, unsigned flags)
{
	struct wild w = { .flags = flags };

	return wild_match(&w, pattern, pattern, text);
}
