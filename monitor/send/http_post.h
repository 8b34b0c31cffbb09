/* SPDX-License-Identifier: MIT */
/*
 * Requests to one address, one after the other over one connection where the server keeps it:
 * libcurl, loaded when it is needed, since the libraries behind it would make every start slower.
 * Certificates are checked, redirections are not followed.
 *
 * What is waited for is waited for in the call: for a thread of its own.
 */
#ifndef MONITOR_HTTP_POST_H
#define MONITOR_HTTP_POST_H

#include <stdbool.h>
#include <stddef.h>

struct http_post;

struct http_post_config {
	const char *url;     /* http:// or https://, copied */
	const char *path;    /* put behind it, unless it ends so already or has a query */
	const char *headers; /* a file with a header a line, `Name: value`; NULL: none */
	const char *tls_ca;  /* files; NULL: whom the system trusts, */
	const char *tls_cert, *tls_key; /* and no certificate of ours */
	/* Asked about once a second while a request is under way: is it to be broken off? */
	bool (*stops)(void *data);
	void *data;
};

#define HTTP_ANSWER_BYTES 4096u

struct http_answer {
	int status;       /* 0: there was none; `error` says why */
	long retry_after; /* seconds that it asks for; 0: nothing said */
	char error[160];  /* a line; "" */
	size_t body_len;
	char body[HTTP_ANSWER_BYTES]; /* its first bytes */
};

/* Which package is missing in this build; NULL: none. And the library's version, loaded for it. */
const char *http_post_missing(void);
const char *http_post_library(void);

/* NULL, with a line of `why`. Before there are other threads. */
struct http_post *http_post_new(const struct http_post_config *config, char *why, size_t why_bytes);
void http_post_free(struct http_post *post);

/* Its address without what is secret in it (user, password, query). */
const char *http_post_shown(const struct http_post *post);
/* Are there credentials that go over the network unencrypted? */
bool http_post_is_open(const struct http_post *post);

/* Send a body of JSON, packed by gzip. At most so long is waited for the answer. */
void http_post_send(struct http_post *post, const void *gzipped, size_t len, long timeout_ms,
		    struct http_answer *answer);

#endif
