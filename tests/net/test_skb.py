# SPDX-License-Identifier: BSD-3-Clause
"""What the packet buffer can do, through the flags: frames in several buffers, mirrors, owners and when they are released."""
import os
import signal
import sys

import pytest
from netns import NETS4, NETS6, TARGETS, Account, host_up, is_own, make_hosts, net_fixture, options, ping  # noqa: F401 (a fixture)
from scapy.layers.inet import IP, UDP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from scapy.utils import rdpcap, wrpcap
from test_devices import LCORES, SENDER, mac_of
from test_forward_pcap import HOST_MACS, PORT_MACS, one_hop, published

N_FRAMES = 500
PCAP_ADDRS = ['--addr', '0,10.0.0.1/24', '--addr', '0,2001:db8::1/64', '--addr', '1,10.0.1.1/24', '--addr', '1,2001:db8:1::1/64',
              '--neigh', f'1,10.0.1.2,{HOST_MACS[1]}', '--neigh', f'1,2001:db8:1::2,{HOST_MACS[1]}',
              '--neigh', f'0,10.0.0.2,{HOST_MACS[0]}', '--neigh', f'0,2001:db8::2,{HOST_MACS[0]}']


def frames(payloads, dst=('10.0.1.2', '2001:db8:1::2')):
    """A UDP frame for net_pcap0 for each length of payload, IPv4 and IPv6 in turn; no two have the same bytes."""
    made = []
    for i, payload in enumerate(payloads):
        ip = IP(src='10.0.0.2', dst=dst[0], id=i, flags='DF') if i % 2 == 0 else IPv6(src='2001:db8::2', dst=dst[1], fl=i)
        made.append(bytes(Ether(src=HOST_MACS[0], dst=PORT_MACS[0]) / ip / UDP(sport=1024 + i, dport=9) / Raw(os.urandom(payload))))
    return made


def pcap_raw(net, path):
    """The frames of a capture file as SENDER reads them."""
    raw = net.path('raw')
    with open(raw, 'wb') as file:
        for frame in map(bytes, rdpcap(path)):
            file.write(len(frame).to_bytes(2, 'big') + frame)
    return raw


class Ports:
    """Three net_pcap ports: frames come in by the first; what each sends is in a file."""

    def __init__(self, net, made, more, n=3):
        outs = [net.path(f'out{i}.pcap') for i in range(n)]
        source, nothing = net.path('in.pcap'), net.path('nothing.pcap')
        wrpcap(source, [Raw(frame) for frame in made], linktype=1)
        wrpcap(nothing, [Ether(dst='02:00:00:00:00:77') / Raw(bytes(46))])
        vdevs = [f'net_pcap{i},rx_pcap={nothing if i else source},tx_pcap={out}' for i, out in enumerate(outs)]
        magpie = net.magpie(vdevs, [*PCAP_ADDRS, *more])
        magpie.wait_value('packets.rx', len(made) + n - 1)
        self.account = Account(magpie.stop())
        # the next ones write to the same files
        self._sent = [[bytes(frame) for frame in rdpcap(out)] if os.path.getsize(out) > 24 else [] for out in outs]

    def sent(self, port):
        """The frames that a port has sent, but for those that Magpie has made."""
        return [frame for frame in self._sent[port] if not is_own(frame)]


def by_family(made):
    """IPv4 first, IPv6 then: the order within a burst."""
    return {family: [frame for frame in made if frame[12:14] == family] for family in (b'\x08\x00', b'\x86\xdd')}


def test_jumbo(net):
    """9000 bytes and less, byte for byte; larger than the egress MTU, and larger than the ingress MTU."""
    made = frames([*range(10, 8910, 217), 8972, 8952, 8973])
    ports = Ports(net, made, ['--mtu', '0,9200', '--mtu', '1,9000'])
    # the last one, IPv4, has 9001 bytes
    assert ports.account.drops == {'mtu_exceeded': 1, 'not_for_us': 2}, ports.account.ended
    assert by_family(ports.sent(1)) == by_family([one_hop(frame, 1) for frame in made[:-1]])


def test_jumbo_unasked(net):
    """A driver that brings frames larger than its MTU, in pieces."""
    ports = Ports(net, frames([100, 3000, 100]), ['--mtu', '1,9000'])
    assert ports.account.forwarded == 2 and ports.account.drops['oversize'] == 1, ports.account.ended


def cable(label):
    """A device on Magpie's end of a host's cable. libpcap takes frames of any length, which af_packet does not."""
    return f'rx_iface_in=v{label},tx_iface=v{label}'


def big_hosts(net, gateways=PORT_MACS):
    """Hosts whose cables carry 9000 bytes."""
    make_hosts(net)
    for i, label in enumerate('ab'):
        net.namespace('m').run('ip', 'link', 'set', f'v{label}', 'mtu', 9000)
        net.namespace(label).run('ip', 'link', 'set', 'eth0', 'mtu', 9000)
        host_up(net, label, gateways[i])


def ping_big(net, ttl):
    """From either host to the other, in both families, in one buffer and in several."""
    for label, target in TARGETS:
        for size in (56, 2100, 8900):
            ping(net, label, target, '-s', size, count=3, ttl=ttl)


@pytest.mark.parametrize('build', ['late', 'early', 'lazy'])
def test_jumbo_hosts(net, build):
    """Kernel hosts with an MTU of 9000."""
    big_hosts(net)
    names = ('net_pcap0', 'net_pcap1')
    magpie = net.magpie([f'{name},{cable(label)}' for name, label in zip(names, 'ab')],
                        [*options(names, [net.namespace(label).mac('eth0') for label in 'ab']), '--build', build,
                         *(f'--mtu={name},9000' for name in names)], where='m')
    magpie.wait_forwarding()
    ping_big(net, 63)
    account = Account(magpie.stop())
    assert account.tx >= 4 * 3 * 3 * 2 and 'oversize' not in account.drops, account.ended


def pair(net, kind):
    """Two devices that are joined. The one that listens, and must be there first, is the second; their MACs end in c0 and c1."""
    path, macs = net.path('pair.sock'), [f'mac=02:00:00:00:00:c{i}' for i in range(2)]
    if kind == 'memif':
        return [f'net_memif0,socket={path},socket-abstract=no,bsize=9216,role={role},{mac}'
                for role, mac in zip(('client', 'server'), macs)]
    return [f'net_virtio_user0,path={path},server=1,{macs[0]}', f'net_vhost0,iface={path},client=1']


@pytest.mark.parametrize('kind', ['memif', 'virtio_user'])
def test_jumbo_devices(net, kind):
    """Two Magpies between the hosts, joined by a pair of devices that send, and receive, frames in several buffers."""
    big_hosts(net, [PORT_MACS[0]] * 2)
    devices = pair(net, kind)
    names = [device.partition(',')[0] for device in devices]
    peer_mac = '02:00:00:00:00:c1' if kind == 'memif' else mac_of(net, devices[1].replace('pair', 'none'))
    magpies = [None, None]
    for i in (1, 0):
        pcap, here, there, host = f'net_pcap{i}', i + 1, 2 - i, net.namespace('ab'[i]).mac('eth0')
        far4, far6 = f'{NETS4[1 - i]}.0/24', f'{NETS6[1 - i].replace(":0:", ":")}:/64'
        mac = peer_mac if i == 0 else '02:00:00:00:00:c0'
        magpies[i] = net.magpie([devices[i], f'{pcap},{cable("ab"[i])}'], [
            '--addr', f'{pcap},{NETS4[i]}.1/24', '--addr', f'{pcap},{NETS6[i]}:1/64',
            '--neigh', f'{pcap},{NETS4[i]}.2,{host}', '--neigh', f'{pcap},{NETS6[i]}:2,{host}',
            '--addr', f'{names[i]},10.0.9.{here}/24', '--addr', f'{names[i]},2001:db8:9::{here}/64',
            '--neigh', f'{names[i]},10.0.9.{there},{mac}', '--neigh', f'{names[i]},2001:db8:9::{there},{mac}',
            '--route', f'{far4},via=10.0.9.{there}', '--route', f'{far6},via=2001:db8:9::{there}',
            *(f'--mtu={name},9000' for name in (pcap, names[i]))], where='m')
        if kind == 'memif':
            magpies[i].wait_forwarding()
    for magpie, name in zip(magpies, names):
        magpie.wait_value(f'port.{name}.link_up', 1)
    ping_big(net, 62)
    for magpie in magpies:
        account = Account(magpie.stop())
        assert account.tx >= 4 * 3 * 3 * 2 and 'oversize' not in account.drops, account.ended


def test_modes_on_the_wire(net):
    """When owners are released must not show: the same frames leave, whatever the mode."""
    made = [frame for *_, frame in published()]
    first = None
    for mode in ('orphan', 'orphan-packet', 'completion', 'none'):
        ports = Ports(net, made, ['--complete', mode], n=2)
        seen = [ports.sent(port) for port in range(2)] + [ports.account.drops, ports.account.punts]
        first = first or seen
        assert seen == first, f'{mode}\n{ports.account.ended}'
        owners = 'owners: 5, charged with 0 bytes' in ports.account.ended.out
        assert owners == (mode != 'none'), ports.account.ended


def test_mirror(net):
    """What net_pcap0 receives is copied to net_pcap2, also what is dropped; nothing changes for the original."""
    made = frames([100] * 40) + frames([100] * 2, dst=('198.51.100.1', '2001:db8:ffff::1')) + [b'\x02' * 60]
    plain = Ports(net, made, [])
    mirrored = Ports(net, made, ['--mirror', '0=2,rx'])
    assert mirrored.sent(1) == plain.sent(1) != []
    assert mirrored.account.drops == plain.account.drops, mirrored.account.ended
    assert mirrored.sent(2) == made and plain.sent(2) == []
    assert mirrored.account.mirrored == len(made), mirrored.account.ended


def test_mirror_sent(net):
    """What net_pcap1 sends is copied as it leaves; both: each direction of one port."""
    made = frames([*range(20, 1400, 50)])
    ports = Ports(net, made, ['--mirror', '1=2,tx'])
    assert ports.sent(1) == ports.sent(2) != []
    assert by_family(ports.sent(1)) == by_family([one_hop(frame, 1) for frame in made])
    ports = Ports(net, made, ['--mirror', '1=2'])
    # its own frame, which is for nobody, comes in by port 1
    assert sorted(ports.sent(2)) == sorted([*ports.sent(1), bytes(rdpcap(net.path('nothing.pcap'))[0])])


def test_mirror_jumbo(net):
    made = frames([8000, 3000, 100])
    ports = Ports(net, made, ['--mirror', '0=2,rx', '--mirror', '1=2,tx', *(f'--mtu={i},9000' for i in range(3))])
    assert by_family(ports.sent(1)) == by_family([one_hop(frame, 1) for frame in made])
    assert sorted(ports.sent(2)) == sorted(made + ports.sent(1))


@pytest.mark.parametrize('mode', ['orphan', 'completion'])
def test_stalled_port(net, mode):
    """A flood towards a port whose peer has stopped, and another flow: within its limit, nothing of the other is lost."""
    path = net.path('vhost.sock')
    flood, other, nothing, out = (net.path(name) for name in ('flood.pcap', 'other.pcap', 'nothing.pcap', 'out.pcap'))
    wrpcap(flood, [Ether(src=HOST_MACS[0], dst=PORT_MACS[0]) / IP(src='10.0.0.2', dst='10.0.2.2') / UDP() / Raw(bytes(18))])
    wrpcap(nothing, [Ether(dst='02:00:00:00:00:77') / Raw(bytes(46))])
    net.namespace('m').run('ip', 'link', 'add', 's0', 'type', 'veth', 'peer', 'name', 's1')
    for interface in ('s0', 's1'):
        net.namespace('m').quiet(interface, 'up')
    wrpcap(other, [Ether(src=HOST_MACS[1], dst=net.namespace('m').mac('s0')) / IP(src='10.0.1.2', dst='10.0.3.2', id=i) / UDP() /
                   Raw(bytes(18)) for i in range(N_FRAMES)])
    net.magpie([f'net_vhost0,iface={path},client=1'], [], where='m').wait_text('^packets')
    peer = net.programs[-1]

    def start(limit):
        return net.magpie(
            [f'net_pcap0,rx_pcap={flood},infinite_rx=1', 'net_af_packet1,iface=s0', f'net_pcap2,rx_pcap={nothing},tx_pcap={out}',
             f'net_virtio_user0,path={path},server=1,queue_size=256'],
            ['--addr', 'net_pcap0,10.0.0.1/24', '--addr', 'net_af_packet1,10.0.1.1/24', '--addr', 'net_virtio_user0,10.0.2.1/24',
             '--addr', 'net_pcap2,10.0.3.1/24', '--neigh', f'net_virtio_user0,10.0.2.2,{HOST_MACS[0]}',
             '--neigh', f'net_pcap2,10.0.3.2,{HOST_MACS[1]}', '--txd', '256', '--complete', mode,
             '--owner-limit', f'net_pcap0,{limit}'],
            lcores=LCORES[-1], where='m')

    if mode == 'completion':
        # this driver keeps what it has sent until its ring of 256 is full: less would be waited for for ever
        refused = start(700415).finish()
        assert refused.status == 2 and 'at least 700416 for port 0: a burst, and what TX rings keep' in refused.out, refused
    magpie = start(700416)
    magpie.wait_value('port.net_virtio_user0.tx_pkts', 1000)
    peer.process.send_signal(signal.SIGSTOP)
    magpie.wait_value('drop.tx_full', 1000)
    net.namespace('m').run(sys.executable, '-c', SENDER, pcap_raw(net, other), 's1')
    magpie.wait_value('port.net_pcap2.tx_pkts', N_FRAMES * 95 // 100)
    peer.process.send_signal(signal.SIGCONT)
    account = Account(magpie.stop())
    assert len(rdpcap(out)) >= N_FRAMES * 95 // 100, account.ended
