# SPDX-License-Identifier: BSD-3-Clause
"""What a right router answers: one hop, fragments, ICMP errors, echo, ARP and ND replies. Written from the RFCs, not from Magpie.

Each check_ function takes the frame that went in and the frame or frames that came out, and asserts.
"""
import struct

from wire import (ARP, ETH, FRAGMENT, ICMP, ICMP6, IP4, IP6, Packet, addr_bytes, checksum, ethernet, mac_bytes, put16, u16)

QUOTE4_TOTAL, QUOTE6_TOTAL = 576, 1280  # RFC 1812 4.3.2.3, RFC 4443 2.4 (c)


OWN = {addr_bytes(addr) for addr in ('10.0.0.1', '10.0.1.1', '2001:db8::1', '2001:db8:1::1', 'fe80::ff:fe00:1', 'fe80::ff:fe00:2')}


class Port:
    """One of the router's ports, and the hosts behind it."""

    def __init__(self, mac, addr4, addr6, mtu, hosts):
        self.mac, self.mtu = mac_bytes(mac), mtu
        self.addr4, self.addr6 = addr_bytes(addr4), addr_bytes(addr6)
        self.hosts = {addr_bytes(addr): mac_bytes(host) for addr, host in hosts.items()}

    def addr(self, version):
        """Its address in a family."""
        return self.addr4 if version == 4 else self.addr6


def hop(packet):
    """The packet one hop on: TTL or hop limit one less, checksum computed anew; nothing else. Trimmed to its length."""
    sound = Packet(packet)
    if sound.version == 6:
        return packet[:7] + bytes([packet[7] - 1]) + packet[8:sound.length]
    header = put16(packet[:8] + bytes([packet[8] - 1]) + packet[9:sound.hlen], 10, 0)
    return put16(header, 10, checksum(header)) + packet[sound.hlen:sound.length]


def forwarded(frame, port, next_hop):
    """The frame as it leaves port for the host that has the address next_hop."""
    _, _, kind, at = ethernet(frame)
    return port.hosts[next_hop] + port.mac + struct.pack('!H', kind) + hop(frame[at:])


def options_of_fragment(options):
    """The options that fragments but the first have: those with the copied flag (RFC 791 3.1), padded."""
    kept, at = b'', 0
    while at < len(options) and options[at] != 0:
        size = 1 if options[at] == 1 else options[at + 1]
        if options[at] & 0x80:
            kept += options[at:at + size]
        at += size
    return kept + b'\0' * (-len(kept) % 4)


def check_ethernet(out, dst, src, kind):
    """The frame's header."""
    assert out[:6] == dst, f'to {out[:6].hex(":")}, not {dst.hex(":")}'
    assert out[6:12] == src, f'from {out[6:12].hex(":")}, not {src.hex(":")}'
    assert u16(out, 12) == kind, f'type {u16(out, 12):04x}'


def same_options(found, expected):
    """Whether two option areas say the same: how they are padded is nobody's business."""
    strip = lambda options: options.rstrip(b'\0').replace(b'\1', b'')  # noqa: E731
    return strip(found) == strip(expected)


def check_fragment(whole, piece, mtu, at):
    """One piece of a packet that is one hop on: whole is the packet before, at the offset where the piece must begin."""
    assert piece.length <= mtu and piece.checksum_ok(), f'length {piece.length}, checksum {piece.header[10:12].hex()}'
    assert piece.ttl == whole.ttl - 1 and piece.ident == whole.ident and not piece.df, 'TTL, id or DF'
    assert piece.header[1] == whole.header[1] and piece.proto == whole.proto and piece.header[12:20] == whole.header[12:20], \
        'TOS, protocol or addresses'
    assert piece.offset == at, f'offset {piece.offset}, not {at}'
    options = whole.header[20:] if at == whole.offset else options_of_fragment(whole.header[20:])
    assert same_options(piece.header[20:], options), f'options {piece.header[20:].hex()}, not {options.hex()}'


def check_fragments(frame, outs, port, next_hop):
    """The pieces, in whatever order, are the packet (RFC 791 3.2), and no more than are needed."""
    whole = Packet(frame[ethernet(frame)[3]:])
    pieces = []
    for out in outs:
        check_ethernet(out, port.hosts[next_hop], port.mac, IP4)
        pieces.append(Packet(out[ETH:]))
        assert pieces[-1].length == len(out) - ETH, 'padded'
    at, joined = whole.offset, b''
    pieces.sort(key=lambda piece: piece.offset)
    for piece in pieces:
        check_fragment(whole, piece, port.mtu, at)
        last = piece is pieces[-1]
        assert piece.mf == (whole.mf if last else True), 'MF'
        assert last or len(piece.payload) % 8 == 0, 'payload is no multiple of 8'
        at, joined = at + len(piece.payload), joined + piece.payload
    assert joined == whole.payload, 'joined, it is not what was sent'


def quote_of(packet, room):
    """What an error quotes of a packet: as much as fits in room bytes."""
    return packet.data[:room]


def check_error_header(packet, port, offender, ttl):
    """Addresses, checksums, TTL and TOS of an ICMP error or reply from port to the sender of offender."""
    # RFC 4443 2.2 (a), and for IPv4 what Linux does
    asked = offender.dst if offender.dst in OWN else port.addr(packet.version)
    assert packet.src == asked, f'source {packet.src.hex()}'
    assert packet.dst == offender.src, f'destination {packet.dst.hex()}'
    assert packet.checksum_ok() and packet.message_ok(), 'checksum'
    assert packet.ttl == ttl, f'TTL {packet.ttl}'
    if packet.version == 4:
        # RFC 1812 4.3.2.5
        assert packet.header[1] >> 5 == 6 or packet.header[1] == offender.header[1], f'TOS {packet.header[1]:#x}'
        assert packet.hlen == 20 and packet.offset == 0 and not packet.mf, 'options or a fragment'


def check_error(frame, out, port, kind, code, mtu=None, pointer=None, ttl=64):
    """out is the ICMP error about frame that port sends back to where it came from."""
    _, sender, eth_type, at = ethernet(frame)
    offender = Packet(frame[at:])
    check_ethernet(out, port.hosts.get(offender.src, sender), port.mac, eth_type)
    packet = Packet(out[ETH:])
    assert packet.proto == (ICMP if packet.version == 4 else ICMP6), f'protocol {packet.proto}'
    message = packet.payload
    assert (message[0], message[1]) == (kind, code), f'ICMP {message[0]}/{message[1]}'
    check_error_header(packet, port, offender, ttl)
    room = (QUOTE4_TOTAL if packet.version == 4 else QUOTE6_TOTAL) - packet.hlen - 8
    assert message[8:] == quote_of(offender, room), f'quotes {len(message) - 8} bytes: {message[8:72].hex()}'
    assert packet.length == len(out) - ETH or len(out) == 60, 'trailing bytes'
    check_rest(packet.version, message, mtu, pointer)


def check_rest(version, message, mtu, pointer):
    """Bytes 4 to 7: unused ones are 0."""
    rest = struct.pack('!I', mtu or 0)
    if pointer is not None:
        rest = struct.pack('!I', pointer) if version == 6 else bytes([pointer, 0, 0, 0])
    assert message[4:8] == rest, f'bytes 4 to 7 are {message[4:8].hex()}, not {rest.hex()}'


def joined(frames):
    """The datagram of frames that came in any order, some twice: first header, protocol, payload; None if it is incomplete."""
    pieces = {}
    for frame in frames:
        packet = Packet(frame[ethernet(frame)[3]:])
        proto, offset, more, payload = packet.proto, packet.offset if packet.version == 4 else 0, False, packet.payload
        if packet.version == 4:
            more = packet.mf
        elif proto == FRAGMENT:
            proto, offset, more, payload = payload[0], u16(payload, 2) & 0xfff8, payload[3] & 1, payload[8:]
        pieces[offset] = (packet, proto, more, payload)
    data = b''
    if not pieces:
        return None
    for offset in sorted(pieces):
        if offset != len(data):
            return None
        data += pieces[offset][3]
    return None if pieces[max(pieces)][2] else (pieces[0][0], pieces[0][1], data)


def check_echo(frames, outs, port, ttl=64):
    """The reply to an echo request, each perhaps in fragments (RFC 792, RFC 4443 4.2): all of its data comes back."""
    request, proto, data = joined(frames)
    answer = joined(outs)
    assert answer, f'no whole reply in {len(outs)} frames'
    reply, reply_proto, reply_data = answer
    for out in outs:
        check_ethernet(out, ethernet(frames[0])[1], port.mac, IP4 if request.version == 4 else IP6)
        piece = Packet(out[ETH:])
        assert piece.length <= port.mtu and piece.checksum_ok() and piece.ttl == ttl, f'length {piece.length}, TTL {piece.ttl}'
        assert (piece.src, piece.dst) == (request.dst, request.src), f'addresses {piece.src.hex()} {piece.dst.hex()}'
    assert reply_proto == proto == (ICMP if request.version == 4 else ICMP6), f'protocol {reply_proto}'
    expected = bytes([0 if request.version == 4 else 129, 0, 0, 0]) + data[4:]
    covered = expected if request.version == 4 else reply.src + reply.dst + struct.pack('!II', len(expected), ICMP6) + expected
    assert reply_data == put16(expected, 2, checksum(covered)), f'reply {reply_data[:64].hex()}'


def check_arp_reply(frame, out, port):
    """The reply to an ARP request for an address of port (RFC 826)."""
    request = frame[ethernet(frame)[3]:]
    check_ethernet(out, request[8:14], port.mac, ARP)
    expected = request[:6] + b'\0\2' + port.mac + request[24:28] + request[8:18]
    assert out[ETH:ETH + 28] == expected, f'{out[ETH:].hex()}, not {expected.hex()}'
    assert not out[ETH + 28:].strip(b'\0'), 'padding is not 0'


def check_advert(frame, out, port):
    """The advertisement that answers a solicitation (RFC 4861 7.2.4)."""
    asked = Packet(frame[ethernet(frame)[3]:])
    target, probe = asked.payload[8:24], asked.src == bytes(16)
    dst = addr_bytes('ff02::1') if probe else asked.src
    check_ethernet(out, b'\x33\x33\0\0\0\1' if probe else ethernet(frame)[1], port.mac, IP6)
    packet = Packet(out[ETH:])
    assert (packet.src, packet.dst) == (target, dst), f'addresses {packet.src.hex()} {packet.dst.hex()}'
    assert packet.ttl == 255 and packet.proto == ICMP6 and packet.message_ok(), f'hop limit {packet.ttl} or checksum'
    message = packet.payload
    assert message[:2] == bytes([136, 0]) and message[8:24] == target, f'message {message.hex()}'
    # router 0x80, solicited 0x40, override 0x20
    assert message[4:8] == bytes([0xa0 if probe else 0xe0, 0, 0, 0]), f'flags {message[4:8].hex()}'
    options = message[24:]
    assert options == bytes([2, 1]) + port.mac or options == b'' and asked.dst == target, f'options {options.hex()}'
