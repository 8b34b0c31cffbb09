# SPDX-License-Identifier: MIT
# libengine: everything of engine/ as one convenience library. libtrace2 is made of it, and
# trace2top links it statically.
noinst_LTLIBRARIES += %D%/libengine.la
%C%_libengine_la_SOURCES = \
	%D%/events.def \
	%D%/fields.def \
	%D%/schema.c \
	%D%/schema.h \
	%D%/tr2_config.h \
	%D%/tr2_config_env.c \
	%D%/tr2_config_env.h \
	%D%/tr2_config_files.c \
	%D%/tr2_config_parse.c \
	%D%/tr2_config_repo.c \
	%D%/tr2_config_repo.h \
	%D%/tr2_settings.c \
	%D%/tr2_settings.def \
	%D%/tr2_settings.h \
	%D%/tr2_wildmatch.c \
	%D%/base/buf.c \
	%D%/base/buf.h \
	%D%/base/clock.c \
	%D%/base/clock.h \
	%D%/base/hash.c \
	%D%/base/hash.h \
	%D%/base/intern.c \
	%D%/base/intern.h \
	%D%/base/jw.c \
	%D%/base/jw.h \
	%D%/base/utf8.c \
	%D%/base/utf8.h

EXTRA_DIST += %D%/trace2.pc.in
pkgconfig_DATA += %D%/trace2.pc
