# SPDX-License-Identifier: BSD-3-Clause
"""nothing the walk can call allocates, logs, locks or makes a system call

Compiles lib/ and drivers/ without inlining, every function and table in a section of
its own, and follows the relocations from the roots: so it sees what is called by
whom, through macros and DPDK's inline functions too. A call through a pointer is
followed when the table it comes from is one of ours; a PMD's is not.
"""
import collections
import os
import re
import tempfile

from tree import flags, in_parallel, run

# Where packets enter our code: {directory: functions, or all that are not static}.
ROOTS = {'lib/dp': ['worker_turn'], 'lib/proto': ['*'], 'drivers/mempool/magazine': ['ops_enqueue', 'ops_dequeue']}

# Off the path by design: entered once in a magazine's worth of packets, when another lcore starves, and while a pool is
# filled; and the end of the program.
SLOW = {'magazine_get_slow', 'magazine_put_slow', 'magazine_give_up', 'magazine_pool_seed', 'skb_panic'}

# All that the walk may use from outside.
OUTSIDE = re.compile(r'''^(
    mem(cpy|move|set|cmp) | __stack_chk_fail | __tls_get_addr | _GLOBAL_OFFSET_TABLE_
  | per_lcore__lcore_id | rte_cycles_vmware_tsc_map                # lcore number, TSC
  | rte_eth_fp_ops | rte_eth_call_[rt]x_callbacks                  # rx_burst, tx_burst
  | rte_eth_tx_done_cleanup                                        # the driver's own, like tx_burst
  | __rte_(ethdev|eth|mempool)_trace_\w+ | per_lcore_trace_\w+ | __rte_trace_\w+   # compiled out
  | __rte_panic                                                    # RTE_VERIFY: the end anyway
  | rte_mempool_ops_table | rte_pktmbuf_free_bulk | __rte_pktmbuf_\w+
  | rte_pktmbuf_copy | rte_ipv4_fragment_packet                     # buffers from a mempool
  | rte_fib6?_lookup_bulk | rte_fib6?_get_dp | rte_net_\w+
)$''', re.X)

# Inline in DPDK's headers, so no symbol from outside.
FORBIDDEN = re.compile(r'^rte_(spinlock|ticketlock|rwlock|mcslock|seqlock_write)\w*_(lock|tm)$|^rte_delay_')

FLAGS = ['-O0', '-DNDEBUG', '-fno-inline', '-ffunction-sections', '-fdata-sections', '-fno-lto', '-fno-stack-protector',
         '-U_FORTIFY_SOURCE', '-fno-sanitize=all', '-fno-builtin-printf']


class Calls:
    """Who refers to whom; a name that is static in its file is 'file:name'."""

    def __init__(self):
        self.refers = collections.defaultdict(set)
        self.exported = collections.defaultdict(list)  # directory: functions
        self.defined = set()

    def add(self, path, listing):
        """Takes in what objdump -tr printed of one object."""
        symbols, at, own = {}, None, {}
        for line in listing.splitlines():
            symbol = re.match(r'^[0-9a-f]{16} (.)(.{6}) (\S+)\t[0-9a-f]+ +(?:\.hidden )?(\S+)$', line)
            if symbol:
                bind, kind, section, name = symbol.groups()
                if section.startswith(('.text', '.data', '.rodata', '.bss')) and 'd' not in kind:
                    full = name if bind in 'gu' or 'w' in kind else f'{path}:{name}'
                    own[name] = symbols[section] = full
                    self.defined.add(full)
                    if bind == 'g' and 'F' in kind:
                        self.exported[os.path.dirname(path)].append(full)
                continue
            where = re.match(r'^RELOCATION RECORDS FOR \[(\S+)\]', line)
            if where:
                at = symbols.get(where.group(1))
                continue
            target = re.match(r'^[0-9a-f]{16} R_\S+ +([^+\s-]\S*?)([+-]0x[0-9a-f]+)?$', line)
            if target and at:
                name = target.group(1)
                self.refers[at].add(symbols.get(name) or own.get(name) or name)

    def paths_from(self, roots):
        """Every name that can be reached: {name: the name that led to it}."""
        came, queue = {root: None for root in roots}, collections.deque(roots)
        while queue:
            name = queue.popleft()
            for target in sorted(self.refers[name] - came.keys()):
                came[target] = name
                if target not in SLOW:
                    queue.append(target)
        return came


def _compile(tree, path, folder):
    directory, _ = command = tree.commands[path]
    out = os.path.join(folder, path.replace('/', '+') + '.o')
    status, said = run(['gcc', *flags(command), *FLAGS, '-w', '-c', tree.path(path), '-o', out], cwd=directory)
    return (out, '') if status == 0 else (None, said)


def _calls(tree):
    """The calls of everything in lib/ and drivers/, and findings about what did not compile."""
    calls, out = Calls(), []
    paths = [path for path in sorted(tree.commands) if path.startswith(('lib/', 'drivers/'))]
    with tempfile.TemporaryDirectory(prefix='magpie-lint.') as folder:
        built = in_parallel(lambda path: _compile(tree, path, folder), paths)
        for path, (built_as, said) in zip(paths, built):
            if built_as is None:
                out.append(f'{path}: does not compile: {said.splitlines()[0]}')
            else:
                calls.add(path, run(['objdump', '-tr', built_as])[1])
    return calls, out


def _roots(calls):
    """The roots' names, and a finding for each that is not there."""
    names, out = [], []
    for folder, wanted in ROOTS.items():
        if wanted == ['*']:
            names += calls.exported[folder]
            continue
        for name in wanted:
            found = [d for d in calls.defined if d == name or d.startswith(folder + '/') and d.endswith(':' + name)]
            names += found
            if not found:
                out.append(f'{folder}: has no {name}(), where packets enter; see ROOTS in scripts/lint.d/walk.py')
    return names, out


def check(tree):
    calls, out = _calls(tree)
    roots, missing = _roots(calls)
    came = calls.paths_from(roots)
    for name in sorted(came):
        plain = name.rpartition(':')[2]
        if plain.startswith('.') or not FORBIDDEN.search(plain) and (name in calls.defined or OUTSIDE.search(name)):
            continue
        chain = [plain]
        while (name := came[name]) is not None:
            chain.append(name.rpartition(':')[2])
        out.append(' <- '.join(chain))
    return out + missing


_TURN = 'void worker_turn(void)\n{\n\tstage();\n}\n'
GOOD = {
    'lib/dp/dp.c': '#include <string.h>\nextern char a[9], b[9];\nchar a[9], b[9];\nvoid magazine_get_slow(void);\n'
                   'static void stage(void)\n{\n\tmemcpy(a, b, 9);\n\tmagazine_get_slow();\n}\n' + _TURN,
    'lib/dp/start.c': '#include <stdlib.h>\nvoid *start(void);\nvoid *start(void)\n{\n\treturn malloc(1);\n}\n',
    'lib/magazine/slow.c': '#include <pthread.h>\nstatic pthread_mutex_t m;\nvoid magazine_get_slow(void)\n{\n'
                           '\tpthread_mutex_lock(&m);\n}\n',
    'drivers/mempool/magazine/ops.c': 'static void ops_enqueue(void)\n{\n}\nstatic void ops_dequeue(void)\n{\n}\n'
                                      'void (*const ops[])(void) = {ops_enqueue, ops_dequeue};\n',
}


def _stage(includes, call):
    return {'lib/dp/dp.c': f'{includes}\nstatic void stage(void)\n{{\n\t{call};\n}}\n' + _TURN}


BAD = {
    'malloc': _stage('#include <stdlib.h>\nvoid *p;', 'p = malloc(8)'),
    'printf': _stage('#include <stdio.h>', 'printf("packet\\n")'),
    'system call': _stage('#include <unistd.h>', 'usleep(1)'),
    'in another file': _stage('void *start(void);', 'start()'),
    'through a table': _stage('void *start(void);\nstatic void *(*const t[])(void) = {start};\nint i;', 't[i]()'),
    'inline lock': _stage('static inline void rte_spinlock_lock(int *l)\n{\n\t*l = 1;\n}\nint l;', 'rte_spinlock_lock(&l)'),
    'in proto': {'lib/proto/p.c': '#include <stdio.h>\nvoid parse(void)\n{\n\tputs("x");\n}\n'},
    'in the mempool ops': {'drivers/mempool/magazine/ops.c': '#include <stdlib.h>\nvoid ops_enqueue(void *p)\n{\n\tfree(p);\n'
                                                            '}\nvoid ops_dequeue(void)\n{\n}\n'},
    'renamed root': {'lib/dp/dp.c': 'void worker_round(void)\n{\n}\n'},
}
