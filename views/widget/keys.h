/* SPDX-License-Identifier: MIT */
/*
 * Keys and their actions. keys.def is the only table: dispatch, the help page, the key bar, the
 * panes and pages, and the manual's tables are generated from its rows. Constant data, any thread.
 *
 * A key is a 32-bit number: a typed Unicode character, or one of enum key_code above all
 * characters. Independent of curses.
 */
#ifndef VIEWS_KEYS_H
#define VIEWS_KEYS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/buf.h"

enum key_code {
	KEY_CODE_FIRST = 0x110000,
	KEY_CODE_UP,
	KEY_CODE_DOWN,
	KEY_CODE_LEFT,
	KEY_CODE_RIGHT,
	KEY_CODE_PAGE_UP,
	KEY_CODE_PAGE_DOWN,
	KEY_CODE_HOME,
	KEY_CODE_END,
	KEY_CODE_BACKTAB,
	KEY_CODE_BACKSPACE,
	KEY_CODE_DELETE,
	KEY_CODE_INSERT,
	KEY_CODE_F0, /* code of F1 is KEY_CODE_F0 + 1; up to F12 */
	KEY_CODE_F12 = KEY_CODE_F0 + 12,
	KEY_CODE_MOUSE, /* mouse event: x, y and button are valid */
};

#define KEY_CTRL(c) ((c)&0x1f)
#define KEY_ESC     0x1b

enum mouse_button {
	MOUSE_PRESS = 1, /* the first button went down */
	MOUSE_DOUBLE,    /* double click: like Enter */
	MOUSE_DRAG,
	MOUSE_RELEASE,
	MOUSE_WHEEL_UP,
	MOUSE_WHEEL_DOWN,
};

struct key_event {
	uint32_t key;
	int16_t x, y;   /* for KEY_CODE_MOUSE: the cell */
	uint8_t button; /* for KEY_CODE_MOUSE: enum mouse_button */
	bool pasted;    /* the character is of a pasted text, not a pressed key */
};

/* The views in which a key is valid. */
enum key_scope {
	KEY_SCOPE_ALL = 0xff,
	KEY_SCOPE_PANES = 1,
	KEY_SCOPE_PAGES = 2,
};

enum action {
	ACTION_NONE,
#define KEY(ID, act, keys, short_name, scope, group, doc) ACTION_##ID,
#include "views/widget/keys.def"
	NR_ACTIONS
};

enum key_group {
	KEY_GROUP_MOVE,
	KEY_GROUP_PANES,
	KEY_GROUP_TABLE,
	KEY_GROUP_LIMITS,
	KEY_GROUP_TIME,
	KEY_GROUP_PAGES,
	KEY_GROUP_PROGRAM,
	NR_KEY_GROUPS
};

struct key_row {
	const char *id;         /* name of the action, as in ACTION_ID */
	const char *keys;       /* names of the keys, separated by blanks: "Down j" */
	const char *short_name; /* text in the key bar; NULL: not in the key bar */
	const char *doc;        /* description, one sentence */
	uint8_t scope;          /* enum key_scope */
	uint8_t group;          /* enum key_group */
};

/* rows of keys.def by action; [ACTION_NONE] is empty */
extern const struct key_row key_rows[NR_ACTIONS];
extern const char *const key_group_names[NR_KEY_GROUPS];
/* short texts by action, from briefs.def; NULL: none */
#define KEY_BRIEF_CELLS 26
extern const char *const key_briefs[NR_ACTIONS];

/* Return the action of `key`; ACTION_NONE if it has no action in `scope`. */
enum action key_action(uint32_t key, enum key_scope scope);

/* Return the code of a key by its name, such as "F5", "Enter", "Space", "C-l" or "j"; 0 if no key
 * has it. */
uint32_t key_by_name(const char *name, size_t len);

/* Append the name of a key, as accepted by key_by_name(). */
void key_text(uint32_t key, struct tr2_buf *out);

/*
 * Return the next key of a key script (names or characters separated by blanks) and advance
 * `*script`; 0 at its end. Sets `*bad` if a word is not a key.
 */
uint32_t key_script_next(const char **script, bool *bad);

#endif
