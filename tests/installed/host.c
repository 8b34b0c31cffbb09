/* SPDX-License-Identifier: MIT */
/* Uses the macros of the API; installed.sh compiles it as C and as C++. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>

#include <trace2.h>
#include <trace2_child.h>
#include <trace2_json.h>
#include <trace2_param.h>
#include <trace2_repo.h>

static void messages(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	trace2_cmd_error_va(fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	trace2_cmd_error(fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	trace2_region_enter_printf_va("c", "va", NULL, fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	trace2_region_leave_printf_va("c", "va", NULL, fmt, ap);
	va_end(ap);
	va_start(ap, fmt);
	trace2_printf_va(fmt, ap);
	va_end(ap);
}

int main(int argc, char **argv)
{
	struct child_process cmd = TRACE2_CHILD_PROCESS_INIT;
	struct repository repo = TRACE2_REPOSITORY_INIT;
	struct json_writer jw = { "[1]", 0 };
	struct key_value_info kvi = { TRACE2_SCOPE_GLOBAL };
	const char *const child_argv[] = { "x", NULL };
	int timer, counter, id;

	trace2_initialize_clock();
	trace2_set_version("host 1");
	trace2_set_git_config(0);
	trace2_set_fork_sid(0);
	trace2_set_ring(0);
	trace2_set_bug_handler(NULL);
	trace2_set_child_reader(NULL);
	trace2_set_repo_reader(NULL);
	trace2_set_json_reader(NULL);
	trace2_set_param_reader(NULL);
	timer = trace2_timer_declare("h", "t", 1);
	counter = trace2_counter_declare("h", "c", 0);
	trace2_initialize();
	trace2_cmd_start(argv);
	trace2_collect_process_info(TRACE2_PROCESS_INFO_STARTUP);
	trace2_cmd_path(argv[0]);
	trace2_cmd_ancestry(argv);
	trace2_cmd_name("host");
	trace2_cmd_mode("m");
	trace2_cmd_alias("a", argv);
	trace2_cmd_list_config();
	trace2_cmd_list_env_vars();
	trace2_cmd_set_config("k.k", "v");
	trace2_def_param("two", "v");
	trace2_def_param("three", NULL, &kvi);
	repo.worktree = "/w";
	trace2_def_repo(&repo);
	cmd.argv = child_argv;
	trace2_child_start(&cmd);
	trace2_child_ready(&cmd, "ready");
	trace2_child_exit(&cmd, 0);
	id = trace2_exec(NULL, argv);
	trace2_exec_result(id, ENOENT);
	trace2_thread_start("on main");
	trace2_thread_exit();
	trace2_region_enter("c", "l", &repo);
	trace2_region_enter_printf("c", "l", &repo, "plain");
	trace2_region_leave_printf("c", "l", &repo, "%d", 1);
	trace2_region_leave("c", "l", &repo);
	trace2_data_string("c", &repo, "k", "v");
	trace2_data_intmax("c", NULL, "k", -1);
	trace2_data_json("c", NULL, "k", &jw);
	trace2_printf("%s", "text");
	messages("%d", argc);
	trace2_timer_start(timer);
	trace2_timer_stop(timer);
	trace2_counter_add(counter, 3);
	if (trace2_is_enabled() && !*trace2_session_id())
		return 1;
	return trace2_cmd_exit(0);
}
