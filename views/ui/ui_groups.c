/* SPDX-License-Identifier: MIT */
/*
 * The menu of key `b`: the attributes by which rows can be grouped, with the names of parameters,
 * data and counters that processes reported.
 */
#include "config.h"

#include "views/ui/ui_priv.h"
#include "views/ui/view_text.h"

#include "monitor/base/secrets.h"

/* maximum number of processes whose parameters, data and counters are offered */
#define GROUPS_MAX_PROCESSES 2000u

struct group_offers {
	struct ui *ui;
	const struct commands_by *now;
	enum attribute attribute;
};

static void offer_group(struct group_offers *offers, const struct attribute_ref *ref)
{
	char letter = attributes[ref->attribute].letter;
	struct ui *ui = offers->ui;
	struct tr2_buf *line = format_line(), word;

	tr2_buf_init(&word, SAY_MAX_BYTES);
	attribute_format(ref, &word);
	tr2_buf_addf(line, "%c  ", letter ? letter : ' ');
	secrets_add(line, tr2_buf_cstr(&word), word.len, SIZE_MAX);
	tr2_buf_release(&word);
	ui->groups[ui->menu.nr] = *ref;
	menu_add(&ui->menu, (uint32_t)(unsigned char)letter, ui->menu.nr, tr2_buf_cstr(line),
		 attribute_is_in(offers->now->of, offers->now->nr == 1, ref));
}

static bool offer_group_key(void *data, const struct value *value)
{
	struct group_offers *offers = data;
	struct attribute_ref ref = { offers->attribute, value->category, value->key,
				     value->category_len, value->key_len };

	if (attribute_is_in(offers->ui->groups, offers->ui->menu.nr, &ref))
		return false;
	if (offers->ui->menu.nr == MENU_MAX_ITEMS)
		return true;
	offer_group(offers, &ref);
	return false;
}

static void offer_group_keys(struct group_offers *offers, const struct model *model)
{
	uint32_t left = GROUPS_MAX_PROCESSES;

	for (uint32_t slot = model_first_slot(model); slot != SLOT_NONE && left--;
	     slot = model_next_slot(model, slot))
		if (attribute_visit_group(model, model_slot(model, slot), offers->attribute,
					  offer_group_key, offers))
			return;
}

static void offer_no_groups(struct group_offers *offers)
{
	struct ui *ui = offers->ui;

	ui->groups[ui->menu.nr] = (struct attribute_ref){ .attribute = NR_ATTRIBUTES };
	menu_add(&ui->menu, '-', ui->menu.nr, "-  (no groups)", !offers->now->nr);
}

void ui_groups_open(struct ui *ui)
{
	struct view_ctx ctx = ui_context(ui, ui_front(ui));
	struct group_offers offers = { .ui = ui };
	struct commands_by now;

	if (!ctx.view->ops->grouping || !ui->has_in) {
		ui_notice(ui, "These rows have no groups; panes 3 and 5 and the errors (E) have");
		return;
	}
	now = ctx.view->ops->grouping(&ctx);
	offers.now = &now;
	menu_open(&ui->menu, "Group by");
	if (ctx.view->ops->ungroups)
		offer_no_groups(&offers);
	for (int i = 0; i < NR_ATTRIBUTES; i++) {
		offers.attribute = (enum attribute)i;
		if (!(attributes[i].uses & ATTRIBUTE_USE_GROUP_MENU) ||
		    (i == ATTRIBUTE_AGENT && !model_has_agents(ctx.model)))
			continue;
		if (attributes[i].key)
			offer_group_keys(&offers, ctx.model);
		else
			offer_group(&offers,
				    &(struct attribute_ref){ .attribute = offers.attribute });
	}
}

unsigned ui_groups_chosen(struct ui *ui, int offered)
{
	struct view_ctx ctx = ui_context(ui, ui_front(ui));
	struct commands_by by = { .of = { ui->groups[offered] } };

	by.nr = by.of[0].attribute != NR_ATTRIBUTES;
	if (ctx.view->ops->set_grouping)
		ctx.view->ops->set_grouping(&ctx, &by);
	return UI_REDRAW;
}
