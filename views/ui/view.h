/* SPDX-License-Identifier: MIT */
/*
 * A view: a pane or a page. It is data: columns, each of which says what stands in its cells, and
 * a function that gathers rows from the model, in their own order. The table (table.h) does the
 * rest. gather never draws, draw never computes what gather could have put into the row. To add
 * a view is one file that ends in its `struct view_ops`, one row in keys.def, one line in local.mk.
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

/* Panes first, by their numbers on the screen, which begin with 1. */
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

/* What a page is opened on by its key: see keys.def. */
enum view_about { ABOUT_NOTHING, ABOUT_SELECTED, ABOUT_EVENTS };

/* Where a pane stands beside others. */
enum view_side { SIDE_NONE, SIDE_LEFT, SIDE_RIGHT };

/* The row of a view in keys.def; what its key is stands in key_rows, its word in view_words. */
struct view_row {
	uint8_t side;  /* enum view_side */
	uint8_t about; /* enum view_about */
};

/* What a view is about. Panes follow the selected process; a page keeps what it was opened on. */
struct subject {
	struct handle process; /* HANDLE_NONE: none, or gone */
	sym_t category, label; /* region page */
	uint64_t group;        /* page of a command: id of its row, and what it was grouped by */
	uint8_t group_by;      /* enum commands_by */
	uint64_t event;        /* event log: where to begin, its number + 1; 0: at the end */
	uint64_t record; /* record page, and the log as above: key of a record (event_log.h) + 1 */
};

/* A view that exists: its table and its private state outlive frames. */
struct view {
	const struct view_ops *ops;
	struct table table;
	struct subject subject;
	struct filter *filter; /* of its rows, in force; NULL: none, or that of processes holds */
	void *private;         /* ops->private_bytes, zeroed */
	bool ticks;            /* set while drawing: a live duration is in sight */
	bool working;          /* set while gathering and drawing: frames are needed to go on */
};

/* All that a view may use; valid for one frame or key. */
struct view_ctx {
	struct view *view;
	const struct ui_input *in;
	const struct model *model;
	const struct process *process; /* of the subject; NULL: none, or it was evicted */
	struct handle selected;        /* in the pane of processes, whatever the subject is */
	struct analysis what; /* `model` and the subject, what the user chose of processes, and
			       * now, which stands still while paused */
	const struct findings_watch *found; /* what is found in all roots */
	bool process_scope;                 /* of a scoped pane: what is the subject's alone */
	struct setup *setup;                /* rw: what the user has set up */
	unsigned asked;     /* rw by act and mouse: enum ui_reaction beside a new frame */
	int64_t height;     /* rows of its area */
	int width;          /* and its cells; 0: not known yet */
	enum view_id below; /* of a page: the view that it was opened over */
	bool said;          /* its rows are read aloud: nobody sees its area */
};

/*
 * What a view consists of for search, where that is not the rows of its table (see find.h).
 * Items are numbers [first, end); all of it is called within a frame, after gather.
 */
struct item_ops {
	uint64_t (*first)(const struct view_ctx *ctx);
	uint64_t (*end)(const struct view_ctx *ctx);
	/* The one that is chosen; `end` or more: none. */
	uint64_t (*at)(const struct view_ctx *ctx);
	/* Another number where items have become others; not where some have come behind. */
	uint64_t (*version)(const struct view_ctx *ctx);
	/* The item behind `item`, where that is not the next number. May be NULL. */
	uint64_t (*next)(const struct view_ctx *ctx, uint64_t item);
	/* Append what it says; false: it cannot be chosen. */
	bool (*text)(const struct view_ctx *ctx, uint64_t item, struct tr2_buf *out);
	/* Choose it, and do not follow any longer. */
	void (*choose)(const struct view_ctx *ctx, uint64_t item);
	/* The item on the `line`th line below table.body_y, as just drawn; UINT64_MAX: none.
	 * NULL where an item is not a line. */
	uint64_t (*on_line)(const struct view_ctx *ctx, int line);
	uint32_t nr_a_frame; /* how many may be read in a frame */
};

struct view_ops {
	const char *name;
	/* In place of `name`, where what it shows goes by other words. May be NULL. */
	const char *(*named)(const struct view_ctx *ctx);
	const struct column *columns; /* columns[0].title NULL: no heading */
	int nr_columns;
	bool arranged;   /* the user may arrange the columns: see setup.h */
	bool of_process; /* of a pane: its rows are the selected process's; another has others */
	bool scoped;     /* of a pane: may be limited to the selected process, see process_scope */
	size_t private_bytes;
	/* Append what stands in the frame's title behind `name`. May be NULL. */
	void (*title)(const struct view_ctx *ctx, struct tr2_buf *out);
	void (*gather)(struct view_ctx *ctx, struct table *table);
	/* Cells of columns that do not draw themselves. NULL: all do. */
	void (*draw)(struct view_ctx *ctx, const struct row *row, int column,
		     const struct slot *slot);
	/* Lines below the table: their number for `rows` free ones, then drawing. May be NULL. */
	int (*foot_rows)(const struct view_ctx *ctx, int rows);
	void (*foot)(struct view_ctx *ctx, struct surface *surface, struct rect area);
	/* What to say where there are no rows: lines parted by LF. May be NULL. */
	const char *(*empty)(const struct view_ctx *ctx);
	/* What Enter opens: fills `subject` and returns the page, or NR_VIEWS. May be NULL. */
	enum view_id (*drill)(const struct view_ctx *ctx, const struct row *row,
			      struct subject *subject);
	/* Which events are the row's (NULL: none is selected): fills in `subject`, the view's own
	 * so far, and appends a filter for the log. False: there are none. NULL: of a pane those
	 * of what drill() leads to, of a page those of its subject. */
	bool (*events)(const struct view_ctx *ctx, const struct row *row, struct subject *subject,
		       struct tr2_buf *filter);
	/* A key that the view takes before the table and the ui do: true where it has. `key` is
	 * 0 for the wheel of a mouse. May be NULL. */
	bool (*act)(struct view_ctx *ctx, enum action action, uint32_t key);
	/* The same for the mouse's button. May be NULL. */
	bool (*mouse)(struct view_ctx *ctx, const struct key_event *event);
	/* What its filter chooses among (enum filter_rows): where that is processes, it and all
	 * such views have one filter, and gather() applies it; else rows are left out after it. */
	uint8_t filter_rows;
	/* The values of a field of a row, as filter_values (filter.h) gives them. May be NULL. */
	bool (*value)(const struct view_ctx *ctx, const struct row *row, enum filter_field field,
		      filter_visit *visit, void *data);
	/* All values of a field, of a view that applies its filter itself: what it shows are
	 * not the rows of its table. */
	bool (*every_value)(const struct view_ctx *ctx, enum filter_field field,
			    filter_visit *visit, void *data);
	/* Append what a row says, where that is not what draw() puts into its columns. */
	void (*text)(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out);
	/* Where something else than the table's rows is searched. NULL: the rows. */
	const struct item_ops *items;
	/* It tells the journal as a story: that is to be in the order of time. */
	bool is_story;
	/* The numbers of events that it remembers, see ui_places(). NULL: none. */
	void (*places)(const struct view_ctx *ctx, struct places *places, bool moved);
	/* Why its key cannot open it in this run, for the user; NULL: it can. May be NULL. */
	const char *(*refuses)(const struct ui_config *config);
	/* Free what the private state holds. May be NULL. */
	void (*release)(void *private);
};

#define PANE(ID, ops, word, side, keys, doc)                     extern const struct view_ops ops;
#define PAGE(ID, ops, word, about, keys, short_name, group, doc) extern const struct view_ops ops;
#define SUBPAGE(ID, ops)                                         extern const struct view_ops ops;
#include "views/widget/keys.def"

extern const struct view_ops *const view_table[NR_VIEWS];
extern const struct view_row view_rows[NR_VIEWS];

/* A key of one view (view_keys.def). */
struct view_key {
	uint8_t view; /* enum view_id */
	const char *keys;
	const char *short_name; /* NULL: not for the bottom line */
	const char *doc;
};

extern const struct view_key view_keys[];
extern const uint32_t nr_view_keys;

/* For --page and the configuration file; NULL of pages without a key. */
extern const struct word view_words[NR_VIEWS];

/* The pane or page that an action is the key of; NR_VIEWS: none. */
enum view_id view_of_action(enum action action);

/* Draw a cell, as its column or its view says. */
void view_draw_cell(struct view_ctx *ctx, const struct row *row, int column,
		    const struct slot *slot);

/* Give each row the value of the column that the table is sorted by, where that has one. */
void view_sort_keys(const struct view_ctx *ctx, struct table *table);

/* Append what a row says, on one line (row_text.c). Some microseconds. */
void view_row_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out);

/*
 * What a row says when it is read aloud, without control characters: what it is about, then
 * "heading value" of the other columns, joined by commas; what is 0 or not known is left out. Cut at
 * SAID_CELLS a cell.
 */
#define SAID_CELLS 480
void view_say_row(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out);

/* The same of what draw() makes of it, for a view's own text(). */
void view_drawn_text(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out);

/* Leave out the rows that the view's filter does not match (row_filter.c). */
void view_filter_rows(struct view_ctx *ctx);

/* Every value of a field in the view, of a bounded number of rows; `ctx` is a view_ctx. */
bool view_every_value(const void *ctx, enum filter_field field, filter_visit *visit,
		      void *visit_data);

/* ---- what several views say in the same way (say.c) ---- */

/* The times of live.h, now; where one of them is live the view ticks. */
ns_t view_process_time(const struct view_ctx *ctx, const struct process *process);
ns_t view_region_time(const struct view_ctx *ctx, const struct process *process,
		      const struct open_region *region);
ns_t view_child_time(const struct view_ctx *ctx, const struct process *process,
		     const struct child *child);

/* What is compared and judged, as of now, or of a second ago; NULL: nothing is (verdict_rows.c). */
const struct verdicts *view_verdicts(struct view_ctx *ctx);
/* Its rules as rows, numbered from 0, what is broken first; NULL past the last. Its `worst` is what
 * Enter leads on to. */
const struct rule *view_rule(const struct verdicts *verdicts, uint32_t number);
enum style view_rule_style(const struct rule *rule);
void view_rule_say(const struct rule *rule, struct tr2_buf *out);

/* As log_place() (event_log.h), of the event or record that the view was opened on. */
void view_place_subject(const struct view_ctx *ctx, struct places *places, bool moved);

/* What tells a row of regions from others, in whatever model: by what is around it, and names. */
static inline uint64_t region_id(uint64_t around, sym_t category, sym_t label, int64_t nesting)
{
	return tr2_hash_pair(tr2_hash_pair(around, (uint64_t)category << 32 | label),
			     (uint64_t)nesting + 1);
}

/* The same of a node of a thread's tree; `around` is that of the node around it, for the outermost
 * ones the number of the thread: a walk from the outside in costs each node a step. */
static inline uint64_t node_id(const struct model *model, uint64_t around,
			       const struct region_node *node)
{
	const struct timing_cell *cell = model_cell(model, node->cell);

	return region_id(around, cell->category, cell->label, cell->nesting);
}

/* A time as a sort key that puts the longest first and what is unknown last. */
static inline int64_t longest_first(ns_t ns)
{
	return ns == NS_NONE ? INT64_MAX : -ns;
}

/* "run", "exit 0", "FAIL 128", "SIG 9", "exec'd", "lost", into `buf`; its style. */
enum style process_state_text(const struct process *process, char *buf, size_t bytes);
/* Behind that, of the context's process: ", died in category/label"; nothing where that is not so. */
void say_death(const struct view_ctx *ctx, struct tr2_buf *out);

/* Style of a finished duration: slow ones stand out. */
enum style duration_style(ns_t ns);

/* The column USUAL: what half of those before took no longer than, with a mark where this one is
 * late. */
#define USUAL_FROM_COLS 120
void slot_usual(const struct slot *slot, const struct usual *usual);

/* The subject's process and pid, as a title says it. */
void say_subject(const struct view_ctx *ctx, struct tr2_buf *out);

/* " · 2026-01-02" where that is not today: the rows say the time of day alone. */
void say_title_date(ns_t wall, const struct view_ctx *ctx, struct tr2_buf *out);
/* The same of a list, whose rows have times of day alone: both days where there are two. */
void say_title_dates(ns_t first, ns_t last, const struct view_ctx *ctx, struct tr2_buf *out);

/* Give a symbol's text to a filter; nothing where there is none. */
bool give_sym(const struct model *model, sym_t sym, filter_visit *visit, void *data);

/*
 * A command into a slot: `name_len` bytes of name in a style of its own, then its arguments, which
 * lose of their middle where there is no room: the end of a command line tells as much as its
 * beginning.
 */
void slot_command(const struct slot *slot, enum style style, const char *text, size_t len,
		  size_t name_len);

/* ---- text on several lines (wrap.c) ---- */

/* How many bytes of a line fit into `cols` cells, behind a word where one ends there. */
size_t text_fitting(const char *text, size_t len, int cols);
/* How many lines a text takes, at least 1; of one with very many the first. */
uint32_t wrapped_lines(const char *text, size_t len, int cols);
/* Line `number` of it, without blanks at its end; `*shown` bytes. Costs the lines before it. */
const char *wrapped_line(const char *text, size_t len, int cols, uint32_t number, size_t *shown);

/* How durations spread, on one line: `sums` is a histogram (hist.h). Nothing where it is empty. */
void draw_spread(struct surface *surface, struct rect area, const uint64_t *sums);

/* A scratch buffer for one line, cleared at each call; not for two lines at once. */
struct tr2_buf *say_line(void);

#endif
