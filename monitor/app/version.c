/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/version.h"

#include <ev.h>
#include <stdio.h>

#include "monitor/filter/filter.h"
#include "monitor/nats/nats_link.h"
#include "monitor/read/reader.h"
#include "monitor/read/unpack.h"
#include "monitor/report/report.h"
#include "monitor/send/http_post.h"
#include "views/terminal/terminal.h"

/* The first word of readers.def, "auto", is not a format. */
static void words(const char *what, const struct word *rows, int first, int nr)
{
	printf("%s:", what);
	for (int i = first; i < nr; i++)
		printf("%s %s", i > first ? "," : "", rows[i].word);
	putchar('\n');
}

void version_print(void)
{
	char filters[FILTER_LIBRARY_BYTES], nats[NATS_LIBRARY_BYTES];

	filter_library(filters);
	printf("trace2top %s\n", PACKAGE_VERSION);
	words("reads", reader_words, 1, (int)nr_readers + 1);
	words("writes", exporter_words, 0, NR_EXPORTERS);
	printf("libraries: %s, libev %d.%d, %s\n", terminal_library(), ev_version_major(),
	       ev_version_minor(), filters);
#ifdef TR2_PORTABLE
	printf("platform: POSIX alone, without inotify, ring files, and the user and process that "
	       "write to a socket\n");
#endif
	for (size_t i = 0; packing_at(i); i++) {
		const struct packing_ops *ops = packing_at(i);

		if (ops->version)
			printf("%s: %s %s\n", ops->name, ops->library, ops->version());
		else
			printf("%s: not supported, built without %s\n", ops->name, ops->library);
	}
	nats_link_library(nats);
	if (nats_link_missing())
		printf("nats: not supported, built without %s\n", nats_link_missing());
	else
		printf("nats: %s\n", nats);
	if (http_post_missing())
		printf("otlp: not supported, built without %s\n", http_post_missing());
	else
		printf("otlp: %s\n", http_post_library());
	for (int i = 0; i < NR_EXPORTERS; i++)
		if (exporters[i].ops->library)
			printf("%s: not supported, built without %s\n", exporter_words[i].word,
			       exporters[i].ops->library);
}
