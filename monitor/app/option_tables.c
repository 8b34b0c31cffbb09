/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/app/option_tables.h"

#include "monitor/analysis/findings.h"
#include "monitor/base/secrets.h"
#include "monitor/intake/intake.h"
#include "monitor/read/reader.h"
#include "monitor/report/report.h"
#include "monitor/report/tables.h"
#include "monitor/settings/options.h"
#include "views/draw/styles.h"
#include "views/ui/view.h"
#include "views/ui/views.h"

void option_tables_init(void)
{
	option_words("no-finding", finding_words, NR_FINDING_IDS);
	option_words("format", exporter_words, NR_EXPORTERS);
	option_synonyms("format", exporter_synonyms);
	option_words("table", table_words, NR_TABLES);
	option_words("redact", redaction_words, NR_REDACTIONS);
	option_words("color", colour_words, NR_COLOURS);
	option_words("input-format", reader_words, (int)nr_readers + 1);
	option_words("theme", theme_words, NR_THEMES);
	option_words("page", view_words, NR_VIEWS);
	option_sources(source_words, NR_SOURCES);
}
