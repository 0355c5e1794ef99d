# SPDX-License-Identifier: BSD-3-Clause
"""What bench pool says: the table of ratios on the terminal and as Markdown, and the medians of the wide set."""
from . import rounds
from .pool_table import FAR, FAR_NS, NEAR
from .process import Failure

HEAD = ['shape', 'ours', 'against', 'ratio (quartiles)', 'goal', '', 'cores near', 'cores far', 'inline', 'M']


def _state(outcome, state):
    """The ratio in that state, and against whom if that is another arm than over all."""
    for found in outcome.states:
        if found.state == state:
            against = '' if found.against == outcome.against else f' {found.against}'
            return f'{found.ratio:.3f}{against} (n={found.n})'
    return '-'


def _cells(outcome):
    row = outcome.row
    ratio = '-' if outcome.ratio is None else f'{outcome.ratio:.3f} ({outcome.q1:.3f}..{outcome.q3:.3f})'
    inline = '-' if outcome.inline is None else f'{outcome.inline:.3f}'
    return [row.text, row.ours, outcome.against, ratio, f'{row.relation} {row.goal:g}',
            'reached' if outcome.reached else 'MISSED', *(_state(outcome, state) for state in (NEAR, FAR)), inline,
            outcome.size]


def _notes(outcomes):
    return [f'{outcome.row.text}, against {outcome.against}: {outcome.note}' for outcome in outcomes if outcome.note]


def print_table(outcomes):
    rounds.print_table(HEAD, [_cells(outcome) for outcome in outcomes])
    print('  inline: the same past the mempool; M: what the adaptive size had come to')
    print(f'  near, far: rounds in which a cache line took less or more than {FAR_NS} ns from core to core')
    for note in _notes(outcomes):
        print(f'  {note}')


def print_wide(results):
    """Medians: a row per arm, a column per shape."""
    for population in sorted({result['population'] for result in results}):
        mine = [result for result in results if result['population'] == population]
        for unit in dict.fromkeys(result['unit'] for result in mine):
            _print_unit(unit, population, [result for result in mine if result['unit'] == unit])


def _print_unit(unit, population, results):
    columns = list(dict.fromkeys((result['shape'], result['metric']) for result in results))
    cells = {(result['arm'], result['shape'], result['metric']): result.get('median') for result in results}
    for i in range(0, len(columns), 9):
        some = columns[i:i + 9]
        print(f'\n  {unit}, population {population}, medians')
        rows = []
        for arm in dict.fromkeys(result['arm'] for result in results):
            values = [cells.get((arm, *column)) for column in some]
            rows.append([arm, *('-' if value is None else f'{value:.2f}' for value in values)])
        rounds.print_table(['', *(metric or shape for shape, metric in some)], rows)


def markdown(outcomes, facts):
    """The table, ready for a page."""
    lines = ['| ' + ' | '.join(HEAD).replace('|  |', '| reached? |') + ' |', '|---' * len(HEAD) + '|']
    lines += ['| ' + ' | '.join(_cells(outcome)) + ' |' for outcome in outcomes]
    lines += ['', '"inline" is the same past the mempool; M is what the adaptive size had come to. Near and far: only the '
              f'rounds in which a cache line took less or more than {FAR_NS} ns from core to core, against whatever was '
              'best then.']
    lines += [f'- {note}' for note in _notes(outcomes)]
    lines += ['', 'Measured with `scripts/bench pool` on:', '']
    lines += [f'- {name}: {value}' for name, value in facts.items()]
    return '\n'.join(lines) + '\n'


def write_markdown(path, outcomes, facts):
    if path is None:
        return
    try:
        with open(path, 'w', encoding='utf-8') as file:
            file.write(markdown(outcomes, facts))
    except OSError as error:
        raise Failure(f'--markdown {path}: {error.strerror}') from error
