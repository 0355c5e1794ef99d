#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""magpie-poolbench refuses what is wrong before the EAL starts, and fills its table.

usage: test_poolbench.py PROGRAM [EAL options]
"""
import os
import re
import subprocess
import sys
import unittest

PROGRAM, EAL = sys.argv[1], sys.argv[2:]
BAD = [
    ["--qick"], ["quick"], ["--"], ["-q"], ["--rounds"], ["--rounds", "0"], ["--rounds", "-1"],
    ["--rounds", "3x"], ["--rounds", ""], ["--rounds", " 3"], ["--rounds", "+3"], ["--rounds", "1002"],
    ["--objects", "4294967296"], ["--population", "99999999999999999999"], ["--population", "100"],
    ["--object-bytes", "0x40"], ["--magazine", "16"], ["--magazine", "1024"], ["--magazine", "100"],
    ["--quick", "--magazine"],
]


def run(args, eal=EAL):
    return subprocess.run([PROGRAM, *eal, "--", *args], capture_output=True, text=True, timeout=250)


class Poolbench(unittest.TestCase):
    def test_bad_input_is_one_line_and_2(self):
        for args in BAD:
            with self.subTest(args=args):
                got = run(args)
                self.assertEqual(got.returncode, 2)
                self.assertEqual(got.stdout, "")
                self.assertEqual(len(got.stderr.splitlines()), 1)
                flag = args[1] if args[0] == "--quick" else args[0]
                self.assertTrue(got.stderr.startswith(flag + ":"), got.stderr)

    def test_help(self):
        got = run(["--help"])
        self.assertEqual((got.returncode, got.stderr), (0, ""))
        for flag in ("--quick", "--rounds", "--objects", "--population", "--object-bytes", "--magazine"):
            self.assertIn(flag, got.stdout)

    def test_no_memory_is_1(self):
        got = run(["--quick", "--population", "4194304"], EAL + ["-l", "0"])
        self.assertEqual(got.returncode, 1)
        self.assertIn("--population", got.stderr)

    def test_the_table_is_full(self):
        for n_lcores, n_shapes in ((1, 4), (2, 6)):
            if len(os.sched_getaffinity(0)) < n_lcores:
                continue
            got = run(["--rounds", "1", "--objects", "16", "--object-bytes", "128"],
                      EAL + ["-l", ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0))[:n_lcores])])
            self.assertEqual(got.returncode, 0, got.stderr)
            rows = [line for line in got.stdout.splitlines() if re.match(r"(ring_mp_mc|stack|magazine) ", line)]
            self.assertEqual(len(rows), 8)
            for row in rows:
                cells = re.findall(r"(\d+\.\d\d) \((\d+\.\d\d) - (\d+\.\d\d)\)", row)
                self.assertEqual(len(cells), n_shapes, row)
                for median, low, high in cells:
                    self.assertTrue(0 < float(low) <= float(median) <= float(high), row)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
