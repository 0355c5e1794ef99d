# SPDX-License-Identifier: BSD-3-Clause
"""What became of tagged frames (mutate.py), in a form in which two routers can be compared."""
from mutate import MAC_TAG
from oracle import OWN
from wire import ARP, ETH, ICMP, ICMP6, ICMP_ERRORS, IP4, IP6, Packet, u16

FIRST_TAG = 1000  # a sequence number below is the vector's own
QUESTIONS = (135, 133, 143)  # what a router sends of its own accord: solicitations, reports


def tag_of(data):
    """The tag in an IP packet that is quoted or passed on."""
    return u16(data, 4) if data[0] >> 4 == 4 else u16(data, 2)


class Seen:
    """One frame that left a router by port: its tag, None if it has none, and what it says; boring if it answers nothing."""

    def __init__(self, port, frame):
        self.port, self.frame, self.tag, self.boring = port, frame, None, False
        kind = u16(frame, 12)
        if kind == ARP:
            self.arp(frame[ETH:])
        elif kind in (IP4, IP6):
            self.packet = Packet(frame[ETH:])
            self.ip()
        else:
            self.what = ('type', kind)

    def arp(self, body):
        self.boring = body[7] == 1
        self.what = ('arp', body[:8].hex(), body[8:18].hex())
        if self.frame[:4] == MAC_TAG:
            self.tag = u16(self.frame, 4)

    def ip(self):
        packet = self.packet
        proto, message = packet.upper()
        if packet.src in OWN and proto in (ICMP, ICMP6) and message and packet.offset == 0:
            self.answer(packet, message)
        else:
            self.tag, self.what = tag_of(packet.data), ('sent', self.port, self.frame[:12].hex(), packet.data)

    def answer(self, packet, message):
        """ICMP of the router's own."""
        kind, echo = message[0], (0, 129)[packet.version == 6]
        if packet.version == 6 and kind in QUESTIONS:
            self.boring, self.what = True, ('question',)
        elif kind == echo:
            self.tag = u16(message, 6) if u16(message, 6) >= FIRST_TAG else None
            self.what = ('echo', self.port, self.frame[:6], packet.src, packet.dst, message[8:])
        elif packet.version == 4 and kind not in ICMP_ERRORS:
            self.tag, self.what = u16(message, 6), ('other', self.port, packet.src, packet.dst, kind)
        elif packet.version == 6 and kind == 136:
            # without override, 0x20: by RFC 4861 7.2.4 it is always set, and the kernel leaves it out when it is asked by unicast
            self.what = ('advert', self.port, packet.src, packet.dst, message[4] & 0xc0, message[8:24])
        else:
            self.tag = tag_of(message[8:])
            self.what = ('icmp', self.port, packet.src, packet.dst, kind, message[1], message[4:8])

    def fragment(self):
        """Whether it is a piece of something."""
        return self.what[0] == 'sent' and self.packet.version == 4 and (self.packet.mf or self.packet.offset > 0)


def fates(outs):
    """{tag: what came out, sorted}; None: what has no tag. outs: frames by port. Pieces of a packet are put together."""
    found = {}
    for port, frames in enumerate(outs):
        for frame in frames:
            seen = Seen(port, frame)
            if not seen.boring:
                found.setdefault(seen.tag, []).append(seen)
    return {tag: sorted(map(repr, together(seen) if tag is not None else [one.what for one in seen])) for tag, seen in found.items()}


def together(seen):
    """What seen frames say; several pieces are one."""
    if len(seen) > 1 and all(one.fragment() for one in seen):
        seen.sort(key=lambda one: one.packet.offset)
        first, payload = seen[0].packet, b''
        for one in seen:
            payload += one.packet.payload if one.packet.offset == first.offset + len(payload) else b'?'
        return [('pieces', seen[0].port, first.ttl, first.proto, first.src, first.dst, first.offset, seen[-1].packet.mf, payload)]
    return [one.what for one in seen]
