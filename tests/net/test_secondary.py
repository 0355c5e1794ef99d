# SPDX-License-Identifier: BSD-3-Clause
"""Other processes attached to a running Magpie do not break it: packets flow on, and at the end every buffer is home.

Processes share memory only in hugepages: with --no-huge the EAL's is private. scripts/test sees to it that there are some.
The PCI devices of the machine are none of Magpie's, and dpdk-dumpcap says that it will not have them.
"""
import os
import pathlib
import re
import signal
import struct
import subprocess
import time

import pytest
from conftest import RUNS, build_dir
from netns import TARGETS, Account, Router, host_up, make_hosts, net_fixture, options, ping  # noqa: F401 (a fixture)

AF_PACKET = ('net_af_packet0', 'net_af_packet1')
PAGES = 96  # of 2 MiB
POPULATION = 16383
PLUGIN = ['-d', 'librte_mempool_magazine.so']


def missing():
    """Why no memory can be shared here, or nothing."""
    pool = pathlib.Path('/sys/kernel/mm/hugepages/hugepages-2048kB')
    if not pool.is_dir():
        return 'this kernel has no hugepages of 2 MiB'
    free, more, surplus = (int((pool / name).read_text()) for name in
                           ('free_hugepages', 'nr_overcommit_hugepages', 'surplus_hugepages'))
    if free + more - surplus < PAGES:
        return f'{free + more - surplus} free hugepages, {PAGES} needed. Run: scripts/setup'
    if not re.search(r'^\S+ \S+ hugetlbfs ', pathlib.Path('/proc/mounts').read_text(), re.M):
        return 'hugetlbfs is not mounted. Run: scripts/setup'
    return None


class Primary:
    """A Magpie that shares its memory, and what may attach to it."""

    def __init__(self, net, vdevs, args, eal, where=None):
        self.net, self.prefix = net, f'magpie-test-{os.getpid()}-{next(RUNS)}'
        self.env = ['env', f'LD_LIBRARY_PATH={build_dir()}/drivers/mempool/magazine']
        self.router = net.start(
            *self.env, net.program, '-l', '0', '--no-pci', '--no-telemetry', f'--file-prefix={self.prefix}',
            *(f'--vdev={vdev}' for vdev in vdevs), *eal, '--', *args, '--pool-size', POPULATION, '--stats', '1',
            where=where, kind=Router).wait_forwarding()

    def proc_info(self, what, eal=()):
        """Exit status and output of dpdk-proc-info."""
        args = [*self.env, 'dpdk-proc-info', '--no-pci', f'--file-prefix={self.prefix}', *eal, '--', what]
        done = subprocess.run(args, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=30)
        return done.returncode, done.stdout

    def dumpcap(self, port, file, *args):
        """A started dpdk-dumpcap. Its output is buffered unless told otherwise."""
        return self.net.start('stdbuf', '-oL', 'dpdk-dumpcap', f'--file-prefix={self.prefix}', '-i', port, '-w', file, *args)

    def account(self):
        """Stops Magpie, which must have been alive."""
        assert self.router.process.poll() is None, self.router.finish()
        return Account(self.router.stop())


@pytest.fixture(autouse=True)
def shared_memory():
    """Skips where there is none; leaves none behind."""
    reason = missing()
    if reason:
        pytest.skip(reason)


@pytest.fixture(name='between_hosts')
def between_hosts_fixture(net):
    """between_hosts(*EAL options) -> Primary between hosts A and B, which are up."""
    make_hosts(net)

    def start(*eal):
        middle = net.namespace('m')
        macs = [net.namespace(label).mac('eth0') for label in 'ab']
        vdevs = [f'net_af_packet{i},iface=v{label}' for i, label in enumerate('ab')]
        primary = Primary(net, vdevs, options(AF_PACKET, macs), eal, where='m')
        for label in 'ab':
            host_up(net, label, middle.mac(f'v{label}'))
        for port in AF_PACKET:
            primary.router.wait_value(f'port.{port}.link_up', 1)
        return primary

    return start


@pytest.fixture(name='busy')
def busy_fixture(net):
    """A Primary that receives and drops as fast as it can."""
    return Primary(net, ['net_null0'], ['--addr', '0,10.0.0.1/24'], [])


def ping_all(net):
    for label, target in TARGETS:
        ping(net, label, target, count=5)


def frames(path):
    """The frames of a pcap file."""
    data, found, at = pathlib.Path(path).read_bytes(), [], 24
    while at < len(data):
        length = struct.unpack_from('<I', data, at + 8)[0]
        found.append(data[at + 16:at + 16 + length])
        at += 16 + length
    return found


@pytest.mark.parametrize('plugin', [[], PLUGIN], ids=['stock proc-info', 'proc-info with the plugin'])
@pytest.mark.parametrize('magpie_plugin', [[], PLUGIN], ids=['Magpie', 'Magpie with the plugin'])
def test_proc_info(net, between_hosts, magpie_plugin, plugin):
    """The plugin's ops stand behind all others, as Magpie's own do: whoever loads it, numbers mean the same."""
    primary = between_hosts(*magpie_plugin)
    ping_all(net)
    status, out = primary.proc_info('--stats', plugin)
    assert status == 0 and 'NIC statistics for port 1' in out, out
    counted = [int(n) for n in re.findall(r'^  RX-packets: (\d+)', out, re.M)]
    assert len(counted) == 2 and min(counted) >= 20, out
    status, out = primary.proc_info('--show-mempool=data0', plugin)
    if plugin:
        # Who does not know the ops has none of that number to count with: that ends dpdk-proc-info, and nobody else.
        assert status == 0 and 'ops_name magazine' in out, out
        assert sum(map(int, re.search(r'avail \((\d+)\), in use \((\d+)\)', out).groups())) == POPULATION, out
    ping_all(net)
    account = primary.account()
    assert account.forwarded == 2 * 4 * 2 * 5, account.ended


@pytest.mark.parametrize('magpie_plugin', [[], PLUGIN], ids=['Magpie', 'Magpie with the plugin'])
def test_dumpcap(net, between_hosts, magpie_plugin):
    """A capture while echoes pass: it has both directions, and they pass during and after."""
    primary, file = between_hosts(*magpie_plugin), net.path('capture.pcap')
    capture = primary.dumpcap(AF_PACKET[0], file, '-P', '-c', 60).wait_text('^Capturing')
    ping(net, 'a', '10.0.1.2', count=50)
    assert capture.finish().status == 0, capture.text()
    # Hosts say more than they are asked to.
    echoes = [frame for frame in frames(file) if frame[12:14] == b'\x08\x00' and frame[23] == 1]
    ends = [bytes([10, 0, i, 2]) for i in (0, 1)]
    assert all(len(frame) == 14 + 84 for frame in echoes)
    for source, target in (ends, ends[::-1]):
        assert sum(frame[26:34] == source + target for frame in echoes) >= 20, capture.text()
    ping_all(net)
    primary.account()


def test_dumpcap_comes_and_goes(net, busy):
    """Each frees its memory when it leaves, while the worker is in the middle of copying packets to it."""
    for i in range(15):
        capture = busy.dumpcap('net_null0', net.path('capture.pcap'), '-c', 10)
        assert capture.finish().status == 0, f'{i}: {capture.text()}'
        assert busy.router.process.poll() is None, f'{i}: {busy.router.finish()}'
    before = busy.router.value('packets.rx')
    busy.router.wait_value('packets.rx', before + 1)
    busy.account()


def test_dumpcap_is_killed(net, between_hosts):
    """Its memory and its wish for packets stay behind."""
    primary = between_hosts()
    capture = primary.dumpcap(AF_PACKET[0], net.path('capture.pcap')).wait_text('^Capturing')
    ping(net, 'a', '10.0.1.2')
    capture.process.send_signal(signal.SIGKILL)
    capture.process.wait()
    ping_all(net)
    primary.account()


def test_magpie_ends_first(net, busy):
    capture = busy.dumpcap('net_null0', net.path('capture.pcap')).wait_text('^Capturing')
    time.sleep(0.3)
    busy.account()
    capture.stop()


def test_one_pid_in_two_namespaces():
    """Two processes share mempools: neither uses the other's magazines, and either may free a mempool.

    Each is number 1 of its own namespace, as processes in containers are.
    """
    program = ['unshare', '--pid', '--fork', '--kill-child', f'{build_dir()}/tests/dpdk/magazine/peer']
    eal = ['-l', '0', '--no-pci', '--no-telemetry', '--log-level=lib.eal:error',
           f'--file-prefix=magpie-test-{os.getpid()}-{next(RUNS)}']
    with subprocess.Popen([*program, 'maker', *eal], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True) as maker:
        try:
            said = maker.stdout.readline()
            while said and said != 'ready\n':
                said = maker.stdout.readline()
            user = subprocess.run([*program, 'user', *eal, '--proc-type=secondary'], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True, timeout=30, check=False)
            assert user.returncode == 0, user.stdout
            out = maker.communicate('go on\n', timeout=30)[0]
            assert maker.returncode == 0, out
        finally:
            maker.kill()
