/* SPDX-License-Identifier: MIT */
/*
 * Parser for Git's configuration files. Character classes are ASCII, because those of the C library
 * depend on the locale.
 */
#include "config.h"
#include "engine/tr2_config.h"

#include <stdint.h>
#include <string.h>

#include "engine/base/buf.h"

/* Maximum length of a key or value. A longer one ends the reading of the file. */
#define CONFIG_MAX_BYTES (16u << 20)

struct config_parser {
	const char *at, *end;
	struct tr2_buf key, value;
	/* length of the part of `key` that names the section, as in "section.subsection." */
	size_t base_len;
	int line;
	bool eof;
	tr2_config_fn *fn;
	void *data;
};

static bool is_ascii_blank(int c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_ascii_letter(int c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool is_config_key_char(int c)
{
	return is_ascii_letter(c) || (c >= '0' && c <= '9') || c == '-';
}

static char ascii_lower(int c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
}

/* Return the next character, "\r\n" as '\n'. At the end of the text set `eof` and return '\n',
 * which completes the last line. */
static int next_char(struct config_parser *p)
{
	int c;

	if (p->at == p->end) {
		p->eof = true;
		return '\n';
	}
	c = (unsigned char)*p->at++;
	if (c == '\r' && p->at < p->end && *p->at == '\n')
		c = (unsigned char)*p->at++;
	if (c == '\n')
		p->line++;
	return c;
}

/* Parse `"subsection"]` of a section header. `c` is the blank before it. */
static bool parse_subsection(struct config_parser *p, int c)
{
	do {
		if (c == '\n')
			return false;
		c = next_char(p);
	} while (is_ascii_blank(c));
	if (c != '"')
		return false;
	tr2_buf_addch(&p->key, '.');
	while ((c = next_char(p)) != '"') {
		if (c == '\\')
			c = next_char(p);
		if (c == '\n')
			return false;
		tr2_buf_addch(&p->key, (char)c);
	}
	return next_char(p) == ']';
}

static bool parse_section(struct config_parser *p)
{
	tr2_buf_clear(&p->key);
	for (;;) {
		int c = next_char(p);

		if (p->eof)
			return false;
		if (c == ']')
			break;
		if (is_ascii_blank(c)) {
			if (!parse_subsection(p, c))
				return false;
			break;
		}
		if (!is_config_key_char(c) && c != '.')
			return false;
		tr2_buf_addch(&p->key, ascii_lower(c));
	}
	if (!p->key.len)
		return false;
	tr2_buf_addch(&p->key, '.');
	p->base_len = p->key.len;
	return true;
}

static int unescape_char(int c)
{
	switch (c) {
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case 'n':
		return '\n';
	case '\\':
	case '"':
		return c;
	default:
		return -1;
	}
}

static bool parse_value(struct config_parser *p)
{
	struct tr2_buf *value = &p->value;
	bool quoted = false, comment = false;
	size_t keep = 0; /* length of the configuration value without trailing blanks */

	tr2_buf_clear(value);
	for (;;) {
		int c = next_char(p);

		if (c == '\n') {
			value->len = keep;
			return !quoted && !value->failed;
		}
		if (comment)
			continue;
		if (is_ascii_blank(c) && !quoted) {
			if (value->len)
				tr2_buf_addch(value, (char)c);
			continue;
		}
		if (!quoted && (c == '#' || c == ';')) {
			comment = true;
			continue;
		}
		if (c == '"') {
			quoted = !quoted;
			keep = value->len;
			continue;
		}
		if (c == '\\') {
			c = next_char(p);
			if (c == '\n') {
				keep = value->len;
				continue;
			}
			c = unescape_char(c);
			if (c < 0)
				return false;
		}
		tr2_buf_addch(value, (char)c);
		keep = value->len;
	}
}

static bool parse_entry(struct config_parser *p, int first)
{
	bool has_value = false;
	int c;

	p->key.len = p->base_len;
	tr2_buf_addch(&p->key, ascii_lower(first));
	while (is_config_key_char(c = next_char(p)))
		tr2_buf_addch(&p->key, ascii_lower(c));
	while (c == ' ' || c == '\t')
		c = next_char(p);
	if (c != '\n') {
		if (c != '=' || !parse_value(p))
			return false;
		has_value = true;
	}
	if (p->key.failed)
		return false;
	p->fn(p->data, tr2_buf_cstr(&p->key), has_value ? tr2_buf_cstr(&p->value) : NULL,
	      TR2_SCOPE_UNKNOWN);
	return true;
}

static bool parse_all(struct config_parser *p)
{
	bool comment = false;

	for (;;) {
		int c = next_char(p);

		if (c == '\n') {
			if (p->eof)
				return true;
			comment = false;
		} else if (comment || is_ascii_blank(c)) {
			continue;
		} else if (c == '#' || c == ';') {
			comment = true;
		} else if (c == '[') {
			if (!parse_section(p))
				return false;
		} else if (!is_ascii_letter(c) || !parse_entry(p, c)) {
			return false;
		}
	}
}

bool tr2_config_parse(const char *text, size_t len, tr2_config_fn *fn, void *data, int *bad_line)
{
	struct config_parser p = {
		.at = text, .end = text + len, .line = 1, .fn = fn, .data = data
	};
	bool ok;

	tr2_buf_init(&p.key, CONFIG_MAX_BYTES);
	tr2_buf_init(&p.value, CONFIG_MAX_BYTES);
	if (len >= 3 && !memcmp(text, "\xEF\xBB\xBF", 3))
		p.at += 3;
	ok = parse_all(&p);
	if (!ok && bad_line)
		*bad_line = p.line;
	tr2_buf_release(&p.key);
	tr2_buf_release(&p.value);
	return ok;
}
