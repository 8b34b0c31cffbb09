/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/json_write.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

void json_write_text(struct tr2_jw *jw, const char *key, const char *text, size_t len)
{
	tr2_jw_key(jw, key);
	if (text)
		tr2_jw_string(jw, text, len);
	else
		tr2_jw_null(jw);
}

void json_write_cstring(struct tr2_jw *jw, const char *key, const char *text)
{
	json_write_text(jw, key, text, text ? strlen(text) : 0);
}

void json_write_sym(struct tr2_jw *jw, const char *key, const struct tr2_intern *syms, sym_t sym)
{
	size_t len;
	const char *text = tr2_intern_text(syms, sym, &len);

	json_write_text(jw, key, sym != SYM_NONE ? text : NULL, len);
}

void json_write_number(struct tr2_jw *jw, const char *key, int64_t number)
{
	tr2_jw_key(jw, key);
	if (number == INT64_MIN)
		tr2_jw_null(jw);
	else
		tr2_jw_int(jw, number);
}

void json_write_count(struct tr2_jw *jw, const char *key, uint64_t count)
{
	tr2_jw_key(jw, key);
	tr2_jw_uint(jw, count);
}

void json_real(struct tr2_jw *jw, double value)
{
	char text[40], *to = text;

	if (!isfinite(value)) {
		tr2_jw_null(jw);
		return;
	}
	snprintf(text, sizeof(text), "%.17g", value);
	/* The locale's decimal separator may have several bytes; write a point. */
	for (const char *from = text; *from; from++) {
		if (strchr("0123456789+-e", *from))
			*to++ = *from;
		else if (to > text && to[-1] != '.')
			*to++ = '.';
	}
	tr2_jw_raw(jw, text, (size_t)(to - text));
}

void json_write_real(struct tr2_jw *jw, const char *key, double value)
{
	tr2_jw_key(jw, key);
	json_real(jw, value);
}

void json_write_bool(struct tr2_jw *jw, const char *key, bool value)
{
	tr2_jw_key(jw, key);
	tr2_jw_bool(jw, value);
}

void json_write_seconds(struct tr2_jw *jw, const char *key, ns_t ns)
{
	tr2_jw_key(jw, key);
	tr2_jw_seconds(jw, ns);
}

void json_write_time(struct tr2_jw *jw, const char *key, ns_t wall)
{
	tr2_jw_key(jw, key);
	tr2_jw_time(jw, wall);
}
