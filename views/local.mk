# SPDX-License-Identifier: MIT
# The screen: one archive, to which each module adds its files.
noinst_LIBRARIES += %D%/libviews.a
%C%_libviews_a_CFLAGS = $(AM_CFLAGS) $(NCURSES_CFLAGS) $(POSIX_CFLAGS)
%C%_libviews_a_SOURCES =
include %D%/draw/local.mk
include %D%/widget/local.mk
include %D%/terminal/local.mk
include %D%/line/local.mk
include %D%/ui/local.mk
include %D%/pane/local.mk
include %D%/page/local.mk
include %D%/registry/local.mk
