# SPDX-License-Identifier: BSD-3-Clause
"""Start and stop: whenever a signal comes, Magpie ends within a second, with every buffer home."""
import os
import random
import re
import signal
import struct
import subprocess
import time

import pytest
from conftest import NOBODY, eal
from netns import Account

SEED = 20240607
ROUNDS = 50
ADDRS = ['--addr', '0,10.0.0.1/24', '--addr', '1,10.0.1.1/24', '--neigh', '1,10.0.1.2,02:00:00:00:00:02']


def calibrated(seconds):
    """A second on a machine of our own; on one that others keep busy, as much longer as it makes everything."""
    return seconds * max(1.0, os.getloadavg()[0] / os.cpu_count())


@pytest.fixture(name='pcap')
def pcap_file(rundir):
    """A capture of 64 frames from a host on port 0 to one behind port 1."""
    path = os.path.join(rundir, 'in.pcap')
    with open(path, 'wb') as file:
        file.write(struct.pack('<IHHiIII', 0xa1b2c3d4, 2, 4, 0, 0, 65535, 1))
        for i in range(64):
            ip = bytearray(struct.pack('>BBHHHBBH4s4s', 0x45, 0, 46, i, 0, 64, 17, 0, bytes([10, 0, 0, 9]), bytes([10, 0, 1, 2])))
            total = sum(struct.unpack('>10H', ip))
            ip[10:12] = struct.pack('>H', ~((total & 0xffff) + (total >> 16)) & 0xffff)
            frame = bytes.fromhex('027063617000' '020000000009' '0800') + bytes(ip) + bytes(26)
            file.write(struct.pack('<IIII', 0, 0, len(frame), len(frame)) + frame)
    os.chmod(path, 0o644)
    return path


def rings(_):
    return eal('net_ring0', 'net_ring1')


def nulls(_):
    return eal('net_null0', 'net_null1')


def pcaps(pcap):
    return eal(f'net_pcap0,rx_pcap={pcap},infinite_rx=1', f'net_pcap1,rx_pcap={pcap}')


def memifs(_):
    """The prefix of the run is also the name of its abstract socket."""
    args = eal()
    name = next(arg for arg in args if arg.startswith('--file-prefix=')).partition('=')[2]
    return [*args, f'--vdev=net_memif0,role=server,id=0,socket=/{name}', f'--vdev=net_memif1,role=server,id=1,socket=/{name}']


def stop_early(magpie, rng):
    """One or two signals at random moments. Returns how it ended and how long that took after the first."""
    first, again = rng.choice([signal.SIGINT, signal.SIGTERM]), rng.random() < 0.5
    delay = rng.choice([0, rng.uniform(0, 0.05), rng.uniform(0.05, 0.4), rng.uniform(0.4, 0.8)])
    gap = rng.choice([0, rng.uniform(0, 0.05)])
    magpie.wait_main()
    time.sleep(delay)
    begin = time.monotonic()
    magpie.process.send_signal(first)
    if again:
        time.sleep(gap)
        if magpie.process.poll() is None:
            magpie.process.send_signal(rng.choice([signal.SIGINT, signal.SIGTERM]))
    ended = magpie.finish()
    return ended, time.monotonic() - begin


@pytest.mark.parametrize('user', [None, NOBODY], ids=['root', 'nobody'])
def test_start_stop_50_times(start, user, pcap, rundir):
    rng = random.Random(SEED)
    slowest = 0
    for i in range(ROUNDS):
        ports = (rings, nulls, pcaps, memifs)[i % 4]
        options = [*ADDRS, *rng.choice([[], ['--stats', '1'], ['--build', 'early'], ['--build', 'lazy']])]
        magpie = start(ports(pcap), options, user=user, env={'XDG_RUNTIME_DIR': rundir})
        ended, seconds = stop_early(magpie, rng)
        where = f'seed {SEED}, round {i}, {ports.__name__}'
        assert ended.status == 0 and 'ledger balanced' in ended.out and ended.err == '', f'{where}: {ended}'
        slowest = max(slowest, seconds)
        assert seconds < calibrated(1.0), f'{where}: took {seconds:.2f} s'
    print(f'slowest end {slowest:.3f} s')


@pytest.mark.parametrize('options', [[], ['--build', 'early'], ['--build', 'lazy'], ['--pool-ops', 'ring_mp_mc'],
                                     ['--pool-ops', 'stack', '--pool-cache', '64'], ['--magazine', '32', '--burst', '1']],
                         ids=' '.join)
@pytest.mark.parametrize('lcores', ['0', '0,1'])
def test_packets_are_forwarded_and_accounted(start, pcap, options, lcores):
    args = eal(f'net_pcap0,rx_pcap={pcap},infinite_rx=1', f'net_pcap1,rx_pcap={pcap}', lcores=lcores)
    ended = start(args, [*ADDRS, *options]).wait_forwarding().stop()
    ended.assert_balanced()
    account = Account(ended)
    rx, tx = account.rx, account.tx - account.injected
    # Of two workers the other may be off its CPU while the ring to it runs full.
    assert 1000 < tx <= rx and (lcores != '0' or tx > 0.99 * rx), ended


def test_forwarded_frames_are_right(start, pcap, rundir):
    """The other port's capture file: the frames with the next hop's MAC address, TTL 63 and a checksum that fits."""
    out = os.path.join(rundir, 'out.pcap')
    args = eal(f'net_pcap0,rx_pcap={pcap}', f'net_pcap1,tx_pcap={out}')
    start(args, ADDRS).wait_forwarding().stop().assert_balanced()
    with open(out, 'rb') as file:
        data = file.read()
    frames, at = [], 24
    while at < len(data):
        length = struct.unpack_from('<I', data, at + 8)[0]
        frames.append(data[at + 16:at + 16 + length])
        at += 16 + length
    frames = [frame for frame in frames if frame[12:14] == b'\x08\x00']  # Magpie tells its address, too
    assert len(frames) == 64
    for i, frame in enumerate(frames):
        total = sum(struct.unpack('>10H', frame[14:34]))
        assert frame[:6].hex() == '020000000002' and frame[22] == 63 and struct.unpack_from('>H', frame, 18)[0] == i
        assert (total & 0xffff) + (total >> 16) == 0xffff


def test_statistics_as_lines(start, pcap):
    magpie = start(pcaps(pcap), [*ADDRS, '--stats', '1']).wait_forwarding()
    time.sleep(2.5)
    ended = magpie.stop()
    ended.assert_balanced()
    assert ended.out.count('packets.rx ') >= 2 and '\x1b' not in ended.out


@pytest.mark.parametrize('rounds', [32, 512])
def test_magazines_have_the_size_asked_for(start, pcap, rounds):
    """A pinned size stays, and a cache holds at most two magazines."""
    magpie = start(pcaps(pcap), [*ADDRS, '--stats', '1', '--pool-cache', '0', '--magazine', str(rounds)]).wait_forwarding()
    time.sleep(2)
    ended = magpie.stop()
    ended.assert_balanced()
    cached = [int(count) for count in re.findall(r'^pool.data0.cached (\d+)$', ended.out, re.M)]
    assert cached and max(cached) <= 2 * rounds, ended
    assert set(re.findall(r'^pool.data0.magazine (\d+)$', ended.out, re.M)) == {str(rounds)}, ended


def test_reader_goes_away(start, pcap):
    """As in magpie --stats 1 | head: a closed pipe is no reason to lose a buffer."""
    magpie = start(pcaps(pcap), [*ADDRS, '--stats', '1']).wait_forwarding()
    magpie.process.stdout.close()
    time.sleep(1.5)
    assert magpie.process.poll() is None
    magpie.process.send_signal(signal.SIGINT)
    assert magpie.process.wait(timeout=30) == 0


def test_hangup(start):
    start(rings(None), ADDRS).wait_forwarding().stop(signal.SIGHUP).assert_balanced()


def test_nohup(program):
    """What SIGHUP did before we came stays, if that was nothing."""
    process = subprocess.Popen([str(program), *rings(None), '--', *ADDRS], stdout=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
    time.sleep(1)
    process.send_signal(signal.SIGHUP)
    time.sleep(0.5)
    assert process.poll() is None
    process.send_signal(signal.SIGTERM)
    assert 'ledger balanced' in process.communicate(timeout=30)[0] and process.returncode == 0


def test_signal_while_routes_are_loaded(start, rundir):
    path = os.path.join(rundir, 'routes')
    with open(path, 'w', encoding='ascii') as file:
        for i in range(500_000):
            file.write(f'{11 + (i >> 16)}.{i >> 8 & 255}.{i & 255}.0/24,via=10.0.1.2\n')
    rng = random.Random(SEED)
    for i in range(5):
        magpie = start(eal('net_ring0', 'net_ring1', megabytes=1024), [*ADDRS, '--routes-file', path]).wait_main()
        time.sleep(rng.uniform(0, 2))
        begin = time.monotonic()
        ended = magpie.stop()
        seconds = time.monotonic() - begin
        ended.assert_balanced()
        assert seconds < calibrated(1.0), f'seed {SEED}, round {i}: took {seconds:.2f} s'


def test_unprivileged_without_a_runtime_directory(start):
    """/tmp/dpdk, where the EAL goes then, is free or ours to use; afterwards it is as it was."""
    had = os.path.exists('/tmp/dpdk')
    env = {'XDG_RUNTIME_DIR': None}
    args = eal('net_ring0')
    magpie = start(args, ['--addr', '0,10.0.0.1/24'], user=NOBODY, env=env).wait_forwarding()
    magpie.stop().assert_balanced()
    if not had:
        subprocess.run(['rm', '-rf', '/tmp/dpdk'], check=True)
