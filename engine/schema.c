/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/schema.h"

const struct tr2_field_desc tr2_fields[TR2_NR_FIELDS] = {
#define TR2_FIELD(ID, wire_, type_, since_, share, doc_)                                           \
	[TR2_F_##ID] = { .wire = wire_, .type = TR2_TYPE_##type_, .since = since_, .doc = doc_ },
#include "engine/fields.def"
};

/* Number of fields per event kind: each F and O in its row adds 1. */
enum {
#define F(ID)                                            +1
#define O(ID)                                            +1
#define TR2_EVENT(ID, wire, since, targets, fields, ...) NR_FIELDS_##ID = 0 fields,
#include "engine/events.def"
#undef F
#undef O
};

#define PIECE(lead_, FIELD_, tail_, how_)                                                          \
	{ .lead = lead_,                                                                           \
	  .tail = tail_,                                                                           \
	  .lead_len = sizeof(lead_) - 1,                                                           \
	  .tail_len = sizeof(tail_) - 1,                                                           \
	  .field = FIELD_,                                                                         \
	  .how = TR2_PIECE_##how_ },

enum {
	REDACT_PLAIN = false,
	REDACT_REDACT = true,
	CATEGORY_NONE = TR2_NR_FIELDS,
	CATEGORY_CATEGORY = TR2_F_CATEGORY,
	CATEGORY_SCOPE = TR2_F_SCOPE,
};

const struct tr2_event_desc tr2_events[TR2_NR_EVENTS] = {
#define F(ID)                { TR2_F_##ID, false },
#define O(ID)                { TR2_F_##ID, true },
#define T(text)              PIECE(text, 0, "", TEXT)
#define P(lead, FIELD, tail) PIECE(lead, TR2_F_##FIELD, tail, PLAIN)
#define U(lead, FIELD, tail) PIECE(lead, TR2_F_##FIELD, tail, UNSIGNED)
#define Q(lead, FIELD, tail) PIECE(lead, TR2_F_##FIELD, tail, QUOTED)
#define A(lead, FIELD, tail) PIECE(lead, TR2_F_##FIELD, tail, ARROWS)
#define E(lead, FIELD, tail) PIECE(lead, TR2_F_##FIELD, tail, ERRNO)
#define TR2_EVENT(ID, wire_, since_, targets_, fields_, doc_, redact_, times_, category_, perf_,   \
		  normal_)                                                                         \
	[TR2_E_##ID] = { .wire = wire_,                                                            \
			 .since = since_,                                                          \
			 .targets = TR2_TARGETS_##targets_,                                        \
			 .nr_fields = NR_FIELDS_##ID,                                              \
			 .fields = { fields_{ 0, false } },                                        \
			 .doc = doc_,                                                              \
			 .redact = REDACT_##redact_,                                               \
			 .times = TR2_TIMES_##times_,                                              \
			 .category = CATEGORY_##category_,                                         \
			 .perf = { perf_ PIECE("", 0, "", END) },                                  \
			 .normal = { normal_ PIECE("", 0, "", END) } },
#include "engine/events.def"
#undef F
#undef O
#undef T
#undef P
#undef U
#undef Q
#undef A
#undef E
};

const struct tr2_event_alias tr2_event_aliases[] = {
#define TR2_EVENT(ID, ...)
#define TR2_EVENT_ALIAS(ID, wire, doc) { wire, TR2_E_##ID },
#include "engine/events.def"
};
const size_t tr2_nr_event_aliases = sizeof(tr2_event_aliases) / sizeof(tr2_event_aliases[0]);

const struct tr2_field_alias tr2_field_aliases[] = {
#define TR2_FIELD(ID, wire, type, since, share, doc)
#define TR2_FIELD_ALIAS(ID, wire, unit_ns, doc) { wire, TR2_F_##ID, unit_ns },
#include "engine/fields.def"
};
const size_t tr2_nr_field_aliases = sizeof(tr2_field_aliases) / sizeof(tr2_field_aliases[0]);

static uint64_t fnv1a_text(uint64_t id, const char *text, uint8_t end)
{
	for (; *text; text++)
		id = (id ^ (uint8_t)*text) * UINT64_C(0x100000001b3);
	return (id ^ end) * UINT64_C(0x100000001b3);
}

uint64_t tr2_schema_id(void)
{
	uint64_t id = UINT64_C(0xcbf29ce484222325);

	for (unsigned i = 0; i < TR2_NR_EVENTS; i++)
		id = fnv1a_text(id, tr2_events[i].wire, 0);
	for (unsigned i = 0; i < TR2_NR_FIELDS; i++)
		id = fnv1a_text(id, tr2_fields[i].wire, tr2_fields[i].type);
	return id;
}
