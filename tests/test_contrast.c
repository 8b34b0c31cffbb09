/* SPDX-License-Identifier: MIT */
/*
 * Tests of the themes' contrast: the WCAG 2 contrast of styles on backgrounds that they can have,
 * and for users with colour blindness the distance between states (CIEDE2000, dichromacy after
 * Machado, Oliveira and Fernandes 2009). The test has its own palette and formulas.
 */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "views/draw/styles.h"

#define TEXT_LEAST   4.5
#define SHAPE_LEAST  3.0
#define STATES_APART 10.0

struct rgb {
	double of[3]; /* red, green, blue from 0 to 1, as sent to a screen or linear */
};

static struct rgb rgb_of(uint32_t hex)
{
	struct rgb c;

	for (int i = 0; i < 3; i++)
		c.of[i] = (hex >> (16 - 8 * i) & 255) / 255.0;
	return c;
}

static uint32_t xterm(int colour)
{
	static const uint32_t first[16] = {
		0x000000, 0xcd0000, 0x00cd00, 0xcdcd00, 0x0000ee, 0xcd00cd, 0x00cdcd, 0xe5e5e5,
		0x7f7f7f, 0xff0000, 0x00ff00, 0xffff00, 0x5c5cff, 0xff00ff, 0x00ffff, 0xffffff,
	};
	static const uint32_t steps[6] = { 0, 95, 135, 175, 215, 255 };

	if (colour < 16)
		return first[colour];
	if (colour >= 232)
		return (uint32_t)(8 + (colour - 232) * 10) * 0x010101;
	colour -= 16;
	return steps[colour / 36] << 16 | steps[colour / 6 % 6] << 8 | steps[colour % 6];
}

static struct rgb linear(struct rgb c)
{
	for (int i = 0; i < 3; i++)
		c.of[i] =
			c.of[i] <= 0.04045 ? c.of[i] / 12.92 : pow((c.of[i] + 0.055) / 1.055, 2.4);
	return c;
}

static double contrast(uint32_t a, uint32_t b)
{
	struct rgb x = linear(rgb_of(a)), y = linear(rgb_of(b));
	double p = 0.2126 * x.of[0] + 0.7152 * x.of[1] + 0.0722 * x.of[2] + 0.05;
	double q = 0.2126 * y.of[0] + 0.7152 * y.of[1] + 0.0722 * y.of[2] + 0.05;

	return p > q ? p / q : q / p;
}

struct lab {
	double l, a, b;
};

static double lab_curve(double t)
{
	return t > 216.0 / 24389 ? cbrt(t) : (24389.0 / 27 * t + 16) / 116;
}

/* Convert a linear colour to CIELAB, for daylight (D65). */
static struct lab lab_of(struct rgb c)
{
	const double *v = c.of;
	double x = lab_curve((0.4124564 * v[0] + 0.3575761 * v[1] + 0.1804375 * v[2]) / 0.95047);
	double y = lab_curve(0.2126729 * v[0] + 0.7151522 * v[1] + 0.0721750 * v[2]);
	double z = lab_curve((0.0193339 * v[0] + 0.1191920 * v[1] + 0.9503041 * v[2]) / 1.08883);

	return (struct lab){ 116 * y - 16, 500 * (x - y), 200 * (y - z) };
}

static double radians(double degrees)
{
	return degrees * 3.14159265358979323846 / 180;
}

static double hue(double b, double a)
{
	double degrees = a == 0 && b == 0 ? 0 : atan2(b, a) / radians(1);

	return degrees < 0 ? degrees + 360 : degrees;
}

static double ciede2000(struct lab p, struct lab q)
{
	double c7 = pow((hypot(p.a, p.b) + hypot(q.a, q.b)) / 2, 7), far7 = pow(25, 7);
	double g = (1 - sqrt(c7 / (c7 + far7))) / 2;
	double a1 = p.a * (1 + g), a2 = q.a * (1 + g), c1 = hypot(a1, p.b), c2 = hypot(a2, q.b);
	double h1 = hue(p.b, a1), h2 = hue(q.b, a2), turn = h2 - h1, mean_h = h1 + h2;
	bool grey = c1 * c2 == 0;

	turn = grey ? 0 : turn > 180 ? turn - 360 : turn < -180 ? turn + 360 : turn;
	if (!grey && fabs(h1 - h2) > 180)
		mean_h += mean_h < 360 ? 360 : -360;
	mean_h = grey ? mean_h : mean_h / 2;

	double dl = q.l - p.l, dc = c2 - c1, dh = 2 * sqrt(c1 * c2) * sin(radians(turn / 2));
	double l = (p.l + q.l) / 2 - 50, c = (c1 + c2) / 2;
	double t = 1 - 0.17 * cos(radians(mean_h - 30)) + 0.24 * cos(radians(2 * mean_h)) +
		   0.32 * cos(radians(3 * mean_h + 6)) - 0.20 * cos(radians(4 * mean_h - 63));
	double sl = 1 + 0.015 * l * l / sqrt(20 + l * l), sc = 1 + 0.045 * c;
	double sh = 1 + 0.015 * c * t;
	double rt = -2 * sqrt(pow(c, 7) / (pow(c, 7) + far7)) *
		    sin(radians(60 * exp(-pow((mean_h - 275) / 25, 2))));

	dl /= sl, dc /= sc, dh /= sh;
	return sqrt(dl * dl + dc * dc + dh * dh + rt * dc * dh);
}

static const struct {
	const char *name;
	double m[3][3];
} sights[] = {
	{ "all colours", { { 1, 0, 0 }, { 0, 1, 0 }, { 0, 0, 1 } } },
	{ "protanopia",
	  { { 0.152286, 1.052583, -0.204868 },
	    { 0.114503, 0.786281, 0.099216 },
	    { -0.003882, -0.048116, 1.051998 } } },
	{ "deuteranopia",
	  { { 0.367322, 0.860646, -0.227968 },
	    { 0.280085, 0.672501, 0.047413 },
	    { -0.011820, 0.042940, 0.968881 } } },
	{ "tritanopia",
	  { { 1.255528, -0.076749, -0.178779 },
	    { -0.078411, 0.930809, 0.147602 },
	    { 0.004733, 0.691367, 0.303900 } } },
};

#define NR_SIGHTS (sizeof(sights) / sizeof(*sights))

static struct rgb seen(size_t sight, struct rgb c)
{
	struct rgb out;

	for (int i = 0; i < 3; i++) {
		const double *m = sights[sight].m[i];
		double v = m[0] * c.of[0] + m[1] * c.of[1] + m[2] * c.of[2];

		out.of[i] = v < 0 ? 0 : v > 1 ? 1 : v;
	}
	return out;
}

static double apart(size_t sight, int a, int b)
{
	return ciede2000(lab_of(seen(sight, linear(rgb_of(xterm(a))))),
			 lab_of(seen(sight, linear(rgb_of(xterm(b))))));
}

static void the_formulas_give_known_values(void **state)
{
	/* Test vectors of Sharma, Wu and Dalal (2005). */
	static const struct {
		struct lab a, b;
		double is;
	} pairs[] = {
		{ { 50, 2.6772, -79.7751 }, { 50, 0, -82.7485 }, 2.0425 },
		{ { 50, -1, 2 }, { 50, 0, 0 }, 2.3669 },
		{ { 50, 2.49, -0.001 }, { 50, -2.49, 0.0011 }, 7.2195 },
		{ { 60.2574, -34.0099, 36.2677 }, { 60.4626, -34.1751, 39.4387 }, 1.2644 },
		{ { 2.0776, 0.0795, -1.1350 }, { 0.9033, -0.0636, -0.5514 }, 0.9082 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(*pairs); i++)
		assert_true(fabs(ciede2000(pairs[i].a, pairs[i].b) - pairs[i].is) < 0.0001);
	assert_true(fabs(contrast(0x000000, 0xffffff) - 21) < 0.001);
	assert_true(fabs(contrast(0x777777, 0xffffff) - 4.478) < 0.001);
}

static bool is_shape(int style)
{
	return style == STYLE_BORDER || style == STYLE_TREE || style == STYLE_SPARK;
}

static bool is_theme(int theme, const char *part)
{
	return strstr(theme_words[theme].word, part) != NULL;
}

static const uint32_t *grounds_of(int theme)
{
	static const uint32_t dark[2] = { 0x000000, 0x1e1e1e }, light[2] = { 0xffffff, 0xfdf6e3 };

	return is_theme(theme, "light") ? light : dark;
}

/* Report a style that with an overlay has too low a contrast. Returns 0 if it is high enough. */
static int check(int theme, int style, int over)
{
	const struct look *look = style_look((enum theme)theme, (enum style)style);
	const struct look *top = style_look((enum theme)theme, (enum style)over);
	double least = is_shape(style) && over == STYLE_TEXT ? SHAPE_LEAST : TEXT_LEAST;
	int fg = over != STYLE_TEXT && top->fg != LOOK_DEFAULT ? top->fg : look->fg;
	int bg = over != STYLE_TEXT && top->bg != LOOK_DEFAULT ? top->bg : look->bg, bad = 0;

	for (int i = 0; i < 2 && fg != LOOK_DEFAULT; i++) {
		uint32_t ground = bg != LOOK_DEFAULT ? xterm(bg) : grounds_of(theme)[i];
		double is = contrast(xterm(fg), ground);

		if (is >= least)
			continue;
		print_error("%s: %s under %s is %.2f on #%06x, less than %.1f\n",
			    theme_words[theme].word, style_names[style], style_names[over], is,
			    ground, least);
		bad++;
	}
	return bad;
}

static void every_style_has_enough_contrast(void **state)
{
	static const int overs[] = { STYLE_TEXT, STYLE_SELECTED, STYLE_CHOSEN, STYLE_FOUND };
	int bad = 0, checked = 0;

	(void)state;
	for (int theme = 0; theme < NR_THEMES; theme++)
		for (int style = 0; style < NR_STYLES && theme_colours[theme] >= 256; style++)
			for (size_t i = 0; i < sizeof(overs) / sizeof(*overs); i++, checked++)
				bad += check(theme, style, overs[i]);
	assert_true(checked >= 4 * NR_STYLES * 4);
	assert_int_equal(bad, 0);
}

static void sixteen_colours_have_enough_contrast(void **state)
{
	int bad = 0, checked = 0;

	(void)state;
	for (int theme = 0; theme < NR_THEMES; theme++)
		for (int style = 0; style < NR_STYLES && theme_colours[theme]; style++) {
			const struct look *look = style_look((enum theme)theme, (enum style)style);
			uint32_t ground = look->bg16 != LOOK_DEFAULT ? xterm(look->bg16)
								     : grounds_of(theme)[0];

			if (look->fg16 == LOOK_DEFAULT)
				continue;
			checked++;
			if (contrast(xterm(look->fg16), ground) >= SHAPE_LEAST)
				continue;
			print_error("%s with 16 colours: %s is %.2f\n", theme_words[theme].word,
				    style_names[style], contrast(xterm(look->fg16), ground));
			bad++;
		}
	assert_true(checked > 0);
	assert_int_equal(bad, 0);
}

static void overlays_differ_from_other_rows(void **state)
{
	static const int overs[] = { STYLE_SELECTED, STYLE_CHOSEN, STYLE_FOUND };

	(void)state;
	for (int theme = 0; theme < NR_THEMES; theme++)
		for (size_t i = 0; i < 3 && theme_colours[theme] >= 256; i++) {
			const struct look *look =
				style_look((enum theme)theme, (enum style)overs[i]);

			assert_int_not_equal(look->fg, LOOK_DEFAULT);
			assert_int_not_equal(look->bg, LOOK_DEFAULT);
		}
}

static void states_differ_for_colour_blind_users(void **state)
{
	static const int states[] = { STYLE_LIVE,   STYLE_STALE, STYLE_OK,
				      STYLE_FAILED, STYLE_LOST,  STYLE_SLOW };
	enum { NR = sizeof(states) / sizeof(*states) };
	int bad = 0, checked = 0;

	(void)state;
	for (int theme = 0; theme < NR_THEMES; theme++)
		for (int pair = 0; pair < NR * NR && is_theme(theme, "colour-blind"); pair++) {
			const struct look *a = style_look((enum theme)theme, states[pair / NR]);
			const struct look *b = style_look((enum theme)theme, states[pair % NR]);

			if (pair / NR >= pair % NR || a->attributes != b->attributes)
				continue;
			for (size_t sight = 0; sight < NR_SIGHTS; sight++, checked++) {
				double is = apart(sight, a->fg, b->fg);

				if (is >= STATES_APART)
					continue;
				print_error("%s: %s and %s are %.1f apart for %s\n",
					    theme_words[theme].word, style_names[states[pair / NR]],
					    style_names[states[pair % NR]], is, sights[sight].name);
				bad++;
			}
		}
	assert_true(checked > 0);
	assert_int_equal(bad, 0);
}

static void true_colour_matches_the_palette(void **state)
{
	(void)state;
	for (int colour = 0; colour < 256; colour++)
		assert_int_equal(palette_rgb(colour), xterm(colour));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_formulas_give_known_values),
		cmocka_unit_test(every_style_has_enough_contrast),
		cmocka_unit_test(sixteen_colours_have_enough_contrast),
		cmocka_unit_test(overlays_differ_from_other_rows),
		cmocka_unit_test(states_differ_for_colour_blind_users),
		cmocka_unit_test(true_colour_matches_the_palette),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
