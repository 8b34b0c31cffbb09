/* SPDX-License-Identifier: MIT */
/*
 * A view: a pane or a page. It consists of columns and a function that gathers rows in their
 * natural order, which the table (table.h) sorts and draws. gather must not draw; draw should not
 * compute what gather can store in the row.
 */
#ifndef VIEWS_VIEW_H
#define VIEWS_VIEW_H

#include "monitor/analysis/analysis.h"
#include "monitor/analysis/findings_watch.h"
#include "monitor/analysis/heat.h"
#include "views/widget/table.h"
#include "views/ui/ui.h"

/* Panes come first, in the order of their numbers on the screen, from 1. */
enum view_id {
#define PANE(ID, ops, word, place, keys, short_name, doc) VIEW_##ID,
#include "views/widget/keys.def"
	NR_PANES,
	VIEW_LAST_PANE = NR_PANES - 1,
#define PAGE(ID, ops, word, about, keys, short_name, group, doc) VIEW_##ID,
#define SUBPAGE(ID, ops)                                         VIEW_##ID,
#include "views/widget/keys.def"
	NR_VIEWS
};

/* The process, region or group that a view shows. Panes follow the selected process; a page begins
 * with the subject with which it was opened. */
struct subject {
	struct handle process; /* HANDLE_NONE: none */
	/* category and label of the region; for the value page: category and key */
	sym_t category, label;
	/* `group` depends on the page, such as the id of a row of the command statistics (command
	 * page) or enum finding_id (finding page); `group_by`: the attributes by which commands are
	 * grouped */
	uint64_t group;
	struct commands_by group_by;
	bool has_group; /* `group` is the id of a group of commands (commands_group()) */
	/* the view is limited to runs in `box` of the heat map */
	bool has_box;
	struct heat_bounds box;
	/* the page of attributes is about the processes that reported an error of the format
	 * `error` */
	bool has_error;
	sym_t error; /* error format; SYM_NONE: errors without a format */
	/* for the event log: number of the event at which it begins + 1; 0: at the end */
	uint64_t event;
	/* for the record page and event log: key of a record (event_log.h) + 1; pairs page:
	 * compare_part_id(), or 0 */
	uint64_t record;
};

/* True if the subject has a group of commands, a category or a label. */
static inline bool subject_is_part(const struct subject *subject)
{
	return subject->has_group || subject->category != SYM_NONE || subject->label != SYM_NONE;
}

/* An open view. Its table and private state persist between frames. */
struct view {
	enum view_id id;
	const struct view_ops *ops;
	struct table table;
	struct subject subject;
	/* filter of the view's rows; NULL: none, or the filter of all processes applies */
	struct filter *filter;
	void *private; /* the view's own state, ops->private_bytes, initially zeroed */
	bool ticks;    /* set while gathering and drawing: the view changes even without events */
	bool working;  /* set while gathering and drawing: more frames are needed to continue */
};

/* Context of the functions of a view. Valid for one frame or key. */
struct view_ctx {
	struct view *view;
	const struct ui_input *in;
	const struct model *model;
	/* process of the view's subject; NULL: none, or the model lacks it */
	const struct process *process;
	/* process selected in the process pane, regardless of the view's subject */
	struct handle selected;
	/* Input of analyses, such as the model, the filter and the time, which does not advance
	 * while paused. */
	struct analysis what;
	const struct findings_watch *found; /* findings of root processes that match the filter */
	/* marked processes; a mark's id is the process's sid_hash */
	const struct marks *marked;
	/* the view is limited to one process, as view_ops.scoped allows */
	bool process_scope;
	struct setup *setup; /* rw: the user's settings */
	/* rw by view_ops.act: a term to add to the filter of processes, malloc()ed; the panes are
	 * shown then */
	char *chip;
	unsigned asked;      /* rw by view_ops.act and .mouse: further requests, enum ui_reaction */
	int64_t height;      /* height of the view's area in rows; 0 if unknown */
	int width;           /* width of the view's area in cells; 0 if unknown */
	enum view_id below;  /* for a page: the view below it on the stack */
	bool lists_children; /* the pane of children is not shown, so pane 2 lists them */
	bool said;           /* the rows of the view are printed as text (--lines), not drawn */
};

/*
 * Items that search (find.h) reads in a view instead of table rows: numbers in [first, end). Called
 * within a frame, after gather; at() also when the search prompt opens.
 */
struct item_ops {
	uint64_t (*first)(const struct view_ctx *ctx);
	uint64_t (*end)(const struct view_ctx *ctx);
	/* Return the selected item; `end` or more: none. */
	uint64_t (*at)(const struct view_ctx *ctx);
	/* Return a number that changes if existing items change: a completed search is then
	 * repeated. */
	uint64_t (*version)(const struct view_ctx *ctx);
	/* Return the item after `item`. If NULL, that is always item + 1. */
	uint64_t (*next)(const struct view_ctx *ctx, uint64_t item);
	/* Append the text of an item. Returns false if the item cannot be selected. */
	bool (*text)(const struct view_ctx *ctx, uint64_t item, struct tr2_buf *out);
	/* Select an item, and stop following the newest one. */
	void (*choose)(const struct view_ctx *ctx, uint64_t item);
	/* Return the item that was last drawn on screen row table.body_y + `line`; UINT64_MAX:
	 * none. NULL if items are not lines. */
	uint64_t (*on_line)(const struct view_ctx *ctx, int line);
	uint32_t nr_a_frame; /* maximum number of items to read per frame */
};

/* A filter field of the rows that no column has. One function returns its value. */
struct row_field {
	uint8_t field; /* enum filter_field */
	/* Return the field's number; INT64_MIN: unknown. A flag is set if it is more than 0. */
	int64_t (*number)(const struct view_ctx *ctx, const struct row *row);
	/* Return the field's text, borrowed until the rows are gathered again; NULL: absent. */
	const char *(*text)(const struct view_ctx *ctx, const struct row *row, size_t *len);
	/* Call `visit` for each value of `field` until it returns true, as filter_values does. */
	bool (*visit)(const struct view_ctx *ctx, const struct row *row, enum filter_field field,
		      value_visit *visit, void *data);
};

struct view_ops {
	const char *name;
	/* Return a name that replaces `name` in the title of the frame. May be NULL. */
	const char *(*named)(const struct view_ctx *ctx);
	/* columns of the table; no headings if columns[0].title is NULL */
	const struct column *columns;
	int nr_columns;
	bool arranged;   /* the user may arrange the columns: see setup.h */
	bool of_process; /* a pane whose rows belong to the selected process */
	/* a pane that the user can limit to the selected process: see process_scope */
	bool scoped;
	size_t private_bytes;
	/*
	 * Return true if gather() would add the same rows with the same sort keys as in the last
	 * frame. The rows then stay as they are; time-dependent state must be updated here. Called
	 * only if settings of the table, such as the sort column, are unchanged. NULL: always
	 * gather.
	 */
	bool (*keeps_rows)(struct view_ctx *ctx, const struct table *table);
	const char *order; /* name of the order without a sort column, for the title; may be NULL */
	/* Append text to the title of the frame, after the name and the filter. NULL: nothing is
	 * appended. */
	void (*title)(const struct view_ctx *ctx, struct tr2_buf *out);
	/* Append text for the right end of the title, short enough for ctx->width; the other parts
	 * leave space for it. May be NULL. */
	void (*title_right)(const struct view_ctx *ctx, struct tr2_buf *out);
	void (*gather)(struct view_ctx *ctx, struct table *table);
	/* Draw the cells of columns that have no draw(), number() or text(). NULL if all columns
	 * have one. */
	void (*draw)(struct view_ctx *ctx, const struct row *row, int column,
		     const struct slot *slot);
	/* Set `key`, or `text` and `text_len`, of all rows for sorting by a column that has neither
	 * number() nor text(). May be NULL. */
	void (*sort_keys)(const struct view_ctx *ctx, struct table *table, int column);
	/* foot_rows: return how many of the view's `rows` lines are drawn below the table. foot:
	 * draw them. May be NULL. */
	int (*foot_rows)(const struct view_ctx *ctx, int rows);
	void (*foot)(struct view_ctx *ctx, struct surface *surface, struct rect area);
	/* Return the text shown if there are no rows and the filter hides none; lines are separated
	 * by LF. May be NULL. */
	const char *(*empty)(const struct view_ctx *ctx);
	/* Return the page that Enter opens for a row unless act() handles Enter, with `subject`
	 * filled in, or NR_VIEWS. May be NULL. */
	enum view_id (*drill)(const struct view_ctx *ctx, const struct row *row,
			      struct subject *subject);
	/* Select the events of a row (NULL: no row is selected) for the event log: change
	 * `subject`, which is initially the view's, and append a filter. Returns false if the row
	 * has no events. If NULL, the subject of drill() is used if drill() opens the event log or,
	 * in a pane, a process or a region; otherwise the view's subject. */
	bool (*events)(const struct view_ctx *ctx, const struct row *row, struct subject *subject,
		       struct tr2_buf *filter);
	/* Handle a key instead of its common action; `key` is 0 for the mouse and in the line mode.
	 * Returns true if it was handled. May be NULL. */
	bool (*act)(struct view_ctx *ctx, enum action action, uint32_t key);
	/* Handle a mouse button before the table handles it. Returns true if it was handled. May be
	 * NULL. */
	bool (*mouse)(struct view_ctx *ctx, const struct key_event *event);
	/* Kinds of rows to which the view's filter applies (enum filter_rows). All views that
	 * filter processes share one filter, applied in or before gather(). Other filters remove
	 * rows after gather(), unless the view has every_value(). */
	uint8_t filter_rows;
	/* Filter fields of the view's rows that no column has. */
	const struct row_field *fields;
	int nr_fields;
	/* Return the process of a row, whose attributes are further filter fields; NULL: none. May
	 * be NULL if columns and `fields` have all filter fields of the rows. */
	const struct process *(*process)(const struct view_ctx *ctx, const struct row *row);
	/* Return or change the grouping of the rows, for the menu of key `b` and the line mode.
	 * NULL: they cannot be grouped. If `ungroups` is set, `nr` 0 means not grouped. */
	struct commands_by (*grouping)(const struct view_ctx *ctx);
	void (*set_grouping)(struct view_ctx *ctx, const struct commands_by *by);
	bool ungroups;
	/* Visit the values of `field` if it is the first attribute by which the rows are grouped.
	 * If not NULL, all attributes without keys that can group are filter fields of the rows. */
	bool (*visit_group)(const struct view_ctx *ctx, const struct row *row,
			    enum filter_field field, value_visit *visit, void *data);
	/* Visit values of a filter field, for a view that applies its filter itself because its
	 * items are not table rows. */
	bool (*every_value)(const struct view_ctx *ctx, enum filter_field field, value_visit *visit,
			    void *data);
	/* Append the text of a row for search, filters and copying, if it differs from that of its
	 * drawn cells. May be NULL. */
	void (*text)(const struct view_ctx *ctx, const struct row *row, struct tr2_buf *out);
	/* The items that search reads. NULL: table rows. */
	const struct item_ops *items;
	/* The rows come from the input of a frame (struct ui_input), so keys between frames cannot
	 * use them. */
	bool of_input;
	/* The view shows the journal, which must be sorted by time. */
	bool is_story;
	/* Visit the event numbers that the view stores: see ui_places(). NULL: the view stores
	 * none. */
	void (*places)(const struct view_ctx *ctx, struct places *places, bool moved);
	/* Return the kind of finding of a row (enum finding_id), or -1. May be NULL. */
	int (*finding)(const struct view_ctx *ctx, const struct row *row);
	/* Return why the view cannot be opened in this run, for the user; NULL: it can. May be
	 * NULL. */
	const char *(*refuses)(const struct ui_config *config);
	/* Free the contents of the view's private state. May be NULL. */
	void (*release)(void *private);
};

#endif
