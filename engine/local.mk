# SPDX-License-Identifier: MIT
# libengine: all of engine/ as one convenience library. libtrace2 is made of it, and
# trace2top links it statically.
noinst_LTLIBRARIES += %D%/libengine.la
%C%_libengine_la_CFLAGS = $(AM_CFLAGS) -fvisibility=hidden $(ENGINE_CFLAGS) $(POSIX_CFLAGS)
%C%_libengine_la_SOURCES = \
	%D%/events.def \
	%D%/fields.def \
	%D%/schema.c \
	%D%/schema.h \
	%D%/trace2.h \
	%D%/trace2_child.c \
	%D%/trace2_child.h \
	%D%/trace2_cmd.c \
	%D%/trace2_json.h \
	%D%/trace2_param.h \
	%D%/trace2_process.c \
	%D%/trace2_readers.c \
	%D%/trace2_region.c \
	%D%/trace2_repo.h \
	%D%/trace2_sums.c \
	%D%/tr2_ancestry.c \
	%D%/tr2_call.c \
	%D%/tr2_call.h \
	%D%/tr2_config.h \
	%D%/tr2_config_env.c \
	%D%/tr2_config_env.h \
	%D%/tr2_config_files.c \
	%D%/tr2_config_parse.c \
	%D%/tr2_config_repo.c \
	%D%/tr2_config_repo.h \
	%D%/tr2_config_safe.c \
	%D%/tr2_config_safe.h \
	%D%/tr2_dst.c \
	%D%/tr2_dst.h \
	%D%/tr2_dst_dir.c \
	%D%/tr2_dst_dir.h \
	%D%/tr2_env.c \
	%D%/tr2_env.h \
	%D%/tr2_event.c \
	%D%/tr2_fork.c \
	%D%/tr2_line.c \
	%D%/tr2_line.h \
	%D%/tr2_lock.c \
	%D%/tr2_lock.h \
	%D%/tr2_normal.c \
	%D%/tr2_path.c \
	%D%/tr2_path.h \
	%D%/tr2_perf.c \
	%D%/tr2_readers.h \
	%D%/tr2_ring.c \
	%D%/tr2_ring.h \
	%D%/tr2_ring_layout.h \
	%D%/tr2_ring_write.c \
	%D%/tr2_settings.c \
	%D%/tr2_settings.def \
	%D%/tr2_settings.h \
	%D%/tr2_sha1.c \
	%D%/tr2_sha1.h \
	%D%/tr2_sid.c \
	%D%/tr2_sid.h \
	%D%/tr2_signal.c \
	%D%/tr2_state.c \
	%D%/tr2_state.h \
	%D%/tr2_sums.c \
	%D%/tr2_sums.h \
	%D%/tr2_target.h \
	%D%/tr2_text.c \
	%D%/tr2_thread.c \
	%D%/tr2_thread.h \
	%D%/tr2_ticks.c \
	%D%/tr2_ticks.h \
	%D%/tr2_time.h \
	%D%/tr2_wildmatch.c \
	%D%/base/buf.c \
	%D%/base/buf.h \
	%D%/base/clock.h \
	%D%/base/digits.c \
	%D%/base/digits.h \
	%D%/base/hash.c \
	%D%/base/hash.h \
	%D%/base/intern.c \
	%D%/base/intern.h \
	%D%/base/jw.c \
	%D%/base/jw.h \
	%D%/base/hash_index.h \
	%D%/base/platform.c \
	%D%/base/platform.h \
	%D%/base/utf8.c \
	%D%/base/utf8.h

# The shared library. It exports only the API. Other symbols are hidden, and have a prefix for the
# static archive, which hides nothing. The library cannot be unloaded, because an atexit handler, a
# thread destructor and a signal handler point into it.
lib_LTLIBRARIES += %D%/libtrace2.la
%C%_libtrace2_la_SOURCES =
%C%_libtrace2_la_LIBADD = %D%/libengine.la
%C%_libtrace2_la_LDFLAGS = $(AM_LDFLAGS) -version-info 1:0:1 -no-undefined \
	-Wl,--version-script=$(top_srcdir)/%D%/libtrace2.map -Wl,-z,nodelete
EXTRA_%C%_libtrace2_la_DEPENDENCIES = $(top_srcdir)/%D%/libtrace2.map
include_HEADERS = \
	%D%/trace2.h \
	%D%/trace2.hpp \
	%D%/trace2_child.h \
	%D%/trace2_json.h \
	%D%/trace2_param.h \
	%D%/trace2_repo.h

EXTRA_DIST += %D%/trace2.pc.in %D%/libtrace2.map %D%/libtrace2.abi
pkgconfig_DATA += %D%/trace2.pc
cmakedir = $(libdir)/cmake/trace2
cmake_DATA = %D%/trace2-config.cmake %D%/trace2-config-version.cmake

# After make install, programs that link libtrace2 must start: update the loader's cache, or print
# how to. Do not touch the cache for packages (DESTDIR) and other prefixes.
install-exec-hook:
	@test -n "$(DESTDIR)" || case $(libdir) in \
	/lib | /lib/* | /usr/lib | /usr/lib/* | /usr/local/lib | /usr/local/lib/*) \
		PATH=$$PATH:/sbin:/usr/sbin; ldconfig 2>/dev/null || \
		echo "libtrace2: run 'sudo ldconfig', so that programs find $(libdir)/libtrace2.so" ;; \
	*) echo "libtrace2: programs find it with LD_LIBRARY_PATH=$(libdir), or link with -Wl,-rpath,$(libdir)" ;; \
	esac
