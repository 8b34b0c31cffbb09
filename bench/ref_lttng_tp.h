/* SPDX-License-Identifier: MIT */
/* The tracepoint to compare: the contents of a `data` event. */
#undef LTTNG_UST_TRACEPOINT_PROVIDER
#define LTTNG_UST_TRACEPOINT_PROVIDER bench_trace2

#undef LTTNG_UST_TRACEPOINT_INCLUDE
#define LTTNG_UST_TRACEPOINT_INCLUDE "bench/ref_lttng_tp.h"

#if !defined(BENCH_REF_LTTNG_TP_H) || defined(LTTNG_UST_TRACEPOINT_HEADER_MULTI_READ)
#define BENCH_REF_LTTNG_TP_H

#include <lttng/tracepoint.h>

LTTNG_UST_TRACEPOINT_EVENT(
	bench_trace2, data,
	LTTNG_UST_TP_ARGS(const char *, file, int, line, long, t_abs, long, t_rel, int, nesting,
			  const char *, category, const char *, key, const char *, value),
	LTTNG_UST_TP_FIELDS(
		lttng_ust_field_string(file, file) lttng_ust_field_integer(int, line, line)
			lttng_ust_field_integer(long, t_abs,
						t_abs) lttng_ust_field_integer(long, t_rel, t_rel)
				lttng_ust_field_integer(int, nesting, nesting)
					lttng_ust_field_string(category, category)
						lttng_ust_field_string(key, key)
							lttng_ust_field_string(value, value)))

#endif

#include <lttng/tracepoint-event.h>
