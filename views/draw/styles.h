/* SPDX-License-Identifier: MIT */
/*
 * A style is the meaning of a cell; a theme defines its look. The rows are in styles.def and
 * themes.def. Any thread.
 *
 * A theme may omit all colours, so views must not show a state by its colour alone.
 */
#ifndef VIEWS_STYLES_H
#define VIEWS_STYLES_H

#include <stdbool.h>
#include <stdint.h>

#include "monitor/base/word.h"

enum style {
#define STYLE(ID, name, ...) STYLE_##ID,
#include "views/draw/styles.def"
	NR_STYLES
};

enum theme {
#define THEME(ID, name, looks, colours, doc) THEME_##ID,
#include "views/draw/themes.def"
	NR_THEMES
};

/* Values of --color. */
enum colour {
#define COLOUR(ID, name, doc) COLOUR_##ID,
#include "views/draw/colours.def"
	NR_COLOURS
};

/* Attributes of text. */
enum look_attributes {
	LOOK_BOLD = 1,
	LOOK_DIM = 2,
	LOOK_UNDERLINE = 4,
	LOOK_REVERSE = 8,
};

#define LOOK_DEFAULT (-1)

/* How a style looks. LOOK_DEFAULT is the terminal's own colour. */
struct look {
	/* colours of the 256-colour palette */
	int16_t fg, bg;
	int8_t fg16, bg16;  /* colours 0..7, if terminal or theme have fewer than 256 */
	uint8_t attributes; /* enum look_attributes if colours are drawn */
	uint8_t mono;       /* enum look_attributes without colours */
};

extern const char *const style_names[NR_STYLES];
extern const struct word theme_words[NR_THEMES];
extern const struct word colour_words[NR_COLOURS];
/* by enum theme: the theme is for a light background */
extern const bool theme_is_light[NR_THEMES];
/* by enum theme: maximum number of colours: 256, 16 or 0 */
extern const int theme_colours[NR_THEMES];

/* Return a colour (0..255) of xterm's palette as 0xrrggbb. */
uint32_t palette_rgb(int colour);

/* Resolve THEME_AUTO; other themes are returned unchanged. */
enum theme theme_for(enum theme theme, bool is_light);

const struct look *style_look(enum theme theme, enum style style);

#endif
