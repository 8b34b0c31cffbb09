/* SPDX-License-Identifier: MIT */
/*
 * libtrace2: trace a C or C++ program the way Git traces itself.
 *
 * A program says what it does (commands, children, threads, nested regions, data); up to three
 * targets write it down as lines: `normal` and `perf` for people, `event` as JSON for programs.
 * Where they write is the user's choice, in the environment (GIT_TRACE2, GIT_TRACE2_PERF,
 * GIT_TRACE2_EVENT) or in Git's system and global configuration. Without it nothing happens and
 * a call costs a load and a branch. libtrace2(3) is the manual, trace2(5) describes the lines.
 *
 * It is not a logging library: nothing is buffered, filtered by level, or rotated. One call is
 * one write(2) for each target that prints it, done before the call returns.
 *
 *	trace2_initialize_clock();
 *	trace2_initialize();
 *	trace2_cmd_start(argv);
 *	trace2_cmd_name("build");
 *	trace2_region_enter("build", "compile", NULL);
 *	...
 *	trace2_region_leave("build", "compile", NULL);
 *	return trace2_cmd_exit(code);
 *
 * Every function may be called from any thread unless it says otherwise, keeps errno, never
 * prints, exits or aborts, and does nothing while tracing is off. Arguments are read during
 * the call only; a va_list is read from a copy, so the caller's own stays as it was.
 * A macro trace2_X(...) adds __FILE__ and __LINE__ and calls trace2_X_fl();
 * where tracing is off its arguments are not evaluated. Compiled with -DTRACE2_DISABLED no call
 * is left (and the library need not be linked).
 */
#ifndef TRACE2_H
#define TRACE2_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TRACE2_API                __attribute__((visibility("default")))
#define TRACE2_PRINTF_(fmt, args) __attribute__((format(printf, fmt, args)))

/*
 * What these hold is the host's affair. trace2_child.h, trace2_repo.h, trace2_json.h and
 * trace2_param.h define them for hosts that have none of their own; a host that does has to
 * tell the engine how to read its structures (trace2_set_*_reader below) and does without those
 * headers.
 */
struct child_process;
struct repository;
struct json_writer;
struct key_value_info;

/* Private to the macros: not 0 while tracing is on. */
extern TRACE2_API int trace2_flag;

#ifdef TRACE2_DISABLED
#define TRACE2_ON_                      0
#define TRACE2_ALWAYS_(call, otherwise) (0 ? (call) : (otherwise))
#else
#define TRACE2_ON_                      __builtin_expect(__atomic_load_n(&trace2_flag, __ATOMIC_RELAXED) != 0, 0)
#define TRACE2_ALWAYS_(call, otherwise) (call)
#endif
#define TRACE2_CALL_(call) (TRACE2_ON_ ? (call) : (void)0)

/* ---- what a host may set, before trace2_initialize() ---- */

/* The version that the `version` event shows. The text is not copied. */
TRACE2_API void trace2_set_version(const char *version);

/* The variables' prefix instead of GIT_TRACE2, e.g. "MYTOOL_TRACE2". The text is not copied. */
TRACE2_API void trace2_set_prefix(const char *prefix);

/* Whether trace2.* of Git's configuration counts too: by default with the default prefix only. */
TRACE2_API void trace2_set_git_config(int on);

/*
 * Whether a process that fork()s goes on as a child session with an id, a clock and (where the
 * destination is a directory) a file of its own. By default it goes on under its parent's, as
 * in Git.
 */
TRACE2_API void trace2_set_fork_sid(int on);

/*
 * Events into rings in a file's memory instead of lines: `bytes` for each thread, rounded up to a
 * power of two from 16 KiB to 1 MiB; 0, the default: lines. GIT_TRACE2_EVENT_RING overrides it. Of
 * the event target alone, where that is a directory, or a socket with a directory PATH.rings, that
 * is this user's and nobody else may write in, on tmpfs or ext4; elsewhere, and in programs with
 * more rights than their caller, there are lines as ever. Then no call waits or asks the system for
 * anything, once a thread is warm; the oldest events are overwritten, by the 65th thread at once
 * lost, and both are counted. A forked process has a file of its own. See libtrace2(3).
 */
TRACE2_API void trace2_set_ring(size_t bytes);

/* Called when the host misuses the API (more regions left than entered, an unknown timer: see
 * libtrace2(3)), behind the `error` event that tells of it. Git aborts there; by default nothing is
 * done. */
TRACE2_API void trace2_set_bug_handler(void (*handler)(const char *message));

/*
 * Declare a timer or a counter; the result is the number that the calls below take: 0, 1, ...
 * in order of declaration, -1 beyond 64 of a kind. The texts are copied. With `per_thread`
 * each thread's sum is reported too.
 */
TRACE2_API int trace2_timer_declare(const char *category, const char *name, int per_thread);
TRACE2_API int trace2_counter_declare(const char *category, const char *name, int per_thread);

/*
 * How to read a host's own structures. The reader gets the structure and hands its fields to
 * the trace2_*_fields() function that belongs to it, with the `sink` that it was given. Values
 * that the engine sets (ids, start times) are handed over as addresses. NULL restores the
 * companion header's layout.
 */
TRACE2_API void trace2_set_child_reader(void (*read)(struct child_process *cmd, void *sink));
TRACE2_API void trace2_child_fields(void *sink, int *id, uint64_t *us_start, int pid,
				    const char *child_class, const char *hook_name, const char *dir,
				    int git_cmd, int use_shell, const char *const *argv);
TRACE2_API void trace2_set_repo_reader(void (*read)(struct repository *repo, void *sink));
TRACE2_API void trace2_repo_fields(void *sink, int *id, const char *worktree);
TRACE2_API void trace2_set_json_reader(void (*read)(const struct json_writer *jw, void *sink));
TRACE2_API void trace2_json_fields(void *sink, const char *text, int pretty);
TRACE2_API void trace2_set_param_reader(void (*read)(const struct key_value_info *kvi, void *sink));
TRACE2_API void trace2_param_fields(void *sink, int scope);

/* ---- the process ---- */

/* Note when the process started; first thing in main(). Costs one clock reading. */
TRACE2_API void trace2_initialize_clock(void);

/*
 * Read the settings, open the destinations, write `version`. Main thread, before others emit.
 * Registers an atexit handler and, where SIGPIPE has its default action, a handler for it;
 * exports the session id. Without a destination nothing but the reading is done.
 */
TRACE2_API void trace2_initialize_fl(const char *file, int line);

/* 1 from a trace2_initialize() that opened a destination until the process exits. */
TRACE2_API int trace2_is_enabled(void);

/* The command line; passwords in URLs are hidden. */
TRACE2_API void trace2_cmd_start_fl(const char *file, int line, const char **argv);

/* The exit code, which atexit repeats. Returns `code`. May be repeated: the last counts. */
TRACE2_API int trace2_cmd_exit_fl(const char *file, int line, int code);

/* An error message; `fmt` may be NULL. */
TRACE2_API void trace2_cmd_error_va_fl(const char *file, int line, const char *fmt, va_list ap)
	TRACE2_PRINTF_(3, 0);

TRACE2_API void trace2_cmd_path_fl(const char *file, int line, const char *path);
TRACE2_API void trace2_cmd_ancestry_fl(const char *file, int line, const char **names);

/* The command's name; appended to the hierarchy that children inherit. The first call also
 * reports the wanted configuration and environment. */
TRACE2_API void trace2_cmd_name_fl(const char *file, int line, const char *name);
TRACE2_API void trace2_cmd_mode_fl(const char *file, int line, const char *mode);
TRACE2_API void trace2_cmd_alias_fl(const char *file, int line, const char *alias,
				    const char **argv);

/* Report the wanted configuration, the wanted variables: once a process. */
TRACE2_API void trace2_cmd_list_config_fl(const char *file, int line);
TRACE2_API void trace2_cmd_list_env_vars_fl(const char *file, int line);

/* Report `key` if it is wanted. */
TRACE2_API void trace2_cmd_set_config_fl(const char *file, int line, const char *key,
					 const char *value);

/* A parameter; `value` may be NULL. `kvi` says where it was set; NULL: unknown. */
TRACE2_API void trace2_def_param_fl(const char *file, int line, const char *param,
				    const char *value, const struct key_value_info *kvi);

/* Number a repository (1, 2, ...) and tell its worktree; further calls for it are silent. */
TRACE2_API void trace2_def_repo_fl(const char *file, int line, struct repository *repo);

enum trace2_process_info_reason {
	TRACE2_PROCESS_INFO_STARTUP, /* the names of the processes above us */
	TRACE2_PROCESS_INFO_EXIT     /* nothing on Linux */
};
TRACE2_API void trace2_collect_process_info(enum trace2_process_info_reason reason);

/* This process's session id, made and exported if need be, also while tracing is off. */
TRACE2_API const char *trace2_session_id(void);

/* ---- children ---- */

TRACE2_API void trace2_child_start_fl(const char *file, int line, struct child_process *cmd);
TRACE2_API void trace2_child_exit_fl(const char *file, int line, struct child_process *cmd,
				     int code);
/* For a child that goes on in the background; `ready` is "ready", "timeout" or "error". */
TRACE2_API void trace2_child_ready_fl(const char *file, int line, struct child_process *cmd,
				      const char *ready);

/* Before an exec(); the result is for trace2_exec_result(), -1 while tracing is off. */
TRACE2_API int trace2_exec_fl(const char *file, int line, const char *exe, const char **argv);
/* The exec failed; `code` is its errno. */
TRACE2_API void trace2_exec_result_fl(const char *file, int line, int exec_id, int code);

/* ---- threads: both from inside the thread ---- */

/* Names the thread "thNN:BASE", cut to 24 bytes. */
TRACE2_API void trace2_thread_start_fl(const char *file, int line, const char *base);
TRACE2_API void trace2_thread_exit_fl(const char *file, int line);

/* ---- regions and data: category, label and repo may be NULL ---- */

TRACE2_API void trace2_region_enter_fl(const char *file, int line, const char *category,
				       const char *label, const struct repository *repo);
TRACE2_API void trace2_region_enter_printf_va_fl(const char *file, int line, const char *category,
						 const char *label, const struct repository *repo,
						 const char *fmt, va_list ap) TRACE2_PRINTF_(6, 0);
TRACE2_API void trace2_region_enter_printf_fl(const char *file, int line, const char *category,
					      const char *label, const struct repository *repo,
					      const char *fmt, ...) TRACE2_PRINTF_(6, 7);
TRACE2_API void trace2_region_leave_fl(const char *file, int line, const char *category,
				       const char *label, const struct repository *repo);
TRACE2_API void trace2_region_leave_printf_va_fl(const char *file, int line, const char *category,
						 const char *label, const struct repository *repo,
						 const char *fmt, va_list ap) TRACE2_PRINTF_(6, 0);
TRACE2_API void trace2_region_leave_printf_fl(const char *file, int line, const char *category,
					      const char *label, const struct repository *repo,
					      const char *fmt, ...) TRACE2_PRINTF_(6, 7);

TRACE2_API void trace2_data_string_fl(const char *file, int line, const char *category,
				      const struct repository *repo, const char *key,
				      const char *value);
TRACE2_API void trace2_data_intmax_fl(const char *file, int line, const char *category,
				      const struct repository *repo, const char *key,
				      intmax_t value);
TRACE2_API void trace2_data_json_fl(const char *file, int line, const char *category,
				    const struct repository *repo, const char *key,
				    const struct json_writer *jw);

TRACE2_API void trace2_printf_va_fl(const char *file, int line, const char *fmt, va_list ap)
	TRACE2_PRINTF_(3, 0);
TRACE2_API void trace2_printf_fl(const char *file, int line, const char *fmt, ...)
	TRACE2_PRINTF_(3, 4);

/* ---- timers and counters: summed up in the thread, reported at its and the process's end ---- */

/* Starts nest: only the outermost pair of a thread is an interval. */
TRACE2_API void trace2_timer_start(int timer);
TRACE2_API void trace2_timer_stop(int timer);
TRACE2_API void trace2_counter_add(int counter, uint64_t value);

#ifdef __cplusplus
}
#endif

/* ---- the macros ---- */

#define TRACE2_HERE_ __FILE__, __LINE__

/* Kept as a value, as it was up to Git 2.36. */
static inline int trace2_cmd_exit_at_(const char *file, int line, int code)
{
	return TRACE2_ON_ ? trace2_cmd_exit_fl(file, line, code) : code;
}

#define trace2_set_version(version)     TRACE2_ALWAYS_((trace2_set_version)(version), (void)0)
#define trace2_set_prefix(prefix)       TRACE2_ALWAYS_((trace2_set_prefix)(prefix), (void)0)
#define trace2_set_git_config(on)       TRACE2_ALWAYS_((trace2_set_git_config)(on), (void)0)
#define trace2_set_fork_sid(on)         TRACE2_ALWAYS_((trace2_set_fork_sid)(on), (void)0)
#define trace2_set_ring(bytes)          TRACE2_ALWAYS_((trace2_set_ring)(bytes), (void)0)
#define trace2_set_bug_handler(handler) TRACE2_ALWAYS_((trace2_set_bug_handler)(handler), (void)0)
#define trace2_timer_declare(category, name, per_thread)                                           \
	TRACE2_ALWAYS_((trace2_timer_declare)(category, name, per_thread), -1)
#define trace2_counter_declare(category, name, per_thread)                                         \
	TRACE2_ALWAYS_((trace2_counter_declare)(category, name, per_thread), -1)
#define trace2_set_child_reader(read) TRACE2_ALWAYS_((trace2_set_child_reader)(read), (void)0)
#define trace2_set_repo_reader(read)  TRACE2_ALWAYS_((trace2_set_repo_reader)(read), (void)0)
#define trace2_set_json_reader(read)  TRACE2_ALWAYS_((trace2_set_json_reader)(read), (void)0)
#define trace2_set_param_reader(read) TRACE2_ALWAYS_((trace2_set_param_reader)(read), (void)0)
#define trace2_child_fields(...)      TRACE2_ALWAYS_((trace2_child_fields)(__VA_ARGS__), (void)0)
#define trace2_repo_fields(...)       TRACE2_ALWAYS_((trace2_repo_fields)(__VA_ARGS__), (void)0)
#define trace2_json_fields(...)       TRACE2_ALWAYS_((trace2_json_fields)(__VA_ARGS__), (void)0)
#define trace2_param_fields(...)      TRACE2_ALWAYS_((trace2_param_fields)(__VA_ARGS__), (void)0)

#define trace2_initialize_clock()           TRACE2_ALWAYS_((trace2_initialize_clock)(), (void)0)
#define trace2_initialize()                 TRACE2_ALWAYS_(trace2_initialize_fl(TRACE2_HERE_), (void)0)
#define trace2_is_enabled()                 (TRACE2_ON_ ? 1 : 0)
#define trace2_session_id()                 TRACE2_ALWAYS_((trace2_session_id)(), "")
#define trace2_collect_process_info(reason) TRACE2_CALL_((trace2_collect_process_info)(reason))

#define trace2_cmd_start(argv)                                                                     \
	TRACE2_CALL_(trace2_cmd_start_fl(TRACE2_HERE_, (const char **)(argv)))
#define trace2_cmd_exit(code)        trace2_cmd_exit_at_(TRACE2_HERE_, (code))
#define trace2_cmd_error_va(fmt, ap) TRACE2_CALL_(trace2_cmd_error_va_fl(TRACE2_HERE_, fmt, ap))
/* The name of the same in older documents. */
#define trace2_cmd_error(fmt, ap) trace2_cmd_error_va(fmt, ap)
#define trace2_cmd_path(path)     TRACE2_CALL_(trace2_cmd_path_fl(TRACE2_HERE_, path))
#define trace2_cmd_ancestry(names)                                                                 \
	TRACE2_CALL_(trace2_cmd_ancestry_fl(TRACE2_HERE_, (const char **)(names)))
#define trace2_cmd_name(name) TRACE2_CALL_(trace2_cmd_name_fl(TRACE2_HERE_, name))
#define trace2_cmd_mode(mode) TRACE2_CALL_(trace2_cmd_mode_fl(TRACE2_HERE_, mode))
#define trace2_cmd_alias(alias, argv)                                                              \
	TRACE2_CALL_(trace2_cmd_alias_fl(TRACE2_HERE_, alias, (const char **)(argv)))
#define trace2_cmd_list_config()   TRACE2_CALL_(trace2_cmd_list_config_fl(TRACE2_HERE_))
#define trace2_cmd_list_env_vars() TRACE2_CALL_(trace2_cmd_list_env_vars_fl(TRACE2_HERE_))
#define trace2_cmd_set_config(key, value)                                                          \
	TRACE2_CALL_(trace2_cmd_set_config_fl(TRACE2_HERE_, key, value))

/* With two arguments, as before Git 2.42, or with three. */
#define trace2_def_param(...)                                                                      \
	TRACE2_THIRD_(__VA_ARGS__, trace2_def_param3_, trace2_def_param2_, 0)(__VA_ARGS__)
#define TRACE2_THIRD_(a, b, c, d, ...)   d
#define trace2_def_param2_(param, value) trace2_def_param3_(param, value, 0)
#define trace2_def_param3_(param, value, kvi)                                                      \
	TRACE2_CALL_(trace2_def_param_fl(TRACE2_HERE_, param, value, kvi))
#define trace2_def_repo(repo) TRACE2_CALL_(trace2_def_repo_fl(TRACE2_HERE_, repo))

#define trace2_child_start(cmd)        TRACE2_CALL_(trace2_child_start_fl(TRACE2_HERE_, cmd))
#define trace2_child_exit(cmd, code)   TRACE2_CALL_(trace2_child_exit_fl(TRACE2_HERE_, cmd, code))
#define trace2_child_ready(cmd, ready) TRACE2_CALL_(trace2_child_ready_fl(TRACE2_HERE_, cmd, ready))
#define trace2_exec(exe, argv)                                                                     \
	(TRACE2_ON_ ? trace2_exec_fl(TRACE2_HERE_, exe, (const char **)(argv)) : -1)
#define trace2_exec_result(id, code) TRACE2_CALL_(trace2_exec_result_fl(TRACE2_HERE_, id, code))

#define trace2_thread_start(base) TRACE2_CALL_(trace2_thread_start_fl(TRACE2_HERE_, base))
#define trace2_thread_exit()      TRACE2_CALL_(trace2_thread_exit_fl(TRACE2_HERE_))

#define trace2_region_enter(category, label, repo)                                                 \
	TRACE2_CALL_(trace2_region_enter_fl(TRACE2_HERE_, category, label, repo))
#define trace2_region_enter_printf(category, label, repo, ...)                                     \
	TRACE2_CALL_(                                                                              \
		trace2_region_enter_printf_fl(TRACE2_HERE_, category, label, repo, __VA_ARGS__))
#define trace2_region_enter_printf_va(category, label, repo, fmt, ap)                              \
	TRACE2_CALL_(trace2_region_enter_printf_va_fl(TRACE2_HERE_, category, label, repo, fmt, ap))
#define trace2_region_leave(category, label, repo)                                                 \
	TRACE2_CALL_(trace2_region_leave_fl(TRACE2_HERE_, category, label, repo))
#define trace2_region_leave_printf(category, label, repo, ...)                                     \
	TRACE2_CALL_(                                                                              \
		trace2_region_leave_printf_fl(TRACE2_HERE_, category, label, repo, __VA_ARGS__))
#define trace2_region_leave_printf_va(category, label, repo, fmt, ap)                              \
	TRACE2_CALL_(trace2_region_leave_printf_va_fl(TRACE2_HERE_, category, label, repo, fmt, ap))

#define trace2_data_string(category, repo, key, value)                                             \
	TRACE2_CALL_(trace2_data_string_fl(TRACE2_HERE_, category, repo, key, value))
#define trace2_data_intmax(category, repo, key, value)                                             \
	TRACE2_CALL_(trace2_data_intmax_fl(TRACE2_HERE_, category, repo, key, value))
#define trace2_data_json(category, repo, key, jw)                                                  \
	TRACE2_CALL_(trace2_data_json_fl(TRACE2_HERE_, category, repo, key, jw))

#define trace2_printf(...)        TRACE2_CALL_(trace2_printf_fl(TRACE2_HERE_, __VA_ARGS__))
#define trace2_printf_va(fmt, ap) TRACE2_CALL_(trace2_printf_va_fl(TRACE2_HERE_, fmt, ap))

#define trace2_timer_start(timer)          TRACE2_CALL_((trace2_timer_start)(timer))
#define trace2_timer_stop(timer)           TRACE2_CALL_((trace2_timer_stop)(timer))
#define trace2_counter_add(counter, value) TRACE2_CALL_((trace2_counter_add)(counter, value))

#endif
