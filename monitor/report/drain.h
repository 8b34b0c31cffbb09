/* SPDX-License-Identifier: MIT */
#ifndef MONITOR_REPORT_DRAIN_H
#define MONITOR_REPORT_DRAIN_H

#include <stdio.h>

#include "engine/base/buf.h"

/* If the buffer has more than `beyond` bytes, write it to the file and empty it. */
static inline void buf_drain(struct tr2_buf *buf, FILE *to, size_t beyond)
{
	if (buf->len <= beyond)
		return;
	fwrite(buf->data, 1, buf->len, to);
	tr2_buf_clear(buf);
}

#endif
