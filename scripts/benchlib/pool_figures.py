# SPDX-License-Identifier: BSD-3-Clause
"""The figures of bench pool, as SVG. The same numbers give the same bytes."""
import collections
import os

from .pool_table import only, states
from .process import Failure

# What is drawn, and how: colours by kind of pool, dashes for what stands alone.
STYLES = {
    'ring_mp_mc/c0': ('#9e9e9e', '--'),
    'ring_mp_mc/c512': ('#616161', '-'),
    'stack/c512': ('#1976d2', '-'),
    'lf_stack/c512': ('#64b5f6', '-'),
    'magazine/auto': ('#d32f2f', '-'),
    'magazine/auto+c128': ('#ef9a9a', '-'),
    'inline/auto': ('#d32f2f', '--'),
    'malloc/libc': ('#c0ca33', ':'),
    'malloc/jemalloc': ('#7cb342', ':'),
    'malloc/mimalloc': ('#00897b', ':'),
    'malloc/tcmalloc_minimal': ('#8d6e63', ':'),
}
DRAWN = tuple(arm for arm in STYLES if not arm.startswith('malloc/')) + ('malloc/*',)
SWINGS = ('crossing', 'crossing/swing128', 'crossing/swing256', 'crossing/swing512')
BURSTS = ('same-core/b1', 'same-core/b8', 'same-core/b32', 'same-core/b64')
HELD = ('hold/0/l0', 'hold/1k/l0', 'hold/4k/l0', 'hold/16k/l0')
PERCENTILES = ('p50', 'p99', 'p99.9', 'p99.99')


def series(results, position):
    """{arm: [(position(result), result), ..]} of the arms that are drawn, in the order of STYLES."""
    lines = {arm: [] for arm in STYLES}
    for result in results:
        where = position(result)
        if where is not None and result['arm'] in lines and 'median' in result:
            lines[result['arm']].append((where, result))
    return {arm: sorted(points, key=lambda point: point[0]) for arm, points in lines.items() if points}


def _place(names, key):
    """Positions 0, 1, .. for what is in names."""
    return lambda result: names.index(result[key]) if result[key] in names else None


def licence(path):
    """Every file says its own, behind the declaration that XML wants first."""
    with open(path, encoding='utf-8') as file:
        first, rest = file.read().split('\n', 1)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(f'{first}\n<!-- SPDX-License-Identifier: BSD-3-Clause -->\n{rest}')


class Canvas:
    """matplotlib, set up so that nothing in its output depends on the day."""

    def __init__(self, folder):
        import matplotlib  # here, so that all else works without it
        matplotlib.use('Agg')
        matplotlib.rcParams.update({'svg.hashsalt': 'magpie', 'svg.fonttype': 'none', 'font.size': 9,
                                    'axes.spines.top': False, 'axes.spines.right': False})
        from matplotlib import pyplot
        self._pyplot = pyplot
        self._folder = folder

    def lines(self, name, title, labels, ticks, lines, added=0.0):
        """One figure: a line with quartiles for each arm. labels: of the axes. ticks: names of positions."""
        figure, axes = self._pyplot.subplots(figsize=(7, 4))
        for arm, points in lines.items():
            colour, dash = STYLES[arm]
            middle = [result['median'] + added for _, result in points]
            errors = [[result['median'] - result['q1'] for _, result in points],
                      [result['q3'] - result['median'] for _, result in points]]
            axes.errorbar([where for where, _ in points], middle, yerr=errors, label=arm, color=colour, linestyle=dash,
                          marker='o', markersize=3, capsize=2, linewidth=1.2)
        axes.set_title(title, loc='left')
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        axes.set_xticks(range(len(ticks)), ticks)
        if 'Mobj' in labels[1]:
            axes.set_ylim(bottom=0)
        else:
            axes.set_yscale('log')
            axes.yaxis.set_major_formatter('{x:g}')
        axes.grid(axis='y', linewidth=0.3)
        axes.legend(fontsize=7, frameon=False, loc='center left', bbox_to_anchor=(1, 0.5))
        path = os.path.join(self._folder, f'pool-{name}.svg')
        figure.savefig(path, bbox_inches='tight', metadata={'Date': None, 'Creator': None})
        self._pyplot.close(figure)
        licence(path)
        return path


def of_one_state(results):
    """(results, state): between lcores only the samples of the state that most of them were taken in."""
    counts = collections.Counter(state for result in results for state in states(result) if state)
    if not counts:
        return results, None
    state = counts.most_common(1)[0][0]
    return [only(result, state) if 'latency_ns' in result else result for result in results], state


def _draw_all(canvas, results, timer_cycles):
    results, state = of_one_state(results)
    where = f', {state} from each other' if state else ''
    def by_shape(names):
        return series(results, _place(names, 'shape'))
    populations = sorted({result['population'] for result in results if result['shape'] == 'pipeline'
                          and not result['arm'].startswith('malloc/')})
    pipeline = series([result for result in results if result['shape'] == 'pipeline'], _place(populations, 'population'))
    tail = series([result for result in results if result['shape'] == 'tail'], _place(PERCENTILES, 'metric'))
    return [
        canvas.lines('same-core', 'One core: a burst is got and put back', ('burst', 'cycles/object'),
                     [name.split('/b')[1] for name in BURSTS], by_shape(BURSTS)),
        canvas.lines('held', 'One core: a window of objects is held', ('objects held', 'cycles/object'),
                     [name.split('/')[1] for name in HELD], by_shape(HELD)),
        canvas.lines('pipeline', f'One core gets, another puts{where}', ('objects in the pool', 'Mobj/s'),
                     [str(population) for population in populations], pipeline),
        canvas.lines('crossing', f'Two cores, each puts what the other got{where}', ('objects got in a row', 'Mobj/s'),
                     ['32 (balanced)', '128', '256', '512'], by_shape(SWINGS)),
        canvas.lines('tail', 'One call of 32 objects; 64 gets, then 64 puts',
                     ('percentile of calls', f'cycles/call ({timer_cycles:.0f} of them the timer)'),
                     list(PERCENTILES), tail, added=timer_cycles),
    ]


def draw(folder, results, timer_cycles):
    """Draws all figures into the folder and says so; without a folder or matplotlib it does not."""
    if folder is None:
        return
    try:
        os.makedirs(folder, exist_ok=True)
        canvas = Canvas(folder)
        for path in _draw_all(canvas, results, timer_cycles):
            print(f'  drawn: {path}')
    except ImportError:
        print('  no figures, python3-matplotlib is missing; install it: scripts/setup')
    except OSError as error:
        raise Failure(f'--figures {folder}: {error.strerror}') from error
