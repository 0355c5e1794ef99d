# SPDX-License-Identifier: BSD-3-Clause
"""Gets that fail, and buffers that are watched: lib/magazine's MAGAZINE_FAULT and MAGAZINE_DEBUG on the whole program.

Faults need a build with asserts, so these run the sanitized one: what a failed get makes the walk or a driver do wrong is
a report of AddressSanitizer, an assert or a ledger that does not balance.
"""
import re
import time

import pytest
from conftest import build_dir, eal, starting
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

OPTIONS = ['--addr', '0,10.0.0.1/24', '--addr', '1,10.0.1.1/24', '--neigh', '1,10.0.1.2,02:00:00:00:00:02']


@pytest.fixture
def frames(tmp_path):
    """A port that repeats 64 frames for ever, and one that frees what it is given."""
    path, one = tmp_path / 'in.pcap', tmp_path / 'one.pcap'
    frame = Ether(dst='02:70:63:61:70:00', src='02:00:00:00:00:0a') / IP(src='10.0.0.2', dst='10.0.1.2') / UDP() / bytes(18)
    wrpcap(str(path), [frame] * 64)
    wrpcap(str(one), [frame])
    return eal(f'net_pcap0,rx_pcap={path},infinite_rx=1', f'net_pcap1,rx_pcap={one}', megabytes=512)


@pytest.fixture
def sanitized():
    """sanitized(eal_args, options, VARIABLE=..) -> Magpie"""
    program = build_dir() / 'sanitized/app/magpie/magpie'
    if not program.exists():
        pytest.fail(f'no {program}. Run: scripts/test net')
    with starting(program) as run:
        yield lambda eal_args, options, **env: run(eal_args, options, env=env)


def account(ended, key):
    """A number of the final account: 'rx', 'tx', or a reason with "dropped" before."""
    found = re.search(rf'^packets: .*\b{key} (\d+)', ended.out, re.M) or re.search(rf'^{key}: (\d+)', ended.out, re.M)
    return int(found.group(1)) if found else 0


def run_for(magpie, seconds=0.4):
    magpie.wait_forwarding()
    time.sleep(seconds)
    ended = magpie.stop()
    ended.assert_balanced()
    assert 'ERROR: ' not in ended.err and 'runtime error' not in ended.err and 'Assertion' not in ended.err, ended
    return ended


@pytest.mark.parametrize('cache', ['0', '128'])
@pytest.mark.parametrize('fault', ['every=7', 'chance=0.5', 'every=2,exchange'])
def test_some_buffers_are_not_to_be_had(sanitized, frames, fault, cache):
    """A driver that gets no buffers receives less; nothing else happens."""
    ended = run_for(sanitized(frames, [*OPTIONS, '--pool-cache', cache], MAGAZINE_FAULT=f'pool=data0,after=300,{fault}'))
    assert account(ended, 'tx') > 1000, ended


def test_no_buffer_is_to_be_had(sanitized, frames):
    """From some get on each fails: the port falls silent and Magpie goes on."""
    ended = run_for(sanitized(frames, [*OPTIONS, '--pool-cache', '0', '--stats', '1'], MAGAZINE_FAULT='pool=data0,after=1000'), 2.5)
    received = re.findall(r'^packets.rx (\d+)$', ended.out, re.M)
    assert len(received) >= 2 and received[-1] == received[-2], ended
    assert 0 < int(received[-1]) <= 1000 * 64, ended


@pytest.mark.parametrize('build', ['late', 'early'])
def test_some_heads_are_not_to_be_had(sanitized, frames, build):
    """A third of the gets of heads fail: each is a whole burst that is dropped under its own reason."""
    ended = run_for(sanitized(frames, [*OPTIONS, '--build', build, '--pool-cache', '0'],
                              MAGAZINE_FAULT='pool=heads,after=300,every=3'))
    assert account(ended, 'tx') > 1000, ended
    if build == 'late':
        assert 0.2 < account(ended, 'dropped no_head') / account(ended, 'rx') < 0.45, ended


def test_not_a_buffer_for_the_start(sanitized, frames):
    """Then it does not start, says so, and leaves nothing behind that a leak checker would find."""
    ended = sanitized(frames, OPTIONS, MAGAZINE_FAULT='pool=data0').finish()
    assert ended.status == 1 and 'LeakSanitizer' not in ended.err, ended


@pytest.mark.parametrize('level', ['state', 'poison'])
@pytest.mark.parametrize('build', ['late', 'early', 'lazy'])
def test_watched_buffers(start, frames, level, build):
    """Every free and every freed byte is looked at, and there is nothing to report."""
    ended = run_for(start(frames, [*OPTIONS, '--build', build], env={'MAGAZINE_DEBUG': level}))
    assert ended.err == '' and account(ended, 'tx') > 1000, ended


def test_poisoned_buffers_under_the_sanitizer(sanitized, frames):
    ended = run_for(sanitized(frames, OPTIONS, MAGAZINE_DEBUG='poison'))
    assert account(ended, 'tx') > 1000, ended


@pytest.mark.parametrize('variable, value, part', [
    ('MAGAZINE_DEBUG', 'loud', 'MAGAZINE_DEBUG'), ('MAGAZINE_DEBUG', '', 'MAGAZINE_DEBUG'),
    ('MAGAZINE_FAULT', 'every=7', 'MAGAZINE_FAULT')])
def test_environment_makes_no_sense(start, frames, variable, value, part):
    """Among it: a fault in a build that has none, which would otherwise test nothing without a word."""
    start(frames, OPTIONS, env={variable: value}).finish().assert_one_line(2, part)


def test_fault_makes_no_sense(sanitized, frames):
    sanitized(frames, OPTIONS, MAGAZINE_FAULT='often').finish().assert_one_line(2, "found 'often'", 'MAGAZINE_FAULT')
