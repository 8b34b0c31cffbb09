/* SPDX-License-Identifier: MIT */
/*
 * struct json_writer for host programs without their own: a finished JSON value for
 * trace2_data_json(). A host program with its own writer registers a reader
 * (trace2_set_json_reader) and does not include this header.
 */
#ifndef TRACE2_JSON_H
#define TRACE2_JSON_H

struct json_writer {
	/* the JSON text: well-formed, NUL-terminated; owned by the host program */
	const char *json;
	int pretty; /* the text has line breaks and indentation, which events omit */
};

#endif
