/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/stream/stream_names.h"

#include <stdlib.h>
#include <string.h>

#include "monitor/base/die.h"
#include "monitor/read/unpack.h"

void stream_names_init(struct stream_names *names)
{
	*names = (struct stream_names){ 0 };
	if (!tr2_intern_init(&names->names, 0, 0))
		die("out of memory");
}

void stream_names_release(struct stream_names *names)
{
	for (uint32_t i = 0; i < names->nr_named; i++)
		free(names->named[i]);
	free(names->named);
	tr2_intern_release(&names->names);
}

static size_t unpacked_length(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; packing_at(i); i++) {
		const char *packing = packing_at(i)->name;
		size_t packing_len = strlen(packing);

		if (len > packing_len + 1 && name[len - packing_len - 1] == '.' &&
		    !strcmp(name + len - packing_len, packing))
			return len - packing_len - 1;
	}
	return len;
}

struct stream_name *stream_names_get(struct stream_names *names, const char *path)
{
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = unpacked_length(name);
	sym_t sym = tr2_intern(&names->names, name, len);

	if (names->names.nr_syms > names->nr_named) {
		names->named = xreallocarray(names->named, names->names.nr_syms,
					     sizeof(struct stream_name *));
		while (names->nr_named < names->names.nr_syms)
			names->named[names->nr_named++] = NULL;
	}
	if (!names->named[sym]) {
		names->named[sym] = xcalloc(1, sizeof(struct stream_name) + len + 1);
		memcpy(names->named[sym]->text, name, len);
	}
	return names->named[sym];
}
