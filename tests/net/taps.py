# SPDX-License-Identifier: BSD-3-Clause
"""Magpie with two ports, raw sockets at their other ends, and its counters by telemetry.

The topology is that of tests/vectors/README.md, and 10.0.0.3. Devices are net_tap, which carries every frame as it is (af_packet joins
fragments) but sends no more than 1504 bytes, or net_pcap on a veth pair, which carries frames of any length.
"""
import contextlib
import ctypes
import errno
import json
import os
import pathlib
import re
import select
import socket
import time

from conftest import eal
from netns import Router, wait_until
from oracle import Port

LIBC = ctypes.CDLL(None, use_errno=True)
CLONE_NEWNET = 0x40000000
ETH_P_ALL = 3
PACKET_OUTGOING = 4
HOSTS = ({'10.0.0.2': '02:00:00:00:00:0a', '10.0.0.3': '02:00:00:00:00:0c', '2001:db8::2': '02:00:00:00:00:0a'},
         {'10.0.1.2': '02:00:00:00:00:0b', '2001:db8:1::2': '02:00:00:00:00:0b'})
MACS = {'tap': ('02:00:00:00:00:01', '02:00:00:00:00:02'), 'pcap': ('02:70:63:61:70:00', '02:70:63:61:70:01')}
MTU0 = {'tap': 1504, 'pcap': 9000}
SPECIAL = ('198.51.100.0/26,prohibit', '198.51.100.64/26,unreachable', '198.51.100.128/26,blackhole', '2001:db8:f1::/48,prohibit',
           '2001:db8:f2::/48,unreachable', '2001:db8:f3::/48,blackhole')
ROUTES = ('10.156.94.34/32', '240.0.0.0/4', '169.254.0.0/16')
OPTIONS = [
    '--addr', '0,10.0.0.1/24', '--addr', '0,2001:db8::1/64', '--addr', '1,10.0.1.1/24', '--addr', '1,2001:db8:1::1/64',
    *(word for i, hosts in enumerate(HOSTS) for addr, mac in hosts.items() for word in ('--neigh', f'{i},{addr},{mac}')),
    *(word for route in ROUTES for word in ('--route', f'{route},via=10.0.1.2')), *(word for route in SPECIAL for word in ('--route', route)),
    '--icmp-rate', 'unlimited']


def outcome_kinds():
    """What kind each outcome of the control thread is of: {'arp_reply': 'control_answer', ...}."""
    text = (pathlib.Path(__file__).resolve().parents[2] / 'lib/control/control.h').read_text()
    return {name: f'control_{kind.lower()}' for name, kind in re.findall(r'^\tX\((\w+),\s+(ANSWER|TAKE|DROP),', text, re.M)}


OUTCOMES = outcome_kinds()
CLOCKS = {'busy_cycles', 'idle_cycles', 'bursts'}
BECOME_ANSWERS = ('echo_reply', 'neigh_sent')


@contextlib.contextmanager
def inside(namespace):
    """What is done within is done in a network namespace; sockets made there stay there."""
    with open('/proc/thread-self/ns/net', 'rb') as here, open(f'/run/netns/{namespace}', 'rb') as there:
        assert LIBC.setns(there.fileno(), CLONE_NEWNET) == 0, os.strerror(ctypes.get_errno())
        try:
            yield
        finally:
            assert LIBC.setns(here.fileno(), CLONE_NEWNET) == 0


class Wire:
    """A raw socket on an interface: sends frames and collects those that others have sent there."""

    def __init__(self, namespace, interface):
        with inside(namespace):
            self.socket = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        self.socket.setsockopt(socket.SOL_SOCKET, 33, 8 << 20)  # SO_RCVBUFFORCE
        self.socket.bind((interface, ETH_P_ALL))
        self.socket.setblocking(False)

    def send(self, frame):
        """Sends a whole frame; waits for room."""
        while True:
            try:
                self.socket.send(frame)
                return
            except OSError as error:
                if error.errno not in (errno.EAGAIN, errno.ENOBUFS):
                    raise
                time.sleep(0.001)

    def receive(self, seconds=0.0):
        """All frames that have come; waits so long for the first."""
        frames = []
        if seconds:
            select.select([self.socket], [], [], seconds)
        while True:
            try:
                frame, address = self.socket.recvfrom(65536)
            except BlockingIOError:
                return frames
            except OSError as error:
                assert error.errno == errno.ENETDOWN, error  # said once when a link goes down
                continue
            if address[2] != PACKET_OUTGOING:
                frames.append(frame)

    def close(self):
        """Ends it."""
        self.socket.close()


class Telemetry:
    """A client of rte_telemetry."""

    def __init__(self, prefix):
        path = f'/run/dpdk/{prefix}/dpdk_telemetry.v2'
        wait_until(lambda: os.path.exists(path), path)
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.socket.connect(path)
        self.socket.settimeout(10)
        self.socket.recv(1024)

    def ask(self, command):
        """The answer to a command."""
        self.socket.send(command.encode())
        return json.loads(self.socket.recv(65536))[command.partition(',')[0]]

    def close(self):
        """Ends it."""
        self.socket.close()


class Taps:
    """A Magpie between two raw sockets; net is a netns.Net, which ends it."""

    def __init__(self, net, options=(), base=OPTIONS, kind='tap'):
        self.net, self.kind, self.waiting = net, kind, 0
        self.ports = [Port(MACS[kind][i], f'10.0.{i}.1', f'2001:db8:{i}::1', (MTU0[kind], 1500)[i], HOSTS[i]) for i in range(2)]
        net.namespace('m')
        vdevs = self.tap_vdevs() if kind == 'tap' else self.pcap_vdevs()
        args = [word for word in eal(*vdevs, megabytes=512) if word != '--no-telemetry']
        prefix = next(word for word in args if word.startswith('--file-prefix=')).partition('=')[2]
        mtus = [word for i, port in enumerate(self.ports) for word in ('--mtu', f'{i},{port.mtu}')]
        self.magpie = net.start(net.program, *args, '--', *base, *mtus, *options, '--stats', '1', where='m', kind=Router)
        self.magpie.wait_forwarding()
        self.telemetry = Telemetry(prefix)
        if kind == 'tap':
            for i in range(2):
                self.quieten(f'tap{i}', f'02:00:00:00:01:0{i}')
        self.wires = [Wire(net.namespace('m').name, f'{"tap" if kind == "tap" else "far"}{i}') for i in range(2)]
        for i in range(2):
            self.magpie.wait_value(f'port.net_{kind}{i}.link_up', 1)
        self.settle()
        for wire in self.wires:
            wire.receive()

    def quieten(self, interface, mac):
        """The kernel's interface is a cable's end and nothing more."""
        self.net.namespace('m').quiet(interface, 'address', mac)
        self.net.namespace('m').run('ip', 'link', 'set', interface, 'mtu', 9200, 'up')

    def tap_vdevs(self):
        """Taps that Magpie makes."""
        return [f'net_tap{i},iface=tap{i},mac={port.mac.hex(":")}' for i, port in enumerate(self.ports)]

    def pcap_vdevs(self):
        """Near ends of veth pairs."""
        for i in range(2):
            self.net.namespace('m').run('ip', 'link', 'add', f'near{i}', 'type', 'veth', 'peer', 'name', f'far{i}')
            for j, end in enumerate(('near', 'far')):
                self.quieten(f'{end}{i}', f'02:00:00:00:01:{i}{j}')
        return [f'net_pcap{i},rx_iface_in=near{i},tx_iface=near{i}' for i in range(2)]

    def largest(self):
        """The longest frame that is worth sending: a tap's driver brings longer ones in pieces beyond its MTU."""
        small = '--data-room' in self.magpie.args
        return {'tap': 1518 if small else 2000, 'pcap': 9014}[self.kind]

    def counters(self):
        """Every counter of a packet's fate: {'drop.x': n, 'punt.x': n, 'control.x': n, 'rx': n, ...}."""
        counts = {}
        for kind in ('drop', 'punt'):
            counts.update({f'{kind}.{name}': n for name, n in self.telemetry.ask(f'/magpie/{kind}s').items()})
        for name, n in self.telemetry.ask('/magpie/control').items():
            counts[f'{OUTCOMES.get(name, "control")}.{name}'] = n
        counts['told'] = self.telemetry.ask('/magpie/icmp')['told']
        for lcore in self.telemetry.ask('/magpie/workers'):
            for name, n in self.telemetry.ask(f'/magpie/workers,{lcore}').items():
                counts[name] = counts.get(name, 0) + n
        return counts

    def settle(self, rx=0, seconds=5, what=''):
        """Waits until so many frames were received and nothing is on its way any more; the counters then."""
        end = time.monotonic() + seconds
        last, since = None, time.monotonic()
        while True:
            now = self.counters()
            moves = {name: n for name, n in now.items() if name not in CLOCKS}
            if moves != last:
                last, since = moves, time.monotonic()
            elif now['rx'] >= rx and self.balanced(now) and self.all_back(now, time.monotonic() - since):
                return now
            assert time.monotonic() < end, f'{what}: not at rest after {seconds} s: {now}'
            time.sleep(0.002)

    def balanced(self, counts):
        """Whether everything that the walk took, and everything that it punted, has come to its end or waits for something."""
        ended = sum(n for name, n in counts.items() if re.match('control_(answer|take|drop)', name))
        came = sum(counts[name] for name in ('rx', 'mirrored', 'injected', 'fragmented'))
        return counts['punted'] + counts['told'] == ended + counts['control.held'] and \
            came == sum(counts[name] for name in ('tx', 'dropped', 'punted'))

    def all_back(self, counts, seconds):
        """Whether what the control thread has sent was taken back. An answer to a link-local address counts as sent while it waits for
        that neighbour, perhaps for ever: when nothing has moved for 0.3 s, they are that many more from then on."""
        sent = counts['control.made'] + sum(counts[f'control_answer.{name}'] for name in BECOME_ANSWERS)
        if sent - counts['injected'] != self.waiting and seconds > 0.3:
            self.waiting = sent - counts['injected']
        return sent - counts['injected'] == self.waiting

    def stop(self):
        """Ends Magpie; how it ended."""
        self.telemetry.close()
        for wire in self.wires:
            wire.close()
        return self.magpie.stop()
