/* SPDX-License-Identifier: MIT */
/* Surfaces as SVG pictures or animations, with selectable text, in the colours of a theme. */
#ifndef VIEWS_SVG_H
#define VIEWS_SVG_H

#include "engine/base/buf.h"
#include "views/draw/styles.h"
#include "views/draw/surface.h"

/* Append the surface as SVG. A cell is 8 x 17 units with any font. Uses the looks for 256 colours,
 * except in a theme without colours. */
void surface_svg(const struct surface *surface, enum theme theme, struct tr2_buf *out);

/* An animation of several surfaces of one size, which repeats without end. Viewers without
 * animations, and users who prefer reduced motion, see the first frame. */
struct svg_film;
struct svg_film *svg_film_new(enum theme theme);
void svg_film_free(struct svg_film *film);
/* Add a copy of the surface, shown for `seconds` > 0. Returns false if its size differs from that
 * of the first frame. */
bool svg_film_add(struct svg_film *film, const struct surface *surface, double seconds);
int svg_film_frames(const struct svg_film *film);
/* Append the animation; nothing if it has no frames. */
void svg_film_write(const struct svg_film *film, struct tr2_buf *out);

#endif
