/* SPDX-License-Identifier: MIT */
#ifndef VIEWS_SURFACE_H
#define VIEWS_SURFACE_H

#endif
