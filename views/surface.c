/* SPDX-License-Identifier: MIT */
#include "config.h"

#include "views/surface.h"
#include "views/terminal.h"
#include "views/ui.h"

typedef int surface_is_empty;
