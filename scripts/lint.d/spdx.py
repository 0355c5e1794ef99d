# SPDX-License-Identifier: BSD-3-Clause
"""every file says its licence in the first two lines"""
LINE = 'SPDX-License-Identifier: BSD-3-Clause'
# Without a comment syntax, or prose under LICENSE.
EXEMPT = ('LICENSE', 'VERSION', '.gitignore', '.md', '.json', '.txt', '.svg')


def check(tree):
    return [f'{path}:1: wants "{LINE}" in a comment' for path in tree.texts()
            if not path.endswith(EXEMPT) and LINE not in '\n'.join(tree.text(path).split('\n')[:2])]


GOOD = {'a.c': f'/* {LINE} */\n', 'run': f'#!/bin/sh\n# {LINE}\n', 'README.md': '# Readme\n'}
BAD = {
    'none': {'b.h': '#define B 1\n'},
    'too late': {'b.c': f'\n\n/* {LINE} */\n'},
    'another licence': {'b.c': '/* SPDX-License-Identifier: GPL-2.0 */\n'},
    'script': {'b': '#!/bin/sh\necho\n'},
    'meson': {'meson.build': "project('x')\n"},
}
