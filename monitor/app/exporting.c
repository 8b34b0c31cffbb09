/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/exporting.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/base/pids.h"
#include "monitor/report/otlp.h"
#include "monitor/report/report.h"

/* Time limits: for sending at the end of the run, the same with --once, and for waiting after each
 * batch with --once. */
#define END_NS      (5 * NS_PER_SEC)
#define ONCE_END_NS (20 * NS_PER_SEC)
#define WAIT_NS     (10 * NS_PER_SEC)

struct exporting {
	struct otlp *otlp;
	struct span_sender *sender;
	struct report_input input;
	struct report_walk walk;
	bool waits;
	char host[256];
	char told[2][200];
};

static void exporting_spans(void *data, const char *json, size_t len, uint32_t nr)
{
	span_sender_put(((struct exporting *)data)->sender, json, len, nr);
}

struct exporting *exporting_new(const struct options *o, struct model *model,
				struct redactor *redactor, char *why, size_t why_bytes)
{
	struct exporting *e = xcalloc(1, sizeof(*e));
	struct span_sender_config config = {
		.http = { .url = o->otlp,
			  .path = "/v1/traces",
			  .headers = o->otlp_headers,
			  .tls_ca = o->tls_ca,
			  .tls_cert = o->tls_cert,
			  .tls_key = o->tls_key },
		.queue_bytes = SENDER_QUEUE_BYTES,
		.head = OTLP_REQUEST_HEAD,
		.tail = OTLP_REQUEST_TAIL,
	};
	char reason[300];

	e->sender = span_sender_new(&config, reason, sizeof(reason));
	if (!e->sender) {
		snprintf(why, why_bytes, "--otlp: %s", reason);
		free(e);
		return NULL;
	}
	if (span_sender_is_open(e->sender))
		complain_print_error("--otlp: %s: credentials are sent unencrypted; use https://",
				     exporting_shown(e));
	e->waits = o->once;
	if (gethostname(e->host, sizeof(e->host) - 1))
		*e->host = '\0';
	e->input = (struct report_input){ .model = model,
					  .end = UINT64_MAX,
					  .nesting = LIMIT_ALL,
					  .depth = LIMIT_ALL,
					  .since = o->since };
	report_walk_begin(&e->walk, &e->input);
	e->otlp = otlp_new(&(struct otlp_config){ .syms = model_syms(model),
						  .redactor = redactor,
						  .host_digest = pid_own_host(),
						  .host_name = *e->host ? e->host : NULL,
						  .spans = exporting_spans,
						  .data = e });
	return e;
}

void exporting_start(struct exporting *e)
{
	span_sender_start(e->sender);
}

void exporting_batch(struct exporting *e, const struct batch *batch)
{
	struct event ev;

	otlp_batch(e->otlp, batch, tr2_clock_monotonic());
	report_walk_batch(&e->walk, batch, batch->nr_records);
	while (report_walk_next(&e->walk, &ev))
		otlp_record(e->otlp, batch, &ev);
	if (e->waits)
		span_sender_wait(e->sender, WAIT_NS);
}

static void reason_report(const struct exporting *e, const char reason[200], char told[200])
{
	if (!*reason || !strcmp(reason, told))
		return;
	memcpy(told, reason, 200);
	complain_print_error("--otlp: %s: %s", exporting_shown(e), reason);
}

void exporting_tick(struct exporting *e, bool tells)
{
	struct span_sender_stats stats;

	otlp_report_old(e->otlp, tr2_clock_monotonic());
	if (!tells)
		return;
	span_sender_stats(e->sender, &stats);
	reason_report(e, stats.error, e->told[0]);
	reason_report(e, stats.lost, e->told[1]);
}

void exporting_stats(struct exporting *e, struct span_sender_stats *out)
{
	span_sender_stats(e->sender, out);
}

const char *exporting_shown(const struct exporting *e)
{
	return span_sender_shown(e->sender);
}

bool exporting_end(struct exporting *e)
{
	struct span_sender_stats stats;
	char left_out[300];
	bool whole;

	if (!e)
		return true;
	otlp_end(e->otlp);
	otlp_format_left_out(e->otlp, left_out, sizeof(left_out));
	if (*left_out)
		complain_print_error("--otlp: %s: %s", exporting_shown(e), left_out);
	span_sender_end(e->sender, e->waits ? ONCE_END_NS : END_NS);
	span_sender_stats(e->sender, &stats);
	whole = !stats.failed && !stats.dropped;
	if (!whole)
		complain_print_error("--otlp: %s: of %" PRIu64 " spans %" PRIu64
				     " were refused, %" PRIu64 " were dropped%s%s",
				     exporting_shown(e), stats.put, stats.failed, stats.dropped,
				     *stats.lost ? ": " : "", stats.lost);
	whole |= !e->waits;
	otlp_free(e->otlp);
	report_walk_end(&e->walk);
	span_sender_free(e->sender);
	free(e);
	return whole;
}
