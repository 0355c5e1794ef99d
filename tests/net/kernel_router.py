# SPDX-License-Identifier: BSD-3-Clause
"""The kernel as a router with the topology of tests/vectors/README.md, raw sockets at its cables' far ends."""
import subprocess

from taps import HOSTS, MACS, ROUTES, SPECIAL, Wire

SETTINGS = '''net.ipv4.ip_forward=1 net.ipv4.icmp_ratelimit=0 net.ipv4.icmp_ratemask=0 net.ipv4.icmp_msgs_per_sec=1000000
net.ipv4.icmp_msgs_burst=1000000 net.ipv4.conf.all.rp_filter=0 net.ipv4.conf.default.rp_filter=0 net.ipv4.conf.all.send_redirects=0
net.ipv4.conf.default.send_redirects=0 net.ipv4.conf.all.arp_ignore=1 net.ipv6.conf.all.forwarding=1 net.ipv6.conf.default.accept_dad=0
net.ipv6.icmp.ratelimit=0 net.ipv6.conf.default.router_solicitations=0 net.ipv6.conf.default.accept_ra=0
net.ipv4.ip_forward_use_pmtu=0'''.split()
KINDS = {'prohibit': 'prohibit', 'unreachable': 'unreachable', 'blackhole': 'blackhole'}


class KernelRouter:
    """Namespaces of net: the router's, and that of the raw sockets."""

    def __init__(self, net):
        self.router, self.outside = net.namespace('kernel'), net.namespace('outside')
        for setting in SETTINGS:
            # of those that a kernel keeps for the first namespace only, none changes what is compared
            self.router.run('sysctl', '-qw', setting, check=False)
        for i, mac in enumerate(MACS['tap']):
            self.cable(i, mac)
        for route in ROUTES:
            self.router.run('ip', 'route', 'add', route, 'via', '10.0.1.2')
        for route in SPECIAL:
            prefix, how = route.split(',')
            self.router.run('ip', *(['-6'] if ':' in prefix else []), 'route', 'add', KINDS[how], prefix)
        self.wires = [Wire(self.outside.name, f'far{i}') for i in range(2)]

    def cable(self, i, mac):
        """Interface i, its addresses, its neighbours."""
        subprocess.run(['ip', 'link', 'add', f'eth{i}', 'netns', self.router.name, 'address', mac, 'type', 'veth', 'peer', 'name', f'far{i}',
                        'netns', self.outside.name], check=True)
        self.outside.quiet(f'far{i}', 'mtu', '9000', 'up')
        self.router.run('ethtool', '-K', f'eth{i}', *'tx off rx off gso off tso off gro off'.split())
        for setting in (f'net.ipv4.conf.eth{i}.rp_filter=0', f'net.ipv6.conf.eth{i}.accept_dad=0', f'net.ipv4.conf.eth{i}.send_redirects=0'):
            self.router.run('sysctl', '-qw', setting)
        self.router.run('ip', 'link', 'set', f'eth{i}', 'mtu', (9000, 1500)[i], 'up')
        self.router.run('ip', 'addr', 'add', f'10.0.{i}.1/24', 'dev', f'eth{i}')
        self.router.run('ip', 'addr', 'add', f'2001:db8:{i}::1/64', 'dev', f'eth{i}', 'nodad')
        for addr, host in HOSTS[i].items():
            self.router.run('ip', 'neigh', 'replace', addr, 'lladdr', host, 'dev', f'eth{i}', 'nud', 'permanent')

    def close(self):
        """Ends the sockets; the namespaces are net's."""
        for wire in self.wires:
            wire.close()
