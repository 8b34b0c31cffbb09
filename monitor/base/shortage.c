/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "monitor/base/shortage.h"

#include <errno.h>

const char *shortage_recover(int error)
{
	switch (error) {
	case EMFILE:
		return "; raise the limit of open files (ulimit -n)";
	case ENFILE:
		return "; raise the machine's limit of open files (sysctl fs.file-max)";
	case ENOMEM:
	case ENOBUFS:
		return "; free some memory";
	default:
		return "";
	}
}
