# SPDX-License-Identifier: MIT
dist_man_MANS += %D%/libtrace2.3 %D%/trace2.5
# The manual of the options and keys is made of the rows that make them; the distribution has it.
dist_man_MANS += %D%/trace2top.1
MAN_TABLES = monitor/settings/options.def monitor/intake/sources.def monitor/read/readers.def \
	monitor/report/exporters.def monitor/base/redactions.def views/draw/colours.def views/draw/themes.def views/widget/keys.def \
	monitor/filter/filter.def views/ui/setup.def
EXTRA_DIST += %D%/trace2top.1.in %D%/tables.awk
MAINTAINERCLEANFILES = %D%/trace2top.1
%D%/trace2top.1: %D%/trace2top.1.in %D%/tables.awk $(MAN_TABLES)
	$(AM_V_GEN)$(MKDIR_P) %D% && to=`pwd`/$@ && cd $(srcdir) && \
		$(AWK) -v version='$(PACKAGE_VERSION)' -f %D%/tables.awk $(MAN_TABLES) \
		%D%/trace2top.1.in >"$$to.part" && mv "$$to.part" "$$to"
