/* SPDX-License-Identifier: MIT */
/*
 * The ui's own state, shared by the files that it is made of: ui.c has frames, ui_pages.c the
 * stack of pages, ui_keys.c what keys do, ui_draw.c what is around views, ui_prompt.c the lines
 * that the user types, ui_menu.c lists to choose from. For no one else. One thread: see ui.h.
 */
#ifndef VIEWS_UI_PRIV_H
#define VIEWS_UI_PRIV_H

#include "views/ui/find.h"
#include "views/ui/header.h"
#include "views/ui/layout.h"
#include "views/widget/menu.h"
#include "views/widget/prompt.h"
#include "views/ui/setup.h"
#include "views/ui/view.h"

#define MAX_PAGES 16

/* Kinds of prompts; each has its own history. */
enum ask { ASK_SEARCH, ASK_FILTER, ASK_TIME, ASK_EXPORT, NR_ASKS, ASK_NONE = NR_ASKS };

/* Kinds of lists. */
enum ui_menu { UI_MENU_SORT, UI_MENU_COPY };

#define MAX_COMPLETIONS 100

/* Completions that Tab cycles through until another key is pressed. */
struct completion {
	char words[MAX_COMPLETIONS][128];
	int nr, at;  /* nr is 0 if none exist */
	size_t from; /* offset of the word in the line */
};

/* A key on the bottom line, from column `x` to the next box. */
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
	struct ui_config config;
	struct setup *setup; /* the configuration's, or `own_setup` */
	struct setup own_setup;
	char *specs, *wait_hint;
	int cols, rows;
	struct view panes[NR_PANES];
	struct view *pages[MAX_PAGES];
	int nr_pages;
	const struct view *drawn; /* the view in front in the last frame */
	int focus;
	bool zoomed, process_scope;
	struct timing_limits limits;
	struct handle selected; /* the process that the other panes show */
	struct layout layout;
	struct layout_wants wants;
	ns_t wanted_ns[NR_PANES]; /* monotonic: when the pane last needed all of its rows */
	struct header_rate rate;
	struct findings_watch found;
	struct prompt prompts[NR_ASKS];
	struct completion completion;
	enum ask asking; /* the open prompt, or ASK_NONE */
	struct menu menu;
	enum ui_menu menu_of;
	char *copied; /* NULL if nothing was copied */
	struct {
		char *file; /* as the event names it; NULL if none was requested */
		int64_t line;
	} place;
	struct find find;
	bool find_said;        /* the bottom line shows the search until the next key */
	struct filter *filter; /* active filter of processes, or NULL */
	char notice[256];
	bool asks_to_quit; /* the bottom line asks whether to quit; the next key answers */
	bool quits;        /* the answer was yes: do not ask again */
	struct key_box key_boxes[MAX_KEY_BOXES];
	int nr_key_boxes, keys_x; /* keys_x: column of the next box */
	bool ticks, working;
	struct ui_input in; /* input of the last frame */
	bool has_in, reading, has_summary, begun;
	bool is_said; /* ui_check() is used instead of frames */
};

/* ---- ui.c ---- */

/* The view that gets the keys: the topmost page, else the focused pane. */
struct view *ui_front(struct ui *ui);

/* The context of `view` in this frame. */
struct view_ctx ui_context(struct ui *ui, struct view *view);

/*
 * Gather the view's rows again: rows refer to the model, which changes between frames. Input that
 * exists only in a frame (sources, the command's output) has no rows then.
 */
void ui_gather(struct ui *ui, struct view *view);

/* Continue the search for findings in all roots, as `view` has them, for `budget` ns. */
void ui_find_findings(struct ui *ui, struct view *view, ns_t budget);

/* The place of the filter of `view`: its own, or that of processes. */
struct filter **ui_filter_of(struct ui *ui, struct view *view);

/* ---- ui_wants.c ---- */

/* Compute the sizes that the panes need, from their last gathering. */
void ui_wants(struct ui *ui);

/* ---- ui_pages.c ---- */

/* Initialise a view without a subject; free its contents, but not the view itself. */
void ui_view_init(struct ui *ui, struct view *view, enum view_id id);
void ui_view_release(struct view *view);

/* Open a page on a copy of `subject` (may be NULL); close and free the topmost page. */
void ui_push_page(struct ui *ui, enum view_id id, const struct subject *subject);
void ui_pop_page(struct ui *ui);

/* True if the page cannot be opened in this run; a notice shows why. */
bool ui_page_is_refused(struct ui *ui, enum view_id id);

/* Handle the page's key: open it on the subject of its keys.def row, or close it if it is in
 * front. */
void ui_open_page(struct ui *ui, enum view_id id);

/* Handle Enter: open the page of the selected row. */
void ui_drill(struct ui *ui);

/* Keep the rows of the last frame for the current key, also in the other panes. */
void ui_hold_rows(struct ui *ui, struct view *view);

/* ---- ui_draw.c ---- */

/* Draw a view with its frame and title; collects `ticks` and `working`. */
void ui_draw_view(struct ui *ui, struct view *view, struct surface *surface, struct rect area,
		  bool focused);
void ui_draw_tabs(struct ui *ui, struct surface *surface);

/* Draw the bottom line: a prompt, a notice, or as many keys as fit: the page's own first, then in
 * the order of keys.def. */
void ui_draw_keys(struct ui *ui, struct surface *surface);

/* The key at column `x` of the bottom line, or 0. */
uint32_t ui_key_at(const struct ui *ui, int x);

/* The open pages: "> Events > Record". */
void ui_format_path(struct ui *ui, char *path, size_t bytes);

/* ---- ui_menu.c ---- */

/* Open a list, or show why there is none. */
void ui_menu(struct ui *ui, enum ui_menu which);

/* Handle a key, mouse press or pasted character while a list is open. Returns enum ui_reaction. */
unsigned ui_menu_key(struct ui *ui, const struct key_event *key);

/* Draw the open list, if any, over the view in front. */
void ui_menu_draw(struct ui *ui, struct surface *surface);

/* Set ui_place() to the source line of the selected row's event. If it has none, show a notice
 * and return false. */
bool ui_take_place(struct ui *ui);

/* ---- ui_prompt.c ---- */

/* Open the prompt. */
void ui_ask(struct ui *ui, enum ask ask);

/* Handle a key while a prompt is open. Returns enum ui_reaction. */
unsigned ui_ask_key(struct ui *ui, uint32_t key);

/* Handle a pasted character while a prompt is open: it is always inserted. */
unsigned ui_ask_paste(struct ui *ui, uint32_t ch);

/* Draw the open prompt into row `y`. */
void ui_ask_draw(struct ui *ui, struct surface *surface, int y);

/* Handle `n` and `N` (1, -1); handle Esc, which returns true if it removed highlights. */
void ui_search_next(struct ui *ui, int step);
bool ui_search_leave(struct ui *ui);

/* Draw the state of the search into row `y`. */
void ui_search_draw(struct ui *ui, struct surface *surface, int y);

#endif
