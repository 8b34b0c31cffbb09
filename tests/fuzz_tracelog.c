/* SPDX-License-Identifier: MIT */
/* Fuzz target of CoreProfiler's TraceLog (fuzz_format.h); its events are not always in order of
 * time. */
#include "config.h"

#define FUZZ_READER   READER_TRACELOG
#define FUZZ_IN_ORDER false
#define FUZZ_MAX_HELD (4u << 20)
#include "tests/fuzz_format.h"
