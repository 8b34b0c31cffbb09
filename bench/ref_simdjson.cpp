/* SPDX-License-Identifier: MIT */
/*
 * The reference: simdjson's On-Demand parser reads nine fields of every line of FILE, in the
 * order in which they stand, and does nothing with them. Prints nanoseconds of the process's
 * CPU time an event, twice: line by line, as a program must that reads streams; and all of the
 * file as one stream of documents, which only memory that holds it whole allows.
 */
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>

#include <simdjson.h>

using namespace simdjson;

static size_t sum; /* so that nothing is optimized away */

static double cpu_ns()
{
	struct timespec ts;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static void read_fields(ondemand::object object)
{
	for (auto field : object) {
		ondemand::raw_json_string key = field.key();
		ondemand::value value = field.value();
		std::string_view text;
		double seconds;
		int64_t number;

		if (key == "event" || key == "sid" || key == "thread" || key == "time" ||
		    key == "category" || key == "label") {
			if (!value.get(text))
				sum += text.size();
		} else if (key == "t_abs" || key == "t_rel") {
			if (!value.get(seconds))
				sum += seconds > 0;
		} else if (key == "nesting") {
			if (!value.get(number))
				sum += number;
		}
	}
}

static size_t read_lines(ondemand::parser &parser, const padded_string &data)
{
	const char *p = data.data(), *end = p + data.size();
	size_t nr = 0;

	for (const char *lf; (lf = (const char *)memchr(p, '\n', end - p)); p = lf + 1, nr++) {
		ondemand::document line;

		if (!parser.iterate(p, lf - p, end - p + SIMDJSON_PADDING).get(line))
			read_fields(line.get_object());
	}
	return nr;
}

static size_t read_stream(ondemand::parser &parser, const padded_string &data)
{
	ondemand::document_stream lines;
	size_t nr = 0;

	if (parser.iterate_many(data, 1 << 20).get(lines))
		return 0;
	for (auto line : lines) {
		read_fields(line.get_object());
		nr++;
	}
	return nr;
}

int main(int argc, char **argv)
{
	padded_string data;
	ondemand::parser parser;

	if (argc != 2 || padded_string::load(argv[1]).get(data))
		return 2;
	double start = cpu_ns();
	size_t nr = read_lines(parser, data);
	double middle = cpu_ns();
	size_t nr_stream = read_stream(parser, data);
	double end = cpu_ns();

	std::printf("%.2f %.2f %zu\n", nr ? (middle - start) / nr : 0,
		    nr_stream ? (end - middle) / nr_stream : 0, sum);
	return 0;
}
