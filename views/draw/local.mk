# SPDX-License-Identifier: MIT
views_libviews_a_SOURCES += \
	%D%/colours.def \
	%D%/glyphs.def \
	%D%/styles.c \
	%D%/styles.def \
	%D%/styles.h \
	%D%/surface.c \
	%D%/surface.h \
	%D%/svg.c \
	%D%/svg.h \
	%D%/themes.def \
	%D%/width.c \
	%D%/width.h \
	%D%/widths.def
