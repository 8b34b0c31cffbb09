/* SPDX-License-Identifier: MIT */
/*
 * Sequential HTTP POST requests to one URL, over one connection if the server keeps it open. Uses
 * libcurl, loaded when first needed, because its dependencies would slow down every start.
 * Certificates are checked, redirections are not followed.
 *
 * Calls block, so use a thread of its own.
 */
#ifndef MONITOR_HTTP_POST_H
#define MONITOR_HTTP_POST_H

#include <stdbool.h>
#include <stddef.h>

struct http_post;

struct http_post_config {
	const char *url;     /* http:// or https:// URL; copied */
	const char *path;    /* appended to the URL, unless the URL ends with it or has a query */
	const char *headers; /* file with one header `Name: value` per line; may be NULL */
	const char *tls_ca;  /* certificate files; NULL: use the system's CAs, */
	const char *tls_cert, *tls_key; /* and send no client certificate */
	/* Callback, called about once per second during a request; true cancels the request. */
	bool (*stops)(void *data);
	void *data;
};

#define HTTP_ANSWER_BYTES 4096u

struct http_answer {
	int status; /* HTTP status; 0: the server did not answer, see `error` */
	/* seconds to wait before the next request, as the server requested; 0: not given */
	long retry_after;
	char error[160]; /* text of the error in one line; "": none */
	size_t body_len;
	char body[HTTP_ANSWER_BYTES]; /* first bytes of the server's answer */
};

/* Return the name of the package that this build lacks for HTTP, or NULL; and the version of
 * libcurl, which is loaded for that. */
const char *http_post_missing(void);
const char *http_post_library(void);

/* Prepare requests to a URL. Returns NULL with one line in `why` on error. Call before other
 * threads exist. */
struct http_post *http_post_new(const struct http_post_config *config, char *why, size_t why_bytes);
void http_post_free(struct http_post *post);

/* Return the URL without user, password and query. */
const char *http_post_shown(const struct http_post *post);
/* True if credentials are sent over the network unencrypted. */
bool http_post_is_open(const struct http_post *post);

/* Send a JSON body, gzipped unless built without zlib, and wait for the answer, at most
 * `timeout_ms`. */
void http_post_send(struct http_post *post, const void *body, size_t len, long timeout_ms,
		    struct http_answer *answer);

#endif
