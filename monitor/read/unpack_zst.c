/* SPDX-License-Identifier: MIT */
/* Decompress Zstandard frames (RFC 8878) with libzstd. */
#include "config.h"

#include "monitor/read/unpack.h"

#ifdef HAVE_ZSTD
#include <zstd.h>
#include <zstd_errors.h>

/* Base-2 logarithm of UNPACK_MAX_MEMORY. */
#define WINDOW_LOG 27

static void *zst_make(void)
{
	ZSTD_DCtx *zst = ZSTD_createDCtx();

	if (zst && ZSTD_isError(ZSTD_DCtx_setParameter(zst, ZSTD_d_windowLogMax, WINDOW_LOG))) {
		ZSTD_freeDCtx(zst);
		zst = NULL;
	}
	return zst;
}

static bool zst_begin(void *state)
{
	return !ZSTD_isError(ZSTD_DCtx_reset(state, ZSTD_reset_session_only));
}

static enum unpack_step zst_step(void *state, struct unpack_io *io, const char **why)
{
	ZSTD_inBuffer in = { io->in, io->nr_in, 0 };
	ZSTD_outBuffer out = { io->out, io->nr_out, 0 };
	size_t rc = ZSTD_decompressStream(state, &out, &in);

	io->in += in.pos;
	io->nr_in -= in.pos;
	io->out += out.pos;
	io->nr_out -= out.pos;
	if (!ZSTD_isError(rc))
		return rc ? STEP_ON : STEP_END;
	switch (ZSTD_getErrorCode(rc)) {
	case ZSTD_error_frameParameter_windowTooLarge:
		*why = "its zstd window is larger than 128 MiB";
		break;
	case ZSTD_error_memory_allocation:
		*why = "not enough memory to unpack it";
		break;
	case ZSTD_error_dictionary_wrong:
		*why = "it was compressed with a dictionary";
		break;
	default:
		*why = "the compressed data is damaged";
	}
	return STEP_DAMAGED;
}

static void zst_release(void *state)
{
	ZSTD_freeDCtx(state);
}

static size_t zst_held(void *state)
{
	return ZSTD_sizeof_DCtx(state);
}
#endif

const struct packing_ops packing_zst = {
	.name = "zst",
	.library = "libzstd",
	/* A zstd frame; a skippable frame of any of the sixteen kinds. */
	.magics = { { { 0x28, 0xb5, 0x2f, 0xfd }, 4, 0xff },
		    { { 0x50, 0x2a, 0x4d, 0x18 }, 4, 0xf0 } },
#ifdef HAVE_ZSTD
	.make = zst_make,
	.begin = zst_begin,
	.step = zst_step,
	.release = zst_release,
	.held = zst_held,
	.version = ZSTD_versionString,
#endif
};
