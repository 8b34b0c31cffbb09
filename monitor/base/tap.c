/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/tap.h"

#include <errno.h>
#include <poll.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "monitor/base/die.h"
#include "monitor/base/platform.h"

/* Header of an entry in the ring; the entry's bytes follow. */
struct entry_head {
	uint8_t kind, cut, flags, unused;
	uint32_t stream;
	int64_t arrival_ns;
	uint32_t len;
	uint32_t step; /* number of bytes from the start of this entry to the next one */
};

/* Bytes of the ring that BYTES and DATAGRAM entries leave free for other entries. */
#define RESERVE_BYTES (64u << 10)
/* Free space of the ring for one full read of a source that can wait. */
#define TURN_BYTES (768u << 10)
/* tap_done() returns space in portions of at least this size, because returning it writes to memory
 * that the producer reads. */
#define GIVE_BYTES  (64u << 10)
#define ROOM_TRIES  1000
#define ROOM_TRY_MS 1

struct tap {
	char *ring;
	size_t size;
	struct platform_wakeup wakeup;
	void (*room)(void *data);
	void *room_data;
	_Atomic uint64_t lost_lines, lost_bytes;
	_Atomic bool sleeps, wants_room;

	/* Members that the producer writes, in other cache lines than the consumer's. */
	_Alignas(64) _Atomic uint64_t head;
	uint64_t seen_tail;
	/* an entry that must not be lost did not fit: send RESET first */
	bool broken;

	/* Members that the consumer writes. */
	_Alignas(64) _Atomic uint64_t tail;
	uint64_t at, seen_head;
	uint32_t step; /* size of the consumer's current entry; 0: none */
};

struct tap *tap_new(size_t bytes)
{
	void *memory;
	struct tap *tap;

	if (posix_memalign(&memory, 64, sizeof(*tap)))
		die_of_memory(sizeof(*tap));
	tap = memory;
	memset(tap, 0, sizeof(*tap));
	tap->ring = xmalloc(bytes);
	tap->size = bytes;
	if (!platform_wakeup_init(&tap->wakeup))
		die("cannot open a descriptor: %s", strerror(errno));
	return tap;
}

void tap_free(struct tap *tap)
{
	if (!tap)
		return;
	platform_wakeup_release(&tap->wakeup);
	free(tap->ring);
	free(tap);
}

static size_t room_of(struct tap *tap, size_t wanted)
{
	uint64_t head = atomic_load_explicit(&tap->head, memory_order_relaxed);

	if (tap->size - (head - tap->seen_tail) < wanted)
		tap->seen_tail = atomic_load_explicit(&tap->tail, memory_order_acquire);
	return tap->size - (size_t)(head - tap->seen_tail);
}

static size_t step_of(size_t len)
{
	return (sizeof(struct entry_head) + len + 7) & ~(size_t)7;
}

/*
 * Make entries up to `head` visible and wake the consumer if it sleeps. Either the consumer sees
 * the new head before it sleeps, or the producer sees that it sleeps: these loads and stores are
 * sequentially consistent.
 */
static void tap_publish(struct tap *tap, uint64_t head)
{
	atomic_store(&tap->head, head);
	if (__builtin_expect(atomic_load(&tap->sleeps), 0) && atomic_exchange(&tap->sleeps, false))
		tap_wake(tap);
}

/* Write an entry to the ring if it fits and leaves `reserve` bytes free. */
static bool write_entry(struct tap *tap, const struct entry_head *what, const char *bytes,
			size_t reserve)
{
	uint64_t head = atomic_load_explicit(&tap->head, memory_order_relaxed);
	size_t at = (size_t)head & (tap->size - 1), to_end = tap->size - at;
	size_t step = step_of(what->len), pad = to_end < step ? to_end : 0;
	struct entry_head entry = *what;

	if (room_of(tap, pad + step + reserve) < pad + step + reserve)
		return false;
	if (pad) {
		/* Write only the kind of the PAD entry: a whole header may not fit. */
		tap->ring[at] = TAP_PAD;
		at = 0;
	}
	entry.step = (uint32_t)step;
	memcpy(tap->ring + at, &entry, sizeof(entry));
	if (entry.len)
		memcpy(tap->ring + at + sizeof(entry), bytes, entry.len);
	tap_publish(tap, head + pad + step);
	return true;
}

static void count_lost(struct tap *tap, const char *bytes, size_t len, bool is_line)
{
	uint64_t lines = is_line;

	for (const char *at = bytes; (at = memchr(at, '\n', len - (size_t)(at - bytes))); at++)
		lines += !is_line;
	atomic_fetch_add_explicit(&tap->lost_lines, lines, memory_order_relaxed);
	atomic_fetch_add_explicit(&tap->lost_bytes, len, memory_order_relaxed);
}

/* Write a RESET entry. Returns false if the ring lacks space for it and TURN_BYTES / 2 more
 * bytes. */
static bool reset(struct tap *tap)
{
	static const struct entry_head entry = { .kind = TAP_RESET };

	tap->broken = !write_entry(tap, &entry, NULL, TURN_BYTES / 2);
	return !tap->broken;
}

/* Count the rest of a dropped line as lost. Returns its length with the LF, or `len` without an
 * LF. */
static size_t skip_line(struct tap *tap, const char *bytes, size_t len)
{
	const char *lf = memchr(bytes, '\n', len);
	size_t nr = lf ? (size_t)(lf + 1 - bytes) : len;

	count_lost(tap, bytes, nr, false);
	return nr;
}

bool tap_put(struct tap *tap, unsigned number, struct tap_state *state,
	     const struct tap_entry *entry)
{
	uint8_t bit = (uint8_t)(1u << number);
	bool is_data = entry->kind == TAP_BYTES || entry->kind == TAP_DATAGRAM;
	struct entry_head head = { .kind = (uint8_t)entry->kind,
				   .cut = (state->cut & bit) != 0,
				   .flags = entry->flags,
				   .stream = entry->stream,
				   .arrival_ns = entry->arrival_ns,
				   .len = entry->len };
	const char *bytes = entry->bytes;
	size_t skipped = 0;

	if (__builtin_expect(tap->broken, 0)) {
		if (is_data)
			count_lost(tap, bytes, entry->len, entry->kind == TAP_DATAGRAM);
		/* If the dropped bytes do not end a line, drop the rest of that line, too. */
		if (entry->kind == TAP_BYTES) {
			state->cut |= bit;
			state->dropping = (uint8_t)((state->dropping & ~bit) |
						    (bytes[entry->len - 1] == '\n' ? 0 : bit));
		}
		return !reset(tap);
	}
	if (__builtin_expect(state->dropping & bit, 0) && entry->kind == TAP_BYTES) {
		skipped = skip_line(tap, bytes, entry->len);
		if (bytes[skipped - 1] != '\n')
			return true;
		state->dropping &= (uint8_t)~bit;
		if (skipped == entry->len)
			return true;
		head.len -= (uint32_t)skipped;
		bytes += skipped;
	}
	if (write_entry(tap, &head, bytes, is_data ? RESERVE_BYTES : 0)) {
		state->cut &= (uint8_t)~bit;
		if (entry->kind == TAP_END)
			state->dropping &= (uint8_t)~bit;
		return true;
	}
	if (entry->kind == TAP_DATAGRAM) {
		count_lost(tap, bytes, head.len, true);
		return true;
	}
	if (entry->kind == TAP_BYTES) {
		count_lost(tap, bytes, head.len, false);
		state->cut |= bit;
		if (bytes[head.len - 1] != '\n')
			state->dropping |= bit;
		return true;
	}
	tap->broken = true;
	return true;
}

bool tap_has_room(struct tap *tap)
{
	if (room_of(tap, TURN_BYTES) >= TURN_BYTES)
		return true;
	atomic_store(&tap->wants_room, true);
	/* The consumer may have returned space before `wants_room` was set: check again. */
	tap->seen_tail = atomic_load(&tap->tail);
	return room_of(tap, TURN_BYTES) >= TURN_BYTES;
}

void tap_wait_for_room(struct tap *tap)
{
	for (int i = 0; !tap_has_room(tap) && i < ROOM_TRIES; i++)
		poll(NULL, 0, ROOM_TRY_MS);
}

void tap_on_room(struct tap *tap, void (*room)(void *data), void *data)
{
	tap->room = room;
	tap->room_data = data;
}

void tap_give_back(struct tap *tap)
{
	atomic_store(&tap->tail, tap->at);
	if (atomic_load(&tap->wants_room) &&
	    tap->size - (atomic_load(&tap->head) - tap->at) >= TURN_BYTES &&
	    atomic_exchange(&tap->wants_room, false) && tap->room)
		tap->room(tap->room_data);
}

bool tap_next(struct tap *tap, struct tap_entry *out)
{
	struct entry_head entry;
	size_t at;

	for (;;) {
		if (tap->at == tap->seen_head)
			tap->seen_head = atomic_load_explicit(&tap->head, memory_order_acquire);
		if (tap->at == tap->seen_head)
			return false;
		at = (size_t)tap->at & (tap->size - 1);
		if (tap->ring[at] != TAP_PAD)
			break;
		tap->at += tap->size - at;
	}
	memcpy(&entry, tap->ring + at, sizeof(entry));
	*out = (struct tap_entry){ .kind = (enum tap_kind)entry.kind,
				   .cut = entry.cut,
				   .flags = entry.flags,
				   .stream = entry.stream,
				   .arrival_ns = entry.arrival_ns,
				   .bytes = tap->ring + at + sizeof(entry),
				   .len = entry.len };
	tap->step = entry.step;
	return true;
}

void tap_done(struct tap *tap)
{
	tap->at += tap->step;
	tap->step = 0;
	if (tap->at - atomic_load_explicit(&tap->tail, memory_order_relaxed) >= GIVE_BYTES)
		tap_give_back(tap);
}

bool tap_prepare_sleep(struct tap *tap)
{
	tap_give_back(tap);
	atomic_store(&tap->sleeps, true);
	if (atomic_load(&tap->head) == tap->at)
		return true;
	atomic_store(&tap->sleeps, false);
	return false;
}

void tap_cancel_sleep(struct tap *tap)
{
	atomic_store(&tap->sleeps, false);
	platform_wakeup_clear(&tap->wakeup);
}

int tap_fd(const struct tap *tap)
{
	return tap->wakeup.in;
}

void tap_wake(struct tap *tap)
{
	platform_wake(&tap->wakeup);
}

struct tap_losses tap_lost(const struct tap *tap)
{
	return (struct tap_losses){
		.lines = atomic_load_explicit(&tap->lost_lines, memory_order_relaxed),
		.bytes = atomic_load_explicit(&tap->lost_bytes, memory_order_relaxed),
	};
}
