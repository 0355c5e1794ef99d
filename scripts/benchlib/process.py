# SPDX-License-Identifier: BSD-3-Clause
"""Programs that run beside this one: started with a log, stopped by their pid, nothing left behind."""
import contextlib
import ctypes
import glob
import os
import shutil
import signal
import subprocess
import tempfile
import time

PR_SET_PDEATHSIG = 1


class Failure(Exception):
    """The run cannot go on; says why and, where there is one, what fixes it."""


def _before_exec():
    # A poll-mode program that outlives its parent would keep a CPU busy for ever.
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGINT)
    # It expects a CPU of its own. Where it has to share, this is the nearest to it: priority within
    # its session, and of its session where the kernel schedules those (autogroup).
    with contextlib.suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, -20)
        with open('/proc/self/autogroup', 'w', encoding='ascii') as file:
            file.write('-20')


def wait_until(condition, seconds, what):
    """Returns as soon as condition() is true; Failure after so many seconds."""
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise Failure(f'{what}: not within {seconds} s')
        time.sleep(0.02)


class Workspace:
    """A directory of our own for sockets and logs, and EAL file prefixes that nobody else has."""

    def __init__(self):
        self.path = tempfile.mkdtemp(prefix='magpie-')
        self._prefixes = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for prefix in self._prefixes:
            shutil.rmtree(runtime_dir(prefix), ignore_errors=True)
            for hugepages in glob.glob(f'/dev/hugepages/{prefix}map_*'):
                os.unlink(hugepages)
        shutil.rmtree(self.path, ignore_errors=True)

    def file(self, name):
        return os.path.join(self.path, name)

    def prefix(self, name):
        """A new EAL --file-prefix; what the EAL keeps under it is removed at the end."""
        prefix = f'{os.path.basename(self.path)}-{name}-{len(self._prefixes)}'
        self._prefixes.append(prefix)
        return prefix


def runtime_dir(prefix):
    """Where a DPDK process keeps its files and its telemetry socket."""
    base = '/var/run' if os.geteuid() == 0 else os.environ.get('XDG_RUNTIME_DIR', '/tmp')
    return os.path.join(base, 'dpdk', prefix)


class Process:
    """A running program. Its output goes to the log file, or to the given descriptor."""

    def __init__(self, argv, log, output=None):
        self.name = os.path.basename(argv[0])
        self.argv = argv
        self.log = log
        with open(log, 'wb') as file:
            self._popen = subprocess.Popen(
                argv, stdin=subprocess.PIPE, stdout=file if output is None else output,
                stderr=subprocess.STDOUT if output is None else output,
                start_new_session=True, preexec_fn=_before_exec, text=True)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    @property
    def status(self):
        """The exit status, None while it runs."""
        return self._popen.poll()

    def type(self, line):
        """Writes a line to its standard input."""
        self._popen.stdin.write(line + '\n')
        self._popen.stdin.flush()

    def must_run(self):
        if self.status is not None:
            raise Failure(f'{self.name} ended with status {self.status}:\n{self.last_lines()}')

    def wait(self, seconds):
        """Waits for it to end by itself."""
        self._popen.wait(seconds)

    def interrupt(self):
        if self.status is None:
            self._popen.send_signal(signal.SIGINT)

    def stop(self, seconds=10):
        """SIGINT, and SIGKILL for one that does not listen. Returns the exit status."""
        self.interrupt()
        try:
            self._popen.wait(seconds)
        except subprocess.TimeoutExpired:
            self._popen.kill()
            self._popen.wait()
        try:
            self._popen.stdin.close()
        except BrokenPipeError:
            pass
        return self.status

    def text(self):
        """Everything it has printed so far."""
        with open(self.log, encoding='utf-8', errors='replace') as file:
            return file.read()

    def last_lines(self, n=12):
        lines = [line for line in self.text().splitlines() if line.strip()]
        return '\n'.join('  | ' + line for line in lines[-n:])
