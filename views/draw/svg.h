/* SPDX-License-Identifier: MIT */
/* A surface as a picture: SVG 1.1 with selectable text, in the colours of a theme. */
#ifndef VIEWS_SVG_H
#define VIEWS_SVG_H

#include "engine/base/buf.h"
#include "views/draw/styles.h"
#include "views/draw/surface.h"

/*
 * Append the surface as SVG. A cell is 8 x 17 units with any font. Lines and blocks are drawn as
 * shapes, so that they join. Uses the theme's 256 colours; THEME_AUTO is dark. One owner of the
 * surface at a time.
 */
void surface_svg(const struct surface *surface, enum theme theme, struct tr2_buf *out);

#endif
