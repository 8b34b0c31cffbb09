/* SPDX-License-Identifier: MIT */
/*
 * Send HTTP POST requests to one URL, one after the other, over one connection if the server keeps
 * it open. Certificates are checked, redirections are not followed. libcurl is loaded when it is
 * first needed, because its dependencies would slow down every start.
 */
#ifndef MONITOR_HTTP_POST_H
#define MONITOR_HTTP_POST_H

#include <stdbool.h>
#include <stddef.h>

struct http_post;

struct http_post_config {
	const char *url; /* URL with http or https; copied */
	/*
	 * path that is appended to the URL, unless the URL ends with it or has a query or fragment
	 */
	const char *path;
	/* file with one header `Name: value` per line; may be NULL */
	const char *headers;
	const char *tls_ca; /* file with certificates of CAs; NULL: those of the system */
	/* files with the client's certificate and key; NULL: none */
	const char *tls_cert, *tls_key;
	/* Called about once per second or more often during a request; true cancels the request.
	 * May be NULL. */
	bool (*stops)(void *data);
	void *data;
};

#define HTTP_ANSWER_BYTES 4096u

struct http_answer {
	/* HTTP status; 0: no complete answer, and `error` has the reason */
	int status;
	/* seconds to wait before the next request, as the server requests; 0: not given */
	long retry_after;
	char error[160]; /* error of the request in one line; "": none */
	size_t body_len;
	char body[HTTP_ANSWER_BYTES]; /* first bytes of the server's answer */
};

/*
 * http_post_missing() returns the package that this build lacks for HTTP, or NULL.
 * http_post_library() loads libcurl and returns its version, or why that failed; "" if this build
 * lacks it.
 */
const char *http_post_missing(void);
const char *http_post_library(void);

/* Prepare requests. Returns NULL with one line in `why` on error. Call it before other threads
 * exist. */
struct http_post *http_post_new(const struct http_post_config *config, char *why, size_t why_bytes);
void http_post_free(struct http_post *post);

/* Return the URL without user, password, query and fragment. */
const char *http_post_shown(const struct http_post *post);
/* True if requests send a user name or given headers, which may be credentials, to another host
 * without encryption. */
bool http_post_is_open(const struct http_post *post);

/* Send a JSON body and wait at most `timeout_ms` for the answer. The body must be gzipped,
 * unless the program is built without zlib. */
void http_post_send(struct http_post *post, const void *body, size_t len, long timeout_ms,
		    struct http_answer *answer);

#endif
