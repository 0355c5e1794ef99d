# SPDX-License-Identifier: BSD-3-Clause
"""Rounds A B C A B C: each candidate is measured once a round, and compared with its neighbours of the same round."""
import json
import statistics
import sys

from .process import Failure


def progress(text):
    """A line that the next one replaces; only for people."""
    if sys.stderr.isatty():
        sys.stderr.write(f'\r\x1b[K{text}')
        sys.stderr.flush()


def interleave(candidates, n_rounds, measure):
    """measure(name) -> dict of numbers. Returns {name: [dict per round]}."""
    results = {name: [] for name in candidates}
    for number in range(n_rounds):
        for name in candidates:
            progress(f'round {number + 1} of {n_rounds}: {name}')
            results[name].append(measure(name))
    progress('')
    return results


def column(samples, key):
    """The values of one key; samples without it are left out."""
    return [sample[key] for sample in samples if sample.get(key) is not None]


def median(samples, key):
    values = column(samples, key)
    return statistics.median(values) if values else None


def spread_percent(samples, key):
    """Largest minus smallest, in percent of the median."""
    values = column(samples, key)
    middle = statistics.median(values)
    return 100 * (max(values) - min(values)) / middle if middle else 0.0


def ratios(samples, reference, key):
    """Per round: this value over the reference's."""
    return [mine[key] / theirs[key] for mine, theirs in zip(samples, reference) if theirs[key]]


def ratio_text(samples, reference, key):
    values = ratios(samples, reference, key)
    if not values:
        return '-'
    return f'{statistics.median(values):.2f} ({min(values):.2f}..{max(values):.2f})'


def print_table(head, rows):
    """Columns as wide as their longest cell; the first is for names, the others are numbers."""
    widths = [max(len(row[i]) for row in [head, *rows]) for i in range(len(head))]
    for row in [head, *rows]:
        cells = [row[0].ljust(widths[0])] + [cell.rjust(width) for cell, width in zip(row[1:], widths[1:])]
        print('  ' + '  '.join(cells))


def print_facts(facts):
    width = max(map(len, facts))
    for name, value in facts.items():
        print(f'  {name:<{width}}  {value}')


def write_json(path, report):
    if path is None:
        return
    try:
        with open(path, 'w', encoding='utf-8') as file:
            json.dump(report, file, indent=2)
            file.write('\n')
    except OSError as error:
        raise Failure(f'--json {path}: {error.strerror}') from error
