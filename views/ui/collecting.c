/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/ui/collecting.h"

/* Minimum interval at which slow collecting begins again for a new version of the rows. */
#define COLLECT_NS NS_PER_SEC

static bool collecting_is_due(const struct collecting *c, uint64_t key, uint64_t version, ns_t now)
{
	if (c->works)
		return c->next_key != key;
	return !c->has_rows ||
	       (c->version != version && (!c->slow || now - c->begun >= COLLECT_NS));
}

bool collecting_begins(struct collecting *c, uint64_t key, uint64_t version, ns_t now)
{
	if (c->has_rows && c->key != key)
		c->has_rows = false;
	if (!collecting_is_due(c, key, version, now))
		return false;
	c->works = true;
	c->slow = false;
	c->next_key = key;
	c->next_version = version;
	c->begun = now;
	return true;
}

void collecting_continued(struct collecting *c, bool is_complete)
{
	if (!is_complete) {
		c->slow = true;
		return;
	}
	c->works = false;
	c->has_rows = true;
	c->key = c->next_key;
	c->version = c->next_version;
	c->shown = !c->shown;
}
