/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/widget/keys.h"

#include <string.h>

#include "engine/base/utf8.h"

const struct key_row key_rows[NR_ACTIONS] = {
#define KEY(ID, act, keys, short_name, scope, group, doc)                                          \
	[ACTION_##ID] = { #ID, keys, short_name, doc, KEY_SCOPE_##scope, KEY_GROUP_##group },
#include "views/widget/keys.def"
};

const char *const key_group_names[NR_KEY_GROUPS] = {
	[KEY_GROUP_MOVE] = "Moving",         [KEY_GROUP_PANES] = "Panes",
	[KEY_GROUP_TABLE] = "Tables",        [KEY_GROUP_LIMITS] = "Limits",
	[KEY_GROUP_TIME] = "Time",           [KEY_GROUP_PAGES] = "Pages",
	[KEY_GROUP_PROGRAM] = "The program",
};

const char *const key_briefs[NR_ACTIONS] = {
#define BRIEF(ID, text) [ACTION_##ID] = text,
#include "views/widget/briefs.def"
};

static const struct {
	const char *name;
	uint32_t key;
} named_keys[] = {
	{ "Up", KEY_CODE_UP },
	{ "Down", KEY_CODE_DOWN },
	{ "Left", KEY_CODE_LEFT },
	{ "Right", KEY_CODE_RIGHT },
	{ "PgUp", KEY_CODE_PAGE_UP },
	{ "PgDn", KEY_CODE_PAGE_DOWN },
	{ "Home", KEY_CODE_HOME },
	{ "End", KEY_CODE_END },
	{ "S-Tab", KEY_CODE_BACKTAB },
	{ "Backspace", KEY_CODE_BACKSPACE },
	{ "Delete", KEY_CODE_DELETE },
	{ "Insert", KEY_CODE_INSERT },
	{ "Tab", '\t' },
	{ "Enter", '\r' },
	{ "Esc", 0x1b },
	{ "Space", ' ' },
};

#define NR_NAMED_KEYS (sizeof(named_keys) / sizeof(*named_keys))

static uint32_t function_key(const char *name, size_t len)
{
	uint32_t nr = 0;

	if (len < 2 || len > 3 || name[0] != 'F')
		return 0;
	for (size_t i = 1; i < len; i++) {
		if (name[i] < '0' || name[i] > '9')
			return 0;
		nr = nr * 10 + (uint32_t)(name[i] - '0');
	}
	return nr >= 1 && nr <= 12 ? KEY_CODE_F0 + nr : 0;
}

uint32_t key_by_name(const char *name, size_t len)
{
	uint32_t ch;

	for (size_t i = 0; i < NR_NAMED_KEYS; i++)
		if (strlen(named_keys[i].name) == len && !memcmp(named_keys[i].name, name, len))
			return named_keys[i].key;
	if (len == 3 && !memcmp(name, "C-", 2) && name[2] >= 'a' && name[2] <= 'z')
		return KEY_CTRL((uint32_t)name[2]);
	if (len > 1 && function_key(name, len))
		return function_key(name, len);
	if (len && tr2_utf8_decode(name, len, &ch) == len && ch > ' ' && ch != UTF8_REPLACEMENT)
		return ch;
	return 0;
}

void key_text(uint32_t key, struct tr2_buf *out)
{
	char bytes[4];

	for (size_t i = 0; i < NR_NAMED_KEYS; i++)
		if (named_keys[i].key == key) {
			tr2_buf_addstr(out, named_keys[i].name);
			return;
		}
	if (key > KEY_CODE_F0 && key <= KEY_CODE_F12)
		tr2_buf_addf(out, "F%u", (unsigned)(key - KEY_CODE_F0));
	else if (key < ' ')
		tr2_buf_addf(out, "C-%c", (char)(key | 0x60));
	else if (key < KEY_CODE_FIRST)
		tr2_buf_add(out, bytes, tr2_utf8_encode(key, bytes));
}

/* Move `*text` to its next word. Returns the word's length, or 0 at the end. */
static size_t next_word(const char **text)
{
	*text += strspn(*text, " \t\r\n");
	return strcspn(*text, " \t\r\n");
}

static bool row_has(const struct key_row *row, uint32_t key)
{
	const char *at = row->keys;

	for (size_t len; (len = next_word(&at)); at += len)
		if (key_by_name(at, len) == key)
			return true;
	return false;
}

/* Map the alternative codes of Enter and Backspace to one each. */
static uint32_t canonical(uint32_t key)
{
	switch (key) {
	case '\n':
		return '\r';
	case 0x7f:
	case 0x08:
		return KEY_CODE_BACKSPACE;
	default:
		return key;
	}
}

enum action key_action(uint32_t key, enum key_scope scope)
{
	key = canonical(key);
	for (int i = 1; i < NR_ACTIONS; i++)
		if ((key_rows[i].scope & scope) && row_has(&key_rows[i], key))
			return (enum action)i;
	return ACTION_NONE;
}

uint32_t key_script_next(const char **script, bool *bad)
{
	size_t len = next_word(script);
	uint32_t key = len ? key_by_name(*script, len) : 0;

	if (len && !key)
		*bad = true;
	*script += len;
	return key;
}
