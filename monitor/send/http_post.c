/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/send/http_post.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "monitor/base/platform.h"
#include "monitor/base/print_error.h"
#include "monitor/base/die.h"
#include "monitor/base/host.h"
#include "monitor/base/library.h"

#define MISSING "libcurl (Debian: libcurl4-openssl-dev)"

#ifdef HAVE_CURL

/* libcurl's type checks are macros that call its functions, which are not linked. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#define CONNECT_TIMEOUT_MS 5000L
#define MAX_HEADER_BYTES   8192

struct curl_calls {
#define CURL_CALL(function) __typeof__(function) *function;
#include "monitor/send/curl_calls.def"
};

static struct curl_calls calls;
static const struct curl_calls *curl; /* NULL: libcurl is not loaded */

static const struct library_function functions[] = {
#define CURL_CALL(function) { #function, (void **)&calls.function },
#include "monitor/send/curl_calls.def"
};

struct http_post {
	struct http_post_config config;
	char *url, *shown;
	CURL *easy;
	struct curl_slist *headers;
	bool has_secrets;
	struct http_answer *answer;
};

/* Returns NULL, or why libcurl cannot be loaded. */
static const char *load(void)
{
	const char *why;

	if (curl)
		return NULL;
	why = library_load(CURL_SONAME, functions, sizeof(functions) / sizeof(*functions));
	if (why)
		return why;
	if (calls.curl_global_init(CURL_GLOBAL_DEFAULT))
		return "it cannot be initialized";
	curl = &calls;
	return NULL;
}

const char *http_post_missing(void)
{
	return NULL;
}

const char *http_post_library(void)
{
	const char *why = load();

	return why ? why : curl->curl_version();
}

static bool is_prefix(const char *text, const char *prefix)
{
	return !strncasecmp(text, prefix, strlen(prefix));
}

/* Return the part of the URL after the scheme; NULL if that is not HTTP or HTTPS, or the host is
 * missing. */
static const char *authority_of(const char *url)
{
	const char *at = is_prefix(url, "http://")    ? url + strlen("http://")
			 : is_prefix(url, "https://") ? url + strlen("https://")
						      : NULL;

	return at && *at && !strchr("/?#:", *at) ? at : NULL;
}

static bool has_at_after_host(const char *url)
{
	const char *authority = authority_of(url);

	return strchr(authority + strcspn(authority, "/?#"), '@') != NULL;
}

static char *url_make(const char *url, const char *path)
{
	size_t len = strcspn(url, "?#"), nr = strlen(path);
	char *made;

	if (url[len])
		return xstrdup(url);
	while (len && url[len - 1] == '/')
		len--;
	if (len >= nr && !memcmp(url + len - nr, path, nr))
		nr = 0;
	made = xmalloc(len + nr + 1);
	memcpy(made, url, len);
	memcpy(made + len, path, nr);
	made[len + nr] = '\0';
	return made;
}

static char *shown_make(const char *url, bool *has_user)
{
	const char *authority = authority_of(url), *at;
	size_t head = (size_t)(authority - url);
	char *made = xstrdup(url);

	at = platform_find_last(authority, '@', strcspn(authority, "/?#"));
	*has_user = at != NULL;
	if (at)
		memmove(made + head, made + (at + 1 - url), strlen(at + 1) + 1);
	made[strcspn(made, "?#")] = '\0';
	return made;
}

static bool is_loopback(const char *shown)
{
	const char *host = authority_of(shown);
	bool v6 = *host == '[';
	size_t len = strcspn(host += v6, v6 ? "]" : ":/");
	char name[256];

	if (len >= sizeof(name))
		return false;
	memcpy(name, host, len);
	name[len] = '\0';
	return host_is_loopback(name);
}

static void header_add(struct http_post *post, const char *line)
{
	struct curl_slist *list = curl->curl_slist_append(post->headers, line);

	if (!list)
		die_of_memory(strlen(line));
	post->headers = list;
}

/* True for `Name: value` if the name has only letters, digits and "-_.", and the value no bytes
 * below 0x20 except tabs. */
static bool is_header(const char *line)
{
	size_t name = strcspn(line, ":");

	if (!name || !line[name])
		return false;
	for (size_t i = 0; i < name; i++)
		if (!isalnum((unsigned char)line[i]) && !strchr("-_.", line[i]))
			return false;
	for (const char *at = line + name; *at; at++)
		if ((unsigned char)*at < ' ' && *at != '\t')
			return false;
	return true;
}

static bool headers_read(struct http_post *post, const char *path, char *why, size_t why_bytes)
{
	FILE *from = fopen(path, "re");
	char line[MAX_HEADER_BYTES];
	struct stat st;
	int number = 0;
	bool ok = true;

	if (!from) {
		snprintf(why, why_bytes, "cannot read %s: %s", path, strerror(errno));
		return false;
	}
	if (!fstat(fileno(from), &st) && st.st_mode & 077)
		complain_print_error("other users can read %s; run chmod 600", path);
	while (ok && fgets(line, sizeof(line), from)) {
		number++;
		line[strcspn(line, "\r\n")] = '\0';
		if (!*line || *line == '#')
			continue;
		ok = is_header(line);
		if (ok) {
			header_add(post, line);
			post->has_secrets = true;
		}
	}
	platform_wipe(line, sizeof(line));
	if (!ok)
		snprintf(why, why_bytes, "line %d of %s is not a header; use Name: value", number,
			 path);
	fclose(from);
	return ok;
}

static size_t on_body(char *bytes, size_t size, size_t nr, void *data)
{
	struct http_answer *a = ((struct http_post *)data)->answer;
	size_t len = size * nr, room = sizeof(a->body) - a->body_len;

	memcpy(a->body + a->body_len, bytes, len < room ? len : room);
	a->body_len += len < room ? len : room;
	return len;
}

static int progress(void *data, curl_off_t a, curl_off_t b, curl_off_t c, curl_off_t d)
{
	const struct http_post *post = data;

	(void)a;
	(void)b;
	(void)c;
	(void)d;
	return post->config.stops && post->config.stops(post->config.data);
}

static void option_text(struct http_post *post, CURLoption option, const char *text)
{
	if (text && curl->curl_easy_setopt(post->easy, option, text))
		die_of_memory(strlen(text));
}

static void options_set(struct http_post *post)
{
	CURL *easy = post->easy;

	option_text(post, CURLOPT_URL, post->url);
	option_text(post, CURLOPT_USERAGENT, "trace2top/" PACKAGE_VERSION);
	option_text(post, CURLOPT_CAINFO, post->config.tls_ca);
	option_text(post, CURLOPT_SSLCERT, post->config.tls_cert);
	option_text(post, CURLOPT_SSLKEY, post->config.tls_key);
	curl->curl_easy_setopt(easy, CURLOPT_POST, 1L);
	curl->curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
	curl->curl_easy_setopt(easy, CURLOPT_NOPROGRESS, 0L);
	curl->curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_TIMEOUT_MS);
	curl->curl_easy_setopt(easy, CURLOPT_HTTPHEADER, post->headers);
	curl->curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
	curl->curl_easy_setopt(easy, CURLOPT_WRITEDATA, post);
	curl->curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, progress);
	curl->curl_easy_setopt(easy, CURLOPT_XFERINFODATA, post);
}

struct http_post *http_post_new(const struct http_post_config *config, char *why, size_t why_bytes)
{
	struct http_post *post;
	const char *missing;
	bool has_user;

	if (!authority_of(config->url)) {
		snprintf(why, why_bytes, "not an http:// or https:// URL");
		return NULL;
	}
	/* An '@' after the host may follow a password that contains an unencoded '/', which
	 * would be displayed as part of the path. */
	if (has_at_after_host(config->url)) {
		snprintf(why, why_bytes,
			 "'@' after the host; encode @ / ? # in a password as %%40 %%2F %%3F %%23");
		return NULL;
	}
	missing = load();
	if (missing) {
		snprintf(why, why_bytes,
			 "cannot load libcurl (Debian: libcurl4 or libcurl4t64): %s", missing);
		return NULL;
	}
	post = xcalloc(1, sizeof(*post));
	post->config = *config;
	post->url = url_make(config->url, config->path);
	post->shown = shown_make(post->url, &has_user);
	post->has_secrets = has_user;
	post->easy = curl->curl_easy_init();
	if (!post->easy)
		die_of_memory(sizeof(*post));
	header_add(post, "Content-Type: application/json");
#ifdef HAVE_ZLIB
	header_add(post, "Content-Encoding: gzip");
#endif
	/* An empty "Expect" removes that header, with which libcurl would wait for "100
	 * Continue" before it sends a large body. */
	header_add(post, "Expect:");
	if (config->headers && !headers_read(post, config->headers, why, why_bytes)) {
		http_post_free(post);
		return NULL;
	}
	options_set(post);
	return post;
}

void http_post_free(struct http_post *post)
{
	if (!post)
		return;
	curl->curl_easy_cleanup(post->easy);
	curl->curl_slist_free_all(post->headers);
	free(post->url);
	free(post->shown);
	free(post);
}

const char *http_post_shown(const struct http_post *post)
{
	return post->shown;
}

bool http_post_is_open(const struct http_post *post)
{
	return post->has_secrets && is_prefix(post->shown, "http://") && !is_loopback(post->shown);
}

void http_post_send(struct http_post *post, const void *body, size_t len, long timeout_ms,
		    struct http_answer *answer)
{
	curl_off_t retry = 0;
	CURLcode code;
	long status = 0;

	answer->status = 0;
	answer->retry_after = 0;
	answer->body_len = 0;
	*answer->error = '\0';
	post->answer = answer;
	curl->curl_easy_setopt(post->easy, CURLOPT_POSTFIELDS, body);
	curl->curl_easy_setopt(post->easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)len);
	curl->curl_easy_setopt(post->easy, CURLOPT_TIMEOUT_MS, timeout_ms);
	code = curl->curl_easy_perform(post->easy);
	if (code) {
		snprintf(answer->error, sizeof(answer->error), "%s",
			 curl->curl_easy_strerror(code));
		return;
	}
	curl->curl_easy_getinfo(post->easy, CURLINFO_RESPONSE_CODE, &status);
	curl->curl_easy_getinfo(post->easy, CURLINFO_RETRY_AFTER, &retry);
	answer->status = (int)status;
	answer->retry_after = (long)retry;
}

#else

const char *http_post_missing(void)
{
	return MISSING;
}

const char *http_post_library(void)
{
	return "";
}

struct http_post *http_post_new(const struct http_post_config *config, char *why, size_t why_bytes)
{
	(void)config;
	snprintf(why, why_bytes, "this needs " MISSING "; install it and rebuild trace2top");
	return NULL;
}

void http_post_free(struct http_post *post)
{
	(void)post;
}

const char *http_post_shown(const struct http_post *post)
{
	(void)post;
	return "";
}

bool http_post_is_open(const struct http_post *post)
{
	(void)post;
	return false;
}

void http_post_send(struct http_post *post, const void *body, size_t len, long timeout_ms,
		    struct http_answer *answer)
{
	(void)post;
	(void)body;
	(void)len;
	(void)timeout_ms;
	*answer = (struct http_answer){ .error = "no libcurl" };
}

#endif
