# SPDX-License-Identifier: BSD-3-Clause
"""Runs a program of the DPDK package, with the plugin that was built or without it."""
import os
import re
import subprocess
import tempfile

PLUGIN = 'librte_mempool_magazine.so'
OPS = '--mbuf-pool-ops-name=magazine'


def plugin_dir():
    """Where the EAL itself says that it looks for plugins."""
    libdir = subprocess.run(['pkg-config', '--variable=libdir', 'libdpdk'], check=True, stdout=subprocess.PIPE, text=True).stdout
    with open(f'{libdir.strip()}/librte_eal.so', 'rb') as file:
        return re.search(rb'DPDK_PLUGIN_PATH=([^\0]+)', file.read()).group(1).decode()


def is_installed():
    """Whether every program loads the plugin; one given with -d comes first all the same."""
    return os.path.exists(os.path.join(plugin_dir(), PLUGIN))


def lcores(n):
    """--lcores for n lcores on the CPUs there are; of two, lcores 1 and 3 are on one each, as are 0 and 1."""
    cpus = sorted(os.sched_getaffinity(0))
    return '--lcores=' + ','.join(f'{i}@{cpus[(i + 1) // 2 % len(cpus)]}' for i in range(n))


def run(args, eal, plugin=None, env=None, **how):
    """The program with our ops as default. Returns status and output, both streams together.

    The EAL opens a name that is no path as the dynamic loader would. It refuses a path below a directory that
    everybody may write to, where a build directory may well be.
    """
    env = {**os.environ, **(env or {})}
    load = []
    if plugin:
        env['LD_LIBRARY_PATH'] = os.path.dirname(os.path.abspath(plugin))
        load = ['-d', os.path.basename(plugin)]
    program, *options = args
    with tempfile.TemporaryDirectory(prefix='magpie-test-') as env['RUNTIME_DIRECTORY']:
        try:
            got = subprocess.run([program, *eal, *load, OPS, *options], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                 text=True, errors='replace', cwd='/', env=env, **how)
        except FileNotFoundError:
            raise SystemExit(f'{program} is not installed. Run: scripts/setup') from None
    return got.returncode, got.stdout
