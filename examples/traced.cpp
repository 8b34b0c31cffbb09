/* SPDX-License-Identifier: MIT */
/*
 * A small C++ program that is traced the way Git is: regions and threads that end with their
 * scopes, a timer, a counter, a child. It counts the words of files, with one thread per file.
 *
 *	c++ traced.cpp $(pkg-config --cflags --libs trace2) -pthread -o traced-cpp
 *	GIT_TRACE2_EVENT=/tmp/trace ./traced-cpp README.md
 *	trace2top /tmp/trace
 */
#include <fstream>
#include <iostream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <trace2.hpp>

static const trace2::timer splitting("words", "splitting", true);
static const trace2::counter nr_words("words", "counted");

static std::string read_file(const std::string &name)
{
	trace2::region region("words", "read", name.c_str());
	std::ifstream in(name);

	if (!in)
		throw std::runtime_error("cannot read " + name);
	return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

static uint64_t count_words(const std::string &text)
{
	trace2::region region("words", "count");
	trace2::timer::interval interval(splitting);
	uint64_t nr = 0;
	bool within = false;

	for (char c : text) {
		bool blank = c == ' ' || c == '\n' || c == '\t';

		nr += within && blank;
		within = !blank;
	}
	return nr + within;
}

static void one_file(const std::string &name)
{
	trace2::thread thread("counter");

	try {
		trace2::region region("words", "file", name.c_str());
		uint64_t nr = count_words(read_file(name));

		nr_words.add(nr);
		trace2::data("words", "words", static_cast<intmax_t>(nr));
	} catch (const std::exception &e) {
		trace2::data("words", "failed", e.what());
	}
}

/* Run `git version`; a traced child joins the same trace. */
static int ask_git()
{
	char git[] = "git", version[] = "version";
	char *const argv[] = { git, version, nullptr };
	trace2::child child(argv);
	pid_t pid;
	int status, code = -1;

	if (!posix_spawnp(&pid, git, nullptr, nullptr, argv, environ)) {
		child.started(pid);
		if (waitpid(pid, &status, 0) == pid)
			code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	}
	child.exited(code);
	return code;
}

int main(int argc, char **argv)
{
	trace2::process process(argv, "traced-cpp", "traced-cpp 1.0");
	std::vector<std::thread> threads;

	{
		trace2::region region("main", "all files");

		for (int i = 1; i < argc; i++)
			threads.emplace_back(one_file, argv[i]);
		for (std::thread &thread : threads)
			thread.join();
	}
	return process.exit(ask_git() == 0 ? 0 : 1);
}
