#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""testpmd forwards with the plugin, and every buffer is back in its pool afterwards.

usage: test_testpmd.py PLUGIN [EAL options]
"""
import re
import struct
import subprocess
import sys
import tempfile
import unittest

import stock

PLUGIN, EAL = sys.argv[1], sys.argv[2:]
SECONDS = (0.5, 3.0, 15.0)  # the first is enough, unless others have the processors
N_MBUFS = 8192


def write_pcap(path, frames):
    with open(path, 'wb') as file:
        file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for frame in frames:
            file.write(struct.pack('<IIII', 0, 0, len(frame), len(frame)) + frame)


def read_pcap(path):
    frames, at = [], 24
    with open(path, 'rb') as file:
        data = file.read()
    while at < len(data):
        length = struct.unpack_from('<I', data, at + 8)[0]
        frames.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return frames


class Pipe:
    """Commands for testpmd's prompt, with pauses: a pipe that somebody writes to while testpmd reads."""

    def __init__(self, *commands):
        words = '; '.join(f'sleep {c}' if isinstance(c, float) else f'echo {c}' for c in commands)
        self.process = subprocess.Popen(['sh', '-c', words], stdout=subprocess.PIPE)

    def __enter__(self):
        return self.process.stdout

    def __exit__(self, *_):
        self.process.stdout.close()
        self.process.wait()


def testpmd(commands, vdevs, options, plugin=PLUGIN):
    with Pipe(*commands, 'quit') as stdin:
        return stock.run(['dpdk-testpmd', *(f'--vdev={vdev}' for vdev in vdevs), '--', '-i', '--no-mlockall',
                          f'--total-num-mbufs={N_MBUFS}', *options], [*EAL, stock.lcores(5)], plugin, stdin=stdin, timeout=60)


def counters(out, what):
    """By port, in the first report of what was forwarded."""
    return [int(n) for n in re.findall(rf'^  {what}-packets: (\d+)', out, re.M)[:4]]


class Testpmd(unittest.TestCase):
    def assert_all_home(self, out):
        self.assertIn('ops_name: <magazine>', out)
        self.assertIn(f'populated_size={N_MBUFS}\n', out)
        cached, common = (re.search(rf'{name}=(\d+)', out) for name in ('total_cache_count', 'common_pool_count'))
        self.assertEqual(int(common.group(1)) + (int(cached.group(1)) if cached else 0), N_MBUFS, out)

    def give_and_take(self, cache, seconds):
        """Twice at once: null -> ring on one lcore, ring -> null on another. Then all drop what they still find. How many crossed."""
        status, out = testpmd(
            ['start', seconds, 'stop', 'set fwd rxonly', 'start', 0.2, 'stop', 'port stop all', 'dump_mempool mb_pool_0'],
            ['net_null0', 'net_ring0', 'net_null1', 'net_ring1'], ['--nb-cores=4', f'--mbcache={cache}'])
        self.assertEqual(status, 0, out)
        rx, tx = counters(out, 'RX'), counters(out, 'TX')
        for null, ring in ((0, 1), (2, 3)):
            self.assertEqual(tx[null], rx[ring], out)
            self.assertLessEqual(rx[ring], tx[ring], out)
        self.assert_all_home(out)
        return min(rx[1], rx[3])

    def test_one_core_takes_what_another_gives_back(self):
        for cache in (0, 250):
            with self.subTest(cache=cache):
                self.assertTrue(any(self.give_and_take(cache, 2 * seconds) > N_MBUFS for seconds in SECONDS))

    def test_frames_are_whole(self):
        frames = [bytes.fromhex('020000000002' '020000000001' '88b5') + bytes([i % 251]) * (46 + i) for i in range(500)]
        with tempfile.TemporaryDirectory(prefix='magpie-testpmd-') as room:
            write_pcap(f'{room}/in.pcap', frames)
            for seconds in SECONDS:
                status, out = testpmd(['start', seconds, 'stop', 'port stop all', 'dump_mempool mb_pool_0'],
                                      [f'net_pcap0,rx_pcap={room}/in.pcap', f'net_pcap1,tx_pcap={room}/out.pcap'],
                                      ['--nb-cores=1', '--no-flush-rx'])
                self.assertEqual(status, 0, out)
                self.assert_all_home(out)
                came = read_pcap(f'{room}/out.pcap')
                self.assertEqual(came, frames[:len(came)])
                if len(came) == len(frames):
                    break
            self.assertEqual(len(came), len(frames))

    @unittest.skipIf(stock.is_installed(), 'every program loads it')
    def test_without_the_plugin_there_are_no_such_ops(self):
        status, out = testpmd(['start', 0.1, 'stop'], ['net_null0', 'net_null1'], [], plugin=None)
        self.assertNotEqual(status, 0)
        self.assertIn('mempool', out)


if __name__ == '__main__':
    unittest.main(argv=sys.argv[:1])
