# SPDX-License-Identifier: BSD-3-Clause
"""What --check says of the plan is true: ports, frames, owners, mirrors, the sizing equation; and what it plans can be run."""
import os
import re

import pytest
from conftest import eal

ADDRS = ['--addr', '0,10.0.0.1/24', '--addr', '1,10.0.1.1/24']
NULLS = ['net_null0', 'net_null1', 'net_null2']


def test_check_prints_the_plan(check):
    ended = check(*ADDRS, '--addr', '1,2001:db8::1/64', '--route', '0.0.0.0/0,via=10.0.1.2', '--mtu', '1,1400', '--rxd', '512',
                  '--neigh', '1,10.0.1.2,02:00:00:00:00:02', '--route', '9.0.0.0/8,blackhole')
    assert ended.status == 0 and ended.err == '', ended
    for line in (r'port 0: net_ring0, driver net_ring, MAC [0-9A-F:]{17}, MTU 1500, node \w+',
                 r'port 1: net_ring1, driver net_ring, MAC [0-9A-F:]{17}, MTU 1400, node \w+',
                 r'  1 RX queue of 512, 1 TX queue of 1024, RX offloads .*, TX offloads .*',
                 r'  link by .*polling.*',
                 r'  frames of 1 buffer, more may arrive',
                 r'queue: port 1 queue 0 -> lcore 0 \(node 0\), pool on node 0; distance to port -?\d+, to pool \d+',
                 r'tables: 3 addresses, 1 neighbours, 2 configured routes',
                 r'.* adjacencies .* FIB \d+\.\d MB',
                 r'pool: \d+ data buffers of 2048 bytes on node 0, ops magazine, mempool cache 128, magazines of up to 128',
                 r'heads: \d+, built late, magazines of 128',
                 r'owners: orphan, packets are released per burst before transmit; at most 9961472 bytes to the control thread',
                 r'workers: 1, burst 32; the control thread (has a CPU of its own|shares a CPU with one of them)'):
        assert re.search(f'^{line}$', ended.out, re.M), f'{line!r} is not in\n{ended.out}'


def equation(out):
    """The terms of the sizing equation in a plan."""
    text = r'rings (\d+) \+ handed over (\d+) \+ in flight (\d+) \+ in caches (\d+) \+ reserve (\d+) = (\d+) <= (\d+)'
    return [int(term) for term in re.search(text, out).groups()]


def test_equation_adds_up(check):
    *parts, want, have = equation(check('--rxd', '256', '--magazine', '128').out)
    assert sum(parts) == want <= have
    assert parts == [2 * (256 + 1024), 4096, 3 * 32, 2 * 128 + 128 * 3 // 2, 2 * 128]


def plan(start, vdevs, *options, lcores='0'):
    """What --check prints for these devices."""
    ended = start(eal(*vdevs, lcores=lcores), [*options, '--addr', '0,10.0.0.1/24', '--check']).finish()
    assert ended.status == 0, ended
    return ended


def test_plan_of_jumbo_frames(start):
    """Five buffers for 9000 bytes: in every TX slot of net_ring, which holds packets, in flight, and where nobody counts them in
    the punt ring; not in net_null's slots."""
    ended = plan(start, ['net_ring0', 'net_null0'], '--mtu', '0,9000')
    assert ended.err == ''
    for line in (r'port 0: .*, MTU 9000, .*', r'  1 RX queue .*, RX offloads SCATTER, TX offloads MULTI_SEGS',
                 r'  frames of up to 5 buffers'):
        assert re.search(f'^{line}$', ended.out, re.M), f'{line!r} is not in\n{ended.out}'
    assert equation(ended.out)[:3] == [1024 + 5 * 1024 + 2048, 4096, 3 * 5 * 32]
    assert equation(plan(start, ['net_null0', 'net_null1'], '--mtu', '0,9000').out)[:3] == [4 * 1024, 4096, 3 * 5 * 32]
    assert equation(plan(start, ['net_null0'], '--mtu', '0,9000', '--complete', 'none').out)[1] == 5 * 4096
    assert equation(plan(start, ['net_null0'], '--mtu', '0,2027').out)[2] == 3 * 2 * 32
    assert equation(plan(start, ['net_null0'], '--mtu', '0,2026').out)[2] == 3 * 32


def test_plan_of_hand_off_rings(start):
    """A memif has one TX queue, so the second lcore hands over to the first; a mirror port's packet has one buffer more."""
    def handed(*options):
        memif = f'net_memif0,role=server,bsize=9022,socket=/magpie-test-{os.getpid()},socket-abstract=yes'
        out = plan(start, ['net_null0', 'net_null1', memif], *options, lcores='0,1').out
        return equation(out)[1] - 4096

    assert handed() == 1024
    assert handed('--mtu', '2,9000') == 5 * 1024
    assert handed('--mirror', '0=2') == 2 * 1024 + 2 * 32
    # five buffers, four of them shown by indirect ones, and the copy's own; punts likewise
    assert handed('--mtu', '2,9000', '--mirror', '0=2') == 10 * 1024 + 4096 + 2 * 32 * 10
    assert handed('--mtu', '2,9000', '--mirror', '0=2,tx') == 6 * 1024 + 2 * 32 * 5


def test_plan_of_owners_and_mirrors(start):
    ended = plan(start, NULLS, '--owner-limit', '0,100000', '--owner-limit', '1,90000', '--owner-limit', '1,0',
                 '--mirror', '0=2', '--mirror', '1=2,tx', '--complete', 'orphan-packet')
    assert ended.err == ''
    ports = re.split(r'^(?=port |queue)', ended.out, flags=re.M)[1:4]
    assert [re.findall(r'^  (at most .*|copies .*)$', port, re.M) for port in ports] == [
        ['at most 100000 bytes of memory for its packets', 'copies of what it receives leave by port 2',
         'copies of what it sends leave by port 2'], ['copies of what it sends leave by port 2'], []]
    assert re.search(r'^owners: orphan-packet, packets are released one by one before transmit; ', ended.out, re.M)
    # the mirror port's slots hold two buffers, a burst of copies is on its way
    assert equation(ended.out)[:3] == [3 * 1024 + 4 * 1024, 4096 + 32, 3 * 32]
    heads = [int(re.search(r'^heads: (\d+),', plan(start, NULLS, *options).out, re.M).group(1))
             for options in ([], ['--mirror', '0=1,rx'])]
    assert heads[1] - heads[0] == 32


@pytest.mark.parametrize('options, mode, cache', [
    ([], 'orphan', 128), (['--complete', 'completion'], 'completion', 0), (['--build', 'lazy'], 'none', 128),
    (['--complete', 'none'], 'none', 128), (['--build', 'early'], 'orphan', 0)])
def test_plan_of_completion(start, options, mode, cache):
    out = plan(start, NULLS, *options).out
    assert re.search(f'^owners: {mode}, ', out, re.M) and f'mempool cache {cache},' in out, out
    assert ('to the control thread' in out) == (mode != 'none')


def test_least_owner_limit_and_last_of_two(start):
    out = plan(start, NULLS, '--owner-limit', '0,77824', '--mtu', '0,9000', '--mtu', '0,1400').out
    assert 'at most 77824 bytes' in out and re.search('^port 0: .*, MTU 1400,', out, re.M), out


def test_copies_are_sent_in_pieces(start):
    """A device that receives no chains is asked to send them only if there are copies."""
    vdevs = [f'net_af_packet{i},iface=lo' for i in range(2)]
    assert 'MULTI_SEGS' not in plan(start, vdevs).out
    assert plan(start, vdevs, '--mirror', '0=1').out.count('TX offloads MULTI_SEGS') == 2


def test_second_mirror(start):
    for options in (['0=1', '0=2,tx'], ['0=1,tx', '0=1'], ['0=1,tx', '0=2,both']):
        start(eal(*NULLS), ['--mirror', options[0], '--mirror', options[1]]).finish().assert_one_line(
            2, "--mirror: found 'a second mirror of port 0'", 'one for what it sends, which port 1 is already')


def test_mirror_with_a_smaller_mtu(start):
    ended = plan(start, NULLS, '--mirror', '0=1', '--mirror', '2=1,rx', '--mtu', '0,1600')
    assert ended.err == ('magpie: warning: port 0 has MTU 1600 and its mirror port 1 has 1500: larger packets are not copied\n')


@pytest.mark.parametrize('vdev, mtu, parts', [
    ('net_memif0,role=server', 9000, ['net_memif mixes up frames', 'bsize=9022']),
    ('net_af_packet0,iface=lo', 9000, ['MTU 9000 is outside of what net_af_packet takes', 'to 1500']),
], ids=str)
def test_mtu_that_a_driver_cannot(start, vdev, mtu, parts):
    start(eal(vdev), ['--mtu', f'0,{mtu}']).finish().assert_one_line(2, f"--mtu: found '{vdev.split(',')[0]}'", *parts)


@pytest.mark.parametrize('options', [
    ['--complete', 'orphan-packet'], ['--complete', 'completion'], ['--complete', 'completion', '--build', 'early'], ['--complete', 'none'],
    ['--complete', 'none', '--build', 'early'], ['--build', 'lazy'], ['--owner-limit', '0,100000', '--complete', 'completion'],
    ['--mirror', '0=1'], ['--mirror', '0=1', '--mirror', '1=2,rx', '--build', 'early', '--complete', 'completion'],
    ['--mirror', '0=2', '--build', 'lazy'], ['--mtu', '0,9000']], ids=' '.join)
def test_every_mode_ends_balanced(start, options):
    """Under the flood that net_null makes."""
    start(eal(*NULLS), options).wait_forwarding().stop().assert_balanced()


def test_control_thread_shares_the_only_cpu(start):
    cpus = os.sched_getaffinity(0)
    lcores = ','.join(map(str, sorted(cpus)))
    out = start(eal('net_ring0', lcores=lcores), ['--check']).finish().out
    assert 'the control thread shares a CPU' in out


@pytest.mark.parametrize('ops', [['--pool-ops', 'magazine'], ['--magazine', 'auto'], ['--magazine', '512'],
                                 ['--pool-ops', 'ring_mp_mc', '--pool-cache', '256'], ['--pool-ops', 'stack'],
                                 ['--build', 'early'], ['--pool-cache', '64']], ids=' '.join)
def test_pool_too_small(start, ops):
    """The line says what would do: that much is then enough to run, one less is not."""
    ended = start(eal('net_ring0', 'net_ring1'), [*ops, '--pool-size', '1000']).finish()
    ended.assert_one_line(2, "--pool-size: found '1000', expected at least", 'set --pool-size')
    want = int(re.search(r'set --pool-size (\d+)$', ended.err).group(1))
    assert f'at least {want} (' in ended.err
    start(eal('net_ring0', 'net_ring1'), [*ops, '--pool-size', str(want - 1)]).finish().assert_one_line(2, f'{want}')
    start(eal('net_ring0', 'net_ring1'), [*ops, '--pool-size', str(want)]).wait_forwarding().stop().assert_balanced()


@pytest.mark.parametrize('level, options, cache', [
    ('state', [], 0), ('poison', [], 0), ('off', [], 128), ('state', ['--pool-cache', '64'], 64)])
def test_watched_buffers_pass_by_no_cache(start, level, options, cache):
    """A double free that stays within a mempool cache would not be seen."""
    ended = start(eal('net_ring0', 'net_ring1'), [*options, '--check'], env={'MAGAZINE_DEBUG': level}).finish()
    assert f'mempool cache {cache},' in ended.out, ended


def test_auto_takes_what_fits(start):
    def rounds(size):
        out = start(eal('net_ring0', 'net_ring1'), ['--magazine', 'auto', '--pool-size', str(size), '--check']).finish().out
        return int(re.search(r'mempool cache \d+, magazines of up to (\d+)', out).group(1))

    want = int(re.search(r' = (\d+) <=', start(eal('net_ring0', 'net_ring1'), ['--magazine', '64', '--check']).finish().out).group(1))
    assert [rounds(want - 1), rounds(want), rounds(65535)] == [32, 64, 512]
