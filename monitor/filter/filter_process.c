/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/filter/filter_process.h"

struct filter_process_subject {
	const struct model *m;
	const struct process *p;
};

bool filter_process_value(const struct model *m, const struct process *p, enum filter_field field,
			  value_visit *visit, void *data)
{
	if (field == FILTER_WORD)
		field = FILTER_ARGV;
	return filter_field_is_attribute(field) &&
	       attribute_visit(m, p, filter_attribute(field), visit, data);
}

static bool process_values(const void *data, enum filter_field field, value_visit *visit,
			   void *visit_data)
{
	const struct filter_process_subject *s = data;

	return filter_process_value(s->m, s->p, field, visit, visit_data);
}

bool filter_process(struct filter *filter, const struct model *m, uint32_t slot)
{
	struct filter_process_subject s = { .m = m, .p = model_slot(m, slot) };

	return filter_match(filter, &s, process_values);
}
