# SPDX-License-Identifier: BSD-3-Clause
"""includes come from the own directory and the libraries in its deps"""
import os
import re

INCLUDE = re.compile(r'^\s*#\s*include\s*(["<])([^">]+)[">]')


def _allowed(tree, folder):
    """The directories whose headers a directory's files may include, by its meson.build."""
    build = folder + '/meson.build'
    text = tree.text(build) if build in tree.paths else ''
    names = set(re.findall(r"library_deps\['([^']+)'\]", text))
    for deps in re.findall(r'^deps\s*=\s*\[([^\]]*)\]', text, re.M):
        names |= set(re.findall(r"'([^']+)'", deps))
    drivers = {os.path.dirname(path) for path in tree.ending('/meson.build') if path.startswith('drivers/')
               for name in re.findall(r'^(\w+) = declare_dependency', tree.text(path), re.M)
               if re.search(rf'\b{name}\b', text)}
    return {folder} | {'lib/' + name for name in names} | drivers


def _check_file(tree, path, homes):
    folder = os.path.dirname(path)
    allowed = _allowed(tree, folder)
    out = []
    for number, line in tree.lines(path):
        match = INCLUDE.match(line)
        if not match:
            continue
        kind, name = match.groups()
        home = homes.get(name, set())
        where = f'{path}:{number}: {match.group(0).strip()}'
        if '..' in name.split('/'):
            out.append(f'{where}: leaves the directory; name the library in deps instead')
        elif kind == '<' and home:
            out.append(f'{where}: is our own header; use quotes')
        elif kind == '"' and not home and f'{folder}/{name}' not in tree.paths:
            out.append(f'{where}: is no header of this project; use <> for outside headers')
        elif kind == '"' and folder not in home and home and not home & allowed and not path.startswith('tests/'):
            out.append(f'{where}: {"/".join(sorted(home))} is not in the deps of {folder}/meson.build')
    return out


def check(tree):
    homes = {}  # header's name: the directories that have it
    for path in tree.ending('.h'):
        homes.setdefault(os.path.basename(path), set()).add(os.path.dirname(path))
    return sum((_check_file(tree, path, homes) for path in tree.ending('.c', '.h')), [])


GOOD = {
    'lib/low/meson.build': 'deps = []\n', 'lib/low/low.h': '#include <stdint.h>\n',
    'lib/mid/meson.build': "deps = ['low']\n", 'lib/mid/mid.h': '#include "low.h"\n', 'lib/mid/mid_priv.h': '',
    'lib/mid/mid.c': '#include "mid.h"\n#include "mid_priv.h"\n#include "low.h"\n',
    'lib/top/meson.build': "deps = ['mid']\n", 'lib/top/top.c': '#include "mid.h"\n',
    'drivers/d/meson.build': "d = declare_dependency(dependencies: library_deps['low'])\n", 'drivers/d/d.h': '',
    'drivers/d/d.c': '#include "low.h"\n',
    'app/a/meson.build': "x = [library_deps['mid'], d]\n", 'app/a/main.c': '#include "mid.h"\n#include "d.h"\n',
}
BAD = {
    'upwards': {'lib/low/low.c': '#include "mid.h"\n'},
    'not named, though below': {'lib/top/top.c': '#include "low.h"\n'},
    'dot dot': {'lib/mid/mid.c': '#include "../low/low.h"\n'},
    'angle brackets': {'lib/low/low.c': '#include <mid.h>\n'},
    'in a header': {'lib/low/low.h': '#include "mid.h"\n'},
    'driver': {'drivers/d/d.c': '#include "mid.h"\n'},
    'program': {'app/a/main.c': '#include "low.h"\n'},
    'driver not named': {'lib/mid/mid.c': '#include "d.h"\n'},
    'outside header in quotes': {'lib/low/low.c': '#include "rte_mbuf.h"\n'},
}
