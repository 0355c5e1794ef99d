# SPDX-License-Identifier: BSD-3-Clause
"""every .c and .h is as clang-format leaves it"""
import os
import re

from tree import in_parallel, run

TOOL = '/usr/bin/clang-format'
STYLE = os.path.join(os.path.dirname(__file__), '..', '..', '.clang-format')


def check(tree):
    def judge(path):
        _, out = run([TOOL, '--style=file:' + STYLE, '--dry-run', tree.path(path)])
        places = re.findall(r':(\d+):\d+: warning: ', out)
        return [f'{path}:{places[0]}: not formatted; scripts/lint --fix format'] if places else []

    return sum(in_parallel(judge, tree.ending('.c', '.h')), [])


def fix(tree):
    in_parallel(lambda path: run([TOOL, '--style=file:' + STYLE, '-i', tree.path(path)]), tree.ending('.c', '.h'))


GOOD = {'a.c': 'int\nmain(void)\n{\n\treturn 0;\n}\n'}
BAD = {
    'spaces': {'a.c': 'int\nmain(void)\n{\n    return 0;\n}\n'},
    'return type': {'a.c': 'int main(void)\n{\n\treturn 0;\n}\n'},
    'header': {'a.h': 'int  x;\n'},
}
