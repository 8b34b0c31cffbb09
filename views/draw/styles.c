/* SPDX-License-Identifier: MIT */
/* The tables of styles and themes, made from their rows. */
#include "config.h"

#include "views/draw/styles.h"

#include <stddef.h>

#define B LOOK_BOLD
#define R LOOK_REVERSE
#define U LOOK_UNDERLINE
#define L(...) { __VA_ARGS__ }

const char *const style_names[NR_STYLES] = {
#define STYLE(ID, name, dark, light, safe) name,
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

/* The looks in a macro call have commas of their own, so each is wrapped as it is passed. */
static const struct look looks[][3] = {
#define STYLE(ID, name, ...) { __VA_ARGS__ },
#include "views/draw/styles.def"
};

const struct look *style_look(enum theme theme, enum style style)
{
	enum { dark, light, safe };
	static const uint8_t column[NR_THEMES] = {
#define THEME(ID, name, looks, colours, doc) looks,
#include "views/draw/themes.def"
	};

	return &looks[style][column[theme]];
}
