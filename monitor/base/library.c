/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/library.h"

#include <dlfcn.h>

const char *library_load(const char *soname, const struct library_function *functions, size_t nr)
{
	void *library = dlopen(soname, RTLD_NOW | RTLD_LOCAL);

	if (!library)
		return dlerror();
	for (size_t i = 0; i < nr; i++) {
		*functions[i].at = dlsym(library, functions[i].name);
		if (!*functions[i].at)
			return dlerror();
	}
	return NULL;
}
