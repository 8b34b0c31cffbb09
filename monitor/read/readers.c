/* SPDX-License-Identifier: MIT */
/* This table has a file of its own, so that a test can link another one. */
#include "config.h"
#include "monitor/read/reader.h"

#define READER(ID, word, help, ops) extern const struct reader_ops ops;
#include "monitor/read/readers.def"

const struct reader_ops *const readers[] = {
#define READER(ID, word, help, ops) [READER_##ID] = &ops,
#include "monitor/read/readers.def"
};

const struct word reader_words[] = {
#define READER_AUTO(ID, word, help) { word, help },
#define READER(ID, word, help, ops) { word, help },
#include "monitor/read/readers.def"
};

const unsigned nr_readers = sizeof(readers) / sizeof(readers[0]);

_Static_assert(sizeof(readers) / sizeof(readers[0]) <= READERS_MAX,
	       "a mask has one bit per reader");
