# SPDX-License-Identifier: MIT
views_libviews_a_SOURCES += \
	%D%/flame_foot.c \
	%D%/flame_foot.h \
	%D%/leaves.def \
	%D%/page_attributes.c \
	%D%/page_command.c \
	%D%/page_difference.c \
	%D%/page_errors.c \
	%D%/page_events.c \
	%D%/page_finding.c \
	%D%/page_findings.c \
	%D%/page_flame.c \
	%D%/page_heat.c \
	%D%/page_help.c \
	%D%/page_output.c \
	%D%/page_pairs.c \
	%D%/page_process.c \
	%D%/page_record.c \
	%D%/page_region.c \
	%D%/page_setup.c \
	%D%/page_sources.c \
	%D%/page_sql.c \
	%D%/page_summary.c \
	%D%/page_timeline.c \
	%D%/page_value.c \
	%D%/page_values.c \
	%D%/page_waiting.c \
	%D%/region_foot.c \
	%D%/region_foot.h \
	%D%/region_group.c \
	%D%/region_group.h \
	%D%/timeline_draw.c \
	%D%/timeline_draw.h
