/* SPDX-License-Identifier: MIT */
/* Texts of a Go trace and their symbols. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/buf.h"
#include "engine/base/utf8.h"
#include "monitor/read/gotrace/go_map_priv.h"

struct go_text go_well_formed(struct go_text in, char room[GO_TEXT_ROOM])
{
	if (tr2_utf8_valid_prefix(in.text, in.len) == in.len)
		return in;
	return (struct go_text){ room, (uint32_t)tr2_utf8_repair(in.text, in.len, room) };
}

static sym_t go_intern(struct go_map *map, struct go_text text)
{
	char room[GO_TEXT_ROOM];

	text = go_well_formed(text, room);
	return tr2_intern(map->syms, text.text, text.len);
}

sym_t go_long_sym(struct go_map *map, const char *text, size_t len)
{
	size_t before = map->syms->text_bytes;
	sym_t sym = map->made_bytes < GO_MAX_MADE_BYTES ? tr2_intern(map->syms, text, len)
							: map->syms->sym_other;

	map->made_bytes += map->syms->text_bytes - before;
	return sym;
}

static sym_t string_sym(struct go_map *map, uint32_t index)
{
	if (map->string_syms[index] == SYM_NONE)
		map->string_syms[index] = go_intern(map, map->gen->strings[index]);
	return map->string_syms[index];
}

static sym_t missing_sym(struct go_map *map, uint64_t id)
{
	char text[32];
	int len = id ? snprintf(text, sizeof(text), "?#%" PRIu64, id) : 0;

	return tr2_intern(map->syms, text, (size_t)len);
}

sym_t go_string_sym(struct go_map *map, uint64_t id)
{
	uint32_t index = id ? go_index(&map->gen->string_ids, id) : GO_NO_INDEX;

	return index == GO_NO_INDEX ? missing_sym(map, id) : string_sym(map, index);
}

sym_t go_reason_sym(struct go_map *map, uint64_t id, enum text otherwise)
{
	uint32_t index = id ? go_index(&map->gen->string_ids, id) : GO_NO_INDEX;

	if (!id || (index != GO_NO_INDEX && !map->gen->strings[index].len))
		return map->texts[otherwise];
	return index == GO_NO_INDEX ? missing_sym(map, id) : string_sym(map, index);
}

/* Remove the directories of the package: `main.(*T).run` for `example.org/x/main.(*T).run`. */
static struct go_text short_function(struct go_text text)
{
	uint32_t begin = 0;

	for (uint32_t i = 0; i < text.len && text.text[i] != '(' && text.text[i] != '['; i++)
		if (text.text[i] == '/')
			begin = i + 1;
	return (struct go_text){ text.text + begin, text.len - begin };
}

sym_t go_function_sym(struct go_map *map, uint64_t stack)
{
	uint32_t index = stack ? go_index(&map->gen->stack_ids, stack) : GO_NO_INDEX;
	struct go_text text;

	if (index == GO_NO_INDEX)
		return SYM_NONE;
	if (map->function_syms[index] == SYM_NONE) {
		text = go_outermost(map->gen, stack);
		if (!text.text)
			return SYM_NONE;
		map->function_syms[index] = go_intern(map, short_function(text));
	}
	return map->function_syms[index];
}

static bool text_begins_with(struct go_text text, const char *with)
{
	size_t len = strlen(with);

	return text.len >= len && !memcmp(text.text, with, len);
}

static bool text_ends_with(struct go_text text, const char *with)
{
	size_t len = strlen(with);

	return text.len >= len && !memcmp(text.text + text.len - len, with, len);
}

/* True for functions not shown as the caller of a system call: of the runtime, and generic wrappers
 * such as Syscall6. */
static bool leads_to_syscall(struct go_text text)
{
	struct go_text last = text;

	if (text_begins_with(text, "runtime.") || text_begins_with(text, "runtime/") ||
	    text_begins_with(text, "internal/runtime/"))
		return true;
	for (uint32_t i = text.len; i-- > 0;)
		if (text.text[i] == '.') {
			last = (struct go_text){ text.text + i + 1, text.len - i - 1 };
			break;
		}
	return text_ends_with(last, "Syscall") || text_ends_with(last, "Syscall6") ||
	       text_begins_with(last, "RawSyscall") || text_begins_with(last, "rawSyscall");
}

sym_t go_syscall_sym(struct go_map *map, uint64_t id)
{
	uint32_t index = id ? go_index(&map->gen->stack_ids, id) : GO_NO_INDEX;
	struct go_stack stack;
	const uint8_t *at;

	if (index == GO_NO_INDEX)
		return map->texts[T_SYSTEM_CALL];
	if (map->syscall_syms[index] != SYM_NONE)
		return map->syscall_syms[index];
	map->syscall_syms[index] = map->texts[T_SYSTEM_CALL];
	stack = map->gen->stacks[index];
	at = stack.frames;
	for (uint32_t i = 0; i < stack.nr && at; i++) {
		struct go_text text = go_stack_function(map->gen, &stack, &at);

		if (text.len && !leads_to_syscall(text)) {
			map->syscall_syms[index] = go_intern(map, short_function(text));
			break;
		}
	}
	return map->syscall_syms[index];
}

sym_t go_folded_sym(struct go_map *map, uint64_t id)
{
	struct tr2_buf text = { .max = GO_MAX_FRAMES * (GO_MAX_STRING_BYTES + 1) + 1 };
	struct go_text frames[GO_MAX_FRAMES];
	struct go_stack stack = go_stack(map->gen, id);
	const uint8_t *at = stack.frames;
	uint32_t nr = 0;
	sym_t sym = map->texts[T_UNKNOWN];

	for (uint32_t i = 0; i < stack.nr && at; i++) {
		struct go_text frame = go_stack_function(map->gen, &stack, &at);

		if (frame.len)
			frames[nr++] = short_function(frame);
	}
	if (!nr)
		return sym;
	while (nr--) {
		for (uint32_t i = 0; i < frames[nr].len; i++)
			tr2_buf_addch(&text, frames[nr].text[i] == ';' ? ':' : frames[nr].text[i]);
		if (nr)
			tr2_buf_addch(&text, ';');
	}
	if (!text.failed && tr2_utf8_valid_prefix(text.data, text.len) == text.len)
		sym = go_long_sym(map, text.data, text.len);
	tr2_buf_release(&text);
	return sym;
}
