# SPDX-License-Identifier: BSD-3-Clause
"""every header compiles alone"""
import os
import re

from tree import SOURCE_DIRS, flags, in_parallel, run


# Built in a directory of its own, by tests/fuzz/run; its headers are judged as if they stood beside another's.
ELSEWHERE, BESIDE = 'tests/fuzz/', 'lib/proto/eth.h'


def _neighbour(tree, path):
    """A compiled file from which to take a header's flags: beside it, or one that sees its directory."""
    folder = os.path.dirname(path)
    for source in sorted(tree.commands):
        if os.path.dirname(source) == folder:
            return source
    for source, (directory, args) in sorted(tree.commands.items()):
        for arg in args:
            if arg.startswith('-I') and os.path.normpath(os.path.join(directory, arg[2:])) == tree.path(folder):
                return source
    return None


def check(tree):
    def judge(path):
        source = _neighbour(tree, path)
        if source is None and path.startswith(ELSEWHERE):
            source = _neighbour(tree, BESIDE)
        if source is None:
            return [f'{path}:1: no program or library that is built uses its directory']
        directory, _ = command = tree.commands[source]
        status, out = run(['gcc', *flags(command), '-Werror', '-fsyntax-only', '-include', tree.path(path), '-x', 'c',
                           '/dev/null'], cwd=directory)
        errors = re.findall(r'\S+:\d+:\d+: (?:fatal )?error: .*', out)
        return [f'{path}: {(errors or [out])[0].replace(tree.root + "/", "")}'] if status else []

    return sum(in_parallel(judge, [p for p in tree.ending('.h') if p.startswith(SOURCE_DIRS)]), [])


GOOD = {
    'lib/a/a.c': '#include "a.h"\n', 'lib/a/a.h': '#include <stdint.h>\nuint32_t f(void);\n',
    'lib/b/b.c': '#include "b.h"\n', 'lib/b/b.h': '#include "a.h"\nstruct b;\n',
}
BAD = {
    'type not known': {'lib/a/a.h': 'uint32_t f(void);\n'},
    'after another': {'lib/a/a.c': '#include "a.h"\n#include "c.h"\n', 'lib/a/c.h': 'uint32_t g(void);\n'},
    'syntax': {'lib/b/b.h': 'struct b\n'},
}
