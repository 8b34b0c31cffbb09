/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "engine/base/digits.h"

#define PAIRS(d) d "0" d "1" d "2" d "3" d "4" d "5" d "6" d "7" d "8" d "9"
const char tr2_digit_pairs[201] = PAIRS("0") PAIRS("1") PAIRS("2") PAIRS("3") PAIRS("4") PAIRS("5")
	PAIRS("6") PAIRS("7") PAIRS("8") PAIRS("9");
