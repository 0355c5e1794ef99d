# SPDX-License-Identifier: BSD-3-Clause
"""Random variations of the vectors: the same seed, the same frames. Each carries a tag that shows in whatever answers it.

The tag is the IPv4 id or the IPv6 flow label, the sequence number of echo requests, the sender's MAC address in ARP.
"""
import random
import struct

from wire import ARP, ICMP, ICMP6, IP4, IP6, UDP, Packet, addr_bytes, checksum, ethernet, pseudo, put16, seal4, u16

ADDRS4 = ['10.0.0.2', '10.0.0.3', '10.0.1.2', '10.0.0.1', '10.0.1.1', '203.0.113.9', '10.156.94.34', '198.51.100.1', '198.51.100.65',
          '198.51.100.129', '127.0.0.1', '0.0.0.0', '255.255.255.255', '224.0.0.1', '240.0.0.1', '169.254.1.1', '10.0.0.255', '10.0.1.255',
          '10.0.1.0', '192.168.7.7']
ADDRS6 = ['2001:db8::2', '2001:db8:1::2', '2001:db8::1', '2001:db8:1::1', '2001:db8:ffff::1', '2001:db8:f1::1', '2001:db8:f2::1',
          '2001:db8:f3::1', '::', '::1', 'fe80::2', 'ff02::1', 'ff05::7', '::ffff:10.0.1.2', 'fd00::9']
MACS = ['020000000001', '020000000001', '020000000001', 'ffffffffffff', '01005e000001', '333300000001', '0200000000ff']
BYTES = [0, 1, 2, 4, 17, 58, 59, 60, 63, 64, 127, 128, 254, 255]
ASKING = {8, 13, 15, 17}  # ICMP messages with a sequence number that answers repeat
MAC_TAG = bytes.fromhex('02000001')


def set_byte(frame, at, value):
    """frame with another byte."""
    return frame[:at] + bytes([value]) + frame[at + 1:] if at < len(frame) else frame


class Mutator:
    """Makes frames of bases: frames that are known to be interesting."""

    def __init__(self, bases, seed):
        self.bases, self.random = bases, random.Random(seed)

    def make(self, tag):
        """One frame with a tag of 16 bits."""
        frame = self.random.choice(self.bases)
        for _ in range(self.random.choice((0, 1, 1, 1, 2, 2, 3))):
            frame = self.random.choice((self.bits, self.header, self.header, self.address, self.address, self.link, self.size, self.upper))(frame)
        return self.seal(frame, tag)

    def bits(self, frame):
        at = self.random.randrange(12, len(frame))
        return set_byte(frame, at, frame[at] ^ 1 << self.random.randrange(8))

    def header(self, frame):
        """A byte of the IP header."""
        at = 14 + (self.random.randrange(12) if u16(frame, 12) == IP4 else self.random.randrange(8))
        return set_byte(frame, at, self.random.choice(BYTES))

    def address(self, frame):
        if u16(frame, 12) == IP4 and len(frame) >= 34:
            at = self.random.choice((26, 30))
            return frame[:at] + addr_bytes(self.random.choice(ADDRS4)) + frame[at + 4:]
        if u16(frame, 12) == IP6 and len(frame) >= 54:
            at = self.random.choice((22, 38))
            return frame[:at] + addr_bytes(self.random.choice(ADDRS6)) + frame[at + 16:]
        return frame

    def link(self, frame):
        """Destination MAC or type."""
        if self.random.random() < 0.8:
            return bytes.fromhex(self.random.choice(MACS)) + frame[6:]
        return put16(frame, 12, self.random.choice((IP4, IP6, ARP, 0x8100, 0x88cc, 60)))

    def size(self, frame):
        """Shorter, or longer than its packet."""
        if self.random.random() < 0.5:
            return frame[:self.random.randrange(14, len(frame) + 1)]
        return frame + self.random.randbytes(self.random.randrange(1, 30))

    def upper(self, frame):
        """A byte behind the IP header."""
        at = 14 + (20 if u16(frame, 12) == IP4 else 40) + self.random.randrange(12)
        return set_byte(frame, at, self.random.choice(BYTES))

    def seal(self, frame, tag):
        """With its tag and, mostly, right checksums."""
        kind = ethernet(frame)[2]
        if kind == ARP and len(frame) >= 42:
            return frame[:22] + MAC_TAG + struct.pack('!H', tag) + frame[28:]
        if kind == IP4 and len(frame) >= 34:
            return self.seal4(frame, tag)
        if kind == IP6 and len(frame) >= 54:
            return self.seal6(frame, tag)
        return frame

    def seal4(self, frame, tag):
        at = ethernet(frame)[3]
        packet = put16(frame[at:], 4, tag)
        hlen, length = (packet[0] & 15) * 4, min(u16(packet, 2), len(packet))
        if hlen < 20 or length < hlen:
            return frame[:at] + packet
        if packet[9] == ICMP and length >= hlen + 8 and not u16(packet, 6) & 0x3fff:
            message = packet[hlen:length]
            if message[0] in ASKING:
                message = put16(message, 6, tag)
            if self.random.random() < 0.95:
                message = put16(put16(message, 2, 0), 2, checksum(put16(message, 2, 0)))
            packet = packet[:hlen] + message + packet[length:]
        packet = self.seal_udp(packet, hlen, length)
        if self.random.random() < 0.95:
            packet = seal4(packet)
        return frame[:at] + packet

    def seal_udp(self, packet, at, end):
        """With a right UDP checksum: what a router does about wrong ones is the host's part of it."""
        sound = Packet(packet)
        if sound.proto != UDP or sound.offset or sound.version == 4 and sound.mf or end < at + 8 or u16(packet, at + 4) != end - at:
            return packet
        bare = put16(packet[at:end], 6, 0)
        value = checksum(pseudo(sound.src, sound.dst, UDP, end - at) + bare) or 0xffff
        return packet[:at] + put16(bare, 6, value) + packet[end:]

    def seal6(self, frame, tag):
        at = ethernet(frame)[3]
        packet = frame[at:]
        packet = packet[:1] + bytes([packet[1] & 0xf0]) + struct.pack('!H', tag) + packet[4:]
        length = min(40 + u16(packet, 4), len(packet))
        proto, rest = Packet(packet[:length]).upper()
        if proto == ICMP6 and rest and len(rest) >= 8:
            start = length - len(rest)
            message = put16(rest, 6, tag) if rest[0] == 128 else rest
            if self.random.random() < 0.95:
                bare = put16(message, 2, 0)
                message = put16(bare, 2, checksum(pseudo(packet[8:24], packet[24:40], ICMP6, len(bare)) + bare))
            packet = packet[:start] + message + packet[length:]
        return frame[:at] + self.seal_udp(packet, 40, length)
