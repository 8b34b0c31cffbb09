/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/nats/nats_link.h"

#include <stdio.h>

#if defined(HAVE_NATS) && defined(HAVE_ZSTD)

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/trace2.h"
#include "monitor/base/platform.h"
#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/base/thread_signals.h"
#include "monitor/nats/nats_calls.h"
#include "monitor/nats/nats_why.h"

/* ns after which nats_link_stop() abandons a connection attempt, which may take longer, for example
 * while a name is looked up. */
#define LEAVE_NS ((NATS_CONNECT_MS + 500) * NS_PER_MS)
/* Default ns for which a server may be silent, and the number of ping intervals in that time. */
#define SILENCE_NS (60 * NS_PER_SEC)
#define PINGS      3
/* Pauses before further attempts: the first and the longest pause after all servers failed, and the
 * pause after an error that only the user can fix. */
#define FIRST_NS   NS_PER_SEC
#define LONGEST_NS (8 * NS_PER_SEC)
#define REFUSED_NS (60 * NS_PER_SEC)
/* Size of the buffer for a file of credentials; only libnats reads more of a longer file. */
#define CREDS_BYTES 8192

/*
 * State of a link to NATS servers.
 *
 * Invariant: libnats calls the callbacks from its own threads. The last callback sets `closed`, for
 * which close_whole() waits, so that no callback uses a freed link. `lock` guards the members after
 * it.
 *
 * libnats 3.4 waits forever for a server that sends its greeting and then nothing. Therefore
 * nats_link_stop() abandons a thread that has been `connecting` for LEAVE_NS. Such a thread still
 * uses the link, the options and the library, so these are not freed.
 */
struct nats_link {
	struct nats_url url;
	natsOptions *options;
	/* the client signs with an nkey, with or without a JWT */
	bool signs;
	pthread_t thread;
	bool running;
	void (*run)(void *data, struct nats_link *link, natsConnection *connection);
	void (*changed)(void *data);
	void *data;

	pthread_mutex_t lock;
	pthread_cond_t cond;
	bool stop, woken, lost, closed, connecting, left_behind;
	/* monotonic time of the start of the last connection attempt */
	ns_t attempt_ns;
	/* set by nats_link_give_up(): run() gave up the server; only the user can fix the cause */
	bool gave_up, refused;
	bool has_refusal;
	char refusal[300];
	enum nats_link_state state;
	ns_t since;
	char server[300], error[300];
};

const char *nats_link_missing(void)
{
	return NULL;
}

void nats_link_library(char out[NATS_LIBRARY_BYTES])
{
	if (nats_calls_load())
		snprintf(out, NATS_LIBRARY_BYTES, "libnats, which cannot be loaded");
	else
		snprintf(out, NATS_LIBRARY_BYTES, "libnats %s", nats->nats_GetVersion());
}

static void set_state(struct nats_link *link, enum nats_link_state state, const char *error)
{
	bool is_other;

	pthread_mutex_lock(&link->lock);
	is_other = link->state != state || strcmp(link->error, error) != 0;
	if (link->state != state)
		link->since = tr2_clock_wall();
	link->state = state;
	snprintf(link->error, sizeof(link->error), "%s", error);
	pthread_mutex_unlock(&link->lock);
	if (is_other && link->changed)
		link->changed(link->data);
}

void nats_link_status(struct nats_link *link, struct nats_link_status *out)
{
	pthread_mutex_lock(&link->lock);
	out->state = link->state;
	out->since = link->since;
	memcpy(out->server, link->server, sizeof(out->server));
	memcpy(out->error, link->error, sizeof(out->error));
	pthread_mutex_unlock(&link->lock);
}

static void on_closed(natsConnection *connection, void *data)
{
	struct nats_link *link = data;

	(void)connection;
	pthread_mutex_lock(&link->lock);
	link->lost = link->closed = true;
	pthread_cond_broadcast(&link->cond);
	pthread_mutex_unlock(&link->lock);
}

static void nats_link_on_error(natsConnection *connection, natsSubscription *subscription,
			       natsStatus status, void *data)
{
	struct nats_link *link = data;
	const char *text = nats->nats_GetLastError(NULL);

	(void)connection;
	(void)subscription;
	if (status != NATS_NOT_PERMITTED)
		return;
	pthread_mutex_lock(&link->lock);
	snprintf(link->refusal, sizeof(link->refusal), "%s", text ? text : "");
	link->has_refusal = link->woken = true;
	pthread_cond_broadcast(&link->cond);
	pthread_mutex_unlock(&link->lock);
}

/* Wait for the condition until the monotonic time `until` (NS_NONE: no limit). The caller holds the
 * lock. */
static void sleep_locked(struct nats_link *link, ns_t until)
{
	struct timespec at = { .tv_sec = (time_t)(until / NS_PER_SEC),
			       .tv_nsec = (long)(until % NS_PER_SEC) };

	if (until == NS_NONE)
		pthread_cond_wait(&link->cond, &link->lock);
	else
		pthread_cond_timedwait(&link->cond, &link->lock, &at);
}

bool nats_link_wait(struct nats_link *link, ns_t until)
{
	bool ok;

	pthread_mutex_lock(&link->lock);
	while (!link->stop && !link->lost && !link->woken &&
	       (until == NS_NONE || tr2_clock_monotonic() < until))
		sleep_locked(link, until);
	link->woken = false;
	ok = !link->stop && !link->lost;
	pthread_mutex_unlock(&link->lock);
	return ok;
}

void nats_link_give_up(struct nats_link *link, bool refused, const char *error)
{
	pthread_mutex_lock(&link->lock);
	link->gave_up = true;
	link->refused = refused;
	pthread_mutex_unlock(&link->lock);
	set_state(link, NATS_LINK_AWAY, error);
}

bool nats_link_refusal(struct nats_link *link, char *out, size_t bytes)
{
	bool any;

	pthread_mutex_lock(&link->lock);
	any = link->has_refusal;
	link->has_refusal = false;
	if (any)
		snprintf(out, bytes, "%s", link->refusal);
	pthread_mutex_unlock(&link->lock);
	return any;
}

void nats_link_wake(struct nats_link *link)
{
	pthread_mutex_lock(&link->lock);
	link->woken = true;
	pthread_cond_broadcast(&link->cond);
	pthread_mutex_unlock(&link->lock);
}

static natsStatus connect_to(struct nats_link *link, const struct nats_server *server,
			     natsConnection **out)
{
	bool is_v6 = strchr(server->host, ':') != NULL;
	char url[NATS_HOST_BYTES + 32];
	natsStatus status;

	snprintf(url, sizeof(url), "nats://%s%s%s:%u", is_v6 ? "[" : "", server->host,
		 is_v6 ? "]" : "", server->port);
	pthread_mutex_lock(&link->lock);
	snprintf(link->server, sizeof(link->server), "%s", url + strlen("nats://"));
	pthread_mutex_unlock(&link->lock);
	/* Set only one server: libnats would try several in random order, but accepts only one host
	 * name of certificates. */
	status = nats->natsOptions_SetURL(link->options, url);
	if (status == NATS_OK)
		status = nats->natsOptions_SetExpectedHostname(link->options, server->host);
	if (status == NATS_OK)
		status = nats->natsConnection_Connect(out, link->options);
	/* libnats 3.4 omits a signature that starts with a 0 byte. Try again: the server then sends
	 * another text to sign. */
	if (status == NATS_CONNECTION_AUTH_FAILED && link->signs)
		status = nats->natsConnection_Connect(out, link->options);
	return status;
}

/* Close the connection and wait for the last callback of libnats. */
static void close_whole(struct nats_link *link, natsConnection *connection)
{
	nats->natsConnection_Close(connection);
	pthread_mutex_lock(&link->lock);
	while (!link->closed)
		pthread_cond_wait(&link->cond, &link->lock);
	pthread_mutex_unlock(&link->lock);
	nats->natsConnection_Destroy(connection);
}

/* Call run() for one connection; `why` gets the reason of its end. Returns true if only the user
 * can fix the cause. */
static bool run_once(struct nats_link *link, natsConnection *connection, char *why, size_t bytes)
{
	const char *text = NULL;
	natsStatus status;
	bool refused;

	set_state(link, NATS_LINK_UP, "");
	link->run(link->data, link, connection);
	status = nats->natsConnection_GetLastError(connection, &text);
	snprintf(why, bytes, "connection lost%s%s",
		 status != NATS_OK && status != NATS_NOT_PERMITTED && text && *text ? ": " : "",
		 status != NATS_OK && status != NATS_NOT_PERMITTED && text ? text : "");
	close_whole(link, connection);
	pthread_mutex_lock(&link->lock);
	if (link->gave_up)
		snprintf(why, bytes, "%s", link->error);
	refused = link->gave_up && link->refused;
	pthread_mutex_unlock(&link->lock);
	return refused;
}

/* Sleep for 3/4 of `pause` ns to `pause` ns, or until the link stops. */
static void nats_link_rest(struct nats_link *link, ns_t pause)
{
	/* vary the pause, so that not all agents reconnect at the same time */
	ns_t now = tr2_clock_monotonic(), until = now + pause - now / NS_PER_US % (pause / 4);

	pthread_mutex_lock(&link->lock);
	while (!link->stop && tr2_clock_monotonic() < until)
		sleep_locked(link, until);
	pthread_mutex_unlock(&link->lock);
}

static bool is_stopping(struct nats_link *link)
{
	bool stop;

	pthread_mutex_lock(&link->lock);
	stop = link->stop;
	pthread_mutex_unlock(&link->lock);
	return stop;
}

/* Set `connecting`. Returns false if the link is stopping. */
static bool connecting_set(struct nats_link *link, bool connecting)
{
	bool goes_on;

	pthread_mutex_lock(&link->lock);
	goes_on = !link->stop;
	link->connecting = connecting && goes_on;
	if (link->connecting)
		link->attempt_ns = tr2_clock_monotonic();
	pthread_cond_broadcast(&link->cond);
	pthread_mutex_unlock(&link->lock);
	return goes_on;
}

static void *link_main(void *data)
{
	struct nats_link *link = data;
	/* index of the next server; failures in a row */
	unsigned at = 0, failed = 0;
	ns_t pause = FIRST_NS;
	char why[300] = "";

	trace2_thread_start("nats");
	for (;;) {
		natsConnection *connection = NULL;
		natsStatus status;
		bool refused;

		pthread_mutex_lock(&link->lock);
		link->lost = link->closed = link->gave_up = link->refused = false;
		link->has_refusal = false;
		pthread_mutex_unlock(&link->lock);
		if (!connecting_set(link, true))
			break;
		status = connect_to(link, &link->url.servers[at], &connection);
		if (!connecting_set(link, false)) {
			if (status == NATS_OK)
				close_whole(link, connection);
			break;
		}
		if (status == NATS_OK) {
			failed = 0;
			pause = FIRST_NS;
			refused = run_once(link, connection, why, sizeof(why));
		} else {
			refused = !is_stopping(link) &&
				  nats_why_format(&link->url.servers[at], status, why, sizeof(why));
		}
		/* While the link stops, the loss of the connection is no error. */
		if (!is_stopping(link))
			set_state(link, NATS_LINK_AWAY, why);
		at = (at + 1) % link->url.nr;
		failed++;
		if (refused)
			nats_link_rest(link, REFUSED_NS);
		else if (failed % link->url.nr == 0) {
			nats_link_rest(link, pause);
			pause = pause * 2 < LONGEST_NS ? pause * 2 : LONGEST_NS;
		}
	}
	trace2_thread_exit();
	return NULL;
}

static bool fails(char *why, size_t bytes, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static bool fails(char *why, size_t bytes, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vsnprintf(why, bytes, format, ap);
	va_end(ap);
	return false;
}

static char *line_with(char *text, const char *prefix)
{
	for (char *line = text, *end; *line; line = end + strspn(end, "\r\n")) {
		end = line + strcspn(line, "\r\n");
		if (!strncmp(line, prefix, strlen(prefix)))
			return strndup(line, (size_t)(end - line));
		if (!*end)
			break;
	}
	return NULL;
}

static natsStatus creds_use(natsOptions *options, const char *path, char *text, bool *signs)
{
	char *seed = line_with(text, "SU"), *key = line_with(text, "U"), *colon;
	natsStatus status = NATS_INVALID_ARG;

	*signs = true;
	if (strstr(text, "BEGIN NATS USER JWT")) {
		status = nats->natsOptions_SetUserCredentialsFromFiles(options, path, NULL);
	} else if (seed && key && strlen(seed) == 58 && strlen(key) == 56) {
		status = nats->natsOptions_SetNKeyFromSeed(options, key, path);
	} else {
		*signs = false;
		text[strcspn(text, "\r\n")] = '\0';
		colon = strchr(text, ':');
		if (colon) {
			*colon = '\0';
			status = nats->natsOptions_SetUserInfo(options, text, colon + 1);
		}
	}
	platform_wipe(text, strlen(text));
	free(seed);
	free(key);
	return status;
}

static bool creds_take(struct nats_link *link, const char *path, char *why, size_t why_bytes)
{
	char text[CREDS_BYTES];
	struct stat st;
	FILE *from = fopen(path, "re");
	natsStatus status;
	size_t nr;

	if (!from)
		return fails(why, why_bytes, "--nats-creds: %s: %s", path, strerror(errno));
	if (!fstat(fileno(from), &st) && S_ISREG(st.st_mode) && st.st_mode & 077)
		complain_print_error("--nats-creds: other users can read %s; run chmod 600", path);
	nr = fread(text, 1, sizeof(text) - 1, from);
	fclose(from);
	text[nr] = '\0';
	status = creds_use(link->options, path, text, &link->signs);
	platform_wipe(text, sizeof(text));
	return status == NATS_OK ||
	       fails(why, why_bytes,
		     "--nats-creds: %s contains neither a JWT, nor an nkey seed and public key, "
		     "nor USER:PASSWORD",
		     path);
}

static bool tls_take(natsOptions *options, const struct nats_link_config *config, char *why,
		     size_t why_bytes)
{
	natsStatus status = nats->natsOptions_SetSecure(options, true);

	if (status == NATS_NO_SERVER_SUPPORT || status == NATS_ILLEGAL_STATE)
		return fails(why, why_bytes, "this libnats was built without TLS");
	if (config->tls_ca &&
	    nats->natsOptions_LoadCATrustedCertificates(options, config->tls_ca) != NATS_OK)
		return fails(why, why_bytes, "--tls-ca: %s has no readable certificate",
			     config->tls_ca);
	if (!config->tls_cert != !config->tls_key)
		return fails(why, why_bytes, "--tls-cert and --tls-key must be used together");
	if (config->tls_cert && nats->natsOptions_LoadCertificatesChain(options, config->tls_cert,
									config->tls_key) != NATS_OK)
		return fails(why, why_bytes,
			     "--tls-cert, --tls-key: %s and %s are not a certificate and its key",
			     config->tls_cert, config->tls_key);
	return true;
}

static bool options_fill(struct nats_link *link, const struct nats_link_config *config, char *why,
			 size_t why_bytes)
{
	bool tls = config->url->tls || config->tls_ca || config->tls_cert || config->tls_key;
	natsOptions *o = link->options;
	ns_t silence = config->silence_ns ? config->silence_ns : SILENCE_NS;

	if (!tls && !config->insecure && !nats_url_is_loopback(config->url))
		return fails(
			why, why_bytes,
			"nats:// to another machine is not encrypted; use tls://, or --insecure to "
			"allow it");
	if (nats->natsOptions_SetAllowReconnect(o, false) ||
	    nats->natsOptions_SetTimeout(o, NATS_CONNECT_MS) ||
	    nats->natsOptions_SetWriteDeadline(o, NATS_WRITE_MS) ||
	    nats->natsOptions_SetPingInterval(o, silence / NS_PER_MS / PINGS) ||
	    nats->natsOptions_SetMaxPingsOut(o, PINGS - 1) ||
	    nats->natsOptions_SetName(o, config->name) ||
	    nats->natsOptions_SetIgnoreDiscoveredServers(o, true) ||
	    nats->natsOptions_SetClosedCB(o, on_closed, link) ||
	    nats->natsOptions_SetErrorHandler(o, nats_link_on_error, link))
		return fails(why, why_bytes, "libnats: %s", nats->nats_GetLastError(NULL));
	if (*config->url->user &&
	    nats->natsOptions_SetUserInfo(o, config->url->user, config->url->password))
		return fails(why, why_bytes, "libnats: %s", nats->nats_GetLastError(NULL));
	if (config->creds && !creds_take(link, config->creds, why, why_bytes))
		return false;
	return !tls || tls_take(o, config, why, why_bytes);
}

struct nats_link *nats_link_new(const struct nats_link_config *config, char *why, size_t why_bytes)
{
	const char *error = nats_calls_load();
	struct nats_link *link;
	pthread_condattr_t attr;
	sigset_t before;
	bool ok;

	if (error) {
		snprintf(why, why_bytes,
			 "cannot load libnats (Debian: libnats3.4 or libnats3.10): %s", error);
		return NULL;
	}
	link = xcalloc(1, sizeof(*link));
	link->url = *config->url;
	link->url.path = "";
	link->since = tr2_clock_wall();
	pthread_mutex_init(&link->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&link->cond, &attr);
	pthread_condattr_destroy(&attr);
	/* libnats starts threads, which inherit the signal mask. */
	thread_signals_block(0, &before);
	nats_calls_hold();
	ok = nats->natsOptions_Create(&link->options) == NATS_OK
		     ? options_fill(link, config, why, why_bytes)
		     : fails(why, why_bytes, "cannot initialize libnats");
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (ok)
		return link;
	nats_link_free(link);
	return NULL;
}

void nats_link_start(struct nats_link *link,
		     void (*run)(void *data, struct nats_link *link, natsConnection *connection),
		     void (*changed)(void *data), void *data)
{
	sigset_t before;
	int error;

	link->run = run;
	link->changed = changed;
	link->data = data;
	thread_signals_block(0, &before);
	error = pthread_create(&link->thread, NULL, link_main, link);
	if (error)
		die("cannot start a thread: %s", strerror(error));
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	link->running = true;
}

void nats_link_stop(struct nats_link *link)
{
	ns_t until;

	if (!link->running)
		return;
	pthread_mutex_lock(&link->lock);
	until = link->attempt_ns + LEAVE_NS;
	link->stop = true;
	pthread_cond_broadcast(&link->cond);
	while (link->connecting && tr2_clock_monotonic() < until)
		sleep_locked(link, until);
	link->left_behind = link->connecting;
	pthread_mutex_unlock(&link->lock);
	if (link->left_behind)
		pthread_detach(link->thread);
	else
		pthread_join(link->thread, NULL);
	link->running = false;
}

void nats_link_free(struct nats_link *link)
{
	if (!link)
		return;
	nats_link_stop(link);
	if (link->left_behind)
		return;
	nats->natsOptions_Destroy(link->options);
	nats_calls_release();
	pthread_cond_destroy(&link->cond);
	pthread_mutex_destroy(&link->lock);
	free(link);
}

#else

#ifdef HAVE_NATS
#define MISSING "libzstd (Debian: libzstd-dev)"
#else
#define MISSING "libnats (Debian: libnats-dev)"
#endif

const char *nats_link_missing(void)
{
	return MISSING;
}

void nats_link_library(char out[NATS_LIBRARY_BYTES])
{
	*out = '\0';
}

struct nats_link *nats_link_new(const struct nats_link_config *config, char *why, size_t why_bytes)
{
	(void)config;
	snprintf(why, why_bytes, "NATS needs " MISSING "; install it and rebuild trace2top");
	return NULL;
}

void nats_link_start(struct nats_link *link,
		     void (*run)(void *data, struct nats_link *link,
				 struct __natsConnection *connection),
		     void (*changed)(void *data), void *data)
{
	(void)link;
	(void)run;
	(void)changed;
	(void)data;
}

void nats_link_stop(struct nats_link *link)
{
	(void)link;
}

void nats_link_free(struct nats_link *link)
{
	(void)link;
}

bool nats_link_wait(struct nats_link *link, ns_t until)
{
	(void)link;
	(void)until;
	return false;
}

void nats_link_give_up(struct nats_link *link, bool refused, const char *error)
{
	(void)link;
	(void)refused;
	(void)error;
}

bool nats_link_refusal(struct nats_link *link, char *out, size_t bytes)
{
	(void)link;
	(void)out;
	(void)bytes;
	return false;
}

void nats_link_wake(struct nats_link *link)
{
	(void)link;
}

void nats_link_status(struct nats_link *link, struct nats_link_status *out)
{
	(void)link;
	*out = (struct nats_link_status){ 0 };
}

#endif
