# SPDX-License-Identifier: BSD-3-Clause
"""What hosts see of a router, with the tools that people use: ping, traceroute, tracepath, mtr, iperf3.

Host A's cable carries 9000 bytes, host B's 1500. Nobody has static neighbours. All tests share one Magpie, under four pings that
run from the first test to the last and must lose nothing.
"""
import json
import re
import sys

import pytest
from hosts import Hosts
from netns import Net

SECONDS = 60  # Linux finds out after about 40 that nobody confirms its neighbour
PINGS = (('a', '10.0.1.2'), ('b', '10.0.0.2'), ('a', '2001:db8:1::2'), ('b', '2001:db8::2'))
PROHIBITED, UNREACHABLE = ('198.51.100.0/26', '2001:db8:f1::/48'), ('198.51.100.64/26', '2001:db8:f2::/48')

CLOSED = '''
import socket, sys
peer = socket.socket(socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET, socket.SOCK_DGRAM)
peer.settimeout(3)
peer.connect((sys.argv[1], 9999))
peer.send(b"x")
try:
    peer.recv(1)
except ConnectionRefusedError:
    print("refused")
'''


@pytest.fixture(name='hosts', scope='module')
def hosts_fixture(program):
    net = Net(program)
    routes = [word for how, prefixes in (('prohibit', PROHIBITED), ('unreachable', UNREACHABLE)) for prefix in prefixes
              for word in ('--route', f'{prefix},{how}')]
    hosts = Hosts(net, options=['--icmp-rate', 'unlimited', '--neigh-reachable', '5', *routes])
    hosts.pings = [net.start('ping', '-n', '-q', '-i', '0.2', '-c', SECONDS * 5, '-W', '2', target, where=label) for label, target in PINGS]
    yield hosts
    net.close()


@pytest.mark.parametrize('size', [0, 56, 1472, 1473, 8000, 20000, 65000])
@pytest.mark.parametrize('label, target', [('a', '10.0.0.1'), ('b', '10.0.1.1'), ('a', '10.0.1.1'), ('a', '2001:db8::1'), ('b', '2001:db8:1::1')])
def test_ping_router(hosts, label, target, size):
    """Its own addresses, whatever the size; fragments are joined (RFC 1812 4.3.3.6, RFC 4443 4.2)."""
    # with -w it waits for three answers, else for two round trips
    out = hosts.run(label, 'ping', '-n', '-c', 3, '-i', '0.02', '-w', '3', '-s', size, target, check=False)
    assert int(re.search(r'(\d+) received', out).group(1)) >= 3, out


@pytest.mark.parametrize('how', [(), ('-I',), ('-T', '-p', '5')], ids=['udp', 'icmp', 'tcp'])
@pytest.mark.parametrize('label, target, hop', [('a', '10.0.1.2', '10.0.0.1'), ('b', '10.0.0.2', '10.0.1.1'),
                                                ('a', '2001:db8:1::2', '2001:db8::1')])
def test_traceroute(hosts, label, target, hop, how):
    """Magpie is the first hop, under the address of the port that the packet came in by (RFC 1812 4.3.2.4)."""
    out = hosts.run(label, 'traceroute', '-n', '-w', '2', '-q', '2', *how, target)
    hops = re.findall(r'^ *(\d+) +(\S+)', out, re.M)[-2:]
    assert hops == [('1', hop), ('2', target)], out


@pytest.mark.parametrize('target, hop', [('10.0.1.2', '10.0.0.1'), ('2001:db8:1::2', '2001:db8::1')])
def test_tracepath(hosts, target, hop):
    hosts.run('a', 'ip', 'route', 'flush', 'cache')
    out = hosts.run('a', 'tracepath', '-n', target)
    assert re.search(rf'{hop}.*\n.*pmtu 1500', out) and 'Resume: pmtu 1500 hops 2' in out, out


@pytest.mark.parametrize('target, size, hop', [('10.0.1.2', 1473, '10.0.0.1'), ('2001:db8:1::2', 1453, '2001:db8::1')])
def test_too_big(hosts, target, size, hop):
    """Fragmentation needed with the MTU (RFC 1191 4), packet too big (RFC 4443 3.2): the host learns the path's MTU."""
    for family in ('-4', '-6'):
        hosts.run('a', 'ip', family, 'route', 'flush', 'cache')
    out = hosts.run('a', 'ping', '-n', '-c', 2, '-i', '0.1', '-W', '2', '-M', 'do', '-s', size, target, check=False)
    assert re.search(rf'From {hop} .*(mtu = 1500|mtu=1500)', out), out
    assert '0 received' in out, out
    assert 'mtu 1500' in hosts.run('a', 'ip', 'route', 'get', target)
    out = hosts.run('a', 'ping', '-n', '-c', 2, '-i', '0.1', '-W', '2', '-M', 'do', '-s', size - 1, target)
    assert '2 received' in out, out


def test_magpie_fragments(hosts):
    """8000 bytes without DF from a cable of 9000 to one of 1500 and back (RFC 791 3.2)."""
    before = hosts.magpie.value('packets.fragmented')
    out = hosts.run('a', 'ping', '-n', '-c', 5, '-i', '0.05', '-W', '2', '-M', 'dont', '-s', 8000, '10.0.1.2', check=False)
    assert '5 received' in out, out
    hosts.magpie.wait_value('packets.fragmented', before + 5 * 5)


@pytest.mark.parametrize('target, text', [
    ('198.51.100.1', 'From 10.0.0.1 .*Packet filtered'), ('2001:db8:f1::1', 'From 2001:db8::1 .*Administratively prohibited'),
    ('198.51.100.65', 'From 10.0.0.1 .*Destination (Host|Net) Unreachable'), ('2001:db8:f2::1', 'From 2001:db8::1 .*(Address|No route)'),
    ('203.0.113.9', 'From 10.0.0.1 .*Destination Net Unreachable'), ('2001:db8:ffff::1', 'From 2001:db8::1 .*No route'),
    ('10.0.1.77', 'From 10.0.0.1 .*Destination Host Unreachable'), ('2001:db8:1::77', 'From 2001:db8::1 .*Address unreachable')])
def test_unreachable(hosts, target, text):
    out = hosts.run('a', 'ping', '-n', '-c', 1, '-W', '5', target, check=False)
    assert re.search(text, out), out


@pytest.mark.parametrize('target', ['10.0.0.1', '10.0.1.1', '2001:db8::1', '2001:db8:1::1'])
def test_closed_port(hosts, target):
    """RFC 1122 4.1.3.1, RFC 4443 3.1: told at once, so that nobody waits."""
    assert 'refused' in hosts.run('a', sys.executable, '-c', CLOSED, target)


@pytest.mark.parametrize('target, hop', [('10.0.1.2', '10.0.0.1'), ('2001:db8:1::2', '2001:db8::1')])
def test_mtr(hosts, target, hop):
    out = hosts.run('a', 'mtr', '-n', '-j', '-c', 3, '-i', '0.2', '-G', '1', target)
    report = [(entry['host'], entry['Loss%']) for entry in json.loads(out)['report']['hubs']]
    assert report == [(hop, 0), (target, 0)], out


def iperf(hosts, target, *args):
    """A run of iperf3 from A to a server on B; what the receiver's end says."""
    server = hosts.net.start('iperf3', '-s', '-1', '--forceflush', where='b').wait_text('listening')
    out = json.loads(hosts.run('a', 'iperf3', '-J', '-t', '2', '-c', target, *args, check=False))
    server.finish()
    assert 'error' not in out, out
    return out['end']


@pytest.mark.parametrize('target', ['10.0.1.2', '2001:db8:1::2'])
@pytest.mark.parametrize('direction', [(), ('-R',)], ids=['to-b', 'to-a'])
def test_iperf_tcp(hosts, target, direction):
    end = iperf(hosts, target, '-b', '100M', *direction)
    assert end['sum_received']['bits_per_second'] > 50e6, end


@pytest.mark.parametrize('pmtu, target', [('1', '10.0.1.2'), ('0', '10.0.1.2'), ('0', '2001:db8:1::2')], ids=['magpie-cuts', 'host-cuts', 'host-cuts-6'])
def test_iperf_udp_fragments(hosts, pmtu, target):
    """Datagrams of 8000 bytes; with ip_no_pmtu_disc the host sends them without DF and Magpie cuts them."""
    hosts.run('a', 'ip', 'route', 'flush', 'cache')
    hosts.run('a', 'sysctl', '-qw', f'net.ipv4.ip_no_pmtu_disc={pmtu}')
    if pmtu == '0':
        # a socket that is told while it sends takes it for an error
        hosts.run('a', 'ping', '-n', '-c', 1, '-W', '1', '-M', 'do', '-s', 3000, target, check=False)
    end = iperf(hosts, target, '-u', '-b', '10M', '-l', '8000')
    assert end['sum']['lost_percent'] <= 2 and end['sum']['packets'] > 200, end


def test_ping_for_long(hosts):
    """Both ways in both families, at the same time as everything else: not one is lost; ND stays reachable (RFC 4861 7.2.4)."""
    for ping in hosts.pings:
        ping.process.wait(timeout=SECONDS + 20)
        assert f'{SECONDS * 5} packets transmitted, {SECONDS * 5} received, 0% packet loss' in ping.text(), ping.text()
    for label in 'ab':
        hosts.run(label, 'ping', '-n', '-c', 1, '-W', '2', PINGS['ab'.index(label)][1])
        states = hosts.run(label, 'ip', 'neigh', 'show', 'dev', 'eth0')
        assert 'FAILED' not in states and 'INCOMPLETE' not in states and 'router' in states, states


def test_ledger(hosts):
    """Last: what all of this leaves behind."""
    ended = hosts.stop()
    assert 'control echo_reply' in ended.out and 'icmp sent ttl' in ended.out, ended
