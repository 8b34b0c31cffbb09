/* SPDX-License-Identifier: MIT */
/*
 * CoreProfiler TraceLog: parse a line `TYPE SUBTYPE field...`. Texts are at the end of the line, in
 * double quotes, not escaped.
 */
#ifndef MONITOR_TL_LINE_H
#define MONITOR_TL_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lines that the reader knows: X(ID, "type", "subtype"). */
#define TL_LINES(X)                                                                                \
	X(PRF_STM, "prf", "stm")                                                                   \
	X(PRF_CFG, "prf", "cfg")                                                                   \
	X(PRF_TPS, "prf", "tps")                                                                   \
	X(PRF_TRS, "prf", "trs")                                                                   \
	X(PRC_CPU, "prc", "cpu")                                                                   \
	X(THR_CRT, "thr", "crt")                                                                   \
	X(THR_AOS, "thr", "aos")                                                                   \
	X(THR_DST, "thr", "dst")                                                                   \
	X(THR_CPU, "thr", "cpu")                                                                   \
	X(MOD_LDF, "mod", "ldf")                                                                   \
	X(MOD_ATA, "mod", "ata")                                                                   \
	X(ASM_LDF, "asm", "ldf")                                                                   \
	X(APD_CRF, "apd", "crf")                                                                   \
	X(CLS_LDF, "cls", "ldf")                                                                   \
	X(CLS_NAM, "cls", "nam")                                                                   \
	X(FUN_INF, "fun", "inf")                                                                   \
	X(FUN_NAM, "fun", "nam")                                                                   \
	X(FUN_CMF, "fun", "cmf")                                                                   \
	X(FUN_CSF, "fun", "csf")                                                                   \
	X(JIT_CMS, "jit", "cms")                                                                   \
	X(JIT_CMF, "jit", "cmf")                                                                   \
	X(JIT_CSS, "jit", "css")                                                                   \
	X(JIT_CSF, "jit", "csf")                                                                   \
	X(GCH_GCS, "gch", "gcs")                                                                   \
	X(GCH_GCF, "gch", "gcf")                                                                   \
	X(GCH_ALT, "gch", "alt")                                                                   \
	X(GCH_GEN, "gch", "gen")                                                                   \
	X(SAM_STR, "sam", "str")                                                                   \
	X(SAM_MEM, "sam", "mem")                                                                   \
	X(FIL_SRC, "fil", "src")                                                                   \
	X(LIN_SRC, "lin", "src")

enum tl_kind {
#define X(ID, type, subtype) TL_##ID,
	TL_LINES(X)
#undef X
		TL_UNKNOWN, /* the line is well-formed, but of an unknown type */
	TL_BLANK,
	TL_BAD,
};

/* The part of a line that is not parsed yet. */
struct tl_line {
	const char *at, *end;
};

/* Return the kind of a line. Sets `line` to the text after TYPE SUBTYPE, unless the line is blank
 * or bad. */
enum tl_kind tl_line_begin(const char *bytes, size_t len, struct tl_line *line);

bool tl_at_end(const struct tl_line *line);
/* Parse the next field as a number: decimal, or hexadecimal after 0x. */
bool tl_number(struct tl_line *line, uint64_t *value);
#define TL_NO_ID UINT64_MAX
/* Parse the next field as an id or pointer: a number, or `?` for TL_NO_ID. */
bool tl_id(struct tl_line *line, uint64_t *id);
bool tl_word(struct tl_line *line, const char **text, size_t *len);
/* Parse a part of a field, up to a colon or the field's end: a number, or `?` for TL_NO_ID. */
bool tl_part(const char **at, const char *end, uint64_t *value);

struct tl_text {
	const char *text;
	size_t len;
};
/* Get `nr` quoted texts, separated by one blank, up to the end of the line. */
bool tl_texts(struct tl_line *line, struct tl_text *texts, unsigned nr);

#endif
