/* SPDX-License-Identifier: MIT */
/* An error in input data: its kind, text and position. */
#ifndef MONITOR_DIAG_H
#define MONITOR_DIAG_H

#include <stddef.h>

enum diag_code {
	DIAG_NONE,
	DIAG_JSON,     /* not valid JSON */
	DIAG_DEPTH,    /* nested too deeply */
	DIAG_OBJECT,   /* valid JSON, but not an object */
	DIAG_EVENT,    /* not a record of the expected format */
	DIAG_SID,      /* no string for the key "sid" */
	DIAG_TORN,     /* incomplete, damaged or unsupported data */
	DIAG_OVERSIZE, /* the record is too large or incomplete */
};

struct diag {
	enum diag_code code;
	const char *message; /* text of the error; static */
	size_t offset;       /* offset of the error in the record, in bytes */
};

#endif
