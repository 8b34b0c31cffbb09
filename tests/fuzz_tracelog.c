/* SPDX-License-Identifier: MIT */
/* Fuzz target of CoreProfiler's TraceLog (fuzz_format.h); its threads are slightly out of order. */
#include "config.h"

#define FUZZ_READER   READER_TRACELOG
#define FUZZ_IN_ORDER false
#define FUZZ_MAX_HELD (4u << 20)
#include "tests/fuzz_format.h"
