/* SPDX-License-Identifier: MIT */
/* The forwarder's two threads: forward.c fills the queue, forward_send.c empties it. */
#ifndef MONITOR_FORWARD_PRIV_H
#define MONITOR_FORWARD_PRIV_H

#include <pthread.h>
#include <stdatomic.h>

#include "monitor/send/consumer.h"
#include "monitor/send/forward.h"
#include "monitor/send/forward_ack.h"
#include "monitor/send/forward_batch.h"
#include "monitor/send/forward_queue.h"

struct forward {
	struct forward_config config;
	struct nats_link *link;
	char subject[WIRE_SUBJECT_BYTES];
	char shown[2 * WIRE_NAME_BYTES]; /* the agent's name, SITE.HOST, decoded */
	struct tap *tap;
	struct consumer consumer;
	_Atomic size_t max_packed; /* maximum payload of a new message */

	/* The next members are only for the forwarder's thread. */
	ns_t round_ns; /* monotonic time at which the last drain() started */
	struct forward_batch batch;
	struct forward_packer *packer;
	struct wire_id next;
	uint64_t tap_lost; /* number of lost lines of the tap that were counted */

	/* for the link's thread: monotonic time from which the rate limit allows the next
	 * message */
	ns_t send_ns;

	pthread_mutex_t lock; /* lock of the members below */
	/* signalled when a message was stored, and when the status, `error` or `answers_ended`
	 * may have changed */
	pthread_cond_t cond;
	struct forward_queue queue;
	uint64_t filtered_ever;
	uint64_t events, messages, bytes, repeats;
	char error[300];
	/* The message whose answer the sender waits for, and the answer. */
	struct wire_id asked;
	bool answered, answers_ended;
	struct forward_answer {
		bool no_stream;
		enum forward_ack ack;
		char why[200];
	} answer;
};

/* Callback of nats_link_start(); `data` is the forwarder. */
void forward_send_run(void *data, struct nats_link *link, struct __natsConnection *connection);

#endif
