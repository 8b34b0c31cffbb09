/* SPDX-License-Identifier: MIT */
/*
 * libtrace2: trace a C or C++ program the way Git traces itself.
 *
 * A program reports its commands, children, threads, nested regions and data. Up to three targets
 * write these events, usually as lines: `normal` and `perf` for people, `event` as JSON for
 * programs. The user chooses the destinations in the environment (GIT_TRACE2, GIT_TRACE2_PERF,
 * GIT_TRACE2_EVENT) or in Git's system and global configuration. If none is set, a call costs a
 * load and a branch. libtrace2(3) is the manual; trace2(5) describes the lines.
 *
 * Without rings, each event is written with one write(2) or send(2) per target, before the call
 * returns.
 *
 * 	trace2_initialize_clock();
 * 	trace2_initialize();
 * 	trace2_cmd_start(argv);
 * 	trace2_cmd_name("build");
 * 	trace2_region_enter("build", "compile", NULL);
 * 	...
 * 	trace2_region_leave("build", "compile", NULL);
 * 	return trace2_cmd_exit(code);
 *
 * Unless stated otherwise, every function may be called from any thread, preserves errno, never
 * exits or aborts, reads its arguments during the call only, and (except the settings of the host
 * program) does nothing while tracing is off. A va_list argument is copied. Warnings are printed
 * only with GIT_TRACE2_DST_DEBUG.
 *
 * A macro trace2_X(...) calls trace2_X_fl() with __FILE__ and __LINE__, or trace2_X(). A macro that
 * reports something, except trace2_cmd_exit(), does not evaluate its arguments while tracing is
 * off. With -DTRACE2_DISABLED no macro calls the library, which need not be linked.
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
 * The host program defines these structures, or includes trace2_child.h, trace2_repo.h,
 * trace2_json.h and trace2_param.h, which define them. A host program with structures of its own
 * does not include those headers and registers readers (trace2_set_*_reader below).
 */
struct child_process;
struct repository;
struct json_writer;
struct key_value_info;

/* Nonzero while tracing is on. Use it only through the macros of this header. */
extern TRACE2_API int trace2_flag;

#ifdef TRACE2_DISABLED
#define TRACE2_ON_                      0
#define TRACE2_ALWAYS_(call, otherwise) (0 ? (call) : (otherwise))
#else
#define TRACE2_ON_                      __builtin_expect(__atomic_load_n(&trace2_flag, __ATOMIC_RELAXED) != 0, 0)
#define TRACE2_ALWAYS_(call, otherwise) (call)
#endif
#define TRACE2_CALL_(call) (TRACE2_ON_ ? (call) : (void)0)

/* ---- settings of the host program; call trace2_set_*() before trace2_initialize() ---- */

/* Set the version that the `version` event reports. The text is not copied. */
TRACE2_API void trace2_set_version(const char *version);

/* Set the prefix of the environment variables (default GIT_TRACE2). The text is not copied. */
TRACE2_API void trace2_set_prefix(const char *prefix);

/* Read trace2.* of Git's configuration, too, if `on` is nonzero. By default it is read only with
 * the default prefix. */
TRACE2_API void trace2_set_git_config(int on);

/* If `on` is nonzero, a fork()ed process becomes a child session with its own id, start and (if the
 * destination is a directory) file. By default it continues its parent's session, as in Git. */
TRACE2_API void trace2_set_fork_sid(int on);

/*
 * Write events to ring buffers in a memory-mapped file instead of lines. `bytes` is the size per
 * thread, rounded up to a power of two from 16 KiB to 1 MiB; 0 (default): lines.
 * GIT_TRACE2_EVENT_RING overrides it.
 *
 * Applies to the event target only. Its destination must be a directory, or a socket with a
 * directory PATH.rings. The directory must belong to this user, not be writable for others, and be
 * on tmpfs or ext2 to ext4. If rings are not possible, lines are written.
 *
 * The oldest events are overwritten. At most 64 threads have a ring at a time; events of further
 * threads are dropped. Both losses are counted.
 */
TRACE2_API void trace2_set_ring(size_t bytes);

/* Set a function that is called after the `error` event if the host program misuses the API, for
 * example names an unknown timer. Git aborts in such cases. By default nothing is called. */
TRACE2_API void trace2_set_bug_handler(void (*handler)(const char *message));

/*
 * Declare a timer or counter. Returns its number for the functions below: 0, 1, ...; -1 after 64 of
 * a kind, or if out of memory. The texts are copied. If `per_thread` is nonzero, each thread's sum
 * is reported, too.
 */
TRACE2_API int trace2_timer_declare(const char *category, const char *name, int per_thread);
TRACE2_API int trace2_counter_declare(const char *category, const char *name, int per_thread);

/*
 * Register a reader for the host program's own structures. The reader passes its argument `sink`
 * and the structure's fields to the matching trace2_*_fields() function, by address if the engine
 * sets a field. NULL instead of a reader: the structure is that of the companion header.
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

/* Record the start of the process. Call it first in main(). Later calls do nothing. */
TRACE2_API void trace2_initialize_clock(void);

/*
 * Read the settings, open the destinations and write `version`. Call it on the main thread before
 * other threads emit. With a destination, registers an atexit handler, and a SIGPIPE handler if
 * SIGPIPE has its default action, and exports the session id; otherwise tracing stays off.
 */
TRACE2_API void trace2_initialize_fl(const char *file, int line);

/* Return 1 while tracing is on: from trace2_initialize() to the exit of the process, if a
 * destination was opened. */
TRACE2_API int trace2_is_enabled(void);

/* Report the command line. Passwords in http and https URLs are hidden unless GIT_TRACE2_REDACT is
 * false. */
TRACE2_API void trace2_cmd_start_fl(const char *file, int line, const char **argv);

/* Report the exit code of the process, which the atexit event repeats. Returns `code`. The last of
 * several calls counts. */
TRACE2_API int trace2_cmd_exit_fl(const char *file, int line, int code);

/* Report an error message. `fmt` may be NULL. */
TRACE2_API void trace2_cmd_error_va_fl(const char *file, int line, const char *fmt, va_list ap)
	TRACE2_PRINTF_(3, 0);

TRACE2_API void trace2_cmd_path_fl(const char *file, int line, const char *path);
TRACE2_API void trace2_cmd_ancestry_fl(const char *file, int line, const char **names);

/*
 * Report the command's name and append it to the hierarchy that children inherit. Also calls
 * trace2_cmd_list_config() and trace2_cmd_list_env_vars().
 */
TRACE2_API void trace2_cmd_name_fl(const char *file, int line, const char *name);
TRACE2_API void trace2_cmd_mode_fl(const char *file, int line, const char *mode);
TRACE2_API void trace2_cmd_alias_fl(const char *file, int line, const char *alias,
				    const char **argv);

/* Report the configuration or environment variables that the user requested. Only the first call of
 * each function while tracing is on reports. */
TRACE2_API void trace2_cmd_list_config_fl(const char *file, int line);
TRACE2_API void trace2_cmd_list_env_vars_fl(const char *file, int line);

/* Report the value of `key` if the key matches a pattern in trace2.configParams. */
TRACE2_API void trace2_cmd_set_config_fl(const char *file, int line, const char *key,
					 const char *value);

/* Report a parameter of the program. `value` may be NULL. `kvi` says where it was set; NULL:
 * unknown. */
TRACE2_API void trace2_def_param_fl(const char *file, int line, const char *param,
				    const char *value, const struct key_value_info *kvi);

/* Assign the next number (1, 2, ...) to a repository and report its worktree. Does nothing if the
 * repository has a number or no worktree. */
TRACE2_API void trace2_def_repo_fl(const char *file, int line, struct repository *repo);

enum trace2_process_info_reason {
	TRACE2_PROCESS_INFO_STARTUP, /* report the names of the ancestor processes */
	/* for a call at the end of the process, as in Git; reports nothing */
	TRACE2_PROCESS_INFO_EXIT
};
TRACE2_API void trace2_collect_process_info(enum trace2_process_info_reason reason);

/* Return the session id of this process. Creates and exports it if necessary, even while tracing is
 * off. */
TRACE2_API const char *trace2_session_id(void);

/* ---- child processes and exec() ---- */

TRACE2_API void trace2_child_start_fl(const char *file, int line, struct child_process *cmd);
TRACE2_API void trace2_child_exit_fl(const char *file, int line, struct child_process *cmd,
				     int code);
/* Report a child that continues in the background. `ready` is "ready", "timeout" or "error". */
TRACE2_API void trace2_child_ready_fl(const char *file, int line, struct child_process *cmd,
				      const char *ready);

/* Report an exec() that is about to happen. Returns the id for trace2_exec_result(); -1 if nothing
 * is reported. */
TRACE2_API int trace2_exec_fl(const char *file, int line, const char *exe, const char **argv);
/* Report that an exec() failed with the errno `code`. */
TRACE2_API void trace2_exec_result_fl(const char *file, int line, int exec_id, int code);

/* ---- threads: call both from the thread itself ---- */

/* Report the start of the calling thread and name it "thNN:BASE", truncated to 24 bytes. On the
 * main thread, enters a region instead, which trace2_thread_exit() leaves. */
TRACE2_API void trace2_thread_start_fl(const char *file, int line, const char *base);
TRACE2_API void trace2_thread_exit_fl(const char *file, int line);

/* ---- regions, data and messages: category, label and repo may be NULL ---- */

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

/*
 * ---- timers and counters: summed per thread, reported in trace2_thread_exit() and at exit ----
 */

/* Start a timer of the calling thread. Starts nest: only the outermost pair of start and stop
 * counts as an interval. */
TRACE2_API void trace2_timer_start(int timer);
TRACE2_API void trace2_timer_stop(int timer);
TRACE2_API void trace2_counter_add(int counter, uint64_t value);

#ifdef __cplusplus
}
#endif

/* ---- the macros ---- */

#define TRACE2_HERE_ __FILE__, __LINE__

/* Implements the macro trace2_cmd_exit(), as a function, so that `code` is evaluated once. */
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
/* Another name of trace2_cmd_error_va(). */
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

/* Takes two arguments, as before Git 2.42, or three, with a struct key_value_info. */
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
