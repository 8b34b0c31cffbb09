/* SPDX-License-Identifier: MIT */
/* struct key_value_info for host programs without their own (see trace2_set_param_reader()): where
 * a parameter was set, for the third argument of trace2_def_param(). */
#ifndef TRACE2_PARAM_H
#define TRACE2_PARAM_H

enum trace2_scope {
	TRACE2_SCOPE_UNKNOWN,
	TRACE2_SCOPE_SYSTEM,
	TRACE2_SCOPE_GLOBAL,
	TRACE2_SCOPE_LOCAL,
	TRACE2_SCOPE_WORKTREE,
	TRACE2_SCOPE_COMMAND,
	TRACE2_SCOPE_SUBMODULE
};

struct key_value_info {
	int scope; /* enum trace2_scope: where the parameter was set */
};

#endif
