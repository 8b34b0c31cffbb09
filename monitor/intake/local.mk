# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/deputy.c \
	%D%/deputy.h \
	%D%/dgram_queue.c \
	%D%/dgram_queue.h \
	%D%/event_loop.c \
	%D%/event_loop.h \
	%D%/inodes.c \
	%D%/inodes.h \
	%D%/intake.c \
	%D%/intake.h \
	%D%/intake_priv.h \
	%D%/listener.c \
	%D%/listener.h \
	%D%/private_dir.c \
	%D%/private_dir.h \
	%D%/realtime.c \
	%D%/realtime.h \
	%D%/socket_path.c \
	%D%/socket_path.h \
	%D%/source.c \
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
	%D%/tail.h \
	%D%/urgent.c \
	%D%/urgent.h
