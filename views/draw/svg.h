/* SPDX-License-Identifier: MIT */
/* A surface as a picture: SVG 1.1 of text that can be selected, in the colours of a theme. */
#ifndef VIEWS_SVG_H
#define VIEWS_SVG_H

#include "engine/base/buf.h"
#include "views/draw/styles.h"
#include "views/draw/surface.h"

/*
 * Append the picture, a cell being 8 x 17 units whatever font there is. Lines and blocks are drawn
 * as shapes, so that they meet. The theme's colours are those that it has with 256; THEME_AUTO is
 * dark. One owner of the surface at a time.
 */
void surface_svg(const struct surface *surface, enum theme theme, struct tr2_buf *out);

#endif
