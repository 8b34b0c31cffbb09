/* SPDX-License-Identifier: MIT */
/* next_shape() makes untrusted bytes of drawn text printable. */
#include "config.h"

#include "views/draw/surface.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "monitor/base/die.h"
#include "monitor/base/visible.h"
#include "monitor/base/secrets.h"
#include "views/draw/width.h"

static const struct {
	const char *utf8;
	char ascii;
} glyphs[NR_GLYPHS] = {
#define GLYPH(ID, utf8, ascii) { utf8, ascii },
#include "views/draw/glyphs.def"
};

/* How the next character of a text is displayed: `nr` code points of one cell each (0: in ASCII, a
 * combining mark), or one code point of 0 to 2 cells. */
struct shape {
	uint32_t ch[16];
	int nr;    /* used elements of `ch` */
	int cells; /* cells of the character; 0: a combining mark */
};

static void spell(struct shape *shape, const char *text)
{
	for (shape->nr = 0; text[shape->nr]; shape->nr++)
		shape->ch[shape->nr] = (unsigned char)text[shape->nr];
	shape->cells = shape->nr;
}

static uint32_t ascii_for(uint32_t ch)
{
	for (int i = 0; i < NR_GLYPHS; i++) {
		uint32_t glyph;

		tr2_utf8_decode(glyphs[i].utf8, strlen(glyphs[i].utf8), &glyph);
		if (glyph == ch)
			return (unsigned char)glyphs[i].ascii;
	}
	return '?';
}

static size_t next_shape(const char *text, size_t len, bool ascii, struct shape *shape)
{
	unsigned char first = (unsigned char)*text;
	char visible[VISIBLE_BYTES];
	size_t visible_len, taken;
	uint32_t ch;

	if (first >= 0x20 && first < 0x7f) {
		*shape = (struct shape){ { first }, 1, 1 };
		return 1;
	}
	taken = visible_next(text, len, visible, &visible_len);
	if (visible_len != taken || memcmp(visible, text, taken)) {
		spell(shape, visible);
		return taken;
	}
	tr2_utf8_decode(text, len, &ch);
	int cells = char_cells(ch);

	if (ascii && cells == 1)
		*shape = (struct shape){ { ascii_for(ch) }, 1, 1 };
	else if (ascii)
		*shape = (struct shape){ { '?', '?' }, cells, cells };
	else
		*shape = (struct shape){ { ch }, 1, cells };
	return taken;
}

static struct cell *cell_at(const struct surface *surface, int x, int y)
{
	if (surface->is_ruler || x < 0 || y < 0 || x >= surface->cols || y >= surface->rows)
		return NULL;
	return &surface->cells[(size_t)y * (size_t)surface->cols + (size_t)x];
}

static void blank_cell(struct cell *cell)
{
	*cell = (struct cell){ .ch = { ' ' }, .width = 1 };
}

/* Before half of a wide character is overwritten, replace the other half by a blank. */
static void part_wide(struct surface *surface, int x, int y)
{
	struct cell *cell = cell_at(surface, x, y);
	struct cell *other = NULL;

	if (cell && cell->width == 2)
		other = cell_at(surface, x + 1, y);
	else if (cell && cell->width == 0)
		other = cell_at(surface, x - 1, y);
	if (other) {
		other->ch[0] = ' ';
		other->ch[1] = other->ch[2] = 0;
		other->width = 1;
	}
}

static void surface_put(struct surface *surface, int x, int y, enum style style, uint32_t ch,
			int width)
{
	struct cell *cell = cell_at(surface, x, y);

	if (surface->is_ruler && ch != ' ' && x + width > surface->reach)
		surface->reach = x + width;
	if (!cell)
		return;
	if (width == 2 && x + 1 >= surface->cols) {
		ch = ' ';
		width = 1;
	}
	part_wide(surface, x, y);
	if (width == 2)
		part_wide(surface, x + 1, y);
	*cell = (struct cell){ { ch }, (uint8_t)style, cell->over, (uint8_t)width };
	if (width == 2)
		cell[1] = (struct cell){ { 0 }, (uint8_t)style, cell->over, 0 };
}

static void combine(struct surface *surface, int x, int y, uint32_t ch)
{
	struct cell *cell = cell_at(surface, x, y);

	if (cell && cell->width == 0)
		cell = cell_at(surface, x - 1, y);
	if (!cell)
		return;
	for (int i = 1; i < CELL_MAX_CHARS; i++)
		if (!cell->ch[i]) {
			cell->ch[i] = ch;
			return;
		}
}

static int clamp(int v, int low, int high)
{
	return v < low ? low : v > high ? high : v;
}

struct surface *surface_new(int cols, int rows, bool ascii)
{
	struct surface *surface = xcalloc(1, sizeof(*surface));

	surface->ascii = ascii;
	surface_resize(surface, cols, rows);
	return surface;
}

void surface_free(struct surface *surface)
{
	if (surface)
		free(surface->cells);
	free(surface);
}

void surface_resize(struct surface *surface, int cols, int rows)
{
	surface->cols = clamp(cols, 1, SURFACE_MAX_COLS);
	surface->rows = clamp(rows, 1, SURFACE_MAX_ROWS);
	surface->cells =
		xreallocarray(surface->cells, (size_t)surface->cols * (size_t)surface->rows,
			      sizeof(*surface->cells));
	surface_clear(surface);
}

void surface_clear(struct surface *surface)
{
	surface_blank(surface, (struct rect){ 0, 0, surface->cols, surface->rows });
	surface->cursor_x = surface->cursor_y = 0;
}

void surface_copy(struct surface *to, const struct surface *from)
{
	if (to->cols != from->cols || to->rows != from->rows)
		surface_resize(to, from->cols, from->rows);
	to->ascii = from->ascii;
	to->cursor_x = from->cursor_x;
	to->cursor_y = from->cursor_y;
	memcpy(to->cells, from->cells,
	       (size_t)from->cols * (size_t)from->rows * sizeof(*from->cells));
}

/* Return the text with passwords hidden (secrets.h): `text` itself, or the content of `copy`. Sets
 * `*len`, in which SIZE_MAX means up to the NUL. */
static const char *surface_shown_text(struct tr2_buf *copy, const char *text, size_t *len)
{
	if (*len == SIZE_MAX)
		*len = strlen(text);
	return secrets_hide(copy, text, len);
}

static int shown_cells(const char *text, size_t len, bool ascii)
{
	struct shape shape;
	int cells = 0;

	while (len && cells < 1 << 20) {
		size_t taken = next_shape(text, len, ascii, &shape);

		cells += shape.cells;
		text += taken;
		len -= taken;
	}
	return cells;
}

int surface_text_cells(const char *text, size_t len, bool ascii)
{
	struct tr2_buf copy = SECRETS_COPY;
	int cells;

	text = surface_shown_text(&copy, text, &len);
	cells = shown_cells(text, len, ascii);
	tr2_buf_release(&copy);
	return cells;
}

static bool rest_fits(const char *text, size_t len, int left, bool ascii)
{
	struct shape shape;

	while (len) {
		size_t taken = next_shape(text, len, ascii, &shape);

		left -= shape.cells;
		if (left < 0)
			return false;
		text += taken;
		len -= taken;
	}
	return true;
}

static int put_shape(struct surface *surface, int x, int y, enum style style,
		     const struct shape *shape)
{
	if (!shape->cells) {
		if (shape->nr)
			combine(surface, x - 1, y, shape->ch[0]);
	} else if (shape->nr == 1) {
		surface_put(surface, x, y, style, shape->ch[0], shape->cells);
	} else {
		for (int i = 0; i < shape->nr; i++)
			surface_put(surface, x + i, y, style, shape->ch[i], 1);
	}
	return shape->cells;
}

static int draw_shown(struct surface *surface, int x, int y, int max_cells, enum style style,
		      const char *text, size_t len)
{
	struct shape shape;
	int used = 0;

	while (len) {
		size_t taken = next_shape(text, len, surface->ascii, &shape);

		/* Keep the last cell for the glyph that marks a cut text, unless the rest fits. */
		if (used + shape.cells >= max_cells && shape.cells &&
		    !rest_fits(text, len, max_cells - used, surface->ascii)) {
			used = used < max_cells ? used : max_cells - 1;
			surface_glyph(surface, x + used, y, style, GLYPH_MORE);
			return used + 1;
		}
		/* a combining mark at the beginning combines with a blank */
		if (!shape.cells && !used)
			used += put_shape(surface, x, y, style, &(struct shape){ { ' ' }, 1, 1 });
		used += put_shape(surface, x + used, y, style, &shape);
		text += taken;
		len -= taken;
	}
	return used;
}

int surface_text(struct surface *surface, int x, int y, int max_cells, enum style style,
		 const char *text, size_t len)
{
	struct tr2_buf copy = SECRETS_COPY;
	int used;

	if (max_cells <= 0)
		return 0;
	text = surface_shown_text(&copy, text, &len);
	used = draw_shown(surface, x, y, max_cells, style, text, len);
	tr2_buf_release(&copy);
	return used;
}

int surface_text_right(struct surface *surface, int x, int y, int max_cells, enum style style,
		       const char *text, size_t len)
{
	int cells = surface_text_cells(text, len, surface->ascii);

	if (cells < max_cells) {
		x += max_cells - cells;
		max_cells = cells;
	}
	return surface_text(surface, x, y, max_cells, style, text, len);
}

/* Return how many bytes of the text's beginning fit into `cells` cells. `*taken_cells`: cells of
 * these bytes. */
static size_t head_bytes(const char *text, size_t len, int cells, bool ascii, int *taken_cells)
{
	struct shape shape;
	size_t at = 0;

	*taken_cells = 0;
	while (at < len) {
		size_t taken = next_shape(text + at, len - at, ascii, &shape);

		if (*taken_cells + shape.cells > cells)
			break;
		*taken_cells += shape.cells;
		at += taken;
	}
	return at;
}

/* Return where the longest end of a text begins that takes at most `cells` cells and does not start
 * with a combining mark. `all`: cells of the text. */
static size_t tail_begin(const char *text, size_t len, int all, int cells, bool ascii)
{
	struct shape shape;
	size_t at = 0;

	while (at < len) {
		size_t taken = next_shape(text + at, len - at, ascii, &shape);

		if (all <= cells && shape.cells)
			break;
		all -= shape.cells;
		at += taken;
	}
	return at;
}

/* Draw a text that is wider than `max_cells`, without its middle. `cells`: cells of the whole
 * text. */
static int draw_ends(struct surface *surface, int x, int y, int max_cells, enum style style,
		     const char *text, size_t len, int head, int cells)
{
	size_t begin, end;
	int used;

	head = head < max_cells - 1 ? head : max_cells - 1;
	begin = head_bytes(text, len, head, surface->ascii, &used);
	end = tail_begin(text, len, cells, max_cells - 1 - head, surface->ascii);
	surface_text(surface, x, y, used, style, text, begin);
	surface_glyph(surface, x + used, y, style, GLYPH_MORE);
	used++;
	return used +
	       surface_text(surface, x + used, y, max_cells - used, style, text + end, len - end);
}

int surface_text_ends(struct surface *surface, int x, int y, int max_cells, enum style style,
		      const char *text, size_t len, int head)
{
	struct tr2_buf copy = SECRETS_COPY;
	int cells, used;

	text = surface_shown_text(&copy, text, &len);
	cells = shown_cells(text, len, surface->ascii);
	used = max_cells <= 0 || cells <= max_cells
		       ? surface_text(surface, x, y, max_cells, style, text, len)
		       : draw_ends(surface, x, y, max_cells, style, text, len, head, cells);
	tr2_buf_release(&copy);
	return used;
}

int surface_printf(struct surface *surface, int x, int y, int max_cells, enum style style,
		   const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return surface_text(surface, x, y, max_cells, style, text, SIZE_MAX);
}

void surface_glyph(struct surface *surface, int x, int y, enum style style, enum glyph glyph)
{
	uint32_t ch;

	if (surface->said && glyph != GLYPH_MORE)
		return;
	if (surface->ascii)
		ch = (unsigned char)glyphs[glyph].ascii;
	else
		tr2_utf8_decode(glyphs[glyph].utf8, strlen(glyphs[glyph].utf8), &ch);
	surface_put(surface, x, y, style, ch, 1);
}

void surface_glyphs(struct surface *surface, int x, int y, int nr, enum style style,
		    enum glyph glyph)
{
	for (int i = 0; i < nr; i++)
		surface_glyph(surface, x + i, y, style, glyph);
}

void surface_bar(struct surface *surface, int x, int y, int max_cells, enum style style,
		 int64_t eighths)
{
	for (int i = 0; i < max_cells && eighths > 0 && !surface->is_ruler; i++, eighths -= 8) {
		int step = eighths > 8 ? 8 : (int)eighths;

		surface_glyph(surface, x + i, y, style, GLYPH_BAR_1 + (step - 1));
	}
}

void surface_spark(struct surface *surface, int x, int y, enum style style, const uint64_t *values,
		   int nr_values)
{
	uint64_t max = 0;

	for (int i = 0; i < nr_values; i++)
		max = values[i] > max ? values[i] : max;
	for (int i = 0; i < nr_values; i++) {
		int step = max ? (int)((double)values[i] / (double)max * 7.0 + 0.5) : 0;

		if (values[i])
			surface_glyph(surface, x + i, y, style, GLYPH_SPARK_1 + step);
	}
}

void surface_restyle(struct surface *surface, struct rect area, enum style style)
{
	for (int y = area.y; y < area.y + area.rows; y++)
		for (int x = area.x; x < area.x + area.cols; x++) {
			struct cell *cell = cell_at(surface, x, y);

			if (cell)
				cell->style = (uint8_t)style;
		}
}

void surface_put_cursor(struct surface *surface, int x, int y)
{
	surface->cursor_x = clamp(x, 0, surface->cols - 1);
	surface->cursor_y = clamp(y, 0, surface->rows - 1);
}

void surface_overlay(struct surface *surface, struct rect area, enum style over)
{
	for (int y = area.y; y < area.y + area.rows; y++)
		for (int x = area.x; x < area.x + area.cols; x++) {
			struct cell *cell = cell_at(surface, x, y);

			if (cell)
				cell->over = (uint8_t)over;
		}
}

void surface_blank(struct surface *surface, struct rect area)
{
	for (int y = area.y; y < area.y + area.rows; y++)
		for (int x = area.x; x < area.x + area.cols; x++) {
			struct cell *cell = cell_at(surface, x, y);

			if (cell)
				blank_cell(cell);
		}
}

void surface_frame(struct surface *surface, struct rect area, enum style style)
{
	int right = area.x + area.cols - 1, bottom = area.y + area.rows - 1;

	surface_glyphs(surface, area.x, area.y, area.cols, style, GLYPH_HLINE);
	surface_glyphs(surface, area.x, bottom, area.cols, style, GLYPH_HLINE);
	for (int y = area.y; y <= bottom; y++) {
		surface_glyph(surface, area.x, y, style, GLYPH_VLINE);
		surface_glyph(surface, right, y, style, GLYPH_VLINE);
	}
	surface_glyph(surface, area.x, area.y, style, GLYPH_TOP_LEFT);
	surface_glyph(surface, right, area.y, style, GLYPH_TOP_RIGHT);
	surface_glyph(surface, area.x, bottom, style, GLYPH_BOTTOM_LEFT);
	surface_glyph(surface, right, bottom, style, GLYPH_BOTTOM_RIGHT);
}

void surface_row_text(const struct surface *surface, int y, struct tr2_buf *out)
{
	const struct cell *row = cell_at(surface, 0, y);
	int end = surface->cols;

	if (!row)
		return;
	while (end && row[end - 1].ch[0] == ' ' && !row[end - 1].ch[1])
		end--;
	for (int x = 0; x < end; x++)
		for (int i = 0; i < CELL_MAX_CHARS && row[x].ch[i]; i++) {
			char bytes[4];

			tr2_buf_add(out, bytes, tr2_utf8_encode(row[x].ch[i], bytes));
		}
}

void surface_dump(const struct surface *surface, struct tr2_buf *out)
{
	for (int y = 0; y < surface->rows; y++) {
		surface_row_text(surface, y, out);
		tr2_buf_addch(out, '\n');
	}
}

static void dump_row_styles(const struct surface *surface, int y, struct tr2_buf *out)
{
	const struct cell *row = cell_at(surface, 0, y);
	bool any = false;

	for (int x = 0, end; x < surface->cols; x = end) {
		for (end = x + 1; end < surface->cols && row[end].style == row[x].style &&
				  row[end].over == row[x].over;
		     end++)
			;
		if (row[x].style == STYLE_TEXT && row[x].over == STYLE_TEXT)
			continue;
		if (!any)
			tr2_buf_addf(out, "%d:", y);
		any = true;
		tr2_buf_addf(out, " %d-%d %s", x, end - 1, style_names[row[x].style]);
		if (row[x].over != STYLE_TEXT)
			tr2_buf_addf(out, "+%s", style_names[row[x].over]);
	}
	if (any)
		tr2_buf_addch(out, '\n');
}

void surface_dump_styles(const struct surface *surface, struct tr2_buf *out)
{
	surface_dump(surface, out);
	for (int y = 0; y < surface->rows; y++)
		dump_row_styles(surface, y, out);
}

int surface_diff(const struct surface *a, const struct surface *b)
{
	size_t nr = (size_t)a->cols * (size_t)a->rows;
	int differ = 0;

	if (a->cols != b->cols || a->rows != b->rows)
		return (int)nr;
	for (size_t i = 0; i < nr; i++)
		differ += memcmp(&a->cells[i], &b->cells[i], sizeof(*a->cells)) != 0;
	return differ;
}
