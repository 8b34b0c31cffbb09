/* SPDX-License-Identifier: MIT */
/* Rows of the results of comparisons and rules. */
#ifndef VIEWS_RULE_ROWS_H
#define VIEWS_RULE_ROWS_H

#include "monitor/analysis/rule_results.h"
#include "views/ui/view.h"

/* Return the results of comparisons and rules, computed again if needed; NULL if the user requested
 * no comparison and no rules. */
const struct rule_results *view_verdicts(struct view_ctx *ctx);
/* Return rule `number` in display order (failed rules, those that cannot be evaluated, the others),
 * or NULL if there is none. */
const struct rule *view_rule(const struct rule_results *verdicts, uint32_t number);
enum style view_rule_style(const struct rule *rule);
void view_rule_format(const struct rule *rule, struct tr2_buf *out);

#endif
