#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""magpie-poolbench refuses what is wrong before the EAL starts, and measures each arm in each shape.

usage: test_poolbench.py PROGRAM [EAL options]
"""
import ctypes.util
import json
import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM, EAL = sys.argv[1], sys.argv[2:]
BAD = [
    ["--qick"], ["quick"], ["--"], ["-q"], ["--rounds"], ["--rounds", "0"], ["--rounds", "-1"],
    ["--rounds", "3x"], ["--rounds", ""], ["--rounds", " 3"], ["--rounds", "+3"], ["--rounds", "1002"],
    ["--rounds", "3,4"], ["--warmup", "60001"], ["--window", "0"], ["--window", "4294967297"],
    ["--population", "99999999999999999999"], ["--population", "100"], ["--population"], ["--population", "4096,"],
    ["--population", "4096,,8192"], ["--population", ",".join(["4096"] * 9)],
    ["--object-bytes", "0x40"], ["--object-bytes", "255"], ["--arms"], ["--arms", ""], ["--arms", "stock"],
    ["--arms", "stack/*,"], ["--arms", ",stack/*"], ["--arms", "ring_mp_mc/c0,stack/c1"], ["--arms", "s" * 64],
    ["--shapes"], ["--shapes", "pipe"], ["--shapes", "tail,same-core"],
    ["--json"], ["--json", ""], ["--json", "/proc/no/such/file"],
    ["--quick", "--window"],
]
TINY = ["--rounds", "1", "--warmup", "0", "--window", "1", "--object-bytes", "256"]
CPUS = sorted(os.sched_getaffinity(0))
FLAGS = ("--quick", "--rounds", "--warmup", "--window", "--population", "--object-bytes", "--arms", "--shapes",
         "--json", "--list", "--help")


def lcores(n):
    """EAL options for so many lcores, one on each CPU while there are enough."""
    return EAL + ["--lcores", ",".join(f"{i}@{CPUS[i % len(CPUS)]}" for i in range(n))]


def run(args, eal=EAL, **environment):
    return subprocess.run([PROGRAM, *eal, "--", *args], capture_output=True, text=True, timeout=250,
                          env={**os.environ, **environment})


def names(kind):
    return [line.split()[1] for line in run(["--list"]).stdout.splitlines() if line.startswith(kind + " ")]


class Poolbench(unittest.TestCase):
    def measure(self, args, eal, **environment):
        """The report of a run that must succeed, and what it printed."""
        with tempfile.TemporaryDirectory(prefix="magpie-") as folder:
            path = os.path.join(folder, "report.json")
            got = run([*args, "--json", path], eal, **environment)
            self.assertEqual(got.returncode, 0, got.stderr)
            with open(path, encoding="utf-8") as file:
                return json.load(file), got.stdout

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
        for flag in FLAGS:
            self.assertIn(flag, got.stdout)

    def test_no_memory_is_1(self):
        for population in ("4194304", "4096,4194304"):
            got = run([*TINY, "--population", population], lcores(1))
            self.assertEqual(got.returncode, 1)
            self.assertIn("-m 1", got.stderr)
            self.assertIn("--population", got.stderr)
            self.assertNotIn("same core", got.stdout)

    def test_nothing_is_left(self):
        for args in (["--shapes", "pipeline"], ["--shapes", "hold/16k/*", "--population", "4096"]):
            got = run([*TINY, *args], lcores(1))
            self.assertEqual(got.returncode, 1)
            self.assertIn("nothing to measure", got.stderr)
            self.assertIn("left out", got.stdout)

    def check(self, result):
        """One row of the report is what one round of something that works gives."""
        self.assertEqual(len(result["samples"]), 1, result)
        self.assertEqual(result["samples"][0], result["median"])
        self.assertEqual(result["q1"], result["q3"])
        if result["shape"] == "tail":
            self.assertGreaterEqual(result["median"], 0, result)
        else:
            self.assertGreater(result["median"], 0, result)

    @staticmethod
    def allowed_sizes(arm):
        size = arm.split("/")[1].split("+")[0]
        return (32, 64, 128, 256, 512) if size == "auto" else (int(size[1:]),)

    def again(self, result):
        report, _ = self.measure([*TINY, "--window", "500", "--arms", result["arm"], "--shapes", result["shape"]],
                                 lcores(2))
        return report["results"][0]

    def test_every_arm_in_every_shape(self):
        report, table = self.measure([*TINY, "--window", "3", "--population", "20480"], lcores(2))
        arms, shapes = names("arm"), names("shape")
        shapes.remove("n-to-1")
        shapes.remove("1-to-n")
        metrics = {"tail": ["p50", "p99", "p99.9", "p99.99"]}
        self.assertEqual({(r["arm"], r["shape"], r["metric"]) for r in report["results"]},
                         {(arm, shape, metric) for arm in arms for shape in shapes
                          for metric in metrics.get(shape, [""])})
        for result in report["results"]:
            if result["median"] == 0 and result["unit"] == "Mobj/s":  # an lcore had no CPU for all the window
                result = self.again(result)
            self.check(result)
            if result["arm"].startswith(("magazine", "inline")):
                self.assertIn(result["magazine"]["sizes"][0], self.allowed_sizes(result["arm"]), result)
                self.assertGreater(result["magazine"]["gets"], 0, result)
            else:
                self.assertNotIn("magazine", result)
            if result["arm"].startswith("malloc/"):  # the timer cannot hide what 32 of these cost
                self.assertGreater(result["median"], 0, result)
        tails = [r["median"] for r in report["results"] if r["shape"] == "tail"]
        for i in range(0, len(tails), 4):
            self.assertEqual(tails[i:i + 4], sorted(tails[i:i + 4]))
        self.assertEqual(report["cpus_shared"], len(CPUS) < 2)
        self.assertEqual(len(report.get("core_latency_ns", [])), 0 if len(CPUS) < 2 else 2)
        self.assertEqual(table.count("\nmagazine/auto "), 7)
        self.assertNotIn("failed", table)

    def test_traffic_goes_on(self):
        """What crosses does so long after the rings were filled for the first time."""
        args = ["--shapes", "pipeline,crossing*", "--arms", "stack/c512", "--warmup", "100", "--window", "50"]
        report, _ = self.measure([*TINY, *args], lcores(2))
        self.assertEqual(len(report["results"]), 5)
        for result in report["results"]:
            self.check(result)

    def test_more_lcores_than_cpus(self):
        eal = EAL + ["--lcores", f"0@{CPUS[0]},1@{CPUS[-1]},2@{CPUS[-1]}"]
        report, table = self.measure([*TINY, "--arms", "stack/c32,*/auto,malloc/*", "--shapes", "n-to-1,1-to-n",
                                      "--window", "50"], eal)
        self.assertEqual(len(report["results"]), 8)
        for result in report["results"]:
            self.check(result)
        self.assertTrue(report["cpus_shared"])
        self.assertIn("more lcores than CPUs", table)

    def test_selection(self):
        args = ["--rounds", "2", "--arms", "stack/c0,inline/*", "--shapes", "*/b1,swing/32",
                "--population", "4096,8192"]
        report, table = self.measure([*TINY, *args], lcores(1))
        self.assertEqual({r["arm"] for r in report["results"]}, {"stack/c0"} | set(names("arm")[-7:-1]))
        self.assertEqual({(r["shape"], r["population"]) for r in report["results"]},
                         {(shape, n) for shape in ("same-core/b1", "swing/32") for n in (4096, 8192)})
        self.assertEqual({len(r["samples"]) for r in report["results"]}, {2})
        self.assertNotIn("ring_mp_mc", table)
        self.assertNotIn("core_latency_ns", report)

    def test_malloc_is_named_after_its_library(self):
        builtin = names("arm")[-1]
        self.assertIn(builtin, ("malloc/libc", "malloc/asan"))
        if builtin == "malloc/asan":
            self.skipTest("a sanitizer brings its own, and lets no other library come first")
        for library in ("jemalloc", "mimalloc", "tcmalloc_minimal"):
            path = ctypes.util.find_library(library)
            if path is None:
                continue
            report, _ = self.measure([*TINY, "--arms", "malloc/*", "--shapes", "same-core/b8"], lcores(1),
                                     LD_PRELOAD=path)
            self.assertEqual([r["arm"] for r in report["results"]], ["malloc/" + library])
            self.check(report["results"][0])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
