/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/dump.h"

#include <ev.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "monitor/base/print_error.h"
#include "monitor/app/screen.h"
#include "monitor/app/run_loop.h"
#include "monitor/base/whole_file.h"
#include "views/draw/surface.h"
#include "views/draw/svg.h"

struct dump {
	struct session session;
	struct screen screen;
	struct options options;
	struct setup *setup;
	struct run_loop run;
	FILE *to;
	struct whole_file file; /* output file; unused for standard output */
	bool is_svg;
	struct svg_film *film;
	bool wrote;
	bool quit;
};

static void loop_dump_on_wake(void *data)
{
	struct dump *d = data;
	bool done = intake_is_done(d->session.intake);

	session_apply(&d->session, 0);
	if (done)
		run_loop_leave(&d->run);
}

static const struct run_hooks dump_hooks = { .on_wake = loop_dump_on_wake };

#define MAX_FILM_FRAMES 500

/* Frames are drawn, up to this many, until work that is done in parts is finished: equal input must
 * give equal screens. */
#define MAX_FRAMES 1000

static void loop_dump_draw(struct dump *d)
{
	int frames = 0;

	ns_t wall = tr2_clock_wall(), monotonic = tr2_clock_monotonic();

	screen_order(&d->screen);
	if (d->options.clock_events) {
		wall = model_last_time(d->session.model);
		monotonic = d->screen.begun_ns;
	}
	do
		screen_draw(&d->screen, wall == NS_NONE ? 0 : wall, monotonic);
	while (ui_is_working(d->screen.ui) && ++frames < MAX_FRAMES);
}

static void write_screen(struct dump *d, const char *title, bool styles)
{
	struct tr2_buf text;

	loop_dump_draw(d);
	tr2_buf_init(&text, SIZE_MAX / 2);
	if (*title)
		tr2_buf_addf(&text, "== %s\n", title);
	if (styles)
		surface_dump_styles(d->screen.surface, &text);
	else
		surface_dump(d->screen.surface, &text);
	fwrite(text.data, 1, text.len, d->to);
	tr2_buf_release(&text);
	d->wrote = true;
}

static bool add_frame(struct dump *d, const char *seconds, char *why, size_t why_bytes)
{
	char *end;
	double time = strtod(seconds, &end);

	if (!d->is_svg || end == seconds || *end || !(time > 0) || time > 3600) {
		snprintf(why, why_bytes,
			 d->is_svg ? "frame needs a number of seconds, up to 3600"
				   : "frames need an SVG file: --dump=FILE.svg");
		return false;
	}
	if (!d->film)
		d->film = svg_film_new((enum theme)d->options.theme);
	loop_dump_draw(d);
	if (svg_film_frames(d->film) >= MAX_FILM_FRAMES ||
	    !svg_film_add(d->film, d->screen.surface, time)) {
		snprintf(why, why_bytes, "an animation has one size and at most %d frames",
			 MAX_FILM_FRAMES);
		return false;
	}
	return true;
}

static void write_picture(struct dump *d)
{
	struct tr2_buf svg;

	loop_dump_draw(d);
	tr2_buf_init(&svg, SIZE_MAX / 2);
	if (d->film)
		svg_film_write(d->film, &svg);
	else
		surface_svg(d->screen.surface, (enum theme)d->options.theme, &svg);
	fwrite(svg.data, 1, svg.len, d->to);
	tr2_buf_release(&svg);
}

static void loop_dump_press(struct dump *d, uint32_t key, bool pasted)
{
	struct key_event event = { .key = key, .pasted = pasted };

	/* Keys act on the last frame, so draw one first. */
	loop_dump_draw(d);
	if (screen_key(&d->screen, &event) & UI_QUIT)
		d->quit = true;
	if (!screen_is_paused(&d->screen))
		session_apply(&d->session, 0);
}

static void loop_dump_type(struct dump *d, const char *text, bool pasted)
{
	size_t len = strlen(text);

	for (size_t at = 0; at < len && !d->quit;) {
		uint32_t ch;

		at += tr2_utf8_decode(text + at, len - at, &ch);
		loop_dump_press(d, ch, pasted);
	}
}

/* Return the rest of a line whose first word is `word`, else NULL. */
static const char *loop_dump_behind(const char *line, const char *word)
{
	size_t len = strlen(word);

	if (strncmp(line, word, len) || (line[len] && line[len] != ' '))
		return NULL;
	return line[len] ? line + len + 1 : "";
}

static bool run_keys(struct dump *d, char *line, char *why, size_t why_bytes)
{
	char *rest = NULL;

	for (char *name = strtok_r(line, " \t", &rest); name && !d->quit;
	     name = strtok_r(NULL, " \t", &rest)) {
		uint32_t key = key_by_name(name, strlen(name));

		if (!key) {
			snprintf(why, why_bytes,
				 "unknown key '%.40s'; press ? in trace2top for the names", name);
			return false;
		}
		loop_dump_press(d, key, false);
	}
	return true;
}

static bool run_line(struct dump *d, char *line, char *why, size_t why_bytes)
{
	const char *rest;
	int cols, rows;

	line[strcspn(line, "\r\n")] = '\0';
	if (!*line || *line == '#')
		return true;
	if (d->is_svg && (loop_dump_behind(line, "dump") || loop_dump_behind(line, "styles"))) {
		snprintf(why, why_bytes,
			 "an SVG file has only the last screen, or frames; remove this line");
		return false;
	}
	if ((rest = loop_dump_behind(line, "frame")))
		return add_frame(d, rest, why, why_bytes);
	if ((rest = loop_dump_behind(line, "dump")))
		write_screen(d, rest, false);
	else if ((rest = loop_dump_behind(line, "styles")))
		write_screen(d, rest, true);
	else if ((rest = loop_dump_behind(line, "text")))
		loop_dump_type(d, rest, false);
	else if ((rest = loop_dump_behind(line, "paste")))
		loop_dump_type(d, rest, true);
	else if ((rest = loop_dump_behind(line, "resize"))) {
		if (sscanf(rest, "%4dx%4d", &cols, &rows) != 2 || cols < 1 || rows < 1) {
			snprintf(why, why_bytes, "resize needs COLSxROWS");
			return false;
		}
		screen_resize(&d->screen, cols, rows);
	} else {
		return run_keys(d, line, why, why_bytes);
	}
	return true;
}

static int run_script(struct dump *d)
{
	const char *path = d->options.keys;
	FILE *from = path ? fopen(path, "re") : NULL;
	char line[1024], why[160];
	int number = 0, status = STATUS_OK;

	if (path && !from) {
		complain_print_error("cannot open %s: %s", path, strerror(errno));
		return STATUS_USAGE;
	}
	while (from && !d->quit && status == STATUS_OK && fgets(line, sizeof(line), from)) {
		number++;
		if (run_line(d, line, why, sizeof(why)))
			continue;
		complain_print_error("%s:%d: %s", path, number, why);
		status = STATUS_USAGE;
	}
	if (from)
		fclose(from);
	if (d->is_svg && status == STATUS_OK)
		write_picture(d);
	else if (!d->wrote && status == STATUS_OK)
		write_screen(d, "", false);
	return status;
}

static int run_session(struct dump *d)
{
	int status;

	screen_init(&d->screen, &d->session);
	if (!session_start(&d->session, d->options.size.cols, d->options.size.rows, &status)) {
		complain_print_error("%s", d->session.why);
		return status;
	}
	d->screen.setup = d->setup;
	screen_open(&d->screen, d->options.size.cols, d->options.size.rows, false);
	run_loop_woken(&d->run);
	run_loop_run(&d->run, NULL);
	session_apply(&d->session, 0);
	status = run_script(d);
	return session_report_failures(&d->session) && !status ? STATUS_SOURCE : status;
}

static int dump_end(struct dump *d, bool is_file, int status)
{
	bool ok = !fflush(d->to) && !ferror(d->to);

	if (is_file)
		ok = whole_file_close(&d->file, ok);
	if (ok)
		return status;
	complain_print_error("cannot write the dump%s%s: %s", is_file ? " to " : "",
			     is_file ? d->options.dump : "", strerror(errno));
	return status ? status : STATUS_SOURCE;
}

int dump_run(const struct options *options, struct setup *setup)
{
	struct dump d = { .options = *options, .setup = setup, .to = stdout };
	bool is_file = options->dump && strcmp(options->dump, "-");
	size_t len = is_file ? strlen(options->dump) : 0;
	int status = STATUS_USAGE;

	d.is_svg = len > 4 && !strcmp(options->dump + len - 4, ".svg");
	/* Read the sources to their end, like --once, but keep events for looking back. */
	d.options.once = true;
	if (d.options.history_bytes < 0)
		d.options.history_bytes = DEFAULT_HISTORY_BYTES;
	run_loop_open(&d.run, &dump_hooks, &d.session, &d);
	if (is_file)
		d.to = whole_file_open(&d.file, options->dump, 0600) ? d.file.to : NULL;
	if (!d.to)
		complain_print_error("cannot write %s: %s", options->dump, strerror(errno));
	else if (!session_open(&d.session, &d.options, run_loop_woken, &d.run))
		complain_print_error("%s", d.session.why);
	else
		status = run_session(&d);
	svg_film_free(d.film);
	screen_close(&d.screen);
	session_close(&d.session);
	run_loop_close(&d.run);
	if (d.to)
		return dump_end(&d, is_file, status);
	whole_file_close(&d.file, false);
	return status;
}
