#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""same_code.py [FROM [TO]]: check that only comments changed between two revisions.

Compares the code of every changed C, shell, Python and make file without its comments and blank
space. FROM defaults to HEAD, TO to the work tree. Prints each file whose code differs, with the
first difference, and exits with status 1 if there is one. Other files, such as documents, are
listed as "not compared" and do not change the status.
"""
import io
import os
import re
import subprocess
import sys
import tokenize

C_TOKEN = re.compile(
    r'(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<string>"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\')'
    r'|(?P<space>\s+)|(?P<word>\w+)|(?P<other>.)', re.S)


def c_code(text):
    text = text.replace('\\\n', ' ')
    return [m.group(0) for m in C_TOKEN.finditer(text) if m.lastgroup not in ('comment', 'space')]


def python_code(text):
    skip = (tokenize.COMMENT, tokenize.NL)
    code, first = [], True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in skip:
            continue
        # A string that is a statement of its own is a docstring.
        if token.type == tokenize.STRING and first:
            continue
        first = token.type in (tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)
        code.append((token.type, token.string))
    return code


def hash_code(text):
    """Shell, awk, make: drop comment lines, and ` # ...` after code without quotes."""
    code = []
    for number, line in enumerate(text.split('\n')):
        if number == 0 and line.startswith('#!'):
            code.append(line)
            continue
        line = re.sub(r'(^|\s)#(?!!).*$', '', line) if not re.search(r'["\'`$]', line) else line
        line = '' if line.lstrip().startswith('#') else line.strip()
        if line:
            code.append(line)
    return code


def code_of(path, text):
    if path.endswith(('.c', '.h', '.def', '.hpp', '.cpp')):
        return c_code(text)
    if path.endswith('.py'):
        return python_code(text)
    if path.endswith(('.sh', '.am', '.mk', '.ac', '.awk')) or text.startswith('#!'):
        return hash_code(text)
    return None


def git(*args):
    return subprocess.run(['git', *args], capture_output=True, text=True, check=True).stdout


def content(revision, path):
    if revision is None:
        with open(path, encoding='utf-8') as file:
            return file.read()
    return git('show', f'{revision}:{path}')


def main():
    before = sys.argv[1] if len(sys.argv) > 1 else 'HEAD'
    after = sys.argv[2] if len(sys.argv) > 2 else None
    os.chdir(git('rev-parse', '--show-toplevel').strip())
    changed = git('diff', '--name-status', '--no-renames', before, *([after] if after else []))
    status = compared = 0
    for line in changed.splitlines():
        kind, path = line.split('\t', 1)
        try:
            codes = [code_of(path, content(r, path)) if kind == 'M' else None for r in (before, after)]
        except UnicodeDecodeError:
            codes = [None]
        if codes[0] is None:
            print(f'{path}: not compared')
            continue
        compared += 1
        if codes[0] != codes[1]:
            status = 1
            at = next((i for i, (a, b) in enumerate(zip(*codes)) if a != b), min(map(len, codes)))
            near = [' '.join(map(str, c[max(0, at - 5):at + 6])) for c in codes]
            print(f'{path}: code differs\n  before: {near[0]}\n  after:  {near[1]}')
    print(f'{compared} files compared: ' + ('the code differs' if status else 'only comments changed'))
    return status


sys.exit(main())
