/* SPDX-License-Identifier: MIT */
/* struct json_writer for host programs without their own (see trace2_set_json_reader()): a finished
 * JSON value for trace2_data_json(). */
#ifndef TRACE2_JSON_H
#define TRACE2_JSON_H

struct json_writer {
	/* the JSON text: well-formed, NUL-terminated; owned by the host program */
	const char *json;
	int pretty; /* the text has line breaks and indentation, which events omit */
};

#endif
