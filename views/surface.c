/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/surface.h"
typedef int surface_is_empty;
