/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/loop_memory.h"

#include <ev.h>

#include <stdlib.h>

#include "monitor/base/die.h"

static void *loop_realloc(void *old, long bytes) EV_NOEXCEPT;
static void *loop_realloc(void *old, long bytes) EV_NOEXCEPT
{
	if (bytes)
		return xrealloc(old, (size_t)bytes);
	free(old);
	return NULL;
}

void loop_memory_init(void)
{
	ev_set_allocator(loop_realloc);
}
