/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/report_groups.h"

#include "monitor/base/json_write.h"

void report_groups_make(struct report_groups *out, const struct report_input *input)
{
	const struct group_regions_of of = { .processes = { .model = input->model,
							    .depth = input->depth,
							    .keep = input->keep,
							    .keep_data = input->keep_data },
					     .process = HANDLE_NONE,
					     .by = *input->group_by,
					     .nesting = input->nesting };

	*out = (struct report_groups){ 0 };
	report_commands(input, input->group_by, &out->commands);
	group_regions_make(&out->regions, &of);
}

void report_groups_release(struct report_groups *groups)
{
	report_commands_release(&groups->commands);
	group_regions_release(&groups->regions);
}

uint32_t report_groups_regions(const struct report_groups *groups, uint32_t row,
			       const struct group_region **first)
{
	const struct region_group *group =
		group_regions_find(&groups->regions, groups->commands.commands.items[row].id);

	*first = group ? groups->regions.items + group->first : NULL;
	return group ? group->nr_regions : 0;
}

static void json_group_values(struct tr2_jw *jw, const struct report_input *input,
			      const struct command *command)
{
	struct tr2_buf text;

	tr2_buf_init(&text, SIZE_MAX / 2);
	tr2_jw_key(jw, "group");
	tr2_jw_array(jw);
	for (unsigned i = 0; command->slot != SLOT_NONE && i < input->group_by->nr; i++) {
		tr2_buf_clear(&text);
		attribute_format_group(input->model, model_slot(input->model, command->slot),
				       &input->group_by->of[i], &text);
		tr2_jw_string(jw, tr2_buf_cstr(&text), text.len);
	}
	/* Evicted processes are counted only in groups by name alone. */
	if (command->slot == SLOT_NONE && command->text)
		tr2_jw_string(jw, command->text, command->len);
	else if (command->slot == SLOT_NONE)
		tr2_jw_cstring(jw, "(none)");
	tr2_jw_end_array(jw);
	tr2_buf_release(&text);
}

static void json_group_region(struct tr2_jw *jw, const struct model *m, const struct timing *region)
{
	tr2_jw_object(jw);
	json_write_sym(jw, "category", model_syms(m), region->category);
	json_write_sym(jw, "label", model_syms(m), region->label);
	json_write_count(jw, "count", region->count);
	json_write_seconds(jw, "total", region->total);
	json_write_seconds(jw, "self", region->self);
	json_write_seconds(jw, "min", region->min);
	json_write_seconds(jw, "max", region->max);
	json_write_count(jw, "failed", region->failed);
	tr2_jw_end_object(jw);
}

static void json_group(struct tr2_jw *jw, const struct report_input *input,
		       const struct report_groups *groups, const struct report_command *row)
{
	const struct command *c = &row->command;
	const struct group_region *regions;
	uint32_t nr = report_groups_regions(groups, row->row, &regions);

	tr2_jw_object(jw);
	json_group_values(jw, input, c);
	json_write_count(jw, "count", c->count);
	json_write_count(jw, "running", c->running);
	json_write_count(jw, "failed", c->failed);
	json_write_seconds(jw, "total", c->total);
	json_write_seconds(jw, "min", c->min);
	json_write_seconds(jw, "mean", c->timed ? c->total / (ns_t)c->timed : NS_NONE);
	json_write_seconds(jw, "max", c->max);
	json_write_seconds(jw, "p50", row->p50);
	json_write_seconds(jw, "p90", row->p90);
	json_write_seconds(jw, "p99", row->p99);
	json_write_time(jw, "last", c->last);
	tr2_jw_key(jw, "regions");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < nr; i++)
		json_group_region(jw, input->model, &regions[i].timing);
	tr2_jw_end_array(jw);
	tr2_jw_end_object(jw);
}

void report_groups_json(struct tr2_jw *jw, const struct report_input *input)
{
	struct report_groups groups;
	struct tr2_buf word;

	if (!input->group_by)
		return;
	report_groups_make(&groups, input);
	tr2_buf_init(&word, SIZE_MAX / 2);
	tr2_jw_key(jw, "groups");
	tr2_jw_object(jw);
	tr2_jw_key(jw, "by");
	tr2_jw_array(jw);
	for (unsigned i = 0; i < input->group_by->nr; i++) {
		tr2_buf_clear(&word);
		attribute_format(&input->group_by->of[i], &word);
		tr2_jw_string(jw, tr2_buf_cstr(&word), word.len);
	}
	tr2_jw_end_array(jw);
	tr2_jw_key(jw, "rows");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < groups.commands.nr; i++)
		json_group(jw, input, &groups, &groups.commands.rows[i]);
	tr2_jw_end_array(jw);
	tr2_jw_end_object(jw);
	tr2_buf_release(&word);
	report_groups_release(&groups);
}
