#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""words.py [-a] [ROOT]: print phrases of words.list in comments, strings and documents.

Checks the files and folders that words.list names; with -a also engine, monitor, views and tests,
to see which folders are clean. Each hit is printed as FILE:LINE with the phrase and the advice.
Exits with status 1 if there is one.

Text is: comments and strings of C files, comments of scripts and make files, docstrings of Python,
documents and manual pages without their code blocks and code spans.
"""
import os
import re
import sys

ALLOWED = 'words: ok'
C_TEXT = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"', re.S)
PYTHON_TEXT = re.compile(r'"""(.*?)"""', re.S)
SCRIPT_COMMENT = re.compile(r'(?:^|\s)(?:#(?!!)|dnl)\s?(.*)')
C_SUFFIXES = ('.c', '.h', '.def', '.cpp', '.hpp')
DOCUMENT_SUFFIXES = ('.md', '.1.in', '.5.in', '.7.in', '.3', '.5', '.7')
SCRIPT_SUFFIXES = ('.sh', '.py', '.am', '.mk', '.ac', '.awk')


def strip_c(text):
    """Without comment marks, line by line, so that line numbers stay correct."""
    return re.sub(r'^[ \t]*\*(?!/)|/\*|\*/|//|^"|"$', ' ', text, flags=re.M)


def paragraphs(lines):
    """(line, text) of each run of lines; None ends a run."""
    run = []
    for number, line in enumerate([*lines, None], 1):
        if line is None:
            if run:
                yield number - len(run), '\n'.join(run)
            run = []
        else:
            run.append(line)


def document_lines(text):
    code = False
    for line in text.split('\n'):
        if line.startswith('```') or line in ('.nf', '.EX', '.fi', '.EE'):
            code = line in ('.nf', '.EX') or (line.startswith('```') and not code)
            yield None
        elif code or not line.strip() or line.startswith(('    ', '.TH', '.SH', '.\\"', '|--', '| --')):
            yield None
        else:
            line = re.sub(r'`[^`]*`', lambda m: 'x' * len(m.group(0)), line)
            yield re.sub(r'^\.[A-Z]+ |\\f.|\\', '', line)


def script_lines(text):
    for line in text.split('\n'):
        m = SCRIPT_COMMENT.search(line)
        yield m.group(1) if m else None


def prose(path, text):
    """(line, text) of each piece of text that people read."""
    if path.endswith(C_SUFFIXES):
        for m in C_TEXT.finditer(text):
            yield text.count('\n', 0, m.start()) + 1, strip_c(m.group(0))
    elif path.endswith(DOCUMENT_SUFFIXES):
        yield from paragraphs(document_lines(text))
    else:
        yield from paragraphs(script_lines(text))
        if path.endswith('.py'):
            for m in PYTHON_TEXT.finditer(text):
                yield text.count('\n', 0, m.start()) + 1, m.group(1)


def is_text(path):
    name = os.path.basename(path)
    return path.endswith(C_SUFFIXES + DOCUMENT_SUFFIXES + SCRIPT_SUFFIXES) or '.' not in name


def load(path):
    paths, rules = [], []
    for line in open(path, encoding='utf-8').read().split('\n'):
        if not line or line.startswith('#'):
            continue
        if ' -> ' not in line:
            paths.append(line)
            continue
        pattern, advice = line.split(' -> ')
        if pattern.startswith('^'):
            pattern = r'(?:\A|[.;:]\s)\s*' + pattern[1:]
        pattern = pattern.replace(' ', r'\s+')
        rules.append((re.compile(pattern, re.I), advice))
    return paths, rules


def files(root, paths):
    for path in paths:
        full = os.path.join(root, path)
        if not os.path.exists(full):
            sys.exit(f'tests/words.list: {path}: no such file or folder')
        if not os.path.isdir(full):
            yield path
        for folder, subfolders, names in os.walk(full):
            subfolders.sort()
            for name in sorted(names):
                yield os.path.relpath(os.path.join(folder, name), root)


def check(root, path, rules):
    """Print the hits of a file and return their number."""
    try:
        text = open(os.path.join(root, path), encoding='utf-8').read()
    except UnicodeDecodeError:
        return 0
    if '\0' in text:
        return 0
    lines = ['', *text.split('\n')]
    hits = 0
    for first, piece in prose(path, text):
        for rule, advice in rules:
            for m in rule.finditer(piece):
                phrase = m.group(0)
                start = m.start() + len(phrase) - len(phrase.lstrip('.;: \t\n'))
                line = first + piece.count('\n', 0, start)
                last = first + piece.count('\n', 0, m.end())
                if any(ALLOWED in near for near in lines[line - 1:last + 1]):
                    continue
                print(f'{path}:{line}: "{" ".join(phrase.split())}": {advice}')
                hits += 1
    return hits


def main():
    args = [arg for arg in sys.argv[1:] if arg != '-a']
    root = args[0] if args else os.path.join(os.path.dirname(__file__), '..')
    paths, rules = load(os.path.join(root, 'tests', 'words.list'))
    if '-a' in sys.argv[1:]:
        paths = sorted({*paths, 'engine', 'monitor', 'views', 'tests'})
    return any([check(root, path, rules) for path in files(root, paths) if is_text(path)])


if __name__ == '__main__':
    sys.exit(main())
