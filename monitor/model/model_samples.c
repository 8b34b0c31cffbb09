/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/model/model_priv.h"

#include "monitor/base/die.h"
#include "monitor/base/grow.h"

void sample_add(const struct applying *a, ns_t duration, ns_t self)
{
	struct model *m = a->model;
	struct region_sample sample = { .process = model_handle(m, a->slot),
					.category = event_sym(a->ev, TR2_F_CATEGORY),
					.label = event_sym(a->ev, TR2_F_LABEL),
					.duration = duration,
					.self = self,
					.time = event_get(a->ev, TR2_F_TIME, NS_NONE) };
	uint32_t max = bounded(m, MAX_REGION_SAMPLES);

	if (max && m->nr_samples == max) {
		m->samples[m->oldest_sample] = sample;
		m->oldest_sample = (m->oldest_sample + 1) % max;
		m->dropped.samples++;
		return;
	}
	GROW(m->samples, m->nr_samples, m->cap_samples, 1024);
	m->samples[m->nr_samples++] = sample;
}

uint32_t model_nr_samples(const struct model *m)
{
	return m->nr_samples;
}

const struct region_sample *model_sample(const struct model *m, uint32_t number)
{
	return &m->samples[(m->oldest_sample + number) % m->nr_samples];
}
