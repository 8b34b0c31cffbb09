# SPDX-License-Identifier: MIT
dist_man_MANS += %D%/libtrace2.3 %D%/trace2.5 %D%/trace2top-compare.7 %D%/trace2top-fleet.7
# Pages that contain tables are generated. The distribution contains them.
GENERATED_MANS = %D%/trace2top.1 %D%/trace2top-findings.7 %D%/trace2top-formats.5
dist_man_MANS += $(GENERATED_MANS)
MAN_TABLES = monitor/settings/options.def monitor/source/sources.def monitor/read/readers.def \
	monitor/report/exporters.def monitor/report/tables.def monitor/base/redactions.def views/draw/colours.def views/draw/themes.def views/widget/keys.def \
	monitor/attribute/attributes.def monitor/filter/filter.def views/ui/setup.def monitor/analysis/findings.def \
	views/line/commands.def
EXTRA_DIST += %D%/trace2top.1.in %D%/trace2top-findings.7.in %D%/trace2top-formats.5.in %D%/rows.awk %D%/tables.awk \
	%D%/fold.awk
MAINTAINERCLEANFILES = $(GENERATED_MANS)
MAN_NEEDS = %D%/rows.awk %D%/tables.awk %D%/fold.awk $(MAN_TABLES)
MAN_PAGE = $(AM_V_GEN)$(MKDIR_P) `dirname $@` && to=`pwd`/$@ && cd $(srcdir) && \
	$(AWK) -v version='$(PACKAGE_VERSION)' -f %D%/rows.awk -f %D%/tables.awk $(MAN_TABLES)
MAN_FOLD = LC_ALL=C $(AWK) -f %D%/fold.awk "$$to.rows" >"$$to.part" && rm "$$to.rows" && \
	mv "$$to.part" "$$to"
%D%/trace2top.1: %D%/trace2top.1.in $(MAN_NEEDS)
	$(MAN_PAGE) %D%/trace2top.1.in >"$$to.rows" && $(MAN_FOLD)
%D%/trace2top-findings.7: %D%/trace2top-findings.7.in $(MAN_NEEDS)
	$(MAN_PAGE) %D%/trace2top-findings.7.in >"$$to.rows" && $(MAN_FOLD)
%D%/trace2top-formats.5: %D%/trace2top-formats.5.in $(MAN_NEEDS)
	$(MAN_PAGE) %D%/trace2top-formats.5.in >"$$to.rows" && $(MAN_FOLD)

# Completions are generated from the same tables.
COMPLETION_ROWS = $(MAN_TABLES) monitor/attribute/states.def
COMPLETION = $(AM_V_GEN)$(MKDIR_P) `dirname $@` && to=`pwd`/$@ && cd $(srcdir) && $(AWK) -f %D%/rows.awk \
	-f %D%/completions.awk $(COMPLETION_ROWS)
COMPLETION_NEEDS = %D%/rows.awk %D%/completions.awk $(COMPLETION_ROWS)
bashcompletiondir = $(datadir)/bash-completion/completions
zshcompletiondir = $(datadir)/zsh/site-functions
fishcompletiondir = $(datadir)/fish/vendor_completions.d
dist_bashcompletion_DATA = %D%/bash/trace2top
dist_zshcompletion_DATA = %D%/zsh/_trace2top
dist_fishcompletion_DATA = %D%/fish/trace2top.fish
EXTRA_DIST += %D%/completions.awk %D%/trace2top.bash.in %D%/trace2top.zsh.in %D%/trace2top.fish.in
MAINTAINERCLEANFILES += %D%/bash/trace2top %D%/zsh/_trace2top %D%/fish/trace2top.fish
%D%/bash/trace2top: %D%/trace2top.bash.in $(COMPLETION_NEEDS)
	$(COMPLETION) %D%/trace2top.bash.in >"$$to.part" && mv "$$to.part" "$$to"
%D%/zsh/_trace2top: %D%/trace2top.zsh.in $(COMPLETION_NEEDS)
	$(COMPLETION) %D%/trace2top.zsh.in >"$$to.part" && mv "$$to.part" "$$to"
%D%/fish/trace2top.fish: %D%/trace2top.fish.in $(COMPLETION_NEEDS)
	$(COMPLETION) %D%/trace2top.fish.in >"$$to.part" && mv "$$to.part" "$$to"

# Each function of the library has a manual entry, which is a link to libtrace2(3).
LIBRARY_FUNCTIONS = sed -n 's/^TRACE2_API.*[ *]\(trace2_[a-z0-9_]*\)(.*/\1/p' $(srcdir)/engine/trace2.h | sed 's/_fl$$//'
CLEANFILES += %D%/link.3
%D%/link.3:
	$(AM_V_GEN)$(MKDIR_P) %D% && echo '.so man3/libtrace2.3' >$@
.PHONY: install-man-links
install-man-links: %D%/link.3
	$(MKDIR_P) '$(DESTDIR)$(man3dir)'
	for name in `$(LIBRARY_FUNCTIONS)`; do \
		$(INSTALL_DATA) %D%/link.3 "$(DESTDIR)$(man3dir)/$$name.3" || exit 1; \
	done
install-data-local: install-man-links
uninstall-local:
	for name in `$(LIBRARY_FUNCTIONS)`; do rm -f "$(DESTDIR)$(man3dir)/$$name.3"; done
