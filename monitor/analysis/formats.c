/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "monitor/analysis/formats.h"

#include <string.h>

static const struct format formats[] = {
#define FORMAT(...) { __VA_ARGS__ },
#include "monitor/analysis/formats.def"
};

const struct format *format_of(const struct model *model, const struct process *process)
{
	const char *word;
	size_t len;

	if (!process || process->format == SYM_NONE)
		return &formats[0];
	word = model_sym(model, process->format, &len);
	for (size_t i = 1; i < sizeof(formats) / sizeof(*formats); i++)
		if (strlen(formats[i].word) == len && !memcmp(formats[i].word, word, len))
			return &formats[i];
	return &formats[0];
}

static bool is_life(const struct model *model, const struct thread *thread, const char *life)
{
	if (thread->open.nr)
		return model_sym_is(model, thread_open(model, thread, 0)->category, life);
	return thread->nodes &&
	       model_sym_is(model,
			    model_cell(model, model_node(model, thread->nodes)->cell)->category,
			    life);
}

uint32_t process_main_thread(const struct model *model, const struct process *process)
{
	const struct format *format = format_of(model, process);

	if (process->main_thread == SYM_NONE && !format->life)
		return process->threads.nr && !process_first_thread_gone(model, process)
			       ? 0
			       : UINT32_MAX;
	for (uint32_t i = 0; i < process->threads.nr; i++) {
		const struct thread *thread = process_thread(model, process, i);

		if (process->main_thread == SYM_NONE ? is_life(model, thread, format->life)
						     : thread->name == process->main_thread)
			return i;
	}
	return UINT32_MAX;
}
