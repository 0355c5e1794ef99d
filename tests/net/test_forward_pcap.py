# SPDX-License-Identifier: BSD-3-Clause
"""The published frames (tests/vectors) through the program, from a capture file into capture files, read with scapy."""
import collections
import csv
import pathlib

from netns import Account, is_own, net_fixture  # noqa: F401 (a fixture)
from scapy.layers.inet import IP
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from scapy.utils import rdpcap, wrpcap

VECTORS = pathlib.Path(__file__).resolve().parents[1] / 'vectors'
PORT_MACS = ('02:70:63:61:70:00', '02:70:63:61:70:01')
HOST_MACS = ('02:00:00:00:00:0a', '02:00:00:00:00:0b')
ROUTES = ('10.156.94.34/32', '240.0.0.0/4', '169.254.0.0/16')


def table(name):
    """The rows of a table that are no remarks."""
    with open(VECTORS / name, encoding='ascii') as file:
        return list(csv.reader((line for line in file if not line.startswith('#')), delimiter='\t'))


def with_mac(frame, old, new):
    """The frame for a port that has another address than port 0 of the README."""
    old, new = (bytes.fromhex(mac.replace(':', '')) for mac in (old, new))
    return b''.join(new if frame[at:at + 6] == old else frame[at:at + 6] for at in (0, 6)) + frame[12:]


def published():
    """id, published verdict, verdict here, frame for net_pcap0."""
    here = {row[0]: row[1] for row in table('first_light.tsv')}
    for name, verdict, _, frame in table('published.tsv'):
        yield name, verdict, here[name], with_mac(bytes.fromhex(frame), '02:00:00:00:00:01', PORT_MACS[0])


def one_hop(frame, port):
    """The frame as it leaves port, made by scapy."""
    then = Ether(frame)
    then.src, then.dst = PORT_MACS[port], HOST_MACS[port]
    packet = then[IP] if then.type == 0x0800 else then[IPv6]
    if then.type == 0x0800:
        packet.ttl -= 1
        length = packet.len
        del packet.chksum
        header = bytes(packet)[:4 * packet.ihl]
    else:
        packet.hlim -= 1
        length = 40 + packet.plen
        header = bytes(packet)[:40]
    # the rest as it came: scapy would mend checksums that are none of a router's business
    return bytes(then)[:14] + header + frame[14 + len(header):14 + length]


def is_fragment(frame):
    return frame[12:14] == b'\x08\x00' and int.from_bytes(frame[20:22], 'big') & 0x3fff != 0


def test_published_frames(net):
    vectors = list(published())
    source, nothing, outs = net.path('in.pcap'), net.path('nothing.pcap'), [net.path(f'out{i}.pcap') for i in range(2)]
    wrpcap(source, [Raw(frame) for *_, frame in vectors], linktype=1)
    wrpcap(nothing, [Ether(dst='02:00:00:00:00:77') / Raw(bytes(46))])
    magpie = net.magpie([f'net_pcap0,rx_pcap={source},tx_pcap={outs[0]}', f'net_pcap1,rx_pcap={nothing},tx_pcap={outs[1]}'], [
        '--addr', '0,10.0.0.1/24', '--addr', '0,2001:db8::1/64', '--addr', '0,fe80::ff:fe00:1/64', '--addr', '1,10.0.1.1/24',
        '--addr', '1,2001:db8:1::1/64', '--neigh', f'0,10.0.0.2,{HOST_MACS[0]}', '--neigh', f'0,2001:db8::2,{HOST_MACS[0]}',
        '--neigh', f'1,10.0.1.2,{HOST_MACS[1]}', '--neigh', f'1,2001:db8:1::2,{HOST_MACS[1]}',
        *(word for route in ROUTES for word in ('--route', f'{route},via=10.0.1.2'))])
    magpie.wait_value('packets.rx', len(vectors) + 1)
    account = Account(magpie.stop())

    # port 1's own frame is for nobody
    counts = collections.Counter(['not_for_us'] + [here for *_, here, _ in vectors])
    assert account.forwarded == counts.pop('forward'), account.ended
    assert collections.Counter({**account.drops, **account.punts}) == counts, account.ended

    for port in range(2):
        sent = [frame for *_, verdict, here, frame in vectors if here == 'forward' and ('port0' in verdict) == (port == 0)]
        seen = [frame for frame in map(bytes, rdpcap(outs[port])) if not is_own(frame)] if sent else []
        # bursts are sorted by family
        for family in (b'\x08\x00', b'\x86\xdd'):
            expected = [one_hop(frame, port) for frame in sent if frame[12:14] == family and len(frame) <= 1514]
            # test_vectors.py looks at those that were cut
            assert [frame for frame in seen if frame[12:14] == family and (frame in expected or not is_fragment(frame))] == expected
