# SPDX-License-Identifier: MIT
# Print a trace of 240 runs of git status in three repositories. A third of the runs in "big" has
# status.showUntrackedFiles=all, and takes six times as long: awk -f causes.awk </dev/null
function event(name, more) {
	printf "{\"event\":\"%s\",\"sid\":\"20260102T090000.000000Z-H6b1a4c2e-P%08x\",\"thread\":\"main\",\"time\":\"2026-01-02T09:%02d:%02d.%06dZ\"%s}\n", name, 4000 + i, at / 60, at % 60, us, more
}
END {
	split("big mid small", repos, " ")
	for (i = 0; i < 240; i++) {
		at = i * 12
		repo = repos[i % 3 + 1]
		all = i % 3 == 0 && i % 9 == 0
		took = 9000 + i * 7919 % 5000 + (all ? 60000 : 0)
		us = 0
		event("version", ",\"evt\":\"3\",\"exe\":\"2.55.0\"")
		event("start", ",\"t_abs\":0.0,\"argv\":[\"git\",\"status\",\"" (i % 4 ? "--short" : "--porcelain=v2") "\"]")
		event("cmd_name", ",\"name\":\"status\",\"hierarchy\":\"status\"")
		event("def_repo", ",\"repo\":1,\"worktree\":\"/home/user/" repo "\"")
		event("def_param", ",\"scope\":\"local\",\"param\":\"status.showUntrackedFiles\",\"value\":\"" (all ? "all" : "normal") "\"")
		us = took
		event("data", sprintf(",\"repo\":1,\"t_abs\":%.6f,\"t_rel\":%.6f,\"nesting\":1,\"category\":\"status\",\"key\":\"count/untracked\",\"value\":\"%d\"", took / 1e6, took / 1e6, all ? 6000 + i : i % 2))
		event("atexit", sprintf(",\"t_abs\":%.6f,\"code\":0", took / 1e6))
	}
}
