# SPDX-License-Identifier: BSD-3-Clause
"""A station at the end of a raw socket: answers ARP and ND for the addresses it has, keeps what else it is sent."""
import ipaddress
import select
import threading
import time

from wire import (ARP, ICMP6, IP6, Packet, arp, ethernet, frame_of, link_option, nd, u16)


def mac_text(raw):
    """6 bytes as 02:00:..."""
    return raw.hex(':')


def addr_text(raw):
    """An address as text."""
    return str(ipaddress.ip_address(raw))


class Station(threading.Thread):
    """Runs until close(). macs: {address: MAC} that it answers for; may be changed meanwhile."""

    def __init__(self, wire, macs):
        super().__init__(daemon=True)
        self.wire, self.macs = wire, dict(macs)
        self.asked = []   # (time, kind, target address, destination MAC of the frame) of every question
        self.got = []     # (time, frame) of what is neither ARP nor ND
        self.lock = threading.Lock()
        self.open = True
        self.start()

    def run(self):
        while self.open:
            for frame in self.wire.receive(0.05) if self.readable() else []:
                self.take(frame)

    def readable(self):
        """Whether a frame is there, or comes soon."""
        return bool(select.select([self.wire.socket], [], [], 0.05)[0])

    def take(self, frame):
        """One frame: asks for an address of ours, or is kept."""
        dst, src, kind, at = ethernet(frame)
        body = frame[at:]
        if kind == ARP:
            self.take_arp(dst, src, body)
        elif kind == IP6 and body[6] == ICMP6 and body[40:41] in (b'\x87', b'\x88'):
            self.take_nd(dst, src, body)
        elif kind == IP6 and body[6] == 0 and body[48:49] == b'\x8f':
            pass  # a multicast listener report
        else:
            with self.lock:
                self.got.append((time.monotonic(), frame))

    def note(self, *question):
        with self.lock:
            self.asked.append((time.monotonic(), *question))

    def take_arp(self, dst, src, body):
        target = addr_text(body[24:28])
        if u16(body, 6) != 1:
            self.note('arp-reply', target, mac_text(dst))
            return
        self.note('arp', target, mac_text(dst))
        mac = self.macs.get(target)
        if mac and body[14:18] != body[24:28]:
            self.wire.send(frame_of(mac_text(src), mac, ARP, arp(2, mac, target, mac_text(body[8:14]), addr_text(body[14:18]))))

    def take_nd(self, dst, src, body):
        packet = Packet(body)
        target = addr_text(packet.payload[8:24])
        if packet.payload[0] != 135:
            self.note('advert', target, mac_text(dst))
            return
        self.note('ns', target, mac_text(dst))
        mac = self.macs.get(target)
        if mac and packet.src != bytes(16):
            self.wire.send(frame_of(mac_text(src), mac, IP6, nd(target, addr_text(packet.src), 136, 0x60, target, link_option(2, mac))))

    def frames(self):
        """What it was sent so far, taken away."""
        with self.lock:
            taken, self.got = self.got, []
        return [frame for _, frame in taken]

    def wait_frames(self, n, seconds=2):
        """At least n frames, or as many as come in that time."""
        end, taken = time.monotonic() + seconds, []
        while len(taken) < n and time.monotonic() < end:
            taken += self.frames()
            time.sleep(0.005)
        return taken

    def questions(self, kind, target):
        """(time, destination MAC) of the questions of a kind for an address."""
        with self.lock:
            return [(when, dst) for when, *question, dst in self.asked if question == [kind, target]]

    def close(self):
        """Ends it."""
        self.open = False
        self.join()
