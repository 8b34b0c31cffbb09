/* SPDX-License-Identifier: MIT */
/* Decompress .xz streams with liblzma. */
#include "config.h"

#include "monitor/read/unpack.h"

#ifdef HAVE_LZMA
#include <lzma.h>
#include <stdlib.h>

static void *xz_make(void)
{
	lzma_stream *xz = malloc(sizeof(*xz));

	if (xz)
		*xz = (lzma_stream)LZMA_STREAM_INIT;
	return xz;
}

static bool xz_begin(void *state)
{
	return lzma_stream_decoder(state, UNPACK_MAX_MEMORY, 0) == LZMA_OK;
}

static enum unpack_step xz_step(void *state, struct unpack_io *io, const char **why)
{
	lzma_stream *xz = state;
	lzma_ret rc;

	xz->next_in = io->in;
	xz->avail_in = io->nr_in;
	xz->next_out = io->out;
	xz->avail_out = io->nr_out;
	rc = lzma_code(xz, LZMA_RUN);
	io->in = xz->next_in;
	io->nr_in = xz->avail_in;
	io->out = xz->next_out;
	io->nr_out = xz->avail_out;
	switch (rc) {
	case LZMA_STREAM_END:
		return STEP_END;
	case LZMA_OK:
	case LZMA_BUF_ERROR: /* liblzma needs more input */
		return STEP_ON;
	case LZMA_MEMLIMIT_ERROR:
		*why = "unpacking it needs more than 128 MiB";
		return STEP_DAMAGED;
	case LZMA_MEM_ERROR:
		*why = "not enough memory to unpack it";
		return STEP_DAMAGED;
	case LZMA_OPTIONS_ERROR:
		*why = "the installed liblzma does not support its compression";
		return STEP_DAMAGED;
	default:
		*why = "the compressed data is damaged";
		return STEP_DAMAGED;
	}
}

static void xz_release(void *state)
{
	lzma_end(state);
	free(state);
}

static size_t xz_held(void *state)
{
	return (size_t)lzma_memusage(state);
}
#endif

const struct packing_ops packing_xz = {
	.name = "xz",
	.library = "liblzma",
	.magics = { { { 0xfd, '7', 'z', 'X', 'Z', 0 }, 6, 0xff } },
	.pads = true,
#ifdef HAVE_LZMA
	.make = xz_make,
	.begin = xz_begin,
	.step = xz_step,
	.release = xz_release,
	.held = xz_held,
	.version = lzma_version_string,
#endif
};
