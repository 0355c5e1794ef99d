#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""One of DPDK's own tests, with pools of mbufs in magazines.

usage: test_autotest.py PLUGIN SHORT_SECOND NAME [EAL options]

The same test without the plugin must fail, unless the plugin is installed: so it is a test of the ops that the
command line names, and of nothing else.
"""
import os
import subprocess
import sys

import stock

PLUGIN, SHORT_SECOND, NAME, EAL = sys.argv[1], sys.argv[2], sys.argv[3], sys.argv[4:]
DEADLINE = 120
PERF = NAME.endswith('_perf_autotest')


def autotest(plugin):
    """Exit status and output. A test of speed measures hundreds of times five seconds long, so its seconds are short."""
    env = {'DPDK_TEST': NAME, **({'LD_PRELOAD': os.path.abspath(SHORT_SECOND)} if PERF else {})}
    try:
        return stock.run(['dpdk-test'], [*EAL, stock.lcores(2)], plugin, env, stdin=subprocess.DEVNULL, timeout=DEADLINE)
    except subprocess.TimeoutExpired as error:
        return None, (error.stdout or b'').decode(errors='replace')


def passed(status, out):
    """Both must say so: dpdk-test also ends with 0 after a test that failed in a process of its own."""
    return status == 0 and 'Test OK' in out.splitlines() and 'Test Failed' not in out and 'PANIC' not in out


def control():
    """What is wrong with the test as a test of the ops, or nothing."""
    status, out = autotest(None)
    if passed(status, out):
        return f'{NAME} passes without the ops as well: it is no test of them'
    if status is None or status < 0 or 'Test Failed' not in out:
        return f'{NAME} without the ops ended with {status}, expected "Test Failed"\n{out}'
    return None


def main():
    wrong = None if stock.is_installed() else control()
    if wrong:
        return wrong
    status, out = autotest(PLUGIN)
    if not passed(status, out):
        return f'{NAME} ended with {status or "no end after %d s" % DEADLINE}\n' + out[-20000:]
    if NAME.startswith('mempool_') and 'ops_name: <magazine>' not in out and 'Testing magazine mempool handler' not in out:
        return f'{NAME} does not name the ops\n{out}'
    if PERF and out.count('rate_persec=') < 8:
        return f'{NAME} measured next to nothing\n{out}'
    print(f'{NAME}: Test OK')
    return None


if __name__ == '__main__':
    sys.exit(main())
