# SPDX-License-Identifier: BSD-3-Clause
"""Makes tests/vectors/own.tsv: frames for what is not among the published ones. To write it anew: python3 own_vectors.py

Names begin with the rule. A verdict is the RFC's or, where that leaves a choice, that of tests/vectors/README.md.
"""
import pathlib
import struct

from wire import (ARP, DEST_OPTIONS, FRAGMENT, HOP_BY_HOP, ICMP, ICMP6, IP4, IP6, NO_NEXT, ROUTING, TCP, UDP, arp, extension,
                  fragment6, frame_of, icmp, icmp6, ip4, ip6, link_option, nd, put16, seal4, solicited_node, u16, udp)

P0, A, B, NOBODY = '02:00:00:00:00:01', '02:00:00:00:00:0a', '02:00:00:00:00:0b', '00:00:00:00:00:00'
ALL = 'ff:ff:ff:ff:ff:ff'
A4, B4, US4, OTHER4 = '10.0.0.2', '10.0.1.2', '10.0.0.1', '10.0.1.1'
A6, B6, US6, OTHER6 = '2001:db8::2', '2001:db8:1::2', '2001:db8::1', '2001:db8:1::1'
LINK6 = 'fe80::ff:fe00:1'
UNSPECIFIED = '::'
ALL_NODES = 'ff02::1'


def four(packet, dst=P0):
    """An IPv4 packet from host A in a frame, as hex."""
    return frame_of(dst, A, IP4, packet).hex()


def six(packet, dst=P0):
    """The same for IPv6."""
    return frame_of(dst, A, IP6, packet).hex()


def udp4(src=A4, dst=B4, size=18, **how):
    """A UDP packet."""
    return ip4(src, dst, UDP, udp(src, dst, bytes(i & 255 for i in range(size))), **how)


def udp6(src=A6, dst=B6, size=18, **how):
    """The same for IPv6."""
    return ip6(src, dst, UDP, udp(src, dst, bytes(i & 255 for i in range(size))), **how)


def ping4(dst=US4, size=32, src=A4, **how):
    """An echo request."""
    return ip4(src, dst, ICMP, icmp(8, 0, b'\x12\x34\0\1', bytes(i & 255 for i in range(size))), **how)


def ping6(dst=US6, size=32, src=A6, **how):
    """The same for IPv6."""
    return ip6(src, dst, ICMP6, echo6(dst, size, src), **how)


def echo6(dst=US6, size=32, src=A6):
    """An ICMPv6 echo request without its IPv6 header."""
    return icmp6(src, dst, 128, 0, b'\x12\x34\0\1', bytes(i & 255 for i in range(size)))


def longer(packet, length):
    """An IPv4 packet with another total length in its header."""
    return seal4(put16(packet, 2, length))


def with_sum(wanted):
    """A UDP packet whose header checksum is this: its id is chosen so."""
    packet = udp4(ident=0)
    ident = (u16(packet, 10) + (0xffff - wanted)) % 0xffff
    packet = udp4(ident=ident)
    assert u16(packet, 10) == wanted, f'{u16(packet, 10):04x}'
    return packet


def pieces4(packet, size, order, **spoil):
    """An IPv4 packet's fragments of size bytes of payload, by their numbers in order."""
    src, dst = ('.'.join(map(str, packet[at:at + 4])) for at in (12, 16))
    data = packet[20:]
    n = -(-len(data) // size)
    made = [ip4(src, dst, spoil.get('proto', packet[9]), data[i * size:(i + 1) * size], flags=int(i < n - 1), offset=i * size,
                ident=spoil.get('ident', 0x4242)) for i in range(n)]
    return [four(made[i]) for i in order]


def pieces6(data, size, order, dst=US6, ident=0x42424242):
    """The same of an ICMPv6 message."""
    n = -(-len(data) // size)
    made = [ip6(A6, dst, FRAGMENT, fragment6(ICMP6, i * size, i < n - 1, ident, data[i * size:(i + 1) * size])) for i in range(n)]
    return [six(made[i]) for i in order]


def rfc1812():
    """IPv4 routers."""
    yield '5.2.2-ihl4', 'DROP ip4_ihl', four(seal4(b'\x44' + udp4()[1:]))
    yield '5.2.2-ihl-beyond-frame', 'DROP ip4_ihl', frame_of(P0, A, IP4, b'\x4f' + udp4(size=0)[1:])[:14 + 28].hex()
    yield '5.2.2-length-below-header', 'DROP ip4_length', four(longer(udp4(), 19))
    yield '5.2.2-length-beyond-frame', 'DROP ip4_length', frame_of(P0, A, IP4, longer(udp4(), 47)).hex()
    yield '5.2.2-version6-in-ipv4-frame', 'DROP ip4_version', four(seal4(b'\x65' + udp4()[1:]))
    yield '4.2.2.9-ttl1-to-us', 'LOCAL echo reply', four(ping4(ttl=1))
    yield '4.2.2.9-ttl0-transit', 'ICMP 11/0', four(udp4(ttl=0))
    yield '5.2.7.1-prohibit', 'ICMP 3/13', four(udp4(dst='198.51.100.1'))
    yield '5.2.7.1-unreachable', 'ICMP 3/0-or-ICMP 3/1', four(udp4(dst='198.51.100.65'))
    yield 'blackhole', 'DROP blackhole', four(udp4(dst='198.51.100.129'))
    yield '4.3.2.3-quote-576', 'ICMP 11/0', four(udp4(size=1400, ttl=1))
    yield '4.3.2.3-quote-548-exact', 'ICMP 11/0', four(udp4(size=520, ttl=1))
    yield '4.3.2.3-quote-549', 'ICMP 11/0', four(udp4(size=521, ttl=1))
    yield '4.3.2.3-quote-no-padding', 'ICMP 11/0', four(udp4(size=0, ttl=1))
    yield '4.3.2.3-quote-options', 'ICMP 11/0', four(udp4(ttl=1, options=b'\1' * 40))
    yield '4.3.2.5-precedence', 'ICMP 11/0', four(udp4(ttl=1, tos=0xb8))
    yield '4.3.2.7-first-fragment', 'ICMP 11/0', four(udp4(ttl=1, flags=1, size=24))
    yield '4.3.2.7-non-first-fragment', 'DROP ip4_ttl', four(udp4(ttl=1, offset=8))
    yield '4.3.2.7-about-echo', 'ICMP 11/0', four(ping4(dst=B4, ttl=1))
    yield '4.3.2.7-about-error', 'DROP ip4_ttl', four(ip4(A4, B4, ICMP, icmp(3, 1, bytes(4), udp4(src=B4, dst=A4)), ttl=1))
    yield '4.3.2.7-about-redirect', 'DROP ip4_ttl', four(ip4(A4, B4, ICMP, icmp(5, 1, bytes(4), udp4(src=B4, dst=A4)), ttl=1))
    yield '4.3.2.7-no-route-about-error', 'DROP no_route', four(ip4(A4, '203.0.113.9', ICMP, icmp(11, 0, bytes(4), udp4(src=B4, dst=A4))))
    yield '4.3.2.7-broadcast', 'DROP', four(udp4(dst='10.0.1.255', ttl=1))
    yield '4.3.2.7-link-broadcast', 'DROP l2_multicast', four(udp4(ttl=1), ALL)
    yield '4.3.2.7-source-loopback', 'DROP ip4_src_martian', four(udp4(src='127.0.0.1', ttl=1))
    yield '4.3.2.7-source-class-e', 'DROP ip4_src_martian', four(udp4(src='240.0.0.1', ttl=1))
    yield '4.3.2.7-source-broadcast', 'DROP', four(udp4(src='10.0.0.255', ttl=1))
    yield '4.3.2.7-source-ours', 'DROP', four(udp4(src=US4, ttl=1))
    yield '4.3.2.7-source-limited-broadcast', 'DROP ip4_src_martian', four(udp4(src='255.255.255.255', ttl=1))
    yield '4.3.2.7-no-route-broadcast-source', 'DROP', four(udp4(src='10.0.0.255', dst='203.0.113.9'))
    yield '4.3.3.6-echo-broadcast', 'DROP ip4_broadcast', four(ping4(dst='10.0.0.255'))
    yield '4.3.3.6-echo-other-address', 'LOCAL echo reply', four(ping4(dst=OTHER4))
    yield '4.3.3.6-echo-options-source-route', 'DROP ip4_source_route', four(ping4(options=bytes([131, 7, 4, 10, 0, 0, 2, 0])))
    yield '5.3.4-echo-to-us-in-broadcast', 'DROP l2_multicast', four(ping4(), ALL)
    yield '5.3.5.2-directed-broadcast-ingress', 'DROP ip4_broadcast', four(udp4(dst='10.0.0.255'))
    yield '5.3.7-source-this-network', 'DROP ip4_src_martian', four(udp4(src='0.1.2.3'))
    yield '5.2.4.2-loose-source-route', 'DROP ip4_source_route', four(udp4(options=bytes([131, 7, 4, 10, 0, 1, 9, 0])))
    yield '5.2.4.2-strict-source-route', 'DROP ip4_source_route', four(udp4(options=bytes([137, 7, 4, 10, 0, 1, 9, 0])))
    yield '5.2.4.1-option-length-1', 'DROP ip4_options', four(udp4(options=bytes([30, 1, 0, 0])))
    yield '5.2.4.1-option-without-length', 'DROP ip4_options', four(udp4(options=bytes([1, 1, 1, 30])))
    yield '5.2.4.1-end-of-options', 'FWD', four(udp4(options=bytes([0, 7, 0, 0])))
    yield '5.2.4.1-unknown-option', 'FWD', four(udp4(options=bytes([30, 4, 1, 2])))
    yield '3.3.1-ipv4-in-ipv6-frame', 'DROP ip6_version', six(udp4(size=60))
    yield '5.2.1-priority-tag', 'FWD', (frame_of(P0, A, IP4, udp4())[:12] + b'\x81\0\xe0\0' + frame_of(P0, A, IP4, udp4())[12:]).hex()
    yield '4.2.2.1-tos-unchanged', 'FWD', four(udp4(tos=0xff))
    yield '4.2.2.11-lowest-host', 'ICMP 3/0', four(udp4(src='10.0.0.3', dst='203.0.113.0'))
    yield '5.3.8-next-hop-mac-of-3', 'FWD back out port0', four(udp4(dst='10.0.0.3'))


def rfc792():
    """ICMP."""
    yield 'echo-empty', 'LOCAL echo reply', four(ping4(size=0))
    yield 'echo-odd', 'LOCAL echo reply', four(ping4(size=33))
    yield 'echo-1472', 'LOCAL echo reply', four(ping4(size=1472))
    yield 'echo-8972', 'LOCAL echo reply', four(ping4(size=8972))
    yield 'echo-checksum-0', 'LOCAL echo reply', four(ip4(A4, US4, ICMP, icmp(8, 0, b'\xf7\xff\0\0')))
    yield 'echo-truncated', 'DROP icmp_malformed', four(ip4(A4, US4, ICMP, b'\x08\0\xf7\xff'))
    yield 'echo-reply-to-us', 'DROP icmp_ignored', four(ip4(A4, US4, ICMP, icmp(0, 0, b'\0\1\0\1')))
    yield 'timestamp', 'DROP icmp_ignored', four(ip4(A4, US4, ICMP, icmp(13, 0, b'\0\1\0\1', bytes(12))))
    yield 'redirect-to-us', 'DROP icmp_ignored', four(ip4(A4, US4, ICMP, icmp(5, 1, bytes([10, 0, 0, 3]), udp4(src=US4))))
    yield 'unreachable-to-us', 'DROP icmp_ignored', four(ip4(A4, US4, ICMP, icmp(3, 1, bytes(4), udp4(src=US4, dst=A4))))
    yield 'protocol-unreachable', 'ICMP 3/2', four(ip4(A4, US4, 253, bytes(20)))
    yield 'port-unreachable-other-address', 'ICMP 3/3', four(udp4(dst=OTHER4))
    yield 'port-unreachable-to-broadcast-mac', 'DROP l2_multicast', four(udp4(dst=US4), ALL)
    yield 'port-unreachable-source-broadcast', 'DROP', four(udp4(src='10.0.0.255', dst=US4))
    yield 'tcp-to-us', 'ICMP 3/2-or-ICMP 3/3', four(ip4(A4, US4, TCP, struct.pack('!HHIIBBHHH', 1024, 80, 1, 0, 0x50, 2, 1024, 0, 0)))


def rfc791():
    """Fragments that are made, kept and joined."""
    far = {'copied': bytes([158, 4, 1, 2]), 'not-copied': bytes([30, 4, 1, 2])}
    for name, option in far.items():
        yield f'3.1-option-{name}', 'FWD 2 fragments', four(udp4(size=1500, options=option))
    yield '3.1-options-both', 'FWD 2 fragments', four(udp4(size=1500, options=bytes([30, 3, 1, 158, 6, 1, 2, 3, 4, 1, 158, 2])))
    yield '3.1-option-security', 'FWD 2 fragments', four(udp4(size=1480, options=bytes([130, 11, *range(9), 0])))
    yield '3.1-options-40-bytes', 'FWD 2 fragments', four(udp4(size=1460, options=bytes([158, 40, *range(38)])))
    yield '3.2-mtu-exact', 'FWD', four(udp4(size=1472))
    yield '3.2-one-byte-more', 'FWD 2 fragments', four(udp4(size=1473))
    yield '3.2-one-byte-last', 'FWD 2 fragments', four(ip4(A4, B4, 253, bytes(i & 255 for i in range(1481))))
    yield '3.2-9000', 'FWD 7 fragments', four(udp4(size=8972))
    yield '3.2-8901', 'FWD 7 fragments', four(udp4(size=8901 - 28))
    yield '3.2-8900', 'FWD 6 fragments', four(udp4(size=8900 - 28))
    yield '3.2-mf-kept', 'FWD 2 fragments', four(udp4(size=1592 - 8, flags=1))
    yield '3.2-offset-kept', 'FWD 2 fragments', four(ip4(A4, B4, UDP, bytes(i & 255 for i in range(1597)), offset=2960))
    yield '3.2-offset-largest', 'FWD 2 fragments', four(ip4(A4, B4, UDP, bytes(1500), offset=65535 // 8 * 8 - 1520))
    yield '3.2-id-0', 'FWD 2 fragments', four(udp4(size=1500, ident=0))
    echo = ping4(size=128)
    yield '3.2-join-in-order', 'LOCAL echo reply', *pieces4(echo, 48, [0, 1, 2])
    yield '3.2-join-reversed', 'LOCAL echo reply', *pieces4(echo, 48, [2, 1, 0])
    yield '3.2-join-mixed', 'LOCAL echo reply', *pieces4(echo, 48, [1, 2, 0])
    yield '3.2-join-duplicate-first', 'LOCAL echo reply lossy', *pieces4(echo, 48, [0, 0, 1, 2])
    yield '3.2-join-duplicate-middle', 'LOCAL echo reply lossy', *pieces4(echo, 48, [0, 1, 1, 2])
    yield '3.2-join-20-pieces', 'LOCAL echo reply', *pieces4(ping4(size=152), 8, list(range(20)))
    yield '3.2-join-4000', 'LOCAL echo reply', *pieces4(ping4(size=4000), 1480, [0, 2, 1])
    other = pieces4(ip4(A4, US4, UDP, bytes(136)), 48, [1], ident=0x4243)
    foreign = pieces4(ip4(A4, US4, 253, bytes(136)), 48, [1], ident=0x4244)
    mine = pieces4(echo, 48, [0, 1, 2], ident=0x4244)
    yield '3.2-join-by-protocol', 'LOCAL echo reply of 0 2 3', mine[0], foreign[0], mine[1], mine[2]
    mine = pieces4(echo, 48, [0, 1, 2], ident=0x4245)
    yield '3.2-join-by-id', 'LOCAL echo reply of 0 2 3', mine[0], other[0], mine[1], mine[2]
    yield '3.2-join-udp-closed', 'ICMP 3/3 joined', *pieces4(udp4(dst=US4, size=100), 48, [0, 1, 2], ident=0x4246)


def rfc1191():
    """Path MTU discovery."""
    yield 'df-exact', 'FWD', four(udp4(size=1472, flags=2))
    yield 'df-echo-1501', 'ICMP 3/4 mtu 1500', four(ping4(dst=B4, size=1473, flags=2))
    yield 'df-9000', 'ICMP 3/4 mtu 1500', four(udp4(size=8972, flags=2))
    yield 'df-first-fragment', 'ICMP 3/4 mtu 1500', four(udp4(size=1584, flags=3))
    yield 'df-non-first-fragment', 'DROP mtu_exceeded', four(ip4(A4, B4, UDP, bytes(1500), flags=2, offset=1480))
    yield 'df-about-error', 'DROP mtu_exceeded', four(ip4(A4, B4, ICMP, icmp(11, 0, bytes(4), udp4(src=B4, dst=A4, size=1480)), flags=2))


def rfc1624():
    """The checksum's incremental update at its edges."""
    for value in (0x0000, 0x0001, 0x00ff, 0x0100, 0xfefe, 0xfeff, 0xff00, 0xff01, 0xfffe):
        yield f'3-in-{value:04x}', 'FWD', four(with_sum(value))


def rfc826():
    """ARP."""
    def ask(packet, dst=ALL):
        return frame_of(dst, A, ARP, packet).hex()
    us = arp(1, A, A4, NOBODY, US4)
    yield 'request-unicast', f'LOCAL reply {US4}', ask(us, P0)
    yield 'request-42-bytes', f'LOCAL reply {US4}', ask(us)[:84]
    yield 'request-target-mac-set', f'LOCAL reply {US4}', ask(arp(1, A, A4, ALL, US4))
    yield 'request-tagged', f'LOCAL reply {US4}', ask(us)[:24] + '8100e000' + ask(us)[24:]
    yield 'request-truncated', 'DROP', ask(us)[:2 * (14 + 27)]
    yield 'request-8-byte-mac', 'DROP arp_malformed', ask(arp(1, A, A4, NOBODY, US4, hlen=8))
    yield 'request-16-byte-address', 'DROP arp_malformed', ask(arp(1, A, A4, NOBODY, US4, plen=16))
    yield 'request-appletalk', 'DROP arp_malformed', ask(arp(1, A, A4, NOBODY, US4, ptype=0x809b))
    yield 'rarp', 'DROP', ask(arp(3, A, A4, NOBODY, US4))
    yield 'op-25', 'DROP', ask(arp(25, A, A4, NOBODY, US4))
    yield 'request-multicast-sender', 'DROP arp_sender', ask(arp(1, '01:00:5e:00:00:02', A4, NOBODY, US4))
    yield 'request-broadcast-sender-address', 'DROP arp_sender', ask(arp(1, A, '255.255.255.255', NOBODY, US4))
    yield 'request-subnet-broadcast-sender', 'DROP arp_sender', ask(arp(1, A, '10.0.0.255', NOBODY, US4))
    yield 'request-other-mac-in-frame', 'DROP not_for_us', ask(us, '02:00:00:00:00:77')
    yield 'reply-static', 'DROP arp_unknown', ask(arp(2, '02:00:00:00:00:66', A4, P0, US4), P0)


def rfc5227():
    """ARP probes and announcements."""
    def ask(packet, dst=ALL):
        return frame_of(dst, A, ARP, packet).hex()
    yield '2.1.1-probe-ours', f'LOCAL reply {US4}', ask(arp(1, A, '0.0.0.0', NOBODY, US4))
    yield '2.1.1-probe-others', 'DROP arp_not_ours', ask(arp(1, A, '0.0.0.0', NOBODY, '10.0.0.77'))
    yield '2.1.1-probe-other-link', 'DROP arp_not_ours', ask(arp(1, A, '0.0.0.0', NOBODY, OTHER4))
    yield '4-announcement-creates-nothing', 'DROP', ask(arp(1, '02:00:00:00:00:78', '10.0.0.78', NOBODY, '10.0.0.78'))


def rfc4443():
    """ICMPv6."""
    yield '3.1-prohibit', 'ICMP6 1/1', six(udp6(dst='2001:db8:f1::1'))
    yield '3.1-unreachable', 'ICMP6 1/0-or-ICMP6 1/3', six(udp6(dst='2001:db8:f2::1'))
    yield 'blackhole', 'DROP blackhole', six(udp6(dst='2001:db8:f3::1'))
    yield '3.1-port-unreachable', 'ICMP6 1/4', six(udp6(dst=US6))
    yield '3.1-port-unreachable-other-address', 'ICMP6 1/4', six(udp6(dst=OTHER6))
    yield '3.4-next-header-unknown', 'ICMP6 4/1 ptr 6', six(ip6(A6, US6, 253, bytes(20)))
    yield '3.4-next-header-unknown-behind-options', 'ICMP6 4/1 ptr 40', six(ip6(A6, US6, DEST_OPTIONS, extension(253, b'\1\4' + bytes(4)) + bytes(20)))
    yield '4.2-echo-empty', 'LOCAL echo reply', six(ping6(size=0))
    yield '4.2-echo-odd', 'LOCAL echo reply', six(ping6(size=33))
    yield '4.2-echo-8952', 'LOCAL echo reply', six(ping6(size=8952))
    yield '4.2-echo-1448', 'LOCAL echo reply', six(ping6(size=1448))
    yield '4.2-echo-other-address', 'LOCAL echo reply', six(ping6(dst=OTHER6))
    yield '4.2-echo-hop-limit-1', 'LOCAL echo reply', six(ping6(hop_limit=1))
    yield '4.2-echo-bad-checksum', 'DROP icmp_checksum', six(ping6()[:-1] + b'\xee')
    yield '2.4a-unknown-error-to-us', 'DROP icmp_ignored', six(ip6(A6, US6, ICMP6, icmp6(A6, US6, 99, 0, bytes(4), udp6(src=US6, dst=A6))))
    yield '2.4b-unknown-informational-to-us', 'DROP icmp_ignored', six(ip6(A6, US6, ICMP6, icmp6(A6, US6, 200, 0, bytes(4))))
    yield '2.4c-quote-1280', 'ICMP6 3/0', six(udp6(size=1400, hop_limit=1))
    yield '2.4c-quote-exact', 'ICMP6 3/0', six(udp6(size=1232 - 48, hop_limit=1))
    yield '2.4c-quote-one-more', 'ICMP6 3/0', six(udp6(size=1233 - 48, hop_limit=1))
    yield '2.4e-about-echo', 'ICMP6 3/0', six(ping6(dst=B6, hop_limit=1))
    yield '2.4e-about-error-behind-options', 'DROP ip6_hop_limit', six(ip6(A6, B6, DEST_OPTIONS, extension(ICMP6, b'\1\4' + bytes(4)) + icmp6(
        A6, B6, 1, 0, bytes(4), udp6(src=B6, dst=A6)), hop_limit=1))
    yield '2.4e-about-redirect', 'DROP ip6_hop_limit', six(ip6(A6, B6, ICMP6, icmp6(A6, B6, 137, 0, bytes(4), bytes(32)), hop_limit=1))
    yield '2.4e-link-multicast', 'DROP l2_multicast', six(udp6(hop_limit=1), '33:33:00:00:00:01')
    yield '2.4e-source-unspecified', 'DROP ip6_src_martian', six(udp6(src='::', hop_limit=1))
    yield '2.4e-source-multicast', 'DROP ip6_src_martian', six(udp6(src='ff02::5', hop_limit=1))
    yield '3.2-too-big-9000', 'ICMP6 2/0 mtu 1500', six(udp6(size=8952))
    yield '3.2-too-big-about-fragment', 'ICMP6 2/0 mtu 1500', six(ip6(A6, B6, FRAGMENT, fragment6(UDP, 0, 1, 7, bytes(1496))))
    yield '3.3-first-fragment', 'ICMP6 3/0', six(ip6(A6, B6, FRAGMENT, fragment6(UDP, 0, 1, 7, bytes(64)), hop_limit=1))


def rfc8200():
    """IPv6."""
    echo = echo6()
    for action, verdict in ((0x1e, 'LOCAL echo reply ext'), (0x5e, 'DROP'), (0x9e, 'ICMP6 4/2 ptr 42'), (0xde, 'ICMP6 4/2 ptr 42')):
        for name, kind in (('hop-by-hop', HOP_BY_HOP), ('destination', DEST_OPTIONS)):
            header = extension(ICMP6, bytes([action, 4, 0, 0, 0, 0]))
            yield f'4.2-{name}-option-{action:02x}', verdict, six(ip6(A6, US6, kind, header + echo))
    yield '4.2-option-behind-pad', 'ICMP6 4/2 ptr 44', six(ip6(A6, US6, DEST_OPTIONS, extension(ICMP6, bytes([1, 0, 0x9e, 2, 0, 0])) + echo))
    yield '4.2-option-beyond-header', 'DROP-or-ICMP6 4/0 ptr 43', six(ip6(A6, US6, DEST_OPTIONS, extension(ICMP6, bytes([0x1e, 200, 0, 0, 0, 0])) + echo))
    yield '4.3-hop-by-hop-not-first', 'ICMP6 4/1 ptr 40', six(ip6(A6, US6, DEST_OPTIONS, extension(HOP_BY_HOP, b'\1\4' + bytes(4)) + extension(
        ICMP6, b'\1\4' + bytes(4)) + echo))
    routing = bytes([ICMP6, 2, 0, 1]) + bytes(4) + bytes.fromhex('20010db8000000000000000000000003')
    yield '4.4-routing-0-to-us', 'ICMP6 4/0 ptr 42', six(ip6(A6, US6, ROUTING, routing + echo))
    yield '4.4-routing-0-no-segments-left', 'LOCAL echo reply ext', six(ip6(A6, US6, ROUTING, routing[:3] + b'\0' + routing[4:] + echo))
    yield '4.4-routing-253-to-us', 'ICMP6 4/0 ptr 42', six(ip6(A6, US6, ROUTING, routing[:2] + b'\xfd' + routing[3:] + echo))
    yield '4.5-atomic-fragment', 'LOCAL echo reply', *pieces6(echo, 64, [0])
    yield '4.5-join-in-order', 'LOCAL echo reply', *pieces6(echo6(size=128), 48, [0, 1, 2], ident=1)
    yield '4.5-join-reversed', 'LOCAL echo reply', *pieces6(echo6(size=128), 48, [2, 1, 0], ident=2)
    yield '4.5-join-duplicate', 'LOCAL echo reply lossy', *pieces6(echo6(size=128), 48, [0, 1, 1, 2], ident=3)
    yield '4.5-join-4000', 'LOCAL echo reply', *pieces6(echo6(size=4000), 1448, [2, 0, 1], ident=4)
    yield '4.5-length-no-multiple-of-8', 'ICMP6 4/0 ptr 4', six(ip6(A6, US6, FRAGMENT, fragment6(UDP, 0, 1, 5, bytes(13))))
    yield '4.5-beyond-65535', 'ICMP6 4/0 ptr 42', six(ip6(A6, US6, FRAGMENT, fragment6(ICMP6, 65528, 0, 6, bytes(16))))
    yield '4.7-no-next-header-to-us', 'DROP', six(ip6(A6, US6, NO_NEXT, b''))
    yield '3-payload-trimmed', 'FWD', six(udp6(size=0)) + 'aa' * 20
    yield '3-traffic-class-and-flow', 'FWD', six(udp6(traffic_class=0xff, flow=0xfffff))
    yield '3-truncated', 'DROP ip6_truncated', frame_of(P0, A, IP6, udp6())[:14 + 39].hex()
    yield '3-hop-limit-2', 'FWD', six(udp6(hop_limit=2))
    yield '3-hop-limit-255', 'FWD', six(udp6(hop_limit=255))
    yield '4-headers-beyond-packet', 'DROP', six(ip6(A6, US6, DEST_OPTIONS, bytes([ICMP6, 20, 1, 4, 0, 0, 0, 0])))
    yield '4-too-short-for-a-header', 'DROP', six(ip6(A6, US6, DEST_OPTIONS, bytes([ICMP6, 0])))


def rfc5722():
    """Overlapping fragments."""
    first, last = pieces6(echo6(size=88), 48, [0, 1], ident=0x5722)
    again = six(ip6(A6, US6, FRAGMENT, fragment6(ICMP6, 40, 0, 0x5722, bytes(56))))
    yield '3-overlap', 'DROP-or-ANY silent', first, again, last


def rfc4861():
    """Neighbour discovery."""
    group, group_mac = solicited_node(US6)
    slla = link_option(1, A)
    link_group, link_group_mac = solicited_node(LINK6)
    yield '7.2.4-no-option', 'LOCAL NA', six(nd(A6, group, 135, 0, US6), group_mac)
    yield '7.2.4-link-local-target', 'LOCAL NA', six(nd(A6, link_group, 135, 0, LINK6, slla), link_group_mac)
    yield '7.2.4-dad-probe', 'LOCAL NA', six(nd(UNSPECIFIED, group, 135, 0, US6), group_mac)
    yield '7.2.4-unknown-option-first', 'LOCAL NA', six(nd(A6, group, 135, 0, US6, bytes([99, 1]) + bytes(6) + slla), group_mac)
    yield '7.1.1-hop-limit-254', 'DROP nd_malformed', six(nd(A6, group, 135, 0, US6, slla, hop_limit=254), group_mac)
    yield '7.1.1-multicast-target', 'DROP nd_malformed', six(nd(A6, group, 135, 0, 'ff02::1', slla), group_mac)
    yield '7.1.1-truncated', 'DROP nd_malformed', six(ip6(A6, US6, ICMP6, icmp6(A6, US6, 135, 0, bytes(4), bytes(8)), 255))
    yield '7.1.1-option-beyond-packet', 'DROP nd_malformed', six(nd(A6, group, 135, 0, US6, bytes([1, 2]) + slla[2:]), group_mac)
    yield '7.1.1-dad-to-unicast', 'DROP', six(nd(UNSPECIFIED, US6, 135, 0, US6))
    yield '7.2.3-target-of-other-port', 'DROP nd_not_ours', six(nd(A6, solicited_node(OTHER6)[0], 135, 0, OTHER6, slla), solicited_node(OTHER6)[1])
    yield '7.1.2-advert-hop-limit-254', 'DROP nd_malformed', six(nd(A6, US6, 136, 0x60, A6, link_option(2, A), hop_limit=254))
    yield '7.1.2-advert-solicited-multicast', 'DROP nd_malformed', six(nd(A6, ALL_NODES, 136, 0x60, A6, link_option(2, A)), '33:33:00:00:00:01')
    yield '7.1.2-advert-option-length-0', 'DROP nd_malformed', six(nd(A6, US6, 136, 0x60, A6, bytes(8)))
    yield '7.1.2-advert-code-1', 'DROP nd_malformed', six(nd(A6, US6, 136, 0x60, A6, link_option(2, A), code=1))
    yield '7.2.5-advert-static', 'LEARN', six(nd(A6, US6, 136, 0x60, A6, link_option(2, '02:00:00:00:00:66')))
    yield '7.2.5-advert-multicast-mac', 'DROP nd_sender', six(nd(A6, US6, 136, 0x60, A6, link_option(2, '33:33:00:00:00:0a')))
    for kind, name in ((133, 'router-solicitation'), (134, 'router-advertisement'), (137, 'redirect')):
        message = icmp6(A6, US6, kind, 0, bytes(4), bytes(8 if kind != 137 else 32))
        yield f'6-{name}', 'DROP', six(ip6(A6, US6, ICMP6, message, 255))


def rfc6890():
    """Addresses that are never forwarded."""
    for name, addr in (('this-network', '0.1.2.3'), ('loopback', '127.255.0.1'), ('link-local', '169.254.1.1'), ('class-e', '250.1.1.1')):
        yield f'source-{name}', 'DROP ip4_src_martian', four(udp4(src=addr))
        yield f'destination-{name}', 'DROP ip4_dst_martian', four(udp4(dst=addr))
    yield 'source-ipv6-loopback', 'DROP ip6_src_martian', six(udp6(src='::1'))
    yield 'source-ipv6-link-local', 'DROP ip6_link_local', six(udp6(src='fe80::2'))
    yield 'destination-ipv6-mapped', 'DROP ip6_dst_martian', six(udp6(dst='::ffff:10.0.1.2'))
    for name, addr in (('private', '192.168.1.1'), ('shared', '100.64.0.1'), ('benchmark', '198.18.0.1'), ('documentation', '192.0.2.1')):
        yield f'source-{name}-is-forwarded', 'FWD', four(udp4(src=addr))
    yield 'source-unique-local-is-forwarded', 'FWD', six(udp6(src='fd00::1'))


def other():
    """Link layer."""
    yield 'ieee802.1q-other-vlan-to-us', 'DROP vlan', four(ping4())[:24] + '81000005' + four(ping4())[24:]
    yield 'ieee802.1q-priority-tag-echo', 'LOCAL echo reply', four(ping4())[:24] + '8100e000' + four(ping4())[24:]
    yield 'ieee802.3-source-multicast', 'DROP bad_source_mac', frame_of(P0, '03:00:00:00:00:0a', IP4, udp4()).hex()
    yield 'ieee802.3-source-zero', 'ANY', frame_of(P0, NOBODY, IP4, udp4()).hex()


TABLES = {'rfc1812': rfc1812, 'rfc792': rfc792, 'rfc791': rfc791, 'rfc1191': rfc1191, 'rfc1624': rfc1624, 'rfc826': rfc826,
          'rfc5227': rfc5227, 'rfc4443': rfc4443, 'rfc8200': rfc8200, 'rfc5722': rfc5722, 'rfc4861': rfc4861, 'rfc6890': rfc6890,
          'link': other}


def text():
    """The whole table."""
    lines = ['# SPDX-License-Identifier: BSD-3-Clause', '# Made by tests/net/own_vectors.py; what verdicts mean is told in tests/net/replay.py.',
             '#id\tverdict\tsource\tframes (hex, as they enter port 0)']
    for name, table in TABLES.items():
        rule = table.__doc__.rstrip('.')
        lines += ['\t'.join([f'{name}-{row}', verdict, rule, ' '.join(frames)]) for row, verdict, *frames in table()]
    return '\n'.join(lines) + '\n'


if __name__ == '__main__':
    (pathlib.Path(__file__).resolve().parents[1] / 'vectors/own.tsv').write_text(text(), encoding='ascii')
