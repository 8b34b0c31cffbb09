/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/trace2.h"

#include <errno.h>
#include <stdlib.h>

#include "engine/tr2_call.h"
#include "engine/tr2_ring.h"
#include "engine/tr2_sid.h"

#define DEFAULT_NESTING 2

const char *(trace2_session_id)(void)
{
	char variable[TR2_VARIABLE_BYTES];
	int saved_errno = errno;
	const char *sid;

	tr2_fork_start_session();
	sid = tr2_sid_get(tr2_variable(TR2_S_PARENT_SID, variable));
	errno = saved_errno;
	return sid;
}

int(trace2_is_enabled)(void)
{
	return tr2_is_on();
}

void(trace2_initialize_clock)(void)
{
	if (!tr2_state.start)
		tr2_state.start = tr2_clock_monotonic();
}

static const char *own_sid(void)
{
	(trace2_session_id)();
	return tr2_sid_own();
}

static bool open_targets(void)
{
	bool any = false;

	for (unsigned i = 0; i < TR2_NR_TARGETS; i++) {
		const struct tr2_target_ops *ops = tr2_target_ops[i];
		struct tr2_target *target = &tr2_state.targets[i];

		tr2_settings_variable(&tr2_state.settings, ops->setting, target->variable);
		target->brief = tr2_settings_bool(&tr2_state.settings, ops->brief, false);
		if (i == TR2_EVENT && tr2_ring_open(target))
			any = true;
		else if (tr2_dst_open(&target->dst, &tr2_state.settings, ops->setting,
				      target->variable, own_sid))
			any = true;
	}
	return any;
}

static void set_limits(void)
{
	int nesting = tr2_settings_int(&tr2_state.settings, TR2_S_EVENT_NESTING);

	tr2_state.nesting_max = nesting > 0 ? (unsigned)nesting : DEFAULT_NESTING;
	if (tr2_dst_is_on(&tr2_state.targets[TR2_PERF].dst))
		tr2_state.region_limit = UINT32_MAX;
	else if (tr2_dst_is_on(&tr2_state.targets[TR2_EVENT].dst))
		tr2_state.region_limit = tr2_state.nesting_max;
	tr2_state.redact = tr2_settings_bool(&tr2_state.settings, TR2_S_REDACT, true);
}

void tr2_emit_version(struct tr2_call *call, const char *file, int line)
{
	tr2_call_record(call, TR2_E_VERSION, file, line);
	tr2_record_text(&call->rec, TR2_F_EVT, TR2_EVT);
	tr2_record_text(&call->rec, TR2_F_EXE, tr2_state.version ? tr2_state.version : "unknown");
	tr2_call_emit(call);
	if (tr2_state.targets[TR2_EVENT].dst.too_many_files) {
		tr2_call_record(call, TR2_E_TOO_MANY_FILES, file, line);
		tr2_call_emit(call);
	}
}

/* Emit the last events. Descriptors stay open and memory is not freed: other threads may still be
 * writing. */
static void at_exit(void)
{
	ns_t now = tr2_clock_monotonic();
	struct tr2_call call;

	if (!tr2_call_enter_last(&call))
		return;
	tr2_thread_unwind(call.self);
	tr2_emit_thread_sums(&call);
	tr2_emit_totals(&call);
	tr2_call_record(&call, TR2_E_ATEXIT, NULL, 0);
	tr2_call_at(&call, now);
	tr2_record_num(&call.rec, TR2_F_CODE,
		       __atomic_load_n(&tr2_state.exit_code, __ATOMIC_RELAXED));
	tr2_call_emit_own(&call, TR2_OWN_ATEXIT);
	tr2_call_leave(&call);
	__atomic_store_n(&trace2_flag, 0, __ATOMIC_RELEASE);
	tr2_ring_close();
}

static bool wants_config(void)
{
	return tr2_state.read_config < 0 ? !tr2_state.prefix : tr2_state.read_config;
}

static void initialize_tracing(const char *file, int line)
{
	struct tr2_call call;

	(trace2_initialize_clock)();
	tr2_settings_load(&tr2_state.settings, tr2_state.prefix, wants_config());
	if (!open_targets()) {
		tr2_settings_release(&tr2_state.settings);
		return;
	}
	set_limits();
	tr2_state.sid = (trace2_session_id)();
	tr2_state.depth = tr2_sid_depth();
	/* Without a session id or thread context no line can be written. */
	if (!*tr2_state.sid || !tr2_thread_init_main(tr2_state.start)) {
		tr2_ring_abandon();
		for (unsigned i = 0; i < TR2_NR_TARGETS; i++)
			tr2_dst_close(&tr2_state.targets[i].dst);
		tr2_settings_release(&tr2_state.settings);
		return;
	}
	tr2_state.initialized = true;
	atexit(at_exit);
	tr2_signal_watch();
	__atomic_store_n(&trace2_flag, 1, __ATOMIC_RELEASE);
	if (tr2_call_enter(&call)) {
		tr2_emit_version(&call, file, line);
		tr2_call_leave(&call);
	}
}

void trace2_initialize_fl(const char *file, int line)
{
	int saved_errno = errno;

	if (!tr2_state.initialized)
		initialize_tracing(file, line);
	errno = saved_errno;
}

int trace2_cmd_exit_fl(const char *file, int line, int code)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, TR2_E_EXIT, file, line))
		return code;
	__atomic_store_n(&tr2_state.exit_code, code, __ATOMIC_RELAXED);
	tr2_record_num(&call.rec, TR2_F_CODE, code);
	tr2_call_end(&call);
	return code;
}
