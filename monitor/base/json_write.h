/* SPDX-License-Identifier: MIT */
/* Write a key and its value into the open JSON object; null if the value is absent. */
#ifndef MONITOR_JSON_WRITE_H
#define MONITOR_JSON_WRITE_H

#include "engine/base/intern.h"
#include "engine/base/jw.h"

/* Write a text; NULL means absent. */
void json_write_text(struct tr2_jw *jw, const char *key, const char *text, size_t len);
void json_write_cstring(struct tr2_jw *jw, const char *key, const char *text);
/* Write the text of a symbol; SYM_NONE means absent. */
void json_write_sym(struct tr2_jw *jw, const char *key, const struct tr2_intern *syms, sym_t sym);
/* Write a number; INT64_MIN (NUM_NONE) means absent. */
void json_write_number(struct tr2_jw *jw, const char *key, int64_t number);
void json_write_count(struct tr2_jw *jw, const char *key, uint64_t count);
/* Write a number with at most 17 significant digits; null if it is not finite. json_real() writes
 * no key. */
void json_write_real(struct tr2_jw *jw, const char *key, double value);
void json_real(struct tr2_jw *jw, double value);
void json_write_bool(struct tr2_jw *jw, const char *key, bool value);
/* Write nanoseconds as seconds, or a wall time as text; NS_NONE means absent. */
void json_write_seconds(struct tr2_jw *jw, const char *key, ns_t ns);
void json_write_time(struct tr2_jw *jw, const char *key, ns_t wall);

#endif
