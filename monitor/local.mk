# SPDX-License-Identifier: MIT
# Everything below the screen and the program: one archive, to which each module adds its files.
noinst_LIBRARIES += %D%/libmonitor.a
%C%_libmonitor_a_CFLAGS = $(AM_CFLAGS) $(PCRE2_CFLAGS) $(ZLIB_CFLAGS) $(LZMA_CFLAGS) $(ZSTD_CFLAGS) $(SQLITE_CFLAGS) $(NATS_CFLAGS) $(CURL_CFLAGS) $(POSIX_CFLAGS)
%C%_libmonitor_a_SOURCES =
include %D%/base/local.mk
include %D%/event/local.mk
include %D%/read/local.mk
include %D%/nats/local.mk
include %D%/stream/local.mk
include %D%/source/local.mk
include %D%/intake/local.mk
include %D%/model/local.mk
include %D%/redact/local.mk
include %D%/history/local.mk
include %D%/attribute/local.mk
include %D%/filter/local.mk
include %D%/send/local.mk
include %D%/analysis/local.mk
include %D%/report/local.mk
include %D%/settings/local.mk
include %D%/app/local.mk
