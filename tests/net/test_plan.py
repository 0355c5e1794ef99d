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
                 r'pool: \d+ data buffers of 2048 bytes on node 0, ops magazine, mempool cache 128, magazines of up to 512',
                 r'heads: \d+, built late, magazines of 128',
                 r'owners: orphan, packets are released per burst before transmit; at most 2490368 bytes to the control thread for each '
                 r'of punt.host, punt.neigh and punt.error',
                 r'control: at most 655 packets wait for MAC addresses, fragments for others in 128 buffers, 4096 are on the road',
                 r'  ICMP errors 1000 a second from each worker, 100 at once; neighbours count as reachable for 30 s; '
                 r'ECMP seed 0x[0-9a-f]{8}',
                 r'workers: 1, burst 32; the control thread (has a CPU of its own|shares a CPU with one of them)'):
        assert re.search(f'^{line}$', ended.out, re.M), f'{line!r} is not in\n{ended.out}'


def equation(out):
    """The terms of the sizing equation in a plan."""
    text = r'rings (\d+) \+ handed over (\d+) \+ in flight (\d+) \+ in caches (\d+) \+ reserve (\d+) = (\d+) <= (\d+)'
    return [int(term) for term in re.search(text, out).groups()]


def held(out, packet=1):
    """Buffers that the control thread may hold, as a plan says: less than 5 % of the pool."""
    population = int(re.search(r'^pool: (\d+) data buffers', out, re.M).group(1))
    waiting, fragments = map(int, re.search(r'^control: at most (\d+) packets wait .* in (\d+) buffers', out, re.M).groups())
    assert waiting == min(1024, population * 40 // 1000 // packet) and fragments == min(128 * packet, population * 9 // 1000)
    assert 0 < waiting * packet + fragments < 0.05 * population
    return waiting * packet + fragments


def handed(out, packet=1, there=1):
    """What is handed over beside the road to the control thread and back, of packets of so many buffers."""
    return equation(out)[1] - 3 * 1024 * there - 1024 * packet - held(out, packet)


def test_equation_adds_up(check):
    out = check('--rxd', '256', '--magazine', '128').out
    *parts, want, have = equation(out)
    assert sum(parts) == want <= have
    assert parts == [2 * (256 + 1024), 4096 + held(out), 3 * 32, 2 * 128 + 128 * 3 // 2, 2 * 128]


def plan(start, vdevs, *options, lcores='0'):
    """What --check prints for these devices."""
    ended = start(eal(*vdevs, lcores=lcores), [*options, '--addr', '0,10.0.0.1/24', '--check']).finish()
    assert ended.status == 0, ended
    return ended


def test_plan_of_jumbo_frames(start):
    """Five buffers for 9000 bytes: in every TX slot of net_ring, which holds packets, in flight, on the way back from the control
    thread, and where nobody counts them on the way there; not in net_null's slots."""
    jumbo = ['--mtu', '0,9000', '--mtu', '1,9000']
    ended = plan(start, ['net_ring0', 'net_null0'], *jumbo)
    assert ended.err == ''
    for line in (r'port 0: .*, MTU 9000, .*', r'  1 RX queue .*, RX offloads SCATTER, TX offloads MULTI_SEGS',
                 r'  frames of up to 5 buffers'):
        assert re.search(f'^{line}$', ended.out, re.M), f'{line!r} is not in\n{ended.out}'
    assert equation(ended.out)[0::2][:2] == [1024 + 5 * 1024 + 2048, 3 * 5 * 32] and handed(ended.out, 5) == 0
    out = plan(start, ['net_null0', 'net_null1'], *jumbo).out
    assert equation(out)[0::2][:2] == [4 * 1024, 3 * 5 * 32] and handed(out, 5) == 0
    assert handed(plan(start, ['net_null0'], '--mtu', '0,9000', '--complete', 'none').out, 5, there=5) == 0
    assert equation(plan(start, ['net_null0'], '--mtu', '0,2027').out)[2] == 3 * 2 * 32
    assert equation(plan(start, ['net_null0'], '--mtu', '0,2026').out)[2] == 3 * 32


def test_plan_of_fragments(start):
    """A port with a smaller MTU than another's sends fragments: a header, and bytes of a buffer that others show, too."""
    def ports(out):
        return re.split(r'^(?=port |queue)', out, flags=re.M)[1:4]

    told = 'larger IPv4 packets leave in fragments that share their buffers'
    out = plan(start, NULLS, '--mtu', '0,1400').out
    assert [told in port for port in ports(out)] == [True, False, False]
    assert equation(out)[0] == 3 * 1024 + 4 * 1024
    # two fragments of each packet of a burst, each of two buffers
    assert handed(out) == 32 * 2 * 2
    heads = [int(re.search(r'^heads: (\d+),', text, re.M).group(1)) - held(text) for text in (out, plan(start, NULLS).out)]
    assert heads[0] - heads[1] == 32 * 2
    # what comes in may be in two buffers; a slot of net_ring holds packets, but not of shared bytes
    out = plan(start, ['net_null0', 'net_ring0'], '--mtu', '0,3000').out
    assert told not in out
    assert equation(out)[0] == 4 * 1024 and handed(out, 2) == 32 * 3 * 3
    # 1500 bytes by 1300: also where the device must be asked for chains
    out = plan(start, ['net_tap0', 'net_null0'], '--mtu', '0,1300').out
    assert told in out and re.search(r'TX offloads.* MULTI_SEGS', out)
    assert told not in plan(start, ['net_tap0', 'net_null0'], '--mtu', '1,1300', '--mtu', '0,1300').out


def test_plan_of_small_buffers(start):
    """Twelve buffers of 128 bytes for 1500 and what is around them."""
    out = plan(start, ['net_null0', 'net_null1'], '--data-room', '128').out
    assert re.search(r'^pool: \d+ data buffers of 128 bytes on node 0,', out, re.M) and out.count('  frames of up to 12 buffers\n') == 2
    assert re.search(r'^owners: .*; at most 524288 bytes to the control thread', out, re.M), out
    assert equation(out)[2] == 3 * 12 * 32 and handed(out, 12) == 0


def test_plan_of_hand_off_rings(start):
    """A memif has one TX queue, so the second lcore hands over to the first; a mirror port's packet has one buffer more."""
    def rest(*options, **packets):
        memif = f'net_memif0,role=server,bsize=9022,socket=/magpie-test-{os.getpid()},socket-abstract=yes'
        return handed(plan(start, ['net_null0', 'net_null1', memif], *options, lcores='0,1').out, **packets)

    jumbo = [f'--mtu={i},9000' for i in range(3)]
    assert rest() == 1024
    assert rest(*jumbo, packet=5) == 5 * 1024
    assert rest('--mirror', '0=2') == 2 * 1024 + 2 * 32
    # five buffers, four of them shown by indirect ones, and the copy's own; punts likewise
    assert rest(*jumbo, '--mirror', '0=2', packet=10, there=2) == 10 * 1024 + 2 * 32 * 10
    assert rest(*jumbo, '--mirror', '0=2,tx', packet=5) == 6 * 1024 + 2 * 32 * 5


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
    assert equation(ended.out)[0::2][:2] == [3 * 1024 + 4 * 1024, 3 * 32] and handed(ended.out) == 32
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


def test_plan_of_control(start):
    def line(*options):
        return re.search(r'^  (.*); neighbours count as reachable for (\d+) s; ECMP seed (\w+)$', plan(start, NULLS, *options).out,
                         re.M).groups()

    seeds = [line()[2] for _ in range(3)]
    assert len(set(seeds)) > 1, seeds
    assert line('--ecmp-seed', '255', '--neigh-reachable', '5', '--icmp-rate', '0') == ('no ICMP errors', '5', '0x000000ff')
    assert line('--ecmp-seed', '0xAbc', '--icmp-rate', 'unlimited')[0::2] == ('ICMP errors unlimited', '0x00000abc')
    assert line('--icmp-rate', '10')[0] == 'ICMP errors 10 a second from each worker, 32 at once'


def test_link_local_addresses(start):
    """Of the MAC address (RFC 4291 appendix A), where there is one, for ports with IPv6, but for those that have been given one."""
    memifs = [f'net_memif{i},role=server,id={i},socket=/magpie-test-{os.getpid()},socket-abstract=yes,mac=02:00:00:00:0{i}:a1'
              for i in range(3)]
    ended = plan(start, memifs, '--addr', '0,2001:db8::1/64', '--addr', '1,2001:db8:1::1/64', '--addr', '1,fe80::1/64')
    assert ended.err == '' and re.findall(r'^  link-local address (.*)$', ended.out, re.M) == ['fe80::ff:fe00:a1'], ended
    assert 'link-local' not in plan(start, ['net_ring0'], '--addr', '0,2001:db8::1/64').out
    same = [memif.replace(':01:a1', ':00:a1') for memif in memifs]
    ended = plan(start, same, '--addr', '0,2001:db8::1/64', '--addr', '1,2001:db8:1::1/64')
    assert ended.err == "magpie: warning: port 1: no link-local address, fe80::ff:fe00:a1 is another port's: --addr gives it one\n"


@pytest.mark.parametrize('vdev, parts', [
    ('net_af_packet0,iface=lo', ['net_af_packet needs 2016 bytes in a data buffer, there are 128'])], ids=str)
def test_small_buffers_that_a_driver_cannot_use(start, vdev, parts):
    start(eal(vdev), ['--data-room', '128']).finish().assert_one_line(2, f"--data-room: found '{vdev.split(',')[0]}'", *parts)


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

    refused = start(eal('net_ring0', 'net_ring1'), ['--magazine', '64', '--pool-size', '1']).finish()
    want = int(re.search(r'set --pool-size (\d+)$', refused.err).group(1))
    assert [rounds(want - 1), rounds(want), rounds(65535)] == [32, 64, 512]
