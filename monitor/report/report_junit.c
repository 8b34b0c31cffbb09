/* SPDX-License-Identifier: MIT */
/*
 * Report the rules as a JUnit file, which build servers show: one testcase per rule, with a failure
 * if the rule fails and an error if it cannot be evaluated.
 */
#include "config.h"
#include "monitor/report/report.h"

#include <inttypes.h>
#include <string.h>

#include "monitor/analysis/rule_results.h"
#include "monitor/base/visible.h"

/* Write the text of an XML attribute. Characters that XML forbids are replaced by visible ones. */
static void junit_put_text(FILE *to, const char *text, size_t len)
{
	struct tr2_buf visible;

	tr2_buf_init(&visible, SIZE_MAX / 2);
	text_visible(&visible, text, len);
	for (const char *c = tr2_buf_cstr(&visible); *c; c++) {
		const char *escaped = *c == '&'   ? "&amp;"
				      : *c == '<' ? "&lt;"
				      : *c == '>' ? "&gt;"
				      : *c == '"' ? "&quot;"
						  : NULL;

		if (escaped)
			fputs(escaped, to);
		else
			fputc(*c, to);
	}
	tr2_buf_release(&visible);
}

static void put_case(FILE *to, const struct rule *r)
{
	static const char *const elements[NR_RULE_RESULTS] = {
		[RULE_BROKEN] = "failure", [RULE_UNJUDGED] = "error"
	};
	struct tr2_buf line;

	fputs("    <testcase classname=\"trace2top\" time=\"0\" name=\"", to);
	junit_put_text(to, r->text, strlen(r->text));
	if (r->result == RULE_OK) {
		fputs("\"/>\n", to);
		return;
	}
	tr2_buf_init(&line, SIZE_MAX / 2);
	if (r->has_value) {
		rule_format_value(r, &line);
		if (*r->why)
			tr2_buf_addstr(&line, ": ");
	}
	tr2_buf_addstr(&line, r->why);
	fprintf(to, "\">\n      <%s message=\"", elements[r->result]);
	junit_put_text(to, tr2_buf_cstr(&line), line.len);
	fputs("\"/>\n    </testcase>\n", to);
	tr2_buf_release(&line);
}

static void junit_end(void *report, FILE *to, const struct report_input *input)
{
	const struct rules none = { .nr = 0 };
	const struct rules *rules = input->verdicts ? &input->verdicts->rules : &none;
	uint32_t counts[NR_RULE_RESULTS] = { 0 };

	(void)report;
	for (uint32_t i = 0; i < rules->nr; i++)
		counts[rules->items[i].result]++;
	fprintf(to,
		"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
		"<testsuites>\n"
		"  <testsuite name=\"trace2top\" tests=\"%" PRIu32 "\" failures=\"%" PRIu32
		"\" errors=\"%" PRIu32 "\" skipped=\"0\" time=\"0\">\n",
		rules->nr, counts[RULE_BROKEN], counts[RULE_UNJUDGED]);
	for (uint32_t i = 0; i < rules->nr; i++)
		put_case(to, &rules->items[i]);
	fputs("  </testsuite>\n</testsuites>\n", to);
}

const struct exporter_ops report_junit = { .end = junit_end, .needs_rules = true };
