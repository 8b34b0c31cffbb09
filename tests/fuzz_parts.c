/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target of parts: traces of any shape, also truncated, with wall clocks that are set and
 * missing events. The parts of a process must add up to its wall time without gaps, live and at the
 * end, and must not depend on the order of the files.
 *
 * The input is a script of two bytes per step: an action with a process, and an amount. So the
 * fuzzer searches for shapes of traces, not for JSON.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/findings.h"
#include "monitor/analysis/path.h"
#include "monitor/base/die.h"
#include "monitor/read/reader.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_PROCESSES 8
#define MAX_OPEN      6
#define T0_SECONDS    1767323040

static void fuzz_parts_expect(bool ok)
{
	if (!ok)
		abort();
}

struct process_made {
	char sid[400];
	struct tr2_buf file;
	int64_t origin, shift; /* start of the process and shift of its wall clock, in us */
	int64_t open[MAX_OPEN];
	int64_t child[MAX_OPEN]; /* start of each child; -1: it has ended */
	int nr_open, nr_children, pid;
	bool no_t_abs, no_time;
};

struct making {
	struct process_made p[MAX_PROCESSES];
	int nr;
	int64_t now; /* us since the script's start */
};

static void fuzz_parts_line(struct making *m, struct process_made *p, const char *event,
			    const char *fmt, ...) __attribute__((format(printf, 4, 5)));
static void fuzz_parts_line(struct making *m, struct process_made *p, const char *event,
			    const char *fmt, ...)
{
	int64_t wall = m->now + p->shift;
	va_list ap;

	tr2_buf_addf(&p->file, "{\"event\":\"%s\",\"sid\":\"%s\",\"thread\":\"main\"", event,
		     p->sid);
	if (!p->no_time && wall >= 0)
		tr2_buf_addf(&p->file, ",\"time\":\"2026-01-02T%02d:%02d:%02d.%06dZ\"",
			     (int)(3 + wall / 3600000000 % 20), (int)(wall / 60000000 % 60),
			     (int)(wall / 1000000 % 60), (int)(wall % 1000000));
	va_start(ap, fmt);
	tr2_buf_vaddf(&p->file, fmt, ap);
	va_end(ap);
	tr2_buf_addstr(&p->file, "}\n");
}

static double seconds(int64_t us)
{
	return (double)us / 1e6;
}

static void fuzz_parts_begin(struct making *m, int parent, unsigned how)
{
	struct process_made *p = &m->p[m->nr];

	*p = (struct process_made){ .origin = m->now, .pid = 100 + (how & 64 ? 0 : m->nr) };
	tr2_buf_init(&p->file, 1 << 20);
	snprintf(p->sid, sizeof(p->sid), "%.300s%s20260102T030400.%06dZ-Hdeadbeef-P%08x",
		 parent < 0 ? "" : m->p[parent].sid, parent < 0 ? "" : "/", m->nr,
		 (unsigned)p->pid);
	m->nr++;
	if (!(how & 1))
		fuzz_parts_line(m, p, "version", ",\"evt\":\"3\",\"exe\":\"2.45.0\"");
	m->now += how;
	if (!(how & 2))
		fuzz_parts_line(m, p, "start", ",\"t_abs\":%.6f,\"argv\":[\"git\",\"x%d\"]",
				seconds(m->now - p->origin), m->nr % 3);
	if (!(how & 4))
		fuzz_parts_line(m, p, "cmd_name", ",\"name\":\"%s\",\"hierarchy\":\"h%d\"",
				m->nr % 2 ? "checkout" : "receive-pack", m->nr % 4);
}

static void child_begin(struct making *m, struct process_made *p, unsigned how)
{
	static const char *const classes[] = { "?", "hook\",\"hook_name\":\"pre-commit",
					       "background", "editor" };

	if (p->nr_children == MAX_OPEN)
		return;
	p->child[p->nr_children] = m->now;
	fuzz_parts_line(
		m, p, "child_start",
		",\"child_id\":%d,\"child_class\":\"%s\",\"use_shell\":%s,\"argv\":[\"c%u\"]",
		p->nr_children++, classes[how & 3], how & 4 ? "true" : "false", how >> 3 & 3);
}

static void fuzz_parts_child_end(struct making *m, struct process_made *p, unsigned how)
{
	int id = p->nr_children ? (int)(how % (unsigned)p->nr_children) : 0;

	if (!p->nr_children || p->child[id] < 0)
		return;
	fuzz_parts_line(m, p, how & 128 ? "child_ready" : "child_exit",
			",\"child_id\":%d,\"pid\":%u,\"code\":%u,\"t_rel\":%.6f%s", id,
			100 + (how >> 3 & 7), how >> 4, seconds(m->now - p->child[id]),
			how & 128 ? ",\"ready\":\"ready\"" : "");
	if (!(how & 128))
		p->child[id] = -1;
}

static void region(struct making *m, struct process_made *p, unsigned how)
{
	static const char *const labels[] = { "refresh", "read_directory", "unpack_trees", "x" };

	if (how & 1 && p->nr_open < MAX_OPEN) {
		p->open[p->nr_open++] = m->now;
		fuzz_parts_line(m, p, "region_enter",
				",\"category\":\"%s\",\"label\":\"%s\",\"nesting\":%d",
				how & 2 ? "index" : "dir", labels[how >> 2 & 3], p->nr_open);
	} else if (!(how & 1) && p->nr_open) {
		p->nr_open--;
		fuzz_parts_line(
			m, p, "region_leave",
			",\"category\":\"%s\",\"label\":\"%s\",\"nesting\":%d,\"t_rel\":%.6f",
			how & 2 ? "index" : "dir", labels[how >> 2 & 3], p->nr_open + 1,
			how & 128 ? -1.0 : seconds(m->now - p->open[p->nr_open]));
	}
}

static void fuzz_parts_step(struct making *m, unsigned op, unsigned how)
{
	struct process_made *p = &m->p[m->nr ? (op >> 4) % (unsigned)m->nr : 0];

	switch (op & 15) {
	case 0:
	case 1:
		if (m->nr < MAX_PROCESSES)
			fuzz_parts_begin(
				m, m->nr && !(how & 32) ? (int)((op >> 4) % (unsigned)m->nr) : -1,
				how);
		return;
	case 2:
		m->now += (int64_t)how * how;
		return;
	case 3:
		m->now += (int64_t)how * 20000;
		return;
	}
	if (!m->nr)
		return;
	switch (op & 15) {
	case 4:
	case 5:
	case 6:
		region(m, p, how);
		break;
	case 7:
	case 8:
		child_begin(m, p, how);
		break;
	case 9:
	case 10:
		fuzz_parts_child_end(m, p, how);
		break;
	case 11:
		fuzz_parts_line(m, p, how & 1 ? "exit" : "atexit", ",\"t_abs\":%.6f,\"code\":%u",
				seconds(m->now - p->origin), how >> 1 & 1);
		break;
	case 12: /* amount 255: the process's events have no `time` until another amount */
		p->shift += ((int64_t)how - 128) * 100000;
		p->no_time = how == 255;
		break;
	case 13:
		fuzz_parts_line(
			m, p, "data",
			",\"category\":\"index\",\"key\":\"%s\",\"value\":\"%u\",\"t_abs\":%.6f,"
			"\"t_rel\":0.0,\"nesting\":1",
			how & 1 ? "read/cache_nr" : "refresh/sum_lstat", how * 1000,
			seconds(m->now - p->origin));
		break;
	case 14:
		fuzz_parts_line(m, p, how & 1 ? "exec" : "exec_result",
				",\"exec_id\":0,\"exe\":\"git\",\"argv\":[\"y\"],\"code\":0");
		break;
	default: /* remove the last `how` bytes of a longer file */
		p->file.len -= how < p->file.len ? how : 0;
		break;
	}
}

struct read {
	struct tr2_intern syms;
	struct model *model;
};

static void read_files(struct read *r, const struct making *m, bool backwards)
{
	struct reader *reader;
	struct read_counts counts = { 0 };

	tr2_intern_init(&r->syms, 0, 0);
	reader = reader_new(READER_EVENT, &r->syms);
	r->model = model_new(&r->syms, &(struct model_config){ .nesting = -1 });
	for (int i = 0; i < m->nr; i++) {
		const struct tr2_buf *file = &m->p[backwards ? m->nr - 1 - i : i].file;
		char *text = xcalloc(1, file->len + 1 + READER_PAD);
		struct event ev = { .kind = REC_STREAM };

		if (file->len)
			memcpy(text, file->data, file->len);
		text[file->len] = '\n';
		for (size_t at = 0; at <= file->len;) {
			struct batch *batch = batch_new();
			size_t used;

			event_set(&ev, FLD_STREAM, backwards ? m->nr - i : i + 1);
			event_set(&ev, FLD_LIVE, 1);
			batch_add(batch, &ev);
			used = reader_lines(reader, text + at, file->len + 1 - at, batch, &counts,
					    NULL, NULL);
			model_apply(r->model, batch);
			batch_free(batch);
			if (!used)
				break;
			at += used;
		}
		free(text);
	}
	model_settle(r->model);
	reader_free(reader);
}

static void read_release(struct read *r)
{
	model_free(r->model);
	tr2_intern_release(&r->syms);
}

static void fuzz_parts_holds(const struct parts *parts)
{
	ns_t at = 0, sum = 0;
	uint64_t pieces = 0;

	for (uint32_t i = 0; i < parts->nr_pieces; i++) {
		fuzz_parts_expect(parts->pieces[i].begin == at && parts->pieces[i].time > 0);
		fuzz_parts_expect(parts->pieces[i].part < parts->nr);
		at += parts->pieces[i].time;
	}
	for (uint32_t i = 0; i < parts->nr; i++) {
		sum += parts->items[i].time;
		pieces += parts->items[i].pieces;
	}
	fuzz_parts_expect(at == parts->wall && sum == parts->wall && pieces == parts->nr_pieces);
}

static void fuzz_parts_find(const struct analysis *what, uint32_t slot, struct parts *parts)
{
	struct findings_of of = { .what = what, .all_over = what->now == NS_NONE };
	struct findings found = { 0 };
	size_t len;

	findings_of_root(&found, &of, slot, parts);
	for (uint32_t i = 0; i < found.nr; i++) {
		finding_evidence(&found, &found.items[i], &len);
		fuzz_parts_expect(len > 0 || found.items[i].id == FINDING_ERROR_YET_SUCCESS);
		fuzz_parts_expect(found.items[i].held >= 0 && found.items[i].count > 0);
		/* A finding that occurs once and has a minimum share takes at most the wall time,
		 * except slow hooks and SSH setup. */
		fuzz_parts_expect(!finding_rows[found.items[i].id].share ||
				  found.items[i].count > 1 ||
				  found.items[i].id == FINDING_SLOW_HOOK ||
				  found.items[i].id == FINDING_SSH_SETUP ||
				  found.items[i].held <= found.items[i].wall);
	}
	findings_release(&found);
}

static void fuzz_parts_say(const struct read *r, const struct parts *parts, struct tr2_buf *out)
{
	tr2_buf_clear(out);
	tr2_buf_addf(out, "%" PRId64 "\n", parts->wall);
	for (uint32_t i = 0; i < parts->nr_pieces; i++) {
		const struct part *part = &parts->items[parts->pieces[i].part];

		tr2_buf_addf(out, "%" PRId64 " %d ", parts->pieces[i].time, (int)part->kind);
		part_format(parts, r->model, part, out);
		tr2_buf_addch(out, '\n');
	}
}

static void fuzz_parts_check(const struct read *r, const struct read *other, ns_t now)
{
	struct analysis what = { .model = r->model, .limits = { -1, -1 }, .now = now },
			there = what;
	struct parts parts = { 0 }, others = { 0 };
	struct parts_of of = { .begun = NS_NONE, .wall = NS_NONE, .all_over = now == NS_NONE };
	struct path path = { 0 };
	struct tr2_buf a, b;

	tr2_buf_init(&a, 1 << 22);
	tr2_buf_init(&b, 1 << 22);
	there.model = other->model;
	for (uint32_t s = model_first_slot(r->model); s != SLOT_NONE;
	     s = model_next_slot(r->model, s)) {
		const struct process *p = model_slot(r->model, s);

		of.slot = s;
		parts_make(&parts, &what, &of);
		fuzz_parts_holds(&parts);
		path_make(&path, r->model, &parts, s, 100);
		fuzz_parts_say(r, &parts, &a);
		of.slot = model_find_sid(other->model, model_text(r->model, p->sid), p->sid.len);
		fuzz_parts_expect(of.slot != SLOT_NONE);
		parts_make(&others, &there, &of);
		fuzz_parts_say(other, &others, &b);
		fuzz_parts_expect(a.len == b.len && !memcmp(a.data, b.data, a.len));
		if (p->parent == SLOT_NONE)
			fuzz_parts_find(&what, s, &parts);
	}
	of.slot = SLOT_NONE;
	parts_make(&parts, &what, &of);
	fuzz_parts_holds(&parts);
	path_release(&path);
	parts_release(&parts);
	parts_release(&others);
	tr2_buf_release(&a);
	tr2_buf_release(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct making m = { .nr = 0 };
	struct read there, back;

	for (size_t i = 0; i + 1 < size && i < 800; i += 2)
		fuzz_parts_step(&m, data[i], data[i + 1]);
	read_files(&there, &m, false);
	read_files(&back, &m, true);
	fuzz_parts_check(&there, &back, NS_NONE);
	fuzz_parts_check(&there, &back, (ns_t)T0_SECONDS * NS_PER_SEC + m.now * NS_PER_US);
	read_release(&there);
	read_release(&back);
	for (int i = 0; i < m.nr; i++)
		tr2_buf_release(&m.p[i].file);
	return 0;
}
