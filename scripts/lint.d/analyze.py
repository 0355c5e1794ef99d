# SPDX-License-Identifier: BSD-3-Clause
"""clang's analyzer has nothing to say of app/, drivers/ and lib/

It takes twice as long as all the rest of clang-tidy, so scripts/test leaves it out. It gets a third of its usual number of steps
in a function: as many as its shallow mode has, but deep; most of its time went into the other two.
"""
import tidy

LESS = ['-Xclang', '-analyzer-config', '-Xclang', 'max-nodes=75000']


def check(tree):
    return tidy.findings(tree, '-bugprone-*,-misc-*,-readability-*,-cert-*', LESS)


GOOD = tidy.GOOD
BAD = {
    'null pointer': {'lib/a/a.c': tidy._F % 'if (p == 0)\n\t\treturn *p;\n\treturn a;'},
    'garbage': {'lib/a/a.c': tidy._F % 'int b[2];\n\n\tb[0] = a;\n\treturn b[1] + *p;'},
}
