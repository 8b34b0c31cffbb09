/* SPDX-License-Identifier: MIT */
/*
 * fleet_recording [AGENT=]FILE... : write a recording of trace files to standard output, as if
 * AGENT had sent them: one line of each file in turn, 1 ms apart. uid:N=FILE stands for the trace
 * of a process of user N that is connected to a socket.
 */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/read/recording.h"

#define MAX_STREAMS 16
/* 2026-01-02T03:04:00Z */
#define BEGIN_NS (1767323040 * NS_PER_SEC)

static struct recorded_text text_of(const char *text)
{
	return (struct recorded_text){ text, strlen(text) };
}

int main(int argc, char **argv)
{
	struct recording_writer *writer = recording_is_built() ? recording_writer_new() : NULL;
	FILE *files[MAX_STREAMS] = { NULL };
	struct tr2_buf out, text;
	char *line = NULL;
	size_t cap = 0;
	ns_t now = BEGIN_NS;
	int left = argc - 1;

	if (!writer || argc < 2 || argc > MAX_STREAMS)
		return 77;
	tr2_buf_init(&out, SIZE_MAX / 2);
	tr2_buf_init(&text, 1 << 16);
	recording_head(&out, "{}");
	for (int i = 1; i < argc; i++) {
		char *equals = strchr(argv[i], '=');
		struct recording_open open = { .reference_ns = NS_NONE,
					       .format = text_of("event"),
					       .name = text_of("nats"),
					       .agent = text_of(equals ? argv[i] : "") };

		open.agent.len = equals ? (size_t)(equals - argv[i]) : 0;
		if (!strncmp(argv[i], "uid:", 4)) {
			open.user = strtoul(argv[i] + 4, NULL, 10) + 1;
			open.name = text_of("af_unix:stream");
			open.agent.len = 0;
		}
		files[i - 1] = fopen(equals ? equals + 1 : argv[i], "re");
		if (!files[i - 1])
			return 1;
		tr2_buf_clear(&text);
		recording_open_pack(&text, &open);
		recording_add(writer,
			      &(struct recording_entry){ .kind = RECORDED_OPEN,
							 .stream = (uint32_t)i,
							 .arrival_ns = now,
							 .text = { text.data, text.len } },
			      NULL);
	}
	for (int i = 0; left; i = (i + 1) % (argc - 1)) {
		ssize_t len = files[i] ? getline(&line, &cap, files[i]) : 0;

		if (!files[i])
			continue;
		if (len < 0) {
			fclose(files[i]);
			files[i] = NULL;
			left--;
			continue;
		}
		now += NS_PER_MS;
		recording_add(writer,
			      &(struct recording_entry){ .kind = RECORDED_BYTES,
							 .stream = (uint32_t)i + 1,
							 .arrival_ns = now,
							 .len = (uint32_t)len },
			      line);
		if (recording_waiting(writer) > RECORDING_CHUNK_BYTES)
			recording_chunk(writer, &out);
	}
	recording_chunk(writer, &out);
	fwrite(out.data, 1, out.len, stdout);
	recording_writer_free(writer);
	tr2_buf_release(&out);
	tr2_buf_release(&text);
	free(line);
	return 0;
}
