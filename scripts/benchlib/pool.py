# SPDX-License-Identifier: BSD-3-Clause
"""bench pool: Magpie's pool against DPDK's mempools and malloc, by magpie-poolbench.

First the table of ratios that the pool has to reach, then the wide set: every arm in every shape, the pipeline by
population, and malloc again with other libraries in its place. Nothing is built.
"""
import ctypes.util
import glob
import json
import os
import sys
import time

from . import machine, pool_figures, pool_report, pool_table, rounds
from .pool_table import LARGE, SMALL, WIDE, Section
from .process import Failure, Process, Workspace

QUICK = {'rounds': 3, 'window': 50, 'warmup': 150}
FULL = {'rounds': 9, 'window': 150, 'warmup': 150}
WIDE_ROUNDS = 5
MALLOCS = {'jemalloc': 'libjemalloc2', 'mimalloc': 'libmimalloc2.0', 'tcmalloc_minimal': 'libtcmalloc-minimal4'}
POPULATIONS = (4096, SMALL, LARGE, 524288)

OBJECT_BYTES = 2304 + 128  # with what a mempool puts around it


class Memory:
    """One kind of pages for the whole run: hugepages if there are enough for the table, else ordinary ones."""

    def __init__(self, no_huge=False):
        self.huge = not no_huge and machine.free_hugepages() * 2 >= self.mib(LARGE)
        self._limit_mib = machine.free_hugepages() * 2 if self.huge else self._available_mib()
        if not self.fits(LARGE):
            raise Failure(f'the table takes {self.mib(LARGE)} MiB and {self._limit_mib} are free; end something else')

    @staticmethod
    def _available_mib():
        with open('/proc/meminfo', encoding='ascii') as file:
            return next(int(line.split()[1]) for line in file if line.startswith('MemAvailable:')) // 1024

    @staticmethod
    def mib(population):
        """A tenth and 64 MiB more for what goes with the objects."""
        return (population * OBJECT_BYTES * 11 // 10 >> 20) + 64

    def fits(self, population):
        return self.mib(population) <= self._limit_mib

    def eal(self, population):
        return ['--huge-unlink' if self.huge else '--no-huge', '-m', str(self.mib(population))]

    def left_out(self, population):
        fix = f'echo {self.mib(population) // 2 + 1} > {machine.HUGEPAGES}nr_hugepages' if self.huge \
            else 'it takes a machine with more memory'
        return f'population {population} is left out, it takes {self.mib(population)} MiB: {fix}'

    def __str__(self):
        return '2 MiB hugepages' if self.huge else 'ordinary 4 KiB pages (--no-huge)'


def find_poolbench(build):
    path = os.path.join(build, 'app', 'poolbench', 'magpie-poolbench')
    if not os.access(path, os.X_OK):
        raise Failure(f'no {path}; build it: meson setup {build} && ninja -C {build}')
    return path


def find_malloc(name):
    """The file of a library with another malloc, or None."""
    library = ctypes.util.find_library(name)
    found = library and glob.glob(f'/usr/lib/*/{library}') + glob.glob(f'/usr/lib*/{library}')
    return found[0] if found else None


class PoolBench:
    """The setting that all sections share."""

    def __init__(self, args):
        self._args = args
        self._program = find_poolbench(args.build)
        self._cpus = machine.Cpus()
        self.memory = Memory(args.no_huge)

    def facts(self):
        return {
            **machine.describe(self.memory),
            'placement': f'lcore 0 on CPU {self._cpus.forwarder}, lcore 1 on CPU {self._cpus.generator}'
                         + (', the same: figures between lcores mean nothing' if self._cpus.shared else ''),
            'objects': '2304 bytes; two header lines written by who gets and read by who puts where lcores hand over',
            'measured': f'{self._args.rounds} rounds x {self._args.window} ms after {self._args.warmup} ms (a tenth of '
                        'both where no magazine changes hands), arms interleaved, ratios within a round; '
                        f'wide set {min(self._args.rounds, WIDE_ROUNDS)} rounds',
        }

    def _argv(self, section, n_rounds, prefix, path):
        return [self._program, f'--lcores=0@{self._cpus.forwarder},1@{self._cpus.generator}', '--no-pci',
                '--no-telemetry', '--log-level=lib.eal:error', f'--file-prefix={prefix}',
                *self.memory.eal(max(section.populations)), '--', '--rounds', str(n_rounds),
                '--window', str(self._args.window), '--warmup', str(self._args.warmup),
                '--arms', ','.join(section.arms), '--shapes', ','.join(section.shapes),
                '--population', ','.join(map(str, section.populations)), '--json', path]

    def measure(self, section, n_rounds, preload=None):
        """The report of one run of magpie-poolbench."""
        with Workspace() as workspace:
            prefix, path = workspace.prefix('poolbench'), workspace.file('report.json')
            argv = self._argv(section, n_rounds, prefix, path)
            if preload:
                argv = ['/usr/bin/env', f'LD_PRELOAD={preload}', *argv]
            with Process(argv, workspace.file('poolbench.log')) as process:
                self._wait(section, process)
                if process.status != 0:
                    raise Failure(f'magpie-poolbench ended with status {process.status}:\n{process.last_lines()}')
            with open(path, encoding='utf-8') as file:
                return json.load(file)

    @staticmethod
    def _wait(section, process):
        if not sys.stderr.isatty():
            print(f'  .. {section.name}', file=sys.stderr)
        while process.status is None:
            last = [line for line in process.text().splitlines() if ' left' in line and '%, round' in line][-1:]
            rounds.progress(' '.join([f'{section.name}:', *last]))
            time.sleep(0.2)
        rounds.progress('')


def wide_sections(memory, quick):
    """Every arm in every shape (only those that are drawn, if it is to be quick)."""
    arms = pool_figures.DRAWN if quick else ('*',)
    populations = tuple(population for population in POPULATIONS if memory.fits(population))
    return (
        Section('wide: one lcore', ('same-core/*', 'hold/*', 'swing/*', 'tail'), arms, (WIDE,)),
        Section('wide: crossing', ('crossing*',), arms, (SMALL,)),
        Section('wide: population', ('pipeline',), arms, populations),
    )


def measure_mallocs(bench, n_rounds):
    """Reports of other mallocs, by the name of their library."""
    section = Section('', ('same-core/*', 'hold/*', 'swing/*', 'crossing*', 'pipeline', 'tail'), ('malloc/*',), (WIDE,))
    reports = {}
    for name, package in MALLOCS.items():
        library = find_malloc(name)
        if library is None:
            print(f'  {name} is missing; install it: scripts/setup (package {package})')
            continue
        reports[name] = bench.measure(section._replace(name=f'wide: {name}'), n_rounds, preload=library)
    return reports


def _measure_wide(bench, args):
    n_rounds = min(args.rounds, WIDE_ROUNDS)
    for population in POPULATIONS:
        if not bench.memory.fits(population):
            print(f'  {bench.memory.left_out(population)}')
    reports = {section.name: bench.measure(section, n_rounds) for section in wide_sections(bench.memory, args.quick)}
    reports.update(measure_mallocs(bench, n_rounds))
    return reports


def _surroundings(reports):
    """What is known only afterwards."""
    latencies = [ns for report in reports for ns in report.get('core_latency_ns', [])]
    loads = [load for report in reports for load in report['load_average']]
    facts = {'compiler': reports[0]['compiler'], 'dpdk': reports[0]['dpdk'],
             'timer': f'{reports[0]["timer_cycles"]:.0f} cycles, taken off each call of the shape tail',
             'load average, first and last': f'{loads[0]}, {loads[-1]}'}
    if latencies:
        facts['core to core, one way'] = f'{min(latencies):.0f}..{max(latencies):.0f} ns, before and after each run'
    return facts


def run(args):
    """The whole benchmark; returns its report."""
    bench = PoolBench(args)
    facts = bench.facts()
    rounds.print_facts(facts)
    reports, outcomes = {}, []
    if args.part != 'wide':
        reports = {section.name: bench.measure(section, args.rounds) for section in pool_table.SECTIONS}
        outcomes = pool_table.judge_all(pool_table.Results(reports.values()))
        pool_report.print_table(outcomes)
    if args.part != 'table':
        wide = _measure_wide(bench, args)
        results = [result for report in wide.values() for result in report['results']]
        pool_report.print_wide(results)
        pool_figures.draw(args.figures, results, next(iter(wide.values()))['timer_cycles'])
        reports.update(wide)
    after = _surroundings(list(reports.values()))
    print()
    rounds.print_facts(after)
    facts.update(after)
    if outcomes:
        pool_report.write_markdown(args.markdown, outcomes, facts)
    return {'bench': 'pool', 'facts': facts, 'table': [outcome._asdict() for outcome in outcomes], 'reports': reports}
