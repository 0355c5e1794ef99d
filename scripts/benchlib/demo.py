# SPDX-License-Identifier: BSD-3-Clause
"""Runs Magpie between the two ends of a testpmd and accounts for every packet. Started by scripts/demo."""
import argparse
import signal
import sys
import time

from . import machine
from .magpie import Account, Magpie
from .process import Failure, Workspace
from .terminal import Mirror
from .testpmd import BURST
from .wires import FLOWS, Generator, Wires, wait_links

ENOUGH = 0.999  # of what Magpie received, forwarded


class Outcome:
    """Both sides' counts at the end."""

    def __init__(self, generator, magpie, counters, rate_mpps):
        self.taken, self.refused = generator.offered()
        self.back, self.sent = counters
        self.account = Account(magpie.text())
        self.status = magpie.status
        self.rate_mpps = rate_mpps

    def complaints(self):
        """What is not as it has to be; empty when all is well."""
        account, out = self.account, []
        if self.status != 0:
            out.append(f'Magpie ended with status {self.status}')
        if not account.balanced:
            out.append(f'{account.ledger}: rx {account.rx:,} tx {account.tx:,} dropped {account.dropped:,} '
                       f'punted {account.punted:,}')
        if account.rx == 0 or account.forwarded <= ENOUGH * account.rx:
            out.append(f'forwarded {account.forwarded:,} of {account.rx:,}, which is not more than {ENOUGH:.1%}')
        if account.rx != self.sent:
            out.append(f'testpmd sent {self.sent:,} but Magpie received {account.rx:,}')
        if account.tx != self.back:
            out.append(f'Magpie sent {account.tx:,} but testpmd got {self.back:,} back')
        return out


def _row(text, number, remark=''):
    print(f'  {text:<24}{number:>16}   {remark}'.rstrip())


def _print_summary(outcome):
    account = outcome.account
    share = f'{100 * account.forwarded / account.rx:.4f} % of what it received' if account.rx else ''
    print('\nSummary')
    _row('offered by testpmd', f'{outcome.taken + outcome.refused:,}', f'64-byte frames, {FLOWS} flows')
    if outcome.refused:
        _row('  no room in the ring', f'{outcome.refused:,}', 'testpmd offers more than Magpie and the links take')
    _row('received by Magpie', f'{account.rx:,}')
    _row('forwarded', f'{account.forwarded:,}', share)
    if account.injected:
        _row('made by Magpie', f'{account.injected:,}', 'ARP and neighbour discovery')
    _row('dropped', f'{account.dropped:,}')
    for kind, name, count, why in account.reasons:
        _row(f'  {kind} {name}', f'{count:,}', why)
    _row('back at testpmd', f'{outcome.back:,}')
    _row('rate', f'{outcome.rate_mpps:.2f} Mpps', 'forwarded, both directions together')
    _row('cost', f'{account.cycles_per_packet:.1f}', f'cycles/packet; idle {account.idle_percent:.1f} %')
    print(f'  {account.ledger}')


def _show_progress(generator, seconds):
    """For no terminal: a line a second instead of the live table."""
    end = time.monotonic() + seconds
    (back, sent), then = generator.telemetry.packets(), time.monotonic()
    while (left := end - time.monotonic()) > 0:
        time.sleep(min(1, left))
        (back_now, sent_now), now = generator.telemetry.packets(), time.monotonic()
        print(f'  {seconds - max(0, end - now):5.1f} s  to Magpie {(sent_now - sent) / (now - then) / 1e6:7.2f} Mpps  '
              f'back {(back_now - back) / (now - then) / 1e6:7.2f} Mpps', flush=True)
        back, sent, then = back_now, sent_now, now


def _forward(generator, magpie, seconds, live):
    """Sends for so many seconds, then brings everything home. Returns the Mpps that came back."""
    wait_links(generator, magpie)
    before, start = generator.telemetry.packets()[0], time.monotonic()
    generator.send()
    if live:
        time.sleep(seconds)
        magpie.must_run()
    else:
        _show_progress(generator, seconds)
    back, passed = generator.telemetry.packets()[0] - before, time.monotonic() - start
    generator.rest()
    generator.collect()
    return back / passed / 1e6


def _run(args, workspace):
    cpus, memory = machine.Cpus(args.one_cpu), machine.Memory(2, args.no_huge)
    live = sys.stdout.isatty()
    print(f'Magpie on CPU {cpus.forwarder}, testpmd on CPU {cpus.generator}, {memory}', flush=True)
    if cpus.shared:
        print('Both poll on the same CPU and take turns: expect a fraction of the usual rate.', flush=True)
    # Taking turns, each side finds the rings full or empty: long ones, and evenly filled.
    wires = Wires(workspace, log2_slots=13, block=BURST // 2) if cpus.shared else Wires(workspace)
    with Generator(workspace, wires, cpus.generator, memory.eal, clones=0) as generator:
        generator.ready()
        mirror = Mirror() if live else None
        magpie = Magpie(workspace, args.build, cpus.forwarder, [*memory.eal, *wires.forwarder_eal()],
                        [*wires.magpie_options(), '--stats', '1'], mirror and mirror.output)
        with magpie:
            if mirror:
                mirror.start(magpie.log)
            magpie.ready()
            rate_mpps = _forward(generator, magpie, args.seconds, live)
            counters = generator.telemetry.packets()
        if mirror:
            mirror.finish()
    return Outcome(generator, magpie, counters, rate_mpps)


def _parse_args():
    parser = argparse.ArgumentParser(prog='scripts/demo')
    parser.add_argument('--build', required=True)
    parser.add_argument('--seconds', type=int, required=True)
    parser.add_argument('--no-huge', action='store_true')
    parser.add_argument('--one-cpu', action='store_true')
    return parser.parse_args()


def main():
    args = _parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    try:
        with Workspace() as workspace:
            outcome = _run(args, workspace)
            _print_summary(outcome)
            complaints = outcome.complaints()
    except Failure as failure:
        print(f'\nscripts/demo: {failure}', file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print('\nscripts/demo: interrupted; everything is stopped', file=sys.stderr)
        return 130
    for complaint in complaints:
        print(f'FAIL: {complaint}')
    if not complaints:
        print('PASS: every packet that Magpie received is accounted for, and testpmd has all that it forwarded')
    return 1 if complaints else 0


if __name__ == '__main__':
    sys.exit(main())
