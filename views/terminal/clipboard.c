/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/terminal/clipboard.h"

#include <stdint.h>
#include <string.h>

#include "monitor/base/die.h"

#define BEGIN "\033]52;c;"
#define END   "\007"

char *clipboard_sequence(const char *text)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	size_t len = strlen(text), at = strlen(BEGIN);
	char *out = xcalloc(strlen(BEGIN) + (len + 2) / 3 * 4 + strlen(END) + 1, 1);

	memcpy(out, BEGIN, at);
	for (size_t i = 0; i < len; i += 3) {
		size_t nr = len - i < 3 ? len - i : 3;
		uint32_t bits = 0;

		for (size_t k = 0; k < 3; k++)
			bits = bits << 8 | (k < nr ? (unsigned char)text[i + k] : 0);
		for (size_t k = 0; k < 4; k++)
			out[at++] = k <= nr ? digits[bits >> (18 - 6 * k) & 63] : '=';
	}
	memcpy(out + at, END, strlen(END));
	return out;
}
