/* SPDX-License-Identifier: MIT */
/* Values by category and key (--values). Only for monitor/report. */
#ifndef MONITOR_REPORT_VALUES_H
#define MONITOR_REPORT_VALUES_H

#include "engine/base/jw.h"
#include "monitor/analysis/values.h"
#include "monitor/report/report.h"

struct out;

/* Get the values of a report's processes. The caller releases them with value_rows_release(). */
void report_values_make(struct value_rows *values, const struct report_input *input);

/* Write the values as a table of the text report; nothing without --values. */
void report_values_text(struct out *out, const struct report_input *input);
/* Write the values as the key "values" of the open JSON object; nothing without --values. */
void report_values_json(struct tr2_jw *jw, const struct report_input *input);

/* Append the most frequent texts of a row as a JSON array. */
void report_value_top_json(struct tr2_jw *jw, const struct value_rows *values,
			   const struct value_row *row);

/* Return the unit of a row's numbers in reports; "s" for timers. */
const char *report_value_unit(const struct value_row *row);

#endif
