# SPDX-License-Identifier: BSD-3-Clause
"""The parts of scripts/benchlib that judge or compute: what they get wrong, every figure gets wrong."""
import ipaddress
import os
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', '..', 'scripts'))

from benchlib import demo, rounds, skb, walk  # noqa: E402
from benchlib.magpie import Account  # noqa: E402
from benchlib.process import Workspace  # noqa: E402
from benchlib.wires import FLOWS, Wires  # noqa: E402

FINAL = '''packets: rx 5.0M = tx 5.0M + dropped 7 + punted 0 + in flight 32
ran 2.500 s
port net_memif0: rx 60 packets 3600 bytes, tx 50 packets 3000 bytes
lcore 1: rx 100, 123.4 cycles/packet, 32.0 packets/burst, idle 5.6 %
dropped tx_full: 6 (the egress queue took fewer than offered)
dropped no_route: 1 (no route)
punted punt_arp: 2 (ARP)
packets: rx 100 = tx 91 + dropped 7 + punted 2
heads: 10 of 10 home
ledger balanced
'''


class FakeOutcome(demo.Outcome):
    """Magpie received 10 000 packets and forwarded tx of them; all else is well, unless told otherwise."""

    def __init__(self, tx, sent=10000, back=None, status=0):
        self.account = Account(f'ran 1.000 s\npackets: rx 10000 = tx {tx} + dropped {10000 - tx} + punted 0\n'
                               'ledger balanced\n')
        self.sent, self.back, self.status = sent, tx if back is None else back, status


class AccountTest(unittest.TestCase):
    def test_numbers(self):
        account = Account(FINAL.replace('\n', '\r\n'))
        self.assertEqual((account.rx, account.tx, account.dropped, account.punted), (100, 91, 7, 2))
        self.assertEqual([reason[:3] for reason in account.reasons],
                         [('dropped', 'tx_full', 6), ('dropped', 'no_route', 1), ('punted', 'punt_arp', 2)])
        self.assertEqual((account.cycles_per_packet, account.idle_percent), (123.4, 5.6))
        self.assertTrue(account.balanced)

    def test_mirrored(self):
        self.assertTrue(Account(FINAL.replace('rx 100 = tx 91', 'rx 100 + mirrored 9 = tx 100')).balanced)
        self.assertFalse(Account(FINAL.replace('rx 100 = tx 91', 'rx 100 + mirrored 9 = tx 101')).balanced)

    def test_injected_and_fragmented(self):
        account = Account(FINAL.replace('rx 100 = tx 91', 'rx 100 + injected 5 + fragmented 3 = tx 99'))
        self.assertEqual((account.injected, account.fragmented, account.tx, account.forwarded), (5, 3, 99, 94))
        self.assertTrue(account.balanced)
        self.assertTrue(Account(FINAL.replace('rx 100 = tx 91', 'rx 100 + mirrored 1 + injected 1 + fragmented 1 = tx 94')).balanced)
        self.assertFalse(Account(FINAL.replace('rx 100 = tx 91', 'rx 100 + injected 5 = tx 95')).balanced)

    def test_faults(self):
        self.assertFalse(Account('').balanced)
        self.assertFalse(Account(FINAL.replace('tx 91', 'tx 90')).balanced)
        self.assertFalse(Account(FINAL.replace('ledger balanced', 'ledger NOT balanced: 1 packets missing')).balanced)


class OutcomeTest(unittest.TestCase):
    def test_complaints(self):
        self.assertEqual(FakeOutcome(10000).complaints(), [])
        self.assertEqual(FakeOutcome(9991).complaints(), [])
        made = FakeOutcome(9990, back=10000)
        made.account = Account('ran 1.000 s\npackets: rx 10000 + injected 10 = tx 10000 + dropped 10 + punted 0\nledger balanced\n')
        self.assertEqual(len(made.complaints()), 1)
        for wrong in (FakeOutcome(9990), FakeOutcome(10000, sent=10001), FakeOutcome(10000, back=9999),
                      FakeOutcome(10000, status=1)):
            self.assertEqual(len(wrong.complaints()), 1)
        nothing = FakeOutcome(10000)
        nothing.account = Account('')
        self.assertTrue(nothing.complaints())


class WiresTest(unittest.TestCase):
    def ports(self, block):
        """The port that each flow leaves by."""
        with Workspace() as workspace:
            options = Wires(workspace, block=block).magpie_options()
            with open(options[-1], encoding='utf-8') as file:
                routes = [line.strip().split(',via=10.0.') for line in file]
        ports = {str(address): int(via[0]) for prefix, via in routes for address in ipaddress.ip_network(prefix)}
        return [ports[str(ipaddress.ip_address('10.253.0.0') + flow)] for flow in range(FLOWS)]

    def test_a_burst_leaves_by_one_port(self):
        ports = self.ports(32)
        for first in range(0, FLOWS, 32):
            self.assertEqual(set(ports[first:first + 32]), {first // 32 % 2})

    def test_half_blocks_divide_any_burst(self):
        ports = 2 * self.ports(16)
        for first in range(FLOWS):
            self.assertEqual(sum(ports[first:first + 32]), 16)


class WalkTest(unittest.TestCase):
    def test_frame(self):
        frame = walk.udp_frame(300)
        self.assertEqual(len(frame), 60)
        self.assertEqual(frame[30:34], bytes([10, 253, 1, 44]))
        words = sum(int.from_bytes(frame[i:i + 2], 'big') for i in range(14, 34, 2))
        self.assertEqual((words & 0xffff) + (words >> 16), 0xffff)


class RoundsTest(unittest.TestCase):
    def test_ratios_are_paired_by_round(self):
        mine, reference = [{'x': 1}, {'x': 20}, {'x': 3}], [{'x': 1}, {'x': 10}, {'x': 6}]
        self.assertEqual(rounds.ratios(mine, reference, 'x'), [1, 2, 0.5])
        self.assertEqual(rounds.median(mine, 'x'), 3)
        self.assertEqual(rounds.spread_percent(reference, 'x'), 150)

    def test_order(self):
        order = []
        rounds.interleave('ab', 2, lambda name: order.append(name) or {})
        self.assertEqual(order, ['a', 'b', 'a', 'b'])


def skb_result(arm, samples, reference=False, metric='', latency=None):
    return {'group': 'g/1', 'arm': arm, 'reference': reference, 'metric': metric, 'samples': samples,
            **({'latency_ns': latency} if latency else {})}


class SkbTest(unittest.TestCase):
    def test_ratios_are_paired_by_round(self):
        self.assertEqual(skb.ratios(skb_result('a', [2, 30, 4]), skb_result('b', [1, 10, 8])), [2, 3, 0.5])

    def test_rounds_in_which_the_lcores_moved_do_not_count(self):
        near, far, moved = [40, 45], [190, 200], [45, 190]
        mine = skb_result('a', [2, 3, 4, 5], latency=[near, far, near, moved])
        other = skb_result('b', [1, 1, 1, 1], latency=[near, far, far, moved])
        self.assertEqual(skb.ratios(mine, other), [2, 3])

    def test_table(self):
        results = [skb_result('ours', [4, 6, 5], reference=True, metric='send'),
                   skb_result('ours', [1, 1, 1], reference=True, metric='complete'),
                   skb_result('idea', [8, 3, 5], metric='send'), skb_result('idea', [2, 3, 4], metric='complete')]
        head, rows = skb.group_table(results, 'g/1')
        self.assertEqual(head, ['g/1', 'send (quartiles)', 'x ours (quartiles)', 'complete (quartiles)',
                                'x ours (quartiles)'])
        self.assertEqual(rows[0], ['ours*', '5.0 (4.5..5.5)', '1.00 (1.00..1.00)', '1.0 (1.0..1.0)',
                                   '1.00 (1.00..1.00)'])
        self.assertEqual(rows[1], ['idea', '5.0 (4.0..6.5)', '1.00 (0.75..1.50)', '3.0 (2.5..3.5)', '3.00 (2.50..3.50)'])

    def test_an_idea_without_its_reference_has_no_ratio(self):
        self.assertEqual(skb.group_table([skb_result('idea', [8])], 'g/1')[1], [['idea', '8.0 (8.0..8.0)', '-']])

    def test_markdown(self):
        text = skb.markdown([skb_result('ours', [4], reference=True), skb_result('idea', [8])], {'cpu': 'one'})
        self.assertIn('| idea | 8.0 (8.0..8.0) | 2.00 (2.00..2.00) |\n', text)
        self.assertIn('- cpu: one\n', text)


if __name__ == '__main__':
    unittest.main()
