/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/self_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tr2_settings.h"
#include "engine/trace2.h"
#include "monitor/base/die.h"
#include "monitor/base/print_error.h"
#include "monitor/base/secrets.h"

#define PREFIX "TRACE2TOP_TRACE2"

static int counter_events = -1, counter_dropped = -1;

void self_trace_refuse(const struct intake *intake)
{
	static const enum tr2_setting targets[] = { TR2_S_NORMAL, TR2_S_PERF, TR2_S_EVENT };
	struct tr2_settings set;

	tr2_settings_load(&set, PREFIX, false);
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
		const char *target = tr2_settings_text(&set, targets[i]);
		const char *path = target ? source_target_path(target) : NULL;
		char variable[TR2_VARIABLE_BYTES];

		if (!path || !intake_has_path(intake, path))
			continue;
		tr2_settings_variable(&set, targets[i], variable);
		complain_print_error("%s=%s is one of the sources; trace2top does not trace itself",
				     variable, target);
		setenv(variable, "0", 1);
	}
	tr2_settings_release(&set);
}

/* libtrace2 hides only passwords of arguments that begin with a URL of http or https. */
static void report_command_line(char **argv)
{
	size_t nr = 0, len;
	char **shown;

	if (!trace2_is_enabled())
		return;
	while (argv[nr])
		nr++;
	shown = xcalloc(nr + 1, sizeof(*shown));
	for (size_t i = 0; i < nr; i++) {
		struct tr2_buf copy = SECRETS_COPY;

		len = strlen(argv[i]);
		shown[i] = xstrdup(secrets_hide(&copy, argv[i], &len));
		tr2_buf_release(&copy);
	}
	trace2_cmd_start((const char **)shown);
	for (size_t i = 0; i < nr; i++)
		free(shown[i]);
	free(shown);
}

void self_trace_start(const struct options *options)
{
	trace2_set_prefix(PREFIX);
	trace2_set_version(PACKAGE_VERSION);
	counter_events = trace2_counter_declare("trace2top", "events", 0);
	counter_dropped = trace2_counter_declare("trace2top", "dropped", 0);
	trace2_initialize();
	report_command_line(options->argv);
	trace2_collect_process_info(TRACE2_PROCESS_INFO_STARTUP);
	trace2_cmd_name(options->once ? "once" : "screen");
}

void self_trace_count(uint64_t nr_events)
{
	trace2_counter_add(counter_events, nr_events);
}

void self_trace_count_dropped(uint64_t nr_events)
{
	trace2_counter_add(counter_dropped, nr_events);
}
