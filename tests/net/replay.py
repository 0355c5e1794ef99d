# SPDX-License-Identifier: BSD-3-Clause
"""Rows of tests/vectors/*.tsv, played to a Magpie on taps one by one, each judged by its verdict.

A row has frames, separated by blanks; "1:" before one lets it enter by port 1. Answers are looked for at the port of the first one.
Verdicts are those of tests/vectors/README.md; own.tsv says more. Behind DROP: the name of the counter. Behind ICMP: "mtu N", "ptr N",
"joined" if it is about what the frames make together. Behind LOCAL echo reply: "of 0 2" if only those frames make the request, "lossy" if some are dropped,
"ext" if extension headers, which the reply does not have, stand before it. ANY silent: nothing leaves.
"""
import pathlib
import re
import struct
import time

import oracle
from wire import Packet, ethernet, put16, seal4

VECTORS = pathlib.Path(__file__).resolve().parents[1] / 'vectors'
SLOW = 'after resolution fails'
RESOLUTION_SECONDS = 3  # RFC 4861 10: 3 solicitations, a second apart


class Row:
    """One vector."""

    def __init__(self, line):
        self.id, self.verdict, self.source, frames = line.rstrip('\n').split('\t')
        self.frames = []
        for word in frames.split():
            port, colon, hexa = word.rpartition(':')
            self.frames.append((int(port) if colon else 0, bytes.fromhex(hexa)))

    def slow(self):
        """Whether its answer comes when resolution has failed."""
        return SLOW in self.verdict


def rows(name):
    """The rows of a table."""
    with open(VECTORS / name, encoding='ascii') as file:
        return [Row(line) for line in file if not line.startswith('#') and not line.startswith('id\t')]


class Case:
    """A row that was played: what came out by each port, and what was counted."""

    def __init__(self, row, ports, outs, delta):
        self.row, self.ports, self.outs, self.delta = row, ports, outs, delta
        self.frames = [frame for _, frame in row.frames]
        self.in_port = row.frames[0][0]

    def drops(self):
        """The reasons that packets were thrown away for, by name. One whose sender was to be told, but may not be, was dropped before."""
        return {name.partition('.')[2]: n for name, n in self.delta.items()
                if n and (name.startswith('drop.') or name.startswith('control_drop.'))
                and not (name == 'control_drop.error_forbidden' and self.delta.get('told'))}

    def only(self, port):
        """The one frame that left; it left by port."""
        assert [len(outs) for outs in self.outs] == [i == port for i in range(len(self.outs))], \
            f'frames left by each port: {[len(outs) for outs in self.outs]}: {[o.hex()[:120] for outs in self.outs for o in outs]}'
        return self.outs[port][0]

    def silent(self):
        """Nothing left."""
        assert not any(self.outs), f'left: {[out.hex()[:200] for outs in self.outs for out in outs]}'

    def judge(self):
        """Asserts the verdict; of several, one of them."""
        judges = [word.strip() for word in self.row.verdict.split('-or-')]
        for i, verdict in enumerate(judges):
            try:
                return self.judge_one(verdict)
            except AssertionError:
                if i == len(judges) - 1:
                    raise
        return None

    def wrong(self):
        """What is wrong with it, None if nothing is."""
        try:
            self.judge()
        except AssertionError as error:
            return f'{error}\n  counted: { {name: n for name, n in self.delta.items() if n and "cycles" not in name} }'
        return None

    def judge_one(self, verdict):
        """Asserts one verdict, which begins with the name of a method."""
        word, _, rest = verdict.partition(' ')
        {'FWD': self.fwd, 'DROP': self.drop, 'ICMP': self.error, 'ICMP6': self.error, 'LOCAL': self.local, 'LEARN': self.learn,
         'ANY': self.any}[word](rest)

    def next_hop(self, port):
        """The address of the host that the first frame goes to by port: its destination, or the gateway of the routes."""
        packet = Packet(self.frames[0][ethernet(self.frames[0])[3]:])
        return packet.dst if packet.dst in port.hosts else next(a for a in port.hosts if len(a) == len(packet.dst))

    def fwd(self, rest):
        out_port = 0 if 'port0' in rest else 1
        port, pieces = self.ports[out_port], re.search(r'(\d+) fragments', rest)
        assert self.drops() == {}, f'dropped: {self.drops()}'
        if pieces:
            assert len(self.outs[out_port]) == int(pieces.group(1)) and not self.outs[1 - out_port], \
                f'{[len(outs) for outs in self.outs]} frames left'
            oracle.check_fragments(self.frames[0], self.outs[out_port], port, self.next_hop(port))
            return
        out, expected = self.only(out_port), oracle.forwarded(self.frames[0], port, self.next_hop(port))
        assert out == expected, f'left: {out.hex()}\nnot:  {expected.hex()}'

    def drop(self, rest):
        self.silent()
        drops = self.drops()
        assert sum(drops.values()) == len(self.frames), f'counted: {drops}'
        assert not rest or set(drops) == {rest}, f'counted: {drops}'

    def error(self, rest):
        kind, code = map(int, re.match(r'(\d+)/(\d+)', rest).groups())
        mtu, pointer = (re.search(rf'{word} (\d+)', rest) for word in ('mtu', 'ptr'))
        about = whole(self.frames) if 'joined' in rest else self.frames[0]
        oracle.check_error(about, self.only(self.in_port), self.ports[self.in_port], kind, code,
                           mtu and int(mtu.group(1)), pointer and int(pointer.group(1)))

    def local(self, rest):
        port = self.ports[self.in_port]
        if rest.startswith('echo reply'):
            assert not self.outs[1 - self.in_port], 'a frame left by the other port'
            oracle.check_echo(self.request(rest), self.outs[self.in_port], port)
        elif rest.startswith('reply'):
            oracle.check_arp_reply(self.frames[0], self.only(self.in_port), port)
        elif rest.startswith('NA'):
            oracle.check_advert(self.frames[0], self.only(self.in_port), port)
        else:
            raise AssertionError(f'verdict {rest!r} means nothing')
        assert self.drops() == {} or 'lossy' in rest, f'dropped: {self.drops()}'

    def request(self, rest):
        """The frames that make an echo request."""
        chosen = re.search(r' of ([\d ]+)', rest)
        frames = [self.frames[int(i)] for i in chosen.group(1).split()] if chosen else self.frames
        return [without_extensions(frame) for frame in frames] if ' ext' in rest else frames

    def learn(self, _):
        """Static entries stay what they are: only that it was read shows."""
        self.silent()
        read = {name: n for name, n in self.delta.items() if n and re.fullmatch(r'control_\w+\.(arp|nd)_(learned|unknown)', name)}
        assert sum(read.values()) == len(self.frames), f'counted: {read}'

    def any(self, rest):
        """Counted: judged by the balance that settle() waits for."""
        if rest == 'silent':
            return self.silent()
        assert sum(self.drops().values()) + sum(map(len, self.outs)) >= 1, 'neither dropped nor answered'
        return None


def whole(frames):
    """IPv4 fragments put together, as a frame."""
    first, _, payload = oracle.joined(frames)
    header = put16(put16(first.header, 2, first.hlen + len(payload)), 6, 0)
    return frames[0][:14] + seal4(header + payload)


def without_extensions(frame):
    """An IPv6 frame whose packet has only its last header."""
    packet = Packet(frame[14:])
    proto, payload = packet.upper()
    return frame[:18] + struct.pack('!HB', len(payload), proto) + frame[21:54] + payload


def collect(taps, row, before):
    """What came out until nothing moves any more; when something is due, it gets a second's time."""
    after = taps.settle(before['rx'] + len(row.frames), what=row.id)
    outs = [wire.receive() for wire in taps.wires]
    due = after['tx'] - before['tx']
    end = time.monotonic() + 1
    while sum(map(len, outs)) < due and time.monotonic() < end:
        for out, wire in zip(outs, taps.wires):
            out += wire.receive(0.02)
    answered = row.verdict.startswith('LOCAL NA')
    return [[frame for frame in out if not is_question(frame) and (answered or not is_announcement(frame))] for out in outs], after


def play(taps, row):
    """Plays one row that is answered at once."""
    before = taps.settle()
    for port, frame in row.frames:
        taps.wires[port].send(frame)
    outs, after = collect(taps, row, before)
    return Case(row, taps.ports, outs, {name: after[name] - before[name] for name in after})


def is_question(frame):
    """An ARP request, a neighbour solicitation, a multicast listener report: what Magpie says unasked. No answer is one."""
    if frame[12:14] == b'\x08\x06':
        return frame[20:22] == b'\0\1'
    return frame[12:14] == b'\x86\xdd' and (frame[20:21] + frame[54:55] == b'\x3a\x87' or frame[20:21] == b'\0' and frame[62:63] == b'\x8f')


def is_announcement(frame):
    """A neighbour advertisement that answers nobody."""
    return frame[12:14] == b'\x86\xdd' and frame[54:55] == b'\x88' and not frame[58] & 0x40


def play_slow(taps, slow):
    """Plays rows whose next hops never answer, all at once: their cases without counts."""
    taps.settle()
    for row in slow:
        for port, frame in row.frames:
            taps.wires[port].send(frame)
    outs = [[] for _ in taps.wires]
    end = time.monotonic() + RESOLUTION_SECONDS + 2
    while time.monotonic() < end and sum(map(len, outs)) < len(slow):
        for out, wire in zip(outs, taps.wires):
            out += [frame for frame in wire.receive(0.05) if not is_question(frame)]
    cases = []
    for row in slow:
        mine = [[out for out in port if row.frames[0][1][14:54] in out] for port in outs]
        cases.append(Case(row, taps.ports, mine, {}))
    return cases


def fits(taps, row):
    """Whether the row can be played by the device: its frames are not too long for it, nor of the kinds that veth does not carry, and
    name no address that is made of another MAC."""
    link_local = oracle.addr_bytes('fe80::ff:fe00:1')
    return all(len(frame) <= taps.largest() and (taps.kind == 'tap' or link_local not in frame and (frame[12] != 0x81 or len(frame) > 18))
               for _, frame in row.frames)


def for_port(taps, row):
    """The row's frames for ports that have other MAC addresses than the README's."""
    readme = [f'02000000000{i + 1}' for i in range(2)]
    for i, (port, frame) in enumerate(row.frames):
        if frame[:6].hex() == readme[port]:
            frame = taps.ports[port].mac + frame[6:]
        if frame[6:12].hex() == readme[port]:
            frame = frame[:6] + taps.ports[port].mac + frame[12:]
        row.frames[i] = (port, frame)
    return row


def replay(taps, name):
    """Plays a table; what was wrong, a text for each such row."""
    table = [for_port(taps, row) for row in rows(name) if fits(taps, row)]
    cases = [play(taps, row) for row in table if not row.slow()]
    slow = [row for row in table if row.slow()]
    if slow:
        cases += play_slow(taps, slow)
    return [f'{case.row.id}: {case.row.verdict}: {wrong}' for case in cases for wrong in [case.wrong()] if wrong]
