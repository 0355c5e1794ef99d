# SPDX-License-Identifier: BSD-3-Clause
"""Where Magpie and the kernel differ on purpose: a name, the reason, and which frames.

A rule is asked only when the two did different things with a frame. Everything that no rule explains is a failure.
"""
import ipaddress
import re

from oracle import OWN
from wire import (ARP, DEST_OPTIONS, FRAGMENT, HOP_BY_HOP, ICMP, ICMP6, IP4, IP6, ROUTING, TCP, UDP, Packet, addr_bytes, ethernet,
                  ones_sum, pseudo, u16)

SUBNETS = [ipaddress.ip_network(net) for net in ('10.0.0.0/24', '10.0.1.0/24', '2001:db8::/64', '2001:db8:1::/64')]
ON_LINK = [*SUBNETS, ipaddress.ip_network('fe80::/10')]
KNOWN = OWN | {addr_bytes(addr) for addr in ('10.0.0.2', '10.0.0.3', '10.0.1.2', '2001:db8::2', '2001:db8:1::2')}
MARTIANS = [ipaddress.ip_network(net) for net in ('0.0.0.0/8', '127.0.0.0/8', '169.254.0.0/16', '240.0.0.0/4', '::/127', '::ffff:0:0/96',
                                                  'fe80::/10')]
GROUPS = [ipaddress.ip_network(net) for net in ('224.0.0.0/4', 'ff00::/8')]


def within(addr, networks):
    """Whether an address lies in one of some networks."""
    text = ipaddress.ip_address(addr)
    return any(text.version == net.version and text in net for net in networks)


class Difference:
    """A frame, and what each router did with it: lists of fate.py."""

    def __init__(self, frame, magpie, kernel):
        self.frame, self.magpie, self.kernel = frame, magpie, kernel
        self.dst, self.src, self.kind, self.at = ethernet(frame)
        self.packet, self.version = None, 0
        body = frame[self.at:]
        if self.kind == IP4 and len(body) >= 20 or self.kind == IP6 and len(body) >= 40:
            self.packet = Packet(body)
            self.version = self.packet.version
            self.to_us = self.packet.dst in OWN

    def text(self):
        """For people: what it is, and what each did."""
        what = f'type {self.kind:04x}'
        if self.packet:
            src, dst = (ipaddress.ip_address(addr) for addr in (self.packet.src, self.packet.dst))
            what += f' {src} -> {dst} proto {self.packet.proto} ttl {self.packet.ttl}'
        done = [' '.join(one if len(one) < 260 else one[:60] + '..' + one[-60:] for one in who) or 'nothing' for who in (self.magpie, self.kernel)]
        return f'{what}: {self.frame.hex()[:240]}\n  magpie: {done[0]}\n  kernel: {done[1]}'

    def icmp(self, who):
        """(type, code) of the errors that one of them sent."""
        return [(int(found.group(1)), int(found.group(2))) for one in who for found in [re.match(r"\('icmp', .*, (\d+), (\d+), b'", one)] if found]


RULES = []


def rule(reason, version=None):
    """Makes a function of a Difference a rule; version: of a packet, 0 for what is none."""
    def add(predicate):
        RULES.append((predicate.__name__, reason, version, predicate))
        return predicate
    return add


def explain(difference):
    """The name of the first rule that explains it, None if none does."""
    for name, _, version, predicate in RULES:
        if version in (None, difference.version) and predicate(difference):
            return name
    return None


def both_errors(d):
    """Whether both sent an ICMP error and nothing else; their types and codes."""
    ours, theirs = d.icmp(d.magpie), d.icmp(d.kernel)
    return len(ours) == len(theirs) == len(d.magpie) == len(d.kernel) == 1 and (ours[0], theirs[0])


def has_options(d):
    """Whether an IPv4 packet has options."""
    return d.packet.hlen > 20


# ---- the link layer ----

@rule('a packet for us in a broadcast or multicast frame is dropped: RFC 1812 5.3.4 asks for it in transit, and RFC 1122 3.3.6 for hosts')
def link_group(d):
    return d.packet is not None and d.dst[0] & 1 and not d.magpie


@rule('frames whose source MAC address is our own or a group are dropped')
def source_mac(d):
    return (d.src[0] & 1 or d.src in (bytes.fromhex('020000000001'), bytes.fromhex('020000000002'))) and not d.magpie


@rule('a frame that is not for our MAC address: the kernel takes it for a tagged one when a tag stands before the type')
def foreign_or_tagged(d):
    return u16(d.frame, 12) in (0x8100, 0x88a8) and not d.magpie


# ---- ARP ----

@rule('RFC 1812 3.3.2, 826: senders that cannot be, by MAC or IP address, are not answered', 0)
def arp_sender(d):
    return d.kind == ARP and not d.magpie


# ---- IPv4 addresses ----

@rule('RFC 6890, README: never forwarded nor answered, also where the kernel would (240/4, 169.254/16, mapped, link-local)')
def martian(d):
    return d.packet is not None and not d.magpie and (within(d.packet.src, MARTIANS) or within(d.packet.dst, MARTIANS)) and not d.to_us


@rule('a source that must not be one is dropped before it is looked at whom the packet is for')
def martian_source_to_us(d):
    return d.packet is not None and not d.magpie and (within(d.packet.src, MARTIANS) or within(d.packet.src, GROUPS))


@rule('RFC 1812 4.3.2.7, 4.2.2.11: nothing is answered to the broadcast address of one of our subnets', 4)
def broadcast_source(d):
    return d.packet.src in (b'\x0a\0\0\xff', b'\x0a\0\1\xff') and not d.magpie


@rule('RFC 1812 4.3.2.7: an own address as source: the kernel drops it as a martian, Magpie forwards but answers nothing to itself', 4)
def own_source(d):
    return d.packet.src in OWN and not d.kernel


@rule('an own address as source in IPv6 is forwarded or dropped; neither answers itself', 6)
def own_source6(d):
    return d.packet.src in OWN


@rule('who has not been resolved takes seconds to fail: test_neigh and the vectors look at that')
def unresolved(d):
    return d.packet is not None and any(within(addr, ON_LINK) and addr not in KNOWN for addr in (d.packet.dst, d.packet.src))


@rule('multicast is not routed; what is for groups that we are in is for nobody but ND')
def multicast(d):
    return d.packet is not None and within(d.packet.dst, GROUPS) and d.packet.proto != ICMP6 and not d.magpie


# ---- IPv4 options ----

@rule('README: malformed options are dropped without a word; the kernel sends a parameter problem', 4)
def bad_options(d):
    return has_options(d) and not d.magpie and (not d.kernel or (12, 0) in d.icmp(d.kernel))


@rule('README: source routes are dropped without a word, and so is what the kernel says of them (3/5)', 4)
def source_route(d):
    return has_options(d) and bool({131, 137} & set(d.packet.header[20:])) and not d.magpie


@rule('RFC 1812 5.2.4 lets options be; the kernel writes time stamps and routes', 4)
def stamped_options(d):
    return has_options(d) and bool({7, 68} & set(d.packet.header[20:])) and len(d.magpie) == len(d.kernel)


@rule('options that Magpie does not read, as the kernel does: those that it takes for broken it answers with a parameter problem', 4)
def unread_options(d):
    return has_options(d) and (12, 0) in d.icmp(d.kernel)


@rule('what stands behind the end of options is nothing: the kernel writes zeros over it', 4)
def end_of_options(d):
    return has_options(d) and 0 in d.packet.header[20:] and len(d.magpie) == len(d.kernel) == 1


@rule('options in our answers: the kernel echoes them (RFC 1122 3.2.2.6), Magpie answers without', 4)
def options_to_us(d):
    return has_options(d) and d.to_us


# ---- which error, and from whom ----

@rule('the source of an error is the address of the port that received the packet (RFC 1812 4.3.2.4 as of the issue); the kernel takes '
      'the port that it leaves by')
def error_source(d):
    errors = both_errors(d)
    return errors and errors[0] == errors[1] and d.magpie[0].split(',')[1] == d.kernel[0].split(',')[1] and d.magpie != d.kernel and \
        not within(d.packet.src, SUBNETS[0:1] + SUBNETS[2:3])


@rule('an unreachable route: 1/3 here, 1/0 there', 6)
def unreachable_route(d):
    return both_errors(d) == ((1, 3), (1, 0)) and d.packet.dst[:6] == addr_bytes('2001:db8:f2::')[:6]


@rule('TTL and hop limit are judged before the route; the kernel the other way round')
def ttl_first(d):
    return d.packet is not None and d.packet.ttl < 2 and d.icmp(d.magpie) in ([(11, 0)], [(3, 0)]) and \
        (not d.kernel or d.icmp(d.kernel)[:1] in ([(3, 0)], [(3, 1)], [(3, 13)], [(1, 0)], [(1, 1)], [(1, 3)], [(3, 4)], [(2, 0)]))


@rule('ip_error() of the kernel has a limit for each sender, 5 and then one a second, that no namespace can lift', 4)
def kernel_limits(d):
    return not d.kernel and d.icmp(d.magpie) in ([(3, 0)], [(3, 1)], [(3, 13)])


# ---- what is for us ----

@rule('RFC 1812 4.3.3.8: time stamps, and what else is asked by ICMP but echoes, are not answered', 4)
def timestamp(d):
    return d.to_us and d.packet.proto == ICMP and not d.magpie and all(one.startswith("('other'") for one in d.kernel)


def upper_is_sound(d):
    """Whether the UDP or TCP in it has a right length and checksum."""
    proto, rest = d.packet.upper()
    if rest is None or proto == UDP and (len(rest) < 8 or not 8 <= u16(rest, 4) <= len(rest)):
        return False
    if proto == UDP:
        rest = rest[:u16(rest, 4)]
        if u16(rest, 6) == 0:
            return d.version == 4
    return ones_sum(pseudo(d.packet.src, d.packet.dst, proto, len(rest)) + rest) == 0xffff


@rule('port unreachable is said of any UDP; the kernel first asks whether length and checksum are right')
def bad_udp(d):
    return d.packet is not None and d.to_us and d.packet.upper()[0] == UDP and not d.kernel and not upper_is_sound(d)


@rule('there is no TCP here: unreachable; the kernel resets, or says nothing of bad checksums')
def tcp(d):
    return d.packet is not None and d.to_us and d.packet.upper()[0] == TCP


@rule('IGMP is no protocol of ours: unreachable; the kernel takes it', 4)
def igmp(d):
    return d.to_us and d.packet.proto == 2 and not d.kernel


# ---- IPv6 ----

@rule('README: hop-by-hop options are not examined in transit; the kernel does', 6)
def hop_by_hop(d):
    return d.packet.proto == HOP_BY_HOP and not d.to_us


EXTENSIONS = (HOP_BY_HOP, DEST_OPTIONS, ROUTING, FRAGMENT)


@rule('no error about what may be an ICMP error: headers that end early, or fragments without the first', 6)
def unclear_upper(d):
    proto, rest = d.packet.upper()
    late = proto == FRAGMENT or proto in EXTENSIONS or not rest
    return late and not d.magpie and len(d.kernel) == len(d.icmp(d.kernel)) == 1


@rule('RFC 4443 2.4 (e.2): no error about a redirect; the kernel does not know this rule', 6)
def about_redirect(d):
    proto, rest = d.packet.upper()
    return proto == ICMP6 and rest and rest[0] == 137 and not d.magpie and d.icmp(d.kernel)


@rule('every solicitation of an address of ours is answered, in whatever group it comes: the kernel hears only its own', 6)
def solicitation_in_other_group(d):
    return d.packet.payload[:1] == b'\x87' and not d.kernel and d.packet.dst[0] == 0xff and len(d.magpie) == 1


@rule('echo requests to groups are not answered: who asks a group hears more than he has sent', 6)
def echo_to_group(d):
    return d.packet.dst[0] == 0xff and not d.magpie and all(one.startswith("('echo'") for one in d.kernel)


@rule('extension headers of packets for us: the kernel knows more of them (jumbo option, segment routing), and takes hop-by-hop options '
      'anywhere; RFC 8200 4 and 4.2 leave what is unknown to 4/1 and 4/2', 6)
def extensions_to_us(d):
    only_problems = all(kind == 4 for kind, _ in d.icmp(d.magpie) + d.icmp(d.kernel))
    return d.to_us and d.packet.proto in EXTENSIONS and only_problems and len(d.icmp(d.magpie)) == len(d.magpie) and \
        len(d.icmp(d.kernel)) == len(d.kernel)


@rule('ND from senders with a group MAC address, or about what is not ours', 6)
def nd_sender(d):
    return d.packet.proto == ICMP6 and d.packet.payload[:1] in (b'\x87', b'\x88') and not d.magpie
