/* SPDX-License-Identifier: MIT */
/*
 * A datagram socket with a long queue. By default the kernel holds eleven unread datagrams of a
 * socket, then its writers wait, or are refused: 80 microseconds of a busy one. How many it
 * holds is neither the receiver's nor the sender's to say, but of the network namespace in
 * which the socket was made (net.unix.max_dgram_qlen, read once, by socket()); which namespace
 * that was plays no part in who reaches it by its path. So the socket is made in a namespace of
 * its own, which is there for nothing else and goes with it; no setting of the machine changes.
 *
 * The sender's own buffer is then what bounds it, as on a stream: some 170 events of Git.
 */
#ifndef MONITOR_DGRAM_QUEUE_H
#define MONITOR_DGRAM_QUEUE_H

#include <stdbool.h>

/* How many datagrams are held; beside the bound of each sender's buffer (net.core.wmem_default). */
#define DGRAM_QUEUE_MAX 4096

/*
 * A new AF_UNIX datagram socket, non-blocking and close-on-exec, with a queue of
 * DGRAM_QUEUE_MAX where a namespace may be made (root, or whoever the machine allows user
 * namespaces; see network_namespaces(7), user_namespaces(7)), else with the machine's own queue.
 * -1 with errno where there is no socket at all. Takes some milliseconds; any thread.
 */
int dgram_queue_socket(void);

/* Has any socket of dgram_queue_socket() the machine's own queue? Any thread. */
bool dgram_queue_is_short(void);

#endif
