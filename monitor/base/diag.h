/* SPDX-License-Identifier: MIT */
/*
 * What is wrong with some input: filled by whoever finds it, worded by the caller, who knows
 * the name of the source. Nothing is allocated; the message is static text.
 */
#ifndef MONITOR_DIAG_H
#define MONITOR_DIAG_H

#include <stddef.h>

enum diag_code {
	DIAG_NONE,
	DIAG_JSON,     /* no JSON text */
	DIAG_DEPTH,    /* nested too deeply */
	DIAG_OBJECT,   /* JSON, but no object */
	DIAG_EVENT,    /* no string "event" */
	DIAG_SID,      /* no string "sid" */
	DIAG_TORN,     /* a last line without its LF */
	DIAG_OVERSIZE, /* longer than a record may be, or cut by the kernel */
};

struct diag {
	enum diag_code code;
	const char *message; /* static, no final dot */
	size_t offset;       /* byte within the record */
};

#endif
