# SPDX-License-Identifier: MIT
views_libviews_a_SOURCES += \
	%D%/registry.c \
	%D%/registry.h
