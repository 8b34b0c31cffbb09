# SPDX-License-Identifier: MIT
monitor_libmonitor_a_SOURCES += \
	%D%/framer.c \
	%D%/framer.h \
	%D%/gotrace/go_advance.c \
	%D%/gotrace/go_frame.c \
	%D%/gotrace/go_frame.h \
	%D%/gotrace/go_frame_priv.h \
	%D%/gotrace/go_generation.c \
	%D%/gotrace/go_ids.c \
	%D%/gotrace/go_ids.h \
	%D%/gotrace/go_lane.c \
	%D%/gotrace/go_map.c \
	%D%/gotrace/go_map.h \
	%D%/gotrace/go_map_priv.h \
	%D%/gotrace/go_order.c \
	%D%/gotrace/go_order.h \
	%D%/gotrace/go_order_priv.h \
	%D%/gotrace/go_text.c \
	%D%/gotrace/go_walk.c \
	%D%/gotrace/go_walk.h \
	%D%/gotrace/go_wire.def \
	%D%/gotrace/reader_go.c \
	%D%/packings.def \
	%D%/reader.c \
	%D%/reader.h \
	%D%/reader_event.c \
	%D%/reader_event.h \
	%D%/reader_event_any.c \
	%D%/readers.c \
	%D%/readers.def \
	%D%/unpack.c \
	%D%/unpack.h \
	%D%/unpack_gz.c \
	%D%/unpack_xz.c \
	%D%/unpack_zst.c
