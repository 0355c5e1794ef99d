# SPDX-License-Identifier: BSD-3-Clause
"""shell scripts pass bash -n and shellcheck, Python files compile"""
from tree import in_parallel, run


def _shell(tree, path):
    status, out = run(['/bin/bash', '-n', tree.path(path)])
    if status == 0:
        status, out = run(['/usr/bin/shellcheck', '-x', '-f', 'gcc', tree.path(path)])
    return [line.replace(tree.root + '/', '') for line in out.splitlines()] if status else []


def _python(tree, path):
    try:
        compile(tree.text(path), path, 'exec')
    except SyntaxError as error:
        return [f'{path}:{error.lineno}: {error.msg}']
    return []


def check(tree):
    return (sum(in_parallel(lambda path: _shell(tree, path), tree.shell_files()), [])
            + sum((_python(tree, path) for path in tree.python_files()), []))


GOOD = {'a': '#!/bin/bash\nrm -- "$1"\n', 'b.py': 'print(1)\n', 'c': '#!/usr/bin/python3\nprint(2)\n'}
BAD = {
    'syntax': {'a': '#!/bin/bash\nif true; then\n'},
    'unquoted': {'a.sh': '#!/bin/sh\nrm -r $1/*\n'},
    'python': {'b.py': 'def f(:\n'},
    'python script': {'c': '#!/usr/bin/python3\nprint(\n'},
}
