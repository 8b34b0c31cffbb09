/* SPDX-License-Identifier: MIT */
/*
 * Detects if the terminal's background is light or dark: by COLORFGBG, or by a query (OSC 11). The
 * answer to the query arrives among the keys, in pieces or never. This module removes the answer
 * from the keys.
 *
 * Characters that may begin the answer are held. A single Esc is returned as a key after
 * BACKGROUND_ESC_NS, because the user may have pressed it; a longer beginning after
 * BACKGROUND_PREFIX_NS. Characters that were returned still count as matched, so that a late rest
 * of the answer is recognised. Plain memory, no curses, one thread.
 */
#ifndef VIEWS_BACKGROUND_H
#define VIEWS_BACKGROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"

#define BACKGROUND_ESC_NS    (60 * NS_PER_MS)
#define BACKGROUND_PREFIX_NS NS_PER_SEC
/* Longest pause within the terminal's answer. */
#define BACKGROUND_REST_NS (5 * NS_PER_SEC)

#define BACKGROUND_MAX_KEYS 8 /* maximum number of keys that one call returns */

struct background {
	bool light;    /* ro: the background is light; false: it is dark or unknown */
	bool awaited;  /* ro: the query was sent and not yet answered */
	ns_t asked_ns; /* ro: monotonic time at which the query was sent */
	uint8_t matched,
		/* number of matched characters of the answer's prefix; number of these that were
		 * returned as keys */
		given;
	/* the newest character of the answer is Esc: a backslash then ends the answer */
	bool ending;
	char text[48]; /* the terminal's answer after its prefix; cut if it does not fit */
	uint8_t len;
	ns_t last_ns; /* monotonic time of the newest possible character of the answer */
};

/* Initialise from the value of COLORFGBG (may be NULL): light if the number after its last ';'
 * is 7 or 9 to 15. */
void background_begin(struct background *background, const char *colorfgbg);

/* Return the query for the background colour, to be written to the terminal. */
const char *background_ask(struct background *background, ns_t now_ns);

/* Handle a character from the terminal. Writes characters that are keys to `keys`; returns their
 * number. */
int background_take(struct background *background, uint32_t ch, ns_t now_ns,
		    uint32_t keys[BACKGROUND_MAX_KEYS]);

/* Write characters that were held too long to `keys`. Returns their number. */
int background_late(struct background *background, ns_t now_ns, uint32_t keys[BACKGROUND_MAX_KEYS]);

/* Return the milliseconds until background_late() returns characters; -1: no character is held. */
int background_wait_ms(const struct background *background, ns_t now_ns);

#endif
