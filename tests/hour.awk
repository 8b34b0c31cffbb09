# SPDX-License-Identifier: MIT
# Print a trace of one hour of a build server: 500 commands, of which 10 fail, and their children.
# It is generated, so that each answer of the tour is known: awk -f hour.awk </dev/null
# With -v slower=N, each status from command N on takes 60 ms longer, and none takes 6 s.
# Times are whole microseconds: sums of fractions differ between awks.
function at(us,    s) {
	s = int(us / 1000000)
	return sprintf("2026-01-02T%02d:%02d:%02d.%06dZ", 9 + int(s / 3600), int(s / 60) % 60, s % 60, us % 1000000)
}

function seconds(us) {
	return sprintf("%d.%06d", int(us / 1000000), us % 1000000)
}

function event(name, t, rest) {
	printf "{\"event\":\"%s\",\"sid\":\"%s\",\"thread\":\"main\",\"time\":\"%s\"%s}\n", name, sid, at(t),
		rest ? "," rest : ""
}

function quoted(words,    i, n, part, all) {
	n = split(words, part, " ")
	for (i = 1; i <= n; i++)
		all = all (i > 1 ? "," : "") "\"" part[i] "\""
	return "[" all "]"
}

function session(t) {
	return sprintf("%s-H89e495e7-P%08x", gensid(t), pid)
}

function gensid(t,    text) {
	text = at(t)
	gsub(/[-:]/, "", text)
	return text
}

function begin(t, name, argv, hierarchy) {
	event("version", t, "\"evt\":\"4\",\"exe\":\"2.55.0\"")
	event("start", t, "\"t_abs\":0.000100,\"argv\":" quoted("git " argv))
	event("cmd_name", t, "\"name\":\"" name "\",\"hierarchy\":\"" hierarchy "\"")
}

function region(t, nesting, category, label, took) {
	event("region_enter", t, "\"repo\":1,\"nesting\":" nesting ",\"category\":\"" category "\",\"label\":\"" label "\"")
	event("region_leave", t + took, "\"repo\":1,\"t_rel\":" seconds(took) ",\"nesting\":" nesting ",\"category\":\"" category \
		"\",\"label\":\"" label "\"")
}

function finish(t, took, code) {
	event("exit", t + took, "\"t_abs\":" seconds(took) ",\"code\":" code)
	event("atexit", t + took, "\"t_abs\":" seconds(took) ",\"code\":" code)
}

function fault(t, fmt, msg) {
	event("error", t, "\"msg\":\"" msg "\",\"fmt\":\"" fmt "\"")
}

# A child that is a Git command; its parent waits for it.
function child(t, number, name, argv, took, code, above,    parent) {
	event("child_start", t, "\"child_id\":" number ",\"child_class\":\"?\",\"use_shell\":false,\"argv\":" quoted("git " argv))
	parent = sid
	pid++
	sid = parent "/" session(t)
	begin(t + 1000, name, argv, above "/" name)
	if (name == "pack-objects") {
		region(t + 2000, 1, "pack-objects", "enumerate-objects", int(took / 5))
		region(t + 2000 + int(took / 5), 1, "pack-objects", "write-pack-file", int(took * 7 / 10))
	}
	finish(t + 1000, took, code)
	sid = parent
	event("child_exit", t + took + 2000, "\"child_id\":" number ",\"pid\":" pid ",\"code\":" code ",\"t_rel\":" seconds(took + 2000))
}

function status(t, i,    walk) {
	walk = i == 498 && !slower ? 6400000 : 4000 + i % 7 * 1000 + (slower && i >= slower ? 60000 : 0)
	begin(t, "status", "status --porcelain=v2", "status")
	region(t + 1000, 1, "index", "do_read_index", 2000)
	region(t + 3000, 1, "index", "refresh", 3000)
	region(t + 6000, 1, "dir", "read_directory", walk)
	finish(t, walk + 7000, 0)
}

function fetch(t, i) {
	begin(t, "fetch", "fetch --quiet mirror" i % 3, "fetch")
	region(t + 1000, 1, "fetch", "remote_refs", 30000)
	if (i % 100 == 44) {
		fault(t + 40000, "unable to access '%s': %s",
			"unable to access 'https://mirror" i % 3 ".example/repo.git/': Connection timed out")
		finish(t, 41000, 128)
		return
	}
	child(t + 40000, 0, "index-pack", "index-pack --stdin --fix-thin", 50000 + i % 5 * 20000, 0, "fetch")
	child(t + 300000, 1, "maintenance", "maintenance run --auto --quiet", 4000, 0, "fetch")
	finish(t, 320000, 0)
}

function push(t, i,    took) {
	took = 20000 + i % 11 * 14000
	begin(t, "push", "push origin HEAD:main", "push")
	child(t + 10000, 0, "pack-objects", "pack-objects --all-progress-implied --revs --stdout --thin --delta-base-offset -q",
		took, 0, "push")
	if (i % 100 == 29) {
		fault(t + took + 30000, "failed to push some refs to '%s'", "failed to push some refs to 'git@host" i % 2 ":repo.git'")
		finish(t, took + 40000, 1)
		return
	}
	finish(t, took + 40000, 0)
}

function commit(t, i) {
	begin(t, "commit", "commit -q -m build-" i, "commit")
	region(t + 2000, 1, "index", "do_write_index", 6000)
	finish(t, 15000, 0)
}

BEGIN {
	pid = 4000
	for (i = 1; i <= 500; i++) {
		t = i * 7200000 - 7000000
		pid++
		sid = session(t)
		if (i % 10 == 4) fetch(t, i)
		else if (i % 10 == 9) push(t, i)
		else if (i % 20 == 11) commit(t, i)
		else status(t, i)
	}
}
