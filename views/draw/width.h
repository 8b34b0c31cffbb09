/* SPDX-License-Identifier: MIT */
/*
 * How many cells a character takes, by a table of our own (widths.def): the same on every
 * machine and in every locale. Pure, any thread.
 */
#ifndef VIEWS_WIDTH_H
#define VIEWS_WIDTH_H

#include <stdint.h>

/* 0 (combines with what is before it), 1 or 2. What must not be shown as it is never comes
 * here: see monitor/base/visible.h. */
int char_cells(uint32_t ch);

#endif
