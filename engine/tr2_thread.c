/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/tr2_thread.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/tr2_state.h"

#define FIRST_OPEN 100

__thread struct tr2_thread *tr2_thread_current;

static pthread_key_t key;
static bool have_key;
static int last_id;

static void thread_free(struct tr2_thread *self)
{
	tr2_line_release(&self->line);
	tr2_line_release(&self->message);
	free(self->starts);
	free(self->prefix);
	free(self);
}

/* A thread ended without telling. */
static void thread_gone(void *data)
{
	tr2_thread_current = NULL;
	thread_free(data);
}

void tr2_thread_add_prefix(struct tr2_line *out, const char *name)
{
	TR2_LINE_LIT(out, "\",\"sid\":\"");
	tr2_line_json(out, tr2_state.sid, strlen(tr2_state.sid));
	TR2_LINE_LIT(out, "\",\"thread\":\"");
	tr2_line_json(out, name, strlen(name));
	tr2_line_ch(out, '"');
}

static bool make_prefix(struct tr2_thread *self)
{
	struct tr2_line line = { 0 };

	tr2_thread_add_prefix(&line, self->name);
	if (line.failed) {
		tr2_line_release(&line);
		return false;
	}
	free(self->prefix);
	self->prefix = line.data;
	self->prefix_len = line.len;
	return true;
}

static struct tr2_thread *thread_new(int id, const char *name, ns_t start)
{
	struct tr2_thread *self = calloc(1, sizeof(*self));

	if (!self)
		return NULL;
	self->id = id;
	self->errno_at = &errno;
	memcpy(self->name, name, TR2_THREAD_NAME_MAX + 1);
	self->starts = malloc(FIRST_OPEN * sizeof(*self->starts));
	if (!self->starts || !make_prefix(self) || !tr2_line_room(&self->line, 0)) {
		thread_free(self);
		return NULL;
	}
	self->cap_open = FIRST_OPEN;
	self->nr_open = 1;
	self->starts[0] = start;
	self->clock.sec = self->clock.local_sec = INT64_MIN;
	self->clock.offset_slot = INT64_MIN;
	if (have_key)
		pthread_setspecific(key, self);
	tr2_thread_current = self;
	return self;
}

bool tr2_thread_init_main(ns_t start)
{
	char name[TR2_THREAD_NAME_MAX + 1] = "main";

	have_key = !pthread_key_create(&key, thread_gone);
	return thread_new(0, name, start) != NULL;
}

static int thread_name(char out[TR2_THREAD_NAME_MAX + 1], const char *base)
{
	int id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);

	memset(out, 0, TR2_THREAD_NAME_MAX + 1);
	/* The cut is meant. */
	if (snprintf(out, TR2_THREAD_NAME_MAX + 1, "th%02d:%s", id, base) < 0)
		out[0] = '\0';
	return id;
}

void tr2_thread_name_next(char out[TR2_THREAD_NAME_MAX + 1])
{
	thread_name(out, "unknown");
}

struct tr2_thread *tr2_thread_begin(const char *base, ns_t now)
{
	struct tr2_thread *before = tr2_thread_current;
	char name[TR2_THREAD_NAME_MAX + 1];
	int id = thread_name(name, base);

	if (before)
		thread_free(before);
	tr2_thread_current = NULL;
	return thread_new(id, name, now);
}

struct tr2_thread *tr2_thread_make_unknown(void)
{
	return tr2_thread_begin("unknown", tr2_clock_monotonic());
}

void tr2_thread_end(void)
{
	struct tr2_thread *self = tr2_thread_current;

	tr2_thread_current = NULL;
	if (have_key)
		pthread_setspecific(key, NULL);
	if (self)
		thread_free(self);
}

bool tr2_thread_grow(struct tr2_thread *self)
{
	unsigned cap = self->cap_open * 2;
	ns_t *starts = realloc(self->starts, cap * sizeof(*starts));

	if (!starts)
		return false;
	self->starts = starts;
	self->cap_open = cap;
	return true;
}

void tr2_thread_unwind(struct tr2_thread *self)
{
	if (self->nr_open > 1)
		self->nr_open = 1;
}

void tr2_thread_become_main(struct tr2_thread *self, ns_t start)
{
	memset(self->name, 0, sizeof(self->name));
	memcpy(self->name, "main", 4);
	self->id = 0;
	self->nr_open = 1;
	self->starts[0] = start;
	memset(&self->sums, 0, sizeof(self->sums));
	make_prefix(self);
}
