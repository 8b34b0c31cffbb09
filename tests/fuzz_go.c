/* SPDX-License-Identifier: MIT */
/* Fuzz target of Go's execution traces (fuzz_format.h); their events are in order of time. */
#include "config.h"

#define FUZZ_READER   READER_GO
#define FUZZ_IN_ORDER true
#define FUZZ_MAX_HELD (4u << 20)
#include "tests/fuzz_format.h"
