/* SPDX-License-Identifier: MIT */
/* Tests of passwords in URLs, which screens, text reports and filters hide. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "monitor/base/print_error.h"
#include "monitor/base/secrets.h"
#include "monitor/base/visible.h"
#include "tests/program.h"

#define R "<REDACTED>"

static const struct {
	const char *text, *shown; /* `shown`: text without its password; NULL: same as `text` */
} table[] = {
	{ "https://user:geheim@host/x", "https://user:" R "@host/x" },
	{ "https://:geheim@host", "https://:" R "@host" },
	{ "https://user:@host", "https://user:" R "@host" },
	{ "ssh://user:geheim@host:22/x", "ssh://user:" R "@host:22/x" },
	{ "https://user:ge@heim@host", "https://user:" R "@host" },
	{ "https://user:ge:heim@host", "https://user:" R "@host" },
	{ "--url=https://u:geheim@h https://v:geheim@i.",
	  "--url=https://u:" R "@h https://v:" R "@i." },
	{ "unable to access 'https://u:geheim@h/r.git/': 403",
	  "unable to access 'https://u:" R "@h/r.git/': 403" },
	{ "[\"https://host:80\",\"me@host\"]", NULL },
	{ "[\"https://u:ge\\\"heim@h\"]", "[\"https://u:" R "@h\"]" },
	{ "{\"u\":\"https:\\/\\/u:geheim@h\\/r\"}", "{\"u\":\"https:\\/\\/u:" R "@h\\/r\"}" },
	{ "a:\\", NULL },
	{ "https://user:" R "@host", NULL },
	{ "https://user@host", NULL },
	{ "https://host:8080/a@b", NULL },
	{ "https://host:8080 me@host", NULL },
	{ "user:pass@host", NULL },
	{ "://", NULL },
	{ "a://:", NULL },
	{ "://@://:@", "://@://:" R "@" },
	{ "", NULL },
};

static void recognises_passwords(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++) {
		size_t len = strlen(table[i].text);
		struct tr2_buf copy = SECRETS_COPY, again = SECRETS_COPY;
		const char *shown = secrets_hide(&copy, table[i].text, &len);

		assert_int_equal(len, strlen(table[i].shown ? table[i].shown : table[i].text));
		assert_memory_equal(shown, table[i].shown ? table[i].shown : table[i].text, len);
		if (!table[i].shown)
			assert_ptr_equal(shown, table[i].text);
		assert_ptr_equal(secrets_hide(&again, shown, &len), shown);
		tr2_buf_release(&copy);
	}
}

static void hides_passwords_in_visible_text_before_cutting(void **state)
{
	static const char text[] = "x https://u:geheim@host/\033 y";
	struct tr2_buf out;

	(void)state;
	tr2_buf_init(&out, 1000);
	text_visible(&out, text, strlen(text));
	assert_string_equal(tr2_buf_cstr(&out), "x https://u:" R "@host/^[ y");
	tr2_buf_clear(&out);
	assert_int_equal(text_visible_cut(&out, text, strlen(text), 14), strlen(text) + 4);
	assert_string_equal(tr2_buf_cstr(&out), "x https://u:<R");
	tr2_buf_clear(&out);
	assert_int_equal(secrets_add(&out, text, strlen(text), 13), strlen(text) + 4);
	assert_string_equal(tr2_buf_cstr(&out), "x https://u:<");
	assert_int_equal(secrets_add(&out, "me@host", 7, 2), 7);
	assert_string_equal(tr2_buf_cstr(&out), "x https://u:<me");
	tr2_buf_release(&out);
}

/* No byte after the text is read. */
static void reads_only_the_given_bytes(void **state)
{
	static const char text[] = "https://user:geheim@host";

	(void)state;
	for (size_t given = 0; given < sizeof(text); given++) {
		struct tr2_buf copy = SECRETS_COPY;
		char *exact = malloc(given + 1);
		size_t len = given;

		memcpy(exact, text, given);
		exact = realloc(exact, given ? given : 1);
		if (strlen(text) > given && given < 20)
			assert_ptr_equal(secrets_hide(&copy, exact, &len), exact);
		else
			assert_null(memmem(secrets_hide(&copy, exact, &len), len, "geheim", 6));
		free(exact);
		tr2_buf_release(&copy);
	}
}

static char trace[] = "/tmp/trace2top-secrets-XXXXXX", keys[sizeof(trace) + 8];

static const char lines[] =
	"{\"event\":\"start\",\"sid\":\"s\",\"thread\":\"main\",\"t_abs\":0.1,"
	"\"argv\":[\"git\",\"clone\",\"https://u:geheim@h/r\"]}\n"
	"{\"event\":\"def_param\",\"sid\":\"s\",\"thread\":\"main\",\"t_abs\":0.1,"
	"\"param\":\"remote.o.url\",\"value\":\"https://u:geheim@h/r\"}\n"
	"{\"event\":\"child_start\",\"sid\":\"s\",\"thread\":\"main\",\"t_abs\":0.1,\"child_"
	"id\":0,"
	"\"child_class\":\"?\",\"argv\":[\"git-remote-https\",\"https://u:geheim@h/r\"]}\n"
	"{\"event\":\"data\",\"sid\":\"s\",\"thread\":\"main\",\"t_abs\":0.1,\"t_rel\":0.1,"
	"\"nesting\":1,\"category\":\"c\",\"key\":\"k\",\"value\":\"https://u:geheim@h/r\"}\n"
	"{\"event\":\"region_enter\",\"sid\":\"s\",\"thread\":\"main\",\"t_abs\":0.1,"
	"\"nesting\":1,\"category\":\"c\",\"label\":\"https://u:geheim@h/r\"}\n"
	"{\"event\":\"region_leave\",\"sid\":\"s\",\"thread\":\"main\",\"t_abs\":0.2,\"t_rel\":"
	"0.1,"
	"\"nesting\":1,\"category\":\"c\",\"label\":\"https://u:geheim@h/r\"}\n"
	"{\"event\":\"error\",\"sid\":\"s\",\"thread\":\"main\",\"t_abs\":0.1,"
	"\"msg\":\"unable to access 'https://u:geheim@h/r/'\",\"fmt\":\"x\"}\n";

static int set_up(void **state)
{
	int fd = mkstemp(trace);
	FILE *f;

	(void)state;
	if (fd < 0 || write(fd, lines, sizeof(lines) - 1) != (ssize_t)sizeof(lines) - 1)
		return -1;
	close(fd);
	snprintf(keys, sizeof(keys), "%s.keys", trace);
	f = fopen(keys, "w");
	/* These keys open the panes, the pages and records of the log. */
	fputs("1\n2\n3\n4\n5\n", f);
	fputs("1\nEnter\nEnd\nEsc\n4\nEnter\nEsc\n1\n", f);
	for (const char *page = "tFSiEWHAVDoOC?"; *page; page++)
		fprintf(f, "%c\nEsc\n", *page);
	fputs("e\na\nHome\n", f);
	for (int i = 0; i < 8; i++)
		fputs("Enter\nEsc\nj\n", f);
	return fclose(f);
}

static int tear_down(void **state)
{
	(void)state;
	unlink(keys);
	return unlink(trace);
}

static void run(struct program *p, const char *first, const char *second, const char *third)
{
	const char *argv[] = { NULL, trace, first, second, third, NULL };

	assert_int_equal(program_run(p, argv, -1), 0);
}

static void says(const char *first, const char *second, const char *third, bool secret, bool hidden)
{
	struct program p;

	run(&p, first, second, third);
	if (!strstr(p.out_text, "geheim") != !secret)
		fail_msg("%s %s: %s", first, second ? second : "", p.out_text);
	assert_int_equal(strstr(p.out_text, "https://u:" R "@h/r") != NULL, hidden);
	program_free(&p);
}

static void text_report_hides_passwords(void **state)
{
	(void)state;
	says("--once", NULL, NULL, false, true);
	says("--once", "--redact=secrets", NULL, false, true);
	says("--once", "--redact=none", NULL, true, false);
}

static void hides_the_password_of_a_refused_server(void **state)
{
	static const char *const urls[] = { "nats://u:12/geheim@h", "nats://u:geheim/x@h",
					    "nats://u:geheim@h:x/a.b", "nats://u:geheim@h/x",
					    "nats://geheim/x@h:77777" };

	(void)state;
	for (size_t i = 0; i < sizeof(urls) / sizeof(*urls); i++) {
		const char *argv[] = { NULL, trace, urls[i], "--once", "--format=text", NULL };
		struct program p;

		program_run(&p, argv, -1);
		if (!strstr(p.out_text, "<REDACTED>@h") || strstr(p.out_text, "/x@") ||
		    strstr(p.out_text, "nats://u") || strstr(p.err_text, "geheim"))
			fail_msg("%s: %s%s", urls[i], p.out_text, p.err_text);
		program_free(&p);
	}
}

static char *error_about(const char *text)
{
	char *out = calloc(1, 3 * 8192);
	int err = dup(STDERR_FILENO), fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	dup2(fds[1], STDERR_FILENO);
	complain_print_error("%s", text);
	dup2(err, STDERR_FILENO);
	close(err);
	close(fds[1]);
	for (ssize_t at = 0, n; (n = read(fds[0], out + at, 8192)) > 0;)
		at += n;
	close(fds[0]);
	return out;
}

static void long_errors_hide_passwords(void **state)
{
	char text[8300];

	(void)state;
	for (size_t len = 8100; len < sizeof(text); len++) {
		char *out;

		memset(text, 'x', len);
		memcpy(text, "nats://u:gem@", 13);
		text[len] = '\0';
		out = error_about(text);
		assert_null(strstr(out, "gem"));
		assert_non_null(strstr(out, "nats://<REDACTED>@xxx"));
		free(out);
	}
}

static void json_is_unchanged(void **state)
{
	(void)state;
	says("--once", "--format=json", NULL, true, false);
}

static void screen_hides_passwords(void **state)
{
	char option[sizeof(keys) + 8];

	(void)state;
	snprintf(option, sizeof(option), "--keys=%s", keys);
	says("--size=200x50", option, NULL, false, true);
	says("--size=200x50", option, "--redact=none", true, false);
}

/* A user cannot guess a hidden password with filters. */
static void filters_match_hidden_text_only(void **state)
{
	(void)state;
	says("--once", "--filter=argv ~ gehei", NULL, false, false);
	says("--once", "--filter=gehei", NULL, false, false);
	says("--once", "--filter=argv ~ REDACTED", NULL, false, true);
	says("--once", "--filter=argv ~ gehei", "--redact=none", true, false);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recognises_passwords),
		cmocka_unit_test(hides_passwords_in_visible_text_before_cutting),
		cmocka_unit_test(reads_only_the_given_bytes),
		cmocka_unit_test(text_report_hides_passwords),
		cmocka_unit_test(hides_the_password_of_a_refused_server),
		cmocka_unit_test(long_errors_hide_passwords),
		cmocka_unit_test(json_is_unchanged),
		cmocka_unit_test(screen_hides_passwords),
		cmocka_unit_test(filters_match_hidden_text_only),
	};

	return cmocka_run_group_tests(tests, set_up, tear_down);
}
