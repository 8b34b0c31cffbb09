/* SPDX-License-Identifier: MIT */
/* Decompress gzip members (RFC 1952) with zlib. */
#include "config.h"

#include "monitor/read/unpack.h"

#ifdef HAVE_ZLIB
#include <limits.h>
#include <stdlib.h>
#include <zlib.h>

/* zlib's argument windowBits: the largest window (15) and gzip format only (16). */
#define GZIP_WINDOW (15 + 16)

static void *gz_make(void)
{
	z_stream *z = calloc(1, sizeof(*z));

	if (z && inflateInit2(z, GZIP_WINDOW) != Z_OK) {
		free(z);
		z = NULL;
	}
	return z;
}

static bool gz_begin(void *state)
{
	return inflateReset(state) == Z_OK;
}

static enum unpack_step gz_step(void *state, struct unpack_io *io, const char **why)
{
	z_stream *z = state;
	uInt nr_in = io->nr_in < UINT_MAX ? (uInt)io->nr_in : UINT_MAX;
	int rc;

	/* zlib does not write to its input, although the type is not const */
	z->next_in = (Bytef *)io->in;
	z->avail_in = nr_in;
	z->next_out = io->out;
	z->avail_out = (uInt)io->nr_out;
	rc = inflate(z, Z_SYNC_FLUSH);
	io->in += nr_in - z->avail_in;
	io->nr_in -= nr_in - z->avail_in;
	io->out = z->next_out;
	io->nr_out = z->avail_out;
	if (rc == Z_STREAM_END)
		return STEP_END;
	/* Z_BUF_ERROR: zlib needs more input. */
	if (rc == Z_OK || rc == Z_BUF_ERROR)
		return STEP_ON;
	*why = rc == Z_MEM_ERROR ? "not enough memory to unpack it"
				 : "the compressed data is damaged";
	return STEP_DAMAGED;
}

static void gz_release(void *state)
{
	inflateEnd(state);
	free(state);
}

static size_t gz_held(void *state)
{
	(void)state;
	return 40u << 10; /* approximate size: a window of 32 KiB, and tables */
}
#endif

const struct packing_ops packing_gz = {
	.name = "gz",
	.library = "zlib",
	.magics = { { { 0x1f, 0x8b, 0x08 }, 3, 0xff } },
	.pads = true,
#ifdef HAVE_ZLIB
	.make = gz_make,
	.begin = gz_begin,
	.step = gz_step,
	.release = gz_release,
	.held = gz_held,
	.version = zlibVersion,
#endif
};
