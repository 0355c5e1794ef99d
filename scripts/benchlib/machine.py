# SPDX-License-Identifier: BSD-3-Clause
"""The machine: which CPUs and which memory a run gets, and what has to be known to believe its numbers."""
import glob
import os
import platform
import shutil
import socket
import time

from .process import Failure, Process

HUGEPAGES = '/sys/kernel/mm/hugepages/hugepages-2048kB/'
PROCESS_MIB = 256  # what one of the programs gets; mempools of 2 x 16 384 buffers need 80


def _read(path, default=''):
    try:
        with open(path, encoding='utf-8') as file:
            return file.read().strip()
    except OSError:
        return default


def free_hugepages():
    return int(_read(HUGEPAGES + 'free_hugepages', '0'))


def _siblings(cpu):
    return _read(f'/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list', str(cpu))


class Cpus:
    """The forwarder's CPU and the generator's; one and the same if there is only one to have."""

    def __init__(self, only_one=False):
        cpus = sorted(os.sched_getaffinity(0))
        self.forwarder = cpus[-1]
        others = [cpu for cpu in cpus if cpu != self.forwarder and not only_one]
        apart = [cpu for cpu in others if _siblings(cpu) != _siblings(self.forwarder)]
        self.generator = (apart or others or [self.forwarder])[-1]
        self.shared = self.generator == self.forwarder


class Memory:
    """Hugepages if there are enough for all the programs, else ordinary pages. shared: with other processes."""

    def __init__(self, n_processes, no_huge=False, shared=False):
        self.huge = not no_huge and free_hugepages() * 2 >= n_processes * PROCESS_MIB
        if shared and not self.huge:
            raise Failure('memory that another process can map has to be hugepages; reserve them: scripts/setup')
        unlink = '--single-file-segments' if shared else '--huge-unlink'  # never both
        self.eal = [unlink if self.huge else '--no-huge', '-m', str(PROCESS_MIB)]

    def __str__(self):
        return '2 MiB hugepages' if self.huge else 'ordinary 4 KiB pages (--no-huge)'


def busy_cpus(seconds=0.5):
    """How many CPUs are busy with other work just now."""
    def jiffies():
        words = _read('/proc/stat').splitlines()[0].split()[1:]
        values = [int(word) for word in words[:8]]
        return sum(values), values[3] + values[4]
    total, idle = jiffies()
    time.sleep(seconds)
    total_after, idle_after = jiffies()
    passed = max(1, total_after - total)
    return os.cpu_count() * (passed - (idle_after - idle)) / passed


def cpu_model():
    names = [line.split(':', 1)[1].strip() for line in _read('/proc/cpuinfo').splitlines()
             if line.startswith('model name')]
    return names[0] if names else platform.machine()


def describe(memory):
    """Facts for the head of a report."""
    busy = busy_cpus()
    governor = _read('/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor', 'not visible')
    return {
        'cpu': f'{cpu_model()}, {os.cpu_count()} CPUs',
        'kernel': platform.release(),
        'governor': governor,
        'memory': f'{memory}; {free_hugepages()} hugepages free',
        'load average': _read('/proc/loadavg').rsplit(' ', 2)[0],
        'other work': f'{busy:.2f} CPUs busy before the start'
                      + ('; trust only the ratios, and those little' if busy > 0.2 else ''),
    }


def only_one_benchmark():
    """Holds the machine's benchmark lock until the returned object is gone; it leaves no file."""
    lock = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        lock.bind('\0magpie-bench')
    except OSError as error:
        raise Failure('another benchmark runs on this machine; wait for it') from error
    return lock


def find_magpie(build):
    path = os.path.join(build, 'app', 'magpie', 'magpie')
    if not os.access(path, os.X_OK):
        raise Failure(f'no {path}; build it: meson setup {build} && ninja -C {build}')
    return path


def find_testpmd():
    path = shutil.which('dpdk-testpmd', path=os.environ.get('PATH', '') + ':/usr/bin:/usr/local/bin')
    if path is None:
        raise Failure('no dpdk-testpmd; install it: scripts/setup')
    return path


def core_latency_ns(build, workspace, cpus):
    """One-way nanoseconds of a cache line between the two CPUs; None when there is one CPU."""
    program = glob.glob(os.path.join(build, 'tests', 'bench', 'core-latency'))
    if cpus.shared or not program:
        return None
    with Process([program[0], str(cpus.forwarder), str(cpus.generator)], workspace.file('latency.log')) as probe:
        probe.wait(10)
        return float(probe.text().split()[0]) if probe.status == 0 else None
