/* SPDX-License-Identifier: MIT */
/*
 * An input error: the reason why a record or file is malformed, and where. The function that
 * detects the error fills it in; the caller knows the name of the source and formats the message.
 */
#ifndef MONITOR_DIAG_H
#define MONITOR_DIAG_H

#include <stddef.h>

enum diag_code {
	DIAG_NONE,
	DIAG_JSON,     /* not valid JSON */
	DIAG_DEPTH,    /* nested too deeply */
	DIAG_OBJECT,   /* the record is valid JSON, but not an object */
	DIAG_EVENT,    /* not an event, for example without a string for the key "event" */
	DIAG_SID,      /* the key "sid" is missing, or its value is not a string */
	DIAG_TORN,     /* the last line does not end in LF, or a binary trace is damaged */
	DIAG_OVERSIZE, /* the record is over the size limit, or the kernel truncated it */
};

struct diag {
	enum diag_code code;
	const char *message; /* text of the error; static, without a final dot */
	size_t offset;       /* byte offset of the error in the record */
};

#endif
