/* SPDX-License-Identifier: MIT */
/*
 * How many cells a character takes, by a table of our own (widths.def): the same on every
 * machine and in every locale. Pure, any thread.
 */
#ifndef VIEWS_WIDTH_H
#define VIEWS_WIDTH_H

#include <stdint.h>

#define WIDTH_HIDDEN (-1)

/* 0 (combines with what is before it), 1 or 2; WIDTH_HIDDEN for controls and invisible
 * characters, which must not be shown as they are. */
int char_cells(uint32_t ch);

#endif
