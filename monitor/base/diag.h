/* SPDX-License-Identifier: MIT */
/*
 * diag: an input error. The code that detects it fills it in; the caller, who knows the name of
 * the source, formats the message. Nothing is allocated; the message is static.
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
	DIAG_TORN,     /* last line without LF */
	DIAG_OVERSIZE, /* over the size limit, or truncated by the kernel */
};

struct diag {
	enum diag_code code;
	const char *message; /* static, no final dot */
	size_t offset;       /* byte within the record */
};

#endif
