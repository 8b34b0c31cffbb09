/* SPDX-License-Identifier: MIT */
/*
 * A view: a pane or a page. It is data: columns, each of which defines its cells, and a function
 * that gathers rows from the model in their natural order. The table (table.h) does the rest.
 * gather never draws; draw never computes anything that gather could have stored in the row. To
 * add a view, write one file that ends in its `struct view_ops`, one row in keys.def and one line
 * in local.mk.
 */
#ifndef VIEWS_VIEW_H
#define VIEWS_VIEW_H

#include "monitor/analysis/analysis.h"
#include "monitor/analysis/findings_watch.h"
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
	/* Text shown without rows; lines are separated by LF. May be NULL. */
	const char *(*empty)(const struct view_ctx *ctx);
	/* The page that Enter opens, with `subject` filled in, or NR_VIEWS. May be NULL. */
	enum view_id (*drill)(const struct view_ctx *ctx, const struct row *row,
			      struct subject *subject);
	/* Select the events of a row (NULL if none is selected): change `subject`, which is the
	 * view's, and append a filter for the log. Returns false if none exist. If NULL, a
	 * pane uses the subject of drill(), and a page its own subject. */
	bool (*events)(const struct view_ctx *ctx, const struct row *row, struct subject *subject,
		       struct tr2_buf *filter);
	/* Handle a key before the table and the ui. Returns true if handled. `key` is 0 for the
	 * mouse wheel. May be NULL. */
	bool (*act)(struct view_ctx *ctx, enum action action, uint32_t key);
	/* The same for mouse buttons. May be NULL. */
	bool (*mouse)(struct view_ctx *ctx, const struct key_event *event);
	/* The subjects of its filter (enum filter_rows). All views that filter processes share one
	 * filter, and gather() applies it; for other kinds, rows are removed after gather(). */
	uint8_t filter_rows;
	/* Visit the values of a field of a row, as filter_values (filter.h) does. May be NULL. */
	bool (*value)(const struct view_ctx *ctx, const struct row *row, enum filter_field field,
		      value_visit *visit, void *data);
	/* Visit all values of a field, for a view that applies its filter itself because its
	 * items are not the rows of its table. */
	bool (*every_value)(const struct view_ctx *ctx, enum filter_field field, value_visit *visit,
			    void *data);
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

#endif
