/* SPDX-License-Identifier: MIT */
#ifndef VIEWS_WRAP_H
#define VIEWS_WRAP_H

#include <stddef.h>
#include <stdint.h>

/* Return how many bytes of a text fit into `cols` cells, up to the end of a word if possible, and
 * the blanks after it; at least one character, if there is one. */
size_t text_fitting(const char *text, size_t len, int cols);
/* Return how many lines a wrapped text takes: 1 to 64; longer texts are cut. */
uint32_t wrapped_lines(const char *text, size_t len, int cols);
/* Return line `number` of a wrapped text; `*shown` is its length in bytes without trailing blanks.
 * Reads all lines before it. */
const char *wrapped_line(const char *text, size_t len, int cols, uint32_t number, size_t *shown);

#endif
