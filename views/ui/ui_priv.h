/* SPDX-License-Identifier: MIT */
/* Private interface of the ui's files. One thread: see ui.h. */
#ifndef VIEWS_UI_PRIV_H
#define VIEWS_UI_PRIV_H

#include "views/ui/find.h"
#include "views/ui/graphs.h"
#include "views/ui/header.h"
#include "views/ui/layout.h"
#include "views/widget/menu.h"
#include "views/widget/prompt.h"
#include "views/ui/setup.h"
#include "views/ui/view.h"

#define MAX_PAGES 16

/* Kinds of prompts; each has a history of its own. */
enum ask {
	ASK_SEARCH,
	ASK_FILTER,
	ASK_TIME,
	ASK_EXPORT,
	ASK_QUERY,
	ASK_START,
	NR_ASKS,
	ASK_NONE = NR_ASKS
};

/* Kinds of menus. */
enum ui_menu {
	UI_MENU_SORT,
	UI_MENU_COPY,
	UI_MENU_IGNORE,
	UI_MENU_WITH,
	UI_MENU_WITHOUT,
	UI_MENU_GROUP,
	UI_MENU_START
};

#define MAX_CHIPS 8

#define MAX_COMPLETIONS 100

/* Completions that Tab and Shift-Tab step through until another key is pressed. */
struct completion {
	char words[MAX_COMPLETIONS][128];
	int nr, at;  /* number of completions, and index of the current one */
	size_t from; /* byte offset in the prompt's line of the word that is completed */
};

/* A key on the bottom line; its area begins at column `x` and ends at the next key or at the end of
 * its label. */
struct key_box {
	int x;
	uint32_t key;
};

#define MAX_KEY_BOXES 64

struct ui {
	struct ui_past past_asked;
	struct {
		int format;
		char file[PROMPT_MAX_BYTES];
	} export_asked;
	char query[PROMPT_MAX_BYTES];
	struct {
		enum ui_start_kind kind;
		char text[PROMPT_MAX_BYTES];
	} start_asked;
	struct ui_config config;
	struct setup *setup; /* the setup of the configuration, or `own_setup` */
	struct setup own_setup;
	char *specs, *wait_hint;
	char words[32]; /* number of sources for the title, such as "3 files" */
	int cols, rows;
	struct view panes[NR_PANES];
	struct view *pages[MAX_PAGES];
	int nr_pages;
	/* the view that was in front in the last frame; NULL: none, or a page was opened since */
	const struct view *drawn;
	int focus;
	bool zoomed, process_scope;
	struct timing_limits limits;
	/* the process selected in the process pane, which other panes show */
	struct handle selected;
	struct layout layout;
	struct layout_wants wants;
	ns_t settled_ns; /* monotonic time at which the panes last could shrink */
	bool resettle;   /* the panes may shrink in the next frame */
	struct header_rate rate;
	struct graphs graphs;
	struct findings_watch found;
	struct prompt prompts[NR_ASKS];
	struct completion completion;
	enum ask asking;
	struct menu menu;
	enum ui_menu menu_of;
	/* attributes that the menu of key `b` offers; NR_ATTRIBUTES: no groups */
	struct attribute_ref groups[MENU_MAX_ITEMS];
	char *copied; /* text to copy to the clipboard; NULL: none */
	struct {
		char *file; /* source file to open, as the event names it; NULL: none */
		int64_t line;
	} place;
	struct find find;
	/* the bottom line shows the state of the search until the next key */
	bool find_said;
	struct filter *filter;
	/* text that is shown while there are no processes; valid for one frame */
	struct tr2_buf waiting_text;
	char *chips[MAX_CHIPS]; /* parts of the filter of processes: see ui_chips.c */
	int nr_chips;
	char notice[256];
	/* the bottom line asks whether to quit; the next key, except C-c, is the answer */
	bool asks_to_quit;
	bool quits;
	struct key_box key_boxes[MAX_KEY_BOXES];
	/* keys_x: column for the next key on the bottom line; keys_kept: cells at the end of this
	 * line for keys that are drawn later, such as help */
	int nr_key_boxes, keys_x, keys_kept;
	bool ticks, working;
	struct ui_input in; /* copy of the last input; between frames without sources and output */
	bool has_in, reading, has_summary, begun;
	bool is_said; /* the line mode uses this ui and calls ui_check(); no frames are drawn */
};

/* ---- ui.c ---- */

/* Return the view that gets the keys: the topmost page, or else the focused pane. */
struct view *ui_front(struct ui *ui);

struct view_ctx ui_context(struct ui *ui, struct view *view);

/*
 * Gather, filter and order the rows of a view: in each frame, and again before most keys that act
 * on a row, because the model changes between frames. Views of input that exists only in a frame,
 * such as sources, have no rows between frames.
 */
void ui_gather(struct ui *ui, struct view *view);

/* Continue to search the root processes that match the filter for findings, for about `budget` ns.
 * `view` gives the context. */
void ui_find_findings(struct ui *ui, struct view *view, ns_t budget);

/* Return where the filter of `view` is stored: the view's own filter, or the filter of all
 * processes. */
struct filter **ui_filter_of(struct ui *ui, struct view *view);

/* ---- ui_wants.c ---- */

/* Compute the sizes that the panes need for their rows. */
void ui_wants(struct ui *ui);

/* ---- ui_pages.c ---- */

/* ui_view_init(): initialise a view without a subject. ui_view_release(): free the contents of a
 * view, but not the view itself. */
void ui_view_init(struct ui *ui, struct view *view, enum view_id id);
void ui_view_release(struct view *view);

/* ui_push_page(): open a page about a copy of `subject` (may be NULL). ui_pop_page(): close and
 * free the topmost page. */
void ui_push_page(struct ui *ui, enum view_id id, const struct subject *subject);
void ui_pop_page(struct ui *ui);

/* ui_page_refusal(): return why the page cannot be opened in this run, or NULL.
 * ui_page_is_refused(): show this to the user; returns false if the page can be opened. */
const char *ui_page_refusal(const struct ui *ui, enum view_id id);
bool ui_page_is_refused(struct ui *ui, enum view_id id);

/* Handle the key of a page: open the page about the subject that keys.def defines, or close it if
 * it is in front. */
void ui_open_page(struct ui *ui, enum view_id id);

/* Open the page about the selected row. */
void ui_drill(struct ui *ui);

/* Keep the selections of the view and of the process pane on their rows, to which the current key
 * refers. */
void ui_hold_rows(struct ui *ui, struct view *view);

/* ---- ui_draw.c ---- */

/* A callback of type table_draw_cell; `ctx` is the view's struct view_ctx. */
void ui_draw_cell(void *ctx, const struct row *row, int column, const struct slot *slot);

/* Draw a view with its frame and title; sets ui->ticks and ui->working if the view needs more
 * frames. */
void ui_draw_view(struct ui *ui, struct view *view, struct surface *surface, struct rect area,
		  bool focused);
void ui_draw_tabs(struct ui *ui, struct surface *surface);

/* Draw the bottom line, such as a prompt, a notice, or as many keys as fit. */
void ui_draw_keys(struct ui *ui, struct surface *surface);

/* Return the key at column `x` of the bottom line, or 0. */
uint32_t ui_key_at(const struct ui *ui, int x);

/* Format the path of open pages: "> Events > Record". */
void ui_format_path(struct ui *ui, char *path, size_t bytes);

/* ---- ui_menu.c ---- */

/* Open a menu, or show a notice if it has nothing to choose. */
void ui_menu(struct ui *ui, enum ui_menu which);

/* Handle a key, mouse click or pasted character while a menu is open. Returns enum ui_reaction. */
unsigned ui_menu_key(struct ui *ui, const struct key_event *key);

/* Draw the open menu, if any, over the view in front. */
void ui_menu_draw(struct ui *ui, struct surface *surface);

/* Set ui_place() to the source line of the selected row's event. If there is none, show a notice
 * and return false. */
bool ui_take_place(struct ui *ui);

/* True if ui_take_place() finds a source line for the selected row of the current frame. */
bool ui_has_place(struct ui *ui);

/* Get the context and the selected row of the view in front, gathered again. Returns NULL if no row
 * is selected, or before the first frame. */
const struct row *ui_take_row(struct ui *ui, struct view_ctx *ctx);

/* Return the process of a row; NULL if the row has none or several, or the model lacks it. */
const struct process *ui_row_process(const struct view_ctx *ctx, const struct row *row);

/* ---- ui_chips.c, ui_groups.c ---- */

void ui_chips_open_with(struct ui *ui);
void ui_chips_open_without(struct ui *ui);
unsigned ui_chips_chosen_with(struct ui *ui, int offered);
unsigned ui_chips_chosen_without(struct ui *ui, int offered);
void ui_groups_open(struct ui *ui);
unsigned ui_groups_chosen(struct ui *ui, int offered);

/* Add a term to the filter of processes as a chip, unless the filter has the same chip or MAX_CHIPS
 * chips; free `term`, and close all pages. */
void ui_chips_add(struct ui *ui, char *term);

/* Make the filter of processes in force the only chip; without a filter, remove all chips. */
void ui_chips_typed(struct ui *ui);

/* Remove the last chip. Returns false if the filter has no chips. */
bool ui_chips_remove_last(struct ui *ui);

/* Append the chips, in brackets if there are several. */
void ui_chips_format(const struct ui *ui, struct tr2_buf *out);

/* ---- ui_draw.c ---- */

/* Draw a text in `area`, wrapped between words if possible. */
void ui_draw_lines(struct surface *surface, struct rect area, enum style style, const char *text);

/* ---- ui_start.c ---- */

/* True if the user can choose what to trace or read: config.offers_start is set, no page is open,
 * and there are no processes yet. */
bool ui_start_is_offered(const struct ui *ui);

/* Open the menu of the start, if it is offered. */
void ui_start_offer(struct ui *ui);

/* Draw the menu of the start alone in `area`, and below it what Enter and Esc do or, without
 * sources, config.wait_hint. */
void ui_start_draw(struct ui *ui, struct surface *surface, struct rect area);

void ui_start_open(struct ui *ui);
unsigned ui_start_chosen(struct ui *ui, int kind);
void ui_start_prompt(struct ui *ui, struct prompt *prompt);
unsigned ui_start_enter(struct ui *ui, struct prompt *prompt);

/* ---- ui_prompt.c ---- */

/* Open a prompt. */
void ui_ask(struct ui *ui, enum ask ask);

/* Handle a key while a prompt is open. Returns enum ui_reaction. */
unsigned ui_ask_key(struct ui *ui, uint32_t key);

unsigned ui_ask_paste(struct ui *ui, uint32_t ch);

void ui_ask_draw(struct ui *ui, struct surface *surface, int y);

/* ui_search_next(): handle the keys `n` and `N` (`step` 1, -1). ui_search_leave(): handle Esc;
 * returns true if it ended a search that had hits or was not complete. */
void ui_search_next(struct ui *ui, int step);
bool ui_search_leave(struct ui *ui);

void ui_search_draw(struct ui *ui, struct surface *surface, int y);

#endif
