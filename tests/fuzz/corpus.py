# SPDX-License-Identifier: BSD-3-Clause
"""Writes the frames of tests/vectors as inputs for the fuzz targets (fuzz.h), whole and cut, to the directory given."""
import hashlib
import pathlib
import sys

VECTORS = pathlib.Path(__file__).resolve().parents[1] / 'vectors'


def frames():
    """Every frame of every table."""
    for table in ('published.tsv', 'own.tsv'):
        for line in (VECTORS / table).read_text(encoding='ascii').splitlines():
            if not line.startswith('#') and not line.startswith('id\t'):
                yield from (bytes.fromhex(word.rpartition(':')[2]) for word in line.split('\t')[3].split())


def main():
    room = pathlib.Path(sys.argv[1])
    room.mkdir(parents=True, exist_ok=True)
    for i, frame in enumerate(frames()):
        # bytes as fuzz.h says: how, cut
        for how in (bytes([0, 0]), bytes([2, (14, 20, 34, 40, 54)[i % 5]])):
            data = how + frame
            (room / hashlib.sha1(data).hexdigest()).write_bytes(data)


if __name__ == '__main__':
    main()
