/* SPDX-License-Identifier: MIT */
/*
 * Reference: simdjson's On-Demand parser reads nine fields of every line of FILE and discards them.
 * Prints CPU nanoseconds per event, four times: with the fields in file order, then each looked up
 * by name; both line by line, as for streams, then all of the file as one stream of documents, for
 * which it must be in memory completely.
 */
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string_view>

#include <simdjson.h>

using namespace simdjson;

static size_t sum; /* prevents the compiler from removing the reads */

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

static void read_names(ondemand::object object)
{
	static const char *const texts[] = { "event", "sid", "thread", "time", "category",
					     "label" };
	static const char *const times[] = { "t_abs", "t_rel" };
	std::string_view text;
	double seconds;
	int64_t number;

	for (const char *key : texts)
		if (!object.find_field_unordered(key).get(text))
			sum += text.size();
	for (const char *key : times)
		if (!object.find_field_unordered(key).get(seconds))
			sum += seconds > 0;
	if (!object.find_field_unordered("nesting").get(number))
		sum += number;
}

template <typename Read>
static double lines_ns(ondemand::parser &parser, const padded_string &data, Read read)
{
	const char *p = data.data(), *end = p + data.size();
	double start = cpu_ns();
	size_t nr = 0;

	for (const char *lf; (lf = (const char *)memchr(p, '\n', end - p)); p = lf + 1, nr++) {
		ondemand::document line;

		if (!parser.iterate(p, lf - p, end - p + SIMDJSON_PADDING).get(line))
			read(line.get_object());
	}
	return nr ? (cpu_ns() - start) / nr : 0;
}

template <typename Read>
static double stream_ns(ondemand::parser &parser, const padded_string &data, Read read)
{
	ondemand::document_stream lines;
	double start = cpu_ns();
	size_t nr = 0;

	if (parser.iterate_many(data, 1 << 20).get(lines))
		return 0;
	for (auto line : lines) {
		read(line.get_object());
		nr++;
	}
	return nr ? (cpu_ns() - start) / nr : 0;
}

int main(int argc, char **argv)
{
	padded_string data;
	ondemand::parser parser;
	double ns[4];

	if (argc != 2 || padded_string::load(argv[1]).get(data))
		return 2;
	ns[0] = lines_ns(parser, data, read_fields);
	ns[1] = stream_ns(parser, data, read_fields);
	ns[2] = lines_ns(parser, data, read_names);
	ns[3] = stream_ns(parser, data, read_names);
	std::printf("%.2f %.2f %.2f %.2f %zu\n", ns[0], ns[1], ns[2], ns[3], sum);
	return 0;
}
