/* SPDX-License-Identifier: MIT */
/*
 * The reference: simdjson's On-Demand parser reads nine fields of every line of FILE and does
 * nothing with them. Prints nanoseconds of CPU time an event.
 */
#include <cstdio>
#include <ctime>
#include <string_view>

#include <simdjson.h>

using namespace simdjson;

static double cpu_ns()
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

int main(int argc, char **argv)
{
	static const char *const strings[] = { "event", "sid", "thread", "time" };
	static const char *const more[] = { "category", "label" };
	padded_string data;
	ondemand::parser parser;
	ondemand::document_stream lines;
	size_t nr = 0, sum = 0;

	if (argc != 2 || padded_string::load(argv[1]).get(data))
		return 2;
	double ns = cpu_ns();
	if (parser.iterate_many(data, 1 << 20).get(lines))
		return 1;
	for (auto line : lines) {
		ondemand::object object;
		std::string_view text;
		double seconds;
		int64_t number;

		if (line.get_object().get(object))
			continue;
		for (const char *key : strings)
			if (!object[key].get(text))
				sum += text.size();
		if (!object["t_abs"].get(seconds))
			sum += seconds > 0;
		if (!object["t_rel"].get(seconds))
			sum += seconds > 0;
		if (!object["nesting"].get(number))
			sum += number;
		for (const char *key : more)
			if (!object[key].get(text))
				sum += text.size();
		nr++;
	}
	ns = cpu_ns() - ns;
	std::printf("%.2f %zu %zu\n", nr ? ns / nr : 0, nr, sum);
	return 0;
}
