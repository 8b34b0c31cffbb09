/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/app/last_line.h"

#include <stdio.h>
#include <string.h>

#include "monitor/analysis/parts.h"
#include "monitor/base/humanize.h"
#include "monitor/base/visible.h"
#include "monitor/intake/command_status.h"

#define MAX_PARTS     3
#define COMMAND_BYTES 60
#define PART_BYTES    60
#define LEAST_PERCENT 5 /* minimum share of the wall time, in percent, of a printed part */

static void append_parts(struct session *s, ns_t begun, ns_t ran, struct tr2_buf *out)
{
	const struct analysis what = { .model = s->model,
				       .limits = { -1, -1 },
				       .now = tr2_clock_wall(),
				       .process = HANDLE_NONE };
	const struct parts_of of = { .slot = SLOT_NONE,
				     .begun = begun,
				     .wall = ran,
				     .all_over = true,
				     .own_command = true };
	struct tr2_buf name = { .max = 1 << 16 };
	struct parts parts = { 0 };

	model_settle(s->model);
	parts_make(&parts, &what, &of);
	for (uint32_t i = 0; i < parts.nr && i < MAX_PARTS && parts.wall > 0; i++) {
		double percent = (double)parts.items[i].time * 100 / (double)parts.wall;

		if (percent < LEAST_PERCENT)
			break;
		tr2_buf_clear(&name);
		part_format_whole(&parts, s->model, &parts.items[i], &name);
		tr2_buf_addf(out, "%s %.0f %% ", i ? "," : ":", percent);
		text_visible_cut(out, tr2_buf_cstr(&name), name.len, PART_BYTES);
	}
	parts_release(&parts);
	tr2_buf_release(&name);
}

void last_line_format(struct session *s, const char *command_line, struct tr2_buf *out)
{
	enum command_state now;
	char state[80];
	int status;
	ns_t ran;

	if (!command_line)
		return;
	now = intake_command(s->intake, &status, &ran);
	if (now == COMMAND_NONE)
		return;
	text_visible_cut(out, command_line, strlen(command_line), COMMAND_BYTES);
	if (now == COMMAND_ENDED)
		command_status_format(status, ran, state, sizeof(state));
	else
		snprintf(state, sizeof(state), "stopped after %s", human_duration(ran).text);
	tr2_buf_addf(out, ": %s", state);
	if (model_nr_processes(s->model))
		append_parts(s, intake_command_begun(s->intake), ran, out);
	tr2_buf_addch(out, '\n');
}
