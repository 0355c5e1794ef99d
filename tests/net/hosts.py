# SPDX-License-Identifier: BSD-3-Clause
"""Kernel hosts that find out for themselves who is where: no static neighbours on either side.

    host A 10.0.0.2, 2001:db8::2 --- eth0 | va --- Magpie --- vb | eth0 --- host B 10.0.1.2, 2001:db8:1::2
"""
from conftest import eal
from netns import NETS4, NETS6, Router, make_hosts

DEVICES = {'pcap': 'net_pcap{i},rx_iface_in=v{label},tx_iface=v{label}', 'af_packet': 'net_af_packet{i},iface=v{label}'}


class Hosts:
    """Hosts A and B and a Magpie between them. mtus: of A's and B's cables."""

    def __init__(self, net, device='pcap', mtus=(9000, 1500), options=(), lcores='0'):
        self.net, self.ports = net, [f'net_{device}{i}' for i in range(2)]
        make_hosts(net)
        for i, label in enumerate('ab'):
            net.namespace('m').run('ip', 'link', 'set', f'v{label}', 'mtu', mtus[i])
            net.namespace(label).run('ip', 'link', 'set', 'eth0', 'mtu', mtus[i])
        vdevs = [DEVICES[device].format(i=i, label=label) for i, label in enumerate('ab')]
        args = [word for word in eal(*vdevs, lcores=lcores, megabytes=512) if word != '--no-telemetry']
        self.prefix = next(word for word in args if word.startswith('--file-prefix=')).partition('=')[2]
        addrs = [word for i, port in enumerate(self.ports) for word in (
            '--addr', f'{port},{NETS4[i]}.1/24', '--addr', f'{port},{NETS6[i]}:1/64', '--mtu', f'{port},{mtus[i]}')]
        self.magpie = net.start(net.program, *args, '--', *addrs, *options, '--stats', '1', where='m', kind=Router)
        self.magpie.wait_forwarding()
        for label in 'ab':
            self.up(label)
        for port in self.ports:
            self.magpie.wait_value(f'port.{port}.link_up', 1)

    def up(self, label):
        """A host's interface, addresses and default routes; NUD in quicker steps than a kernel's 30 seconds."""
        host, i = self.net.namespace(label), 'ab'.index(label)
        for family in ('ipv4', 'ipv6'):
            host.run('sysctl', '-qw', f'net.{family}.neigh.eth0.base_reachable_time_ms=6000', f'net.{family}.neigh.eth0.delay_first_probe_time=1')
        host.run('sysctl', '-qw', 'net.ipv6.conf.eth0.router_solicitations=0')
        host.run('ip', 'link', 'set', 'eth0', 'up')
        host.run('ip', 'addr', 'add', f'{NETS4[i]}.2/24', 'dev', 'eth0')
        host.run('ip', 'addr', 'add', f'{NETS6[i]}:2/64', 'dev', 'eth0', 'nodad')
        host.run('ip', 'route', 'add', 'default', 'via', f'{NETS4[i]}.1')
        host.run('ip', 'route', 'add', 'default', 'via', f'{NETS6[i]}:1')

    def run(self, label, *args, check=True, timeout=60):
        """A command on a host; its output."""
        return self.net.namespace(label).run(*args, check=check, timeout=timeout)

    def stop(self):
        """Ends Magpie; its ledger must be balanced. How it ended."""
        ended = self.magpie.stop()
        ended.assert_balanced()
        return ended
