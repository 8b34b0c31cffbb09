/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/draw/svg.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "monitor/base/die.h"
#include "monitor/base/grow.h"

#define CELL_W   8
#define CELL_H   17
#define BASELINE 13 /* y coordinate of the baseline in a cell */
#define MARGIN   10
/* The font size at which a character is 8 units wide in DejaVu Sans Mono, whose advance is 0.602
 * em. */
#define FONT_SIZE "13.29"
#define FONT      "DejaVu Sans Mono,Menlo,Consolas,monospace"

/* Colours and attributes; adjacent cells with equal ones are drawn together. */
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

enum { UP = 1, RIGHT = 2, DOWN = 4, LEFT = 8 };

/* Return the arms of a line-drawing character; 0 for characters that are not in the table. */
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
	/* The coordinate across a line ends in .5, so that the line covers whole pixels. */
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

/* Draw a block character: eighths of a cell from the left (U+2589..U+258F) or from the bottom
 * (U+2581..U+2588). Returns false for other characters. */
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

#define NO_BREAK_SPACE 0xa0

/* Draw the cells from `from` to before `end` as one text, stretched to their width. Blanks of
 * underlined text are no-break spaces, because viewers may collapse others. */
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
			add_char(svg, row[x].ch[i] == ' ' && ink.attributes & LOOK_UNDERLINE
					      ? NO_BREAK_SPACE
					      : row[x].ch[i]);
	tr2_buf_addstr(svg->out, "</text>");
}

/* Draw adjacent cells of one ink: the background, then shapes and texts from left to right. */
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
		/* Underlined text keeps its blanks. Otherwise two blanks end a text, so that the
		 * following text is aligned with any font. */
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

static struct svg svg_of(const struct surface *surface, enum theme theme, struct tr2_buf *out)
{
	struct svg svg = { surface, theme, 0xd4d4d4, 0x1e1e1e, out };

	if (theme_is_light[theme]) {
		svg.fg = 0x1e1e1e;
		svg.bg = 0xffffff;
	}
	return svg;
}

static void svg_begin(const struct svg *svg)
{
	int width = svg->surface->cols * CELL_W + 2 * MARGIN;
	int height = svg->surface->rows * CELL_H + 2 * MARGIN;

	tr2_buf_addf(svg->out,
		     "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		     "viewBox=\"0 0 %d %d\" font-family=\"" FONT "\" font-size=\"" FONT_SIZE "\" "
		     "xml:space=\"preserve\">\n"
		     "<title>trace2top</title>\n"
		     "<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"#%06x\"/>\n",
		     width, height, width, height, svg->bg);
}

void surface_svg(const struct surface *surface, enum theme theme, struct tr2_buf *out)
{
	struct svg svg = svg_of(surface, theme, out);

	svg_begin(&svg);
	for (int y = 0; y < surface->rows; y++)
		svg_draw_row(&svg, surface->cells + (size_t)y * (size_t)surface->cols,
			     MARGIN + y * CELL_H);
	tr2_buf_addstr(out, "</svg>\n");
}

/* ---- animations ---- */

struct svg_film {
	enum theme theme;
	struct film_frame {
		struct surface *surface;
		/* start of the frame, in seconds since the beginning of the animation */
		double from;
	} * frames;
	int nr, cap;
	double seconds; /* duration of all frames */
};

struct svg_film *svg_film_new(enum theme theme)
{
	struct svg_film *film = xcalloc(1, sizeof(*film));

	film->theme = theme;
	return film;
}

void svg_film_free(struct svg_film *film)
{
	if (!film)
		return;
	for (int i = 0; i < film->nr; i++)
		surface_free(film->frames[i].surface);
	free(film->frames);
	free(film);
}

bool svg_film_add(struct svg_film *film, const struct surface *surface, double seconds)
{
	struct surface *copy;

	if (film->nr && (film->frames[0].surface->cols != surface->cols ||
			 film->frames[0].surface->rows != surface->rows))
		return false;
	copy = surface_new(surface->cols, surface->rows, surface->ascii);
	surface_copy(copy, surface);
	GROW(film->frames, film->nr, film->cap, 16);
	film->frames[film->nr++] = (struct film_frame){ copy, film->seconds };
	film->seconds += seconds;
	return true;
}

int svg_film_frames(const struct svg_film *film)
{
	return film->nr;
}

static const struct cell *film_row(const struct svg_film *film, int frame, int y)
{
	const struct surface *surface = film->frames[frame].surface;

	return surface->cells + (size_t)y * (size_t)surface->cols;
}

/* Return the first frame after `frame` in which the row differs; the number of frames if none. */
static int film_until(const struct svg_film *film, int frame, int y)
{
	size_t bytes = (size_t)film->frames[0].surface->cols * sizeof(struct cell);
	int end = frame + 1;

	while (end < film->nr && !memcmp(film_row(film, frame, y), film_row(film, end, y), bytes))
		end++;
	return end;
}

static double film_percent(const struct svg_film *film, int frame)
{
	return frame < film->nr ? film->frames[frame].from / film->seconds * 100 : 100;
}

/* Write the CSS that shows a row from frame `from` until before frame `end`. */
static void film_rule(const struct svg_film *film, int from, int end, struct tr2_buf *out)
{
	tr2_buf_addf(out, "@keyframes k%d-%d{", from, end);
	if (from)
		tr2_buf_addf(out, "0%%{visibility:hidden}%.3f%%{visibility:visible}",
			     film_percent(film, from));
	else
		tr2_buf_addstr(out, "0%{visibility:visible}");
	if (end < film->nr)
		tr2_buf_addf(out, "%.3f%%,100%%{visibility:hidden}", film_percent(film, end));
	tr2_buf_addf(out, "}.k%d-%d{animation:k%d-%d %.3fs step-end infinite%s}\n", from, end, from,
		     end, film->seconds, from ? ";visibility:hidden" : "");
}

static void film_rules(const struct svg_film *film, struct tr2_buf *out)
{
	int rows = film->frames[0].surface->rows;
	bool *needed = xcalloc((size_t)film->nr * (size_t)(film->nr + 1), sizeof(*needed));

	for (int y = 0; y < rows; y++)
		for (int from = 0, end; from < film->nr; from = end) {
			end = film_until(film, from, y);
			needed[from * (film->nr + 1) + end] = from || end < film->nr;
		}
	tr2_buf_addstr(out, "<style>\n");
	for (int from = 0; from < film->nr; from++)
		for (int end = from + 1; end <= film->nr; end++)
			if (needed[from * (film->nr + 1) + end])
				film_rule(film, from, end, out);
	tr2_buf_addstr(out, "@media (prefers-reduced-motion:reduce){g{animation:none!important}}\n"
			    "</style>\n");
	free(needed);
}

void svg_film_write(const struct svg_film *film, struct tr2_buf *out)
{
	struct svg svg;

	if (!film->nr)
		return;
	svg = svg_of(film->frames[0].surface, film->theme, out);
	svg_begin(&svg);
	film_rules(film, out);
	for (int y = 0; y < svg.surface->rows; y++)
		for (int from = 0, end; from < film->nr; from = end) {
			bool always;

			end = film_until(film, from, y);
			always = !from && end == film->nr;
			if (!always)
				tr2_buf_addf(out, "<g class=\"k%d-%d\">", from, end);
			svg_draw_row(&svg, film_row(film, from, y), MARGIN + y * CELL_H);
			if (!always)
				tr2_buf_addstr(out, "</g>\n");
		}
	tr2_buf_addstr(out, "</svg>\n");
}
