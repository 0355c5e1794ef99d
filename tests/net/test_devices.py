# SPDX-License-Identifier: BSD-3-Clause
"""Two Magpies in a row, joined by a pair of virtual devices: every packet crosses, both accounts are balanced.

    raw socket --- veth --- first Magpie --- DEVICE PAIR --- second Magpie --- capture file

No hugepages, each on a core of its own where there are two.
"""
import os
import re
import socket
import sys

import pytest
from conftest import eal
from netns import TARGETS, Account, host_up, is_own, make_hosts, net_fixture, options, ping, wait_until  # noqa: F401 (a fixture)
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from scapy.utils import rdpcap, wrpcap

PCAP_MAC = '02:70:63:61:70:00'
HOST_MAC = '02:00:00:00:00:0b'
MAC = 'mac=02:00:00:00:00:c1'
LCORES = [str(n) for n in sorted(os.sched_getaffinity(0))]
N_FRAMES = 256

# Sends the frames of a file, length first, at a pace that no queue on the way minds.
SENDER = '''
import socket, sys, time
data, at = open(sys.argv[1], "rb").read(), 0
raw = socket.socket(socket.AF_PACKET, socket.SOCK_RAW)
raw.bind((sys.argv[2], 0))
while at < len(data):
    end = at + 2 + int.from_bytes(data[at:at + 2], "big")
    raw.send(data[at + 2:end])
    at = end
    time.sleep(0.001)
'''


def frames(mac):
    """IPv4 and IPv6 in turn, of many lengths, no two the same."""
    made = []
    for i in range(N_FRAMES):
        ip = IP(src='10.0.0.2', dst='10.0.1.2', id=i) if i % 2 == 0 else IPv6(src='2001:db8::2', dst='2001:db8:1::2', fl=i)
        made.append(Ether(src='02:00:00:00:00:0a', dst=mac) / ip / UDP(sport=1024 + i, dport=9) / Raw(bytes([i]) * (20 + 5 * i)))
    return made


def two_hops(frame):
    """What the frame is when the second Magpie has sent it."""
    then = frame.copy()
    then[Ether].src, then[Ether].dst = PCAP_MAC, HOST_MAC
    if IP in then:
        then[IP].ttl -= 2
        del then[IP].chksum
    else:
        then[IPv6].hlim -= 2
    return bytes(then)


def first_options(device, peer_mac):
    source = 'net_af_packet9'
    return ['--icmp-rate', '0', '--addr', f'{source},10.0.0.1/24', '--addr', f'{device},10.0.9.1/24', '--neigh', f'{device},10.0.9.2,{peer_mac}',
            '--route', '10.0.1.0/24,via=10.0.9.2', '--addr', f'{source},2001:db8::1/64', '--addr', f'{device},2001:db8:9::1/64',
            '--neigh', f'{device},2001:db8:9::2,{peer_mac}', '--route', '2001:db8:1::/64,via=2001:db8:9::2']


def second_options(device):
    return ['--addr', 'net_pcap9,10.0.1.1/24', '--addr', f'{device},10.0.9.2/24', '--neigh', f'net_pcap9,10.0.1.2,{HOST_MAC}',
            '--addr', 'net_pcap9,2001:db8:1::1/64', '--addr', f'{device},2001:db8:9::2/64',
            '--neigh', f'net_pcap9,2001:db8:1::2,{HOST_MAC}']


def dropped(account):
    """Packets by drop reason, but for the other Magpie's multicast reports (RFC 3810), and what this one has said while the peer was not
    ready to take it."""
    assert account.drops.get('tx_full', 0) <= account.injected, account.ended
    return {name: n for name, n in account.drops.items() if name not in ('l2_multicast', 'tx_full')}


class Row:
    """The two programs. The one whose device listens is started first."""

    def __init__(self, net, vdevs, peer_mac=MAC.partition('=')[2], listener=1):
        self.net, self.vdevs, self.frames, self.out = net, vdevs, net.path('frames'), net.path('out.pcap')
        self.names = [vdev.partition(',')[0] for vdev in vdevs]
        middle = net.namespace('m')
        middle.run('ip', 'link', 'add', 's0', 'type', 'veth', 'peer', 'name', 's1')
        for interface in ('s0', 's1'):
            middle.quiet(interface, 'up')
        wrpcap(net.path('nothing.pcap'), [Ether(dst=HOST_MAC) / Raw(bytes(46))])
        self.made = frames(middle.mac('s0'))
        with open(self.frames, 'wb') as file:
            for frame in map(bytes, self.made):
                file.write(len(frame).to_bytes(2, 'big') + frame)
        self.options = [first_options(self.names[0], peer_mac), second_options(self.names[1])]
        self.magpies = [None, None]
        for i in (listener, 1 - listener):
            self.start(i)
            if i == listener:
                self.magpies[i].wait_forwarding()
        self.wait_link()

    def start(self, i):
        """Starts one of the two, or another in its place."""
        outer = ('net_af_packet9,iface=s0', f'net_pcap9,rx_pcap={self.net.path("nothing.pcap")},tx_pcap={self.out}')
        # the device is port 0
        self.magpies[i] = self.net.magpie([self.vdevs[i], outer[i]], self.options[i], lcores=LCORES[i % len(LCORES)], where='m')

    def wait_link(self):
        """Until both see each other."""
        for magpie, name in zip(self.magpies, self.names):
            magpie.wait_value(f'port.{name}.link_up', 1)

    def send(self, n=1):
        """Sends all frames n times."""
        for _ in range(n):
            self.net.namespace('m').run(sys.executable, '-c', SENDER, self.frames, 's1')

    def cross(self):
        """Sends all frames, waits until they have crossed."""
        self.send()
        last = self.magpies[1]
        # not by what it has sent: some of that it has made itself
        wait_until(lambda: last.value('packets.rx') - last.value('packets.punted') - last.value('packets.dropped')
                   + last.value('drop.tx_full') >= N_FRAMES, f'{N_FRAMES} frames to cross', program=last)

    def end(self, i):
        """Stops one; its account."""
        return Account(self.magpies[i].stop())

    def expect_bytes(self):
        """What came out is what went in, two hops on. Order is kept within a family, not between the two."""
        seen = [frame for frame in map(bytes, rdpcap(self.out)) if not is_own(frame)]
        for remainder in (0, 1):
            expected = [two_hops(frame) for i, frame in enumerate(self.made) if i % 2 == remainder]
            assert [frame for frame in seen if frame[12:14] == expected[0][12:14]] == expected

    def run(self, order=(0, 1)):
        """The whole test."""
        self.cross()
        accounts = {i: self.end(i) for i in order}
        assert accounts[0].tx >= N_FRAMES and dropped(accounts[0]) == {}, accounts[0].ended
        # the one frame of its own capture is for nobody
        assert accounts[1].tx >= N_FRAMES and dropped(accounts[1]) == {'not_for_us': 1}, accounts[1].ended
        self.expect_bytes()


def memif(role, path, mac=''):
    return f'net_memif0,role={role},socket={path},socket-abstract=no,{mac}'.rstrip(',')


@pytest.mark.parametrize('order', [(0, 1), (1, 0)], ids=['sender-ends-first', 'receiver-ends-first'])
@pytest.mark.parametrize('roles', [('server', 'client'), ('client', 'server')], ids='-'.join)
def test_memif(net, roles, order):
    path = net.path('memif.sock')
    Row(net, [memif(roles[0], path), memif(roles[1], path, MAC)], listener=roles.index('server')).run(order)


def test_memif_peer_returns(net):
    """The receiver goes and a new one comes: what is sent meanwhile is dropped as port_down, then packets flow again."""
    path = net.path('memif.sock')
    row = Row(net, [memif('server', path), memif('client', path, MAC)], listener=0)
    row.cross()
    row.end(1)
    first = row.magpies[0]
    wait_until(lambda: first.value('port.net_memif0.link_up') == 0, 'link down', program=first)
    row.send()
    first.wait_value('drop.port_down', N_FRAMES)
    row.start(1)
    row.wait_link()
    row.cross()
    row.expect_bytes()
    row.end(1)
    account = row.end(0)
    assert account.tx >= 2 * N_FRAMES and dropped(account) == {'port_down': N_FRAMES}, account.ended


def mac_of(net, vdev):
    """The MAC address that a device will have as port 0, as --check says."""
    ended = net.start(net.program, *eal(vdev, megabytes=512), '--', '--check').finish()
    found = re.search(r'^port 0: .*MAC ([\w:]+)', ended.out, re.M)
    assert ended.status == 0 and found, ended
    return found.group(1)


@pytest.mark.parametrize('kinds', [('vhost', 'virtio_user'), ('virtio_user', 'vhost')], ids='-'.join)
def test_vhost_virtio_user(net, kinds):
    path = net.path('vhost.sock')
    vdev = {'vhost': f'net_vhost0,iface={path},client=1', 'virtio_user': f'net_virtio_user0,path={path},server=1,{MAC}'}
    peer_mac = {'peer_mac': mac_of(net, f'net_vhost0,iface={path}0,client=1')} if kinds[1] == 'vhost' else {}
    Row(net, [vdev[kind] for kind in kinds], listener=kinds.index('vhost'), **peer_mac).run()


@pytest.mark.parametrize('kinds', [('af_xdp', 'af_packet'), ('af_packet', 'af_xdp')], ids='-'.join)
def test_af_xdp(net, kinds):
    """Over a veth pair, the other end by af_packet."""
    try:
        socket.socket(getattr(socket, 'AF_XDP', 44), socket.SOCK_RAW, 0).close()
    except OSError as error:
        pytest.skip(f'this kernel has no AF_XDP sockets: {error}')
    middle = net.namespace('m')
    middle.run('ip', 'link', 'add', 'x0', 'type', 'veth', 'peer', 'name', 'x1')
    for interface in ('x0', 'x1'):
        middle.quiet(interface, 'up')
    Row(net, [f'net_{kind}0,iface=x{i}' for i, kind in enumerate(kinds)], middle.mac('x1')).run()


def test_tap(net):
    """Taps that Magpie makes, each in a bridge with the cable of a kernel host.

    A bridge keeps frames for its own ports' addresses, and a tap has its Magpie port's: the kernel's side gets another.
    """
    macs = ('02:00:00:00:00:01', '02:00:00:00:00:02')
    make_hosts(net)
    magpie = net.magpie([f'net_tap{i},iface=tap{i},mac={mac}' for i, mac in enumerate(macs)],
                        options(('net_tap0', 'net_tap1'), [net.namespace(label).mac('eth0') for label in 'ab']), where='m')
    magpie.wait_forwarding()
    middle = net.namespace('m')
    for i, label in enumerate('ab'):
        middle.run('ip', 'link', 'set', f'tap{i}', 'address', f'02:00:00:00:01:0{i}')
        middle.quiet(f'tap{i}')
        middle.run('ip', 'link', 'add', f'br{i}', 'type', 'bridge')
        for interface in (f'tap{i}', f'v{label}', f'br{i}'):
            middle.run('sysctl', '-qw', f'net.ipv6.conf.{interface}.disable_ipv6=1')
        for interface in (f'tap{i}', f'v{label}'):
            middle.run('ip', 'link', 'set', interface, 'master', f'br{i}')
        middle.run('ip', 'link', 'set', f'br{i}', 'up')
        host_up(net, label, macs[i])
    for label, target in TARGETS:
        ping(net, label, target, '-s', 1400, count=5)
    account = Account(magpie.stop())
    assert account.tx >= 4 * 2 * 5, account.ended
    assert set(account.drops) <= {'l2_multicast', 'bad_source_mac', 'not_for_us'}, account.ended


def test_tap_moved(net):
    """Taps that move into the hosts' namespaces, where the driver no longer sees their links."""
    ports, hosts = [[f'02:00:00:00:0{side}:0{i}' for i in range(2)] for side in range(2)]
    magpie = net.magpie([f'net_tap{i},iface=tap{i},mac={mac}' for i, mac in enumerate(ports)],
                        options(('net_tap0', 'net_tap1'), hosts), where='m')
    magpie.wait_forwarding()
    for i, label in enumerate('ab'):
        host = net.namespace(label)
        net.namespace('m').run('ip', 'link', 'set', f'tap{i}', 'netns', host.name)
        host.run('ip', 'link', 'set', f'tap{i}', 'address', hosts[i])
        host_up(net, label, ports[i], f'tap{i}')
    for label, target in TARGETS:
        ping(net, label, target, count=5)
    account = Account(magpie.stop())
    assert account.tx >= 4 * 2 * 5, account.ended
    assert 'port_down' not in account.drops, account.ended
