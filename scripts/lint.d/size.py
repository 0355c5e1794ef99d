# SPDX-License-Identifier: BSD-3-Clause
"""functions <= 60 lines, <= 6 parameters, <= 3 levels; files <= 600 lines"""
import ast
import re

MAX_LINES, MAX_PARAMS, MAX_LEVELS, MAX_FILE = 60, 6, 3, 600
CODE = ('.c', '.h', '.py', '.sh', 'meson.build')
GIVEN = ('ops_populate',)  # DPDK gives their parameters
REMARK = re.compile(r'\s*(/\*.*\*/|\\)\s*$')


def _functions(lines):
    """(first line, name, parameters, body) of each function of clang-format'ed C."""
    start = 0
    for i, line in enumerate(lines):
        if line == '' or line.startswith(('}', '#', '/*', ' */')) or line.endswith(';'):
            start = i + 1
        if line != '{':
            continue
        end = next((j for j in range(i, len(lines)) if lines[j] == '}'), len(lines) - 1)
        head = ' '.join(lines[start:i])
        name = re.search(r'(\w+)\s*\(', head)
        if name:
            yield i, name.group(1), head[name.end():head.rfind(')')], lines[i + 1:end]


def _levels(body):
    """The deepest nesting of blocks in a body."""
    depth = deepest = 0
    for line in body:
        depth -= line.lstrip('\t').startswith('}')
        depth += REMARK.sub('', line).endswith('{')
        deepest = max(deepest, depth)
    return deepest


def _count_params(text):
    flat = re.sub(r'\([^()]*\)', '', text)
    return 0 if flat.strip() in ('', 'void') else flat.count(',') + 1


def _check_c(tree, path):
    out = []
    for line, name, params, body in _functions(tree.text(path).split('\n')):
        for what, have, limit in (('lines', len(body), MAX_LINES), ('parameters', _count_params(params), MAX_PARAMS),
                                  ('levels of nesting', _levels(body), MAX_LEVELS)):
            if have > limit and not (what == 'parameters' and name in GIVEN):
                out.append(f'{path}:{line}: {name}() has {have} {what}; the limit is {limit}')
    return out


def _check_python(tree, path):
    try:
        nodes = ast.walk(ast.parse(tree.text(path)))
    except SyntaxError:
        return []  # the check "scripts" says so
    return [f'{path}:{f.lineno}: {f.name}() has {f.end_lineno - f.lineno + 1} lines; the limit is {MAX_LINES}'
            for f in nodes if isinstance(f, (ast.FunctionDef, ast.AsyncFunctionDef))
            and f.end_lineno - f.lineno + 1 > MAX_LINES]


def check(tree):
    python, shell = tree.python_files(), tree.shell_files()
    out = []
    for path in sorted({*tree.ending(*CODE), *python, *shell}):
        n_lines = len(tree.text(path).splitlines())
        if n_lines > MAX_FILE:
            out.append(f'{path}:{n_lines}: {n_lines} lines; the limit is {MAX_FILE}')
    for path in tree.ending('.c', '.h'):
        out += _check_c(tree, path)
    for path in python:
        out += _check_python(tree, path)
    return out


def _function(params, body):
    return f'static int\nf({params})\n{{\n{body}}}\n'


def _nest(levels):
    return ''.join('\t' * i + 'if (a) {\n' for i in range(1, levels + 1)) + \
        ''.join('\t' * i + '}\n' for i in range(levels, 0, -1))


_SIX = 'int a, int b, int (*c)(int, int), int d, int e, int f'
GOOD = {'a.c': 'struct s {\n\tint x;\n};\n\n' + _function(_SIX, '\treturn 0;\n' * MAX_LINES)
        + _function('void', _nest(MAX_LEVELS)), 'b.py': 'x = 1\n' * MAX_FILE}
BAD = {
    'long function': {'a.c': _function('void', '\treturn 0;\n' * (MAX_LINES + 1))},
    'long inline function': {'a.h': _function('void', '\treturn 0;\n' * (MAX_LINES + 1))},
    'parameters': {'a.c': _function(_SIX + ',\n\tint g', '\treturn 0;\n')},
    'nesting': {'a.c': _function('void', _nest(MAX_LEVELS + 1))},
    'long file': {'a.c': 'int x;\n' * (MAX_FILE + 1)},
    'long script': {'a': '#!/bin/sh\n' + 'true\n' * MAX_FILE},
    'long Python function': {'b.py': 'def f():\n' + '    print()\n' * MAX_LINES},
}
