/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/report/report_parts.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/jw.h"
#include "monitor/analysis/format_text.h"
#include "monitor/analysis/past_median.h"
#include "monitor/analysis/remote_time.h"
#include "monitor/base/die.h"
#include "monitor/base/humanize.h"
#include "monitor/base/json_write.h"
#include "monitor/base/visible.h"

/* maximum number of pieces of a critical path in JSON: the longest */
#define PATH_PIECES 100

/* Compute the parts and remote times of a root process. Returns false if no process of its tree has
 * a transport as a child. */
static bool report_parts_make(struct report_parts *r, const struct report_input *input,
			      uint32_t slot, struct remote_time *remote)
{
	const struct analysis what = { .model = input->model,
				       .limits = { -1, -1 },
				       .now = NS_NONE };

	const struct parts_of of = { .slot = slot,
				     .begun = NS_NONE,
				     .wall = NS_NONE,
				     .all_over = true,
				     .own_command = input->own_command };

	parts_make(&r->one, &what, &of);
	parts_add(&r->sum, &r->one);
	return remote_time_make(remote, &r->one, &what, &of);
}

void report_parts_release(struct report_parts *r)
{
	parts_release(&r->one);
	parts_release(&r->sum);
	waits_release(&r->waits);
}

/* ---- JSON ---- */

static void key_process(struct tr2_jw *jw, const struct model *m, uint32_t slot)
{
	const struct process *p = slot == SLOT_NONE ? NULL : model_slot(m, slot);

	json_write_text(jw, "process", p ? model_text(m, p->sid) : NULL, p ? p->sid.len : 0);
}

static void part_json(struct tr2_jw *jw, const struct model *m, const struct parts *parts,
		      const struct part *part)
{
	const char *text;
	size_t len;

	tr2_jw_object(jw);
	json_write_cstring(jw, "kind", part_kind_names[part->kind]);
	text = part_category(parts, m, part, &len);
	json_write_text(jw, "category", text, len);
	text = part_label(parts, m, part, &len);
	json_write_text(jw, "label", text, len);
	text = part_name(parts, part, &len);
	json_write_text(jw, "name", text, len);
	key_process(jw, m, part->slot);
	json_write_seconds(jw, "time", part->time);
	json_write_count(jw, "count", part->pieces);
	json_write_bool(jw, "at_limit", part->at_limit);
	text = part_line(parts, part, &len);
	json_write_text(jw, "line", text, len);
	tr2_jw_end_object(jw);
}

static void parts_parts_json(struct tr2_jw *jw, const struct model *m, const struct parts *parts)
{
	tr2_jw_key(jw, "parts");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < parts->nr; i++)
		part_json(jw, m, parts, &parts->items[i]);
	tr2_jw_end_array(jw);
}

static void remote_json(struct tr2_jw *jw, const struct remote_time *remote)
{
	tr2_jw_key(jw, "remote");
	tr2_jw_object(jw);
	json_write_seconds(jw, "waiting", remote->waiting);
	json_write_seconds(jw, "transfer", remote->transfer);
	json_write_seconds(jw, "local", remote->local);
	tr2_jw_end_object(jw);
}

/* for parts_longest_first(), because qsort() passes no context; used by one thread */
static const struct piece *sort_pieces;

static int parts_longest_first(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	if (sort_pieces[x].time != sort_pieces[y].time)
		return sort_pieces[x].time < sort_pieces[y].time ? 1 : -1;
	return x < y ? -1 : x > y;
}

static int in_order(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void path_json(struct tr2_jw *jw, const struct model *m, const struct parts *parts)
{
	uint32_t *order = xreallocarray(NULL, (size_t)parts->nr_pieces + 1, sizeof(*order));
	uint32_t nr = parts->nr_pieces < PATH_PIECES ? parts->nr_pieces : PATH_PIECES;
	struct tr2_buf line;

	tr2_buf_init(&line, SAY_MAX_BYTES);
	for (uint32_t i = 0; i < parts->nr_pieces; i++)
		order[i] = i;
	sort_pieces = parts->pieces;
	qsort(order, parts->nr_pieces, sizeof(*order), parts_longest_first);
	qsort(order, nr, sizeof(*order), in_order);
	tr2_jw_key(jw, "path");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < nr; i++) {
		const struct piece *piece = &parts->pieces[order[i]];
		const struct part *part = &parts->items[piece->part];

		tr2_buf_clear(&line);
		part_format(parts, m, part, &line);
		tr2_jw_object(jw);
		json_write_seconds(jw, "begin", piece->begin);
		json_write_seconds(jw, "time", piece->time);
		json_write_cstring(jw, "kind", part_kind_names[part->kind]);
		json_write_text(jw, "label", tr2_buf_cstr(&line), line.len);
		key_process(jw, m, piece->slot);
		tr2_jw_end_object(jw);
	}
	tr2_jw_end_array(jw);
	json_write_count(jw, "path_more", parts->nr_pieces - nr);
	tr2_buf_release(&line);
	free(order);
}

void report_parts_json(struct report_parts *r, struct tr2_jw *jw, const struct report_input *input,
		       uint32_t slot)
{
	const struct parts *parts = &r->one;
	struct remote_time remote;
	bool has_remote = report_parts_make(r, input, slot, &remote);

	parts_parts_json(jw, input->model, parts);
	if (has_remote)
		remote_json(jw, &remote);
	path_json(jw, input->model, parts);
	json_write_number(jw, "writer_nesting", parts->nesting);
	json_write_seconds(jw, "at_limit", parts->at_limit);
	json_write_cstring(jw, "places", parts->guessed ? "guessed" : "known");
	json_write_bool(jw, "ended", parts->ended);
}

static void usual_json(struct tr2_jw *jw, bool has, const struct past_median *usual)
{
	tr2_jw_key(jw, "usual");
	if (!has) {
		tr2_jw_null(jw);
		return;
	}
	tr2_jw_object(jw);
	json_write_count(jw, "n", usual->n);
	json_write_seconds(jw, "p50", usual->p50);
	json_write_seconds(jw, "p90", usual->p90);
	json_write_count(jw, "slower_than", usual->slower_than);
	json_write_bool(jw, "late", usual->late);
	json_write_seconds(jw, "remaining", usual->remaining);
	tr2_jw_end_object(jw);
}

static bool parts_usual_of(const struct model *m, const struct wait *wait,
			   struct past_median *usual)
{
	const struct process *p = model_slot(m, wait->slot);

	if (wait->kind == WAIT_REGION)
		return past_median_of_region(m, p, wait->category, wait->label, wait->since, usual);
	if (wait->child >= p->children.nr)
		return false;
	return past_median_of_child(m, p, process_child(m, p, wait->child), wait->since, usual);
}

void report_waits_json(struct report_parts *r, struct tr2_jw *jw, const struct report_input *input,
		       uint32_t slot)
{
	const struct analysis what = { .model = input->model,
				       .now = model_last_time(input->model) };
	struct tr2_buf line;
	struct past_median usual;

	tr2_buf_init(&line, SAY_MAX_BYTES);
	waits_make(&r->waits, &what, slot);
	tr2_jw_key(jw, "waits");
	tr2_jw_array(jw);
	for (uint32_t i = 0; i < r->waits.nr; i++) {
		const struct wait *wait = &r->waits.items[i];

		tr2_buf_clear(&line);
		wait_format(input->model, wait, &line);
		tr2_jw_object(jw);
		json_write_cstring(jw, "kind", wait_kind_names[wait->kind]);
		json_write_text(jw, "label",
				wait->kind == WAIT_THINKING ? NULL : tr2_buf_cstr(&line), line.len);
		json_write_seconds(jw, "since", wait->since);
		key_process(jw, input->model, wait->slot);
		usual_json(jw, parts_usual_of(input->model, wait, &usual), &usual);
		tr2_jw_end_object(jw);
	}
	tr2_jw_end_array(jw);
	tr2_buf_release(&line);
}

void report_parts_json_sum(struct report_parts *r, struct tr2_jw *jw,
			   const struct report_input *input)
{
	parts_sort(&r->sum);
	parts_parts_json(jw, input->model, &r->sum);
}

/* ---- text ---- */

static void row_text(struct tr2_buf *out, struct tr2_buf *line, uint64_t count, ns_t time,
		     ns_t wall)
{
	size_t start = out->len, cells;

	tr2_buf_addstr(out, "  ");
	text_visible(out, tr2_buf_cstr(line), line->len);
	cells = out->len - start;
	tr2_buf_fill(out, ' ', cells < 58 ? 58 - cells : 1);
	if (count)
		tr2_buf_addf(out, "%7sx", human_count(count).text);
	else
		tr2_buf_addstr(out, "        ");
	tr2_buf_addf(out, " %9s", human_duration(time).text);
	if (wall > 0)
		tr2_buf_addf(out, " %5.1f%%\n", (double)time * 100 / (double)wall);
	else
		tr2_buf_addstr(out, "      -\n");
}

void report_parts_text(struct report_parts *r, struct tr2_buf *out,
		       const struct report_input *input, uint32_t slot)
{
	const struct parts *parts = &r->one;
	struct remote_time remote;
	bool has_remote = report_parts_make(r, input, slot, &remote);
	struct tr2_buf line;

	tr2_buf_init(&line, SAY_MAX_BYTES);
	tr2_buf_addstr(out, "\nParts of the wall time: ");
	format_process(input->model, model_slot(input->model, slot), &line);
	text_visible(out, tr2_buf_cstr(&line), line.len);
	tr2_buf_addstr(out, parts->ended ? "" : ", so far");
	tr2_buf_addstr(out, parts->guessed ? " (brief: places are guessed)\n" : "\n");
	for (uint32_t i = 0; i < parts->nr; i++) {
		tr2_buf_clear(&line);
		part_format_whole(parts, input->model, &parts->items[i], &line);
		row_text(out, &line, parts->items[i].pieces, parts->items[i].time, parts->wall);
	}
	tr2_buf_clear(&line);
	tr2_buf_addstr(&line, "Total");
	row_text(out, &line, 0, parts->wall, parts->wall);
	if (has_remote) {
		tr2_buf_clear(&line);
		remote_time_format(&remote, &line);
		tr2_buf_addf(out, "  Remote: %s\n", tr2_buf_cstr(&line));
	}
	tr2_buf_clear(&line);
	parts_limit_format(parts, &line);
	if (line.len) {
		tr2_buf_addstr(out, "  ");
		tr2_buf_add(out, line.data, line.len);
		tr2_buf_addstr(out, "\n");
	}
	tr2_buf_release(&line);
}
