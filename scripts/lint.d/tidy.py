# SPDX-License-Identifier: BSD-3-Clause
"""clang-tidy has nothing to say of app/, drivers/ and lib/ (.clang-tidy is the set, but for its analyzer)

A second a file goes into DPDK's headers, so tests/ has to do with the warnings of two compilers.
"""
import os
import re

from tree import flags, in_parallel, run

TOOL = '/usr/bin/clang-tidy'
CONFIG = os.path.realpath(os.path.join(os.path.dirname(__file__), '..', '..', '.clang-tidy'))
FINDING = re.compile(r'^(\S+:\d+):\d+: (?:warning|error): (.*)$', re.M)


def findings(tree, checks, more=()):
    """What clang-tidy says with these checks beside the set, and with more arguments for the compiler."""
    def judge(path):
        directory, _ = command = tree.commands[path]
        _, out = run([TOOL, '--quiet', '--config-file=' + CONFIG, '--checks=' + checks, '--header-filter=^' + re.escape(tree.root) + '/',
                      tree.path(path), '--', *flags(command), *more, '-Wno-unknown-warning-option'],
                     cwd=directory)
        return [f'{os.path.relpath(os.path.join(directory, where), tree.root)}: {what}'
                for where, what in FINDING.findall(out)]

    paths = sorted(path for path in tree.commands if path.startswith(('app/', 'drivers/', 'lib/')))
    found = sum(in_parallel(judge, paths), [])
    return list(dict.fromkeys(found))  # a header's finding comes once from each file


def check(tree):
    return findings(tree, '-clang-analyzer-*')


_F = 'int f(int a, int *p);\nint\nf(int a, int *p)\n{\n\t%s\n}\n'
GOOD = {'lib/a/a.c': _F % 'return a + *p;'}
BAD = {
    'assignment for comparison': {'lib/a/a.c': _F % 'if (a = 1)\n\t\treturn 1;\n\treturn *p;'},
    'sizeof of a pointer': {'lib/a/a.c': '#include <string.h>\n' + _F % 'memset(p, 0, sizeof(p));\n\treturn a;'},
    'header': {'lib/a/a.h': '#define TWICE(x) x * 2\n', 'lib/a/a.c': '#include "a.h"\n' + _F % 'return a + *p;'},
    'warning': {'lib/a/a.c': _F % 'int *q = a;\n\n\treturn *q + *p;'},
}
