/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/trace2.h"

#include "engine/tr2_call.h"
#include "engine/tr2_readers.h"

void trace2_child_start_fl(const char *file, int line, struct child_process *cmd)
{
	struct tr2_child child;
	struct tr2_call call;
	int id;

	if (!tr2_call_begin(&call, TR2_E_CHILD_START, file, line))
		return;
	tr2_read_child(cmd, &child);
	id = __atomic_fetch_add(&tr2_state.nr_children, 1, __ATOMIC_RELAXED);
	if (child.id)
		*child.id = id;
	if (child.us_start)
		*child.us_start = (uint64_t)(call.now / NS_PER_US);
	tr2_record_num(&call.rec, TR2_F_CHILD_ID, id);
	tr2_record_text(&call.rec, TR2_F_CHILD_CLASS,
			child.hook_name     ? "hook"
			: child.child_class ? child.child_class
					    : "?");
	tr2_record_opt(&call.rec, TR2_F_HOOK_NAME, child.hook_name);
	tr2_record_opt(&call.rec, TR2_F_CD, child.dir);
	tr2_record_num(&call.rec, TR2_F_USE_SHELL, child.use_shell != 0);
	tr2_record_list(&call.rec, TR2_F_ARGV, child.argv);
	call.rec.git_cmd = child.git_cmd;
	tr2_call_end(&call);
}

/* Begin a record of a child_exit or child_ready event. Its duration is 0 if no start time was
 * recorded. */
static bool begin_for_child(struct tr2_call *call, enum tr2_event_kind kind, const char *file,
			    int line, struct child_process *cmd)
{
	struct tr2_child child;
	uint64_t us_start;

	if (!tr2_call_begin(call, kind, file, line))
		return false;
	tr2_read_child(cmd, &child);
	us_start = child.us_start ? *child.us_start : 0;
	tr2_call_since(call, us_start ? (ns_t)us_start * NS_PER_US : call->now);
	tr2_record_num(&call->rec, TR2_F_CHILD_ID, child.id ? *child.id : 0);
	tr2_record_num(&call->rec, TR2_F_PID, child.pid);
	return true;
}

void trace2_child_exit_fl(const char *file, int line, struct child_process *cmd, int code)
{
	struct tr2_call call;

	if (!begin_for_child(&call, TR2_E_CHILD_EXIT, file, line, cmd))
		return;
	tr2_record_num(&call.rec, TR2_F_CODE, code);
	tr2_call_end(&call);
}

void trace2_child_ready_fl(const char *file, int line, struct child_process *cmd, const char *ready)
{
	struct tr2_call call;

	if (!begin_for_child(&call, TR2_E_CHILD_READY, file, line, cmd))
		return;
	tr2_record_text(&call.rec, TR2_F_READY, ready);
	tr2_call_end(&call);
}

int trace2_exec_fl(const char *file, int line, const char *exe, const char **argv)
{
	struct tr2_call call;
	int id;

	if (!tr2_call_begin(&call, TR2_E_EXEC, file, line))
		return -1;
	id = __atomic_fetch_add(&tr2_state.nr_execs, 1, __ATOMIC_RELAXED);
	tr2_record_num(&call.rec, TR2_F_EXEC_ID, id);
	tr2_record_opt(&call.rec, TR2_F_EXE, exe);
	tr2_record_list(&call.rec, TR2_F_ARGV, argv);
	tr2_call_end(&call);
	return id;
}

void trace2_exec_result_fl(const char *file, int line, int exec_id, int code)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, TR2_E_EXEC_RESULT, file, line))
		return;
	tr2_record_num(&call.rec, TR2_F_EXEC_ID, exec_id);
	tr2_record_num(&call.rec, TR2_F_CODE, code);
	tr2_call_end(&call);
}
