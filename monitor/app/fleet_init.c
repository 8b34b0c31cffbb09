/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/fleet_init.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/platform.h"
#include "monitor/app/session.h"
#include "monitor/base/platform.h"
#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/base/humanize.h"
#include "monitor/nats/nats_calls.h"
#include "monitor/nats/nats_link.h"
#include "monitor/nats/wire.h"

#define PASSWORD_LETTERS 24

/* Generate a password of 24 characters from a set of 64: 144 random bits. */
static void password_make(char out[PASSWORD_LETTERS + 1])
{
	static const char letters[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	unsigned char bytes[PASSWORD_LETTERS];

	if (!tr2_platform_random(bytes, sizeof(bytes), true))
		die("cannot read random bytes");
	for (int i = 0; i < PASSWORD_LETTERS; i++)
		out[i] = letters[bytes[i] & 63];
	out[PASSWORD_LETTERS] = '\0';
}

static void user_print(const char *user, const char *what, const char *permissions)
{
	char password[PASSWORD_LETTERS + 1];

	password_make(password);
	printf("    # %s; --nats-creds=FILE, which holds (0600): %s:%s\n"
	       "    { user: \"%s\", password: \"%s\"%s }\n",
	       what, user, password, user, password, permissions);
	platform_wipe(password, sizeof(password));
}

static void host_print(const struct wire_name *name)
{
	char subject[WIRE_SUBJECT_BYTES], permissions[WIRE_SUBJECT_BYTES + 200];
	const char *encoded;

	wire_subject(WIRE_EVENTS, name, subject);
	encoded = subject + strlen(WIRE_SUBJECT_ROOT ".events.");
	snprintf(permissions, sizeof(permissions),
		 ",\n      permissions: { publish: [\"" WIRE_SUBJECT_ROOT
		 ".*.%s\"], subscribe: [\"_INBOX.>\"] }",
		 encoded);
	user_print(encoded, "an agent", permissions);
}

/* Without the permission for $JS.FC (flow control) a viewer stalls silently. */
static void viewer_print(void)
{
	char permissions[4096];
	size_t nr;

	nr = (size_t)snprintf(permissions, sizeof(permissions),
			      ",\n      permissions: { subscribe: [\"_INBOX.>\"], publish: [\n"
			      "        \"$JS.FC.>\", \"$JS.API.INFO\", \"$JS.API.STREAM.NAMES\"");
	for (int i = 0; i < NR_WIRE_KINDS; i++) {
		const char *s = wire_streams[i];

		nr += (size_t)snprintf(
			permissions + nr, sizeof(permissions) - nr,
			",\n        \"$JS.API.STREAM.INFO.%s\", \"$JS.API.STREAM.MSG.GET.%s\",\n"
			"        \"$JS.API.CONSUMER.CREATE.%s\", "
			"\"$JS.API.CONSUMER.CREATE.%s.>\",\n"
			"        \"$JS.API.CONSUMER.INFO.%s.>\", \"$JS.API.CONSUMER.DELETE.%s.>\"",
			s, s, s, s, s, s);
	}
	snprintf(permissions + nr, sizeof(permissions) - nr, " ] }");
	user_print("viewer", "viewers", permissions);
}

static void config_print(const struct wire_name *names, int nr)
{
	printf("# nats-server.conf for a fleet of trace2top. It contains passwords; use mode "
	       "0600.\n"
	       "port: 4222\n"
	       "jetstream { store_dir: \"/var/lib/nats\", max_file: 20G }\n"
	       "# For other machines, with TLS (then --forward=tls://HOST, --tls-ca=ca.pem):\n"
	       "# tls { cert_file: \"/etc/nats/server.pem\", key_file: \"/etc/nats/server.key\" }\n"
	       "authorization {\n"
	       "  users: [\n");
	for (int i = 0; i < nr; i++)
		host_print(&names[i]);
	viewer_print();
	user_print("admin", "for the next --fleet-init", "");
	printf("  ]\n}\n");
}

#ifdef HAVE_NATS

/* Maximum bytes of the stream EVENTS; halved, while above LEAST_BYTES, if the server lacks
 * resources. */
#define EVENTS_BYTES ((int64_t)10 << 30)
#define LEAST_BYTES  ((int64_t)16 << 20)
#define HOUR_NS      (3600 * NS_PER_SEC)

struct init {
	pthread_mutex_t lock;
	pthread_cond_t cond;
	struct nats_link *link;
	bool done, failed, changed;
};

static const struct stream_plan {
	/* maximum age of a message in ns; size of the stream EVENTS divided by that of this
	 * stream */
	int64_t age_ns, share;
	int64_t each; /* maximum messages per subject (host); 0: no limit */
	const char *keeps;
} plans[NR_WIRE_KINDS] = {
	/* 3600 messages per host: one hour at one per second. */
	[WIRE_EVENTS] = { 24 * HOUR_NS, 1, 3600, "events, one day" },
	[WIRE_NOW] = { 24 * HOUR_NS, 16, 1, "the newest summary of each host" },
	[WIRE_TENMIN] = { 30 * 24 * HOUR_NS, 8, 0, "one summary per ten minutes, 30 days" },
};

static natsStatus stream_try(jsCtx *js, enum wire_kind kind, int64_t bytes, int64_t replicas,
			     jsErrCode *error)
{
	char subject[64];
	const char *subjects[1] = { subject };
	jsStreamConfig config;

	snprintf(subject, sizeof(subject), WIRE_SUBJECT_ROOT ".%s.>", wire_kind_words[kind]);
	nats->jsStreamConfig_Init(&config);
	config.Name = wire_streams[kind];
	config.Subjects = subjects;
	config.SubjectsLen = 1;
	config.Storage = js_FileStorage;
	config.Discard = js_DiscardOld;
	config.MaxAge = plans[kind].age_ns;
	config.MaxBytes = bytes;
	if (plans[kind].each)
		config.MaxMsgsPerSubject = plans[kind].each;
	config.Duplicates = 120 * NS_PER_SEC;
	config.Replicas = replicas;
	*error = 0;
	return nats->js_AddStream(NULL, js, &config, NULL, error);
}

/* Returns NATS_NOT_FOUND if the stream is missing. js_AddStream() does not report if a stream
 * existed: it also succeeds if the configuration is the same. */
static natsStatus stream_find(jsCtx *js, enum wire_kind kind)
{
	jsStreamInfo *info = NULL;
	natsStatus status = nats->js_GetStreamInfo(&info, js, wire_streams[kind], NULL, NULL);

	nats->jsStreamInfo_Destroy(info);
	return status;
}

/* Create the missing streams, each with its share of `bytes`. If a stream cannot be created, delete
 * those just created. `made`: bit mask of the created streams. */
static natsStatus streams_try(jsCtx *js, int64_t bytes, int64_t replicas, unsigned *made,
			      jsErrCode *error, char *why, size_t why_bytes)
{
	natsStatus status = NATS_OK;
	const char *text;

	*made = 0;
	*error = 0;
	for (int i = 0; i < NR_WIRE_KINDS && status == NATS_OK; i++) {
		status = stream_find(js, (enum wire_kind)i);
		if (status != NATS_NOT_FOUND)
			continue;
		status = stream_try(js, (enum wire_kind)i, bytes / plans[i].share, replicas, error);
		if (status == NATS_OK)
			*made |= 1u << i;
	}
	text = nats->nats_GetLastError(NULL);
	snprintf(why, why_bytes, "%s", text ? text : nats->natsStatus_GetText(status));
	for (int i = 0; i < NR_WIRE_KINDS && status != NATS_OK; i++)
		if (*made >> i & 1)
			nats->js_DeleteStream(js, wire_streams[i], NULL, NULL);
	return status;
}

static void made_report(unsigned made, int64_t bytes, int64_t replicas)
{
	for (int i = 0; i < NR_WIRE_KINDS; i++)
		if (made >> i & 1)
			fprintf(stderr, "created stream %s: %s, at most %s, %s\n", wire_streams[i],
				plans[i].keeps,
				human_bytes((uint64_t)(bytes / plans[i].share)).text,
				replicas > 1 ? "on three servers" : "on one server");
		else
			fprintf(stderr, "stream %s exists; not changed\n", wire_streams[i]);
}

static bool streams_of(jsCtx *js)
{
	int64_t bytes = EVENTS_BYTES, replicas = 3;
	unsigned made;
	natsStatus status;
	jsErrCode error;

	for (;;) {
		char why[200];

		status = streams_try(js, bytes, replicas, &made, &error, why, sizeof(why));
		if (status == NATS_OK)
			break;
		if (replicas > 1 &&
		    (error == JSStreamReplicasNotSupportedErr || error == JSClusterNoPeersErr))
			replicas = 1;
		else if (bytes > LEAST_BYTES &&
			 (error == JSStorageResourcesExceededErr ||
			  error == JSInsufficientResourcesErr || error == JSClusterNoPeersErr))
			bytes /= 2;
		else {
			complain_print_error("--fleet-init: cannot create the streams: %s", why);
			return false;
		}
	}
	made_report(made, bytes, replicas);
	return true;
}

static void init_run(void *data, struct nats_link *link, natsConnection *connection)
{
	struct init *init = data;
	bool ok = false;
	jsCtx *js = NULL;

	(void)link;
	if (nats->natsConnection_JetStream(&js, connection, NULL) == NATS_OK) {
		ok = streams_of(js);
		nats->jsCtx_Destroy(js);
	}
	pthread_mutex_lock(&init->lock);
	init->done = true;
	init->failed = !ok;
	pthread_cond_broadcast(&init->cond);
	pthread_mutex_unlock(&init->lock);
	nats_link_wait(link, NS_NONE);
}

static void init_changed(void *data)
{
	struct init *init = data;

	pthread_mutex_lock(&init->lock);
	init->changed = true;
	pthread_cond_broadcast(&init->cond);
	pthread_mutex_unlock(&init->lock);
}

static int streams_make(const struct nats_link_config *config)
{
	struct init init = { .lock = PTHREAD_MUTEX_INITIALIZER, .cond = PTHREAD_COND_INITIALIZER };
	struct nats_link_status status = { 0 };
	char why[400];

	init.link = nats_link_new(config, why, sizeof(why));
	if (!init.link) {
		complain_print_error("--fleet-init: %s", why);
		return STATUS_USAGE;
	}
	nats_link_start(init.link, init_run, init_changed, &init);
	pthread_mutex_lock(&init.lock);
	while (!init.done && !*status.error) {
		while (!init.done && !init.changed)
			pthread_cond_wait(&init.cond, &init.lock);
		init.changed = false;
		pthread_mutex_unlock(&init.lock);
		nats_link_status(init.link, &status);
		pthread_mutex_lock(&init.lock);
	}
	pthread_mutex_unlock(&init.lock);
	if (!init.done)
		complain_print_error("--fleet-init: %s", status.error);
	nats_link_free(init.link);
	return init.done && !init.failed ? STATUS_OK : STATUS_SOURCE;
}

#else

static int streams_make(const struct nats_link_config *config)
{
	char why[400];

	nats_link_new(config, why, sizeof(why));
	complain_print_error("--fleet-init: %s", why);
	return STATUS_USAGE;
}

#endif

int fleet_init_run(const struct options *o)
{
	struct nats_url url;
	struct nats_link_config config = { .url = &url,
					   .name = "trace2top --fleet-init",
					   .creds = o->nats_creds,
					   .tls_ca = o->tls_ca,
					   .tls_cert = o->tls_cert,
					   .tls_key = o->tls_key,
					   .insecure = o->insecure };
	struct wire_name *names;
	char why[400];
	int status;

	if (!nats_url_parse(o->fleet_init, &url, why, sizeof(why)) || *url.path) {
		complain_print_error(
			"--fleet-init: %s",
			*url.path ? "give each SITE.HOST as an argument, not in the URL" : why);
		return STATUS_USAGE;
	}
	names = xcalloc((size_t)o->nr_sources + 1, sizeof(*names));
	for (int i = 0; i < o->nr_sources; i++)
		if (!wire_name_parse(o->sources[i], &names[i])) {
			complain_print_error(
				"--fleet-init: '%.200s' is not a SITE.HOST such as lab.build-01",
				o->sources[i]);
			free(names);
			return STATUS_USAGE;
		}
	status = streams_make(&config);
	if (status != STATUS_USAGE)
		config_print(names, o->nr_sources);
	free(names);
	if (fflush(stdout)) {
		complain_print_error("cannot write to standard output: %s", strerror(errno));
		return STATUS_SOURCE;
	}
	return status;
}
