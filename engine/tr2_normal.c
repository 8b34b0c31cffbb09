/* SPDX-License-Identifier: MIT */
/* The normal target: lines for people, without session id or thread. */
#include "config.h"
#include "engine/tr2_target.h"

#define TEXT_COLUMN 50

static void normal_format(struct tr2_line *out, const struct tr2_record *rec,
			  struct tr2_thread *self, bool brief)
{
	if (!brief) {
		tr2_clock_local_at(&self->clock, rec->wall / NS_PER_SEC);
		tr2_line_add(out, self->clock.local, 8);
		tr2_line_ch(out, '.');
		tr2_line_micros(out, (unsigned)(rec->wall % NS_PER_SEC / NS_PER_US));
		tr2_line_ch(out, ' ');
		if (rec->file && *rec->file) {
			tr2_line_str(out, rec->file);
			tr2_line_ch(out, ':');
			tr2_line_int(out, rec->line);
			tr2_line_ch(out, ' ');
		}
		if (out->len < TEXT_COLUMN)
			tr2_line_fill(out, ' ', TEXT_COLUMN - out->len);
	}
	tr2_pieces_format(out, rec, tr2_events[rec->kind].normal, true);
}

const struct tr2_target_ops tr2_normal_ops = {
	.name = "normal",
	.setting = TR2_S_NORMAL,
	.brief = TR2_S_NORMAL_BRIEF,
	.format = normal_format,
	.own_file = "trace2/tr2_tgt_normal.c",
	.own_line = { .signal = 118, .atexit = 128, .timer = 357, .counter = 372 },
};
