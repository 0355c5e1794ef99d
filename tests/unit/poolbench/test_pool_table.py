#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""bench pool: the judgement of its table, on figures whose answers are known."""
import fnmatch
import os
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = os.path.join(os.path.dirname(os.path.realpath(__file__)), '..', '..', '..')
sys.path.insert(0, os.path.join(ROOT, 'scripts'))

from benchlib import pool_figures, pool_report, pool_table  # noqa: E402
from benchlib.pool_table import Results, Row  # noqa: E402


def result(arm, samples, unit='Mobj/s', shape='crossing', metric='', population=16384, sizes=None, latency=None):
    q1, median, q3 = pool_table.quartiles([sample for sample in samples if sample is not None])
    return {'arm': arm, 'shape': shape, 'population': population, 'metric': metric, 'unit': unit, 'samples': samples,
            'median': median, 'q1': q1, 'q3': q3, **({'magazine': {'sizes': sizes}} if sizes else {}), **({'latency_ns': latency} if latency else {})}


def results(*cells, timer=50):
    return Results([{'timer_cycles': timer, 'results': list(cells)}])


def row(ours='magazine/auto', against=('a',), relation='>=', goal=2.0, shape='crossing', metric=''):
    return Row('row', shape, 16384, metric, ours, against, relation, goal)


def read(path):
    with open(path, encoding='utf-8') as file:
        return file.read()


class Judgement(unittest.TestCase):
    def test_a_rate_is_divided_by_the_other(self):
        outcome = pool_table.judge(row(), results(result('magazine/auto', [10, 30, 20]), result('a', [5, 10, 20])))
        self.assertEqual((outcome.q1, outcome.ratio, outcome.q3, outcome.reached), (1.5, 2.0, 2.5, True))

    def test_cycles_are_divided_the_other_way(self):
        cells = [result('magazine/auto', [1, 2], 'cycles/object'), result('a', [3, 4], 'cycles/object')]
        self.assertEqual(pool_table.judge(row(), results(*cells)).ratio, 2.5)

    def test_at_most(self):
        cells = [result('magazine/auto', [10, 20], 'cycles/call', metric='p99.9'),
                 result('a', [100, 100], 'cycles/call', metric='p99.9')]
        outcome = pool_table.judge(row(relation='<=', goal=0.151, metric='p99.9'), results(*cells))
        self.assertAlmostEqual(outcome.ratio, 0.15)
        self.assertTrue(outcome.reached)
        self.assertIn('0.433 with the 50 cycles', outcome.note)
        self.assertFalse(pool_table.judge(row(relation='<=', goal=0.149, metric='p99.9'), results(*cells)).reached)

    def test_just_missed(self):
        outcome = pool_table.judge(row(), results(result('magazine/auto', [19.99]), result('a', [10])))
        self.assertFalse(outcome.reached)

    def test_the_best_of_several_by_its_median(self):
        cells = [result('magazine/auto', [10, 10, 10]), result('a', [5, 5, 90]), result('b', [6, 6, 6])]
        self.assertEqual(pool_table.judge(row(against=('a', 'b')), results(*cells)).against, 'b')
        cycles = [{**cell, 'unit': 'cycles/object'} for cell in cells]
        self.assertEqual(pool_table.judge(row(against=('a', 'b')), results(*cycles)).against, 'a')

    def test_failed_rounds_are_left_out(self):
        cells = [result('magazine/auto', [None, 30, 20]), result('a', [5, 10, None])]
        self.assertEqual(pool_table.judge(row(), results(*cells)).ratio, 3)

    def test_near_and_far_are_not_mixed(self):
        near, far, moved = [40, 45], [190, 200], [40, 200]
        cells = [result('magazine/auto', [300, 60, 500, 70, 9], latency=[near, far, near, far, moved]),
                 result('a', [100, 30, 50, 35, 3], latency=[near, far, moved, far, near]),
                 result('b', [20, 60, 500, 700, 3], latency=[near, far, far, near, near])]
        outcome = pool_table.judge(row(against=('a', 'b')), results(*cells))
        self.assertEqual([tuple(state) for state in outcome.states], [('near', 3, 'a', 1), ('far', 1, 'b', 1)])
        # over all rounds b has the better median, but only its first two samples have a partner of the same state
        self.assertEqual((outcome.against, outcome.ratio), ('b', 8))
        self.assertEqual(pool_table.judge(row(), results(*cells[:2])).ratio, 2)

    def test_what_was_not_measured_is_not_reached(self):
        outcome = pool_table.judge(row(), results(result('a', [5])))
        self.assertEqual((outcome.ratio, outcome.reached, outcome.note), (None, False, 'not measured'))

    def test_arms_of_two_runs_are_not_compared(self):
        split = Results([{'timer_cycles': 0, 'results': [result('a', [1])]},
                         {'timer_cycles': 0, 'results': [result('magazine/auto', [2])]}])
        self.assertIsNone(pool_table.judge(row(), split).ratio)

    def test_inline_and_size(self):
        cells = [result('magazine/auto', [2, 2, 2], sizes=[128, 512, 512]), result('inline/auto', [3, 3, 3]),
                 result('a', [1, 1, 1])]
        outcome = pool_table.judge(row(), results(*cells))
        self.assertEqual((outcome.inline, outcome.size), (3, '512'))

    def test_any_shape_is_the_worst(self):
        cells = []
        for shape, ours in (('pipeline', 5), ('hold/1k/l3', 1.2), ('swing/32', 1.7), ('tail', 0.1)):
            metric = 'p50' if shape == 'tail' else ''
            cells += [result('magazine/auto', [ours], shape=shape, metric=metric),
                      result('ring_mp_mc/c0', [1], shape=shape, metric=metric)]
        cells += [result(arm, [2], shape='pipeline', population=4096) for arm in ('magazine/auto', 'ring_mp_mc/c0')]
        outcome = pool_table.judge_any_shape(results(*cells))
        self.assertEqual((outcome.row.shape, outcome.ratio, outcome.reached), ('pipeline', 1, False))
        self.assertEqual(outcome.row.text, 'any shape; worst of 4: pipeline at 4096')
        self.assertEqual(outcome.note, 'below in 3 of 4: pipeline at 4096 1.00, hold/1k/l3 1.20, swing/32 1.70')

    def test_any_shape_of_none(self):
        self.assertEqual(pool_table.judge_any_shape(results()).note, 'not measured')


class Plan(unittest.TestCase):
    def test_every_row_is_measured_by_a_section(self):
        for wanted in pool_table.ROWS:
            arms = {wanted.ours, *wanted.against}
            self.assertTrue(any(arms <= set(section.arms) and wanted.population in section.populations
                                and any(fnmatch.fnmatch(wanted.shape, shape) for shape in section.shapes)
                                for section in pool_table.SECTIONS), wanted)


class Report(unittest.TestCase):
    def test_markdown(self):
        outcomes = [pool_table.judge(row(), results(result('magazine/auto', [30]), result('a', [10])))]
        text = pool_report.markdown(outcomes, {'cpu': 'one'})
        self.assertIn('| row | magazine/auto | a | 3.000 (3.000..3.000) | >= 2 | reached | - | - | - | - |\n', text)
        self.assertEqual(len({line.count('|') for line in text.splitlines() if line.startswith('|')}), 1)
        self.assertIn('- cpu: one\n', text)

    def test_figures_keep_to_one_state(self):
        cells = [result('a', [1, 5, 9], latency=[[40, 40], [190, 190], [200, 190]]),
                 result('b', [2], 'cycles/object'), result('c', [7], latency=[[40, 190]])]
        kept, state = pool_figures.of_one_state(cells)
        self.assertEqual((state, kept[0]['samples'], kept[0]['median'], kept[0]['q1']), ('far', [None, 5, 9], 7, 6))
        self.assertEqual(kept[1], cells[1])
        self.assertNotIn('median', kept[2])
        self.assertEqual(pool_figures.of_one_state(cells[1:2]), (cells[1:2], None))

    def test_figures_are_the_same_twice(self):
        try:
            import matplotlib  # noqa: F401
        except ImportError:
            self.skipTest('python3-matplotlib is missing')
        cells = [result(arm, [1, 2, 3], 'cycles/object', shape) for arm in ('magazine/auto', 'ring_mp_mc/c512')
                 for shape in (*pool_figures.BURSTS, *pool_figures.HELD)]
        cells += [result('magazine/auto', [5, 6], shape=shape) for shape in (*pool_figures.SWINGS, 'pipeline')]
        cells += [result('magazine/auto', [5, 6], 'cycles/call', 'tail', p) for p in pool_figures.PERCENTILES]
        drawn = []
        for _ in range(2):
            with tempfile.TemporaryDirectory() as folder:
                pool_figures.draw(folder, cells, 52)
                drawn.append({name: read(os.path.join(folder, name)) for name in os.listdir(folder)})
        self.assertEqual(sorted(drawn[0]), [f'pool-{name}.svg' for name in
                                            ('crossing', 'held', 'pipeline', 'same-core', 'tail')])
        self.assertEqual(drawn[0], drawn[1])
        for text in drawn[0].values():
            self.assertIn('magazine/auto', text)
            self.assertNotRegex(re.sub(r'<!--.*?-->', '', text), r'20\d\d-\d\d-\d\d')


if __name__ == '__main__':
    unittest.main()
