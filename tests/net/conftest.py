# SPDX-License-Identifier: BSD-3-Clause
"""Runs the program as its users do: a process, its options, its output, its exit status.

MAGPIE_BUILD names the build directory. Nothing here skips: what a test needs and does not find fails it.
"""
import contextlib
import itertools
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import pytest

NOBODY = 65534
RUNS = itertools.count()
DEADLINE = 30  # seconds for a start on a busy machine


def build_dir():
    """The build directory, or an end to the whole run."""
    path = os.environ.get('MAGPIE_BUILD')
    if not path or not os.access(os.path.join(path, 'app/magpie/magpie'), os.X_OK):
        pytest.exit(f'MAGPIE_BUILD={path!r} is no build directory that holds app/magpie/magpie', returncode=2)
    return pathlib.Path(path).resolve()


def eal(*vdevs, lcores='0', megabytes=256):
    """EAL options for a process that needs no hugepages, no PCI device and no room of its own in /run."""
    return ['-l', lcores, '--no-huge', '-m', str(megabytes), '--no-pci', '--no-telemetry', '--no-shconf',
            f'--file-prefix=magpie-test-{os.getpid()}-{next(RUNS)}', *(f'--vdev={vdev}' for vdev in vdevs)]


class Magpie:
    """A started process."""

    def __init__(self, program, eal_args, options, user=None, env=None):
        self.args = [str(program), *eal_args, '--', *options]
        env = {**os.environ, 'LC_ALL': 'C', **(env or {})}
        env = {name: value for name, value in env.items() if value is not None}
        drop = {} if user is None else {'user': user, 'group': user, 'extra_groups': []}
        self.process = subprocess.Popen(self.args, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env,
                                        **drop)

    def catches(self, number):
        """Whether the process has a handler for the signal."""
        status = pathlib.Path(f'/proc/{self.process.pid}/status').read_text()
        caught = int(re.search(r'^SigCgt:\s*(\w+)', status, re.M).group(1), 16)
        comm = re.search(r'^Name:\s*(\S+)', status, re.M).group(1)
        return comm == 'magpie' and bool(caught >> (number - 1) & 1)

    def wait_main(self, number=signal.SIGINT):
        """Waits for main()'s first statement. What comes before is the dynamic loader's, where a signal kills."""
        end = time.monotonic() + DEADLINE
        while self.process.poll() is None and not self.catches(number):
            assert time.monotonic() < end, 'no signal handler after 30 s'
        return self

    def wait_forwarding(self):
        """Waits until the workers run: every EAL lcore is busy, the process polls."""
        end = time.monotonic() + DEADLINE
        while self.process.poll() is None and self.cpu_seconds() < 0.3:
            assert time.monotonic() < end, 'no CPU time used after 30 s'
            time.sleep(0.01)
        time.sleep(0.1)
        return self

    def cpu_seconds(self):
        """CPU time used so far."""
        fields = pathlib.Path(f'/proc/{self.process.pid}/stat').read_text().rpartition(')')[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')

    def stop(self, number=signal.SIGINT):
        """Sends a signal and returns how the process ended."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        return self.finish()

    def finish(self):
        """Waits for the end. Returns status, stdout, stderr."""
        try:
            out, err = self.process.communicate(timeout=DEADLINE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            out, err = self.process.communicate()
            pytest.fail(f'did not end: {self.args}\n{out}\n{err}')
        return Ended(self.process.returncode, out, err)


class Ended:
    """How a process ended."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err

    def __repr__(self):
        return f'status {self.status}\n--- stdout\n{self.out}--- stderr\n{self.err}'

    def assert_one_line(self, status, *parts):
        """One line on stderr that holds all parts, nothing on stdout, and that status."""
        lines = [line for line in self.err.splitlines() if not line.startswith('magpie: warning: ')]
        assert self.status == status and self.out == '' and len(lines) == 1, self
        assert lines[0].startswith('magpie: '), self
        for part in parts:
            assert part in lines[0], f'{part!r} is not in {lines[0]!r}'

    def assert_balanced(self):
        """A regular end with every buffer home."""
        assert self.status == 0 and 'ledger balanced' in self.out, self


@pytest.fixture(scope='session')
def program():
    """A copy of the program that any user may run, wherever the build directory is."""
    source = build_dir() / 'app/magpie/magpie'
    room = pathlib.Path(tempfile.mkdtemp(prefix='magpie-test-'))
    room.chmod(0o755)
    shutil.copy(source, room / 'magpie')
    yield room / 'magpie'
    shutil.rmtree(room)
    for left in pathlib.Path('/run/dpdk').glob(f'magpie-test-{os.getpid()}-*'):
        shutil.rmtree(left)


@contextlib.contextmanager
def starting(program):
    """Gives run(eal_args, options, ..) -> Magpie; whatever still runs at the end is killed."""
    started = []

    def run(eal_args, options, **how):
        started.append(Magpie(program, eal_args, options, **how))
        return started[-1]

    yield run
    for magpie in started:
        if magpie.process.poll() is None:
            magpie.process.kill()
            magpie.process.wait()


@pytest.fixture
def start(program):
    """start(eal_args, options) -> Magpie"""
    with starting(program) as run:
        yield run


@pytest.fixture
def parse(start):
    """parse(*options): without EAL options, so that what gets past the parser fails at the EAL."""
    return lambda *options: start(['--no-huge', '--no-such-eal-option'], options).finish()


@pytest.fixture
def check(start):
    """check(*options): with two ports net_ring0 and net_ring1 on one lcore, --check added."""
    return lambda *options: start(eal('net_ring0', 'net_ring1'), [*options, '--check']).finish()


@pytest.fixture
def rundir():
    """A directory of nobody's own, for XDG_RUNTIME_DIR and files."""
    room = tempfile.mkdtemp(prefix='magpie-test-')
    os.chown(room, NOBODY, NOBODY)
    yield room
    shutil.rmtree(room)
