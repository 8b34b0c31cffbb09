/* SPDX-License-Identifier: MIT */
/*
 * Fuzz target: parse what agents and viewers exchange besides event lines. Byte 0 selects the kind
 * of the rest: a subject, a name, T2, Nats-Msg-Id, a URL or a server's answer. A valid value,
 * except an answer, is printed (a URL without user and password) and parsed again with the same
 * result.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/nats/nats_url.h"
#include "monitor/nats/wire.h"
#include "monitor/send/forward_ack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void expect(bool ok)
{
	if (!ok)
		abort();
}

static void name_again(const struct wire_name *name)
{
	char subject[WIRE_SUBJECT_BYTES];
	struct wire_name again;
	enum wire_kind kind;

	for (int i = 0; i < NR_WIRE_KINDS; i++) {
		wire_subject((enum wire_kind)i, name, subject);
		expect(strlen(subject) < sizeof(subject));
		expect(wire_subject_parse(subject, &kind, &again) && kind == (enum wire_kind)i);
		expect(!strcmp(again.site, name->site) && !strcmp(again.host, name->host));
		expect(!strpbrk(subject, "*> \t\r\n"));
		wire_subject_pattern((enum wire_kind)i, name, subject);
		expect(strlen(subject) < sizeof(subject));
	}
}

static void subject(const char *text)
{
	char again[WIRE_SUBJECT_BYTES];
	struct wire_name name;
	enum wire_kind kind;

	if (!wire_subject_parse(text, &kind, &name))
		return;
	wire_subject(kind, &name, again);
	expect(!strcmp(again, text));
	name_again(&name);
}

static void name(const char *text)
{
	char shown[2 * WIRE_NAME_BYTES];
	struct wire_name name;

	if (!wire_name_parse(text, &name))
		return;
	wire_name_show(&name, shown, sizeof(shown));
	expect(!strcmp(shown, text));
	name_again(&name);
}

static void head(const char *text)
{
	struct wire_head head, again;
	char printed[WIRE_HEAD_BYTES];

	if (wire_head_parse(text, &head) != WIRE_OK)
		return;
	wire_head_print(&head, printed);
	expect(wire_head_parse(printed, &again) == WIRE_OK);
	expect(!memcmp(&head, &again, sizeof(head)));
}

static void id(const char *text)
{
	static const struct wire_name name = { "lab", "a.b" };
	struct wire_id id, again;
	char printed[WIRE_ID_BYTES];

	if (!wire_id_parse(text, &id))
		return;
	wire_id_print(&name, &id, printed);
	expect(wire_id_parse(printed, &again));
	expect(!memcmp(&id, &again, sizeof(id)));
}

static void url(const char *text)
{
	struct nats_url url, again;
	char shown[NATS_MAX_SERVERS * (NATS_HOST_BYTES + 10)], *whole;
	char why[300] = "";

	if (!nats_url_parse(text, &url, why, sizeof(why))) {
		expect(*why);
		return;
	}
	expect(nats_url_is(text) && url.nr && url.nr <= NATS_MAX_SERVERS);
	if (strlen(url.path) > 1000)
		return;
	whole = malloc(sizeof(shown) + 1100);
	expect(whole != NULL);
	nats_url_show(&url, whole, sizeof(shown) + 1100);
	expect(nats_url_parse(whole, &again, why, sizeof(why)));
	expect(!*again.user && !*again.password);
	expect(again.nr == url.nr && again.tls == url.tls && !strcmp(again.path, url.path));
	for (unsigned i = 0; i < url.nr; i++)
		expect(!strcmp(again.servers[i].host, url.servers[i].host) &&
		       again.servers[i].port == url.servers[i].port);
	expect(nats_url_is_loopback(&url) == nats_url_is_loopback(&again));
	free(whole);
}

static void ack(const char *bytes, size_t len)
{
	char why[40] = "";

	switch (forward_ack_parse(bytes, len, why, sizeof(why))) {
	case FORWARD_REFUSED:
		expect(*why);
		for (const char *c = why; *c; c++)
			expect((unsigned char)*c >= 0x20 && *c != 0x7f);
		break;
	case FORWARD_STORED:
		expect(len && *bytes && memchr(bytes, '{', len));
		break;
	case FORWARD_UNCLEAR:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (!size)
		return 0;
	text = malloc(size);
	expect(text != NULL);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	switch (data[0] % 6) {
	case 0:
		subject(text);
		break;
	case 1:
		name(text);
		break;
	case 2:
		head(text);
		break;
	case 3:
		id(text);
		break;
	case 4:
		url(text);
		break;
	case 5:
		/* Put the text at the end of its memory, so that a sanitizer detects reads
		 * beyond it. */
		memmove(text + 1, data + 1, size - 1);
		ack(text + 1, size - 1);
		break;
	}
	free(text);
	return 0;
}
