/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/draw/svg.h"

#include <string.h>

#include "engine/base/utf8.h"

#define CELL_W   8
#define CELL_H   17
#define BASELINE 13 /* y of the text's baseline, below the top of its cell */
#define MARGIN   10
/* The font size at which a character is 8 units wide: most of these fonts have an advance of
 * 0.602 em. */
#define FONT_SIZE "13.29"
#define FONT      "DejaVu Sans Mono,Menlo,Consolas,monospace"

/* Colours and attributes of a cell; adjacent cells with equal ones are drawn at once. */
struct ink {
	uint32_t fg, bg; /* 0xrrggbb */
	uint8_t attributes;
};

struct svg {
	const struct surface *surface;
	enum theme theme;
	uint32_t fg, bg; /* default colours of the picture */
	struct tr2_buf *out;
};

static struct ink ink_of(const struct svg *svg, const struct cell *cell)
{
	const struct look *look = style_look(svg->theme, cell->style);
	const struct look *over = style_look(svg->theme, cell->over);
	bool has_colour = theme_colours[svg->theme] > 0, is_over = cell->over != STYLE_TEXT;
	int fg = is_over && over->fg != LOOK_DEFAULT ? over->fg : look->fg;
	int bg = is_over && over->bg != LOOK_DEFAULT ? over->bg : look->bg;
	struct ink ink = { svg->fg, svg->bg, look->mono | over->mono };

	if (has_colour) {
		ink.attributes = look->attributes | over->attributes;
		ink.fg = fg == LOOK_DEFAULT ? svg->fg : palette_rgb(fg);
		ink.bg = bg == LOOK_DEFAULT ? svg->bg : palette_rgb(bg);
	}
	if (ink.attributes & LOOK_REVERSE) {
		uint32_t swapped = ink.fg;

		ink.fg = ink.bg;
		ink.bg = swapped;
	}
	return ink;
}

static bool same_ink(struct ink a, struct ink b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attributes == b.attributes;
}

/* ---- characters that are drawn as shapes: lines and blocks ---- */

enum { UP = 1, RIGHT = 2, DOWN = 4, LEFT = 8 };

/* Return the arms (up, down, left, right) of a line-drawing character; 0 for others. */
static unsigned arms_of(uint32_t ch)
{
	static const struct {
		uint16_t ch;
		uint8_t arms;
	} lines[] = {
		{ 0x2500, LEFT | RIGHT },
		{ 0x2502, UP | DOWN },
		{ 0x250c, RIGHT | DOWN },
		{ 0x2510, LEFT | DOWN },
		{ 0x2514, UP | RIGHT },
		{ 0x2518, UP | LEFT },
		{ 0x251c, UP | DOWN | RIGHT },
		{ 0x2524, UP | DOWN | LEFT },
		{ 0x252c, LEFT | RIGHT | DOWN },
		{ 0x2534, LEFT | RIGHT | UP },
		{ 0x253c, UP | DOWN | LEFT | RIGHT },
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (lines[i].ch == ch)
			return lines[i].arms;
	return 0;
}

static void draw_line(struct svg *svg, int x, int y, unsigned arms, uint32_t fg)
{
	/* Coordinates are halves, which aligns a line of one unit with pixels. */
	tr2_buf_addf(svg->out, "<path stroke=\"#%06x\" d=\"", fg);
	if (arms & (LEFT | RIGHT))
		tr2_buf_addf(svg->out, "M%d %d.5H%d", arms & LEFT ? x : x + CELL_W / 2,
			     y + CELL_H / 2, arms & RIGHT ? x + CELL_W : x + CELL_W / 2 + 1);
	if (arms & (UP | DOWN))
		tr2_buf_addf(svg->out, "M%d.5 %dV%d", x + CELL_W / 2,
			     arms & UP ? y : y + CELL_H / 2,
			     arms & DOWN ? y + CELL_H : y + CELL_H / 2 + 1);
	tr2_buf_addstr(svg->out, "\"/>");
}

/* Draw a block character: eighths of a cell from the left (U+2589..U+258F), or from below
 * (U+2581..U+2588). */
static bool draw_block(struct svg *svg, int x, int y, uint32_t ch, uint32_t fg)
{
	int eighths = (int)(ch - 0x2580);

	if (ch < 0x2581 || ch > 0x258f)
		return false;
	if (eighths <= 8)
		tr2_buf_addf(
			svg->out,
			"<rect x=\"%d\" y=\"%.3f\" width=\"%d\" height=\"%.3f\" fill=\"#%06x\"/>",
			x, y + CELL_H * (8 - eighths) / 8.0, CELL_W, CELL_H * eighths / 8.0, fg);
	else
		tr2_buf_addf(svg->out,
			     "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>",
			     x, y, 16 - eighths, CELL_H, fg);
	return true;
}

/* ---- text ---- */

static bool is_shape(uint32_t ch)
{
	return arms_of(ch) || (ch >= 0x2581 && ch <= 0x258f);
}

static bool svg_is_blank(const struct cell *cell)
{
	return cell->ch[0] == ' ' && !cell->ch[1];
}

static void add_char(struct svg *svg, uint32_t ch)
{
	char bytes[4];

	if (ch == '&')
		tr2_buf_addstr(svg->out, "&amp;");
	else if (ch == '<')
		tr2_buf_addstr(svg->out, "&lt;");
	else if (ch == '>')
		tr2_buf_addstr(svg->out, "&gt;");
	else
		tr2_buf_add(svg->out, bytes, tr2_utf8_encode(ch, bytes));
}

/* Draw the cells from..end as one text, stretched to their width whatever the font is. */
static void draw_text(struct svg *svg, const struct cell *row, int from, int end, int y,
		      struct ink ink)
{
	tr2_buf_addf(svg->out, "<text x=\"%d\" y=\"%d\" textLength=\"%d\" fill=\"#%06x\"",
		     MARGIN + from * CELL_W, y + BASELINE, (end - from) * CELL_W, ink.fg);
	if (ink.attributes & LOOK_BOLD)
		tr2_buf_addstr(svg->out, " font-weight=\"bold\"");
	if (ink.attributes & LOOK_UNDERLINE)
		tr2_buf_addstr(svg->out, " text-decoration=\"underline\"");
	if (ink.attributes & LOOK_DIM)
		tr2_buf_addstr(svg->out, " fill-opacity=\"0.6\"");
	tr2_buf_addch(svg->out, '>');
	for (int x = from; x < end; x++)
		for (int i = 0; i < CELL_MAX_CHARS && row[x].ch[i]; i++)
			add_char(svg, row[x].ch[i]);
	tr2_buf_addstr(svg->out, "</text>");
}

/* Draw adjacent cells with equal look: background, shapes, then each stretch of text. */
static void draw_run(struct svg *svg, const struct cell *row, int from, int end, int y,
		     struct ink ink)
{
	if (ink.bg != svg->bg)
		tr2_buf_addf(svg->out,
			     "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"#%06x\"/>",
			     MARGIN + from * CELL_W, y, (end - from) * CELL_W, CELL_H, ink.bg);
	for (int x = from; x < end;) {
		uint32_t ch = row[x].ch[0];
		int to = x, last = x;

		if (is_shape(ch)) {
			if (!draw_block(svg, MARGIN + x * CELL_W, y, ch, ink.fg))
				draw_line(svg, MARGIN + x * CELL_W, y, arms_of(ch), ink.fg);
			x++;
			continue;
		}
		/* Underlines extend below blanks. Two blanks end a text, so that later text is
		 * aligned whatever the font is. */
		for (; to < end && !is_shape(row[to].ch[0]) && to - last < 2; to++)
			if (!svg_is_blank(&row[to]) || ink.attributes & LOOK_UNDERLINE)
				last = to + 1;
		while (x < last && svg_is_blank(&row[x]) && !(ink.attributes & LOOK_UNDERLINE))
			x++;
		if (x < last)
			draw_text(svg, row, x, last, y, ink);
		x = to;
	}
}

static void svg_draw_row(struct svg *svg, const struct cell *row, int y)
{
	int cols = svg->surface->cols, end;

	for (int x = 0; x < cols; x = end) {
		struct ink ink = ink_of(svg, &row[x]);

		for (end = x + 1; end < cols; end++)
			if (row[end].width && !same_ink(ink_of(svg, &row[end]), ink))
				break;
		draw_run(svg, row, x, end, y, ink);
	}
	tr2_buf_addch(svg->out, '\n');
}

void surface_svg(const struct surface *surface, enum theme theme, struct tr2_buf *out)
{
	struct svg svg = { surface, theme, 0xd4d4d4, 0x1e1e1e, out };
	int width = surface->cols * CELL_W + 2 * MARGIN;
	int height = surface->rows * CELL_H + 2 * MARGIN;

	if (theme_is_light[theme]) {
		svg.fg = 0x1e1e1e;
		svg.bg = 0xffffff;
	}
	tr2_buf_addf(out,
		     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		     "viewBox=\"0 0 %d %d\" font-family=\"" FONT "\" font-size=\"" FONT_SIZE "\" "
		     "xml:space=\"preserve\">\n"
		     "<title>trace2top</title>\n"
		     "<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"#%06x\"/>\n",
		     width, height, width, height, svg.bg);
	for (int y = 0; y < surface->rows; y++)
		svg_draw_row(&svg, surface->cells + (size_t)y * (size_t)surface->cols,
			     MARGIN + y * CELL_H);
	tr2_buf_addstr(out, "</svg>\n");
}
