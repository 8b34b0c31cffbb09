/* SPDX-License-Identifier: MIT */
/* Prints the tables of man/trace2.5 from the schema and the settings. */
#include "config.h"

#include <stdio.h>

#include "engine/schema.h"
#include "engine/tr2_settings.h"

static const char *type_name(unsigned type)
{
	static const char *const names[] = {
		[TR2_TYPE_SID] = "string",   [TR2_TYPE_SYM] = "string",
		[TR2_TYPE_TEXT] = "string",  [TR2_TYPE_LIST] = "strings",
		[TR2_TYPE_NUM] = "integer",  [TR2_TYPE_BOOL] = "boolean",
		[TR2_TYPE_TIME] = "seconds", [TR2_TYPE_CLOCK] = "time",
	};

	return names[type];
}

static const char *targets_name(unsigned targets)
{
	return targets == TR2_TARGETS_NPE  ? "normal, perf; event"
	       : targets == TR2_TARGETS_PE ? "perf; event"
					   : "event";
}

static void print_pieces(const char *target, const struct tr2_piece *piece)
{
	if (piece->how == TR2_PIECE_END)
		return;
	printf(".br\n%s: ", target);
	for (; piece->how != TR2_PIECE_END; piece++) {
		if (piece->how == TR2_PIECE_TEXT)
			printf("%s", piece->lead);
		else
			printf("%s<%s>%s", piece->lead, tr2_fields[piece->field].wire, piece->tail);
	}
	printf("\n");
}

static void print_events(void)
{
	for (unsigned i = 0; i < TR2_NR_EVENTS; i++) {
		const struct tr2_event_desc *row = &tr2_events[i];

		printf(".TP\n.B %s\n%s (%s since evt %u).\n", row->wire, row->doc,
		       targets_name(row->targets), row->since);
		for (unsigned f = 0; f < row->nr_fields; f++)
			printf("%s%s%s%s",
			       f ? ", " : ".br\nKeys: ", row->fields[f].optional ? "[" : "",
			       tr2_fields[row->fields[f].id].wire,
			       row->fields[f].optional ? "]" : "");
		if (row->nr_fields)
			printf("\n");
		print_pieces("perf", row->perf);
		print_pieces("normal", row->normal);
	}
}

static void print_fields(void)
{
	for (unsigned i = 0; i < TR2_NR_FIELDS; i++)
		printf(".TP\n.B %s\n%s: %s\n", tr2_fields[i].wire, type_name(tr2_fields[i].type),
		       tr2_fields[i].doc);
}

static void print_settings(void)
{
	for (unsigned i = 0; i < TR2_NR_SETTINGS; i++) {
		printf(".TP\n.B GIT_TRACE2%s\n", tr2_setting_descs[i].suffix);
		if (tr2_setting_descs[i].key)
			printf("(%s) ", tr2_setting_descs[i].key);
		printf("%s\n", tr2_setting_descs[i].doc);
	}
}

int main(void)
{
	printf(".\\\" BEGIN settings\n");
	print_settings();
	printf(".\\\" END settings\n.\\\" BEGIN events\n");
	print_events();
	printf(".\\\" END events\n.\\\" BEGIN fields\n");
	print_fields();
	printf(".\\\" END fields\n");
	return 0;
}
