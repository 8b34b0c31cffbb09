/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/draw/styles.h"

#include <stddef.h>

#define B LOOK_BOLD
#define R LOOK_REVERSE
#define U LOOK_UNDERLINE
#define L(...)                                                                                     \
	{                                                                                          \
		__VA_ARGS__                                                                        \
	}

const char *const style_names[NR_STYLES] = {
#define STYLE(ID, name, ...) name,
#include "views/draw/styles.def"
};

const struct word theme_words[NR_THEMES] = {
#define THEME(ID, name, looks, colours, doc) { name, doc },
#include "views/draw/themes.def"
};

const struct word colour_words[NR_COLOURS] = {
#define COLOUR(ID, name, doc) { name, doc },
#include "views/draw/colours.def"
};

const int theme_colours[NR_THEMES] = {
#define THEME(ID, name, looks, colours, doc) colours,
#include "views/draw/themes.def"
};

/* Looks by enum style and column of styles.def. */
static const struct look looks[][4] = {
#define STYLE(ID, name, ...) { __VA_ARGS__ },
#include "views/draw/styles.def"
};

enum { LOOKS_dark, LOOKS_light, LOOKS_safe, LOOKS_safe_light };

const bool theme_is_light[NR_THEMES] = {
#define THEME(ID, name, looks, colours, doc)                                                       \
	LOOKS_##looks == LOOKS_light || LOOKS_##looks == LOOKS_safe_light,
#include "views/draw/themes.def"
};

const struct look *style_look(enum theme theme, enum style style)
{
	static const uint8_t column[NR_THEMES] = {
#define THEME(ID, name, looks, colours, doc) LOOKS_##looks,
#include "views/draw/themes.def"
	};

	return &looks[style][column[theme]];
}

enum theme theme_for(enum theme theme, bool is_light)
{
	return theme != THEME_AUTO ? theme : is_light ? THEME_LIGHT : THEME_DARK;
}

uint32_t palette_rgb(int colour)
{
	static const uint32_t system[16] = {
		0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
		0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
	};
	uint32_t rgb = 0;

	if (colour < 16)
		return system[colour];
	if (colour >= 232)
		return (uint32_t)(8 + (colour - 232) * 10) * 0x010101;
	colour -= 16;
	for (int unit = 36; unit; unit /= 6) {
		int step = colour / unit % 6;

		rgb = rgb << 8 | (uint32_t)(step ? 55 + 40 * step : 0);
	}
	return rgb;
}
