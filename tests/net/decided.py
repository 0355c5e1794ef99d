# SPDX-License-Identifier: BSD-3-Clause
"""Where Magpie and the kernel differ on purpose: a name, the reason, and which frames.

A rule is asked only when the two did different things with a frame. Everything that no rule explains is a failure.
"""
import ipaddress

from oracle import options_of_fragment  # noqa: F401
from wire import ARP, ICMP, ICMP6, IP4, IP6, Packet, addr_bytes, ethernet, is_icmp_error, u16

SUBNETS = [ipaddress.ip_network(net) for net in ('10.0.0.0/24', '10.0.1.0/24', '2001:db8::/64', '2001:db8:1::/64')]
KNOWN = {addr_bytes(addr) for addr in ('10.0.0.2', '10.0.0.3', '10.0.1.2', '2001:db8::2', '2001:db8:1::2', '10.0.0.1', '10.0.1.1',
                                       '2001:db8::1', '2001:db8:1::1')}
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
        self.packet = None
        body = frame[self.at:]
        if self.kind == IP4 and len(body) >= 20 or self.kind == IP6 and len(body) >= 40:
            self.packet = Packet(body)

    def icmp(self, who):
        """(type, code) of the errors that one of them sent."""
        return [one for one in who if one.startswith("('icmp'")]


RULES = []


def rule(reason):
    """Makes a function of a Difference a rule."""
    def add(predicate):
        RULES.append((predicate.__name__, reason, predicate))
        return predicate
    return add


def explain(difference):
    """The name of the first rule that explains it, None if none does."""
    for name, _, predicate in RULES:
        if predicate(difference):
            return name
    return None
