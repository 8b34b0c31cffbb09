/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/terminal/background.h"

#include <stdlib.h>
#include <string.h>

#define QUESTION   "\033]11;?\033\\"
#define PREFIX     "\033]11;"
#define PREFIX_LEN (sizeof(PREFIX) - 1)
#define BEL        0x07
#define ESC        0x1b

void background_begin(struct background *background, const char *colorfgbg)
{
	const char *last = colorfgbg ? strrchr(colorfgbg, ';') : NULL;
	char *background_end;
	long colour;

	*background = (struct background){ 0 };
	if (!last || !last[1])
		return;
	colour = strtol(last + 1, &background_end, 10);
	background->light = !*background_end && (colour == 7 || (colour > 8 && colour < 16));
}

const char *background_ask(struct background *background, ns_t now_ns)
{
	background->awaited = true;
	background->asked_ns = now_ns;
	background->matched = background->given = background->len = 0;
	return QUESTION;
}

/* Parse 1 to 4 hexadecimal digits as a number from 0 to 1. Returns -1 if they are invalid. */
static double background_part_of(const char **text)
{
	char digits[5] = { 0 };
	size_t len = strspn(*text, "0123456789abcdefABCDEF");

	if (!len || len > 4)
		return -1;
	memcpy(digits, *text, len);
	*text += len;
	*text += **text == '/';
	return (double)strtol(digits, NULL, 16) / (double)((1 << 4 * len) - 1);
}

/* Parse the terminal's answer, such as rgb:RRRR/GGGG/BBBB. */
static void understand(struct background *background)
{
	const char *text = background->text;
	double red, green, blue;

	background->text[background->len] = 0;
	if (strncmp(text, "rgb", 3) != 0 || !(text = strchr(text, ':')))
		return;
	text++;
	red = background_part_of(&text);
	green = background_part_of(&text);
	blue = background_part_of(&text);
	if (red >= 0 && green >= 0 && blue >= 0)
		background->light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.5;
}

static void background_end(struct background *background)
{
	understand(background);
	background->awaited = false;
	background->matched = background->given = 0;
}

static void take_answer(struct background *background, uint32_t ch)
{
	if (ch == BEL || (background->ending && ch == '\\')) {
		background_end(background);
		return;
	}
	background->ending = ch == ESC;
	if (ch > ' ' && ch < 0x7f && background->len + 1u < sizeof(background->text))
		background->text[background->len++] = (char)ch;
}

static int give_held(struct background *background, uint32_t *keys)
{
	int nr = 0;

	while (background->given < background->matched)
		keys[nr++] = (uint8_t)PREFIX[background->given++];
	return nr;
}

static bool background_is_within(const struct background *background)
{
	return background->awaited && background->matched == PREFIX_LEN;
}

int background_take(struct background *background, uint32_t ch, ns_t now_ns,
		    uint32_t keys[BACKGROUND_MAX_KEYS])
{
	int nr = 0;

	if (background_is_within(background) && now_ns - background->last_ns > BACKGROUND_REST_NS)
		background_end(background);
	if (!background->awaited) {
		keys[0] = ch;
		return 1;
	}
	if (background_is_within(background)) {
		background->last_ns = now_ns;
		take_answer(background, ch);
		return 0;
	}
	if (ch != (uint8_t)PREFIX[background->matched] ||
	    (background->given && now_ns - background->last_ns > BACKGROUND_REST_NS)) {
		nr = give_held(background, keys);
		background->matched = background->given = 0;
	}
	if (ch == (uint8_t)PREFIX[background->matched]) {
		background->matched++;
		background->last_ns = now_ns;
		return nr;
	}
	keys[nr++] = ch;
	return nr;
}

static ns_t held_for(const struct background *background)
{
	return background->matched == 1 ? BACKGROUND_ESC_NS : BACKGROUND_PREFIX_NS;
}

static bool holds(const struct background *background)
{
	return background->awaited && !background_is_within(background) &&
	       background->given < background->matched;
}

int background_late(struct background *background, ns_t now_ns, uint32_t keys[BACKGROUND_MAX_KEYS])
{
	if (!holds(background) || now_ns - background->last_ns < held_for(background))
		return 0;
	return give_held(background, keys);
}

int background_wait_ms(const struct background *background, ns_t now_ns)
{
	ns_t left = background->last_ns + held_for(background) - now_ns;

	if (!holds(background))
		return -1;
	return left > 0 ? (int)(left / NS_PER_MS) + 1 : 0;
}
