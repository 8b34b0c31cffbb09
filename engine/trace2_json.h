/* SPDX-License-Identifier: MIT */
/*
 * struct json_writer for hosts that have none of their own: a finished JSON object or array for
 * trace2_data_json(). How the text is made is the host's affair. A host with its own writer
 * registers a reader (trace2_set_json_reader) and leaves this header out.
 */
#ifndef TRACE2_JSON_H
#define TRACE2_JSON_H

struct json_writer {
	const char *json; /* well-formed, NUL-terminated, the host's */
	int pretty;       /* it has line breaks and indentation; they are taken out for events */
};

#endif
