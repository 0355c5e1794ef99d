# SPDX-License-Identifier: BSD-3-Clause
"""bench walk: the cost of forwarding alone, one core, no generator.

net_pcap0 repeats a few frames for ever (infinite_rx); everything is routed out of net_pcap1, which has no file to
write to and frees what it is given. Magpie with each build point, and testpmd's mac and io modes, on the same
ports.
"""
import struct
import time

from . import machine, rounds
from .magpie import Account, Magpie
from .process import Failure, Workspace
from .testpmd import MBUF_CACHE, MBUFS, Testpmd

BUILDS = ('late', 'early', 'lazy')
TESTPMD_MODES = ('mac', 'io')
CANDIDATES = (*BUILDS, *TESTPMD_MODES)
FIRST_PCAP_MAC = '02:70:63:61:70:00'
PEER_MAC = '02:00:00:00:00:01'
FRAME_BYTES = 60
FLOWS = 256


def _checksum(header):
    total = sum(struct.unpack('!10H', header))
    total = (total & 0xffff) + (total >> 16)
    return ~(total + (total >> 16)) & 0xffff


def _mac(text):
    return bytes.fromhex(text.replace(':', ''))


def udp_frame(flow):
    """A 60-byte frame: UDP from 10.254.0.1 to 10.253.0.0 + flow, all checksums right."""
    ip_bytes = FRAME_BYTES - 14
    address = bytes([10, 253, flow >> 8, flow & 255])
    header = struct.pack('!BBHHHBBH4s4s', 0x45, 0, ip_bytes, 0, 0, 64, 17, 0, bytes([10, 254, 0, 1]), address)
    header = header[:10] + struct.pack('!H', _checksum(header)) + header[12:]
    udp = struct.pack('!HHHH', 1000, 1001, ip_bytes - 20, 0)
    frame = _mac(FIRST_PCAP_MAC) + _mac(PEER_MAC) + b'\x08\x00' + header + udp
    return frame.ljust(FRAME_BYTES, b'\0')


def write_pcap(path, frames):
    with open(path, 'wb') as file:
        file.write(struct.pack('=IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for frame in frames:
            file.write(struct.pack('=IIII', 0, 0, len(frame), len(frame)) + frame)


class WalkBench:
    """The setting that all candidates share."""

    def __init__(self, args):
        self._args = args
        self._cpu = machine.Cpus().forwarder
        self._memory = machine.Memory(1, args.no_huge)
        machine.find_magpie(args.build)

    def facts(self):
        return {
            **machine.describe(self._memory),
            'placement': f'CPU {self._cpu}',
            'traffic': f'{FRAME_BYTES}-byte UDP frames to {FLOWS} addresses, net_pcap0 -> net_pcap1',
            'forwarders': f'one core, burst {self._args.burst}, {MBUFS} buffers; testpmd: mbuf cache {MBUF_CACHE}',
            'measured': f'{self._args.rounds} rounds x {self._args.window} s after {self._args.warmup} s, '
                        'packets that net_pcap1 was given',
        }

    def measure(self, name):
        with Workspace() as workspace:
            frames, one_frame = workspace.file('frames.pcap'), workspace.file('one.pcap')
            write_pcap(frames, [udp_frame(flow) for flow in range(FLOWS)])
            write_pcap(one_frame, [udp_frame(0)])
            eal = [*self._memory.eal, f'--vdev=net_pcap0,rx_pcap={frames},infinite_rx=1',
                   f'--vdev=net_pcap1,rx_pcap={one_frame}']
            if name not in TESTPMD_MODES:
                return self._measure_magpie(workspace, eal, self._args.variants.get(name, (['--build', name], None)))
            with Testpmd(workspace, self._cpu, eal, [f'--burst={self._args.burst}']) as testpmd:
                testpmd.ready()
                testpmd.forward(name)
                return self._window(testpmd)

    def _measure_magpie(self, workspace, eal, variant):
        options = ['--addr', 'net_pcap0,10.0.0.1/24', '--addr', 'net_pcap1,10.0.1.1/24',
                   '--neigh', f'net_pcap1,10.0.1.2,{PEER_MAC}', '--route', '10.253.0.0/16,via=10.0.1.2',
                   '--burst', str(self._args.burst), '--pool-size', str(MBUFS), *variant[0]]
        with Magpie(workspace, variant[1] or self._args.build, self._cpu, eal, options) as magpie:
            magpie.ready()
            sample = self._window(magpie)
        account = Account(magpie.text())
        if magpie.status != 0 or not account.balanced:
            raise Failure(f'magpie ended with status {magpie.status}, {account.ledger}:\n{magpie.last_lines()}')
        sample['cycles_per_packet'] = account.cycles_per_packet
        return sample

    def _window(self, forwarder):
        time.sleep(self._args.warmup)
        before, start = self._forwarded(forwarder), time.monotonic()
        time.sleep(self._args.window)
        n_pkts, seconds = self._forwarded(forwarder) - before, time.monotonic() - start
        if n_pkts == 0:
            raise Failure(f'nothing is forwarded by {forwarder.name}:\n{forwarder.last_lines()}')
        return {'ns': 1e9 * seconds / n_pkts, 'mpps': n_pkts / seconds / 1e6}

    @staticmethod
    def _forwarded(forwarder):
        return forwarder.telemetry.ask('/ethdev/stats,1')['opackets']


def _print(results):
    head = ['forwarder', 'ns/packet', 'spread %', 'Mpps', 'speed x mac (min..max)', 'cycles/pkt']
    rows = []
    for name, samples in results.items():
        cycles = rounds.median(samples, 'cycles_per_packet')
        rows.append([f'testpmd {name}' if name in TESTPMD_MODES else f'magpie {name}',
                     f'{rounds.median(samples, "ns"):.2f}', f'{rounds.spread_percent(samples, "ns"):.1f}',
                     f'{rounds.median(samples, "mpps"):.2f}', rounds.ratio_text(samples, results.get('mac', []), 'mpps'),
                     '-' if cycles is None else f'{cycles:.1f}'])
    rounds.print_table(head, rows)


def run(args):
    """The whole benchmark; returns its report."""
    bench = WalkBench(args)
    facts = bench.facts()
    rounds.print_facts(facts)
    results = rounds.interleave([*(args.only or CANDIDATES), *args.variants], args.rounds, bench.measure)
    _print(results)
    return {'bench': 'walk', 'facts': facts, 'samples': results}
