# SPDX-License-Identifier: BSD-3-Clause
"""Network namespaces, veth pairs and programs in them. Net.close() ends all of it, whatever a test has left behind.

    host A --- (port 0) magpie (port 1) --- host B
    10.0.0.2, 2001:db8::2                   10.0.1.2, 2001:db8:1::2

Magpie's ports have .1 and ::1. Names begin with magpie-<pid>-, so that two runs do not meet.
"""
import ipaddress
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pytest
from conftest import DEADLINE, Ended, eal

SERIAL = itertools.count()
HOSTS = ('a', 'b')
NETS4 = ('10.0.0', '10.0.1')
OWN = ('10.0.0.1', '10.0.1.1', '2001:db8::1', '2001:db8:1::1')
NETS6 = ('2001:db8:0:', '2001:db8:1:')
TARGETS = (('a', '10.0.1.2'), ('b', '10.0.0.2'), ('a', '2001:db8:1::2'), ('b', '2001:db8::2'))  # who pings whom


def wait_until(condition, what, seconds=DEADLINE, program=None):
    """Polls until condition() is true; otherwise shows what program has said last."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f'waited {seconds} s for {what}\n{program.text()[-3000:] if program else ""}'
        time.sleep(0.05)


class Namespace:
    """A network namespace; commands run in it."""

    def __init__(self, name):
        self.name = name
        subprocess.run(['ip', 'netns', 'add', name], check=True)

    def args(self, *args):
        """The command line that runs args here."""
        return ['ip', 'netns', 'exec', self.name, *map(str, args)]

    def run(self, *args, check=True, timeout=60):
        """Runs a command to its end; its output."""
        done = subprocess.run(self.args(*args), capture_output=True, text=True, timeout=timeout)
        assert not check or done.returncode == 0, f'{args}: {done.returncode}\n{done.stdout}{done.stderr}'
        return done.stdout

    def mac(self, interface):
        """An interface's MAC address."""
        return self.run('cat', f'/sys/class/net/{interface}/address').strip()

    def counter(self, interface, name):
        """An interface's counter: rx_packets, tx_packets, ..."""
        return int(self.run('cat', f'/sys/class/net/{interface}/statistics/{name}'))

    def quiet(self, interface, *settings):
        """An interface that sends nothing of its own accord and does nothing for its driver later."""
        self.run('ethtool', '-K', interface, *'tx off rx off gso off tso off gro off'.split())
        self.run('sysctl', '-qw', f'net.ipv6.conf.{interface}.disable_ipv6=1')
        self.run('ip', 'link', 'set', interface, 'arp', 'off', *settings)

    def delete(self):
        """Ends it; interfaces in it go, too."""
        subprocess.run(['ip', 'netns', 'del', self.name], check=False)


class Program:
    """A process whose output goes to a file that can be read meanwhile."""

    def __init__(self, args, room):
        self.args = args
        self.log = pathlib.Path(room) / f'log-{next(SERIAL)}'
        with open(self.log, 'wb') as file:
            self.process = subprocess.Popen(args, stdin=subprocess.PIPE, stdout=file, stderr=subprocess.STDOUT)

    def text(self):
        """What it has said so far."""
        return self.log.read_text(errors='replace')

    def wait_text(self, pattern, seconds=DEADLINE):
        """Waits until it has said something like pattern."""
        def said():
            assert self.process.poll() is None, f'ended: {self.args}\n{self.text()}'
            return re.search(pattern, self.text(), re.M)
        wait_until(said, f'{pattern!r} of {self.args[:6]}', seconds)
        return self

    def stop(self, number=signal.SIGINT):
        """Sends a signal and returns how it ended."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.finish()

    def finish(self):
        """Waits for the end. Returns how it ended."""
        try:
            status = self.process.wait(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            self.kill()
            pytest.fail(f'did not end: {self.args}\n{self.text()}')
        return Ended(status, self.text(), '')

    def kill(self):
        """For the end of a test that went wrong."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


class Router(Program):
    """Magpie with a line of statistics a second."""

    def wait_forwarding(self):
        """Until the first statistics: workers run."""
        return self.wait_text(r'^packets\.in_flight')

    def value(self, key):
        """The last value of a statistic, 0 when it has not been printed."""
        values = re.findall(rf'^{re.escape(key)} ([\d.]+)$', self.text(), re.M)
        return float(values[-1]) if values else 0

    def wait_value(self, key, least, seconds=DEADLINE):
        """Until a statistic has come to this."""
        self.wait_text(r'^packets\.in_flight')
        wait_until(lambda: self.value(key) >= least, f'{key} >= {least}', seconds, self)
        return self


def is_own(frame):
    """Whether Magpie has made this frame: ARP, neighbour discovery, ICMP from its addresses."""
    if frame[12:14] == b'\x86\xdd':
        source = ipaddress.IPv6Address(frame[22:38])
        return source.is_link_local or source.is_unspecified or str(source) in OWN
    return frame[12:14] == b'\x08\x06' or str(ipaddress.IPv4Address(frame[26:30])) in OWN


class Account:
    """The final account of a Magpie that has ended."""

    def __init__(self, ended):
        ended.assert_balanced()
        whole = re.search(r'^packets: rx (\d+)(?: \+ mirrored (\d+))?(?: \+ injected (\d+))?(?: \+ fragmented (\d+))?'
                          r' = tx (\d+) \+ dropped (\d+) \+ punted (\d+)$', ended.out, re.M)
        assert whole, ended
        self.rx, self.mirrored, self.injected, self.fragmented, self.tx, self.dropped, self.punted = map(int, whole.groups(default=0))
        self.forwarded = self.tx - self.injected - self.fragmented  # packets that it has not made itself, whole or in fragments
        assert (self.rx + self.mirrored + self.injected + self.fragmented
                == self.tx + self.dropped + self.punted), ended
        self.drops = {name: int(n) for name, n in re.findall(r'^dropped (\w+): (\d+)', ended.out, re.M)}
        self.punts = {name: int(n) for name, n in re.findall(r'^punted (\w+): (\d+)', ended.out, re.M)}
        assert sum(self.drops.values()) == self.dropped and sum(self.punts.values()) == self.punted, ended
        self.ports = {name: dict(zip(('rx', 'rx_bytes', 'tx', 'tx_bytes'), map(int, numbers))) for name, *numbers in re.findall(
            r'^port (\S+): rx (\d+) packets (\d+) bytes, tx (\d+) packets (\d+) bytes', ended.out, re.M)}
        self.ended = ended


class Net:
    """What one test has made, and its end."""

    def __init__(self, program):
        self.program = program
        self.room = tempfile.mkdtemp(prefix='magpie-net-')
        self.namespaces, self.programs = {}, []

    def namespace(self, label):
        """The namespace of that label, made at the first call."""
        if label not in self.namespaces:
            self.namespaces[label] = Namespace(f'magpie-{os.getpid()}-{label}{next(SERIAL)}')
            self.namespaces[label].run('ip', 'link', 'set', 'lo', 'up')
        return self.namespaces[label]

    def start(self, *args, where=None, kind=Program):
        """Starts a program, in a namespace or here."""
        program = kind(self.namespace(where).args(*args) if where else [str(arg) for arg in args], self.room)
        self.programs.append(program)
        return program

    def magpie(self, vdevs, options, lcores='0', where=None):
        """Starts Magpie without hugepages."""
        return self.start(self.program, *eal(*vdevs, lcores=lcores, megabytes=512), '--', *options, '--stats', '1',
                          where=where, kind=Router)

    def path(self, name):
        """A file name of this test's own."""
        return os.path.join(self.room, name)

    def close(self):
        """Ends everything; the last made goes first."""
        for program in reversed(self.programs):
            program.kill()
        for namespace in self.namespaces.values():
            namespace.delete()
        shutil.rmtree(self.room, ignore_errors=True)


@pytest.fixture(name='net')
def net_fixture(program):
    """A Net that is closed at the end of the test."""
    net = Net(program)
    yield net
    net.close()


def make_hosts(net):
    """Hosts A and B, each with eth0 on a veth pair whose other end, va or vb, is quiet and up in Magpie's namespace m.

    eth0 stays down: host_up().
    """
    middle = net.namespace('m')
    for label in HOSTS:
        host = net.namespace(label)
        subprocess.run(['ip', 'link', 'add', f'v{label}', 'netns', middle.name, 'type', 'veth',
                        'peer', 'name', 'eth0', 'netns', host.name], check=True)
        host.run('ethtool', '-K', 'eth0', *'tx off rx off gso off tso off gro off'.split())
        middle.quiet(f'v{label}', 'up')


def host_up(net, label, gateway_mac, interface='eth0'):
    """Addresses, default routes and static neighbours of a host, which comes up with them."""
    host, i = net.namespace(label), HOSTS.index(label)
    host.run('ip', 'link', 'set', interface, 'up')
    host.run('ip', 'addr', 'add', f'{NETS4[i]}.2/24', 'dev', interface)
    host.run('ip', 'addr', 'add', f'{NETS6[i]}:2/64', 'dev', interface, 'nodad')
    for gateway in (f'{NETS4[i]}.1', f'{NETS6[i]}:1'):
        host.run('ip', 'neigh', 'replace', gateway, 'lladdr', gateway_mac, 'dev', interface, 'nud', 'permanent')
        host.run('ip', 'route', 'add', 'default', 'via', gateway)


def options(ports, macs):
    """Magpie's options for hosts A and B behind these ports, with these MACs."""
    args = []
    for i, port in enumerate(ports):
        args += ['--addr', f'{port},{NETS4[i]}.1/24', '--addr', f'{port},{NETS6[i]}:1/64',
                 '--neigh', f'{port},{NETS4[i]}.2,{macs[i]}', '--neigh', f'{port},{NETS6[i]}:2,{macs[i]}']
    return args


def ping(net, label, target, *args, count=10, ttl=63):
    """Pings from a host; all answers must come."""
    host = net.namespace(label)
    out = host.run('ping', '-n', '-c', count, '-i', '0.05', '-W', '2', *args, target, check=False)
    assert f'{count} packets transmitted, {count} received' in out, out
    assert f'ttl={ttl}' in out, out
    return out
