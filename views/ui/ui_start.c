/* SPDX-License-Identifier: MIT */
/* The menu of a start without a source and without an event target of Git: trace Git commands, run
 * a command, or read a file. */
#include "config.h"

#include "views/ui/ui_priv.h"

#include <stdio.h>
#include <string.h>

#include "views/ui/view_text.h"

bool ui_start_is_offered(const struct ui *ui)
{
	return ui->config.offers_start && ui->has_in && !ui->nr_pages &&
	       !model_nr_processes(ui->in.model);
}

void ui_start_offer(struct ui *ui)
{
	if (ui_start_is_offered(ui))
		ui_menu(ui, UI_MENU_START);
}

void ui_start_draw(struct ui *ui, struct surface *surface, struct rect area)
{
	struct rect inner = { area.x + 1, area.y + 1, area.cols - 2, area.rows - 2 };
	struct tr2_buf *text = format_line();
	int end;

	if (inner.rows < 1 || inner.cols < 4)
		return;
	surface_blank(surface, inner);
	menu_draw(&ui->menu, surface,
		  (struct rect){ inner.x + 1, inner.y, inner.cols - 2, inner.rows }, inner.x + 1,
		  inner.y);
	end = ui->menu.drawn.y + ui->menu.drawn.rows + 1;
	if (ui->in.nr_sources)
		tr2_buf_addf(text,
			     "Enter: the selected choice. Esc: wait for Git commands that "
			     "write to %s.",
			     ui->in.sources[0].spec);
	else if (ui->wait_hint)
		tr2_buf_addstr(text, ui->wait_hint);
	ui_draw_lines(surface,
		      (struct rect){ inner.x, end, inner.cols, inner.y + inner.rows - end },
		      STYLE_HINT, tr2_buf_cstr(text));
}

void ui_start_open(struct ui *ui)
{
	menu_open(&ui->menu, "Nothing is traced yet");
	menu_add(&ui->menu, 'a', UI_START_ATTACH, "a  trace all Git commands from now on", true);
	menu_add(&ui->menu, 'r', UI_START_COMMAND, "r  run a command and trace it", false);
	menu_add(&ui->menu, 'o', UI_START_FILE, "o  open a trace file or directory", false);
}

unsigned ui_start_chosen(struct ui *ui, int kind)
{
	ui->start_asked.kind = (enum ui_start_kind)kind;
	if (kind == UI_START_ATTACH)
		return UI_START | UI_REDRAW;
	ui_ask(ui, ASK_START);
	return UI_REDRAW;
}

void ui_start_prompt(struct ui *ui, struct prompt *prompt)
{
	prompt_open(prompt, ui->start_asked.kind == UI_START_FILE ? "Open FILE: " : "Run COMMAND: ",
		    ui->start_asked.kind == UI_START_FILE ? "" : "git ");
}

unsigned ui_start_enter(struct ui *ui, struct prompt *prompt)
{
	const char *text = prompt->text + strspn(prompt->text, " ");

	if (!*text)
		return UI_REDRAW;
	snprintf(ui->start_asked.text, sizeof(ui->start_asked.text), "%s", text);
	return UI_START | UI_REDRAW;
}

struct ui_start ui_start(const struct ui *ui)
{
	return (struct ui_start){ ui->start_asked.kind, ui->start_asked.text };
}
