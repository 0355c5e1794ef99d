# SPDX-License-Identifier: BSD-3-Clause
"""Magpie as a running program, and the account that it gives when it ends."""
import re

from . import machine
from .process import Process
from .telemetry import Telemetry


PACKETS = re.compile(r'^packets: rx (\d+)(?: \+ mirrored (\d+))?(?: \+ injected (\d+))?(?: \+ fragmented (\d+))?'
                     r' = tx (\d+) \+ dropped (\d+) \+ punted (\d+)$', re.M)


class Magpie(Process):
    """Magpie with one worker on one CPU."""

    def __init__(self, workspace, build, cpu, eal, options, output=None):
        self._prefix = workspace.prefix('magpie')
        self._cpu = cpu
        argv = [machine.find_magpie(build), '-l', str(cpu), *eal, '--no-pci', f'--file-prefix={self._prefix}',
                '--log-level=lib.eal:error', '--', *options]
        super().__init__(argv, workspace.file(self._prefix + '.log'), output)
        self.telemetry = None

    def ready(self):
        """Waits until its workers run."""
        self.telemetry = Telemetry(self._prefix, self)
        self.telemetry.wait_for('/magpie/workers')

    def cycles(self):
        """TSC cycles of its worker in turns with and without packets: (busy, idle)."""
        worker = self.telemetry.ask(f'/magpie/workers,{self._cpu}')
        return worker['busy_cycles'], worker['idle_cycles']


class Account:
    """What Magpie prints when it ends, as numbers."""

    def __init__(self, text):
        text = text.replace('\r', '')
        packets = PACKETS.findall(text)
        self.complete = bool(packets)
        self.rx, self.mirrored, self.injected, self.fragmented, self.tx, self.dropped, self.punted = (
            int(n or 0) for n in (packets or [[0] * 7])[-1])
        last = packets and text.rindex('packets: rx')
        final = text[text.rfind('ran '):] if last else ''
        self.reasons = [(kind, name, int(count), why) for kind, name, count, why in
                        re.findall(r'^(dropped|punted) (\w+): (\d+) \((.*)\)$', final, re.M)]
        cycles = re.findall(r'^lcore \d+: rx \d+, ([\d.]+) cycles/packet.*idle ([\d.]+) %', final, re.M)
        self.cycles_per_packet, self.idle_percent = map(float, cycles[0]) if cycles else (0.0, 0.0)
        ledger = re.findall(r'^ledger .*$', final, re.M)
        self.ledger = ledger[-1] if ledger else 'no ledger printed'

    @property
    def packets_balanced(self):
        came = self.rx + self.mirrored + self.injected + self.fragmented
        return self.complete and came == self.tx + self.dropped + self.punted

    @property
    def forwarded(self):
        """What was sent without what Magpie made itself: ARP and neighbour discovery."""
        return self.tx - self.injected

    @property
    def balanced(self):
        return self.packets_balanced and self.ledger == 'ledger balanced'
