/* SPDX-License-Identifier: MIT */
/*
 * An input error: why a record or file is malformed, and where. The function that detects the error
 * fills it in; the caller, who knows the name of the source, formats the message. Nothing is
 * allocated; the message is static.
 */
#ifndef MONITOR_DIAG_H
#define MONITOR_DIAG_H

#include <stddef.h>

enum diag_code {
	DIAG_NONE,
	DIAG_JSON,     /* not valid JSON */
	DIAG_DEPTH,    /* nested too deeply */
	DIAG_OBJECT,   /* valid JSON, but not an object */
	DIAG_EVENT,    /* "event" is missing or not a string */
	DIAG_SID,      /* "sid" is missing or not a string */
	DIAG_TORN,     /* the last line does not end in LF */
	DIAG_OVERSIZE, /* over the size limit, or truncated by the kernel */
};

struct diag {
	enum diag_code code;
	const char *message; /* text of the error; static, without a final dot */
	size_t offset;       /* position of the error: byte within the record */
};

#endif
