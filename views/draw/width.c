/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/draw/width.h"

#include <stdbool.h>
#include <stddef.h>

#include "monitor/base/lower_bound.h"

struct range {
	uint32_t from, to;
};

static const struct range zero_ranges[] = {
#define ZERO(from, to) { from, to },
#include "views/draw/widths.def"
};

static const struct range wide_ranges[] = {
#define WIDE(from, to) { from, to },
#include "views/draw/widths.def"
};

static bool is_in(const struct range *ranges, size_t nr, uint32_t ch)
{
	size_t at;

	LOWER_BOUND(at, nr, ch > ranges[at].to);
	return at < nr && ch >= ranges[at].from;
}

#define IS_IN(ranges, ch) is_in(ranges, sizeof(ranges) / sizeof(*(ranges)), ch)

int char_cells(uint32_t ch)
{
	if (ch < 0x300)
		return 1;
	if (IS_IN(zero_ranges, ch))
		return 0;
	return IS_IN(wide_ranges, ch) ? 2 : 1;
}
