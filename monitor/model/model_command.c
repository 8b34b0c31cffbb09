/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/model/model_priv.h"

#include "engine/base/hash.h"
#include "monitor/base/grow.h"
#include "monitor/base/hash_index.h"

static uint32_t command_hash(sym_t name, uint16_t depth)
{
	return (uint32_t)tr2_hash_pair(name, depth);
}

static uint32_t command_hash_of(const void *model, uint32_t number)
{
	const struct command_cell *cell = &((const struct model *)model)->commands[number];

	return command_hash(cell->name, cell->depth);
}

static struct command_cell *command_find(const struct model *m, sym_t name, uint16_t depth)
{
	TR2_HASH_INDEX_EACH(&m->by_command, command_hash(name, depth), at)
	{
		struct command_cell *cell = &m->commands[m->by_command.at[at] - 1];

		if (cell->name == name && cell->depth == depth)
			return cell;
	}
	return NULL;
}

static struct command_cell *command_get(struct model *m, sym_t name, uint16_t depth)
{
	struct command_cell *cell = command_find(m, name, depth);

	if (cell)
		return cell;
	if (m->nr_commands >= MAX_COMMAND_CELLS && name != m->syms->sym_other) {
		m->dropped.command_other++;
		return command_get(m, m->syms->sym_other, 0);
	}
	GROW(m->commands, m->nr_commands, m->cap_commands, 16);
	m->commands[m->nr_commands] = (struct command_cell){
		.name = name, .depth = depth, .min = INT64_MAX, .max = INT64_MIN, .last = NS_NONE
	};
	hash_index_put(&m->by_command, command_hash(name, depth), m->nr_commands, command_hash_of,
		       m);
	return &m->commands[m->nr_commands++];
}

void command_leave(struct model *m, const struct process *p)
{
	unsigned depth = p->depth > MAX_CELL_DEPTH ? MAX_CELL_DEPTH : p->depth;
	struct command_cell *cell = command_get(m, p->name, (uint16_t)depth);
	ns_t elapsed = process_elapsed(p);

	if (p->state == STATE_RUNNING) {
		cell->running++;
		return;
	}
	cell->count++;
	cell->failed += process_failed(p);
	if (p->end > cell->last)
		cell->last = p->end;
	if (elapsed == NS_NONE)
		return;
	elapsed = elapsed > 0 ? elapsed : 0;
	cell->timed++;
	cell->total = ns_add(cell->total, elapsed);
	cell->min = elapsed < cell->min ? elapsed : cell->min;
	cell->max = elapsed > cell->max ? elapsed : cell->max;
	hist_add(&m->heap, &cell->hist, elapsed);
}

uint32_t model_nr_commands(const struct model *m)
{
	return m->nr_commands;
}

const struct command_cell *model_command(const struct model *m, uint32_t index)
{
	return &m->commands[index];
}
