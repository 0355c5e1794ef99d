# SPDX-License-Identifier: BSD-3-Clause
"""Bad input ends in one line and status 2, faults of the machine in one line and status 1; what is good is not refused."""
import os
import pathlib
import re
import signal
import time

import pytest
from conftest import NOBODY, eal

ROOT = pathlib.Path(__file__).resolve().parents[2]
ADDRS = ['--addr', '0,10.0.0.1/24', '--addr', '1,10.0.1.1/24']

# What the parser alone finds: the options, then what the line must say.
SYNTAX = [
    (['--eth'], "found '--eth'"),
    (['--routeX', '10.0.0.0/8,blackhole'], "found '--routeX'", 'did you mean --route?'),
    (['--route-file', 'x'], 'did you mean --routes-file?'),
    (['--rout', 'x'], 'did you mean --route?'),
    (['--ROUTE', 'x'], "found '--ROUTE'"),
    (['-burst', '1'], "found '-burst'"),
    (['word'], "found 'word'", 'begins with --'),
    (['--'], "found '--'"),
    (['--burst'], '--burst: found nothing, expected N'),
    (['--burst', '--check'], '--burst: found nothing'),
    (['--check=1'], "--check: found '1', expected no value"),
    (['--promisc=yes'], "--promisc: found 'yes', expected no value"),
    # numbers
    *[(['--' + name, bad], f'--{name}: found', 'expected a number from')
      for name in ('rxd', 'txd', 'burst', 'pool-size', 'pool-cache', 'stats', 'data-room', 'neigh-reachable')
      for bad in ('12abc', '-1', '4294967296', '', ' 1', '1 ', '0x10', '+1', '1.5', '99999999999999999999', '18446744073709551648', '١')],
    (['--burst=0'], 'from 1 to 64'),
    (['--burst=65'], 'from 1 to 64'),
    (['--rxd=65536'], 'from 1 to 32768'),
    (['--pool-cache=513'], 'from 0 to 512'),
    (['--data-room=127'], "--data-room: found '127'", 'from 128 to 16384'),
    (['--data-room=16385'], 'from 128 to 16384'),
    (['--neigh-reachable=0'], 'from 1 to 3600'),
    (['--neigh-reachable=3601'], 'from 1 to 3600'),
    *[(['--icmp-rate', bad], '--icmp-rate: found', 'unlimited or a number from 0 to 1000000000')
      for bad in ('', '-1', '1e3', 'Unlimited', 'none', '1000000001', '4294967296', '0x10', '10/s', '99999999999999999999')],
    *[(['--ecmp-seed', bad], '--ecmp-seed: found', 'a number from 0 to 4294967295, or from 0x0 to 0xffffffff')
      for bad in ('', '-1', 'random', '4294967296', '0x100000000', '0x', 'x10', '0xg', '0X10', 'ff', '1 ', '0x 1', '0x-1',
                  '99999999999999999999', '0x10000000000000000')],
    *[(['--magazine', bad], '--magazine: found', 'auto or a power of two from 32 to 512')
      for bad in ('0', '16', '100', '1024', 'Auto', '', '4294967424')],
    (['--build', 'lately'], 'expected late, early or lazy'),
    (['--build', ''], 'expected late, early or lazy'),
    (['--pool-ops', ''], '--pool-ops: found nothing'),
    (['--pool-ops', 'x' * 40], '--pool-ops: found'),
    # prefixes
    *[(['--route', bad + ',blackhole'], '--route: found', 'expected')
      for bad in ('1.2.3.4/33', '1.2.3.0/-1', '1.2.3.0/24x', '1.2.3.0/', '/', '', '/24', '1.2.3.0', '::/129', '::/-1', ':/0',
                  '1.2.3/24', '1.2.3.0/24/24', '01.2.3.0/24', '256.0.0.0/8', '1.2.3.0 /24', '2001:db8:::/32',
                  '10.0.0.0/ 8', '10.0.0.0/08x', 'fe80::%eth0/64', '0/0', 'default')],
    (['--route', '10.1.2.3/24,blackhole'], "found '10.1.2.3/24'", 'did you mean 10.1.2.0/24?'),
    (['--route', '10.0.0.1/31,blackhole'], 'did you mean 10.0.0.0/31?'),
    (['--route', '0.0.0.1/0,blackhole'], 'did you mean 0.0.0.0/0?'),
    (['--route', '2001:db8::1/64,blackhole'], 'did you mean 2001:db8::/64?'),
    (['--route', '2001:db8:8000::/32,blackhole'], 'did you mean 2001:db8::/32?'),
    # routes
    (['--route', '10.0.0.0/8'], 'PREFIX,via=ADDR'),
    (['--route', '10.0.0.0/8,'], '--route: found nothing'),
    (['--route', '10.0.0.0/8,gw=10.0.0.1'], "found 'gw=10.0.0.1'"),
    (['--route', '10.0.0.0/8,via='], 'an IPv4 or IPv6 address'),
    (['--route', '10.0.0.0/8,via=10.0.0.1x'], "found '10.0.0.1x'"),
    (['--route', '10.0.0.0/8,via=2001:db8::1'], "gateway of the prefix's family"),
    (['--route', '10.0.0.0/8,via=224.0.0.1'], "a host's address"),
    (['--route', '10.0.0.0/8,via=0.0.0.0'], "a host's address"),
    (['--route', '10.0.0.0/8,via=127.0.0.1'], "a host's address"),
    (['--route', '::/0,via=ff02::1'], "a host's address"),
    (['--route', '10.0.0.0/8,weight=2,via=10.0.0.1'], "found 'weight=2'"),
    (['--route', '10.0.0.0/8,via=10.0.0.1,weight=0'], 'from 1 to 256'),
    (['--route', '10.0.0.0/8,via=10.0.0.1,weight=257'], 'from 1 to 256'),
    (['--route', '10.0.0.0/8,via=10.0.0.1,blackhole'], "found 'blackhole'"),
    (['--route', '10.0.0.0/8,blackhole,via=10.0.0.1'], 'expected nothing more'),
    (['--route', '10.0.0.0/8,blackhole,'], 'found nothing, expected nothing more'),
    (['--route', '10.0.0.0/8,via=10.0.0.1,via=10.0.0.1'], 'each gateway once'),
    (['--route', '10.0.0.0/8,' + ','.join(f'via=10.0.0.{i}' for i in range(1, 66))], 'at most 64 gateways'),
    (['--route', '10.0.0.0/8,port='], '--route: found nothing, expected a port'),
    (['--route', '10.0.0.0/8,via=10.0.0.1', '--route', '10.0.0.0/8,via=10.0.0.2'], "found '10.0.0.0/8'", 'another'),
    (['--route', '10.0.0.0/8,blackhole', '--route', '9.0.0.0/8,blackhole', '--route', '10.0.0.0/8,prohibit'],
     "found '10.0.0.0/8'", 'one route for a prefix'),
    (['--route', '10.0.0.0/8,via=10.0.0.1', '--route', '10.0.0.0/8,via=10.0.0.1,weight=2'], 'one route for a prefix'),
    # addresses
    *[(['--addr', bad], '--addr: found') for bad in
      ('', '0', '0,', ',10.0.0.1/24', '0,10.0.0.1', '0,10.0.0.1/24,1', '0,10.0.0.1/33', '0,10.0.0.1/-1', '0,10.0.0.1/24x',
       '0,10.0.0.1/', '0,/', '0,::1/129', '0,10.0.0.1/0', '0,224.0.0.1/24', '0,127.0.0.1/8', '0,0.0.0.0/8', '0,::/64',
       '0,ff02::1/64', '0,255.255.255.255/32')],
    (['--addr', '0,10.0.0.0/24'], 'names the subnet itself'),
    (['--addr', '0,10.0.0.255/24'], "subnet's broadcast"),
    (['--addr', '0,2001:db8::/64'], 'names the subnet itself'),
    # neighbours
    *[(['--neigh', bad], '--neigh: found') for bad in
      ('0,10.0.0.2', '0,10.0.0.2,', '0,10.0.0.2,02:00:00:00:00', '0,10.0.0.2,02:00:00:00:00:0g', '0,10.0.0.2,2:0:0:0:0:1',
       '0,10.0.0.2,00:00:00:00:00:00', '0,10.0.0.2,ff:ff:ff:ff:ff:ff', '0,10.0.0.2,01:00:5e:00:00:01',
       '0,10.0.0.2,0200.0000.0001', '0,10.0.0.2,02-00-00-00-00-01', '0,10.0.0.2/24,02:00:00:00:00:01',
       '0,224.0.0.1,02:00:00:00:00:01', ',10.0.0.2,02:00:00:00:00:01', '0,10.0.0.2,02:00:00:00:00:01:02')],
    # queue map
    *[(['--config', bad], '--config: found') for bad in
      ('', '0,0,0', '(0,0,0', '(0,0)', '(0,0,0,0)', '(0,0,0)(1,0,0)', '(0,0,0),', '(0,64,0)', '(0,0,x)', '(0,-1,0)', '()',
       '(,0,0)', '((0,0,0))', '(0,0,4294967296)')],
    # MTU
    *[(['--mtu', bad], '--mtu: found') for bad in ('1500', '0,', '0,67', '0,65536', '0,x', '0,1500,1', ',1500')],
    (['--mtu', '0,16107'], "--mtu: found '16107'", 'from 68 to 16106'),
    # owners and mirrors
    *[(['--complete', bad], '--complete: found', 'expected orphan, orphan-packet, completion or none')
      for bad in ('', 'Orphan', 'orphan_packet', 'early', 'orphan,none')],
    *[(['--owner-limit', bad], '--owner-limit: found')
      for bad in ('1000000', '0,', '0,x', '0,-1', '0,1,2', ',1000000', '0,9223372036854775808', '0,1e6')],
    *[(['--mirror', bad], '--mirror: found', 'PORT=PORT[,rx|tx|both]') for bad in ('', '0', '0,1', 'rx')],
    *[(['--mirror', bad], '--mirror: found', 'expected rx, tx or both')
      for bad in ('0=1,', '0=1,RX', '0=1,rx,tx', '0=1,rxtx', '0=1,2')],
    *[(['--mirror', bad], '--mirror: found nothing', 'expected a port') for bad in ('=1', '0=', '=', '0=,rx')],
    # what two options mean for each other
    (['--build', 'early', '--pool-ops', 'stack'], "--pool-ops: found 'stack'", 'expected magazine', '--build early'),
    (['--pool-cache', '32', '--build', 'early'], '--pool-cache', 'expected 0', '--build early'),
    (['--complete', 'completion', '--pool-ops', 'stack'], "--pool-ops: found 'stack'", 'expected magazine',
     '--complete completion'),
    (['--pool-cache', '32', '--complete', 'completion'], '--pool-cache', 'expected 0', '--complete completion'),
    (['--pool-cache', '32', '--complete', 'completion', '--build', 'early'], '--pool-cache', '--build early'),
    *[(['--build', 'lazy', '--complete', mode], f"--complete: found '{mode}', expected none with --build lazy")
      for mode in ('orphan', 'orphan-packet', 'completion')],
    (['--owner-limit', '0,1000000', '--complete', 'none'], '--owner-limit: found', 'with --complete none: nobody is charged'),
    (['--owner-limit', '0,0', '--owner-limit', '1,1000000', '--build', 'lazy'], '--owner-limit: found', "--build lazy's"),
    # files
    (['--file', ''], '--file: found nothing'),
    (['--file', '/no/such.conf'], "--file: found '/no/such.conf', expected a readable file (No such file or directory)"),
    (['--file', '/'], '--file', 'Is a directory'),
    (['--routes-file', '/no/such'], '--routes-file', 'expected a readable file (No such file or directory)'),
    (['--routes-file', '/proc/self/mem'], '--routes-file', 'expected a readable file'),
]


@pytest.mark.parametrize('case', SYNTAX, ids=lambda case: ' '.join(case[0])[:60])
def test_syntax(parse, case):
    options, *parts = case
    parse(*options).assert_one_line(2, *parts)


@pytest.mark.parametrize('options', [
    ['--burst', '32'], ['--mtu', '0,16106'], ['--data-room', '128'], ['--data-room', '16384'], ['--neigh-reachable', '3600'],
    ['--icmp-rate', '0'], ['--icmp-rate', 'unlimited'], ['--icmp-rate', '1000000000'], ['--ecmp-seed', '4294967295'],
    ['--ecmp-seed', '0xFfffFfff'], ['--ecmp-seed=0x0000000000000000'], ['--build', 'lazy', '--complete', 'none'], ['--complete', 'none', '--owner-limit', '0,0'],
    ['--owner-limit', '0,9223372036854775807'], ['--mirror', '0=1', '--mirror=2=3,rx', '--mirror=a=b,tx', '--mirror', '4=5,both'],
    ['--complete', 'none', '--pool-ops', 'stack', '--complete', 'orphan-packet']], ids=' '.join)
def test_parsed_before_eal(parse, options):
    """The control of the cases above: good options get as far as the EAL, whose options are bad."""
    parse(*options).assert_one_line(2, 'EAL options', 'no-such-eal-option')


def test_control_characters_stay_on_one_line(parse):
    parse('--route', '10.0.0.0/8,via=\n\x1b[31m' + 'x' * 500).assert_one_line(2, '--route: found', '...')


def test_our_option_before_the_dashes(start):
    start(['-l', '0', '--route', '10.0.0.0/8,blackhole'], []).finish().assert_one_line(2, "found '--route'", "behind the '--'")


@pytest.mark.parametrize('args', [['--help'], ['--', '--help'], ['-l', '99', '--', '--burst', 'x', '--help'], ['-h']])
def test_help_needs_nothing(program, start, args):
    ended = start(args[:args.index('--')] if '--' in args else args, args[args.index('--') + 1:] if '--' in args else [],
                  user=NOBODY).finish()
    assert ended.status == 0 and ended.err == '' and ended.out.startswith('Usage: magpie'), ended
    assert max(map(len, ended.out.splitlines())) <= 110


def test_version(start):
    ended = start([], ['--version'], user=NOBODY).finish()
    version = (ROOT / 'VERSION').read_text().strip()
    assert (ended.status, ended.err) == (0, '') and ended.out.startswith(f'magpie {version}, DPDK '), ended


def help_options(start):
    return re.findall(r'^  --([a-z-]+)', start(['--help'], []).finish().out, re.M)


def test_manual_names_every_option(start):
    page = (ROOT / 'doc/man/magpie.8').read_text()
    options = page[page.index('.SH OPTIONS'):page.index('.SH SIZING')]
    described = re.findall(r'^\.TP\n\.BI? "?\\-\\-([a-z\\-]+)', options, re.M)
    assert {name.replace('\\', '') for name in described} == set(help_options(start))


def rows_described(begin, kinds, header):
    """A table of the manual page, and as it should be by a header's X-macro."""
    page = (ROOT / 'doc/man/magpie.8').read_text()
    part = page[page.index(begin + ': begin'):page.index(begin + ': end')]
    described = re.findall(rf'^\.TP\n\.I (\w+)\n({"|".join(kinds.values())}): (.*)\.$', part, re.M)
    table = re.findall(rf'X\((\w+),\s*({"|".join(kinds)}),\s*"([^"]*)",\s*"([^"]*)"\)', (ROOT / header).read_text())
    assert len(table) > 30
    return described, [(name, kinds[kind], text + ('' if source == '-' else f' ({source})')) for name, kind, text, source in table]


def test_manual_names_every_verdict():
    described, table = rows_described('verdicts', {'PUNT': 'Punted', 'DROP': 'Dropped', 'ERROR': 'Dropped, its sender told'},
                                      'lib/dp/verdict.h')
    assert described == table


def test_manual_names_every_outcome():
    described, table = rows_described('outcomes', {'ANSWER': 'Answered', 'TAKE': 'Taken', 'DROP': 'Dropped'},
                                      'lib/control/control.h')
    assert described == table


# Files: a line of the file is where the mistake is.
FILES = [
    ('burst 32\n\n# all well\nburst 12abc\n', ':4: burst: ', "found '12abc'"),
    ('routes 10.0.0.0/8,blackhole\n', ':1: ', "found 'routes'", "did you mean route?"),
    ('--burst 32\n', ':1: ', 'the option without dashes'),
    ('burst\n', ':1: burst: found nothing'),
    ('check yes\n', ':1: check: ', 'expected no value'),
    ('  burst = 99 # too many\n', ':1: burst: ', "found '99'"),
    ('route 10.0.0.0/8,blackhole\nroute 10.0.0.0/8,prohibit\n', ':2: route: ', 'another from', ':1'),
    ('routes-file /no/such\n', ':1: routes-file: ', 'No such file'),
    ('file /no/such\n', ':1: file: ', 'No such file'),
    ('help\n', ':1: help: ', 'not in a file'),
    ('burst 3\x002\n', ':1: ', 'a byte 0'),
    ('build early\npool-ops ring_mp_mc\n', ':2: pool-ops: ', '--build early'),
    ('mirror 0=1\nmirror = 0=1,up\n', ':2: mirror: ', "found 'up'"),
    ('complete none\nowner-limit 0,1000000\n', ':2: owner-limit: ', '--complete none'),
]


@pytest.mark.parametrize('case', FILES, ids=lambda case: repr(case[0])[:50])
def test_file(parse, tmp_path, case):
    text, where, *parts = case
    path = tmp_path / 'my.conf'
    path.write_text(text)
    parse('--file', str(path)).assert_one_line(2, f'{path}{where}', *parts)


def test_file_within_itself(parse, tmp_path):
    path = tmp_path / 'loop.conf'
    path.write_text(f'file {path}\n')
    parse('--file', str(path)).assert_one_line(2, f'{path}:1: file: ', 'at most 64 files')


def test_file_in_file_keeps_its_place(parse, tmp_path):
    inner, outer = tmp_path / 'inner', tmp_path / 'outer'
    inner.write_text('burst 16\n\nrxd 1\n')
    outer.write_text(f'file {inner}\nburst x\n')
    parse('--file', str(outer)).assert_one_line(2, f'{outer}:2: burst: ')


@pytest.mark.parametrize('case', [
    ('10.0.0.0/8,blackhole\n# none\n10.1.2.3/24,blackhole\n', ':3: ', 'did you mean 10.1.2.0/24?'),
    ('10.0.0.0/8,blackhole\n10.0.0.0/8,via=10.0.0.1\n', ':2: ', ':1)'),
    ('route 10.0.0.0/8,blackhole\n', ':1: ', "found 'route 10.0.0.0/8'"),
    ('10.0.0.0/8', ':1: ', 'PREFIX,via=ADDR'),
], ids=lambda case: repr(case[0])[:50])
def test_routes_file(parse, tmp_path, case):
    text, where, *parts = case
    path = tmp_path / 'routes'
    path.write_text(text)
    parse('--routes-file', str(path)).assert_one_line(2, f'{path}{where}', *parts)


def test_unreadable_file(start, tmp_path, rundir):
    path = pathlib.Path(rundir) / 'secret.conf'
    path.write_text('burst 32\n')
    path.chmod(0)
    start([], ['--file', str(path)], user=NOBODY).finish().assert_one_line(2, str(path), 'Permission denied')


def test_a_million_routes_are_read_in_seconds(parse, tmp_path):
    path = tmp_path / 'routes'
    with open(path, 'w', encoding='ascii') as file:
        for i in range(1_000_000):
            file.write(f'{10 + (i >> 16)}.{i >> 8 & 255}.{i & 255}.0/24,via=192.0.2.{1 + i % 250}\n')
        file.write('10.0.7.0/24,via=192.0.2.1\n')
    begin = time.monotonic()
    parse('--routes-file', str(path)).assert_one_line(2, "found '10.0.7.0/24'", 'another from', ':8)')
    assert time.monotonic() - begin < 20, 'on an idle machine it takes 0.7 s'


# What needs ports: two of them, 0 = net_ring0 and 1 = net_ring1, on lcore 0.
SEMANTICS = [
    (['--addr', '2,10.0.0.1/24'], "--addr: found '2'", 'expected a port', '0 to 1'),
    (['--addr', 'eth7,10.0.0.1/24'], "--addr: found 'eth7'"),
    (['--neigh', '00x,10.0.0.2,02:00:00:00:00:02'], "--neigh: found '00x'"),
    (['--mtu', '99999999999,1500'], '--mtu: found'),
    (['--config', '(5,0,0)'], "--config: found '5'"),
    (['--route', '10.0.0.0/8,port=net_ring9'], "--route: found 'net_ring9'"),
    (['--config', '(0,0,0),(0,0,0)'], "--config: found '(0,0,0)'", 'each queue of a port once'),
    (['--config', '(0,0,0),(net_ring0,0,0)'], 'each queue of a port once'),
    (['--config', '(0,1,0)'], "--config: found '(0,1,0)'", 'queue 0 is missing'),
    (['--config', '(1,0,0),(0,0,0),(0,2,0)'], "found '(0,2,0)'", 'queue 1 is missing'),
    (['--config', '(0,0,1)'], "found '(0,0,1)'", "an lcore that the EAL's -l names: 0"),
    (['--config', '(0,0,0)', '--addr', '1,10.0.1.1/24'], '--addr', 'a port that --config names'),
    (['--config', '(0,0,0)', '--route', '10.0.0.0/8,port=1'], '--route', 'a port that --config names'),
    ([*ADDRS, '--addr', 'net_ring0,10.0.0.1/24'], "--addr: found '10.0.0.1'", 'each own address once'),
    ([*ADDRS, '--route', '0.0.0.0/0,via=10.0.2.1'], "--route: found '10.0.2.1'", 'a connected subnet'),
    ([*ADDRS, '--route', '0.0.0.0/0,via=10.0.1.2,via=10.0.2.1'], "--route: found '10.0.2.1'", 'a connected subnet'),
    (['--addr', '0,10.0.0.1/23', '--route', '9.0.0.0/8,via=10.0.2.1,via=10.0.1.2'], "found '10.0.2.1'", 'connected subnet'),
    (['--addr', '0,10.0.0.1/23', '--route', '9.0.0.0/8,via=10.0.2.0'], "found '10.0.2.0'", 'a connected subnet'),
    (['--route', '::/0,via=2001:db8::1'], "--route: found '2001:db8::1'", 'a connected subnet'),
    ([*ADDRS, '--route', '0.0.0.0/0,via=10.0.1.1'], "--route: found '10.0.1.1'", 'not an address of our own'),
    ([*ADDRS, '--route', '0.0.0.0/0,via=10.0.1.2,via=10.0.0.1'], "found '10.0.0.1'", 'not an address of our own'),
    ([*ADDRS, '--neigh', '0,10.0.0.2,02:00:00:00:00:02', '--neigh', 'net_ring0,10.0.0.2,02:00:00:00:00:03'],
     "--neigh: found '10.0.0.2'", 'one MAC address'),
    (['--pool-ops', 'magazin'], "--pool-ops: found 'magazin'", 'ring_mp_mc', 'magazine'),
    (['--owner-limit', '7,1000000'], "--owner-limit: found '7'", 'a port'),
    (['--config', '(0,0,0)', '--owner-limit', '1,1000000'], '--owner-limit', 'a port that --config names'),
    (['--owner-limit', '0,77823'], "--owner-limit: found '77823'", 'at least 77824 for port 0', '32 packets of 2432 bytes'),
    (['--owner-limit', '0,2431', '--burst', '1'], 'at least 2432 for port 0', '1 packets'),
    (['--config', '(0,0,0),(0,1,0),(1,0,0)', '--owner-limit', 'net_ring0,155647'], 'at least 155648 for port 0', '2 RX queues'),
    # five buffers for a frame; net_ring keeps nothing that was sent
    (['--mtu', '0,9000', '--owner-limit', '0,372735'], 'at least 372736 for port 0', '32 packets of 11648 bytes'),
    (['--complete', 'completion', '--owner-limit', '0,77823'], 'at least 77824 for port 0', '32 packets'),
    (['--mirror', '0=9'], "--mirror: found '9'", 'a port'),
    (['--mirror', '9=0'], "--mirror: found '9'", 'a port'),
    (['--config', '(0,0,0)', '--mirror', '0=1,rx'], "--mirror: found 'port 1'", 'a port that --config names'),
    (['--config', '(0,0,0)', '--mirror', '1=0,rx'], "--mirror: found 'port 1'", 'a port that --config names'),
    (['--mirror', '1=net_ring1,rx'], "--mirror: found 'port 1'", 'another port for its copies than itself'),
    (['--mirror', '0=1,rx', '--mirror', 'net_ring0=net_ring1,rx'], "--mirror: found 'a second mirror of port 0'",
     'one for what it receives, which port 1 is already'),
    # a frame is twelve buffers here, which is more than what is sent in one
    (['--data-room', '128', '--owner-limit', '0,151551'], 'at least 151552 for port 0', '32 packets of 4736 bytes'),
    (['--config', '(0,0,0),(0,1,0),(0,2,0),' + ','.join(f'(0,{i},0)' for i in range(3, 60))], '--config', 'RX queues'),
]


@pytest.mark.parametrize('case', SEMANTICS, ids=lambda case: ' '.join(case[0])[-60:])
def test_semantics(check, case):
    options, *parts = case
    check(*options).assert_one_line(2, *parts)


SEED = ['--ecmp-seed', '7']


def test_order_does_not_matter(check):
    options = [SEED, ['--route', '0.0.0.0/0,via=10.0.1.2'], ['--neigh', '1,10.0.1.2,02:00:00:00:00:02'], ADDRS[:2], ADDRS[2:]]
    ended = check(*sum(options, []))
    assert ended.status == 0 and ended.err == '', ended
    assert check(*sum(reversed(options), [])).out == ended.out


def test_same_route_twice_is_one(check):
    once = check(*SEED, *ADDRS, '--route', '9.0.0.0/8,via=10.0.0.2,via=10.0.0.3')
    twice = check(*SEED, *ADDRS, '--route', '9.0.0.0/8,via=10.0.0.2,via=10.0.0.3', '--route', '9.0.0.0/8,via=10.0.0.3,via=10.0.0.2')
    assert (once.status, twice.out) == (0, once.out), twice


# The machine's faults.
def test_fault_unknown_driver(start):
    start(eal('net_nosuch0'), []).finish().assert_one_line(1, 'net_nosuch0', 'Run: ')


def test_fault_device_absent(start, tmp_path):
    path = tmp_path / 'none.pcap'
    start(eal(f'net_pcap0,rx_pcap={path}'), []).finish().assert_one_line(1, 'net_pcap0', 'No such file', f'Run: ls -l {path}')


def test_fault_interface_absent(start):
    start(eal('net_af_packet0,iface=nosuch0'), []).finish().assert_one_line(1, 'net_af_packet0', 'Run: ip link show nosuch0')


def test_fault_memif_directory(start, tmp_path):
    path = tmp_path / 'none/memif.sock'
    start(eal(f'net_memif0,role=server,socket={path},socket-abstract=no'), []).finish().assert_one_line(
        1, 'net_memif0', f'Run: mkdir -p {path.parent}')


def test_fault_memif_peer_absent(start, tmp_path):
    start(eal(f'net_memif0,role=client,socket={tmp_path}/memif.sock'), []).finish().assert_one_line(
        1, 'port net_memif0: cannot start', 'role=server')


def test_fault_no_port(start):
    start(eal(), []).finish().assert_one_line(1, 'no Ethernet port', 'dpdk-devbind.py')


def test_fault_memory_short(start):
    ended = start(eal('net_ring0', megabytes=16), []).finish()
    ended.assert_one_line(1, 'no memory for', '16 MB', '--no-huge -m')
    megabytes = int(re.search(r'-m (\d+)', ended.err).group(1))
    start(eal('net_ring0', megabytes=megabytes), []).wait_forwarding().stop().assert_balanced()


def test_fault_memory_beyond_the_machine(start):
    start(eal('net_ring0', megabytes=200_000_000), []).finish().assert_one_line(1, 'EAL: ', 'free -m')


def test_fault_no_hugepages(start):
    """Also where the machine has some: they are not in that directory."""
    start(['-l', '0', '--no-pci', '--huge-dir', '/nonexistent', '--vdev=net_ring0'], []).finish().assert_one_line(
        1, 'EAL: ', 'nr_hugepages', '--no-huge')


def test_fault_prefix_in_use(start, program):
    args = ['-l', '0', '--no-huge', '-m', '256', '--no-pci', '--no-telemetry', f'--file-prefix=magpie-test-{os.getpid()}-twice',
            '--vdev=net_ring0']
    first = start(args, []).wait_forwarding()
    start(args, []).finish().assert_one_line(1, 'Is another primary process running', '--file-prefix=NAME')
    first.stop(signal.SIGTERM).assert_balanced()


def test_fault_runtime_directory(start, rundir):
    os.chmod(rundir, 0o500)
    args = ['-l', '0', '--no-huge', '-m', '256', '--no-pci', '--vdev=net_ring0']
    start(args, [], user=NOBODY, env={'XDG_RUNTIME_DIR': rundir}).finish().assert_one_line(
        1, 'EAL: ', 'export XDG_RUNTIME_DIR=$(mktemp -d)')


@pytest.mark.parametrize('args', [['-l', '0,9999'], ['-l', 'x'], ['--no-such'], ['--no-huge', '--in-memory'], ['--vdev'],
                                  ['--proc-type=secondary'], ['--proc-type', 'auto'], ['--iova-mode=x']], ids=' '.join)
def test_eal_options(start, args):
    start(args, []).finish().assert_one_line(2, 'expected')


def test_word_among_eal_options(start):
    start([*eal('net_ring0'), 'word'], []).finish().assert_one_line(2, "found 'word'", "behind '--'")


def test_log_level_shows_the_chatter(start):
    args = eal('net_ring0')
    quiet, loud = start(args, ['--check']).finish(), start([*args, '--log-level=lib.eal:debug'], ['--check']).finish()
    assert quiet.status == loud.status == 0 and 'EAL' not in quiet.out + quiet.err and 'EAL: ' in loud.out + loud.err


def test_sample_files_are_accepted(start):
    """The annotated samples, as they are and with every commented option switched on."""
    samples = sorted((ROOT / 'config').glob('*.conf'))
    assert samples
    for sample in samples:
        ended = start(eal('net_ring0', 'net_ring1', megabytes=1024), ['--file', str(sample), '--check']).finish()
        assert ended.status == 0 and ended.err == '', (sample, ended)
