#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Counts instructions per packet of building and freeing skbs with callgrind; more than recorded, by 5 %, is a failure.

usage: test_instructions.py SKB-COUNT COMPILER VERSION [--record]

Each case runs for n and for 2n bursts; half the difference has nothing of the start in it. What is recorded is for one compiler:
another one's code has other figures, so there it is skipped. --record writes what was counted into
instructions.json instead: do that when it became less, or when more is meant to be done and the commit says why.
"""
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True

HERE = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(HERE, '..', '..', 'scripts'))

from benchlib.process import Workspace  # noqa: E402

RECORDED = os.path.join(HERE, 'instructions.json')
CASES = ('build_bulk, release_bulk', 'build_bulk with an owner, orphan_bulk, release_bulk', 'build, consume')
BURST = 32
N_BURSTS = 1000
MORE = 1.05
LESS = 0.95
SKIP = 77


class CannotCount(Exception):
    """callgrind or the program failed."""


def collect(program, case, n_bursts, prefix):
    """Instructions executed inside count_here()."""
    argv = ['valgrind', '--tool=callgrind', '--callgrind-out-file=/dev/null', '--toggle-collect=count_here', program,
            '--no-huge', '--no-pci', '--no-telemetry', '--log-level=lib.eal:error', '-m', '64', '-l', '0',
            f'--file-prefix={prefix}', '--', case, str(n_bursts)]
    # The C library picks a memcpy() for the CPU that valgrind shows it; always the same one, please.
    env = {**os.environ, 'GLIBC_TUNABLES': 'glibc.cpu.hwcaps=-AVX2,-AVX,-AVX512F,-AVX512VL,-ERMS,-FSRM'}
    for name in ('MAGAZINE_DEBUG', 'MAGAZINE_FAULT'):
        env.pop(name, None)
    done = subprocess.run(argv, env=env, capture_output=True, text=True, check=False)
    found = re.search(r'Collected : (\d+)', done.stderr)
    if done.returncode != 0 or not found or int(found.group(1)) == 0:
        raise CannotCount(f'{" ".join(argv)}\nended with status {done.returncode}:\n{done.stderr}')
    return int(found.group(1))


def per_packet(program, case):
    with Workspace() as workspace:
        once, twice = (collect(program, case, n, workspace.prefix('count')) for n in (N_BURSTS, 2 * N_BURSTS))
    return round((twice - once) / (N_BURSTS * BURST), 2)


def count_all(program):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(zip(CASES, pool.map(lambda case: per_packet(program, case), CASES)))


def judge(case, counted, recorded):
    """(whether it is allowed, a line about it)."""
    if recorded is None:
        return False, f'{case}: {counted:.2f} instructions per packet, none recorded: run it with --record'
    text = f'{case}: {counted:.2f} instructions per packet, recorded {recorded:.2f} ({100 * (counted / recorded - 1):+.1f} %)'
    if counted > recorded * MORE:
        return False, f'{text}: more than 5 % over; make it less, or --record it and say why in the commit'
    if counted < recorded * LESS:
        return True, f'{text}: less; keep it so: run it with --record and commit instructions.json'
    return True, text


def load():
    with open(RECORDED, encoding='utf-8') as file:
        return json.load(file)


def record(compiler, counted):
    everything = {**load(), compiler: counted}
    with open(RECORDED, 'w', encoding='utf-8') as file:
        json.dump(everything, file, indent=2, sort_keys=True)
        file.write('\n')


def main():
    program, compiler_id, version, *more = sys.argv[1:]
    compiler = f'{compiler_id} {version.split(".")[0]}'
    recorded = load().get(compiler)
    if shutil.which('valgrind') is None:
        print('valgrind is missing; install it: scripts/setup')
        return SKIP
    if recorded is None and '--record' not in more:
        print(f'nothing is recorded for {compiler}; to change that: {" ".join(sys.argv)} --record')
        return SKIP
    try:
        counted = count_all(program)
    except CannotCount as error:
        print(error)
        return 1
    if '--record' in more:
        record(compiler, counted)
        recorded = counted
    results = [judge(case, value, recorded.get(case)) for case, value in counted.items()]
    for _, line in results:
        print(line)
    return 0 if all(allowed for allowed, _ in results) else 1


if __name__ == '__main__':
    sys.exit(main())
