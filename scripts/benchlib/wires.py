# SPDX-License-Identifier: BSD-3-Clause
"""Two memif links between a generator and a forwarder, and the traffic on them.

        testpmd flowgen                         forwarder
      stream 1: tx port 0 ---- net_memif0 ----> port 0
      stream 0: rx port 0 <---                  routes, or swaps the ports
      stream 0: tx port 1 ---- net_memif1 ----> port 1
      stream 1: rx port 1 <---

flowgen sends 64-byte frames (60 without FCS) to one MAC address, from 10.254.0.0 to 10.253.0.0 and the addresses
that follow, a flow each. Both streams draw from the same row of flows, a burst of 32 each in turn. The row is
cut into blocks of addresses, routed to one port and the other in turn, so that each port gets back as many packets
as it sent, as if they were only swapped. With blocks of a burst's size a burst leaves by one port; with
blocks of half that size any burst is divided in two halves, wherever it begins, and the ports stay even
when one of them stalls.
"""
import ipaddress
import os
import time

from .process import wait_until
from .testpmd import BURST, Testpmd

FLOWS = 1024
FLOWGEN_MAC = '00:01:02:03:04:01'  # the only destination that flowgen knows
PEER_MAC = '02:00:00:00:00:0{port}'
FIRST_ADDRESS = int(ipaddress.ip_address('10.253.0.0'))
BUFFER_BYTES = 2048
PORTS = (0, 1)


class Wires:
    """Names, sockets and EAL options of the two links."""

    def __init__(self, workspace, log2_slots=10, zero_copy=False, block=BURST):
        self.socket = workspace.file('memif.sock')
        self.log2_slots = log2_slots
        self.zero_copy = zero_copy
        self._block = block
        self._routes = workspace.file('routes')

    def _vdevs(self, role, extra=''):
        return [f'--vdev=net_memif{port},role={role},id={port},socket={self.socket},socket-abstract=no,'
                f'rsize={self.log2_slots},bsize={BUFFER_BYTES}{extra}' for port in PORTS]

    def generator_eal(self):
        return self._vdevs('server')

    def forwarder_eal(self):
        zero_copy = ',zero-copy=yes' if self.zero_copy else ''
        return self._vdevs('client', f',mac={FLOWGEN_MAC}{zero_copy}')

    def magpie_options(self):
        """Addresses, neighbours and a routes file that turn the flows round."""
        options = []
        for port in PORTS:
            options += ['--addr', f'net_memif{port},10.0.{port}.1/24',
                        '--neigh', f'net_memif{port},10.0.{port}.2,' + PEER_MAC.format(port=port)]
        with open(self._routes, 'w', encoding='utf-8') as file:
            for first in range(0, FLOWS, self._block):
                prefix = ipaddress.ip_network((FIRST_ADDRESS + first, 33 - self._block.bit_length()))
                file.write(f'{prefix},via=10.0.{first // self._block % 2}.2\n')
        return [*options, '--routes-file', self._routes]


def wait_links(generator, forwarder, settle_seconds=0.5):
    """Waits until both ends see their links up, and then until the forwarder has polled that too."""
    for process in (generator, forwarder):
        wait_until(process.telemetry.links_up, 15, f'links of {process.name} up')
    time.sleep(settle_seconds)


class Generator(Testpmd):
    """testpmd flowgen at the far ends of the wires; counts what comes back."""

    def __init__(self, workspace, wires, cpu, eal, clones):
        options = [f'--flowgen-flows={FLOWS}', f'--flowgen-clones={clones}']
        super().__init__(workspace, cpu, [*eal, *wires.generator_eal()], options)
        self._wires = wires

    def ready(self):
        super().ready()
        wait_until(lambda: os.path.exists(self._wires.socket), 10, 'memif socket of the generator')

    def send(self):
        self.forward('flowgen')

    def collect(self, seconds=0.5):
        """After rest(): takes what is still on its way back."""
        self.forward('rxonly')
        time.sleep(seconds)
        self.rest()
