/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/ui/setup.h"
#include "views/ui/views.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "monitor/settings/config_file.h"
#include "monitor/settings/option_values.h"

#define MAX_KEYS 64 /* maximum number of keys: settings, and two per view */

enum view_setting {
#define VIEW_SETTING(ID, name, value, help) VIEW_SETTING_##ID,
#include "views/ui/setup.def"
	NR_VIEW_SETTINGS
};

static const struct {
	const char *name, *help;
} view_settings[NR_VIEW_SETTINGS] = {
#define VIEW_SETTING(ID, name, value, help) { name, help },
#include "views/ui/setup.def"
};

void setup_init(struct setup *setup, const struct options *options,
		const struct view_ops *const *ops)
{
	*setup = (struct setup){ .options = *options, .given = *options, .ops = ops };
	for (int i = 0; i < NR_VIEWS; i++)
		arrangement_clear(&setup->views[i]);
	setup_settle(setup);
}

bool setup_is_later(const char *name)
{
	static const char *const later[] = { "history", "max-processes", "page", "follow",
					     "lines" };

	for (size_t i = 0; i < sizeof(later) / sizeof(*later); i++)
		if (!strcmp(later[i], name))
			return true;
	return false;
}

bool setup_can_sort(const struct setup *setup, enum view_id id)
{
	const struct view_ops *ops = setup->ops[id];

	for (int i = 0; i < ops->nr_columns; i++)
		if (ops->columns[i].title && !ops->columns[i].no_sort)
			return true;
	return false;
}

bool setup_has_columns(const struct setup *setup, enum view_id id)
{
	return setup->ops[id]->arranged;
}

static bool has_setting(const struct setup *setup, enum view_id id, int setting)
{
	return setup_has_columns(setup, id) &&
	       (setting != VIEW_SETTING_SORT || setup_can_sort(setup, id));
}

static bool view_key(const struct setup *setup, const char *key, enum view_id *id,
		     enum view_setting *setting)
{
	const char *dot = strchr(key, '.');

	if (!dot)
		return false;
	for (int v = 0; v < NR_VIEWS; v++) {
		const char *word = view_words[v].word;

		if (!setup_has_columns(setup, (enum view_id)v) ||
		    strlen(word) != (size_t)(dot - key) ||
		    memcmp(word, key, (size_t)(dot - key)) != 0)
			continue;
		for (int s = 0; s < NR_VIEW_SETTINGS; s++)
			if (!strcmp(view_settings[s].name, dot + 1) &&
			    has_setting(setup, (enum view_id)v, s)) {
				*id = (enum view_id)v;
				*setting = (enum view_setting)s;
				return true;
			}
	}
	return false;
}

/* Get the help text of a setting. If its option turns something off, the key has the opposite
 * meaning, so "no: " is put before the help. */
static void setting_help(const struct option_row *row, char help[SETUP_HELP_BYTES])
{
	snprintf(help, SETUP_HELP_BYTES, "%s%s", row->type == &option_type_OFF ? "no: " : "",
		 row->help);
}

bool setup_key(const struct setup *setup, int number, char key[64], char help[SETUP_HELP_BYTES])
{
	for (int i = 0; option_setting(i); i++)
		if (!number--) {
			snprintf(key, 64, "%s", option_setting_name(option_setting(i)));
			if (help)
				setting_help(option_setting(i), help);
			return true;
		}
	for (int v = 0; v < NR_VIEWS; v++)
		for (int s = 0; s < NR_VIEW_SETTINGS; s++)
			if (has_setting(setup, (enum view_id)v, s) && !number--) {
				snprintf(key, 64, "%s.%s", view_words[v].word,
					 view_settings[s].name);
				if (help)
					snprintf(help, SETUP_HELP_BYTES, "%s",
						 view_settings[s].help);
				return true;
			}
	return false;
}

/* Return the edit distance of two words, for the hint "did you mean". */
static int distance(const char *a, const char *b)
{
	int row[64], nr = (int)strlen(b);

	for (int i = 0; i <= nr; i++)
		row[i] = i;
	for (int i = 1; *a; i++, a++) {
		int diagonal = row[0];

		row[0] = i;
		for (int k = 1; k <= nr; k++) {
			int up = row[k], change = diagonal + (*a != b[k - 1]);

			diagonal = up;
			row[k] = up < row[k - 1] ? up + 1 : row[k - 1] + 1;
			row[k] = change < row[k] ? change : row[k];
		}
	}
	return row[nr];
}

static bool unknown_key(const struct setup *setup, const char *key, char *why, size_t why_bytes)
{
	char other[64], nearest[64] = "";
	int best =
		/* words with this distance or a larger one are not suggested */
		strlen(key) < 6 ? (int)strlen(key) / 2 + 1 : 4;

	if (why_bytes <= 1) /* no space for a reason: the caller does not want one */
		return false;
	for (int i = 0; strlen(key) < 64 && setup_key(setup, i, other, NULL); i++) {
		int changes = distance(key, other);

		if (changes < best && changes < (int)strlen(other)) {
			best = changes;
			snprintf(nearest, sizeof(nearest), "%s", other);
		}
	}
	if (*nearest)
		snprintf(why, why_bytes, "unknown key '%.60s': did you mean '%s'?", key, nearest);
	else
		snprintf(why, why_bytes,
			 "unknown key '%.60s': remove it; man trace2top-formats lists the keys",
			 key);
	return false;
}

bool setup_take(void *data, const char *key, const char *value, char *why, size_t why_bytes)
{
	const struct option_row *row = option_setting_named(key);
	struct setup *setup = data;
	enum view_setting setting;
	enum view_id id;

	if (row) {
		char wants[200];

		if (option_set(&setup->options, row, value) || setup_is_auto(value))
			return true;
		option_wants(row, wants, sizeof(wants));
		snprintf(why, why_bytes, "%s: '%.60s' is not valid; use %s", key, value, wants);
		return false;
	}
	if (!view_key(setup, key, &id, &setting))
		return unknown_key(setup, key, why, why_bytes);
	if (setting == VIEW_SETTING_SORT)
		return arrangement_parse_sort(&setup->views[id], setup->ops[id]->columns,
					      setup->ops[id]->nr_columns, value, why, why_bytes);
	return arrangement_parse(&setup->views[id], setup->ops[id]->columns,
				 setup->ops[id]->nr_columns, value, why, why_bytes);
}

void setup_say(const struct setup *setup, const char *key, struct tr2_buf *out)
{
	const struct option_row *row = option_setting_named(key);
	enum view_setting setting;
	enum view_id id;
	size_t len = out->len;
	char text[OPTION_TEXT_BYTES];

	if (row) {
		option_format(&setup->options, row, text, sizeof(text));
		tr2_buf_addstr(out, text);
	} else if (view_key(setup, key, &id, &setting)) {
		if (setting == VIEW_SETTING_SORT)
			arrangement_format_sort(&setup->views[id], setup->ops[id]->columns, out);
		else
			arrangement_format(&setup->views[id], setup->ops[id]->columns, out);
		if (out->len == len)
			tr2_buf_addstr(out, "auto");
	}
}

static void add_key(const struct setup *setup, const char *key, const char *before,
		    struct tr2_buf *out)
{
	tr2_buf_addf(out, "%s%s = ", before, key);
	setup_say(setup, key, out);
	tr2_buf_addch(out, '\n');
}

static int key_of_line(const struct setup *setup, const char *line, size_t len)
{
	const char *equals = memchr(line, '=', len);
	size_t key_len = equals ? (size_t)(equals - line) : 0;
	enum view_setting setting;
	enum view_id id;
	char key[64], known[64];

	while (key_len && strchr(" \t", line[key_len - 1]))
		key_len--;
	for (; key_len && strchr(" \t", *line); key_len--)
		line++;
	if (!key_len || key_len >= sizeof(key) || memchr(line, 0, key_len))
		return -1;
	memcpy(key, line, key_len);
	key[key_len] = '\0';
	if (!option_setting_named(key) && !view_key(setup, key, &id, &setting))
		return -1;
	for (int i = 0; setup_key(setup, i, known, NULL); i++)
		if (!strcmp(key, known))
			return i;
	return -1;
}

static size_t setup_line_take(const char **text, size_t *len)
{
	const char *newline = memchr(*text, '\n', *len);
	size_t nr = newline ? (size_t)(newline - *text) : *len;
	size_t taken = newline ? nr + 1 : nr;

	*text += taken;
	*len -= taken;
	return nr;
}

static void update_lines(const struct setup *setup, const char *text, size_t len, bool *seen,
			 struct tr2_buf *out)
{
	char key[64];

	while (len) {
		const char *line = text;
		size_t nr = setup_line_take(&text, &len);
		int number = key_of_line(setup, line, nr);

		if (number >= 0 && number < MAX_KEYS && setup_key(setup, number, key, NULL)) {
			seen[number] = true;
			add_key(setup, key, "", out);
		} else {
			tr2_buf_add(out, line, nr);
			tr2_buf_addch(out, '\n');
		}
	}
}

static bool is_default(const struct setup *setup, const char *key)
{
	struct options options;
	struct tr2_buf now, of_itself;
	struct setup plain;
	bool same;

	options_init(&options);
	setup_init(&plain, &options, setup->ops);
	tr2_buf_init(&now, 4096);
	tr2_buf_init(&of_itself, 4096);
	setup_say(setup, key, &now);
	setup_say(&plain, key, &of_itself);
	same = !strcmp(tr2_buf_cstr(&now), tr2_buf_cstr(&of_itself));
	tr2_buf_release(&now);
	tr2_buf_release(&of_itself);
	return same;
}

void setup_text(const struct setup *setup, const char *old, size_t old_len, struct tr2_buf *out)
{
	bool seen[MAX_KEYS] = { false };
	char key[64], help[SETUP_HELP_BYTES];

	if (!old_len)
		tr2_buf_addstr(out,
			       "# Configuration of trace2top, written by its setup page: F2.\n"
			       "# Lines of key = value; see CONFIGURATION in man trace2top.\n");
	update_lines(setup, old, old_len, seen, out);
	for (int i = 0; i < MAX_KEYS && setup_key(setup, i, key, help); i++) {
		if (seen[i])
			continue;
		if (!old_len)
			tr2_buf_addf(out, "\n# %s\n", help);
		if (!is_default(setup, key))
			add_key(setup, key, "", out);
		else if (!old_len)
			add_key(setup, key, "# ", out);
	}
}

bool setup_save(struct setup *setup)
{
	struct tr2_buf old, text;
	bool ok;
	int error;

	tr2_buf_init(&old, SIZE_MAX / 2);
	tr2_buf_init(&text, SIZE_MAX / 2);
	ok = config_file_text(setup->path, &old) || errno == ENOENT || errno == ENOTDIR;
	if (ok && old.len > CONFIG_MAX_BYTES) {
		ok = false;
		errno = EFBIG;
	}
	if (ok) {
		setup_text(setup, old.data, old.len, &text);
		ok = config_file_write(setup->path, text.data, text.len);
	}
	error = errno;
	if (ok)
		setup_settle(setup);
	tr2_buf_release(&old);
	tr2_buf_release(&text);
	errno = error;
	return ok;
}
