/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/stream/origin.h"

#include <stdarg.h>
#include <stdio.h>

#include "monitor/stream/streams.h"

void origin_init(struct origin *o, struct streams *streams, const char *spec, int format)
{
	*o = (struct origin){ .streams = streams,
			      .number = streams->out.nr_origins,
			      .format = format,
			      .stats.spec = spec };
	snprintf(o->stats.format, sizeof(o->stats.format), "%s",
		 reader_words[format < 0 ? READER_EVENT + 1 : format + 1].word);
	batcher_add_origin(&streams->out, o);
}

void origin_refresh(struct origin *o)
{
	struct source_stats *st = &o->stats;

	st->bytes = o->framed.nr_bytes;
	st->oversized = o->framed.nr_oversized + o->read.nr_oversized;
	st->foreign = o->framed.nr_foreign;
	st->events = o->read.nr_events;
	st->unknown = o->read.nr_unknown;
	st->malformed = o->read.nr_malformed + o->framed.nr_torn;
	st->continued = o->read.nr_continued;
	st->ignored = o->read.nr_ignored;
	st->lost_generations = o->read.nr_lost;
	st->records = st->events + st->malformed + st->oversized;
}

void origin_error(struct origin *o, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(o->stats.error, sizeof(o->stats.error), fmt, ap);
	va_end(ap);
}

void origin_loss(struct origin *o, const char *fmt, ...)
{
	va_list ap;

	o->is_incomplete = true;
	va_start(ap, fmt);
	vsnprintf(o->stats.error, sizeof(o->stats.error), fmt, ap);
	va_end(ap);
}
