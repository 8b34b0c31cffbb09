/* SPDX-License-Identifier: MIT */
/*
 * Runs an agent's forwarder. fleet_timeouts.sh measures its memory with a server that answers late.
 *
 * forward_timeouts URL MESSAGES   sends MESSAGES messages with an answer timeout of 20 ms;
 * prints MESSAGES REPEATS EVENTS LOST
 */
#include "config.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/send/forward.h"

#define LINES      1500
#define LINE_BYTES 200

static void put_some(struct tap *tap, struct tap_state *state)
{
	static char text[LINES * LINE_BYTES];
	struct tap_entry entry = { .kind = TAP_BYTES, .stream = 1, .bytes = text };

	memset(text, 'x', sizeof(text));
	for (int i = 1; i <= LINES; i++)
		text[i * LINE_BYTES - 1] = '\n';
	entry.len = sizeof(text);
	tap_put(tap, 0, state, &entry);
}

int main(int argc, char **argv)
{
	unsigned long wanted = argc == 3 ? strtoul(argv[2], NULL, 10) : 0;
	struct tap_state state = { 0 };
	struct forward_config config = { .name = { "lab", "timeouts" },
					 .buffer_bytes = 16 << 20,
					 .hold_ns = NS_PER_MS,
					 .ack_ns = 20 * NS_PER_MS };
	struct forward_stats st;
	struct nats_url url;
	struct forward *f;
	char why[400];

	if (!wanted || !nats_url_parse(argv[1], &url, why, sizeof(why)))
		return 2;
	config.link.url = &url;
	f = forward_new(&config, why, sizeof(why));
	if (!f) {
		fprintf(stderr, "%s\n", why);
		return 1;
	}
	forward_start(f);
	for (unsigned long i = 0; i < wanted; i++) {
		put_some(forward_tap(f), &state);
		do {
			poll(NULL, 0, 1);
			forward_stats(f, &st);
		} while (st.messages <= i);
	}
	forward_end(f);
	forward_stats(f, &st);
	printf("%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 "\n", st.messages, st.repeats,
	       st.events, st.lost);
	forward_free(f);
	return 0;
}
