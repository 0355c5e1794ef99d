# SPDX-License-Identifier: BSD-3-Clause
"""Reads counters of a running DPDK program through its telemetry socket: the same way for Magpie and testpmd."""
import json
import os
import socket

from .process import Failure, runtime_dir, wait_until


class Telemetry:
    """The connection to one DPDK process."""

    def __init__(self, prefix, process, seconds=30):
        self._path = os.path.join(runtime_dir(prefix), 'dpdk_telemetry.v2')
        self._process = process
        self._socket = None
        wait_until(self._connect, seconds, f'telemetry of {process.name}')

    def _connect(self):
        self._process.must_run()
        link = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        try:
            link.connect(self._path)
        except OSError:
            link.close()
            return False
        hello = json.loads(link.recv(65536))
        self._max_len = hello['max_output_len']
        link.settimeout(10)
        self._socket = link
        return True

    def close(self):
        self._socket.close()

    def ask(self, command):
        """The answer to one command, e.g. "/ethdev/stats,0"; None if it has none."""
        try:
            self._socket.send(command.encode())
            answer = json.loads(self._socket.recv(self._max_len + 1024))
        except (OSError, ValueError) as error:
            self._process.must_run()
            raise Failure(f'telemetry of {self._process.name}, {command}: {error}') from error
        return next(iter(answer.values()))

    def wait_for(self, command, seconds=30):
        """Waits until the process answers this command."""
        wait_until(lambda: self.ask(command) is not None, seconds, f'{command} of {self._process.name}')

    def ports(self):
        return self.ask('/ethdev/list')

    def links_up(self):
        return all(self.ask(f'/ethdev/link_status,{port}')['status'] == 'UP' for port in self.ports())

    def packets(self):
        """Packets that all ports together received and sent, as the drivers count: (rx, tx)."""
        stats = [self.ask(f'/ethdev/stats,{port}') for port in self.ports()]
        return sum(s['ipackets'] for s in stats), sum(s['opackets'] for s in stats)
