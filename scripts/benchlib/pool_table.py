# SPDX-License-Identifier: BSD-3-Clause
"""The ratios that Magpie's pool has to reach: what is measured for them, and whether it reaches them.

A ratio is taken within a round, between two arms that were measured one after the other; a row shows the median
of these ratios, with their quartiles.

Between cores it matters most how near they are to each other, and on a virtual machine that changes under way: the time
of a cache line from one to the other is taken before and after each sample. Samples during which it changed are left
out, ratios are taken only between samples of the same state, and each state has a figure of its own as well.
"""
import collections
import statistics

# What one run of magpie-poolbench measures: every arm in every shape at every population.
Section = collections.namedtuple('Section', 'name shapes arms populations')
# ours against one arm, or against the best (by its median) of several; goal: at least, or at most if it is '<='.
Row = collections.namedtuple('Row', 'text shape population metric ours against relation goal')
Outcome = collections.namedtuple('Outcome', 'row against ratio q1 q3 reached inline size note states', defaults=((),))
# The ratio in one state of the machine, against the arm that was best in it, from so many rounds.
StateRatio = collections.namedtuple('StateRatio', 'state ratio against n')

SMALL, LARGE, WIDE = 16384, 131072, 32768
UNCACHED, DEFAULT, STACK = 'ring_mp_mc/c0', 'ring_mp_mc/c512', 'stack/c512'
STOCK = (DEFAULT, STACK, 'stack/c256', 'lf_stack/c512')
STOCK_128 = ('ring_mp_mc/c128', 'stack/c128', 'lf_stack/c128')
OURS, SINGLE, INLINE = 'magazine/auto', 'magazine/auto+c128', 'inline/auto'
TAIL = 'p99.9'
NEAR, FAR = 'near', 'far'
FAR_NS = 100  # one way; cores that share a cache take some 40 ns, others 200

SECTIONS = (
    Section('same core', ('same-core/b1', 'same-core/b32'), (UNCACHED, DEFAULT, OURS, SINGLE, INLINE), (SMALL,)),
    Section('pipeline', ('pipeline',), (UNCACHED, *STOCK, OURS, INLINE), (SMALL, LARGE)),
    Section('crossing', ('crossing', 'crossing/swing512'), (UNCACHED, *STOCK, OURS, INLINE), (SMALL,)),
    Section('crossing of equal size', ('crossing/swing256',),
            (UNCACHED, *STOCK_128, OURS, 'magazine/m128', 'inline/m128'), (SMALL,)),
    Section('tail', ('tail',), (DEFAULT, STACK, OURS, INLINE), (SMALL,)),
    Section('every other shape', ('same-core/b8', 'same-core/b64', 'same-core/n32', 'hold/*', 'swing/*',
                                  'crossing/swing128'), (UNCACHED, OURS), (WIDE,)),
)

ROWS = (
    Row('same core, burst 32, inline', 'same-core/b32', SMALL, '', INLINE, (DEFAULT,), '>=', 1.5),
    Row('same core, burst 32, through ops', 'same-core/b32', SMALL, '', OURS, (DEFAULT,), '>=', 0.97),
    Row('same core, burst 1, with a cache in front', 'same-core/b1', SMALL, '', SINGLE, (DEFAULT,), '>=', 1.0),
    Row('pipeline 1:1, population 131072', 'pipeline', LARGE, '', OURS, (DEFAULT,), '>=', 2.3),
    Row('pipeline 1:1, population 131072', 'pipeline', LARGE, '', OURS, (STACK,), '>=', 1.05),
    Row('pipeline 1:1, population 131072, best stock', 'pipeline', LARGE, '', OURS, STOCK, '>=', 1.05),
    Row('pipeline 1:1, population 16384, best stock', 'pipeline', SMALL, '', OURS, STOCK, '>=', 1.05),
    Row('two-way crossing, balanced, best stock', 'crossing', SMALL, '', OURS, STOCK, '>=', 1.05),
    Row('two-way crossing, swing 512, best stock', 'crossing/swing512', SMALL, '', OURS, STOCK, '>=', 1.0),
    Row('two-way crossing, swing 256, size 128, best stock', 'crossing/swing256', SMALL, '', 'magazine/m128',
        STOCK_128, '>=', 1.05),
    Row('p99.9 of a burst-32 call, 64 up 64 down', 'tail', SMALL, TAIL, OURS, (DEFAULT,), '<=', 0.3),
    Row('p99.9 of a burst-32 call, 64 up 64 down', 'tail', SMALL, TAIL, OURS, (STACK,), '<=', 0.25),
)
ANY_SHAPE_GOAL = 1.8


class Results:
    """The reports of several runs of magpie-poolbench; arms are compared only within one of them."""

    def __init__(self, reports):
        self._reports = [(report, {(r['arm'], r['shape'], r['population'], r['metric']): r
                                   for r in report['results']}) for report in reports]

    def find(self, arms, shape, population, metric=''):
        """The results of these arms from the first report that has all of them, and its timer's cycles; or None."""
        for report, cells in self._reports:
            keys = [(arm, shape, population, metric) for arm in arms]
            if all(key in cells for key in keys):
                return [cells[key] for key in keys], report['timer_cycles']
        return None

    def shapes(self, arms):
        """(shape, population) of every single number that was measured for these arms."""
        found = {}
        for _, cells in self._reports:
            for _, shape, population, metric in cells:
                if metric == '' and all((arm, shape, population, metric) in cells for arm in arms):
                    found[shape, population] = None
        return list(found)


def quartiles(values):
    """(first quartile, median, third quartile), interpolated as magpie-poolbench does."""
    return statistics.quantiles(values, n=4, method='inclusive') if len(values) > 1 else 3 * list(values)


def is_rate(result):
    return result['unit'] == 'Mobj/s'


def states(result):
    """Per round: how near the cores were; None if that changed meanwhile, '' where it does not matter."""
    def state(before, after):
        return (FAR if before >= FAR_NS else NEAR) if (before >= FAR_NS) == (after >= FAR_NS) else None
    return [state(*pair) for pair in result['latency_ns']] if 'latency_ns' in result else [''] * len(result['samples'])


def only(result, wanted):
    """The result with nothing but the samples of one state."""
    samples = [sample if state == wanted else None for sample, state in zip(result['samples'], states(result))]
    able = [sample for sample in samples if sample is not None]
    kept = {key: value for key, value in result.items() if key not in ('median', 'q1', 'q3')}
    return {**kept, 'samples': samples, **(dict(zip(('q1', 'median', 'q3'), quartiles(able))) if able else {})}


def ratios(ours, theirs, relation='>=', added=0.0):
    """Per round: how many times as fast ours is; with '<=', how many times as large its number is."""
    pairs = [(mine + added, other + added) for mine, other, here, there
             in zip(ours['samples'], theirs['samples'], states(ours), states(theirs))
             if mine is not None and other is not None and here == there and here is not None]
    if relation == '>=' and not is_rate(ours):
        pairs = [(other, mine) for mine, other in pairs]
    return [upper / lower for upper, lower in pairs if lower > 0]


def best(results):
    """The one with the best median."""
    able = [result for result in results if 'median' in result]
    if not able:
        return None
    return (max if is_rate(able[0]) else min)(able, key=lambda result: result['median'])


def _size(result):
    """M that an adaptive arm had come to, the median of the rounds."""
    sizes = result.get('magazine', {}).get('sizes', [])
    return f'{statistics.median_low(sizes)}' if sizes else '-'


def _inline(row, results, against):
    """The median ratio of the inline arm, where it was measured as well."""
    arm = row.ours.replace('magazine/', 'inline/')
    found = results.find([arm, against], row.shape, row.population, row.metric)
    if arm == row.ours or found is None:
        return None
    values = ratios(*found[0], row.relation)
    return quartiles(values)[1] if values else None


def by_state(row, cells):
    """A StateRatio for each state that was met; the best of the others is chosen anew in each."""
    found = []
    for state in (NEAR, FAR):
        ours, *others = (only(cell, state) for cell in cells)
        theirs = best(others)
        values = ratios(ours, theirs, row.relation) if theirs else []
        if values:
            found.append(StateRatio(state, quartiles(values)[1], theirs['arm'], len(values)))
    return tuple(found)


def judge(row, results):
    """The outcome of a row; one without a ratio is not reached."""
    found = results.find([row.ours, *row.against], row.shape, row.population, row.metric)
    theirs = best(found[0][1:]) if found else None
    values = ratios(found[0][0], theirs, row.relation) if theirs else []
    if not values:
        return Outcome(row, '-', None, None, None, False, None, '-', 'not measured')
    q1, middle, q3 = quartiles(values)
    reached = middle >= row.goal if row.relation == '>=' else middle <= row.goal
    note = ''
    if row.metric:
        with_timer = quartiles(ratios(found[0][0], theirs, row.relation, added=found[1]))[1]
        note = f'{with_timer:.3f} with the {found[1]:.0f} cycles of the timer left in'
    return Outcome(row, theirs['arm'], middle, q1, q3, reached, _inline(row, results, theirs['arm']),
                   _size(found[0][0]), note, by_state(row, found[0]))


def _where(outcome, outcomes):
    """The shape, with its population where there are several."""
    populations = {other.row.population for other in outcomes if other.row.shape == outcome.row.shape}
    return outcome.row.shape + (f' at {outcome.row.population}' if len(populations) > 1 else '')


def judge_any_shape(results):
    """The worst of all shapes against a ring without a cache; says too which others are below the goal."""
    goal = Row('any shape', '', 0, '', OURS, (UNCACHED,), '>=', ANY_SHAPE_GOAL)
    outcomes = [judge(goal._replace(shape=shape, population=population), results)
                for shape, population in results.shapes([OURS, UNCACHED])]
    outcomes = sorted((o for o in outcomes if o.ratio is not None), key=lambda outcome: outcome.ratio)
    if not outcomes:
        return judge(goal, results)
    worst, n_all = outcomes[0], len(outcomes)
    short = [f'{_where(outcome, outcomes)} {outcome.ratio:.2f}' for outcome in outcomes if not outcome.reached]
    text = f'any shape; worst of {n_all}: {_where(worst, outcomes)}'
    return worst._replace(row=worst.row._replace(text=text),
                          note=f'below in {len(short)} of {n_all}: {", ".join(short)}' if short else '')


def judge_all(results):
    return [*(judge(row, results) for row in ROWS), judge_any_shape(results)]
