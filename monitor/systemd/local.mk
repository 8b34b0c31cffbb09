# SPDX-License-Identifier: MIT
# User services, installed where systemd searches for those of this prefix. Not enabled.
systemduserunitdir = $(prefix)/lib/systemd/user
USER_UNITS = %D%/trace2top-forward.service %D%/trace2top-record.service
nodist_systemduserunit_DATA = $(USER_UNITS)
EXTRA_DIST += $(USER_UNITS:=.in)
CLEANFILES += $(USER_UNITS)
$(USER_UNITS): %D%/local.mk
	$(AM_V_GEN)$(MKDIR_P) %D% && sed 's|[@]bindir[@]|$(bindir)|' $(srcdir)/$@.in >$@.part && mv $@.part $@
%D%/trace2top-record.service: %D%/trace2top-record.service.in
%D%/trace2top-forward.service: %D%/trace2top-forward.service.in

