/* SPDX-License-Identifier: MIT */
/* The width of characters, by the table widths.def, so that it does not depend on the machine or
 * locale. Any thread. */
#ifndef VIEWS_WIDTH_H
#define VIEWS_WIDTH_H

#include <stdint.h>

/* Return the width of a character in cells: 0 (combines with the previous character), 1 or 2. */
int char_cells(uint32_t ch);

#endif
