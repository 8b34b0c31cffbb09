/* SPDX-License-Identifier: MIT */
/*
 * The ui's own state, shared by the files that it is made of: ui.c has frames, ui_pages.c the stack
 * of pages, ui_keys.c what keys do, ui_draw.c what is around views, ui_prompt.c the lines that the
 * user types, ui_menu.c lists to choose from. For no one else.
 * One thread: see ui.h.
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

/* What a prompt asks for; each has a history of its own. */
enum ask { ASK_SEARCH, ASK_FILTER, ASK_TIME, ASK_EXPORT, NR_ASKS, ASK_NONE = NR_ASKS };

/* What a list is of. */
enum ui_menu { UI_MENU_SORT, UI_MENU_COPY };

#define MAX_COMPLETIONS 100

/* What Tab goes through, until another key is pressed. */
struct completion {
	char words[MAX_COMPLETIONS][128];
	int nr, at;  /* nr 0: none */
	size_t from; /* where in the line the word begins */
};

/* On the bottom line, from column `x` to the next one. */
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
	const struct view *drawn; /* what was in front in the last frame */
	int focus;
	bool zoomed, process_scope;
	struct timing_limits limits;
	struct handle selected; /* the process that drives the other panes */
	struct layout layout;
	struct layout_wants wants;
	ns_t wanted_ns[NR_PANES]; /* monotonic: when the pane last had use for all of its rows */
	struct header_rate rate;
	struct findings_watch found;
	struct prompt prompts[NR_ASKS];
	struct completion completion;
	enum ask asking; /* the prompt that is open, or ASK_NONE */
	struct menu menu;
	enum ui_menu menu_of;
	char *copied; /* NULL: nothing was */
	struct {
		char *file; /* as the event says; NULL: none was asked for */
		int64_t line;
	} place;
	struct find find;
	bool find_said;        /* the bottom line tells of the search until the next key */
	struct filter *filter; /* of processes, in force; NULL: none */
	char notice[256];
	bool asks_to_quit; /* the bottom line asks; the next key is the answer */
	bool quits;        /* it was answered: it is not asked again */
	struct key_box key_boxes[MAX_KEY_BOXES];
	int nr_key_boxes, keys_x; /* keys_x: where the next one would stand */
	bool ticks, working;
	struct ui_input in; /* of the last frame */
	bool has_in, reading, has_summary, begun;
	bool is_said; /* ui_look() in place of frames */
};

/* ---- ui.c ---- */

/* The view that takes the keys: the topmost page, else the pane in focus. */
struct view *ui_front(struct ui *ui);

enum view_id ui_view_id(const struct view *view);

/* What `view` may use in this frame. */
struct view_ctx ui_context(struct ui *ui, struct view *view);

/*
 * Gather the view's rows anew: between frames the model moves on, and rows refer to it. What is
 * only there in a frame (sources, the command's output) has no rows then.
 */
void ui_gather(struct ui *ui, struct view *view);

/* Go on with what is found in all roots, as `view` has them, for so long. */
void ui_find_findings(struct ui *ui, struct view *view, ns_t budget);

/* Where the filter of `view` is kept: its own, or that of processes. */
struct filter **ui_filter_of(struct ui *ui, struct view *view);

/* ---- ui_wants.c ---- */

/* What the panes have to show, of their last gathering, for the layout of the frame. */
void ui_wants(struct ui *ui);

/* ---- ui_pages.c ---- */

/* A new view without a subject; what it holds is freed by the other, the view itself is not. */
void ui_view_init(struct ui *ui, struct view *view, enum view_id id);
void ui_view_release(struct view *view);

/* A page comes to the front, on a copy of `subject` (NULL: on nothing); it goes, and is freed. */
void ui_push_page(struct ui *ui, enum view_id id, const struct subject *subject);
void ui_pop_page(struct ui *ui);

/* Can the page not be opened in this run? Then the user is told why. */
bool ui_page_is_refused(struct ui *ui, enum view_id id);

/* The page's key: opens it on what its row says, or closes it where it is in front. */
void ui_open_page(struct ui *ui, enum view_id id);

/* Enter: the page behind the selected row. */
void ui_drill(struct ui *ui);

/* The key is meant for the row that was shown, and for what the other panes show of it. */
void ui_hold_rows(struct ui *ui, struct view *view);

/* ---- ui_draw.c ---- */

/* Draw a view with its frame and title; notes what it ticks and works for. */
void ui_draw_view(struct ui *ui, struct view *view, struct surface *surface, struct rect area,
		  bool focused);
void ui_draw_tabs(struct ui *ui, struct surface *surface);

/* The bottom line: a prompt, a notice, or as many of the keys as fit: a page's own first, then in
 * the table's order. */
void ui_draw_keys(struct ui *ui, struct surface *surface);

/* The key that stands at column `x` of the bottom line; 0: none. */
uint32_t ui_key_at(const struct ui *ui, int x);

/* The pages walked: "> Events > Record". */
void ui_say_path(struct ui *ui, char *path, size_t bytes);

/* ---- ui_menu.c ---- */

/* Open a list; or say why there is none. */
void ui_menu(struct ui *ui, enum ui_menu which);

/* A key, a press or a pasted character while one is open. Returns enum ui_reaction. */
unsigned ui_menu_key(struct ui *ui, const struct key_event *key);

/* Draw it over the view in front, where one is open. */
void ui_menu_draw(struct ui *ui, struct surface *surface);

/* Note the line of source that the selected row's event names, for ui_place(); false where there is
 * none, which the user is told. */
bool ui_take_place(struct ui *ui);

/* ---- ui_prompt.c ---- */

/* Open the prompt. */
void ui_ask(struct ui *ui, enum ask ask);

/* A key while a prompt is open. Returns enum ui_reaction. */
unsigned ui_ask_key(struct ui *ui, uint32_t key);

/* A character of pasted text while a prompt is open: it goes into the line, whatever it is. */
unsigned ui_ask_paste(struct ui *ui, uint32_t ch);

/* Draw the open prompt into row `y`. */
void ui_ask_draw(struct ui *ui, struct surface *surface, int y);

/* `n`, `N` (1, -1), and Esc: true where there were marks to take away. */
void ui_search_next(struct ui *ui, int step);
bool ui_search_leave(struct ui *ui);

/* Draw how the search stands into row `y`. */
void ui_search_draw(struct ui *ui, struct surface *surface, int y);

#endif
