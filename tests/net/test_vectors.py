# SPDX-License-Identifier: BSD-3-Clause
"""Frames with a known right answer (tests/vectors), one by one through the running program: bytes out, one counter, the ledger."""
import pytest
from netns import Net
from replay import replay
from taps import Taps


SMALL = ('--data-room', '128')


@pytest.fixture(name='taps', scope='module', params=[('tap', ()), ('tap', SMALL), ('pcap', (*SMALL, '--pool-size', '262143'))], ids=['tap', 'tap-128', 'pcap-128'])
def taps_fixture(program, request):
    """A Magpie for all tables: with frames in one data buffer, and in buffers of 128 bytes; those too long for a tap by net_pcap."""
    net = Net(program)
    taps = Taps(net, request.param[1], kind=request.param[0])
    yield taps
    ended = taps.stop()
    net.close()
    ended.assert_balanced()


@pytest.mark.parametrize('table', ['published.tsv', 'own.tsv'])
def test_vectors(taps, table):
    wrong = replay(taps, table)
    assert not wrong, f'{len(wrong)} rows:\n' + '\n'.join(wrong)
