# SPDX-License-Identifier: BSD-3-Clause
"""NVIDIA GPUs through CuPy: the backend (`backend`) and the pattern with its matching that
algorithms work on (`problem`), the devices of the machine (`device`), kernels from their sources
(`compile`), copies and conversions of arrays (`arrays`, `staging`), counters that kernels and
drivers share (`readback`, and `layout` for the positions of their fields), sorts
(`counting_sort`), members of groups (`grouping`), searches without the host (`by_levels`), limits
(`budget`). CuPy is loaded when a GPU is first used.

The ``.cuh`` files are for all kernels: `index` (the index type, strided loops), `visible` (words
that other threads of a launch read or write), `atomics` (words that one thread claims), `warp`
(lanes: sums, scans, places taken together), `counting` (counters), `frontier`, `append`,
`warp_queue` and `block_queue` (lists that grow), `lists` (lists of very different lengths, shared
among threads), `grid_barrier` (for the blocks of a cooperative launch), `running_totals` (prefix
sums inside such a launch) and `by_levels` (a search level by level in one launch).
"""
