# SPDX-License-Identifier: MIT
dist_man_MANS += %D%/libtrace2.3 %D%/trace2.5
# The manual of the options and keys is made of the rows that make them; the distribution has it.
dist_man_MANS += %D%/trace2top.1
MAN_TABLES = monitor/options.def views/keys.def monitor/filter.def views/setup.def
EXTRA_DIST += %D%/trace2top.1.in %D%/tables.awk
MAINTAINERCLEANFILES = %D%/trace2top.1
%D%/trace2top.1: %D%/trace2top.1.in %D%/tables.awk $(MAN_TABLES)
	$(AM_V_GEN)$(MKDIR_P) %D% && $(AWK) -v version='$(PACKAGE_VERSION)' \
		-f $(srcdir)/%D%/tables.awk $(srcdir)/monitor/options.def \
		$(srcdir)/views/keys.def $(srcdir)/monitor/filter.def \
		$(srcdir)/views/setup.def \
		$(srcdir)/%D%/trace2top.1.in >$@.part && mv $@.part $@
