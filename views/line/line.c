/* SPDX-License-Identifier: MIT */
#include "config.h"
#include "views/line/line.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "monitor/analysis/format_text.h"
#include "monitor/base/die.h"
#include "monitor/base/humanize.h"
#include "monitor/base/platform.h"
#include "monitor/filter/filter.h"
#include "views/line/over_time_lines.h"
#include "views/line/sentence.h"
#include "views/line/source_news.h"
#include "views/line/reported.h"
#include "views/ui/rows.h"
#include "views/ui/view_row.h"
#include "views/ui/rule_rows.h"

/* Maximum number of rows in an answer; if at most FEW_ROWS more are left, they are printed, too.
 * The command `more` prints further rows. */
#define ANSWER_ROWS 10
#define FEW_ROWS    3
#define MAX_COMMAND 512

struct line {
	struct ui *ui;
	bool ascii;
	struct reported told;
	struct source_news news;
	struct view *shown;      /* view for `more`, `find`, `group` and `sets`; NULL: none */
	uint32_t next;           /* index of the row at which `more` continues */
	char find[MAX_COMMAND];  /* text that printed rows must contain; "": no search */
	char group[MAX_COMMAND]; /* attributes that `group` set last; "": none */
	/* line_end() was called: answers do not offer the command `more` */
	bool ended;
	bool slow_reported; /* it was reported that the filter's regular expression is slow */
};

/* Argument of a command that shows a view: none, the number of a process, or either. */
enum of { OF_ALL, OF_ONE, OF_EITHER };

struct asking {
	struct line *line;
	const struct ui_input *in;
	const char *rest; /* text after the first word of the command */
	struct tr2_buf *out;
	struct line_asked asked;
};

typedef void line_act(struct asking *a);

#define LINE_ACT(word, act, argument, doc) static line_act line_act_##act;
#include "views/line/commands.def"

struct line_row {
	const char *word, *argument, *doc;
	line_act *act; /* function that executes the command; NULL if it prints a view */
	uint8_t view;  /* enum view_id */
	uint8_t of;    /* enum of */
};

static const char *const of_arguments[] = { NULL, "NUMBER", "[NUMBER]" };

static const struct line_row rows[] = {
#define LINE_VIEW(word, VIEW, of, doc)     { word, NULL, doc, NULL, VIEW_##VIEW, OF_##of },
#define LINE_ACT(word, act, argument, doc) { word, argument, doc, line_act_##act, 0, OF_ALL },
#include "views/line/commands.def"
};

#define NR_ROWS (sizeof(rows) / sizeof(*rows))

struct line *line_new(const struct line_config *config)
{
	struct line *line = xcalloc(1, sizeof(*line));

	line->ui = config->ui;
	line->ascii = config->ascii;
	reported_init(&line->told, config->depth, config->ascii);
	source_news_init(&line->news, config->ascii);
	return line;
}

void line_free(struct line *line)
{
	if (!line)
		return;
	rows_close(line->shown);
	reported_release(&line->told);
	source_news_release(&line->news);
	free(line);
}

static void slow_filter_check(struct line *line, struct tr2_buf *out)
{
	const struct filter *filter = ui_filter(line->ui);
	bool is_slow = filter && filter_limit_hits(filter);

	if (is_slow && !line->slow_reported)
		line_format(line,
			    "the filter's regular expression took too long; treated as no match",
			    out);
	line->slow_reported = is_slow;
}

void line_check(struct line *line, const struct ui_input *in, bool blocked, struct tr2_buf *out)
{
	struct analysis what = { .model = in->model,
				 .journal = in->journal,
				 .limits = { -1, -1 },
				 .now = in->wall_ns,
				 .filter = ui_filter(line->ui) };

	line->told.pace.blocked = blocked;
	source_news_check(&line->news, &line->told.pace, in, out);
	/* News about processes waits while the user looks back or has paused. */
	if (!in->past && !in->paused)
		reported_check(&line->told, &what, in->monotonic_ns, out);
	slow_filter_check(line, out);
}

void line_format(struct line *line, const char *text, struct tr2_buf *out)
{
	while (*text) {
		size_t len = strcspn(text, "\n");

		sentence_text(out, text, len, SENTENCE_MESSAGE, line->ascii);
		tr2_buf_addch(out, '\n');
		text += len + (text[len] != '\0');
	}
}

/* True if `text` contains `find`; if `find` has no upper-case letter, case is ignored. */
static bool is_found(const char *find, const char *text)
{
	for (const char *c = find; *c; c++)
		if (isupper((unsigned char)*c))
			return strstr(text, find) != NULL;
	return platform_find_text(text, find) != NULL;
}

/* Append the number of the process whose page or summary the row opens, unless the view is about
 * that process. */
static void format_row_number(struct line *line, const struct view_ctx *ctx, const struct row *row,
			      struct tr2_buf *out)
{
	struct subject subject = ctx->view->subject;
	enum view_id to = row->fixed || !ctx->view->ops->drill
				  ? NR_VIEWS
				  : ctx->view->ops->drill(ctx, row, &subject);

	if ((to == VIEW_PROCESS || to == VIEW_SUMMARY) &&
	    !handle_equal(subject.process, ctx->view->subject.process) &&
	    model_process(ctx->model, subject.process))
		tr2_buf_addf(out, "%" PRIu64 ", ", reported_number(&line->told, subject.process));
}

/* Print a row of a view as a line. Returns false if the row is empty or, in a search,
 * fixed or without a match. */
static bool line_format_row(struct line *line, const struct view_ctx *ctx, const struct row *row,
			    struct tr2_buf *out)
{
	size_t before = out->len, at;

	format_row_number(line, ctx, row, out);
	at = out->len;
	view_format_row(ctx, row, out);
	if (out->len == at ||
	    (*line->find && (row->fixed || !is_found(line->find, tr2_buf_cstr(out) + at)))) {
		out->len = before;
		return false;
	}
	tr2_buf_addch(out, '\n');
	return true;
}

/* Append a view's title, with commas in place of the dots between its parts. */
static void format_parts(struct line *line, const char *text, struct tr2_buf *out)
{
	static const char dot[] = " · ";
	const char *end;

	while ((end = strstr(text, dot))) {
		sentence_text(out, text, (size_t)(end - text), SENTENCE_MESSAGE, line->ascii);
		tr2_buf_addstr(out, ", ");
		text = end + strlen(dot);
	}
	sentence_text(out, text, strlen(text), SENTENCE_MESSAGE, line->ascii);
}

/* Append the first line of the reason why a view has no rows; it may have texts of the trace. */
static void format_reason(struct line *line, const char *reason, struct tr2_buf *out)
{
	tr2_buf_addstr(out, ": ");
	sentence_text(out, reason, strcspn(reason, "\n"), SENTENCE_MESSAGE, line->ascii);
}

/* Append the title of an answer, such as "Timings, all processes: 40 rows"; without rows, also the
 * reason. */
static void format_title(struct line *line, const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct view_ops *ops = line->shown->ops;
	const struct table *table = &line->shown->table;
	struct tr2_buf text = { .max = SAY_MAX_BYTES };
	const char *empty = ops->empty && !table->nr_rows ? ops->empty(ctx) : NULL;

	tr2_buf_addstr(&text, ops->named ? ops->named(ctx) : ops->name);
	if (ops->title)
		ops->title(ctx, &text);
	format_parts(line, tr2_buf_cstr(&text), out);
	tr2_buf_release(&text);
	if (table->nr_rows > ANSWER_ROWS + FEW_ROWS)
		tr2_buf_addf(out, ": %" PRIu32 " rows", table->nr_rows);
	else if (!table->nr_rows)
		format_reason(line, empty ? empty : "nothing", out);
	if (table->nr_hidden)
		tr2_buf_addf(out, ", %" PRIu32 " hidden", table->nr_hidden);
	tr2_buf_addch(out, '\n');
}

static void format_rows(struct line *line, const struct view_ctx *ctx, struct tr2_buf *out)
{
	const struct table *table = &line->shown->table;
	uint32_t said = 0, left = table->nr_rows - line->next;
	uint32_t most = left <= ANSWER_ROWS + FEW_ROWS ? left : ANSWER_ROWS;

	for (; line->next < table->nr_rows && said < most; line->next++)
		said += line_format_row(line, ctx, &table->rows[line->next], out);
	left = table->nr_rows - line->next;
	if (!said && *line->find)
		line_format(line, "no matching row", out);
	if (said && left)
		tr2_buf_addf(out, "%" PRIu32 " row%s left%s\n", left, left == 1 ? "" : "s",
			     line->ended ? "" : ": more");
}

static void answer(struct line *line, struct tr2_buf *out)
{
	struct view_ctx ctx = rows_gather(line->ui, line->shown);

	line->next = 0;
	if (!*line->find)
		format_title(line, &ctx, out);
	format_rows(line, &ctx, out);
}

/* Append a row whose columns are separated by two or more spaces, with commas between them. */
static void format_columns(struct line *line, const char *text, struct tr2_buf *out)
{
	while (*text) {
		const char *end = strstr(text, "  ");
		size_t len = end ? (size_t)(end - text) : strlen(text);

		sentence_text(out, text, len, SENTENCE_MESSAGE, line->ascii);
		text += len + strspn(text + len, " ");
		tr2_buf_addstr(out, *text ? ", " : "\n");
	}
}

static void format_rules(struct line *line, const struct rule_results *verdicts,
			 struct tr2_buf *out)
{
	const struct rule *rule;

	for (uint32_t i = 0; verdicts && (rule = view_rule(verdicts, i)); i++) {
		struct tr2_buf text = { .max = SAY_MAX_BYTES };

		view_rule_format(rule, &text);
		format_columns(line, tr2_buf_cstr(&text), out);
		tr2_buf_release(&text);
	}
}

void line_end(struct line *line, const struct ui_input *in, struct tr2_buf *out)
{
	reported_end(&line->told, in->monotonic_ns, out);
	line->ended = true;
	if (in->command_line)
		line_command(line, in, "why", strlen("why"), out);
	format_rules(line, in->verdicts, out);
}

static void open_view(struct asking *a, enum view_id id, struct handle process)
{
	struct line *line = a->line;
	struct subject subject = subject_none();
	const char *why;

	subject.process = process;
	rows_close(line->shown);
	*line->find = '\0';
	line->shown = rows_open(line->ui, id, &subject, &why);
	if (!line->shown)
		line_format(line, why, a->out);
	else
		answer(line, a->out);
}

/* Find the process whose number the user typed, or print a message and return false. */
static bool take_process(struct asking *a, const char *word, struct handle *process)
{
	char *end;
	unsigned long long number = strtoull(a->rest, &end, 10);

	if (end == a->rest || *end || *a->rest == '-' || *a->rest == '+') {
		tr2_buf_addf(a->out,
			     "%s needs the number of a process, for example %s 1; list shows the "
			     "numbers\n",
			     word, word);
		return false;
	}
	*process = model_handle_here(a->in->model, reported_process(&a->line->told, number));
	if (model_process(a->in->model, *process))
		return true;
	tr2_buf_addf(a->out, "unknown process %llu%s\n", number,
		     a->in->past ? " at the displayed time" : "");
	return false;
}

static void ask_view(struct asking *a, const struct line_row *row)
{
	struct handle process = HANDLE_NONE;

	if (*a->rest && row->of == OF_ALL)
		tr2_buf_addf(a->out, "%s takes no argument\n", row->word);
	else if ((!*a->rest && row->of != OF_ONE) || take_process(a, row->word, &process))
		open_view(a, (enum view_id)row->view, process);
}

static void line_act_more(struct asking *a)
{
	struct line *line = a->line;
	struct view_ctx ctx;

	if (!line->shown) {
		line_format(line, "no earlier answer", a->out);
		return;
	}
	ctx = rows_gather(line->ui, line->shown);
	if (line->next >= line->shown->table.nr_rows)
		line_format(line, "no more rows", a->out);
	else
		format_rows(line, &ctx, a->out);
}

static void line_act_find(struct asking *a)
{
	struct line *line = a->line;
	struct subject subject = subject_none();
	const char *why;

	if (!*a->rest) {
		line_format(line, "find needs a text, for example find fetch", a->out);
		return;
	}
	if (!line->shown)
		line->shown = rows_open(line->ui, VIEW_PROCESSES, &subject, &why);
	snprintf(line->find, sizeof(line->find), "%s", a->rest);
	answer(line, a->out);
}

/* Let the view of the last answer handle the key of an action, and print its rows again. Returns
 * false if there is no such view or it does not handle the key. */
static bool act_on_answer(struct asking *a, enum action action)
{
	struct view *shown = a->line->shown;
	struct view_ctx ctx;

	if (!shown || !shown->ops->act)
		return false;
	ctx = rows_gather(a->line->ui, shown);
	if (!shown->ops->act(&ctx, action, 0))
		return false;
	*a->line->find = '\0';
	answer(a->line, a->out);
	return true;
}

static void line_act_group(struct asking *a)
{
	struct line *line = a->line;
	struct commands_by by = { 0 };
	struct view_ctx ctx;

	if (!line->shown || !line->shown->ops->set_grouping) {
		if (*a->rest || !act_on_answer(a, ACTION_GROUP))
			line_format(line,
				    "group follows commands or timings; errors and attributes, "
				    "without ATTRIBUTE",
				    a->out);
		return;
	}
	if (*a->rest && commands_by_parse(&by, a->rest)) {
		line_format(line, "group needs an attribute, for example group worktree", a->out);
		return;
	}
	/* Keep the text: the view borrows the names of keys from it. */
	snprintf(line->group, sizeof(line->group), "%s", a->rest);
	if (*line->group)
		commands_by_parse(&by, line->group);
	ctx = rows_gather(line->ui, line->shown);
	line->shown->ops->set_grouping(&ctx, &by);
	*line->find = '\0';
	answer(line, a->out);
}

static void line_act_sets(struct asking *a)
{
	if (*a->rest || !act_on_answer(a, ACTION_SCOPE))
		line_format(a->line, "sets follows attributes, and takes no argument", a->out);
}

static bool enter(struct asking *a, enum action action)
{
	char why[200];

	a->asked.reaction = ui_enter(a->line->ui, action, a->rest, why, sizeof(why));
	if (a->asked.reaction == UI_NOTHING)
		line_format(a->line, why, a->out);
	return a->asked.reaction != UI_NOTHING;
}

static void line_act_filter(struct asking *a)
{
	if (enter(a, ACTION_FILTER))
		line_format(a->line,
			    *a->rest ? "reporting only matching processes"
				     : "reporting all processes",
			    a->out);
}

static void line_act_at(struct asking *a)
{
	if (!*a->rest)
		line_format(a->line, "at needs a time, for example at 12:28:42 or at -30s", a->out);
	else
		enter(a, ACTION_PAST_TIME);
}

static void line_act_live(struct asking *a)
{
	a->asked.live = true;
}

static void line_act_write(struct asking *a)
{
	enter(a, ACTION_EXPORT);
}

static void line_act_sql(struct asking *a)
{
	if (!*a->rest)
		line_format(a->line,
			    "sql needs a SELECT, for example sql SELECT name FROM processes",
			    a->out);
	else
		enter(a, ACTION_SQL);
}

static void line_act_over_time(struct asking *a)
{
	struct line *line = a->line;

	if (*a->rest) {
		line_format(line, "over_time takes no argument", a->out);
		return;
	}
	over_time_lines(a->in->model, a->in->wall_ns, a->out);
}

static void line_act_help(struct asking *a)
{
	for (unsigned i = 0; i < NR_ROWS; i++) {
		const char *argument =
			rows[i].argument ? rows[i].argument : of_arguments[rows[i].of];

		tr2_buf_addf(a->out, "%s%s%s: %s\n", rows[i].word, argument ? " " : "",
			     argument ? argument : "", rows[i].doc);
	}
}

static void line_act_quit(struct asking *a)
{
	a->asked.reaction = UI_QUIT;
}

/* Return the command of a word, or of a prefix that only one command has; else NULL. */
static const struct line_row *line_row_of(const char *word, size_t len)
{
	const struct line_row *found = NULL;
	unsigned nr = 0;

	for (unsigned i = 0; i < NR_ROWS; i++) {
		if (strncmp(rows[i].word, word, len))
			continue;
		if (!rows[i].word[len])
			return &rows[i];
		found = &rows[i];
		nr++;
	}
	return nr == 1 ? found : NULL;
}

static void format_unknown(struct line *line, const char *word, size_t len, struct tr2_buf *out)
{
	tr2_buf_addstr(out, "unknown command ");
	sentence_text(out, word, len, 40, line->ascii);
	tr2_buf_addstr(out, ": help lists them\n");
}

struct line_asked line_command(struct line *line, const struct ui_input *in, const char *text,
			       size_t len, struct tr2_buf *out)
{
	char typed[MAX_COMMAND];
	struct asking a = { .line = line, .in = in, .out = out };
	const struct line_row *row;
	enum human_form form = human_set_form(HUMAN_WORDS);
	size_t word;

	while (len && isspace((unsigned char)text[len - 1]))
		len--;
	if (len >= sizeof(typed) || memchr(text, '\0', len)) {
		line_format(line, "unknown command: help lists them", out);
		human_set_form(form);
		return a.asked;
	}
	while (len && isspace((unsigned char)*text))
		text++, len--;
	memcpy(typed, text, len);
	typed[len] = '\0';
	word = strcspn(typed, " \t");
	a.rest = typed + word + strspn(typed + word, " \t");
	row = line_row_of(typed, word);
	ui_check(line->ui, in);
	if (!len)
		;
	else if (!row)
		format_unknown(line, typed, word, out);
	else if (row->act)
		row->act(&a);
	else
		ask_view(&a, row);
	human_set_form(form);
	return a.asked;
}

void line_query(struct line *line, const struct ui_input *in, struct tr2_buf *out)
{
	struct asking a = { .line = line, .in = in, .out = out };
	enum human_form form = human_set_form(HUMAN_WORDS);

	ui_check(line->ui, in);
	open_view(&a, VIEW_SQL, HANDLE_NONE);
	human_set_form(form);
}

void line_format_moment(struct line *line, const struct ui_input *in, struct tr2_buf *out)
{
	struct tr2_buf text = { .max = SAY_MAX_BYTES };

	if (!in->past) {
		line_format(line, "live", out);
		return;
	}
	tr2_buf_addstr(&text, "looking back to ");
	if (in->past_ns != NS_NONE) {
		format_date(in->past_ns, in->wall_ns, &text);
		format_time(in->past_ns, true, &text);
		tr2_buf_addstr(&text, ", ");
	}
	tr2_buf_addf(&text, "event %" PRIu64 " of %" PRIu64 "; live returns to the present",
		     in->lookback_position, in->lookback_end);
	line_format(line, tr2_buf_cstr(&text), out);
	tr2_buf_release(&text);
}
