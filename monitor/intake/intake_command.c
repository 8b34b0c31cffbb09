/* SPDX-License-Identifier: MIT */
/* Functions of intake.h for traced commands and for a relay. */
#include "config.h"
#include "monitor/intake/intake.h"

#include "monitor/intake/intake_priv.h"
#include "monitor/source/command_output.h"

enum command_state intake_command(struct intake *in, int *wait_status, ns_t *ran_ns)
{
	return traced_command_state(in->sources.context.command, wait_status, ran_ns);
}

bool intake_command_killed(struct intake *in, pid_t *pid, int *signo, ns_t *ended)
{
	return traced_command_killed(in->sources.context.command, pid, signo, ended);
}

ns_t intake_command_begun(const struct intake *in)
{
	return traced_command_begun(in->sources.context.command);
}

bool intake_command_may_wait(struct intake *in)
{
	return traced_command_may_wait(in->sources.context.command);
}

size_t intake_command_type(struct intake *in, const char *bytes, size_t len)
{
	return traced_command_type(in->sources.context.command, bytes, len);
}

void intake_command_signal(struct intake *in, int signo)
{
	traced_command_signal(in->sources.context.command, signo);
}

void intake_command_resize(struct intake *in, int cols, int rows)
{
	traced_command_resize(in->sources.context.command, cols, rows);
}

size_t intake_command_output(struct intake *in, char *out, uint64_t *version)
{
	struct command_output *output = in->sources.context.output;

	return output ? command_output_copy(output, out, version) : SIZE_MAX;
}

size_t intake_command_read(struct intake *in, uint64_t *at, char *out, size_t bytes)
{
	struct command_output *output = in->sources.context.output;

	return output ? command_output_read(output, at, out, bytes) : 0;
}

enum command_state intake_relay_command(const struct intake *in, int *wait_status, ns_t *ran_ns)
{
	const struct relay_command *relay = &in->sources.context.relay;
	enum command_state state = (enum command_state)relay->state;
	bool has_ended = state == COMMAND_ENDED;

	*wait_status = has_ended ? relay->status : 0;
	*ran_ns = (has_ended ? relay->ended_ns : tr2_clock_monotonic()) - relay->begun_ns;
	return state;
}

ns_t intake_relay_skew(const struct intake *in)
{
	ns_t skew = in->streams.relay_skew_ns;

	return skew == NS_NONE ? 0 : skew;
}

bool intake_is_recorded_command(const struct intake *in)
{
	return in->streams.recorded_commands && !in->streams.recorded_others;
}
