# SPDX-License-Identifier: BSD-3-Clause
"""Frames as bytes: fields, checksums, packets made and taken apart. No library's opinion, so it can judge any program's."""
import ipaddress
import struct

ETH = 14
IP4, ARP, IP6 = 0x0800, 0x0806, 0x86dd
ICMP, TCP, UDP, ICMP6 = 1, 6, 17, 58
HOP_BY_HOP, ROUTING, FRAGMENT, NO_NEXT, DEST_OPTIONS = 0, 43, 44, 59, 60
ICMP_ERRORS = {3, 4, 5, 11, 12}  # RFC 1122 3.2.2


def mac_bytes(text):
    """02:00:.. as 6 bytes."""
    return bytes.fromhex(text.replace(':', ''))


def addr_bytes(text):
    """An address of either family as 4 or 16 bytes."""
    return ipaddress.ip_address(text).packed


def u16(data, at):
    """A big-endian field."""
    return data[at] << 8 | data[at + 1]


def put16(data, at, value):
    """data with another value in a big-endian field."""
    return data[:at] + struct.pack('!H', value & 0xffff) + data[at + 2:]


def ones_sum(data):
    """The Internet checksum's sum (RFC 1071), not complemented."""
    if len(data) % 2:
        data += b'\0'
    total = sum(struct.unpack(f'!{len(data) // 2}H', data))
    while total >> 16:
        total = (total & 0xffff) + (total >> 16)
    return total


def checksum(data):
    """What belongs in a checksum field that is 0 in data."""
    return ~ones_sum(data) & 0xffff


def ethernet(frame):
    """Destination, source, type behind a priority tag, offset of the packet; a truncated frame has type 0."""
    at = 12
    if len(frame) >= 18 and u16(frame, 12) in (0x8100, 0x88a8) and u16(frame, 14) & 0xfff == 0:
        at = 16
    kind = u16(frame, at) if len(frame) >= at + 2 else 0
    return frame[:6], frame[6:12], kind, at + 2


def frame_of(dst, src, kind, packet):
    """An Ethernet frame, padded to 60 bytes."""
    frame = mac_bytes(dst) + mac_bytes(src) + struct.pack('!H', kind) + packet
    return frame.ljust(60, b'\0')


def pseudo(src, dst, proto, length):
    """The pseudo header of either family (RFC 768, RFC 8200 8.1)."""
    if len(src) == 4:
        return src + dst + struct.pack('!BBH', 0, proto, length)
    return src + dst + struct.pack('!IHBB', length, 0, 0, proto)


def ip4(src, dst, proto, payload, ttl=64, ident=0x1234, flags=0, offset=0, options=b'', tos=0):
    """An IPv4 packet with a right checksum. flags: 2 = DF, 1 = MF; offset in bytes."""
    assert len(options) % 4 == 0 and offset % 8 == 0
    header = struct.pack('!BBHHHBBH', 0x45 + len(options) // 4, tos, 20 + len(options) + len(payload), ident,
                         flags << 13 | offset // 8, ttl, proto, 0) + addr_bytes(src) + addr_bytes(dst) + options
    return put16(header, 10, checksum(header)) + payload


def seal4(packet):
    """The packet with its header checksum computed anew."""
    hlen = (packet[0] & 15) * 4
    header = put16(packet[:hlen], 10, 0)
    return put16(header, 10, checksum(header)) + packet[hlen:]


def ip6(src, dst, proto, payload, hop_limit=64, traffic_class=0, flow=0):
    """An IPv6 packet."""
    return struct.pack('!IHBB', 6 << 28 | traffic_class << 20 | flow, len(payload), proto, hop_limit) + addr_bytes(src) + \
        addr_bytes(dst) + payload


def udp(src, dst, payload=b'', sport=1024, dport=9):
    """A UDP datagram with a right checksum."""
    length = 8 + len(payload)
    bare = struct.pack('!HHHH', sport, dport, length, 0) + payload
    value = checksum(pseudo(addr_bytes(src), addr_bytes(dst), UDP, length) + bare) or 0xffff
    return put16(bare, 6, value)


def icmp(kind, code, rest, body=b''):
    """An ICMP message; rest: bytes 4..7."""
    message = struct.pack('!BBH', kind, code, 0) + rest + body
    return put16(message, 2, checksum(message))


def icmp6(src, dst, kind, code, rest, body=b''):
    """An ICMPv6 message; its checksum covers the addresses."""
    message = struct.pack('!BBH', kind, code, 0) + rest + body
    return put16(message, 2, checksum(pseudo(addr_bytes(src), addr_bytes(dst), ICMP6, len(message)) + message))


def extension(next_header, options):
    """A hop-by-hop or destination options header; options must make whole units of 8 bytes with its two."""
    assert (2 + len(options)) % 8 == 0
    return bytes([next_header, (2 + len(options)) // 8 - 1]) + options


def fragment6(next_header, offset, more, ident, payload):
    """An IPv6 fragment header and what follows it."""
    return struct.pack('!BBHI', next_header, 0, offset | more, ident) + payload


def arp(op, sha, spa, tha, tpa, htype=1, ptype=IP4, hlen=6, plen=4):
    """An ARP packet."""
    return struct.pack('!HHBBH', htype, ptype, hlen, plen, op) + mac_bytes(sha) + addr_bytes(spa) + mac_bytes(tha) + \
        addr_bytes(tpa)


def solicited_node(address):
    """The solicited-node group of an IPv6 address, and its MAC (RFC 4291 2.7.1, RFC 2464 7)."""
    low = addr_bytes(address)[13:]
    group = ipaddress.ip_address(bytes.fromhex('ff0200000000000000000001ff') + low)
    return str(group), '33:33:ff:' + ':'.join(f'{byte:02x}' for byte in low)


def nd(src, dst, kind, flags, target, options=b'', hop_limit=255, code=0):
    """A neighbour solicitation (135) or advertisement (136) as an IPv6 packet."""
    message = icmp6(src, dst, kind, code, struct.pack('!I', flags << 24), addr_bytes(target) + options)
    return ip6(src, dst, ICMP6, message, hop_limit)


def link_option(kind, mac):
    """A link-layer address option: 1 of the source, 2 of the target."""
    return bytes([kind, 1]) + mac_bytes(mac)


def eui64(mac):
    """The link-local address that a MAC address makes (RFC 4291 appendix A)."""
    raw = bytearray(mac_bytes(mac))
    raw[0] ^= 2
    return str(ipaddress.ip_address(bytes.fromhex('fe80000000000000') + bytes(raw[:3]) + b'\xff\xfe' + bytes(raw[3:])))


class Packet:
    """An IP packet's fields, for packets known to be sound: bytes trimmed to the packet's length."""

    def __init__(self, data):
        self.version = data[0] >> 4
        if self.version == 4:
            self.hlen = (data[0] & 15) * 4
            self.length = u16(data, 2)
            self.ttl, self.proto = data[8], data[9]
            self.src, self.dst = data[12:16], data[16:20]
            self.ident, self.offset = u16(data, 4), (u16(data, 6) & 0x1fff) * 8  # offset in bytes
            self.df, self.mf = bool(data[6] & 0x40), bool(data[6] & 0x20)
        else:
            self.hlen, self.length, self.offset = 40, 40 + u16(data, 4), 0
            self.ttl, self.proto = data[7], data[6]
            self.src, self.dst = data[8:24], data[24:40]
        self.data = data[:self.length]
        self.header, self.payload = self.data[:self.hlen], self.data[self.hlen:]

    def checksum_ok(self):
        """Whether the IPv4 header's checksum is right, and not the 0xffff that RFC 1624 warns of; always for IPv6."""
        return self.version == 6 or ones_sum(self.header) == 0xffff and u16(self.header, 10) != 0xffff

    def upper(self):
        """IPv6: protocol and payload behind the extension headers, None behind a non-first fragment."""
        proto, at = self.proto, 0
        while self.version == 6 and proto in (HOP_BY_HOP, ROUTING, FRAGMENT, DEST_OPTIONS) and at + 8 <= len(self.payload):
            if proto == FRAGMENT and u16(self.payload, at + 2) & 0xfff8:
                return FRAGMENT, None
            size = 8 if proto == FRAGMENT else 8 * (self.payload[at + 1] + 1)
            if at + size > len(self.payload):
                return proto, None
            proto, at = self.payload[at], at + size
        return proto, self.payload[at:]

    def message_ok(self):
        """Whether an ICMP message's checksum is right."""
        covered = self.payload if self.version == 4 else pseudo(self.src, self.dst, ICMP6, len(self.payload)) + self.payload
        return ones_sum(covered) == 0xffff


def is_icmp_error(packet):
    """Whether it is an ICMP error, or ICMPv6 of a type below 128."""
    proto, rest = packet.upper()
    if not rest:
        return False
    return proto == ICMP and rest[0] in ICMP_ERRORS if packet.version == 4 else proto == ICMP6 and rest[0] < 128
