# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/chrome.c \
	%D%/chrome.h \
	%D%/chrome_tree.c \
	%D%/exporters.def \
	%D%/otlp.c \
	%D%/otlp.h \
	%D%/otlp_attributes.c \
	%D%/otlp_attributes.h \
	%D%/otlp_ids.c \
	%D%/otlp_ids.h \
	%D%/otlp_parts.c \
	%D%/otlp_priv.h \
	%D%/otlp_write.c \
	%D%/report.c \
	%D%/report.h \
	%D%/report_chrome.c \
	%D%/report_csv.c \
	%D%/report_events.c \
	%D%/report_findings.c \
	%D%/report_findings.h \
	%D%/report_folded.c \
	%D%/report_json.c \
	%D%/report_junit.c \
	%D%/report_otlp.c \
	%D%/report_parts.c \
	%D%/report_parts.h \
	%D%/report_sqlite.c \
	%D%/report_text.c \
	%D%/report_text_head.c \
	%D%/report_rules.c \
	%D%/report_rules.h \
	%D%/tables.c \
	%D%/tables.def \
	%D%/tables.h \
	%D%/text_cells.h
