/* SPDX-License-Identifier: MIT */
/*
 * libtrace2 for C++11 and later. Objects emit their end event when their scope is left, also by an
 * exception. A thin header over trace2.h: same events, settings and cost. It can be combined with
 * all functions of trace2.h.
 *
 * 	int main(int argc, char **argv)
 * 	{
 * 		trace2::process process(argv, "mytool", "mytool 1.0");
 * 		trace2::region region("load", "read files");
 *
 * 		trace2::data("load", "files", 42);
 * 		return process.exit(0);
 * 	}
 *
 * Nothing here throws. Unless stated otherwise, everything may be called from any thread. Texts
 * passed to an object must live as long as the object; those of a timer, counter, data event or
 * thread only during the call. While tracing is off, an object costs one load and one store. The
 * end of a region reports the source line of its start.
 */
#ifndef TRACE2_HPP
#define TRACE2_HPP

#include <stdint.h>

#include "trace2.h"
#include "trace2_child.h"

namespace trace2
{

/* Source location of a call; by default that of the caller. */
struct here {
	const char *file;
	int line;
	explicit here(const char *file_ = __builtin_FILE(), int line_ = __builtin_LINE()) noexcept
	    : file(file_), line(line_)
	{
	}
};

/*
 * The traced process. Create one object first in main(). The constructor records the start time,
 * sets `version` (may be null; must live as long as the process), opens the destinations, and
 * reports the command line and the command's `name` (null: none). Declare timers and counters
 * before it, or with trace2.h before trace2_initialize().
 */
class process
{
      public:
	explicit process(char **argv, const char *name = nullptr, const char *version = nullptr,
			 here at = here()) noexcept
	{
		trace2_initialize_clock();
		if (version)
			trace2_set_version(version);
		trace2_initialize_fl(at.file, at.line);
		if (!trace2_is_enabled())
			return;
		trace2_cmd_start_fl(at.file, at.line, const_cast<const char **>(argv));
		if (name)
			trace2_cmd_name_fl(at.file, at.line, name);
	}

	/* Report the exit code of main(), and return it. Only the last call counts. */
	int exit(int code, here at = here()) const noexcept
	{
		return trace2_is_enabled() ? trace2_cmd_exit_fl(at.file, at.line, code) : code;
	}

	process(const process &) = delete;
	process &operator=(const process &) = delete;
};

/* A region from here to the end of the scope. `category`, `label` and `message` may be null. */
class region
{
      public:
	region(const char *category, const char *label, here at = here()) noexcept
	    : at_(at), category_(category), label_(label), entered_(trace2_is_enabled())
	{
		if (entered_)
			trace2_region_enter_fl(at.file, at.line, category, label, nullptr);
	}

	/* Open a region with a message, which is reported at the start and at the end of the
	 * region. */
	region(const char *category, const char *label, const char *message,
	       here at = here()) noexcept
	    : at_(at), category_(category), label_(label), message_(message ? message : ""),
	      entered_(trace2_is_enabled())
	{
		if (entered_)
			trace2_region_enter_printf_fl(at.file, at.line, category, label, nullptr,
						      "%s", message_);
	}

	~region()
	{
		if (!entered_)
			return;
		if (message_)
			trace2_region_leave_printf_fl(at_.file, at_.line, category_, label_,
						      nullptr, "%s", message_);
		else
			trace2_region_leave_fl(at_.file, at_.line, category_, label_, nullptr);
	}

	region(const region &) = delete;
	region &operator=(const region &) = delete;

      private:
	here at_;
	const char *category_, *label_, *message_ = nullptr;
	/* true if the start was reported: tracing may be switched on while the region is open */
	bool entered_;
};

/*
 * A thread, from here to the end of the scope. It is named "thNN:BASE". This must be the first
 * object in the thread's function.
 */
class thread
{
      public:
	explicit thread(const char *base, here at = here()) noexcept
	    : at_(at), entered_(trace2_is_enabled())
	{
		if (entered_)
			trace2_thread_start_fl(at.file, at.line, base);
	}

	~thread()
	{
		if (entered_)
			trace2_thread_exit_fl(at_.file, at_.line);
	}

	thread(const thread &) = delete;
	thread &operator=(const thread &) = delete;

      private:
	here at_;
	bool entered_;
};

/*
 * A timer or counter: a sum that is reported at the end of the process and (with `per_thread`) of
 * each thread. Create it before the process object, on one thread: at namespace scope or first in
 * main(). After 64 of a kind, further ones do nothing.
 */
class timer
{
      public:
	timer(const char *category, const char *name, bool per_thread = false) noexcept
	    : id_(trace2_timer_declare(category, name, per_thread))
	{
	}

	/*
	 * An interval of a timer, from here to the end of the scope. Of nested intervals only the
	 * outermost one per thread counts.
	 */
	class interval
	{
	      public:
		explicit interval(const timer &timer) noexcept
		    : id_(trace2_is_enabled() ? timer.id_ : -1)
		{
			if (id_ >= 0)
				trace2_timer_start(id_);
		}

		~interval()
		{
			if (id_ >= 0)
				trace2_timer_stop(id_);
		}

		interval(const interval &) = delete;
		interval &operator=(const interval &) = delete;

	      private:
		int id_;
	};

      private:
	int id_;
};

class counter
{
      public:
	counter(const char *category, const char *name, bool per_thread = false) noexcept
	    : id_(trace2_counter_declare(category, name, per_thread))
	{
	}

	void add(uint64_t value = 1) const noexcept
	{
		if (id_ >= 0)
			trace2_counter_add(id_, value);
	}

      private:
	int id_;
};

/*
 * A child process, from here to exited(). If the scope ends before exited() is called, the child's
 * exit is reported with code -1 (not waited for). `argv` (null-terminated) and its texts must
 * outlive the object. `child_class` ("editor", "pager" ...) may be null.
 */
class child
{
      public:
	explicit child(const char *const *argv, const char *child_class = nullptr,
		       here at = here()) noexcept
	    : at_(at), is_told_(trace2_is_enabled())
	{
		cmd_.argv = argv;
		cmd_.trace2_child_class = child_class;
		if (is_told_)
			trace2_child_start_fl(at.file, at.line, &cmd_);
	}

	~child()
	{
		exited(-1);
	}

	/* Set the pid of the child, once it is known. */
	void started(int pid) noexcept
	{
		cmd_.pid = pid;
	}

	/* Report the exit of the child: `code`, or 128 + N for signal N. Later calls are
	 * ignored. */
	void exited(int code) noexcept
	{
		if (is_told_)
			trace2_child_exit_fl(at_.file, at_.line, &cmd_, code);
		is_told_ = false;
	}

	child(const child &) = delete;
	child &operator=(const child &) = delete;

      private:
	struct child_process cmd_ = TRACE2_CHILD_PROCESS_INIT;
	here at_;
	bool is_told_;
};

/* A data event with a number or a text. `category` and `key` as for trace2_data_intmax(). */
inline void data(const char *category, const char *key, intmax_t value, here at = here()) noexcept
{
	if (trace2_is_enabled())
		trace2_data_intmax_fl(at.file, at.line, category, nullptr, key, value);
}

inline void data(const char *category, const char *key, const char *value,
		 here at = here()) noexcept
{
	if (trace2_is_enabled())
		trace2_data_string_fl(at.file, at.line, category, nullptr, key, value);
}

} // namespace trace2

#endif
