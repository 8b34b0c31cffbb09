/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/trace2.h"

#include <errno.h>

#include "engine/tr2_call.h"
#include "engine/tr2_readers.h"

static void record_set_repo(struct tr2_record *rec, const struct repository *repo)
{
	struct tr2_repo fields;

	if (!repo)
		return;
	tr2_read_repo(repo, &fields);
	tr2_record_num(rec, TR2_F_REPO, fields.id ? *fields.id : 0);
}

static unsigned targets_at(unsigned nesting)
{
	return nesting <= tr2_state.nesting_max ? TR2_TARGETS_PE : TR2_TARGETS_PE & ~TR2_TARGETS_E;
}

/* True if no target prints a region with this nesting. Such a region is only counted. */
static bool region_is_hidden(unsigned nesting)
{
	return nesting > tr2_state.region_limit;
}

static void region_record(struct tr2_call *call, const char *category, const char *label,
			  const struct repository *repo)
{
	tr2_record_num(&call->rec, TR2_F_NESTING, call->self->nr_open);
	tr2_record_opt(&call->rec, TR2_F_CATEGORY, category);
	tr2_record_opt(&call->rec, TR2_F_LABEL, label);
	record_set_repo(&call->rec, repo);
}

static TR2_HOT_PART bool enter_begin(struct tr2_call *call, const char *file, int line,
				     const char *category, const char *label,
				     const struct repository *repo)
{
	if (!tr2_call_enter(call))
		return false;
	if (region_is_hidden(call->self->nr_open)) {
		tr2_thread_push(call->self, 0);
		tr2_call_leave(call);
		return false;
	}
	tr2_call_record(call, TR2_E_REGION_ENTER, file, line);
	region_record(call, category, label, repo);
	return true;
}

static void enter_end(struct tr2_call *call)
{
	tr2_call_emit_to(call, targets_at(call->self->nr_open));
	tr2_thread_push(call->self, call->now);
	tr2_call_leave(call);
}

TR2_HOT void trace2_region_enter_fl(const char *file, int line, const char *category,
				    const char *label, const struct repository *repo)
{
	struct tr2_call call;

	if (enter_begin(&call, file, line, category, label, repo))
		enter_end(&call);
}

void trace2_region_enter_printf_va_fl(const char *file, int line, const char *category,
				      const char *label, const struct repository *repo,
				      const char *fmt, va_list ap)
{
	struct tr2_call call;

	if (!enter_begin(&call, file, line, category, label, repo))
		return;
	tr2_call_message(&call, fmt, ap);
	enter_end(&call);
}

void trace2_region_enter_printf_fl(const char *file, int line, const char *category,
				   const char *label, const struct repository *repo,
				   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_region_enter_printf_va_fl(file, line, category, label, repo, fmt, ap);
	va_end(ap);
}

static TR2_HOT_PART bool leave_begin(struct tr2_call *call, const char *file, int line,
				     const char *category, const char *label,
				     const struct repository *repo)
{
	struct tr2_thread *self;
	ns_t start;

	if (!tr2_call_enter(call))
		return false;
	self = call->self;
	if (!self->nr_open) {
		tr2_call_bug(call, "no open regions in thread '%s'", self->name);
		return false;
	}
	if (region_is_hidden(self->nr_open - 1)) {
		self->nr_open--;
		tr2_call_leave(call);
		return false;
	}
	tr2_call_record(call, TR2_E_REGION_LEAVE, file, line);
	start = tr2_thread_top(self, call->now);
	self->nr_open--;
	tr2_call_since(call, start);
	region_record(call, category, label, repo);
	return true;
}

static void leave_end(struct tr2_call *call)
{
	tr2_call_emit_to(call, targets_at(call->self->nr_open));
	tr2_call_leave(call);
}

TR2_HOT void trace2_region_leave_fl(const char *file, int line, const char *category,
				    const char *label, const struct repository *repo)
{
	struct tr2_call call;

	if (leave_begin(&call, file, line, category, label, repo))
		leave_end(&call);
}

void trace2_region_leave_printf_va_fl(const char *file, int line, const char *category,
				      const char *label, const struct repository *repo,
				      const char *fmt, va_list ap)
{
	struct tr2_call call;

	if (!leave_begin(&call, file, line, category, label, repo))
		return;
	tr2_call_message(&call, fmt, ap);
	leave_end(&call);
}

void trace2_region_leave_printf_fl(const char *file, int line, const char *category,
				   const char *label, const struct repository *repo,
				   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_region_leave_printf_va_fl(file, line, category, label, repo, fmt, ap);
	va_end(ap);
}

static bool is_main_context(void)
{
	tr2_fork_start_session();
	return tr2_thread_current && tr2_thread_current->id == 0;
}

void trace2_thread_start_fl(const char *file, int line, const char *base)
{
	int saved_errno = errno;
	struct tr2_call call;

	if (!tr2_is_on())
		return;
	if (is_main_context()) {
		trace2_region_enter_printf_fl(file, line, NULL, NULL, NULL,
					      "thread-proc on main: %s", base);
		return;
	}
	if (tr2_thread_begin(base, tr2_clock_monotonic()) &&
	    tr2_call_begin(&call, TR2_E_THREAD_START, file, line))
		tr2_call_end(&call);
	errno = saved_errno;
}

void trace2_thread_exit_fl(const char *file, int line)
{
	struct tr2_call call;
	ns_t now, since;

	if (!tr2_is_on())
		return;
	if (is_main_context()) {
		trace2_region_leave_printf_fl(file, line, NULL, NULL, NULL, "thread-proc on main");
		return;
	}
	if (!tr2_call_enter(&call))
		return;
	now = tr2_clock_monotonic();
	tr2_thread_unwind(call.self);
	since = tr2_thread_top(call.self, now);
	tr2_emit_thread_sums(&call);
	tr2_call_record(&call, TR2_E_THREAD_EXIT, file, line);
	tr2_call_at(&call, now);
	tr2_call_since(&call, since);
	tr2_call_end(&call);
	tr2_thread_end();
}

/* Begin an API call that reports data. Returns false if no target prints data at the thread's
 * current nesting, or if tr2_call_enter() failed. */
static TR2_HOT_PART bool data_begin(struct tr2_call *call, enum tr2_event_kind kind,
				    const char *file, int line, const char *category,
				    const struct repository *repo, const char *key)
{
	if (!tr2_call_enter(call))
		return false;
	if (region_is_hidden(call->self->nr_open)) {
		tr2_call_leave(call);
		return false;
	}
	tr2_call_record(call, kind, file, line);
	tr2_call_since(call, tr2_thread_top(call->self, call->now));
	tr2_record_num(&call->rec, TR2_F_NESTING, call->self->nr_open);
	tr2_record_text(&call->rec, TR2_F_CATEGORY, category);
	tr2_record_text(&call->rec, TR2_F_KEY, key);
	record_set_repo(&call->rec, repo);
	return true;
}

static TR2_HOT_PART void data_end(struct tr2_call *call, const char *value)
{
	tr2_record_text(&call->rec, TR2_F_VALUE, value);
	tr2_call_emit_to(call, targets_at(call->self->nr_open));
	tr2_call_leave(call);
}

TR2_HOT void trace2_data_string_fl(const char *file, int line, const char *category,
				   const struct repository *repo, const char *key,
				   const char *value)
{
	struct tr2_call call;

	if (data_begin(&call, TR2_E_DATA, file, line, category, repo, key))
		data_end(&call, value);
}

TR2_HOT void trace2_data_intmax_fl(const char *file, int line, const char *category,
				   const struct repository *repo, const char *key, intmax_t value)
{
	char memory[TR2_LINE_SLACK + 32];
	struct tr2_line text = { .data = memory, .cap = sizeof(memory), .fixed = true };
	struct tr2_call call;

	if (!data_begin(&call, TR2_E_DATA, file, line, category, repo, key))
		return;
	tr2_line_int(&text, value);
	memory[text.len] = '\0';
	data_end(&call, memory);
}

void trace2_data_json_fl(const char *file, int line, const char *category,
			 const struct repository *repo, const char *key,
			 const struct json_writer *jw)
{
	struct tr2_json json = { .text = "null" };
	struct tr2_call call;

	if (!data_begin(&call, TR2_E_DATA_JSON, file, line, category, repo, key))
		return;
	if (jw)
		tr2_read_json(jw, &json);
	call.rec.json_pretty = json.pretty;
	data_end(&call, json.text ? json.text : "null");
}

void trace2_printf_va_fl(const char *file, int line, const char *fmt, va_list ap)
{
	struct tr2_call call;

	if (!tr2_call_begin(&call, TR2_E_PRINTF, file, line))
		return;
	tr2_call_message(&call, fmt, ap);
	tr2_call_end(&call);
}

void trace2_printf_fl(const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_printf_va_fl(file, line, fmt, ap);
	va_end(ap);
}
