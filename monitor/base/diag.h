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
	DIAG_EVENT,    /* not a valid event, for example without a string for the key "event" */
	DIAG_SID,      /* the key "sid" is missing, or its value is not a string */
	DIAG_TORN,     /* an incomplete last line, or damaged binary data */
	DIAG_OVERSIZE, /* the record is too large or was truncated */
};

struct diag {
	enum diag_code code;
	const char *message; /* text of the error; static, without a final dot */
	size_t offset;       /* byte offset of the error in the record */
};

#endif
