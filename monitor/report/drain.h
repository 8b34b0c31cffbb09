/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_REPORT_DRAIN_H
#define MONITOR_REPORT_DRAIN_H

#include <stdio.h>

#include "engine/base/buf.h"

/* Move the bytes of a buffer to a file, if they are more than `beyond`. */
static inline void buf_drain(struct tr2_buf *buf, FILE *to, size_t beyond)
{
	if (buf->len <= beyond)
		return;
	fwrite(buf->data, 1, buf->len, to);
	tr2_buf_clear(buf);
}

#endif
