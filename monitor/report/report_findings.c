/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/report_findings.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/base/humanize.h"
#include "monitor/base/json_write.h"
#include "monitor/base/visible.h"

#define EVIDENCE_COLUMN 20

void report_findings_make(struct findings *findings, const struct report_input *input,
			  const uint32_t *slots, uint32_t nr)
{
	const struct analysis what = { .model = input->model,
				       .limits = { -1, -1 },
				       .now = NS_NONE };
	const struct findings_of of = { .what = &what,
					.own_command = input->own_command,
					.all_over = true,
					.look = repository_look,
					.keep = input->keep,
					.keep_data = input->keep_data };
	struct parts parts = { 0 };

	findings->off = input->findings_off;
	for (uint32_t i = 0; i < nr; i++) {
		if (model_slot(input->model, slots[i])->parent != SLOT_NONE)
			continue;
		findings_of_root(findings, &of, slots[i], &parts);
	}
	findings_of_all(findings, &of);
	findings_sort(findings);
	parts_release(&parts);
}

static void key_share(struct tr2_jw *jw, const struct finding *finding)
{
	char text[32];

	tr2_jw_key(jw, "share");
	if (!finding->held || !finding->wall) {
		tr2_jw_null(jw);
		return;
	}
	tr2_jw_raw(jw, text,
		   (size_t)snprintf(text, sizeof(text), "%.4f",
				    (double)finding->held / (double)finding->wall));
}

static void findings_json(const struct findings *f, struct tr2_jw *jw, const struct model *m)
{
	tr2_jw_key(jw, "findings");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < f->nr; i++) {
		const struct finding *finding = &f->items[i];
		const struct finding_row *row = &finding_rows[finding->id];
		const struct process *process = model_process(m, finding->process);
		size_t len;
		const char *evidence = finding_evidence(f, finding, &len);

		tr2_jw_object(jw);
		json_write_cstring(jw, "id", row->word);
		json_write_cstring(jw, "level", finding_level_names[row->level]);
		json_write_cstring(jw, "title", row->title);
		json_write_text(jw, "process", process ? model_text(m, process->sid) : NULL,
				process ? process->sid.len : 0);
		json_write_seconds(jw, "held", finding->held);
		key_share(jw, finding);
		json_write_text(jw, "evidence", evidence, len);
		json_write_cstring(jw, "advice", finding_advice(f, finding));
		json_write_count(jw, "count", finding->count);
		tr2_jw_end_object(jw);
	}
	tr2_jw_end_array(jw);
}

void report_findings_json_of(struct tr2_jw *jw, const struct report_input *input)
{
	struct findings found = { 0 };
	uint32_t nr, *slots = report_processes(input, &nr);

	report_findings_make(&found, input, slots, nr);
	findings_json(&found, jw, input->model);
	findings_release(&found);
	free(slots);
}

static void evidence_text(const struct findings *f, const struct finding *finding,
			  const struct model *m, struct tr2_buf *out)
{
	const struct process *process = model_process(m, finding->process);
	size_t len;
	const char *evidence = finding_evidence(f, finding, &len);
	struct tr2_buf name;

	tr2_buf_addf(out, "%*s", EVIDENCE_COLUMN, "");
	if (process) {
		tr2_buf_init(&name, 4096);
		finding_format_process(m, process, &name);
		text_visible_cut(out, tr2_buf_cstr(&name), name.len, 100);
		tr2_buf_addstr(out, ": ");
		tr2_buf_release(&name);
	}
	text_visible(out, evidence, len);
	tr2_buf_addch(out, '\n');
}

void report_finding_kind_text(const struct findings *f, const struct finding_kinds *kinds,
			      const struct finding_kind *kind, const struct model *m,
			      struct tr2_buf *out)
{
	const struct finding *worst = &f->items[kinds->runs[kind->first].finding];
	const struct finding_row *row = &finding_rows[kind->id];
	struct tr2_buf where;

	tr2_buf_addf(out, "  %9s", kind->cost ? human_duration(kind->cost).text : "-");
	if (kind->cost && kind->wall)
		tr2_buf_addf(out, " %5.1f%%", (double)kind->cost * 100 / (double)kind->wall);
	else
		tr2_buf_addf(out, " %6s", "");
	tr2_buf_addf(out, "  %s (%s)\n", row->title, row->word);
	if (kind->nr > 1) {
		tr2_buf_init(&where, 4096);
		finding_kind_format_where(kinds, kind, m, 4, &where);
		tr2_buf_addf(out, "%*s%" PRIu32 " runs: ", EVIDENCE_COLUMN, "", kind->nr);
		text_visible_cut(out, tr2_buf_cstr(&where), where.len, 200);
		tr2_buf_addstr(out, "; the most costly one:\n");
		tr2_buf_release(&where);
	}
	evidence_text(f, worst, m, out);
	tr2_buf_addf(out, "%*s%s\n", EVIDENCE_COLUMN, "", finding_advice(f, worst));
}
