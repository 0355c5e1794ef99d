# SPDX-License-Identifier: BSD-3-Clause
"""Neighbours (RFC 826, 4861, 5227) seen from the wire: who is asked, when, what waits meanwhile, whom Magpie believes."""
import resource
import time

import pytest
from netns import Net, wait_until
from station import Station
from taps import Taps
from wire import ARP, IP4, IP6, UDP, addr_bytes, arp, frame_of, ip4, ip6, link_option, nd, solicited_node, udp

P0, P1 = '02:00:00:00:00:01', '02:00:00:00:00:02'
A, ALL, NOBODY = '02:00:00:00:00:0a', 'ff:ff:ff:ff:ff:ff', '00:00:00:00:00:00'
REACHABLE = 2
BASE = [
    '--addr', '0,10.0.0.1/24', '--addr', '0,2001:db8::1/64',
    '--addr', '1,10.1.0.1/16', '--addr', '1,2001:db8:1::1/64', '--neigh', f'0,10.0.0.2,{A}', '--neigh', f'0,2001:db8::2,{A}',
    '--neigh', '1,10.1.0.9,02:00:00:00:00:09', '--route', '10.9.0.0/16,via=10.1.0.8', '--icmp-rate', 'unlimited',
    '--neigh-reachable', str(REACHABLE)]


def mac(n):
    """The MAC address of host n behind port 1."""
    return f'02:00:00:00:01:{n:02x}'


def to4(dst, ident=1, src='10.0.0.2', size=18):
    """A frame for port 0 that goes to dst."""
    return frame_of(P0, A, IP4, ip4(src, dst, UDP, udp(src, dst, bytes(size)), ident=ident))


def to6(dst, flow=1, src='2001:db8::2'):
    """The same for IPv6."""
    return frame_of(P0, A, IP6, ip6(src, dst, UDP, udp(src, dst, bytes(18)), flow=flow))


class Lan:
    """Magpie, host A's raw socket before port 0, a station behind port 1."""

    def __init__(self, net):
        self.taps = Taps(net, base=BASE)
        self.a, self.b = (Station(wire, {}) for wire in self.taps.wires)

    def send(self, *frames):
        """From host A."""
        for frame in frames:
            self.taps.wires[0].send(frame)

    def from_b(self, *frames):
        """From behind port 1; returns when Magpie has taken them."""
        least = received(self) + len(frames)
        for frame in frames:
            self.taps.wires[1].send(frame)
        wait_until(lambda: received(self) >= least, 'the tap', 5)
        self.taps.settle()

    def clear(self):
        """Forgets what the stations have got."""
        for station in (self.a, self.b):
            station.frames()

    def delta(self, before, name):
        """How much a counter has grown."""
        return self.taps.counters()[name] - before[name]

    def stop(self):
        """Ends all; how Magpie ended."""
        for station in (self.a, self.b):
            station.close()
        return self.taps.stop()


@pytest.fixture(name='lan', scope='module')
def lan_fixture(program):
    net = Net(program)
    lan = Lan(net)
    yield lan
    ended = lan.stop()
    net.close()
    ended.assert_balanced()


@pytest.fixture(autouse=True)
def clear_fixture(lan):
    lan.clear()


def idents(frames):
    """The IPv4 ids of frames."""
    return [frame[18] << 8 | frame[19] for frame in frames]


def test_gateways_are_asked_at_once(lan):
    """Before any packet needs them: a group must know which of its paths live."""
    wait_until(lambda: lan.b.questions('arp', '10.1.0.8'), 'a question for 10.1.0.8', 5)


def test_own_addresses_are_told(lan):
    """At link up: by ARP about 10.1.0.1 (RFC 5227 2.3), by solicitations or advertisements of 2001:db8:1::1 (RFC 4862 5.4)."""
    middle = lan.taps.net.namespace('m')
    middle.run('ip', 'link', 'set', 'tap1', 'down')
    wait_until(lambda: lan.taps.magpie.value('port.net_tap1.link_up') == 0, 'link down', 5)
    middle.run('ip', 'link', 'set', 'tap1', 'up')
    for kinds, addr in ((('arp', 'arp-reply'), '10.1.0.1'), (('ns', 'advert'), '2001:db8:1::1')):
        wait_until(lambda kinds=kinds, addr=addr: any(lan.b.questions(kind, addr) for kind in kinds), f'word of {addr}', 5)


def test_resolve4(lan):
    """Ten packets wait, at most eight of them: the oldest are replaced; then they leave in order (RFC 1122 2.3.2.2)."""
    before = lan.taps.settle()
    lan.send(*(to4('10.1.0.20', ident=i) for i in range(10)))
    wait_until(lambda: lan.b.questions('arp', '10.1.0.20'), 'a question', 2)
    assert lan.b.questions('arp', '10.1.0.20')[0][1] == ALL
    lan.b.macs['10.1.0.20'] = mac(0x20)
    got = lan.b.wait_frames(8, 3)
    assert idents(got) == list(range(2, 10)), idents(got)
    assert {frame[:6].hex(':') for frame in got} == {mac(0x20)} and {frame[22] for frame in got} == {63}
    assert lan.delta(before, 'control_drop.neigh_replaced') == 2
    lan.send(to4('10.1.0.20', ident=77))
    assert idents(lan.b.wait_frames(1)) == [77]


def test_resolve6(lan):
    lan.send(*(to6('2001:db8:1::20', flow=i) for i in range(10)))
    wait_until(lambda: lan.b.questions('ns', '2001:db8:1::20'), 'a question', 2)
    assert lan.b.questions('ns', '2001:db8:1::20')[0][1] == solicited_node('2001:db8:1::20')[1]
    lan.b.macs['2001:db8:1::20'] = mac(0x20)
    got = lan.b.wait_frames(8, 3)
    assert [frame[17] for frame in got] == list(range(2, 10)), [frame.hex() for frame in got]
    assert {frame[:6].hex(':') for frame in got} == {mac(0x20)}


def test_fragments_wait_too(lan):
    """What is longer than the MTU is cut when the neighbour is known, not before."""
    lan.send(to4('10.1.0.21', size=1473))
    wait_until(lambda: lan.b.questions('arp', '10.1.0.21'), 'a question', 2)
    lan.b.macs['10.1.0.21'] = mac(0x21)
    assert sorted(len(frame) for frame in lan.b.wait_frames(2, 3)) == [14 + 20 + 1, 14 + 1500]


def test_nobody_answers(lan):
    """Three questions, a second apart; every packet that waited is told of (RFC 1812 3.3.2, RFC 4861 7.2.2)."""
    lan.send(*(to4('10.1.0.30', ident=i) for i in range(3)), to6('2001:db8:1::30'))
    got = lan.a.wait_frames(4, 5)
    assert [(frame[34], frame[35]) for frame in got if frame[12:14] == b'\x08\0'] == [(3, 1)] * 3, [frame.hex() for frame in got]
    assert [(frame[54], frame[55]) for frame in got if frame[12:14] == b'\x86\xdd'] == [(1, 3)]
    for kind, target in (('arp', '10.1.0.30'), ('ns', '2001:db8:1::30')):
        times = [when for when, _ in lan.b.questions(kind, target)]
        assert len(times) == 3 and all(0.9 < b - a < 1.2 for a, b in zip(times, times[1:])), times


def learned(lan, n, send=None):
    """Makes Magpie learn host n, both families if send is None."""
    lan.b.macs[f'10.1.0.{n}'] = mac(n)
    lan.send(to4(f'10.1.0.{n}'))
    assert len(lan.b.wait_frames(1, 3)) == 1


def goes_to(lan, n):
    """The MAC address that a packet for host n leaves to, None if it does not leave."""
    lan.clear()
    lan.send(to4(f'10.1.0.{n}', ident=99))
    got = lan.b.wait_frames(1, 1)
    return got[0][:6].hex(':') if got else None


def test_who_asks_is_known(lan):
    """A request for our address creates the entry (RFC 826): nobody is asked when a packet goes there at once."""
    lan.from_b(frame_of(ALL, mac(0x31), ARP, arp(1, mac(0x31), '10.1.0.49', NOBODY, '10.1.0.1')))
    wait_until(lambda: [q for q in lan.b.asked if q[1] == 'arp-reply' and q[3] == mac(0x31)], 'the reply', 2)
    assert goes_to(lan, 49) == mac(0x31)
    assert [dst for _, dst in lan.b.questions('arp', '10.1.0.49') if dst == ALL] == []


def test_gratuitous(lan):
    """An announcement changes an entry that is there and makes none."""
    learned(lan, 40)
    lan.from_b(frame_of(ALL, mac(0x66), ARP, arp(1, mac(0x66), '10.1.0.40', NOBODY, '10.1.0.40')))
    lan.from_b(frame_of(ALL, mac(0x66), ARP, arp(1, mac(0x66), '10.1.0.41', NOBODY, '10.1.0.41')))
    lan.b.macs['10.1.0.40'] = mac(0x66)
    lan.taps.settle()
    assert goes_to(lan, 40) == mac(0x66)
    assert goes_to(lan, 41) is None
    lan.b.macs['10.1.0.41'] = mac(41)
    assert lan.b.wait_frames(1, 3)[0][:6].hex(':') == mac(41)


def test_static_wins(lan):
    for frame in (frame_of(P1, mac(0x66), ARP, arp(2, mac(0x66), '10.1.0.9', P1, '10.1.0.1')),
                  frame_of(ALL, mac(0x66), ARP, arp(1, mac(0x66), '10.1.0.9', NOBODY, '10.1.0.1'))):
        lan.from_b(frame)
    lan.taps.settle()
    assert goes_to(lan, 9) == '02:00:00:00:00:09'
    assert lan.b.questions('arp', '10.1.0.9') == []


def test_override_flag(lan):
    """RFC 4861 7.2.5: without it, another MAC address is not believed; with it, it is."""
    lan.b.macs['2001:db8:1::50'] = mac(0x50)
    lan.send(to6('2001:db8:1::50'))
    assert len(lan.b.wait_frames(1, 3)) == 1
    del lan.b.macs['2001:db8:1::50']
    for flags, expected in ((0, mac(0x50)), (0x20, mac(0x67))):
        lan.from_b(frame_of('33:33:00:00:00:01', mac(0x67), IP6, nd('2001:db8:1::50', 'ff02::1', 136, flags, '2001:db8:1::50',
                                                                   link_option(2, mac(0x67)))))
        lan.taps.settle()
        lan.send(to6('2001:db8:1::50'))
        assert [frame[:6].hex(':') for frame in lan.b.wait_frames(1)] == [expected], flags


def test_is_asked_again(lan):
    """When its time is up, by unicast; packets go on meanwhile."""
    learned(lan, 42)
    began = time.monotonic()
    wait_until(lambda: [dst for when, dst in lan.b.questions('arp', '10.1.0.42') if dst == mac(42)], 'a probe', REACHABLE * 1.5 + 6)
    assert time.monotonic() - began > REACHABLE * 0.4
    assert goes_to(lan, 42) == mac(42)


def test_host_moves(lan):
    """A host gets another MAC address without a word: followed within its time and three probes; others lose nothing."""
    learned(lan, 43)
    learned(lan, 44)
    lan.b.macs['10.1.0.43'] = mac(0x68)
    lan.clear()
    began, sent, seen = time.monotonic(), 0, []
    while time.monotonic() - began < REACHABLE * 1.5 + 4:
        lan.send(to4('10.1.0.43'), to4('10.1.0.44', ident=1000 + sent))
        sent += 1
        time.sleep(0.02)
    got = lan.b.wait_frames(2 * sent, 1)
    seen = [frame[:6].hex(':') for frame in got if addr_bytes('10.1.0.43') == frame[30:34]]
    others = idents(frame for frame in got if addr_bytes('10.1.0.44') == frame[30:34])
    assert seen[-1] == mac(0x68), seen[-1]
    assert others == list(range(1000, 1000 + sent)), f'{sent - len(others)} of {sent} lost'


def test_conflict(lan):
    """Somebody uses our address: said on stderr, defended by an announcement, not more than once in ten seconds (RFC 5227 2.4 c)."""
    told = len(lan.b.questions('arp', '10.1.0.1')) + len(lan.b.questions('arp-reply', '10.1.0.1'))
    for _ in range(3):
        lan.from_b(frame_of(ALL, mac(0x69), ARP, arp(1, mac(0x69), '10.1.0.1', NOBODY, '10.1.0.1')))
        time.sleep(0.1)
    lan.taps.magpie.wait_text(rf'10\.1\.0\.1.*{mac(0x69)}', 3)
    lan.taps.settle()
    now = len(lan.b.questions('arp', '10.1.0.1')) + len(lan.b.questions('arp-reply', '10.1.0.1'))
    assert now - told <= 1, f'{now - told} announcements'


def test_flood_of_unresolved(lan):
    """Packets to 65 536 addresses that nobody has: those to a known one all arrive, and memory does not grow."""
    learned(lan, 45)
    # once, so that what is grown once is
    lan.send(*(to4(f'10.1.{i >> 8}.{i & 255}') for i in range(0x1000, 0x1200)))
    time.sleep(4)
    lan.taps.settle(seconds=10)
    lan.clear()
    before, pool, size = lan.taps.counters(), lan.taps.telemetry.ask('/magpie/pools,0'), resident(lan)
    sent = 0
    for i in range(65536):
        lan.send(to4(f'10.1.{i >> 8}.{i & 255}'))
        if i % 64 == 0:
            lan.send(to4('10.1.0.45', ident=sent))
            sent += 1
        if i % 256 == 0:
            # no faster than it is taken: what a tap's queue loses is nobody's question
            wait_until(lambda least=before['rx'] + i + sent - 300: received(lan) >= least, 'the tap', 5)
        if i % 8192 == 0:
            held = lan.taps.telemetry.ask('/magpie/pools,0')
            assert held['in_use'] - pool['in_use'] < held['size'] * 0.05 + 600, held
    got = [frame for frame in lan.b.wait_frames(sent, 3) if frame[30:34] == addr_bytes('10.1.0.45')]
    assert len(got) >= 0.9 * sent, f'{len(got)} of {sent}'
    assert lan.delta(before, 'rx') >= 65536 + sent
    assert resident(lan) < size + (4 << 20), f'{size} -> {resident(lan)} bytes'


def received(lan):
    """Packets that the worker has taken."""
    return lan.taps.telemetry.ask('/magpie/workers,0')['rx']


def resident(lan):
    """Bytes of memory that Magpie has."""
    pids = [lan.taps.magpie.process.pid]
    with open(f'/proc/{pids[0]}/statm', encoding='ascii') as file:
        return int(file.read().split()[1]) * resource.getpagesize()
