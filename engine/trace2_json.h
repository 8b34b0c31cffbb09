/* SPDX-License-Identifier: MIT */
/*
 * struct json_writer for hosts without their own: a finished JSON object or array for
 * trace2_data_json(). The host produces the text. A host with its own writer registers a reader
 * (trace2_set_json_reader) and does not include this header.
 */
#ifndef TRACE2_JSON_H
#define TRACE2_JSON_H

struct json_writer {
	const char *json; /* the text: well-formed, NUL-terminated; owned by the host */
	int pretty;       /* the text has line breaks and indentation, which events omit */
};

#endif
