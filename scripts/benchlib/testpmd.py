# SPDX-License-Identifier: BSD-3-Clause
"""dpdk-testpmd, as generator and as forwarder to compare with."""
import re
import time

from . import machine
from .process import Process, wait_until
from .telemetry import Telemetry

BURST = 32        # testpmd's default
MBUF_CACHE = 250  # testpmd's default
MBUFS = 16384


class Testpmd(Process):
    """testpmd on one CPU: its main lcore sleeps there beside the forwarding lcore.

    It is interactive, so that traffic starts and ends when we say so.
    """

    def __init__(self, workspace, cpu, eal, options):
        self._prefix = workspace.prefix('testpmd')
        argv = [machine.find_testpmd(), '--lcores', f'0@{cpu},1@{cpu}', *eal, '--no-pci',
                f'--file-prefix={self._prefix}', '--log-level=lib.eal:error', '--', '-i',
                f'--total-num-mbufs={MBUFS}', f'--mbcache={MBUF_CACHE}', *options]
        super().__init__(argv, workspace.file(self._prefix + '.log'))
        self.telemetry = None

    def ready(self):
        """Waits until its ports are started."""
        self.telemetry = Telemetry(self._prefix, self)
        # The telemetry socket is there before the ports are; the prompt is not.
        wait_until(lambda: 'testpmd>' in self.text(), 30, 'start of testpmd')

    def forward(self, mode):
        self.type(f'set fwd {mode}')
        self.type('start')

    def rest(self):
        """Ends what it forwards; its packet counters do not move afterwards."""
        self.type('stop')
        before, now = None, self.telemetry.packets()
        while before != now:
            time.sleep(0.1)
            before, now = now, self.telemetry.packets()

    def offered(self):
        """After its end: packets that its transmit queues took and refused while it forwarded, in all."""
        totals = re.findall(r'Accumulated forward statistics for all ports.*?TX-packets: (\d+) +TX-dropped: (\d+)',
                            self.text(), re.S)
        return sum(int(taken) for taken, _ in totals), sum(int(refused) for _, refused in totals)
