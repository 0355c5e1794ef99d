# SPDX-License-Identifier: BSD-3-Clause
"""Forwarding between two kernel hosts, each in a namespace of its own, through the program as users run it."""
import hashlib
import sys

import pytest
from netns import TARGETS, Account, host_up, make_hosts, net_fixture, options, ping  # noqa: F401 (a fixture)

PORTS = ('net_af_packet0', 'net_af_packet1')

RECEIVER = '''
import hashlib, socket, sys
server = socket.create_server(("::", 5001), family=socket.AF_INET6, dualstack_ipv6=True)
print("listening", flush=True)
peer, digest, n = server.accept()[0], hashlib.sha256(), 0
while data := peer.recv(65536):
    digest.update(data)
    n += len(data)
print(n, digest.hexdigest(), flush=True)
'''

SENDER = '''
import random, socket, sys
data = random.Random(7).randbytes(int(sys.argv[2]))
peer = socket.create_connection((sys.argv[1], 5001), timeout=20)
peer.sendall(data)
'''

BLASTER = '''
import socket, sys, time
peer = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for i in range(1000):
    peer.sendto(bytes(100), (sys.argv[1], 9))
    time.sleep(0.0005)
'''


@pytest.fixture(name='routed')
def routed_fixture(net):
    """routed(*options) -> Magpie between hosts A and B over two af_packet ports; both hosts are up."""
    make_hosts(net)

    def start(*more, lcores='0', mtu=1500):
        middle = net.namespace('m')
        vdevs = [f'net_af_packet{i},iface=v{label}' for i, label in enumerate('ab')]
        macs = [net.namespace(label).mac('eth0') for label in 'ab']
        magpie = net.magpie(vdevs, [*options(PORTS, macs), *more], lcores=lcores, where='m')
        magpie.wait_forwarding()
        # only now, so that Magpie has seen every frame that the hosts have ever sent
        for label in 'ab':
            host_up(net, label, middle.mac(f'v{label}'))
        for port in PORTS:
            magpie.wait_value(f'port.{port}.link_up', 1)
        return magpie

    return start


def expect_kernel_agrees(net, account):
    """What Magpie counts at each port is what the kernel counts at the host behind it."""
    for label, port in zip('ab', PORTS):
        host = net.namespace(label)
        assert host.counter('eth0', 'rx_packets') == account.ports[port]['tx'], account.ended
        assert host.counter('eth0', 'tx_packets') == account.ports[port]['rx'], account.ended


def quieten(net):
    """The hosts fall silent, and what they have sent arrives."""
    for label in 'ab':
        net.namespace(label).run('ip', 'link', 'set', 'eth0', 'down')


@pytest.mark.parametrize('build', ['late', 'early', 'lazy'])
def test_ping(net, routed, build):
    magpie = routed('--build', build)
    for label, target in TARGETS:
        ping(net, label, target, count=5)
        ping(net, label, target, '-s', '1400', count=5)
    quieten(net)
    account = Account(magpie.stop())
    assert account.forwarded == 4 * 2 * 2 * 5, account.ended
    expect_kernel_agrees(net, account)
    # what hosts do when they come up, and nothing else
    assert set(account.drops) <= {'l2_multicast', 'ip6_multicast', 'ip6_src_martian'}, account.ended
    assert set(account.punts) <= {'punt_link', 'punt_local', 'punt_arp'}, account.ended


def test_largest_packet(net, routed):
    """1500 bytes pass. The hosts' own MTU keeps them from sending more, so Magpie's is made smaller."""
    magpie = routed('--mtu', f'{PORTS[1]},1400')
    ping(net, 'a', '10.0.1.2', '-M', 'do', '-s', 1400 - 28)
    ping(net, 'a', '2001:db8:1::2', '-s', 1400 - 48)
    out = net.namespace('a').run('ping', '-n', '-c', 3, '-i', '0.05', '-W', '0.2', '-M', 'do', '-s', 1401 - 28, '10.0.1.2', check=False)
    assert '3 packets transmitted, 0 received' in out and 'Frag needed and DF set (mtu = 1400)' in out, out
    account = Account(magpie.stop())
    assert account.drops['mtu_exceeded'] == 1, account.ended  # the host knows then


def test_time_to_live(net, routed):
    magpie = routed()
    for target in ('10.0.1.2', '2001:db8:1::2'):
        ping(net, 'a', target, '-t', 2, count=3)
        net.namespace('a').run('ping', '-n', '-c', 3, '-i', '0.05', '-W', '0.2', '-t', 1, target, check=False)
    account = Account(magpie.stop())
    assert account.drops['ip4_ttl'] == 3 and account.drops['ip6_hop_limit'] == 3, account.ended


def test_own_and_unknown(net, routed):
    """For Magpie itself, and for a neighbour that is not known: punted. No route: dropped under that name."""
    magpie = routed()
    host = net.namespace('a')
    for target in ('10.0.0.1', '2001:db8:1::1', '198.51.100.1', '2001:db8:ffff::1', '10.0.1.77', '2001:db8:1::77'):
        host.run('ping', '-n', '-c', 2, '-i', '0.05', '-W', '0.2', target, check=False)
    account = Account(magpie.stop())
    assert account.punts['punt_local'] >= 4, account.ended
    assert account.drops['no_route'] == 4, account.ended
    assert account.punts['neigh_unresolved'] == 4, account.ended
    assert account.forwarded == 0, account.ended


def transfer(net, sender, receiver, address, n_bytes):
    """A TCP transfer of pseudo-random bytes; every one must arrive."""
    server = net.start(sys.executable, '-c', RECEIVER, where=receiver).wait_text('^listening')
    net.namespace(sender).run(sys.executable, '-c', SENDER, address, n_bytes)
    ended = server.finish()
    import random
    digest = hashlib.sha256(random.Random(7).randbytes(n_bytes)).hexdigest()
    assert ended.status == 0 and f'{n_bytes} {digest}' in ended.out, ended


@pytest.mark.parametrize('lcores', ['0', '0,1'])
def test_transfer(net, routed, lcores):
    """TCP both ways in both families. With two workers half of it crosses from one to the other: af_packet has one queue."""
    magpie = routed(lcores=lcores)
    n_bytes = 10_000_000 if lcores == '0' else 2_000_000
    for label, target in TARGETS:
        transfer(net, label, 'b' if label == 'a' else 'a', target, n_bytes)
    quieten(net)
    if lcores == '0,1':
        magpie.wait_value('worker.0.handoff_in', 1).wait_value('worker.1.handoff_in', 1)
    ended = magpie.stop()
    account = Account(ended)
    assert account.tx > 4 * n_bytes // 1500, ended
    assert sum(port['tx_bytes'] for port in account.ports.values()) > 4 * n_bytes, ended
    for label, port in zip('ab', PORTS):
        assert net.namespace(label).counter('eth0', 'rx_packets') == account.ports[port]['tx'], ended


def test_dead_peer(net, routed):
    """The other end of the cable goes away while packets for it keep coming: nothing hangs, all are counted."""
    magpie = routed()
    ping(net, 'a', '10.0.1.2', count=3)
    net.namespace('b').run('ip', 'link', 'delete', 'eth0')
    net.namespace('a').run(sys.executable, '-c', BLASTER, '10.0.1.2')
    magpie.wait_value(f'port.{PORTS[0]}.rx_pkts', 1000)
    account = Account(magpie.stop())
    assert account.ports[PORTS[0]]['rx'] >= 1000, account.ended
