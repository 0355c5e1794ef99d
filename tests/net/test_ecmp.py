# SPDX-License-Identifier: BSD-3-Clause
"""Several next hops for one route (RFC 2992, RFC 6438): shares, one path for one flow, seeds, next hops that come and go."""
import collections
import time

import pytest
from hosts import Hosts
from netns import Net, wait_until
from station import Station
from taps import Taps
from wire import IP4, IP6, FRAGMENT, UDP, addr_bytes, fragment6, frame_of, ip4, ip6, udp

P0, A = '02:00:00:00:00:01', '02:00:00:00:00:0a'
N_FLOWS = 32768
WAYS = {'10.0.1.21': '02:00:00:00:01:21', '10.0.1.22': '02:00:00:00:01:22', '2001:db8:1::21': '02:00:00:00:01:21',
        '2001:db8:1::22': '02:00:00:00:01:22'}
FIRST, SECOND = '02:00:00:00:01:21', '02:00:00:00:01:22'
BASE = ['--addr', '0,10.0.0.1/24', '--addr', '0,2001:db8::1/64', '--addr', '1,10.0.1.1/24', '--addr', '1,2001:db8:1::1/64',
        '--neigh', f'0,10.0.0.2,{A}', '--neigh', f'0,2001:db8::2,{A}', '--neigh-reachable', '2', '--icmp-rate', 'unlimited',
        '--route', '10.7.0.0/16,via=10.0.1.21,weight=3,via=10.0.1.22', '--route', '10.8.0.0/16,via=10.0.1.21,via=10.0.1.22',
        '--route', '2001:db8:8::/48,via=2001:db8:1::21,via=2001:db8:1::22']


def flow4(i, net='10.8', ident=1, **how):
    """A packet of IPv4 flow i."""
    src, dst = f'10.0.0.{2 + i % 200}', f'{net}.{i // 800 % 256}.{i // 51200 + 1}'
    return frame_of(P0, A, IP4, ip4(src, dst, UDP, udp(src, dst, bytes(18), sport=1024 + i % 60000, dport=9), ident=ident, **how))


def flow6(i, label=0, sport=1024):
    """The same for IPv6."""
    src, dst = f'2001:db8::{2 + i % 200:x}', f'2001:db8:8::{i // 200 + 1:x}'
    return frame_of(P0, A, IP6, ip6(src, dst, UDP, udp(src, dst, bytes(18), sport=sport), flow=label))


def key(frame):
    """What of a packet one hop leaves as it is."""
    return frame[14:22] + frame[26:] if frame[12] == 8 else frame[14:21] + frame[22:]


class Ways:
    """A Magpie whose port 0 a raw socket feeds, with two next hops behind port 1."""

    def __init__(self, program, seed):
        self.net = Net(program)
        self.taps = Taps(self.net, base=BASE, options=['--ecmp-seed', str(seed)])
        self.station = Station(self.taps.wires[1], WAYS)
        wait_until(self.both, 'both ways', 8)

    def both(self):
        """Whether both next hops are in use."""
        return len(set(self.choose([flow4(i) for i in range(32)], 0.1))) == 2

    def choose(self, frames, seconds=2):
        """The MAC addresses that frames leave to, in their order; None for one that does not."""
        chosen = []
        for first in range(0, len(frames), 256):
            part = frames[first:first + 256]
            self.station.frames()
            for frame in part:
                self.taps.wires[0].send(frame)
            came = {key(frame): frame[:6].hex(':') for frame in self.station.wait_frames(len(part), seconds)}
            chosen += [came.get(key(frame)) for frame in part]
        return chosen

    def close(self):
        """Ends it; the ledger must be balanced."""
        self.station.close()
        ended = self.taps.stop()
        self.net.close()
        ended.assert_balanced()


@pytest.fixture(name='two', scope='module')
def two_fixture(program):
    """Two Magpies that differ in their seed."""
    two = [Ways(program, seed) for seed in (1, 0xdeadbeef)]
    yield two
    for ways in two:
        ways.close()


@pytest.mark.parametrize('net, share', [('10.7', 0.75), ('10.8', 0.5)])
def test_shares(two, net, share):
    """Within 5 % of the weights for 32 768 flows."""
    counts = collections.Counter(two[0].choose([flow4(i, net) for i in range(N_FLOWS)]))
    assert None not in counts, counts
    assert abs(counts[FIRST] / N_FLOWS - share) <= 0.05 * share, counts


def test_one_flow_one_way(two):
    first = two[0].choose([flow4(i, ident=1) for i in range(512)])
    assert two[0].choose([flow4(i, ident=2) for i in range(512)]) == first
    assert set(first) == {FIRST, SECOND}


def test_ports_matter(two):
    """Flows between two hosts spread over both ways, except in fragments, which have no ports (all of them, the first one too)."""
    def packet(sport, **how):
        return frame_of(P0, A, IP4, ip4('10.0.0.2', '10.8.0.9', UDP, udp('10.0.0.2', '10.8.0.9', bytes(24), sport=sport), ident=sport, **how))
    assert set(two[0].choose([packet(sport) for sport in range(1000, 1100)])) == {FIRST, SECOND}
    pieces = [packet(sport, **how) for sport in range(1000, 1050) for how in ({'flags': 1}, {'flags': 1, 'offset': 8}, {'offset': 160})]
    assert len(set(two[0].choose(pieces))) == 1


def test_flow_label_matters(two):
    """RFC 6438: two addresses and a label are a flow, whatever the ports."""
    assert set(two[0].choose([flow6(0, label=label) for label in range(1, 101)])) == {FIRST, SECOND}
    assert len(set(two[0].choose([flow6(0, label=7, sport=sport) for sport in range(1000, 1050)]))) == 1
    piece = [frame_of(P0, A, IP6, ip6('2001:db8::2', '2001:db8:8::1', FRAGMENT, fragment6(UDP, at, 1, ident, bytes([ident]) * 40)))
             for ident in range(1, 40) for at in (0, 40)]
    assert len(set(two[0].choose(piece))) == 1


def test_seeds_do_not_polarise(two):
    """Of the flows that one router sends one way, another sends half each way."""
    flows = [flow4(i) for i in range(8192)]
    pairs = collections.Counter(zip(two[0].choose(flows), two[1].choose(flows)))
    for pair in ((a, b) for a in (FIRST, SECOND) for b in (FIRST, SECOND)):
        assert 0.22 < pairs[pair] / 8192 < 0.28, pairs


def test_way_leaves_and_returns(two):
    """A next hop that nobody answers for leaves the group; its flows go the other way, and come back when it does."""
    ways = two[0]
    flows = [flow4(i) for i in range(64)]
    before = ways.choose(flows)
    for addr in ('10.0.1.22', '2001:db8:1::22'):
        del ways.station.macs[addr]
    began = time.monotonic()
    wait_until(lambda: set(ways.choose(flows, 0.3)) == {FIRST}, 'one way only', 2 * 1.5 + 5)
    assert time.monotonic() - began > 1
    assert [new for new, old in zip(ways.choose(flows), before) if old == FIRST] == [FIRST] * before.count(FIRST)
    ways.station.macs['10.0.1.22'] = SECOND
    wait_until(lambda: ways.choose(flows, 0.3) == before, 'both ways', 2)


SERVER = '''
import asyncio
async def echo(reader, writer):
    writer.write(await reader.readexactly(8))
    await writer.drain()
    await reader.read()
    writer.close()
async def main():
    server = await asyncio.start_server(echo, "10.9.0.1", 5001, backlog=2000)
    print("listening", flush=True)
    await server.serve_forever()
asyncio.run(main())
'''

CLIENT = '''
import asyncio
async def one(i):
    reader, writer = await asyncio.open_connection("10.9.0.1", 5001)
    writer.write(b"%08d" % i)
    assert await reader.readexactly(8) == b"%08d" % i
    return writer
async def main():
    writers = await asyncio.gather(*(one(i) for i in range(1000)))
    print(len(writers), "connected", flush=True)
    for writer in writers:
        writer.close()
asyncio.run(main())
'''


def join(net, label, namespace, bridge, address, interface):
    """A cable between a bridge in namespace label and an interface of another namespace."""
    host = net.namespace(namespace)
    net.namespace(label).run('ip', 'link', 'add', f'{bridge}{namespace}', 'type', 'veth', 'peer', 'name', interface, 'netns', host.name)
    net.namespace(label).run('ip', 'link', 'set', f'{bridge}{namespace}', 'master', bridge, 'up')
    host.run('ethtool', '-K', interface, *'tx off rx off gso off tso off gro off'.split())
    host.run('ip', 'link', 'set', interface, 'up')
    host.run('ip', 'addr', 'add', address, 'dev', interface)


def test_thousand_connections(program):
    """Magpie to a server 10.9.0.1 by way of two kernel routers: each carries its part of 1000 connections at once."""
    net = Net(program)
    try:
        hosts = Hosts(net, device='af_packet', mtus=(1500, 1500), options=['--route', '10.9.0.0/24,via=10.0.1.21,via=10.0.1.22'])
        lan = net.namespace('b')
        for bridge in ('near', 'far'):
            lan.run('ip', 'link', 'add', bridge, 'type', 'bridge')
            lan.run('ip', 'link', 'set', bridge, 'up')
        lan.run('ip', 'addr', 'flush', 'dev', 'eth0')
        lan.run('ip', 'link', 'set', 'eth0', 'master', 'near')
        for i, router in enumerate(('r1', 'r2')):
            join(net, 'b', router, 'near', f'10.0.1.2{i + 1}/24', 'eth0')
            join(net, 'b', router, 'far', f'10.9.0.2{i + 1}/24', 'eth1')
            net.namespace(router).run('sysctl', '-qw', 'net.ipv4.ip_forward=1', 'net.ipv4.conf.all.rp_filter=0')
            net.namespace(router).run('ip', 'route', 'add', '10.0.0.0/24', 'via', '10.0.1.1')
        join(net, 'b', 'server', 'far', '10.9.0.1/24', 'eth0')
        net.namespace('server').run('ip', 'route', 'add', 'default', 'via', '10.9.0.21')
        net.start('python3', '-c', SERVER, where='server').wait_text('listening')
        for router in ('r1', 'r2'):  # whom Magpie has asked, it knows
            asked = net.namespace(router)
            wait_until(lambda: 'lladdr' in asked.run('ip', 'neigh', 'show', '10.0.1.1'), f'{router} is asked')
        assert '1000 connected' in hosts.run('a', 'python3', '-c', CLIENT)
        forwarded = [net.namespace(router).counter('eth0', 'rx_packets') for router in ('r1', 'r2')]
        # the first one also carries what comes back, by its other interface
        assert min(forwarded) > 1000, forwarded
        hosts.stop()
    finally:
        net.close()


def test_addresses_are_all_different():
    """What the shares rest on."""
    flows = {flow4(i)[26:38] for i in range(N_FLOWS)}
    assert len(flows) == N_FLOWS and addr_bytes('10.8.0.1') in flow4(0)
