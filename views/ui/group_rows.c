/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/ui/group_rows.h"

#include <string.h>

#include "views/ui/view_text.h"

void row_group_draw(const struct row_group *group, enum style style, const struct slot *slot)
{
	if (!group->text)
		slot_text(slot, STYLE_DIM, "(none)", SIZE_MAX);
	else if (!slot->left && memchr(group->text, '/', group->len))
		surface_text_ends(slot->surface, slot->x, slot->y, slot->cols, style, group->text,
				  group->len, slot->cols / 3);
	else
		slot_text(slot, style, group->text, group->len);
}

bool row_group_visit(const struct model *model, const struct row_group *group,
		     enum filter_field field, value_visit *visit, void *data)
{
	enum attribute attribute = group->by.of[0].attribute;

	if (!group->by.nr || !group->text || field != filter_field_of(attribute))
		return false;
	return group->process ? attribute_visit_group(model, group->process, attribute, visit, data)
			      : value_give_text(visit, data, group->text, group->len);
}

struct group_terms {
	struct attribute_ref ref;
	struct tr2_buf *filter;
};

static bool add_group_term(void *data, const struct value *value)
{
	const struct group_terms *terms = data;

	if (!attribute_is_key(&terms->ref, value))
		return false;
	if (terms->filter->len)
		tr2_buf_addstr(terms->filter, " and ");
	format_attribute_term(&terms->ref, value, terms->filter);
	return terms->ref.key != NULL;
}

/* True if a filter of events cannot select by the attribute, because events lack it or have a field
 * of the same name with another meaning. */
static bool is_hidden_by_event(enum attribute attribute)
{
	return attribute == ATTRIBUTE_CODE || attribute == ATTRIBUTE_NESTING ||
	       !(filter_fields[filter_field_of(attribute)].rows & FILTER_ROWS_EVENT);
}

bool row_group_format_events(const struct model *model, const struct row_group *group,
			     struct tr2_buf *filter)
{
	struct group_terms terms = { group->by.of[0], filter };
	size_t before = filter->len;

	if (!group->by.nr || is_hidden_by_event(terms.ref.attribute))
		return false;
	if (group->text && group->process)
		attribute_visit_group(model, group->process, terms.ref.attribute, add_group_term,
				      &terms);
	else if (group->text)
		add_group_term(&terms, &(struct value){ .text = group->text, .len = group->len });
	return filter->len > before;
}
