#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Test completions in the three shells, each on its own pseudo-terminal: type, press Tab, read the line.
A shell that is not installed is skipped by name.

    completions.py DIRECTORY-OF-COMPLETIONS"""
import os, pty, re, select, shlex, shutil, sys, tempfile, time

HERE = os.path.abspath(sys.argv[1])
# Text typed before Tab, and the resulting line; if a list: the words that are offered.
CASES = [
    ("trace2top --onc", "trace2top --once "),
    ("trace2top --theme=colour-blind-", "trace2top --theme=colour-blind-light "),
    ("trace2top --format=js", "trace2top --format=json "),
    ("trace2top --input-format=tr", "trace2top --input-format=tracelog "),
    ("trace2top --help=a", "trace2top --help=all "),
    ("trace2top --page=comm", "trace2top --page=commands "),
    ("trace2top --output=rep", "trace2top --output=report.txt "),
    ("trace2top -o rep", "trace2top -o report.txt "),
    ("trace2top --filter=worktr", "trace2top --filter=worktree"),
    ("trace2top --filter='name = fetch and worktr", "trace2top --filter='name = fetch and worktree"),
    ("trace2top --filter='state = fai", "trace2top --filter='state = failed"),
    ("trace2top --filter=state=fai", "trace2top --filter=state=failed"),
    ("trace2top af_unix:d", "trace2top af_unix:dgram:"),
    ("trace2top af_unix:dgram:sock", "trace2top af_unix:dgram:socket.d/"),
    ("trace2top trac", "trace2top traces.event "),
    ("trace2top -- known-comm", "trace2top -- known-command "),
    ("trace2top -- known-command rep", "trace2top -- known-command report.txt "),
]


class Shell:
    """A shell on a pseudo-terminal; its prompt is PROMPT>."""
    def __init__(self, argv, env, work):
        self.pid, self.fd = pty.fork()
        if not self.pid:
            os.chdir(work)
            os.execvpe(argv[0], argv, env)

    def read_until(self, done, seconds=120.0):
        text, end = "", time.monotonic() + seconds
        while not done(text):
            left = end - time.monotonic()
            if left <= 0 or not select.select([self.fd], [], [], left)[0]:
                return text
            try:
                piece = os.read(self.fd, 65536)
            except OSError:
                return text
            if not piece:
                return text
            text += piece.decode(errors="replace")
        return text

    def say(self, text):
        os.write(self.fd, text.encode())

    def close(self):
        os.close(self.fd)
        try:
            os.kill(self.pid, 9)
        except ProcessLookupError:
            pass
        os.waitpid(self.pid, 0)


def line_after(shell, typed, marker):
    """Send Tab and a key that writes the line into a file, whose name the shell then prints."""
    shell.say(typed + "\t" + "\x07")
    shown = shell.read_until(lambda text: marker in text)
    found = re.search(r"\[\[(.*?)\]\]", shown, re.S)
    return found.group(1) if found else "nothing: " + repr(shown[-300:])


def words(line):
    """A shell may change the quoting. Closes an open quote."""
    try:
        return shlex.split(line)
    except ValueError:
        return shlex.split(line + "'")


def bash(work, env):
    files = ["/usr/share/bash-completion/bash_completion", "/etc/bash_completion"]
    library = next((f for f in files if os.path.exists(f)), None)
    if not shutil.which("bash") or not library:
        return None
    start = os.path.join(work, "start.bash")
    with open(start, "w") as out:
        out.write(f"PS1='PROMPT> '\n. {library}\n. {HERE}/bash/trace2top\n"
                  "say() { printf '[[%s]]ENDS' \"$READLINE_LINE\"; READLINE_LINE=; READLINE_POINT=0; }\n"
                  "bind 'set bell-style none'\nbind -x '\"\\C-g\":say'\nbind 'set enable-bracketed-paste off'\n")
    return Shell(["bash", "--noprofile", "--rcfile", start, "-i"], env, work)


def zsh(work, env):
    if not shutil.which("zsh"):
        return None
    shutil.copy(f"{HERE}/zsh/_trace2top", os.path.join(work, "functions", "_trace2top"))
    with open(os.path.join(work, ".zshrc"), "w") as out:
        out.write("PS1='PROMPT> '\nunsetopt beep prompt_cr prompt_sp\nfpath=($PWD/functions $fpath)\n"
                  "autoload -Uz compinit\ncompinit -u -D\n"
                  "say() { print -rn -- \"[[$BUFFER]]ENDS\"; BUFFER=; }\nzle -N say\nbindkey '^G' say\n")
    return Shell(["zsh", "-i"], dict(env, ZDOTDIR=work), work)


def fish(work, env):
    if not shutil.which("fish"):
        return None
    start = os.path.join(work, "start.fish")
    with open(start, "w") as out:
        out.write(f"function fish_prompt; echo -n 'PROMPT> '; end\nsource {HERE}/fish/trace2top.fish\n"
                  "function say; printf '[[%s]]ENDS' (commandline); commandline ''; end\nbind \\cg say\n"
                  "set -g fish_autosuggestion_enabled 0\nset -g fish_greeting\n")
    return Shell(["fish", "-i", "-C", f"source {start}"], env, work)


def main():
    passed = failed = 0
    for make in (bash, zsh, fish):
        with tempfile.TemporaryDirectory() as work:
            for name in ("functions", "socket.d", "bin", "home"):
                os.mkdir(os.path.join(work, name))
            for name in ("report.txt", "traces.event"):
                open(os.path.join(work, name), "w").close()
            for name in ("known-command", "trace2top"):
                path = os.path.join(work, "bin", name)
                open(path, "w").write("#!/bin/sh\n")
                os.chmod(path, 0o755)
            env = {"PATH": os.path.join(work, "bin") + ":/usr/bin:/bin", "HOME": os.path.join(work, "home"),
                   "TERM": "xterm", "LC_ALL": "C.UTF-8", "COLUMNS": "200"}
            shell = make(work, env)
            if not shell:
                print(f"skipped: {make.__name__}")
                continue
            shell.read_until(lambda text: "PROMPT>" in text)
            for typed, wanted in CASES:
                line = line_after(shell, typed, "ENDS")
                if words(line) == words(wanted):
                    passed += 1
                else:
                    failed += 1
                    print(f"{make.__name__}: {typed!r}: {line!r}, not {wanted!r}")
            shell.close()
    print(f"{passed} passed, {failed} failed")
    return 77 if not passed and not failed else failed > 0


sys.exit(main())
