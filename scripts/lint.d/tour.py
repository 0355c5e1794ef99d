# SPDX-License-Identifier: BSD-3-Clause
"""every `file:function` that doc/tour.md names exists"""
import re

TOUR = 'doc/tour.md'
PAIR = re.compile(r'`([\w-]*[./][\w./-]*):([A-Za-z_]\w*)(?:\(\))?`')


def _defines(text, name):
    """Whether a file's text has a function, type or macro of that name; no mere call or mention."""
    return re.search(rf'^{name}\(|^(struct|enum) {name} {{|^#define {name}\b|^{name}\(\) {{|^ *def {name}\(', text, re.M)


def pairs_missing(tree, page):
    """What page names as `file:function` and is not there."""
    out = []
    for number, line in tree.lines(page):
        for path, name in PAIR.findall(line):
            if path not in tree.paths:
                out.append(f'{page}:{number}: there is no file {path}')
            elif not _defines(tree.text(path), name):
                out.append(f'{page}:{number}: {path} does not define {name}')
    return out


def check(tree):
    if TOUR not in tree.paths:
        return []
    if not any(PAIR.search(line) for _, line in tree.lines(TOUR)):
        return [f'{TOUR}:1: names no `file:function`']
    return pairs_missing(tree, TOUR)


GOOD = {TOUR: 'From `lib/a.c:first` to `lib/a.c:second()`.\n',
        'lib/a.c': 'int\nfirst(void)\n{\n}\n\nstatic int\nsecond(void)\n{\n\tthird();\n}\n'}
BAD = {
    'no such file': {TOUR: '`lib/b.c:first`\n'},
    'only called there': {TOUR: '`lib/a.c:third`\n'},
    'no pair': {TOUR: 'A packet comes in.\n'},
}
