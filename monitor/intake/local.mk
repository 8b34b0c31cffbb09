#SPDX - License - Identifier : MIT
monitor_libmonitor_a_SOURCES +=
	% D % / command_output.c % D % / command_output.h % D % / command_status.c % D % /
	command_status.h % D % / event_loop.c % D % / event_loop.h % D % / inodes.c % D % /
	inodes.h % D % / intake.c % D % / intake.h % D % / intake_priv.h % D % / listener.c % D % /
	listener.h % D % / packed.c % D % / packed.h % D % / nats_inbox.c % D % / nats_inbox.h % D %
	/ playback.c % D % / playback.h % D % / private_dir.c % D % / private_dir.h % D % /
	ring_dir.c % D % / ring_dir.h % D % / ring_file.c % D % / ring_file.h % D % /
	contradicted.c % D % / contradicted.h % D % / lost_claim.h % D % / sid_owners.c % D % /
	sid_owners.h % D % / socket_path.c % D % / socket_path.h % D % / source.c % D % / source.h %
	D % / source_command.c % D % / source_dir.c % D % / source_dir.h % D % / source_entries.c %
	D % / source_entries.h % D % / source_file.c % D % / source_nats.c % D % / source_pipe.c %
	D % / source_rings.c % D % / source_socket.c % D % / source_watch.c % D % / source_watch.h %
	D % / sources.def % D % / stream.c % D % / stream.h % D % / tail.c % D % / tail.h % D % /
	taps.c % D % / taps.h
