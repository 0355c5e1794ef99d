# SPDX-License-Identifier: BSD-3-Clause
"""20 000 random variations of the vectors through Magpie and through the kernel's router: what differs is decided, or wrong."""
import collections
import os

import pytest
from decided import Difference, explain
from fate import FIRST_TAG, fates
from kernel_router import KernelRouter
from mutate import Mutator
from netns import Net
from replay import rows
from taps import Taps

N_FRAMES = int(os.environ.get('MAGPIE_DIFFERENTIAL', '20000'))
SEED = int(os.environ.get('MAGPIE_SEED', '5'))
WINDOW = 200  # frames at once: less than a tap's queue


def bases():
    """Frames of both tables that fit a tap's MTU and come alone."""
    table = [row for name in ('published.tsv', 'own.tsv') for row in rows(name)]
    return [row.frames[0][1] for row in table if len(row.frames) == 1 and len(row.frames[0][1]) < 1518 and not row.slow()]


class Pair:
    """Both routers."""

    def __init__(self, net):
        self.taps, self.kernel = Taps(net), KernelRouter(net)

    def play(self, frames):
        """{tag: what came out} of each."""
        before = self.taps.counters()
        for frame in frames:
            self.kernel.wires[0].send(frame)
            self.taps.wires[0].send(frame)
        self.taps.settle(before['rx'] + len(frames))
        return [fates([wire.receive() for wire in wires]) for wires in (self.taps.wires, self.kernel.wires)]


@pytest.fixture(name='pair')
def pair_fixture(program):
    net = Net(program)
    pair = Pair(net)
    yield pair
    ended = pair.taps.stop()
    pair.kernel.close()
    net.close()
    ended.assert_balanced()


def may_be_untagged(frame):
    """Whether what answers it may have no tag: solicitations, and short frames."""
    return frame[12:14] == b'\x86\xdd' and (frame[54:55] == b'\x87' or frame[20:21] not in b'\x06\x11\x3a') or len(frame) < 60


def differences(pair, made):
    """Those of one window; made: {tag: frame}. Answers without a tag are compared together; where they differ, one by one."""
    magpie, kernel = pair.play(made.values())
    for tag, frame in made.items():
        if magpie.get(tag, []) != kernel.get(tag, []):
            yield frame, magpie.get(tag, []), kernel.get(tag, [])
    if magpie.get(None, []) == kernel.get(None, []):
        return
    for frame in filter(may_be_untagged, made.values()):
        ours, theirs = (found.get(None, []) for found in pair.play([frame]))
        if ours != theirs:
            yield frame, ours, theirs


def again(pair, frame):
    """Plays a frame once more, alone: 'late' if now the two agree, or a rule explains it."""
    ours, theirs = ([one for tag in found for one in found[tag]] for found in pair.play([frame]))
    return 'late' if sorted(ours) == sorted(theirs) or explain(Difference(frame, ours, theirs)) else None


def test_differential(pair):
    mutator = Mutator(bases(), SEED)
    explained, wrong = collections.Counter(), []
    for first in range(0, N_FRAMES, WINDOW):
        made = {tag: mutator.make(tag) for tag in range(FIRST_TAG + first, FIRST_TAG + first + WINDOW)}
        for difference in differences(pair, made):
            name = explain(Difference(*difference)) or again(pair, difference[0])
            explained[name] += 1
            if name is None:
                wrong.append(difference)
    print(explained)
    assert not wrong, f'{len(wrong)} differences of {N_FRAMES} frames (seed {SEED}) that nobody has decided:\n' + '\n'.join(
        Difference(*one).text() for one in wrong[:100])
