# SPDX-License-Identifier: BSD-3-Clause
"""bench forward: Magpie and testpmd's mac and io modes between the same two memif ports, same generator.

Every candidate is measured the same way: by what comes back to the generator, read from its ports' counters at the
ends of a window in which everything already runs.
"""
import time

from . import machine, rounds
from .magpie import Account, Magpie
from .process import Failure, Workspace
from .testpmd import MBUF_CACHE, MBUFS, Testpmd
from .wires import Generator, Wires, wait_links

TESTPMD_MODES = ('mac', 'io')
CANDIDATES = ('magpie', *TESTPMD_MODES)
CLONES = 32


class ForwardBench:
    """The setting that all candidates share."""

    def __init__(self, args):
        self._args = args
        self._cpus = machine.Cpus(args.one_cpu)
        self._memory = machine.Memory(2, args.no_huge, shared=args.zero_copy)
        machine.find_magpie(args.build)

    def facts(self):
        return {
            **machine.describe(self._memory),
            'placement': f'forwarder on CPU {self._cpus.forwarder}, generator on CPU {self._cpus.generator}',
            'links': f'2 x memif, {1 << self._args.rsize} slots, '
                     f'{"zero copy" if self._args.zero_copy else "copy"} mode, 64-byte frames',
            'generator': f'testpmd flowgen, {CLONES} clones',
            'forwarders': f'one core, burst {self._args.burst}, {MBUFS} buffers; testpmd: mbuf cache {MBUF_CACHE}',
            'measured': f'{self._args.rounds} rounds x {self._args.window} s after {self._args.warmup} s, '
                        'packets that came back to the generator',
        }

    def _start_forwarder(self, name, workspace, wires):
        eal = [*self._memory.eal, *wires.forwarder_eal()]
        if name not in TESTPMD_MODES:
            options, build = self._args.variants.get(name, ([], None))
            options = [*wires.magpie_options(), '--burst', str(self._args.burst), '--pool-size', str(MBUFS), *options]
            return Magpie(workspace, build or self._args.build, self._cpus.forwarder, eal, options)
        return Testpmd(workspace, self._cpus.forwarder, eal, [f'--burst={self._args.burst}'])

    def measure(self, name):
        with Workspace() as workspace:
            wires = Wires(workspace, self._args.rsize, self._args.zero_copy)
            with Generator(workspace, wires, self._cpus.generator, self._memory.eal, CLONES) as generator:
                generator.ready()
                with self._start_forwarder(name, workspace, wires) as forwarder:
                    forwarder.ready()
                    if name in TESTPMD_MODES:
                        forwarder.forward(name)
                    sample = self._window(generator, forwarder)
                    generator.rest()
                    generator.collect()
                sample['latency_ns'] = machine.core_latency_ns(self._args.build, workspace, self._cpus)
                if name not in TESTPMD_MODES:
                    self._check(forwarder)
            taken, refused = generator.offered()
            sample['refused_percent'] = 100 * refused / (taken + refused)
        return sample

    def _check(self, magpie):
        account = Account(magpie.text())
        if self._args.zero_copy and account.packets_balanced:
            return  # net_memif never gives back what it had posted for receiving, so the ledger cannot balance
        if magpie.status != 0 or not account.balanced:
            raise Failure(f'magpie ended with status {magpie.status}, {account.ledger}:\n{magpie.last_lines()}')

    def _window(self, generator, forwarder):
        """Rates while everything runs."""
        wait_links(generator, forwarder)
        generator.send()
        time.sleep(self._args.warmup)
        before, start = self._read(generator, forwarder), time.monotonic()
        time.sleep(self._args.window)
        after, end = self._read(generator, forwarder), time.monotonic()
        delta = {key: after[key] - before[key] for key in after}
        sample = {'mpps': delta['returned'] / (end - start) / 1e6, 'sent_mpps': delta['sent'] / (end - start) / 1e6}
        if sample['mpps'] < 0.001:
            raise Failure(f'no packets come back through {forwarder.name}:\n{forwarder.last_lines()}')
        if 'busy' in delta:
            sample['idle_percent'] = 100 * delta['idle'] / (delta['idle'] + delta['busy'])
            sample['cycles_per_packet'] = delta['busy'] / delta['received']
        return sample

    @staticmethod
    def _read(generator, forwarder):
        returned, sent = generator.telemetry.packets()
        values = {'returned': returned, 'sent': sent}
        if isinstance(forwarder, Magpie):
            values['received'], _ = forwarder.telemetry.packets()
            values['busy'], values['idle'] = forwarder.cycles()
        return values


def _bottleneck(samples):
    """Whose limit the rate is: a full ring in front of the forwarder says that the generator could send more."""
    refused = rounds.median(samples, 'refused_percent')
    return 'forwarder' if refused > 1 else 'generator'


def _cell(samples, key, form):
    value = rounds.median(samples, key)
    return '-' if value is None else form.format(value)


def _print(results):
    reference = results.get('mac', [])
    head = ['forwarder', 'median Mpps', 'spread %', 'x mac (min..max)', 'idle %', 'cycles/pkt', 'refused %',
            'bottleneck']
    rows = []
    for name, samples in results.items():
        rows.append([name, _cell(samples, 'mpps', '{:.2f}'), f'{rounds.spread_percent(samples, "mpps"):.1f}',
                     rounds.ratio_text(samples, reference, 'mpps'), _cell(samples, 'idle_percent', '{:.1f}'),
                     _cell(samples, 'cycles_per_packet', '{:.1f}'), _cell(samples, 'refused_percent', '{:.0f}'),
                     _bottleneck(samples)])
    rounds.print_table(head, rows)
    print('  refused: what the generator could not place because the ring to the forwarder was full')
    latency = rounds.column(sum(results.values(), []), 'latency_ns')
    if latency:
        print(f'  core to core, one way, after each run: {min(latency):.0f}..{max(latency):.0f} ns')


def run(args):
    """The whole benchmark; returns its report."""
    bench = ForwardBench(args)
    facts = bench.facts()
    rounds.print_facts(facts)
    results = rounds.interleave([*(args.only or CANDIDATES), *args.variants], args.rounds, bench.measure)
    _print(results)
    return {'bench': 'forward', 'facts': facts, 'samples': results}
