/* SPDX-License-Identifier: MIT */
/* The table of readers, alone in its file: a test that wants another one links its own. */
#include "config.h"
#include "monitor/read/reader.h"

#define READER(ID, name) extern const struct reader_ops reader_##name##_ops;
#include "monitor/read/readers.def"

const struct reader_ops *const readers[] = {
#define READER(ID, name) [READER_##ID] = &reader_##name##_ops,
#include "monitor/read/readers.def"
};

const unsigned nr_readers = sizeof(readers) / sizeof(readers[0]);

_Static_assert(sizeof(readers) / sizeof(readers[0]) <= READERS_MAX, "a mask has so many bits");
