/* SPDX-License-Identifier: MIT */
/*
 * Keys and their actions, from the rows of keys.def; keys of a single view are in view_keys.def.
 * Constant data, any thread.
 *
 * A key is a 32-bit number: a Unicode character, or an enum key_code, which is above all
 * characters.
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
	KEY_CODE_F0, /* F1 is KEY_CODE_F0 + 1 */
	KEY_CODE_F12 = KEY_CODE_F0 + 12,
	KEY_CODE_MOUSE, /* mouse event, with x, y and button */
};

#define KEY_CTRL(c) ((c)&0x1f)
#define KEY_ESC     0x1b

enum mouse_button {
	MOUSE_PRESS = 1, /* first mouse button */
	MOUSE_DOUBLE,    /* double click */
	MOUSE_DRAG,
	MOUSE_RELEASE,
	MOUSE_WHEEL_UP,
	MOUSE_WHEEL_DOWN,
};

struct key_event {
	uint32_t key;
	int16_t x, y;   /* for KEY_CODE_MOUSE: column and row of the cell */
	uint8_t button; /* for KEY_CODE_MOUSE: enum mouse_button */
	bool pasted;    /* the character comes from pasted text */
};

/* The kinds of views in which a key is valid. */
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
	const char *id;         /* X of ACTION_X */
	const char *keys;       /* names of the keys, separated by blanks, such as "Down j" */
	const char *short_name; /* text in the key bar; NULL: none */
	const char *doc;        /* description, one sentence */
	uint8_t scope;          /* enum key_scope */
	uint8_t group;          /* enum key_group */
};

/* The rows of keys.def, indexed by enum action; that of ACTION_NONE is empty. */
extern const struct key_row key_rows[NR_ACTIONS];
extern const char *const key_group_names[NR_KEY_GROUPS];
#define KEY_BRIEF_CELLS 26 /* maximum width of a text of key_briefs */
/* Short texts of briefs.def, indexed by enum action; NULL: none. */
extern const char *const key_briefs[NR_ACTIONS];

/* Return the action of `key` in `scope`, or ACTION_NONE. */
enum action key_action(uint32_t key, enum key_scope scope);

/* Return the key with a name such as "F5", "Enter", "Space", "C-l" or "j"; 0 if the name is
 * unknown. */
uint32_t key_by_name(const char *name, size_t len);

/* Append the name of a key, such as "F5" or "j"; nothing for mouse events. */
void key_text(uint32_t key, struct tr2_buf *out);

/*
 * Return the next key of a key script (names or characters separated by blanks) and move `*script`
 * past it. Returns 0 at the end, and for an unknown name, for which it sets `*bad`.
 */
uint32_t key_script_next(const char **script, bool *bad);

#endif
