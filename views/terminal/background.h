/* SPDX-License-Identifier: MIT */
/*
 * What the terminal's background is: light or dark. COLORFGBG may say so at once; the terminal is
 * asked (OSC 11) and never waited for. Its answer comes among the keys, whole or in pieces, soon,
 * late or never; here it is taken out of them, and what only looked like its beginning is given
 * back.
 *
 *   held: characters that match PREFIX so far; they are keys until the last of it has come
 *   once all of it has come, everything up to the end mark is the answer's, and is no key
 *
 * A lone Esc is held for BACKGROUND_ESC_NS at most, for someone may have pressed it; more of the
 * prefix, which nobody types, longer. When it is late, it is given back, but stays matched: what
 * goes on with it is still taken for the answer. Nothing is held where nothing was asked, or
 * after the answer. Plain memory, no curses, one thread.
 */
#ifndef VIEWS_BACKGROUND_H
#define VIEWS_BACKGROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/clock.h"

#define BACKGROUND_ESC_NS    (60 * NS_PER_MS)
#define BACKGROUND_PREFIX_NS NS_PER_SEC
/* An answer that does not go on for so long is over. */
#define BACKGROUND_REST_NS (5 * NS_PER_SEC)

#define BACKGROUND_MAX_KEYS 8 /* that one call gives back */

struct background {
	bool light;             /* ro: what is known so far */
	bool awaited;           /* ro: asked, and not answered yet */
	ns_t asked_ns;          /* ro: monotonic */
	uint8_t matched, given; /* of the prefix; of those, how many were given back as keys */
	bool ending;            /* an Esc within the answer: a backslash ends it */
	char text[48];          /* of the answer */
	uint8_t len;
	ns_t last_ns; /* monotonic: when the last character of it came */
};

/* What COLORFGBG says (NULL: nothing): light where its last number is that of a light colour. */
void background_begin(struct background *background, const char *colorfgbg);

/* The question, to be written to the terminal. */
const char *background_ask(struct background *background, ns_t now_ns);

/* A character has come: gives back those that are keys, into `keys`, and how many; 0: none. */
int background_take(struct background *background, uint32_t ch, ns_t now_ns,
		    uint32_t keys[BACKGROUND_MAX_KEYS]);

/* What was held for long enough, as above. */
int background_late(struct background *background, ns_t now_ns, uint32_t keys[BACKGROUND_MAX_KEYS]);

/* After how many milliseconds background_late() has something to give; -1: it has not. */
int background_wait_ms(const struct background *background, ns_t now_ns);

#endif
