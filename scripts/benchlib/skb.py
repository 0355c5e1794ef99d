# SPDX-License-Identifier: BSD-3-Clause
"""bench skb: what Magpie's packet descriptors cost per packet, and the ideas that did not make it, by skbbench.

Groups of arms that differ in one thing. An arm is compared with the one of its group that ships, or else with the plainest: a
ratio is taken within a round, between arms that were measured one after the other. Nothing is built.
"""
import json
import os
import sys
import time

from . import machine, rounds
from .pool_table import quartiles
from .process import Failure, Process, Workspace

QUICK = {'rounds': 3, 'window': 5}
FULL = {'rounds': 15, 'window': 20}
MOVED = 2.0  # a cache line takes so many times as long as a moment ago: the host has moved a CPU

# What is compared, by the first word of the group's name.
GROUPS = {
    'release': 'build, then head and buffer back in a burst, as at transmit; ringN: the buffer was posted N packets ago',
    'consume': 'build, then consumed packet by packet',
    'verb': 'one verb and what undoes it, packets in one segment, all in the L1 cache',
    'chain': 'a packet in 3 segments of 64 bytes made, given to the verb, consumed',
    'owner': 'charged and released; N owners in random order, one for each burst or for each packet; one lcore',
    'owner2': 'the same on two lcores: send builds and charges, complete puts the buffers back',
    'bulk': 'heads got and put so many at once',
    'loops': 'heads got and initialised in one call, in two, or packet by packet',
    'prefetch': 'heads fetched for writing so many ahead; cold: heads that were put 16384 packets ago',
    'clear': 'how a head is cleared; cold: as above',
    'reuse': 'which head is got: the last that was put, one from a whole magazine, the one put longest ago',
    'place': 'where the head is initialised; a ring of 1024',
    'remote': 'two lcores, heads built before the hand-over or behind it',
}


def find_skbbench(build):
    path = os.path.join(build, 'tests', 'bench', 'skb', 'skbbench')
    if not os.access(path, os.X_OK):
        raise Failure(f'no {path}; build it: meson setup {build} && ninja -C {build}')
    return path


class SkbBench:
    """How skbbench is started."""

    def __init__(self, args):
        self._args = args
        self._program = find_skbbench(args.build)
        self._cpus = machine.Cpus()
        self._memory = machine.Memory(1, args.no_huge)

    def facts(self):
        second = f', lcore 1 on CPU {self._cpus.generator}'
        return {
            **machine.describe(self._memory),
            'placement': f'lcore 0 on CPU {self._cpus.forwarder}'
                         + ('; arms on two lcores are left out' if self._cpus.shared else second),
            'packets': 'bursts of 32, frames of 60 bytes, buffers from the magazine mempool without a cache in front',
            'measured': f'TSC cycles per packet: {self._args.rounds} rounds x {self._args.window} ms after half of that, '
                        'arms interleaved; of the turns in a round the slowest tenth is left out',
        }

    def _argv(self, prefix, path):
        lcores = f'0@{self._cpus.forwarder}' + ('' if self._cpus.shared else f',1@{self._cpus.generator}')
        only = ['--only', ','.join(self._args.only)] if self._args.only else []
        return [self._program, f'--lcores={lcores}', '--no-pci', '--no-telemetry', '--log-level=lib.eal:error',
                f'--file-prefix={prefix}', *self._memory.eal, '--', '--rounds', str(self._args.rounds),
                '--window', str(self._args.window * 1000), '--json', path, *only]

    def measure(self):
        """skbbench's report."""
        with Workspace() as workspace:
            path = workspace.file('report.json')
            with Process(self._argv(workspace.prefix('skbbench'), path), workspace.file('skbbench.log')) as process:
                while process.status is None:
                    text = process.text()
                    rounds.progress('skbbench' + (': ' + text.splitlines()[-1] if text else ''))
                    time.sleep(0.2)
                rounds.progress('')
                if process.status != 0:
                    raise Failure(f'skbbench ended with status {process.status}:\n{process.last_lines()}')
            with open(path, encoding='utf-8') as file:
                return json.load(file)


def steady(*pairs):
    """Whether the two lcores were equally near to each other in all these moments."""
    values = [value for pair in pairs for value in pair]
    return not values or max(values) < MOVED * min(values)


def ratios(result, reference):
    """Per round: this arm's cycles over the reference's; rounds in which the lcores moved are left out."""
    none = [()] * len(result['samples'])
    return [mine / other for mine, other, here, there
            in zip(result['samples'], reference['samples'], result.get('latency_ns', none),
                   reference.get('latency_ns', none))
            if other > 0 and steady(here, there)]


def _spread(values, digits):
    if not values:
        return '-'
    q1, middle, q3 = quartiles(values)
    return f'{middle:.{digits}f} ({q1:.{digits}f}..{q3:.{digits}f})'


def group_names(results):
    return list(dict.fromkeys(result['group'] for result in results))


def group_table(results, group):
    """Head and rows of one group: an arm a row, two columns a metric. The reference is marked with a star."""
    mine = [result for result in results if result['group'] == group]
    metrics = list(dict.fromkeys(result['metric'] for result in mine))
    cells = {(result['arm'], result['metric']): result for result in mine}
    references = [result['arm'] for result in mine if result['reference']]
    reference = references[0] if references else None
    head, rows = [group], []
    for metric in metrics:
        head += [f'{metric or "cycles"} (quartiles)', f'x {reference} (quartiles)' if reference else '-']
    for arm in dict.fromkeys(result['arm'] for result in mine):
        row = [arm + ('*' if arm == reference else '')]
        for metric in metrics:
            result = cells[arm, metric]
            base = cells.get((reference, metric))
            row += [_spread(result['samples'], 1), _spread(ratios(result, base), 2) if base else '-']
        rows.append(row)
    return head, rows


def print_tables(results):
    explained = None
    for group in group_names(results):
        word = group.split('/')[0]
        print('\n' + (f'  {word}: {GROUPS[word]}\n' if word != explained else ''), end='')
        explained = word
        rounds.print_table(*group_table(results, group))


def surroundings(report):
    """What is known only afterwards."""
    latencies = [ns for result in report['results'] for pair in result.get('latency_ns', []) for ns in pair]
    facts = {'compiler': report['compiler'], 'dpdk': report['dpdk'], 'TSC': f'{report["tsc_mhz"]:.0f} MHz',
             'load average': ', '.join(report['load_average'])}
    if latencies:
        q1, middle, q3 = quartiles(latencies)
        facts['core to core, one way'] = (f'{middle:.0f} ns ({q1:.0f}..{q3:.0f}), from {min(latencies):.0f} to '
                                          f'{max(latencies):.0f}, around each sample on two lcores')
    return facts


def markdown(results, facts):
    """All tables, ready for a page."""
    lines = []
    for group in group_names(results):
        head, rows = group_table(results, group)
        lines += ['| ' + ' | '.join(row) + ' |' for row in (head, ['---'] * len(head), *rows)] + ['']
    lines += [f'- {name}: {value}' for name, value in facts.items()]
    return '\n'.join(lines) + '\n'


def write_markdown(path, results, facts):
    if path is None:
        return
    try:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(markdown(results, facts))
    except OSError as error:
        raise Failure(f'--markdown {path}: {error.strerror}') from error


def run(args):
    """The whole benchmark; returns its report."""
    bench = SkbBench(args)
    facts = bench.facts()
    rounds.print_facts(facts)
    sys.stdout.flush()
    report = bench.measure()
    print_tables(report['results'])
    after = surroundings(report)
    print()
    rounds.print_facts(after)
    facts.update(after)
    write_markdown(args.markdown, report['results'], facts)
    return {'bench': 'skb', 'facts': facts, 'report': report}
