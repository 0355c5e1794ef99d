# SPDX-License-Identifier: BSD-3-Clause
"""Shows a program's terminal output to the person in front, and keeps a copy of it."""
import fcntl
import os
import pty
import struct
import sys
import termios
import threading


class Mirror:
    """A pseudo terminal of the same size as ours; what is written to it appears on ours and in the log."""

    def __init__(self):
        self._master, self.output = pty.openpty()
        size = os.get_terminal_size(sys.stdout.fileno())
        fcntl.ioctl(self.output, termios.TIOCSWINSZ, struct.pack('HHHH', size.lines, size.columns, 0, 0))
        self._thread = None

    def start(self, log):
        """After the program has been started: its end of the terminal is no longer ours."""
        os.close(self.output)
        self._thread = threading.Thread(target=self._copy, args=[log], daemon=True)
        self._thread.start()

    def finish(self):
        """After the program has ended: everything is shown."""
        self._thread.join(5)
        os.close(self._master)

    def _copy(self, path):
        with open(path, 'ab') as log:
            while data := self._read():
                log.write(data)
                log.flush()
                sys.stdout.buffer.write(data)
                sys.stdout.buffer.flush()

    def _read(self):
        try:
            return os.read(self._master, 65536)
        except OSError:  # what Linux says when the other end is closed
            return b''
