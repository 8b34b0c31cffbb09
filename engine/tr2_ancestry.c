/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_state.h"

#include <unistd.h>

#include "engine/base/platform.h"

bool tr2_ancestry(struct tr2_ancestry *out)
{
	long pid = getppid();
	int nr = 0;

	while (pid > 0 && nr < TR2_ANCESTRY_MAX - 1 &&
	       tr2_platform_process(pid, out->mem[nr], sizeof(out->mem[nr]), &pid)) {
		out->names[nr] = out->mem[nr];
		nr++;
	}
	out->names[nr] = NULL;
	return nr > 0;
}
