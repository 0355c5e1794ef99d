# SPDX-License-Identifier: BSD-3-Clause
"""every vector and `file:function` that doc/router.md names as a proof exists"""
import re

import tour

PAGE = 'doc/router.md'
VECTORS = ('tests/vectors/published.tsv', 'tests/vectors/own.tsv')
ID = re.compile(r'`((?:rfc\d|v[46]-|ck-|arp-|n[sa]-|noerr-|echo-|icmperr-|udp-|ping6-)[\w.*-]*)`')


def _ids(tree):
    return [line.split('\t')[0] for path in VECTORS if path in tree.paths
            for _, line in tree.lines(path) if line.strip() and not line.startswith('#')]


def check(tree):
    if PAGE not in tree.paths:
        return []
    out, ids, seen = tour.pairs_missing(tree, PAGE), _ids(tree), 0
    for number, line in tree.lines(PAGE):
        for name in ID.findall(line):
            seen += 1
            stem = name.rstrip('*')
            if not any(i.startswith(stem) if name != stem else i == name for i in ids):
                out.append(f'{PAGE}:{number}: there is no vector {name}')
    return out if seen else [f'{PAGE}:1: names no vector']


GOOD = {PAGE: '| rule | `rfc1-*`, `v4-ok` | `lib/a.c:first` |\n', 'lib/a.c': 'int\nfirst(void)\n{\n}\n',
        VECTORS[0]: '#id\nv4-ok\tFWD\n', VECTORS[1]: 'rfc1-2-x\tDROP\n'}
BAD = {
    'no such vector': {PAGE: '`v4-ok`\n', VECTORS[0]: 'v4-okay\tFWD\n'},
    'none that begins so': {PAGE: '`rfc1-*`\n', VECTORS[1]: 'rfc2-1\tFWD\n'},
    'no such function': {PAGE: '`v4-ok` `lib/a.c:first`\n', VECTORS[0]: 'v4-ok\tFWD\n', 'lib/a.c': '\n'},
    'no vector': {PAGE: 'A rule.\n'},
}
