# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/deputy.c \
	%D%/deputy.h \
	%D%/dgram_queue.c \
	%D%/dgram_queue.h \
	%D%/intake.c \
	%D%/intake.h \
	%D%/private_dir.c \
	%D%/private_dir.h \
	%D%/source.h \
	%D%/source_command.c \
	%D%/source_dir.c \
	%D%/source_entries.c \
	%D%/source_entries.h \
	%D%/source_file.c \
	%D%/source_pipe.c \
	%D%/source_socket.c \
	%D%/source_watch.c \
	%D%/source_watch.h \
	%D%/sources.def \
	%D%/tail.c \
	%D%/tail.h
