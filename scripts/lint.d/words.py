# SPDX-License-Identifier: BSD-3-Clause
"""no path of one machine, nothing killed by name, nothing left to do"""
import re

RULES = [
    (re.compile(r'(?<![\w.$}~-])/(work|root|home)/'), 'path of one machine'),
    (re.compile(r'\b(pkill|killall)\b'), 'kills by name; keep the pid'),
    (re.compile(r'\b(TODO|FIXME|XXX)\b'), 'unfinished'),
]
OWN = 'scripts/lint.d/words.py'  # has to name what it forbids


def check(tree):
    return [f'{path}:{number}: {why}: {match.group()}' for path in tree.texts() if path != OWN
            for number, line in tree.lines(path) for rule, why in RULES if (match := rule.search(line))]


GOOD = {'a.c': '/* a homework/x, $HOME/y, src/root/z, workaround */\n', 'b.sh': 'kill "$pid"\n'}
BAD = {
    'path': {'a.c': '#include "/home/me/x.h"\n'},
    'path in a script': {'b.sh': 'cd /root/magpie\n'},
    'kill': {'b.sh': 'pkill magpie\n'},
    'unfinished': {'a.md': 'TODO: more\n'},
}
