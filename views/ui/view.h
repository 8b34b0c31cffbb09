/* SPDX-License-Identifier: MIT */
/*
 * A view: a pane or a page. It is data: columns, each of which defines its cells, and a function
 * that gathers rows from the model in their natural order. The table (table.h) does the rest.
 * gather never draws; draw never computes anything that gather could have stored in the row. To add
 * a view, write one file that ends in its `struct view_ops`, one row in keys.def and one line in
 * local.mk.
 */
#ifndef VIEWS_VIEW_H
#define VIEWS_VIEW_H

#include "engine/base/hash.h"
#include "monitor/analysis/analysis.h"
#include "monitor/analysis/findings_watch.h"
#include "monitor/analysis/live.h"
#include "monitor/analysis/say.h"
#include "monitor/analysis/verdicts.h"
#include "monitor/analysis/usual.h"
#include "monitor/base/word.h"
#include "views/widget/table.h"
#include "views/ui/ui.h"

/* Panes first, in the order of their numbers on the screen, which start at 1. */
enum view_id {
#define PANE(ID, ops, word, side, keys, doc) VIEW_##ID,
#include "views/widget/keys.def"
	NR_PANES,
	VIEW_LAST_PANE = NR_PANES - 1,
#define PAGE(ID, ops, word, about, keys, short_name, group, doc) VIEW_##ID,
#define SUBPAGE(ID, ops)                                         VIEW_##ID,
#include "views/widget/keys.def"
	NR_VIEWS
};

/* The subject on which a page's key opens it: see keys.def. */
enum view_about { ABOUT_NOTHING, ABOUT_SELECTED, ABOUT_EVENTS };

/* The side of a pane if several are shown. */
enum view_side { SIDE_NONE, SIDE_LEFT, SIDE_RIGHT };

/* The row of a view in keys.def; key_rows has its key, view_words its word. */
struct view_row {
	uint8_t side;  /* enum view_side */
	uint8_t about; /* enum view_about */
};

/* The subject of a view. Panes follow the selected process; a page keeps the subject it was
 * opened on. */
struct subject {
	struct handle process; /* HANDLE_NONE if none or evicted */
	sym_t category, label; /* region page */
	uint64_t group;        /* command page: id of its row, and its grouping */
	uint8_t group_by;      /* enum commands_by */
	uint64_t event;        /* event log: number of the first event + 1; 0 for the end */
	uint64_t record;       /* record page and event log: key of a record (event_log.h) + 1 */
};

/* An open view. Its table and private state persist between frames. */
struct view {
	enum view_id id;
	const struct view_ops *ops;
	struct table table;
	struct subject subject;
	/* Active filter of its rows; NULL if none, or if the filter of processes applies. */
	struct filter *filter;
	void *private; /* ops->private_bytes, zeroed */
	bool ticks;    /* set while drawing: a live duration is visible */
	bool working;  /* set while gathering and drawing: needs more frames to continue */
};

/* Everything a view may use. Valid for one frame or key. */
struct view_ctx {
	struct view *view;
	const struct ui_input *in;
	const struct model *model;
	const struct process *process; /* the subject's process; NULL if none or evicted */
	struct handle selected; /* selected in the process pane, independent of the subject */
	/* `model`, the subject, filter and limits of processes, and now (fixed while paused). */
	struct analysis what;
	const struct findings_watch *found; /* findings of all roots */
	bool process_scope;                 /* a scoped pane shows the subject only */
	struct setup *setup;                /* rw: the user's settings */
	unsigned asked;                     /* rw by act and mouse: additional enum ui_reaction */
	int64_t height;                     /* rows of its area */
	int width;                          /* width of its area in cells; 0 if unknown */
	enum view_id below;                 /* for a page: the view below it */
	bool said;                          /* its rows are printed as text, not drawn */
};

/*
 * The items of a view for search (find.h), if these are not the rows of its table. Items are
 * numbers in [first, end). All functions are called within a frame, after gather.
 */
struct item_ops {
	uint64_t (*first)(const struct view_ctx *ctx);
	uint64_t (*end)(const struct view_ctx *ctx);
	/* The selected item; `end` or more if none. */
	uint64_t (*at)(const struct view_ctx *ctx);
	/* A number that changes if items change, but not if items are appended. */
	uint64_t (*version)(const struct view_ctx *ctx);
	/* The item after `item`. NULL if that is always item + 1. */
	uint64_t (*next)(const struct view_ctx *ctx, uint64_t item);
	/* Append the item's text. Returns false if it cannot be selected. */
	bool (*text)(const struct view_ctx *ctx, uint64_t item, struct tr2_buf *out);
	/* Select the item, and stop following. */
	void (*choose)(const struct view_ctx *ctx, uint64_t item);
	/* The item on line `line` below table.body_y, as last drawn; UINT64_MAX if none. NULL if
	 * items are not lines. */
	uint64_t (*on_line)(const struct view_ctx *ctx, int line);
	uint32_t nr_a_frame; /* maximum number of items to read per frame */
};

struct view_ops {
	const char *name;
	/* Returns a name that replaces `name`. May be NULL. */
	const char *(*named)(const struct view_ctx *ctx);
	const struct column *columns; /* no heading if columns[0].title is NULL */
	int nr_columns;
	bool arranged;   /* the user may arrange the columns: see setup.h */
	bool of_process; /* a pane whose rows are those of the selected process */
	bool scoped;     /* a pane that may be limited to the selected process: see process_scope */
	size_t private_bytes;
	/* Append to the frame's title, after `name`. May be NULL. */
	void (*title)(const struct view_ctx *ctx, struct tr2_buf *out);
	void (*gather)(struct view_ctx *ctx, struct table *table);
	/* Draw the cells of columns without their own draw. NULL if all have one. */
	void (*draw)(struct view_ctx *ctx, const struct row *row, int column,
		     const struct slot *slot);
	/* Lines below the table: their number if `rows` are free, and drawing. May be NULL. */
	int (*foot_rows)(const struct view_ctx *ctx, int rows);
	void (*foot)(struct view_ctx *ctx, struct surface *surface, struct rect area);
	/* Text shown if there are no rows; lines are separated by LF. May be NULL. */
	const char *(*empty)(const struct view_ctx *ctx);
	/* The page that Enter opens, with `subject` filled in, or NR_VIEWS. May be NULL. */
	enum view_id (*drill)(const struct view_ctx *ctx, const struct row *row,
			      struct subject *subject);
	/* Select the events of a row (NULL if none is selected): change `subject`, which is the
	 * view's, and append a filter for the log. Returns false if there are none. If NULL, a
	 * pane uses the subject of drill(), and a page its own subject. */
	bool (*events)(const struct view_ctx *ctx, const struct row *row, struct subject *subject,
		       struct tr2_buf *filter);
	/* Handle a key before the table and the ui. Returns true if handled. `key` is 0 for the
	 * mouse wheel. May be NULL. */
	bool (*act)(struct view_ctx *ctx, enum action action, uint32_t key);
	/* The same for mouse buttons. May be NULL. */
	bool (*mouse)(struct view_ctx *ctx, const struct key_event *event);
	/* The subjects of its filter (enum filter_rows). All views that filter processes share
	 * one filter, and gather() applies it; for other kinds, rows are removed after gather(). */
	uint8_t filter_rows;
	/* Visit the values of a field of a row, as filter_values (filter.h) does. May be NULL. */
	bool (*value)(const struct view_ctx *ctx, const struct row *row, enum filter_field field,
		      filter_visit *visit, void *data);
	/* Visit all values of a field, for a view that applies its filter itself because its
	 * items are not the rows of its table. */
	bool (*every_value)(const struct view_ctx *ctx, enum filter_field field,
			    filter_visit *visit, void *data);
	/* Append the text of a row, if it is not the text that draw() puts into the columns. May
	 * be NULL. */
	void (*text)(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out);
	/* The items to search. NULL for the rows of the table. */
	const struct item_ops *items;
	/* The view shows the journal, which must be in order of time. */
	bool is_story;
	/* Visit the event numbers that the view stores: see ui_places(). NULL if none. */
	void (*places)(const struct view_ctx *ctx, struct places *places, bool moved);
	/* Returns why its key cannot open it in this run, for the user, or NULL if it can. May be
	 * NULL. */
	const char *(*refuses)(const struct ui_config *config);
	/* Free the contents of the private state. May be NULL. */
	void (*release)(void *private);
};

extern const struct view_row view_rows[NR_VIEWS];

/* A key of one view (view_keys.def). */
struct view_key {
	uint8_t view; /* enum view_id */
	const char *keys;
	const char *short_name; /* NULL if not shown on the bottom line */
	const char *doc;
};

extern const struct view_key view_keys[];
extern const uint32_t nr_view_keys;

/* Words for --page and the configuration file; NULL for pages without a key. */
extern const struct word view_words[NR_VIEWS];

/* The pane or page that an action opens, or NR_VIEWS. */
enum view_id view_of_action(enum action action);

/* Draw a cell with its column's or its view's draw. */
void view_draw_cell(struct view_ctx *ctx, const struct row *row, int column,
		    const struct slot *slot);

/* Set each row's sort key to its value in the sort column, if the column has values. */
void view_sort_keys(const struct view_ctx *ctx, struct table *table);

/* Append the text of a row, on one line (row_text.c). Takes some microseconds. */
void view_row_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out);

/*
 * Append a row as a sentence, without control characters: its subject, then "heading value" of the
 * other columns, separated by commas. Omits values that are 0 or unknown. Each cell is cut at
 * SAID_CELLS.
 */
#define SAID_CELLS 480
void view_say_row(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out);

/* Append a row's text as drawn by draw(), for use in a view's text(). */
void view_drawn_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out);

/* Remove the rows that the view's filter does not match (row_filter.c). */
void view_filter_rows(struct view_ctx *ctx);

/* Visit every value of a field in the view, for a limited number of rows. `ctx` is a view_ctx. */
bool view_every_value(const void *ctx, enum filter_field field, filter_visit *visit,
		      void *visit_data);

/* ---- texts that several views share (say.c) ---- */

/* Durations as of now (live.h). If one is live, mark the view as ticking. */
ns_t view_process_time(const struct view_ctx *ctx, const struct process *process);
ns_t view_region_time(const struct view_ctx *ctx, const struct process *process,
		      const struct open_region *region);
ns_t view_child_time(const struct view_ctx *ctx, const struct process *process,
		     const struct child *child);

/* Results of comparisons and rules, at most one second old; NULL if there are none
 * (verdict_rows.c). */
const struct verdicts *view_verdicts(struct view_ctx *ctx);
/* Rule `number` in display order (failed rules first), or NULL after the last. Enter opens its
 * `worst` run. */
const struct rule *view_rule(const struct verdicts *verdicts, uint32_t number);
enum style view_rule_style(const struct rule *rule);
void view_rule_say(const struct rule *rule, struct tr2_buf *out);

/* Call log_place() (event_log.h) for the event or record that the view was opened on. */
void view_place_subject(const struct view_ctx *ctx, struct places *places, bool moved);

/* Id of a region's row that is the same in every model: made from the enclosing region's id and
 * the names. */
static inline uint64_t region_id(uint64_t around, sym_t category, sym_t label, int64_t nesting)
{
	return tr2_hash_pair(tr2_hash_pair(around, (uint64_t)category << 32 | label),
			     (uint64_t)nesting + 1);
}

/* Id of a node of a thread's tree. `around` is the id of the enclosing node, or the thread's
 * number for outermost nodes. */
static inline uint64_t node_id(const struct model *model, uint64_t around,
			       const struct region_node *node)
{
	const struct timing_cell *cell = model_cell(model, node->cell);

	return region_id(around, cell->category, cell->label, cell->nesting);
}

/* Sort key for a time: longest first, unknown last. */
static inline int64_t longest_first(ns_t ns)
{
	return ns == NS_NONE ? INT64_MAX : -ns;
}

/* Write the state into `buf`: "run", "exit 0", "FAIL 128", "SIG 9", "exec'd" or "lost". Returns
 * its style. */
enum style process_state_text(const struct process *process, char *buf, size_t bytes);
/* Append ", died in category/label" for the context's process if it died in a region. */
void say_death(const struct view_ctx *ctx, struct tr2_buf *out);

/* Style of a finished duration: slow ones are highlighted. */
enum style duration_style(ns_t ns);

/* Draw a cell of the column USUAL: the median of past durations, with a mark if this one exceeds
 * it. */
#define USUAL_FROM_COLS 120
void slot_usual(const struct slot *slot, const struct usual *usual);

/* Append the subject's command and pid, for a title. */
void say_subject(const struct view_ctx *ctx, struct tr2_buf *out);

/* Append " · 2026-01-02" if that is not today, because rows show only the time of day. */
void say_title_date(ns_t wall, const struct view_ctx *ctx, struct tr2_buf *out);
/* The same for a list: both dates if they differ. */
void say_title_dates(ns_t first, ns_t last, const struct view_ctx *ctx, struct tr2_buf *out);

/* Pass a symbol's text to a filter, if there is one. */
bool give_sym(const struct model *model, sym_t sym, filter_visit *visit, void *data);

/*
 * Draw a command: `name_len` bytes of name in `style`, then its arguments. If there is no room, the
 * middle of the arguments is cut, because their end is as important as their begin.
 */
void slot_command(const struct slot *slot, enum style style, const char *text, size_t len,
		  size_t name_len);

/* ---- text on several lines (wrap.c) ---- */

/* Number of bytes that fit into `cols` cells, up to the end of a word if possible. */
size_t text_fitting(const char *text, size_t len, int cols);
/* Number of lines that a text takes, at least 1; limited for very long texts. */
uint32_t wrapped_lines(const char *text, size_t len, int cols);
/* Line `number` of the text, `*shown` bytes without trailing blanks. Takes time for all lines
 * before it. */
const char *wrapped_line(const char *text, size_t len, int cols, uint32_t number, size_t *shown);

/* Draw the distribution of durations on one line, if the histogram `sums` (hist.h) is not empty. */
void draw_spread(struct surface *surface, struct rect area, const uint64_t *sums);

/* A scratch buffer for one line, cleared by each call. Not for two lines at once. */
struct tr2_buf *say_line(void);

#endif
