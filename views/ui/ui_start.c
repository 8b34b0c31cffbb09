/* SPDX-License-Identifier: MIT */
/* The choices of a start without arguments and configuration: what to trace or read. */
#include "config.h"

#include "views/ui/ui_priv.h"

#include <stdio.h>
#include <string.h>

void ui_start_offer(struct ui *ui)
{
	if (ui->config.offers_start && !ui->nr_pages && !model_nr_processes(ui->in.model))
		ui_menu(ui, UI_MENU_START);
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
