# SPDX-License-Identifier: BSD-3-Clause
"""What scripts/demo and scripts/bench have in common: programs, traffic, measuring."""
