/* SPDX-License-Identifier: MIT */
/* Text on several lines. */
#ifndef VIEWS_WRAP_H
#define VIEWS_WRAP_H

#include <stddef.h>
#include <stdint.h>

/* Number of bytes that fit into `cols` cells, up to the end of a word if possible. */
size_t text_fitting(const char *text, size_t len, int cols);
/* Number of lines that a text takes, at least 1; limited for very long texts. */
uint32_t wrapped_lines(const char *text, size_t len, int cols);
/* Line `number` of the text, `*shown` bytes without trailing blanks. Takes time for all lines
 * before it. */
const char *wrapped_line(const char *text, size_t len, int cols, uint32_t number, size_t *shown);

#endif
