# SPDX-License-Identifier: MIT
# Example of a program that links libtrace2. Built with the tree, never installed.
noinst_PROGRAMS += %D%/traced
%C%_traced_CPPFLAGS = -I$(top_srcdir)/engine
%C%_traced_LDADD = engine/libengine.la
EXTRA_DIST += %D%/alternate %D%/demo.sh %D%/fleet/fleet.sh %D%/traced.cpp %D%/git-adapter.c %D%/git-drop-in.md %D%/annotated.trace %D%/pull.event.xz
