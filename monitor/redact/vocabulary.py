#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Make vocabulary.txt from Git's sources: words that Git uses itself, no names that users choose.

    vocabulary.py GIT-SOURCE... >vocabulary.txt

Each GIT-SOURCE is an unpacked source tree. The words of all trees are merged, so an old and a new
Git cover the versions between them. The commands and options of the `git` in PATH are added.
"""
import os
import re
import subprocess
import sys

# Typical names of branches, remotes and directories: excluded, because they reveal something about
# a user even if Git uses them, too.
NAMES = set("""main master origin upstream topic feature develop next maint trunk release staging
production test tests secret private internal project customer demo dummy foo bar baz
frotz nitfol mybranch myrepo example hello world""".split())

# Words that are not Git's, but exist on every machine: parts of paths, programs, URL schemes.
SYSTEM = """
/ . .. * ? - -- ~ + ^ @
usr local bin sbin lib lib64 libexec git-core share etc opt tmp var run proc dev null home Users
System Library Applications .git .gitconfig .gitmodules .gitignore .gitattributes .config .cache
HEAD FETCH_HEAD ORIG_HEAD MERGE_HEAD CHERRY_PICK_HEAD REBASE_HEAD AUTO_MERGE COMMIT_EDITMSG
MERGE_MSG SQUASH_MSG EDIT_DESCRIPTION TAG_EDITMSG refs heads tags remotes notes stash objects pack
info alternates modules worktrees hooks logs config config.worktree description packed-refs shallow
index index.lock multi-pack-index commit-graph commit-graphs bitmap idx midx rev gitdir commondir
sh bash dash zsh fish ksh csh tcsh env sudo su login sshd ssh systemd init cron crond make cmake
ninja meson tmux screen tmux:\\ server xterm gnome-terminal- python python3 perl ruby node npm java
go cargo rustc gcc clang docker containerd containerd-shim runc code emacs vim vi nano less more cat
grep sed awk find xargs git gitk scalar repo curl gpg gpg2 gpgsm ssh-keygen strace gdb valgrind
http https ssh git ftp ftps file rsync svn ext git+ssh ssh+git
true false yes no on off always auto never none default never input simple current matching
ready timeout error
hard mixed soft keep undefined expire
system global local worktree command submodule unknown
dirty windows vfs apple Apple Git GIT msysgit
""".replace("\\ ", "\0").split()

LITERAL = r'"((?:[^"\\\n]|\\.)*)"'
TRACED = re.compile(
    r"\b(?:trace2_(?:region_\w+|data_\w+|cmd_name|cmd_mode|thread_start|timer_\w+|counter_\w+"
    r"|printf)|jw_object_\w+|jw_array_\w+)\s*\(([^;]*?)\)\s*;", re.S)
ASSIGNED = re.compile(
    r"(?:trace2_child_class|trace2_hook_name|tr2_category|tr2_label|\.category|\.name|\.label)"
    r"\s*=\s*" + LITERAL)
PROGRESS = re.compile(r"\bstart_(?:delayed_|sparse_)*progress\s*\([^;]*?" + LITERAL)
OPTION = re.compile(r'"(--[a-z][a-z0-9-]*)=?"')
OPT_MACRO = re.compile(r"\bOPT_\w+\s*\(\s*(?:'.'|0|\w+)\s*,\s*\"([a-z][a-z0-9-]*)\"")
COMPARED = re.compile(r"\bstr(?:case)?cmp\s*\([^()\";]*,\s*\"([a-zA-Z][a-zA-Z0-9_-]+)\"\s*\)")
VARIABLE = re.compile(r"\bGIT_[A-Z0-9_]+\b")
CONFIGURED = re.compile(r"^`?([a-z][a-zA-Z0-9-]*(?:\.(?:[a-zA-Z0-9*<>_-]+|\"[^\"]*\"))+)`?"
                        r"(?:, `?[^:]*)?::", re.M)
CONFIG_CALL = re.compile(r"(?:config|cmp)\w*\s*\([^;\"]*\"([a-z]+\.[a-zA-Z0-9.-]+)\"")
WORD = re.compile(r"[A-Za-z0-9_.:/+*?@~^-]+( [A-Za-z0-9_.:/()-]+)*\Z")


def files(tree, *suffixes):
    for folder, folders, names in os.walk(tree):
        folders[:] = sorted(f for f in folders if f not in ("t", "po", "contrib", "git-gui", "gitk-git"))
        for name in sorted(names):
            if name.endswith(suffixes) and "test" not in name:
                yield os.path.join(folder, name)


def text(path):
    with open(path, encoding="utf-8", errors="replace") as f:
        return f.read()


def config_name(name):
    """The form of the vocabulary: `remote.<name>.url` becomes `remote.*.url`, in lower case."""
    parts = re.sub(r'"[^"]*"|<[^>]*>', "*", name).lower().split(".")
    return ".".join([parts[0]] + (["*"] if len(parts) > 2 else []) + [parts[-1]])


def of_sources(tree, words):
    for path in files(tree, ".c", ".h"):
        source = text(path)
        name = os.path.relpath(path, tree)
        if name.endswith(".c"):
            words.add(name)
        for call in TRACED.findall(source):
            words.update(re.findall(LITERAL, call))
        words.update(w for w in ASSIGNED.findall(source) if " " not in w)
        words.update(PROGRESS.findall(source))
        words.update(OPTION.findall(source))
        words.update("--" + name for name in OPT_MACRO.findall(source))
        words.update(COMPARED.findall(source))
        words.update(VARIABLE.findall(source))
        words.update(config_name(name) for name in CONFIG_CALL.findall(source))
        for call in re.findall(r"\brun_hooks?\w*\s*\(([^;]*)\)", source):
            words.update(re.findall(LITERAL, call))
    for line in text(os.path.join(tree, "command-list.txt")).splitlines():
        if line.startswith(("git-", "scalar")):
            words.add(line.split()[0])
            words.add(line.split()[0].replace("git-", "", 1))
    builtins = re.findall(r'^\t\{ "([a-z0-9-]+)", cmd_', text(os.path.join(tree, "git.c")), re.M)
    words.update(builtins)
    words.update("git-" + name for name in builtins)
    for path in files(os.path.join(tree, "Documentation"), ".txt", ".adoc"):
        page = text(path)
        if os.sep + "config" in path:
            words.update(config_name(name) for name in CONFIGURED.findall(page))
        if os.path.basename(path).startswith("githooks"):
            words.update(re.findall(r"^([a-z][a-z0-9-]+)\n~+$", page, re.M))


def ask(*args):
    try:
        asked = subprocess.run(("git", *args), capture_output=True, text=True, check=False,
                               timeout=20, env={**os.environ, "GIT_PAGER": "cat"})
    except OSError:
        return ""
    return asked.stdout


def of_program(words):
    commands = ask("--list-cmds=main").split()
    for command in commands:
        words.update((command, "git-" + command))
    # Outside a repository some commands print nothing; their options come from the sources.
    for command in ask("--list-cmds=parseopt").split():
        words.update(w.rstrip("=") for w in ask(command, "--git-completion-helper-all").split()
                     if w.startswith("--"))
    for name in ask("help", "-c").split():
        if "." in name:
            words.add(config_name(name))


def main():
    words = set()
    for tree in sys.argv[1:]:
        of_sources(tree, words)
    of_program(words)
    words = {w for w in words if WORD.match(w) and 1 < len(w) <= 60
             and not w.startswith("--no-") and re.search("[A-Za-z]", w)
             and not (w.startswith("GIT_TEST_"))}
    # Words of two letters are as likely a user's as Git's.
    words = {w for w in words if len(w) > 2 or w in ("am", "gc", "mv", "rm", "p4")}
    words -= NAMES
    words.update(w.replace("\0", " ") for w in SYSTEM)
    words -= {"NULL"}
    print("""\
# SPDX-License-Identifier: MIT
# Git's own words, which redaction keeps: one per line, sorted by bytes. vocabulary.py makes this file
# from Git's sources; the build embeds it. In names of configuration variables, * is the subsection
# and letters are lower case.""")
    print("\n".join(sorted(words, key=lambda w: w.encode())))


if __name__ == "__main__":
    main()
